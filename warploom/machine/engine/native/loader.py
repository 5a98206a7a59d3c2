"""Native code: where it is kept, how it is loaded, and how it is called.

Not hardware: the faster of the two ways in which units run (unit.py). How it is made is in compiler.py.

A *piece* is the machine code of one function, an entry or one that is handed over by pointer, with all the units that it reaches. Each is
a file in the cache: an object file as a compiler writes it, after a line with its name and its digest. Loading one takes LLVM's linker
two milliseconds and no Numba, which alone would take half a second to get ready.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.host.user_cache import read
from warploom.machine.engine.native.cache import cache_directory, fits_directory, keep, touch, untrusted
from warploom.machine.engine.native.piece import ANY, Bundle, Fit, Hook, Piece, Plug, entry_hook, is_ours, kind_name, plugs_of, swaps_name
from warploom.machine.engine.native.plug import Mailbox
from warploom.machine.engine.swaps import Socket, Swaps


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
        self._plugs: dict[Plug, int] = {}
        self._bundles: dict[type[Bundle], Bundle] = {}
        self._compilers: dict[tuple[Swaps, Fit], Any] = {}
        self._mailbox = Mailbox()
        self.untrusted = untrusted()  # why the cache is not used, or ""
        self.not_kept = ""  # why something that was compiled could not be written to it, or ""
        if not self.untrusted:
            touch()

    def entry(self, function: Callable[..., Any], arguments: Iterable[Any], swaps: Swaps = (), fit: Fit = ANY) -> Callable[..., Any]:
        """The native form of `function` for arguments like these: arrays, numbers, and `Bundle`s of arrays or of `Hook`s.

        The callable takes such arguments, or what `place` makes of them, which it need not examine again at every call.
        """
        arguments = tuple(arguments)
        self.declare_units(arguments)
        hook = entry_hook(function, arguments, swaps, fit)
        address, returns = self.pointer(hook), self._pieces[hook].returns
        result = np.zeros(1, returns or np.int64)
        error = ctypes.c_void_p()
        start = [result.ctypes.data_as(ctypes.c_void_p), ctypes.byref(error)]
        # Numba's own way to call: result and error through pointers, then the words of the arguments; 0 when all went well.
        call = ctypes.CFUNCTYPE(ctypes.c_int32)(address)

        def run(*given: Any) -> Any:
            placed = [self.place(argument) for argument in given]
            if call(*start, *(word for argument in placed for word in argument.words)) != 0:
                if mistake := self._mailbox.mistake_of(error.value):
                    raise mistake
                raise RuntimeError(f"{function.__name__} has raised an exception in native code")
            return result[0].item() if returns else None

        return run

    def declare_units(self, arguments: Iterable[Any]) -> None:
        """Say which bundles a run works with, before any of their hooks is compiled."""
        for argument in arguments:
            if isinstance(argument, Bundle):
                self._bundles[type(argument)] = argument

    def place(self, argument: Any) -> Placed:
        """An argument as words; the hooks of a bundle are loaded."""
        if isinstance(argument, Placed):
            return argument
        if isinstance(argument, Bundle):
            members = argument.members()
            words = np.zeros((len(members), 2), np.int64)
            for row, (name, member) in zip(words, members.items(), strict=True):
                if isinstance(member, Hook):
                    row[0] = self.pointer(member)
                elif member is not None:
                    columns = argument.layout[name][1]
                    if columns and member.shape[1] != columns:  # code would find its rows elsewhere
                        raise TypeError(f"{type(argument).__name__}.{name} has {member.shape[1]} columns, and its layout says {columns}")
                    row[:] = member.ctypes.data, len(member)
            return Placed([ctypes.c_void_p(words.ctypes.data)], (words, argument))
        if isinstance(argument, np.void):
            whole: Any = argument.base  # which says where it lies without describing all of its fields
            if isinstance(whole, np.ndarray) and whole.size == 1 and whole.dtype == argument.dtype:
                return Placed([ctypes.c_void_p(whole.ctypes.data)], argument)
            return Placed([ctypes.c_void_p(argument.__array_interface__["data"][0])], argument)
        if isinstance(argument, np.ndarray):
            shape = [argument.size, argument.itemsize, argument.ctypes.data, *argument.shape, *argument.strides]
            return Placed([ctypes.c_void_p(0), ctypes.c_void_p(0), *(ctypes.c_int64(word) for word in shape)], argument)
        value = np.asarray(argument)
        return Placed([np.ctypeslib.as_ctypes_type(value.dtype)(value.item())], None)

    def pointer(self, hook: Hook) -> int:
        """Where the native form of a hook lies, which is made if need be."""
        if hook not in self._addresses:
            if isinstance(hook.function, Socket):
                self._addresses[hook] = self._plugged(Plug(hook.function, 0))
                return self._addresses[hook]
            for plug in plugs_of(hook):  # first: to compile a piece is to load it into Numba's own memory, too
                self._llvm.add_symbol(plug.symbol, self._plugged(plug))
            self._pieces[hook] = piece = self._piece(hook)
            self._addresses[hook] = self._load(piece)
        return self._addresses[hook]

    def compile_users(self, arguments: Iterable[Any], hooks: Iterable[Hook]) -> None:
        """Compile the user's own functions among these arguments, and those that hooks call. Raises UnitError for one with a mistake."""
        members = [one for argument in arguments if isinstance(argument, Bundle) for one in argument.members().values()]
        for member in members:
            if isinstance(member, Hook) and isinstance(member.function, Socket):
                self.pointer(member)
        for hook in hooks:
            for plug in plugs_of(hook):
                self._plugged(plug)

    def _plugged(self, plug: Plug) -> int:
        """Where the native form of a user's function lies. It is compiled anew in each process: nobody says what else it depends on."""
        if plug not in self._plugs:
            self._plugs[plug] = self._load(self._compiler((), ANY).compile_plug(plug, self._mailbox))
        return self._plugs[plug]

    def _load(self, piece: Piece) -> int:
        """Put a piece into memory; its address."""
        # An engine for each piece: names of one need not differ from those of another.
        engine = self._llvm.create_mcjit_compiler(self._llvm.parse_assembly(""), self._target.create_target_machine())
        engine.add_object_file(self._llvm.ObjectFileRef.from_data(piece.code))
        engine.finalize_object()
        self._engines.append(engine)
        return int(engine.get_function_address(piece.symbol))

    def is_compiled(self, hook: Hook) -> bool:
        """Whether a hook lies in the cache, or has been loaded already."""
        return hook in self._addresses or (not self.untrusted and self._file(hook).exists())

    def file_name(self, hook: Hook) -> str:
        """What the file of a piece is called, without its ending."""
        return self._file(hook).stem

    def _piece(self, hook: Hook) -> Piece:
        """From the cache, or compiled."""
        if self.untrusted:
            return self._compile(hook)
        path = self._file(hook)
        with contextlib.suppress(OSError, ValueError):
            found = Piece.read(read(path))
            if hook.fit.is_of_one:
                touch(path)
            return found
        piece = self._compile(hook)
        self.not_kept = keep(path, piece.written()) or self.not_kept
        return piece

    def _compile(self, hook: Hook) -> Piece:
        compiled: Piece = self._compiler(hook.swaps, hook.fit).compile(hook, self._bundles.values())
        return compiled

    def _compiler(self, swaps: Swaps, fit: Fit) -> Any:
        """What makes pieces with these swaps, for some machines or for all."""
        if (swaps, fit) not in self._compilers:
            from warploom.machine.engine.native.compiler import Compiler

            self._compilers[swaps, fit] = Compiler(swaps, fit)
        return self._compilers[swaps, fit]

    def _file(self, hook: Hook) -> Path:
        function, digest = hook.function, hashlib.sha256(self._processor.encode())
        for kind in (hook.returns, *hook.arguments):
            digest.update(kind_name(kind).encode())
        if not is_ours(function):
            digest.update(Path(function.__code__.co_filename).read_bytes() + function.__code__.co_code)
        digest.update(swaps_name(hook.swaps).encode())
        digest.update(repr(hook.fit.known).encode())
        place = fits_directory() if hook.fit.is_of_one else cache_directory()
        return place / f"{function.__module__}.{function.__qualname__}.{digest.hexdigest()[:16]}.piece"


@lru_cache(maxsize=1)
def native() -> Native:
    """The process's native code."""
    return Native()
