"""From a kernel of a module to a Program, and from that to one with a launch."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from warploom.checks.report.places import Asking, Names
from warploom.compiler import ssa
from warploom.compiler.compiler import Compiled, compile_function
from warploom.isa.diagnostics import Diagnostics, SourceError
from warploom.isa.host.collector import no_collector
from warploom.isa.launch import Launch
from warploom.isa.program import Position, Program, Source
from warploom.isa.reading import regular_text
from warploom.isa.variables import Variables
from warploom.ptx import calls, floats, memory, video, warps
from warploom.ptx.debug.marks import MARK, Bindings, described
from warploom.ptx.graph import Graph, graph_of
from warploom.ptx.inline import Refused, inlined, names_in
from warploom.ptx.integers import CARRY, Rule
from warploom.ptx.module import BYTES, WITHOUT_RESULT, Function, Instruction, Memory, Module, Name, Place, Vector, shown_name
from warploom.ptx.printing import printed
from warploom.ptx.recursion import STACK_BYTES
from warploom.ptx.translation import FLOAT_TYPES, HIDDEN_WORDS, Translation, base_of
from warploom.result import Result

RULES: dict[str, Rule] = {**floats.RULES, **video.RULES, **memory.RULES, **warps.RULES, **calls.RULES}
# Instructions that become a selection under a predicate: they only compute.
SELECTED = frozenset((*floats.RULES, *video.RULES))
CARRIES = ("addc", "subc", "madc")


@dataclass(frozen=True)
class Built:
    """A kernel that is compiled. program: without a launch. notes: what it prints, by number. questions: what it asks for checks."""

    function: Function
    program: Program
    compiled: Compiled
    notes: tuple[Any, ...]
    shared_bytes: int
    in_scalars: bool
    in_constants: bool
    questions: tuple[tuple[int, str], ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def registers(self) -> int:
        """Registers of a thread, as an occupancy calculation counts them."""
        return self.program.registers

    @property
    def local_bytes(self) -> int:
        """Local memory of a thread."""
        return -(-self.compiled.local_bytes // 8) * 8

    def launch(self, grid: tuple[int, ...], block: tuple[int, ...], parameters: bytes, dynamic_shared: int = 0) -> Program:
        """The program with its grid and its parameters. Raises ValueError for parameters of another size."""
        wanted = self.function.parameter_bytes
        if len(parameters) != wanted:
            raise ValueError(f"{self.function.name} has {wanted} bytes of parameters, {len(parameters)} are given")
        fixed = -(-self.shared_bytes // 16) * 16
        words = np.frombuffer(parameters.ljust(-(-wanted // 4) * 4, b"\0"), np.uint32).tolist()
        extra: dict[str, Any] = {}
        if self.in_constants:
            extra["constants"] = np.frombuffer(parameters.ljust(-(-wanted // 8) * 8, b"\0"), np.uint8)
        if not self.in_scalars:
            words = []
        launch = Launch(
            block=_trimmed(block), grid=_trimmed(grid), shared_bytes=fixed + dynamic_shared, local_bytes=self.local_bytes,
            scalars=(fixed, dynamic_shared, *words), name=self.program.name,
        )  # fmt: skip
        if isinstance(launch.block, tuple) and not isinstance(launch.grid, tuple):
            launch = replace(launch, grid=_padded(grid, len(launch.block)))
        program = replace(self.program, launch=launch, **extra)
        if not self.questions:
            return program
        own = {one.name: getattr(program, one.name) for one in fields(program) if one.init}
        return Asking(**own, names=Names(questions=self.questions))

    def printed(self, result: Result, string: Callable[[int], str] = hex) -> str:
        """What printf has printed in a run. string: the text at an address of the device's memory."""
        return printed(result, self.notes, string)


def _trimmed(extents: tuple[int, ...]) -> Any:
    one = tuple(extents)
    while len(one) > 1 and one[-1] == 1:
        one = one[:-1]
    return one if len(one) > 1 else one[0]


