"""Compiling a kernel: from a Python function and the kinds of its arguments to a Program that waits for a launch."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

import numpy as np

from warploom.compiler.allocate import OutOfRegisters
from warploom.compiler.compiler import MOST_REGISTERS, Compiled, compile_function
from warploom.isa.diagnostics import Diagnostic, SourceError
from warploom.isa.host.collector import no_collector
from warploom.isa.language import Language
from warploom.isa.launch import Launch
from warploom.isa.program import Position, Program
from warploom.kernel.launch.arguments import Prepared
from warploom.kernel.launch.notes import deliver
from warploom.kernel.launch.signature import ArgumentError, Parameters, words_of
from warploom.kernel.names import everything
from warploom.kernel.syntax.carried import say_missed
from warploom.kernel.syntax.translator import MOST_NODES, Resources, TooMuch, Translator
from warploom.kernel.syntax.tree import text_of
from warploom.kernel.syntax.widening import Given
from warploom.result import Result

assert everything.TABLES
# What a `max_registers` below a kernel's least is raised to, in steps, as nvcc raises --maxrregcount (its manual): the last is the most.
RAISED = (8, 16, 24, 32, 64, 128, MOST_REGISTERS)

MOST_STATIC_SHARED = 48 * 1024  # bytes; CUDA C++ Programming Guide, technical specifications, all compute capabilities

DEEPEST = 16_000  # calls within calls: an `elif` takes six

LANGUAGE = Language(
    barrier="cuda.syncthreads()", guard="if i < array.size", python=True, sets_variables=True, harmless_reads=True, free_lanes=True
)


@dataclass(frozen=True)
class Built:
    """A compiled kernel. program: without views and launch. views: names of its arrays, in the order of Program.views.

    captured: arrays in the device's memory that the kernel names and that are none of its arguments; they follow those.
    """

    program: Program
    views: tuple[str, ...]
    resources: Resources
    warnings: tuple[Diagnostic, ...]
    compiled: Compiled
    captured: tuple[Any, ...] = ()

    def launched(self, prepared: Prepared, grid: tuple[int, ...], block: tuple[int, ...], shared: int, name: str) -> Program:
        """The program with its arguments and its grid."""
        fixed = -(-self.resources.shared_bytes // 16) * 16
        if fixed > MOST_STATIC_SHARED:
            raise ArgumentError(
                f"{name} has {fixed} bytes of static shared memory, and a kernel may have {MOST_STATIC_SHARED}: ask for dynamic shared "
                f"memory, cuda.shared.array(0, ...) and {name}[grid, block, stream, bytes]"
            )
        words = [fixed, shared]
        for one, kind in zip(prepared.args, prepared.kinds, strict=True):
            words += words_of(one, kind, prepared.placed.get(id(one)), prepared.placed)
        launch = Launch(
            block=block if len(block) > 1 else block[0], grid=grid if len(grid) > 1 else grid[0], shared_bytes=fixed + shared,
            local_bytes=-(-self.compiled.local_bytes // 8) * 8, scalars=tuple(words), name=name,
        )  # fmt: skip
        return replace(self.program, launch=launch, **prepared.views(self.views))

    def delivered(self, result: Result) -> Exception | None:
        """Print what a launch has printed; the error that it has raised, or None."""
        return deliver(result, self.resources.notes)


@no_collector()
def build(function: Any, kinds: Sequence[Any], options: dict[str, Any], *, printing: bool = False) -> Built:
    """Compile a kernel for arguments of these kinds (`signature.kind_of`). Raises SourceError with all of its mistakes, NoSource."""
    wanted = options.get("max_registers")
    limits = (wanted, *(more for more in RAISED if wanted and more > wanted))
    for limit in limits:
        t, parameters, _ = _settled(function, kinds, options)
        try:
            found = compile_function(
                t.b.blocks, scalars=parameters.words, local_bytes=t.resources.local_bytes, max_registers=limit,
                contract=options.get("fma", True), printing=printing,
            )  # fmt: skip
        except OutOfRegisters as error:
            if limit == limits[-1]:
                _refuse(t, function, str(error), "make several kernels of it")
        else:
            break
    if limit != wanted:
        said = f"max_registers={wanted} is less than {function.__name__} can be compiled for: it has {limit}"
        t.found.warning(_beginning(function), said, fix=f"max_registers={limit}, or more")
    return Built(
        _program(t, function, found), tuple(parameters.views), t.resources, tuple(t.found.warnings), found,
        tuple(array for array, _ in parameters.captured.values()),
    )  # fmt: skip


def result_type(function: Any, kinds: Sequence[Any], name: str) -> np.dtype[Any]:
    """A variable's type at the end of a function of arguments of these kinds. Raises SourceError, NoSource, TypeError for no number."""
    _, _, variables = _settled(function, kinds, {})
    found = getattr(getattr(variables[name], "type", None), "dtype", None)
    if found is None:
        raise TypeError(f"{name} is not a number")
    return np.dtype(found)


