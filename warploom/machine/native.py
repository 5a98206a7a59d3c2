"""Native code: where it is kept, how it is loaded, and how it is called.

Not hardware: the faster of the two ways in which units run (engine.py). How it is made is in native_compiler.py.

A *piece* is the machine code of one function, an entry or one that is handed over by pointer, with all the units that it reaches. Each is
a file in the cache: an object file as a compiler writes it, behind a line with its name and its digest. Loading one takes LLVM's linker
two milliseconds and no Numba, which alone would take half a second to get ready.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from warploom.machine.tables import Tables, Units

FORGET_SECONDS = 30 * 86400  # after which native code of another version that nobody has used is deleted


class Array(NamedTuple):
    """The kind of an argument that is an array."""

    dtype: np.dtype
    dimensions: int = 1
    order: str = "C"  # C, F, or A: neither
    writeable: bool = True
    aligned: bool = True


class Hook(NamedTuple):
    """A function handed to native code as a pointer: its callers are not recompiled when it changes.

    returns, arguments: of each its kind: a dtype (of a record: one of them), an `Array`, `Tables` or `Units`; None for no result.
    """

    function: Callable[..., Any]
    returns: Any
    arguments: tuple[Any, ...]


class Piece(NamedTuple):
    """The machine code of one function. returns: the NumPy name of its result's type; "" when it has none."""

    symbol: str
    returns: str
    code: bytes

    def written(self) -> bytes:
        """As a file."""
        return f"{self.symbol} {self.returns} {hashlib.sha256(self.code).hexdigest()}\n".encode() + self.code

    @staticmethod
    def read(data: bytes) -> Piece:
        """Of a file. Raises ValueError for one that is not whole: the linker would trust it, and crash."""
        head, code = data.split(b"\n", 1)
        symbol, returns, digest = head.decode().split(" ")
        if hashlib.sha256(code).hexdigest() != digest:
            raise ValueError("the piece is not whole")
        return Piece(symbol, returns, code)


# ---- the cache


def cache_directory() -> Path:
    """Where native code is kept: below `$WARPLOOM_CACHE`, else the user's cache directory; one directory for each version."""
    home = os.environ.get("WARPLOOM_CACHE")
    base = Path(home) if home else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "warploom"
    return base / _cache_key()


@lru_cache(maxsize=1)
def _cache_key() -> str:
    from importlib.metadata import version

    package = Path(__file__).parent.parent
    digest = hashlib.sha256("|".join([sys.version, *(version(name) for name in ("numpy", "numba", "llvmlite"))]).encode())
    for path in files_of_units():
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


MARKS = "unit|part|lanewise|rare|record|native_twin"
MAKES_UNITS = re.compile(rf"^from warploom\.machine\.engine import (?:\([^)]*|.*)\b(?:{MARKS})\b", re.MULTILINE)
IMPORTS = re.compile(r"^(?:from (warploom[\w.]*) import|import (warploom[\w.]*))", re.MULTILINE)


def files_of_units() -> list[Path]:
    """The files on which native code depends: those of units, those that they take constants from, and the compiler's.

    A change of any other file, a report's or a preset's, leaves what is compiled as it is.
    """
    root = Path(__file__).parents[2]
    machine = Path(__file__).parent
    waiting = [path for path in machine.glob("**/*.py") if path.name.startswith("native") or MAKES_UNITS.search(path.read_text())]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for names in IMPORTS.findall(path.read_text()):
            module = root.joinpath(*(names[0] or names[1]).split("."))
            waiting += [file for file in (module.with_suffix(".py"), module / "__init__.py") if file.exists()]
    return sorted(found)


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