def _padded(extents: tuple[int, ...], count: int) -> tuple[int, ...]:
    return (*extents, 1, 1, 1)[: max(count, 1)]


@no_collector()
def compile_kernel(
    module: Module,
    name: str,
    addresses: Mapping[str, int],
    sources: Callable[[str], str | None],
    stack_bytes: int = STACK_BYTES,
    checked: bool = False,
) -> Built:
    """Compile a kernel. addresses: of the module's variables. sources: the text of a file, None where it cannot be had.
    stack_bytes: of a thread, for functions that call themselves. checked: it asks what `warploom check` has to be told of.

    Raises SourceError with every instruction that is not there yet, at the line of the source that it comes from.
    """
    texts = _Texts(module, sources)
    try:
        kernel = inlined(module, module.kernels[name], frozenset(one for one in module.functions if calls.stays(one)), stack_bytes)
        texts.meet(kernel)
        t = Translation(module, kernel, addresses)
        t.checked = checked
        graph = graph_of(kernel, lambda one: one.op in SELECTED, lambda one: sides(t, one))
        problems = _Walk(t, graph, texts).walk()
    except Refused as refused:
        problems = [refused]
    if problems:
        raise texts.error(name, problems)
    scalars = HIDDEN_WORDS + (t.words if t.in_scalars else 0)
    found = compile_function(t.b.blocks, scalars=scalars, local_bytes=t.local_bytes, contract=False, dense=True)
    uops, code, text = found.builder.arrays()
    program = Program(
        "ptx", shown_name(name), uops, code, text, found.registers, tuple(f"v{n}" for n in range(found.registers)), sources=texts.sources(),
        scalars=found.scalars, scalar_names=tuple(f"s{n}" for n in range(found.scalars)), statements=True,
        variables=_kinds(found.variables, kernel),
        shared_arrays=tuple((one.name, t.shared[one.symbol], one.shape) for one in described(kernel).arrays if one.symbol in t.shared),
    )  # fmt: skip
    return Built(kernel, program, found, tuple(t.notes), t.shared_bytes, t.in_scalars, t.in_constants, tuple(t.questions))


def _kinds(variables: Variables, kernel: Function) -> Variables:
    """Variables, of which the parameters are read as the source declares them."""
    kinds = {one.name: one.kind for one in described(kernel).pieces}
    return replace(variables, given=tuple(one._replace(kind=kinds.get(one.name, one.kind)) for one in variables.given))


class _Texts:
    """The source files that instructions come from, in the order in which they are met."""

    def __init__(self, module: Module, read: Callable[[str], str | None]) -> None:
        self.module, self.read = module, read
        self.names: dict[str, str] = {}  # a file has several: its path in full, and the one that the compiler was given
        self.found: dict[str, int] = {}
        self.kept: list[Source] = []

    def meet(self, kernel: Function) -> None:
        """Find out whether a kernel has a source beside its PTX: else its lines are those of the PTX."""
        next((one for one in kernel.body if isinstance(one, Instruction) and one.place.line and self.number(one.place) >= 0), None)

    def number(self, place: Place) -> int:
        """The number of a place's file; -1 for one that cannot be read."""
        path = place.file if isinstance(place.file, str) else self.module.files.get(place.file, "")
        if path not in self.names:
            self.names[path] = os.path.realpath(path) if path else ""
        file = self.names[path]
        if file not in self.found:
            text = self.read(path) if path else None
            self.found[file] = -1 if text is None else len(self.kept)
            if text is not None:
                self.kept.append(Source(text, path))
        return self.found[file]

    def sources(self) -> tuple[Source, ...]:
        """All of them; the text of PTX where there is none."""
        return tuple(self.kept) or (Source(self.module.text, self.module.path),)

    def at(self, place: Place) -> ssa.At:
        """A place as the compiler keeps it."""
        number = self.number(place) if place.line else -1
        if number >= 0:
            return ssa.At(number, place.line, max(place.column, 1))
        return ssa.At(0, place.text_line, 1) if not self.kept else ssa.NOWHERE

    def error(self, name: str, problems: list[Refused]) -> SourceError:
        """What cannot be translated, each at its line."""
        places = [self.at(one.instruction.place) for one in problems]
        sources = self.sources()
        said = Diagnostics(sources[0])
        said.others = sources[1:]
        seen: set[tuple[str, ssa.At]] = set()
        for one, at in zip(problems, places, strict=True):
            if (one.message, at) not in seen and len(seen) < 20:
                seen.add((one.message, at))
                said.error(Position(max(at.line, 1), at.column, at.file), f"{shown_name(name)}: {one.message}")
        return SourceError(said.items, *sources)


