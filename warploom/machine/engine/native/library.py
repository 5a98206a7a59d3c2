"""How units become native code: each is translated once, and everything that an entry reaches is optimised as one piece.

Not hardware. Left to itself, Numba makes every function ready to be called from Python: it gives it two wrappers, optimises it together
with all that it calls, and emits machine code. A unit is called by units only, so all that would be done again for each
caller, and its caller, up to the entry. Here a unit stops at LLVM's intermediate form, and the entry links the units that it reaches,
each once. Of Numba's thirty passes a unit takes eight. Together that makes compiling three times as fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite.binding import create_pass_builder, create_pipeline_tuning_options
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import NativeLowering, NoPythonBackend, NopythonTypeInference, PreLowerStripPhis
from numba.core.untyped_passes import FixupArgs, ReconstructSSA, TranslateByteCode


class UnitLibrary(JITCodeLibrary):
    """The intermediate form of one unit. It is never called from here, so there is nothing to finish."""

    def finalize(self) -> None:
        """Nothing more will be added."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0: there is no machine code."""
        return 0

    def _optimize_functions(self, ll_module: Any) -> None:
        """Not here: the entry that links a unit optimises it with all others."""
        ll_module.data_layout = self._codegen._data_layout

    @property
    def codegen(self) -> Any:
        """The code generator, which would link the machine code to its Python environment: there is none."""
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

    def add_ir_module(self, module: Any) -> None:
        """The entry's own intermediate form."""
        self._seen_from_outside = {function.name for function in module.functions if not function.is_declaration}
        super().add_ir_module(module)

    def finalize(self) -> None:
        """Link, optimise and emit."""
        # Users first: LLVM takes from a library only what is wanted so far.
        self._linking_libraries = list(_reached(self, set()))[::-1]
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Once. Numba does it twice, the first time for the counting of references, of which there are none.

        Loops over lanes are short: several vectors a round, as LLVM would have them, leave more of them to what follows the loop.
        Nobody else calls the units of a piece, so LLVM may leave out what they are handed and give back for nothing: the code of a core's
        step, which a host's first cache hardly holds, is a seventh smaller.
        """
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in self._seen_from_outside:
                function.linkage = "internal"
        options = create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization, options.slp_vectorization, options.loop_interleaving = True, False, False
        options.loop_unrolling = False
        builder = create_pass_builder(self._codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)


def _reached(library: Any, seen: set[int]) -> Iterator[Any]:
    """All libraries that one needs, those that others need first."""
    for needed in library._linking_libraries:
        if id(needed) not in seen:
            seen.add(id(needed))
            if isinstance(needed, UnitLibrary):
                yield from _reached(needed, seen)
            yield needed


class OutOfLineLibrary(UnitLibrary):
    """A unit that is seldom reached: it stays a function of its own, out of the way of those that call it."""

    def add_ir_module(self, module: Any) -> None:
        """The unit's intermediate form."""
        for function in module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
                function.attributes.add("cold")
        super().add_ir_module(module)


class UnitPasses(PassManager):
    """What Numba does with a unit: read its bytecode, find the types, and write LLVM's intermediate form.

    What it would do besides is for what units have not: closures, exceptions, parallel loops, array expressions, references that are
    counted. Nor is the result of each pass checked.
    """

    PASSES = (
        TranslateByteCode,
        FixupArgs,
        ReconstructSSA,  # a variable may have different types in different places
        NopythonTypeInference,
        PreLowerStripPhis,
        NativeLowering,
        NoPythonBackend,
    )

    def __init__(self) -> None:
        super().__init__("unit")
        for kind in self.PASSES:
            self.add_pass(kind, kind.name())
        self.finalize()

    def _runPass(self, _index: int, step: Any, state: Any) -> None:
        step.run_pass(state)


class UnitCompiler(Compiler):
    """Numba's compiler for a unit. library: where its result goes."""

    library = UnitLibrary

    def define_pipelines(self) -> list[PassManager]:
        """Numba asks for this."""
        _into(self.library, self.state)
        self.state.type_annotation = ""  # for people
        return [UnitPasses()]


class OutOfLineCompiler(UnitCompiler):
    """Numba's compiler for a unit that is seldom reached."""

    library = OutOfLineLibrary


class LanewiseCompiler(UnitCompiler):
    """Numba's compiler for a unit whose arrays do not overlap where it writes."""

    def define_pipelines(self) -> list[PassManager]:
        """As for any unit."""
        self.state.flags.noalias = True
        return super().define_pipelines()


class EntryCompiler(UnitCompiler):
    """Numba's compiler for an entry, or for a function that is handed to one as a pointer."""

    library = EntryLibrary


class UsersCompiler(Compiler):
    """Numba's compiler for a function of the user's, which may hold what units do not."""

    library: type[JITCodeLibrary] = UnitLibrary

    def define_pipelines(self) -> Any:
        """As Numba's."""
        _into(self.library, self.state)
        return super().define_pipelines()


class PlugCompiler(UsersCompiler):
    """Numba's compiler for what calls one, and is called by a symbol."""

    library = EntryLibrary


def _into(kind: type[Any], state: Any) -> None:
    state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    state.library.enable_object_caching()