def _write(path: Path, data: bytes) -> None:
    """Write a file at once, so that no other process ever reads half of it. Where nothing can be written, the next run compiles again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(data)
        part.replace(path)


# ---- loading and calling


class Placed(NamedTuple):
    """An argument as native code takes it: its words, and what has to stay in memory as long as they are in use."""

    words: list[Any]
    keeps: Any


class Native:
    """Loads pieces, and has those compiled that are not there yet. One object a process is enough: `native()`."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._llvm, self._target = llvm, llvm.Target.from_triple(llvm.get_process_triple())
        # Machine code is for one make of processor; Numba knows the first two from the environment.
        self._processor = os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name()
        self._processor += os.environ.get("NUMBA_CPU_FEATURES") or llvm.get_host_cpu_features().flatten()
        self._engines: list[Any] = []  # their code stays in memory as long as they live
        self._pieces: dict[Hook, Piece] = {}
        self._addresses: dict[Hook, int] = {}
        self._units = Units()
        self._compiler: Any = None
        _touch(cache_directory())

    def entry(self, function: Callable[..., Any], arguments: Iterable[Any]) -> Callable[..., Any]:
        """The native form of `function` for arguments like these: arrays, numbers, `Tables`, and `Units` of `Hook`s.

        The callable takes such arguments, or what `place` makes of them, which it need not look at again at every call.
        """
        arguments = tuple(arguments)
        self.know(arguments)
        hook = entry_hook(function, arguments)
        address, returns = self.pointer(hook), self._pieces[hook].returns
        result = np.zeros(1, returns or np.int64)
        error = ctypes.c_void_p()
        start = [result.ctypes.data_as(ctypes.c_void_p), ctypes.byref(error)]
        # Numba's own way to call: result and error through pointers, then the words of the arguments; 0 when all went well.
        call = ctypes.CFUNCTYPE(ctypes.c_int32)(address)

        def run(*given: Any) -> Any:
            placed = [self.place(argument) for argument in given]
            if call(*start, *(word for argument in placed for word in argument.words)) != 0:
                raise RuntimeError(f"{function.__name__} has raised an exception in native code")
            return result[0].item() if returns else None

        return run

    def know(self, arguments: Iterable[Any]) -> None:
        """Look at the `Units` that a run works with, before any is compiled."""
        for argument in arguments:
            if isinstance(argument, Units):
                self._units = argument

    def place(self, argument: Any) -> Placed:
        """An argument as words; the hooks of a bundle are loaded."""
        if isinstance(argument, Placed):
            return argument
        if isinstance(argument, Tables | Units):
            words = np.zeros((len(argument), 2), np.int64)
            for row, member in zip(words, argument, strict=True):
                if isinstance(member, Hook):
                    row[0] = self.pointer(member)
                elif member is not None:
                    row[:] = member.ctypes.data, len(member)
            return Placed([ctypes.c_void_p(words.ctypes.data)], (words, argument))
        if isinstance(argument, np.void):
            return Placed([ctypes.c_void_p(argument.__array_interface__["data"][0])], argument)
        if isinstance(argument, np.ndarray):
            shape = [argument.size, argument.itemsize, argument.ctypes.data, *argument.shape, *argument.strides]
            return Placed([ctypes.c_void_p(0), ctypes.c_void_p(0), *(ctypes.c_int64(word) for word in shape)], argument)
        value = np.asarray(argument)
        return Placed([np.ctypeslib.as_ctypes_type(value.dtype)(value.item())], None)

    def pointer(self, hook: Hook) -> int:
        """Where the native form of a hook lies, which is made if need be."""
        if hook not in self._addresses:
            self._pieces[hook] = piece = self._piece(hook)
            # An engine for each piece: names of one need not differ from those of another.
            engine = self._llvm.create_mcjit_compiler(self._llvm.parse_assembly(""), self._target.create_target_machine())
            engine.add_object_file(self._llvm.ObjectFileRef.from_data(piece.code))
            engine.finalize_object()
            self._engines.append(engine)
            self._addresses[hook] = engine.get_function_address(piece.symbol)
        return self._addresses[hook]

    def is_compiled(self, hook: Hook) -> bool:
        """Whether a hook lies in the cache."""
        return self._file(hook).exists()

    def _piece(self, hook: Hook) -> Piece:
        """A user's own function is compiled anew in each process: nobody says what else it depends on."""
        if not made_of_units(hook):
            return self._compile(hook)
        path = self._file(hook)
        with contextlib.suppress(OSError, ValueError):
            return Piece.read(path.read_bytes())
        piece = self._compile(hook)
        _write(path, piece.written())
        return piece

    def _compile(self, hook: Hook) -> Piece:
        if self._compiler is None:
            from warploom.machine.native_compiler import Compiler

            self._compiler = Compiler()
        compiled: Piece = self._compiler.compile(hook, self._units)
        return compiled

    def _file(self, hook: Hook) -> Path:
        function, digest = hook.function, hashlib.sha256(self._processor.encode())
        for kind in (hook.returns, *hook.arguments):
            digest.update(_kind_name(kind).encode())
        if not is_ours(function):
            digest.update(Path(function.__code__.co_filename).read_bytes() + function.__code__.co_code)
        return cache_directory() / f"{function.__module__}.{function.__qualname__}.{digest.hexdigest()[:16]}.piece"


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether a function is the simulator's own."""
    return function.__module__.startswith("warploom.")


def made_of_units(hook: Hook) -> bool:
    """Whether a hook is compiled by the rules of units and kept: one of the simulator's own, or an entry."""
    return is_ours(hook.function) or hook.returns is ...


def entry_hook(function: Callable[..., Any], arguments: Iterable[Any]) -> Hook:
    """An entry for arguments like these: what it returns is found out when it is compiled."""
    return Hook(function, ..., tuple(kind_of(argument) for argument in arguments))


@cache
def _kind_name(kind: Any) -> str:
    if isinstance(kind, Array):
        return f"array {_kind_name(kind.dtype)} {kind[1:]}"
    if isinstance(kind, np.dtype):
        return hashlib.sha256(str(kind).encode()).hexdigest() if kind.names else kind.str
    return kind.__name__ if isinstance(kind, type) else str(kind)


def kind_of(argument: Any) -> Any:
    """The kind of an argument."""
    if isinstance(argument, Tables | Units):
        return type(argument)
    if not isinstance(argument, np.ndarray):
        return argument.dtype if isinstance(argument, np.void) else np.asarray(argument).dtype
    flags = argument.flags
    order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return Array(argument.dtype, argument.ndim, order, flags.writeable, flags.aligned)


@lru_cache(maxsize=1)
def native() -> Native:
    """The process's native code."""
    return Native()


def is_loaded() -> bool:
    """Whether this process has begun to use native code, so that a run has next to nothing to load."""
    return native.cache_info().currsize > 0