def sides(t: Translation, one: Instruction) -> tuple[set[str], set[str]]:
    """The registers that an instruction reads and writes; bytes that are passed to functions count as registers."""
    reads: set[str] = set()
    writes: set[str] = set()
    operands = list(one.operands)
    if one.op == MARK:
        return reads, writes
    if one.op == "call":
        results, _, given = calls.called(one)
        return {memory.piece(x.name, 0) for x in given}, {memory.piece(x.name, 0) for x in results}
    if operands and one.op not in WITHOUT_RESULT and not (one.op in ("bar", "barrier") and "red" not in one.modifiers):
        target = operands.pop(0)
        for item in target.items if isinstance(target, Vector) else (target,):
            writes |= set(names_in(item))
    for operand in operands:
        reads |= set(names_in(operand))
        if isinstance(operand, Memory) and base_of(operand) in t.passed:
            name, size = base_of(operand), BYTES[one.type]
            other = one.operands[0 if one.op == "ld" else 1]
            count = len(other.items) if isinstance(other, Vector) else 1
            pieces = {memory.piece(name, operand.offset + place * size) for place in range(count)}
            if one.op == "st":
                writes |= pieces
            else:
                reads |= {memory.piece(name, operand.offset + more) for more in range(-7, size * count)}
    if one.op in CARRIES:
        reads.add(CARRY)
    if "cc" in one.modifiers:
        writes.add(CARRY)
    if one.guard is not None:
        reads |= {one.guard.name} | writes
    known = t.kernel.registers
    return {x for x in reads if x in known or "+" in x or x == CARRY}, {x for x in writes if x != "_"}


