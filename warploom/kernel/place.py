"""In the place of `numba.cuda`: its names are warploom's while a program of the user's runs, and Numba itself is the real one.

Importing Numba takes longer than all the rest of a short run, and most programs want nothing of it but `cuda`. So where it has not been
imported yet, a module stands in its place that has `cuda` and no more. Whatever else is asked of it, `njit`, `vectorize`, `numba.np`,
imports the real package, which takes the place from then on.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NUMBA = "numba"
MLIR = "numba_cuda_mlir"  # a package of NVIDIA's for the same dialect
ABSENT: Any = object()
# Attributes that importing and looking through modules ask for: they say nothing about Numba, and do not import it.
OF_MODULES = frozenset(("__all__", "__version__"))


class Later(ModuleType):
    """A module that is imported when something of it is asked for."""

    def __init__(self, name: str, load: Callable[[], ModuleType]) -> None:
        super().__init__(name, f"{name}, imported when it is needed.")
        self.__dict__["_load"] = load

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in OF_MODULES:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self.__dict__["_load"](), name)

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_load"]())


class InsteadOfNumba(Later):
    """What `import numba` finds: `cuda`, and the real package's names once one of them has been asked for."""

    def __init__(self, load: Callable[[], ModuleType], cuda: ModuleType) -> None:
        super().__init__(NUMBA, load)
        spec = importlib.util.find_spec(NUMBA)
        self.__dict__.update(__spec__=spec, __file__=spec and spec.origin, __path__=[], cuda=cuda)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_load"](), name, value)


class Found(Loader):
    """A module that has been imported already, for whoever is about to import it."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module as it is."""
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is executed a second time; its own specification is put back."""
        module.__spec__ = self.spec


class PartsOfNumba(MetaPathFinder):
    """Finds `numba.np` and the like while a stand-in has Numba's place: by importing the real package first."""

    def __init__(self, load: Callable[[], ModuleType]) -> None:
        self._load = load

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Of a part of Numba; None for anything else, and when the real package is there."""
        if not fullname.startswith(NUMBA + ".") or not isinstance(sys.modules.get(NUMBA), InsteadOfNumba):
            return None
        self._load()
        try:
            module = importlib.import_module(fullname)
        except ModuleNotFoundError as error:
            if error.name != fullname:
                raise
            return None
        return ModuleSpec(fullname, Found(module))


@contextmanager
def in_numbas_place() -> Iterator[None]:
    """`numba.cuda` and its parts are warploom's; so is `numba_cuda_mlir`, a second name of the dialect."""
    with ExitStack() as taken:
        if NUMBA in sys.modules:
            _take(taken, sys.modules[NUMBA])
        else:
            _stand_in(taken)
        yield


def _stand_in(taken: ExitStack) -> None:
    """Take Numba's own place, until the real package is needed. taken: gives everything back."""
    standing = taken.enter_context(ExitStack())
    real: list[ModuleType] = []

    def load() -> ModuleType:
        if not real:
            standing.close()
            try:
                real.append(importlib.import_module("numba"))
            except BaseException:
                stand()
                raise
            _take(taken, real[0])
        return real[0]

    def stand() -> None:
        sys.meta_path.insert(0, finder)
        standing.callback(sys.meta_path.remove, finder)
        standing.enter_context(_modules({NUMBA: instead, **_ours()}))

    finder, instead = PartsOfNumba(load), InsteadOfNumba(load, importlib.import_module("warploom.kernel.cuda"))
    stand()


def _take(taken: ExitStack, numba: Any) -> None:
    """Put our modules into the real package's place for `cuda`. taken: gives everything back."""
    taken.enter_context(_modules(_ours()))
    before = getattr(numba, "cuda", ABSENT)
    numba.cuda = sys.modules["numba.cuda"]
    taken.callback(_put_back, numba, before)
    taken.enter_context(_vectorizing(importlib.import_module("warploom.kernel.library.vectorizers")))


def _put_back(numba: Any, cuda: Any) -> None:
    if cuda is ABSENT:
        del numba.cuda
    else:
        numba.cuda = cuda


def _ours() -> dict[str, ModuleType]:
    """Our modules, by the names that programs import them by."""
    cuda, random = importlib.import_module("warploom.kernel.cuda"), importlib.import_module("warploom.kernel.library.random")

    def types() -> ModuleType:
        return importlib.import_module("numba.core.types")

    second = Later(MLIR, lambda: importlib.import_module("numba"))
    second.__dict__.update(cuda=cuda, types=Later(f"{MLIR}.types", types))
    return {
        MLIR: second,
        f"{MLIR}.cuda": cuda,
        f"{MLIR}.cuda.random": random,
        f"{MLIR}.types": second.types,
        "numba.cuda": cuda,
        "numba.cuda.random": random,
        "numba.cuda.libdevice": Later("numba.cuda.libdevice", lambda: cuda.libdevice),
        "numba.cuda.types": Later("numba.cuda.types", types),
        "numba.cuda.vectorizers": Later("numba.cuda.vectorizers", lambda: importlib.import_module("warploom.kernel.library.vectorizers")),
        "warploom.cuda": cuda,
    }


@contextmanager
def _modules(ours: Mapping[str, ModuleType]) -> Iterator[None]:
    """Modules are found by these names, and afterwards what was there before."""
    before = {name: sys.modules.get(name, ABSENT) for name in ours}
    sys.modules.update(ours)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is ABSENT:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


@contextmanager
def _vectorizing(ours: Any) -> Iterator[None]:
    """`vectorize` and `guvectorize` find this module's classes for `target="cuda"`, and afterwards what they found before."""
    decorators = importlib.import_module("numba.np.ufunc.decorators")
    registries = [
        (decorators.Vectorize.target_registry, ours.CUDAVectorize),
        (decorators.GUVectorize.target_registry, ours.CUDAGUFuncVectorize),
    ]
    tables = [table for registry, _ in registries for table in (registry, registry.ondemand)]
    before = [dict(table) for table in tables]
    for registry, made in registries:
        registry.ondemand.pop("cuda", None)  # asked before the registry itself
        registry["cuda"] = made
    try:
        yield
    finally:
        for table, held in zip(tables, before, strict=True):
            table.pop("cuda", None)
            if "cuda" in held:
                table["cuda"] = held["cuda"]
