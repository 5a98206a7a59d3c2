"""A program, ready for any machine: micro-ops, initial memory, its usual launch, and where each instruction came from.

A front end builds one with `ProgramBuilder`; a machine reads it and never asks which front end that was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from warploom.isa import uop as u
from warploom.isa.language import ASSEMBLY, Language
from warploom.isa.launch import Launch, Parameter
from warploom.isa.regions import AddressSpace, Region, flat_memory
from warploom.isa.schedule import Schedule
from warploom.isa.variables import NO_VARIABLES, Variables
from warploom.isa.views import (
    SAMPLER_COLUMNS,
    VIEW_COLUMNS,
    ViewShape,
)

T = TypeVar("T")
_LINE_END = re.compile("\r\n|\n|\r")


def lines_of(text: str) -> list[str]:
    """The lines of a text, as editors count them: a form feed or a line separator (U+2028) ends none. Python's own splitlines differs."""
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]


@dataclass(frozen=True)
class Position:
    """A place in a source text. Lines and columns count from 1; line 0 means that there is no text. file: of several texts, from 0."""

    line: int = 0
    column: int = 1
    file: int = 0


@dataclass(frozen=True)
class Source:
    """The text that a program was made from. `path` is what error messages call it.

    of_runtime: it is of what a compiler links with a program, and its user has not written it.
    """

    text: str = ""
    path: str = "<program>"
    of_runtime: bool = False

    @property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return lines_of(self.text)


