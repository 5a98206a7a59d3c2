"""How units become native code: each is translated once, and everything that an entry reaches is optimised as one piece.

Not hardware. Left to itself, Numba makes every function ready to be called from Python: it gives it two wrappers, optimises it together
with all that it calls, and emits machine code. A unit is called by units only, so all that would be done again for each
caller, and its caller, up to the entry. Here a unit stops at LLVM's intermediate form, and the entry links the units that it reaches,
each once. That halves the time of a compilation, and the code is the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

from numba.core import cgutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.np import arrayobj


class UnitLibrary(JITCodeLibrary):
    """The intermediate form of one unit. It is never called from here, so there is nothing to finish."""

    def finalize(self) -> None:
        """Nothing more will be added."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0: there is no machine code."""
        return 0

    @property
    def codegen(self) -> Any:
        """The code generator, which is asked to tell the machine code of its Python environment: there is none."""
        return _NoEnvironment(self._codegen)


class _NoEnvironment:
    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Units use no Python objects."""


class EntryLibrary(JITCodeLibrary):
    """An entry with all the units that it reaches."""

    def finalize(self) -> None:
        """Link, optimise and emit."""
        # Users first: LLVM takes from a library only what is wanted so far.
        self._linking_libraries = list(_reached(self, set()))[::-1]
        super().finalize()


def _reached(library: Any, seen: set[int]) -> Iterator[Any]:
    """All libraries that one needs, those that others need first."""
    for needed in library._linking_libraries:
        if id(needed) not in seen:
            seen.add(id(needed))
            if isinstance(needed, UnitLibrary):
                yield from _reached(needed, seen)
            yield needed


class RareLibrary(UnitLibrary):
    """A unit that is seldom reached: it stays a function of its own, out of the way of those that call it."""

    def add_ir_module(self, module: Any) -> None:
        """The unit's intermediate form."""
        for function in module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
                function.attributes.add("cold")
        super().add_ir_module(module)


class UnitCompiler(Compiler):
    """Numba's compiler for a unit."""

    def define_pipelines(self) -> Any:
        """As Numba's, into a `UnitLibrary`."""
        return _into(UnitLibrary, self.state, super().define_pipelines())


class RareCompiler(Compiler):
    """Numba's compiler for a unit that is seldom reached."""

    def define_pipelines(self) -> Any:
        """As Numba's, into a `RareLibrary`."""
        return _into(RareLibrary, self.state, super().define_pipelines())


class LanewiseCompiler(UnitCompiler):
    """Numba's compiler for a unit whose arrays do not overlap where it writes."""

    def define_pipelines(self) -> Any:
        """As for any unit."""
        self.state.flags.noalias = True
        return super().define_pipelines()


class EntryCompiler(Compiler):
    """Numba's compiler for an entry, or for a function that is handed to one as a pointer."""

    def define_pipelines(self) -> Any:
        """As Numba's, into an `EntryLibrary`."""
        return _into(EntryLibrary, self.state, super().define_pipelines())


def _into(kind: type[Any], state: Any, pipelines: Any) -> Any:
    state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    state.library.enable_object_caching()
    return pipelines


def _plain_index(context: Any, builder: Any, kind: Any, index: Any, _size: Any) -> Any:
    """An index as it stands. Numba's own form of it counts a negative one from the end, which takes three instructions."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


def _plain_slot(builder: Any, kind: Any, size: Any = None, name: str = "", zfill: bool = False) -> Any:
    """A place on the stack. Numba's own is filled with zeros whenever its function is entered, needed or not."""
    with builder.goto_entry_block():
        place = builder.alloca(kind, size=size, name=name)
    if zfill:
        builder.store(kind(None), place)
    return place


@contextlib.contextmanager
def rules_of_units() -> Iterator[None]:
    """What holds while units are translated: no index is negative, and no variable is read before it is written."""
    with mock.patch.object(arrayobj, "fix_integer_index", _plain_index), mock.patch.object(cgutils, "alloca_once", _plain_slot):
        yield
