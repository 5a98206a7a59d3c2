"""Native code: compiles entry functions and the units that they reach, and keeps the result on disk.

Not hardware: the faster of the two ways in which units run (engine.py). How units are translated is in native_library.py.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from warploom.machine.tables import LAYOUT, Tables, Units

FORGET_SECONDS = 30 * 86400  # after which native code of another version that nobody has used is deleted


class Hook(NamedTuple):
    """A function handed to native code as a pointer: its callers are not recompiled when it changes.

    returns, arguments: Numba types; a record's dtype stands for the type of one, `Tables` and `Units` for the bundles.
    """

    function: Callable[..., Any]
    returns: Any
    arguments: tuple[Any, ...]


# Without `_nrt` Numba counts no references to arrays: a call that passes ten arrays on would cost more than a warp
# instruction. The caller of an entry owns all arrays; a unit allocates none and returns none.
OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}


def cache_directory() -> Path:
    """Where native code is kept: below `$WARPLOOM_CACHE`, else the user's cache directory.

    Numba notices changes in an entry's own file only, so the directory is keyed by all sources of the machine
    and by the versions of Python, NumPy and Numba.
    """
    home = os.environ.get("WARPLOOM_CACHE")
    base = Path(home) if home else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "warploom"
    return base / _cache_key()


@lru_cache(maxsize=1)
def _cache_key() -> str:
    from importlib.metadata import version

    package = Path(__file__).parent.parent
    digest = hashlib.sha256("|".join([sys.version, version("numpy"), version("numba"), version("llvmlite")]).encode())
    for path in sorted([*package.glob("machine/**/*.py"), package / "isa" / "uop.py", package / "isa" / "program.py"]):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def forget_old_caches() -> None:
    """Delete native code of other versions of this package that no run has asked for in a month."""
    current = cache_directory()
    if current.parent.is_dir():
        for path in current.parent.iterdir():
            of_a_version = path.is_dir() and path != current and len(path.name) == len(current.name)
            if of_a_version and time.time() - path.stat().st_mtime > FORGET_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def _touch(directory: Path) -> None:
    """Note that a cache is in use. Where nothing can be written there is nothing to forget either."""
    with contextlib.suppress(OSError):
        os.utime(directory)


class Address(int):
    """Where the words of a bundle lie, for an entry. They stay there as long as this number is kept."""

    words: np.ndarray


class Native:
    """Compiles entries and the units they reach. One object a process is enough: `native()`."""

    def __init__(self) -> None:
        import numba

        from warploom.machine import native_library, native_types

        self.numba, self._native_types, self._library = numba, native_types, native_library
        numba.config.CACHE_DIR = str(cache_directory())
        _touch(cache_directory())
        self._globals: dict[str, dict[str, Any]] = {}
        self._dispatchers: dict[Any, Any] = {}
        self._types: dict[Any, Any] = {}  # Numba spends a third of a second a run on the types of a core's records

    def entry(self, function: Callable[..., Any], arguments: Iterable[Any]) -> Callable[..., Any]:
        """The native form of `function` for arguments like these (arrays, numbers, `Tables`, `Units` of `Hook`s); cached on disk.

        Returns a callable that takes what `place` makes of the same arguments.
        """
        signature = self.signature(arguments)
        key = (function, signature)
        if key not in self._dispatchers:
            dispatcher = self._compile(function, cache=True, pipeline_class=self._library.EntryCompiler, no_cfunc_wrapper=True)
            with _no_collector(), self._library.rules_of_units():
                dispatcher.compile(signature)
            # Numba's own call looks up the type of every argument, a millisecond for a large record: the types are known here.
            self._dispatchers[key] = dispatcher.overloads[signature].entry_point
        return self._dispatchers[key]

    def signature(self, arguments: Iterable[Any]) -> tuple[Any, ...]:
        """The Numba types of an entry's arguments. What bundles hold is known to the compiler from here on."""
        return tuple(self._type(argument) for argument in arguments)

    def place(self, argument: Any) -> Any:
        """An argument as an entry takes it: bundles become addresses, for which hooks are compiled; all else stays as it is."""
        if not isinstance(argument, Tables | Units):
            return argument
        words = np.zeros((len(argument), 2), np.int64)
        for row, member in zip(words, argument, strict=True):
            if isinstance(member, Hook):
                row[0] = self.pointer(member)
            elif member is not None:
                row[:] = member.ctypes.data, len(member)
        address = Address(words.ctypes.data)
        address.words = words
        return address

    def pointer(self, hook: Hook) -> int:
        """Where the native form of a hook lies. That of a user's own function is compiled anew in each process."""
        signature = hook.returns(*(self.element(argument) for argument in hook.arguments))
        key = (hook.function, str(signature))
        if key not in self._dispatchers:
            ours = hook.function.__module__.startswith("warploom.")
            dispatcher = self._compile(
                hook.function,
                signature,
                ours,
                cache=ours,
                pipeline_class=self._library.EntryCompiler,
                no_cpython_wrapper=True,
                no_cfunc_wrapper=True,
            )
            self._dispatchers[key] = dispatcher
        compiled = self._dispatchers[key].overloads[signature.args]
        return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))

    def _type(self, argument: Any) -> Any:
        if isinstance(argument, Tables | Units):
            return self._bundle(argument)
        if isinstance(argument, np.void):
            return self.element(argument.dtype)
        if not isinstance(argument, np.ndarray):
            return self.numba.typeof(argument)
        flags = argument.flags
        key = (argument.dtype, argument.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned)
        if key not in self._types:
            element = self.element(argument.dtype) if argument.dtype.names else self.numba.from_dtype(argument.dtype)
            layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
            self._types[key] = self.numba.types.Array(element, argument.ndim, layout, readonly=not flags.writeable, aligned=flags.aligned)
        return self._types[key]

    def _bundle(self, bundle: Tables | Units) -> Any:
        """The Numba type of a bundle."""
        members = {}
        for number, (name, member) in enumerate(bundle._asdict().items()):
            if name in LAYOUT:
                kind, columns = LAYOUT[name]
                array = self.numba.types.Array(self.numba.from_dtype(np.dtype(kind)), 2 if columns else 1, "C")
                members[name] = self._native_types.Member(array, 2 * number, columns)
            elif member is not None:
                members[name] = self._native_types.Member(self.element(member), 2 * number)
        return self._native_types.describe(type(bundle).__name__, members)

    def element(self, kind: Any) -> Any:
        """The Numba type that stands for a record's dtype, a hook or a bundle; Numba types stand for themselves."""
        if kind is Tables or kind is Units:
            return self._native_types.Bundle(kind.__name__)
        if isinstance(kind, Hook):
            return self.numba.types.FunctionType(kind.returns(*(self.element(argument) for argument in kind.arguments)))
        if not isinstance(kind, np.dtype):
            return kind
        if kind not in self._types:
            self._types[kind] = self._native_types.record_type(kind)
        return self._types[kind]

    def _compile(self, function: Callable[..., Any], signature: Any = None, ours: bool = True, **options: Any) -> Any:
        twin = FunctionType(function.__code__, self._linked(sys.modules[function.__module__]), function.__name__)
        twin.__qualname__, twin.__module__ = function.__qualname__, function.__module__
        options = {**OPTIONS, **options}
        with _no_collector(), self._library.rules_of_units() if ours else contextlib.nullcontext():
            return self.numba.njit(signature, **options)(twin) if signature is not None else self.numba.njit(**options)(twin)

    def _linked(self, module: ModuleType) -> dict[str, Any]:
        """A copy of a module's globals in which every unit is its native form."""
        name = module.__name__
        if name not in self._globals:
            linked = self._globals[name] = dict(module.__dict__)
            for key, value in module.__dict__.items():
                if getattr(value, "__warploom_unit__", False):
                    linked[key] = self._dispatcher(value)
        return self._globals[name]

    def _dispatcher(self, function: Callable[..., Any]) -> Any:
        factory = getattr(function, "__warploom_native__", None)
        self._linked(sys.modules[function.__module__])  # first: it may reach this very function
        if function not in self._dispatchers:
            if factory is not None:
                module, name = factory.split(":")
                self._dispatchers[function] = getattr(importlib.import_module(module), name)()
            else:
                inside = hasattr(function, "__warploom_part__")
                kinds = {"__warploom_rare__": self._library.RareCompiler, "__warploom_lanewise__": self._library.LanewiseCompiler}
                compiler = next((kind for mark, kind in kinds.items() if hasattr(function, mark)), self._library.UnitCompiler)
                self._dispatchers[function] = self._compile(
                    function, forceinline=inside, pipeline_class=compiler, no_cpython_wrapper=True, no_cfunc_wrapper=True
                )
        return self._dispatchers[function]


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """Compiling makes millions of objects and little garbage: looking for it takes a tenth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@lru_cache(maxsize=1)
def native() -> Native:
    """The process's native compiler. Importing Numba takes about 0.2 s, so only a native run asks for it."""
    return Native()