@contextmanager
def _deep() -> Iterator[None]:
    """More calls within calls than Python allows on its own: a branch of a chain of `elif` lies within all before it. Calls of functions in
    Python take no room of the host's stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _settled(function: Any, kinds: Sequence[Any], options: dict[str, Any]) -> tuple[Translator, Parameters, dict[str, Any]]:
    """The translation in which the types of all loops' variables are known, its parameters, and the variables at its end.

    Each attempt before it has learned a type, or one that looks at more comes next; and types only become wider, of a limited number of
    variables: there is a last one.
    """
    types: dict[Any, Any] = {}
    given: Given = {}
    thorough = False
    while True:
        t = Translator([], types, options, thorough, given)
        try:
            with _deep():
                parameters, variables = _translate(t, function, kinds)
        except RecursionError:
            _refuse(t, function, "its expressions, statements and functions are nested too deep", "write parts of it one after the other")
        except TooMuch as error:
            place = Position(error.at.line, error.at.column, error.at.file)
            most = f"{MOST_NODES:_}".replace("_", " ")
            much = f"what is unrolled and inlined in {function.__name__} comes to more than {most} expressions, the last of them here"
            t.found.error(place, much, error.at.length, "loop over range(...), not over a tuple, or call fewer functions")
            raise SourceError(t.found.errors, *t.sources) from None
        if t.learned or t.left_out:
            thorough = not t.learned
            continue
        say_missed(t)
        t.found.raise_if_errors()
        assert not (t.missed or t.problems or t.waited or t.guessed)  # else a statement was left out, and nothing said of it
        return t, parameters, variables


def _refuse(t: Translator, function: Any, message: str, fix: str) -> NoReturn:
    """A mistake of a kernel as a whole, at its beginning. Raises SourceError."""
    t.found.error(_beginning(function), message, fix=fix)
    raise SourceError(t.found.errors, *t.sources)


def _beginning(function: Any) -> Position:
    """Where a function's text begins."""
    text = text_of(function)
    return Position(text.node.lineno + text.line, text.node.col_offset + text.column + 1)


def _translate(t: Translator, function: Any, kinds: Sequence[Any]) -> tuple[Parameters, dict[str, Any]]:
    frame = t.enter(function, {}, ())
    t.frames.append(frame)
    t.b.at = t.where(frame.text.node)
    parameters = Parameters()
    t.capture = partial(parameters.capture, t)
    names = list(inspect.signature(function).parameters)
    variadic = [one.name for one in inspect.signature(function).parameters.values() if one.kind is inspect.Parameter.VAR_POSITIONAL]
    given = [parameters.value(t, kind, names[min(place, len(names) - 1)]) for place, kind in enumerate(kinds)]
    plain = len(names) - len(variadic)
    frame.env.update(zip(names, given, strict=False))
    if variadic:
        frame.env[variadic[0]] = tuple(given[plain:])
    frame.local |= set(frame.env)
    t.statements(frame.text.body)
    t.b.exit()
    t.frames.pop()
    return parameters, frame.env


def _program(t: Translator, function: Any, found: Compiled) -> Program:
    uops, code, text = found.builder.arrays()
    return Program(
        "python", function.__name__, uops, code, text, found.registers, tuple(f"v{number}" for number in range(found.registers)),
        sources=tuple(t.sources), scalars=found.scalars, scalar_names=tuple(f"s{number}" for number in range(found.scalars)),
        constants=np.frombuffer(bytes(t.resources.constants), np.uint8), statements=True, language=LANGUAGE,
        variables=found.variables,
        shared_arrays=tuple((name, begin, shape) for (space, begin), (name, shape) in t.resources.arrays.items() if space == "shared"),
    )  # fmt: skip