class _Walk:
    """Translates the blocks of a graph, those that dominate others first."""

    def __init__(self, t: Translation, graph: Graph, texts: _Texts) -> None:
        self.t, self.graph, self.texts = t, graph, texts
        self.problems: list[Refused] = []
        self.bindings = Bindings()

    def walk(self) -> list[Refused]:
        """All blocks; gives what could not be translated."""
        t, b = self.t, self.t.b
        begins = {number: b.current if number == self.graph.order[0] else b.new_block() for number in self.graph.nodes}
        ends: dict[int, list[ssa.Block]] = {}
        envs: dict[int, dict[str, ssa.Value]] = {}
        phis: list[tuple[str, ssa.Value, int]] = []
        made: dict[int, list[ssa.Block]] = {}
        for number in self.graph.order:
            b.block, b.scopes = begins[number], [{}]
            known = len(b.blocks)
            here = dict(envs[self.graph.parent[number]]) if number != self.graph.order[0] else {}
            for register in self.graph.lost[number]:
                here.pop(register, None)
            for register in self.graph.phis[number]:
                kind = t.kernel.registers.get(register, "b64")
                type = kind if kind in FLOAT_TYPES else "i1" if kind == "pred" or register == CARRY else "i64"
                phi = b.phi(begins[number], type, [])
                phi.lo, phi.hi = ssa.LIMITS[type]
                here[register] = phi
                phis.append((register, phi, number))
            t.env = here
            for one in self.graph.nodes[number].code:
                if one.op == MARK:
                    self.bindings.mark(number, b, one, t.env)
                else:
                    self._instruction(one)
            envs[number] = t.env
            ends[number] = self._end(number, begins)
            made[number] = b.blocks[known:]
        self._order(begins, made)
        whose = {block: number for number, blocks in ends.items() for block in blocks}
        for register, phi, number in phis:
            for block in begins[number].before:
                b.block, b.scopes, t.env = block, [{}], envs[whose[block]]
                value = t.env.get(register)
                phi.args.append(t.as_type(value, phi.type) if value is not None else self._zero(phi.type))
        b.block = None
        by_register: dict[int, dict[str, ssa.Value]] = {number: {} for number in self.graph.nodes}
        for register, phi, number in phis:
            by_register[number][register] = phi
        before = {number: node.before for number, node in self.graph.nodes.items()}
        self.bindings.meet(self.graph.order, before, begins, by_register, envs)
        return self.problems

    def _zero(self, type: str) -> ssa.Value:
        b = self.t.b
        return b.real(0.0, type) if type in FLOAT_TYPES else b.truth(False) if type == "i1" else b.whole(0)

    def _instruction(self, one: Instruction) -> None:
        t = self.t
        t.one = one
        t.b.at = self.texts.at(one.place)
        rule = RULES.get(one.op)
        try:
            if rule is None:
                raise t.refuse(f"{one} is not there yet")
            rule(t, one)
        except Refused as refused:
            self._problem(refused)
        except (IndexError, KeyError, StopIteration, AssertionError, ValueError, AttributeError, TypeError):
            self._problem(t.refuse(f"{one}: its operands or modifiers are not those of the instruction"))

    def _problem(self, refused: Refused) -> None:
        self.problems.append(refused)
        for name in sides(self.t, refused.instruction)[1] if refused.instruction.op in RULES else ():
            self.t.env.setdefault(name, self.t.whole(0))

    def _end(self, number: int, begins: dict[int, ssa.Block]) -> list[ssa.Block]:
        """Close a block; gives the SSA blocks that lead on from it."""
        t, b, node = self.t, self.t.b, self.graph.nodes[number]
        if b.block is None:
            return []
        if node.last is not None:
            t.one = node.last
            b.at = self.texts.at(node.last.place)
        if node.switch is not None:
            return self._switch(node.switch, [begins[one] for one in node.after])
        here = b.current
        if not node.after:
            b.exit()
        elif node.guard is None:
            b.jump(begins[node.after[0]])
        else:
            t.one = Instruction("bra", (), ())
            condition = t.use(node.guard, "pred")
            true, false = (begins[one] for one in node.after)
            if condition.op == "const":
                b.jump(true if condition.imm else false)
            else:
                b.branch(condition, true, false)
        return [here]

    def _switch(self, register: Name, targets: list[ssa.Block]) -> list[ssa.Block]:
        """`brx.idx` as comparisons."""
        t, b = self.t, self.t.b
        t.one = Instruction("brx", (), ())
        index = t.exact(register, "u32")
        left = []
        for place, target in enumerate(targets[:-1]):
            left.append(b.current)
            other = b.new_block()
            b.branch(t.pure("eq", index, t.whole(place), type="i1"), target, other)
            b.place(other)
            b.scopes = [{}]
        left.append(b.current)
        b.jump(targets[-1])
        return left

    def _order(self, begins: dict[int, ssa.Block], made: dict[int, list[ssa.Block]]) -> None:
        """Blocks in the order of the text, each with those that its instructions were made into."""
        b = self.t.b
        b.blocks[:] = [block for number in sorted(begins) for block in (begins[number], *made.get(number, ()))]


def default_sources(folder: Path) -> Callable[[str], str | None]:
    """Reads the files that a text names, from a folder."""

    def read(path: str) -> str | None:
        for one in (Path(path), folder / path):
            if (text := regular_text(one)) is not None:
                return text
        return None

    return read