@dataclass(frozen=True, eq=False)
class Program:
    """What a machine runs.

    uops: int32[n, UOP_COLUMNS]. code: int32[m, CODE_COLUMNS], one row an instruction. text: one canonical line an
    instruction, for views. registers, scalars: how many lane and scalar registers a thread or warp
    needs, hidden ones included. register_names: names of the registers a user knows, by number; hidden ones are
    "". data: initial memory from byte 0 (uint8). memory_bytes: size of memory that the program
    wants, or 0 when the machine decides. regions: instead of one memory from byte 0 on: what memory there is, and what it holds;
    data and memory_bytes are empty then. spare_pages: how many pages may appear where the program uses an address between its regions; 0:
    that is a fault. constants: constant memory, from its byte 0 on (uint8). labels: name to instruction number.
    sources: the texts that it was made from; a Position says which.
    lock_width: how many neighbouring registers the scoreboard locks as one (guppy: 4).
    views, samplers: int32 tables of buffers, textures and samplers; view_names names the rows, and view_shapes says what
    arrays they are.
    exit_code: where the program leaves one: ("register", r), of lane 0 of the first warp, or ("memory", address).
    control_registers: names of the instruction set's control registers, by number. refused: by instruction that stops the run
    since no machine has it: why. stops: by instruction with which the run-time stops a program: what is wrong, as a sentence.
    schedule: the compiler's control words, of machine code that has them; None elsewhere. pointers: by instruction that accesses memory by
    a pointer of 64 bits: the lane register of its low word, which the high one follows, and what is added. functions: tables of
    functions that the special function unit looks up, one after another (uint32). remarks: what every run of it says. turns: the
    instructions at which parts of a warp take turns, and results depend on that.
    value_bits: width of a register's value as a user sees it (8 for tiny-gpu). statements: the source's lines are statements, each
    of several instructions: messages quote the line. language: how it is written, and its words for barriers and the like.
    """

    isa: str
    name: str
    uops: np.ndarray
    code: np.ndarray
    text: tuple[str, ...]
    registers: int
    register_names: tuple[str, ...]
    sources: tuple[Source, ...] = (Source(),)
    counted_registers: int = 0  # of `registers`, those that a core's register file counts; 0: all
    scalars: int = 0
    scalar_names: tuple[str, ...] = ()
    launch: Launch = field(default_factory=Launch)
    launches: tuple[Launch, ...] = ()  # where the source has several, all of them; `launch` is the first then
    parameters: tuple[Parameter, ...] = ()
    exit_code: tuple[str, int] | None = None
    data: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint8))
    memory_bytes: int = 0
    regions: tuple[Region, ...] = ()
    spare_pages: int = 0
    constants: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint8))
    labels: dict[str, int] = field(default_factory=dict)
    lock_width: int = 1
    schedule: Schedule | None = None
    views: np.ndarray = field(default_factory=lambda: np.zeros((0, VIEW_COLUMNS), np.int32))
    view_names: tuple[str, ...] = ()
    view_shapes: tuple[ViewShape | None, ...] = ()
    samplers: np.ndarray = field(default_factory=lambda: np.zeros((0, SAMPLER_COLUMNS), np.int32))
    value_bits: int = 32
    statements: bool = False
    language: Language = ASSEMBLY
    control_registers: Mapping[int, str] = field(default_factory=dict)
    refused: Mapping[int, str] = field(default_factory=dict)
    stops: Mapping[int, str] = field(default_factory=dict)
    pointers: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    functions: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint32))
    remarks: tuple[str, ...] = ()
    turns: tuple[int, ...] = ()
    graphics: tuple[int, ...] = ()  # registers of the raster engine, six, and of the output merger, eighteen; (): none are written
    extensions: tuple[int, ...] = ()  # instructions that the instruction set's original machine does not have, written by their names
    variables: Variables = NO_VARIABLES  # where a compiler of ours has put the source's variables
    shared_arrays: tuple[tuple[str, int, ViewShape], ...] = ()  # arrays in a block's shared memory: name, first byte, what it holds
    beyond: tuple[int, ...] = ()  # such instructions that are given as numbers, which mean nothing to the original machine
    printing: Callable[[Program, Sequence[Any]], tuple[str, ...]] | None = None  # its notes as the lines that it has printed
    _worked_out: dict[Hashable, tuple[tuple[Any, ...], Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, what: Hashable, work: Callable[[], T]) -> T:
        """What is worked out of the program's tables, at the first of many launches. what: names it. work: does it.

        Tables are arrays, which somebody may have written to since: then it is done again.
        """
        tables = tuple((table.tobytes(), table.shape, table.dtype) for table in (self.uops, self.code, self.views, self.samplers))
        known = self._worked_out.get(what)
        if known is None or known[0] != tables:
            self._worked_out[what] = known = (tables, work())
        found: T = known[1]
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Another process works it out for itself."""
        return {name: value for name, value in vars(self).items() if name != "listing"} | {"_worked_out": {}}

    def __len__(self) -> int:
        """Number of instructions."""
        return len(self.code)

    @property
    def source(self) -> Source:
        """The text that the program begins in, the first of `sources`."""
        return self.sources[0]

    def source_of(self, position: Position) -> Source:
        """The text that a position is in."""
        return self.sources[position.file]

    def position(self, instruction: int) -> Position:
        """Where an instruction came from."""
        if not 0 <= instruction < len(self.code):
            return Position()
        line, column, file = self.code[instruction, [u.LINE, u.COLUMN, u.FILE]].tolist()
        return Position(line, column, file)

    @cached_property
    def listing(self) -> tuple[list[str], tuple[range, ...]]:
        """(lines, places): all texts as one; line n of file f is `lines[places[f][n - 1]]`.

        Of several, each stands below its path; a file that is not there has no place.
        """
        if len(self.sources) == 1:
            lines = self.source.lines
            return lines, (range(len(lines)),)
        several = sum(bool(source.text.strip()) for source in self.sources) > 1
        lines, places = [], list[range]()
        for source in self.sources:
            text = source.lines if source.text.strip() else []
            if text and several:
                lines.append(f"{source.path}:")
            places.append(range(len(lines), len(lines) + len(text)))
            lines += text
        return lines, tuple(places)

    @property
    def line_numbers(self) -> list[int]:
        """Of each line of `listing` its number in its own file; 0 of a file's path."""
        lines, places = self.listing
        found = [0] * len(lines)
        for place in places:
            found[place.start : place.stop] = range(1, len(place) + 1)
        return found

    def address_space(self, size: int = 0) -> AddressSpace:
        """Where its memory is: its regions, or one memory from address 0 on, as large as the program wants and at least `size`."""
        return AddressSpace(self.regions) if self.regions else flat_memory(max(size, self.memory_bytes, len(self.data)))

    def element_type(self, name: str) -> np.dtype[Any] | None:
        """The type of a buffer's elements; None where nothing says it, and of what is not a view."""
        row = self.view_names.index(name) if name in self.view_names else len(self.view_shapes)
        shape = self.view_shapes[row] if row < len(self.view_shapes) else None
        return shape.dtype if shape is not None else None

    def uses(self, space: int) -> bool:
        """Whether some micro-op accesses an address space: a number of SPACES."""
        spaced = [number for number, operation in enumerate(u.OPERATIONS) if operation.unit == u.MEMORY]
        return bool((np.isin(self.uops[:, u.OP], spaced) & (self.uops[:, u.SPACE] == space)).any())

    def row(self, instruction: int) -> int:
        """The line of `listing` that an instruction came from, from 1; 0 where there is no text."""
        position = self.position(instruction)
        if len(self.sources) == 1 or not position.line:
            return position.line
        place = self.listing[1][position.file]
        return place[position.line - 1] + 1 if position.line <= len(place) else 0

    def in_runtime(self, instruction: int) -> bool:
        """Whether an instruction is of the run-time that a compiler has linked with the program."""
        position = self.position(instruction)
        return bool(position.line) and self.source_of(position).of_runtime

    def function_of(self, instruction: int) -> str:
        """The nearest name at an instruction or before it."""
        before = [name for name, number in self.labels.items() if number <= instruction]
        return max(before, key=self.labels.__getitem__, default="code")

    def called_function(self, instruction: int) -> str:
        """The name of the function that an instruction calls."""
        first, count = self.code[instruction, [u.FIRST_UOP, u.COUNT]].tolist()
        return self.function_of(int(self.uops[first : first + count, u.TARGET].max()))

    def where(self, instruction: int, called_from: int = -1) -> str:
        """An instruction for a message: `matadd.asm:12 (ADD R1, R2, R3)`, or its number where there is no source.

        called_from: of an instruction of the run-time, the user's that has called it: then that one's line is named.
        """
        text = f" ({self.text[instruction]})" if 0 <= instruction < len(self.text) else ""
        position = self.position(instruction)
        if self.statements and 0 < position.line <= len(lines := self.source_of(position).lines):
            text = f" ({lines[position.line - 1].strip()})"
        return f"{self.place_text(instruction, called_from)}{text}"

    def place_text(self, instruction: int, called_from: int = -1) -> str:
        """The same without the instruction itself: `matadd.asm:12`."""
        inside = self.in_runtime(instruction) and called_from >= 0
        position = self.position(called_from if inside else instruction)
        if not position.line:
            return f"instruction {instruction}"
        whose = f", in {self.called_function(called_from)} of the run-time" if inside else " of the run-time" * self.in_runtime(instruction)
        return f"{self.source_of(position).path}:{position.line}{whose}"

    def with_launch(self, **changes: object) -> Program:
        """The same program started differently (`threads=`, `block=` ...)."""
        return replace(self, launch=self.launch.changed(**changes))

    def with_data(self, data: Sequence[int] | np.ndarray) -> Program:
        """The same program over other initial memory (bytes)."""
        return replace(self, data=np.asarray(data, np.uint8))
