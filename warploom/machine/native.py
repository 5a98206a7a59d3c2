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
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

FORGET_SECONDS = 30 * 86400  # after which native code of another version that nobody has used is deleted


class Hook(NamedTuple):
    """A function handed to native code as a pointer: its callers are not recompiled when it changes.

    returns, arguments: Numba types; a NumPy structured array stands for the record type of its elements.
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


class Native:
    """Compiles entries and the units they reach. One object a process is enough: `native()`."""

    def __init__(self) -> None:
        import numba

        from warploom.machine.native_library import EntryCompiler, UnitCompiler

        self.numba = numba
        self._entry_compiler, self._unit_compiler = EntryCompiler, UnitCompiler
        numba.config.CACHE_DIR = str(cache_directory())
        _touch(cache_directory())
        self._globals: dict[str, dict[str, Any]] = {}
        self._dispatchers: dict[Any, Any] = {}
        self._types: dict[Any, Any] = {}  # Numba spends a third of a second a run on the types of a core's records

    def entry(self, function: Callable[..., Any], arguments: Iterable[Any]) -> Callable[..., Any]:
        """The native form of `function` for arguments like these (arrays, numbers, `Hook`s); cached on disk.

        Returns a callable that takes the same arguments, each `Hook` already put in its place by `pointers`.
        """
        arguments = tuple(arguments)
        signature = tuple(self._type(argument) for argument in arguments)
        key = (function, signature)
        if key not in self._dispatchers:
            dispatcher = self._compile(function, cache=True, pipeline_class=self._entry_compiler, no_cfunc_wrapper=True)
            with _no_collector():
                dispatcher.compile(signature)
            # Numba's own call looks up the type of every argument, a millisecond for a large record: the types are known here.
            self._dispatchers[key] = dispatcher.overloads[signature].entry_point
        return self._dispatchers[key]

    def pointer(self, hook: Hook, cache: bool = True) -> Any:
        """The native function that goes where an entry takes a `Hook`."""
        signature = hook.returns(*(self._element(argument) for argument in hook.arguments))
        key = (hook.function, str(signature))
        if key not in self._dispatchers:
            dispatcher = self._compile(hook.function, signature, cache=cache, pipeline_class=self._entry_compiler, no_cpython_wrapper=True)
            # Numba looks a function's addresses up in each call that it is passed to, a tenth of a millisecond: they stay the same.
            compiled = dispatcher.overloads[signature.args]
            placed = SimpleNamespace(fndesc=compiled.fndesc, library=_Addresses(compiled.library))
            dispatcher.get_compile_result = lambda _signature: placed
            self._dispatchers[key] = dispatcher
        return self._dispatchers[key]

    def _type(self, argument: Any) -> Any:
        if isinstance(argument, Hook):
            return self._element(argument)
        if not isinstance(argument, np.ndarray):
            return self.numba.typeof(argument)
        flags = argument.flags
        key = (argument.dtype, argument.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned)
        if key not in self._types:
            self._types[key] = self.numba.typeof(argument)
        return self._types[key]

    def _element(self, kind: Any) -> Any:
        """The Numba type that stands for a record's dtype or a hook; Numba types stand for themselves."""
        if isinstance(kind, Hook):
            return self.numba.types.FunctionType(kind.returns(*(self._element(argument) for argument in kind.arguments)))
        if not isinstance(kind, np.dtype):
            return kind
        if kind not in self._types:
            self._types[kind] = self.numba.from_dtype(kind)
        return self._types[kind]

    def _compile(self, function: Callable[..., Any], signature: Any = None, **options: Any) -> Any:
        twin = FunctionType(function.__code__, self._linked(sys.modules[function.__module__]), function.__name__)
        twin.__qualname__, twin.__module__ = function.__qualname__, function.__module__
        options = {**OPTIONS, **options}
        with _no_collector():
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
                self._dispatchers[function] = self._compile(
                    function, forceinline=inside, pipeline_class=self._unit_compiler, no_cpython_wrapper=True, no_cfunc_wrapper=True
                )
        return self._dispatchers[function]


class _Addresses:
    """A library of native code that remembers where its functions lie."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._found: dict[str, int] = {}

    def get_pointer_to_function(self, name: str) -> int:
        """The address of a function."""
        if name not in self._found:
            self._found[name] = self._library.get_pointer_to_function(name)
        return self._found[name]


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
