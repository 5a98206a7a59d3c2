"""A program, ready for any machine: micro-ops, initial memory, how to launch it, and where each instruction came from.

A front end builds one with `ProgramBuilder`; a machine reads it and never asks which front end that was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.uop import Uop


@dataclass(frozen=True)
class Position:
    """A place in a source text. Lines and columns count from 1; line 0 means that there is no text."""

    line: int = 0
    column: int = 1


@dataclass(frozen=True)
class Source:
    """The text that a program was made from. `path` is what error messages call it."""

    text: str = ""
    path: str = "<program>"

    @property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return self.text.splitlines()


@dataclass(frozen=True)
class Launch:
    """How a program is started unless the user says otherwise.

    threads: threads of the whole grid. block: threads a block, or 0 when the machine decides (tiny-gpu: its
    threads per block). registers: (lane register, name in SPECIALS) pairs that the hardware writes before
    the first instruction. whole_warps: lanes without a thread run too (Vortex); otherwise they are masked off.
    """

    threads: int = 1
    block: int = 0
    entry: int = 0
    registers: tuple[tuple[int, str], ...] = ()
    shared_bytes: int = 0
    argument: int = 0


VIEW_COLUMNS = 12
# Columns of a row of Program.views: a bounded piece of memory, and how to read it as a texture.
# BASE, BYTES: first byte and size. FORMAT: a number of FORMATS. WIDTH, HEIGHT: texels of level 0 (0 for a buffer).
# PITCH: bytes from row to row of level 0. Level l, when there are LEVELS > 1, follows level l - 1 without a gap: it has
# max(1, WIDTH >> l) x max(1, HEIGHT >> l) texels and its rows are packed.
(VIEW_BASE, VIEW_BYTES, VIEW_FORMAT, VIEW_WIDTH, VIEW_HEIGHT, VIEW_WRITABLE, VIEW_LEVELS, VIEW_PITCH) = range(8)


class Format(NamedTuple):
    """How the texels of a view lie in memory; every number is little-endian.

    fields: (bits, shift) of red, green, blue and alpha inside the texel's unsigned number, which stands for
    number / (2^bits - 1); 0 bits for a channel that is not there. A format whose channels are 32 bits wide holds
    floats, one after the other: red first. A channel that is not there reads as 0, alpha as 1.
    """

    name: str
    bytes: int
    fields: tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]


FORMATS: tuple[Format, ...] = (
    Format("word", 4, ((0, 0), (0, 0), (0, 0), (0, 0))),  # a buffer of 32-bit words, no texture
    Format("rgba8", 4, ((8, 24), (8, 16), (8, 8), (8, 0))),  # red in the highest byte, as guppy's images are packed
    Format("r8", 1, ((8, 0), (0, 0), (0, 0), (0, 0))),
    Format("rg8", 2, ((8, 8), (8, 0), (0, 0), (0, 0))),
    Format("r32f", 4, ((32, 0), (0, 0), (0, 0), (0, 0))),
    Format("rgba32f", 16, ((32, 0), (32, 32), (32, 64), (32, 96))),
    Format("r5g6b5", 2, ((5, 11), (6, 5), (5, 0), (0, 0))),
    Format("rgba4", 2, ((4, 12), (4, 8), (4, 4), (4, 0))),
)
F_WORD, F_RGBA8, F_R8, F_RG8, F_R32F, F_RGBA32F, F_R5G6B5, F_RGBA4 = range(len(FORMATS))
FORMAT_NUMBER = {form.name: number for number, form in enumerate(FORMATS)}

SAMPLER_COLUMNS = 4
# Columns of a row of Program.samplers.
SAMPLER_FILTER, SAMPLER_WRAP_U, SAMPLER_WRAP_V = range(3)
FILTERS = ("point", "linear", "trilinear")  # trilinear: linear inside a level and between two levels
POINT, LINEAR, TRILINEAR = range(len(FILTERS))
WRAPS = ("repeat", "clamp", "mirror")
REPEAT, CLAMP, MIRROR = range(len(WRAPS))


@dataclass(frozen=True)
class Program:
    """What a machine runs.

    uops: int32[n, UOP_COLUMNS]. code: int32[m, CODE_COLUMNS], one row an instruction. text: one canonical line an
    instruction, for views. registers, scalars: how many lane and scalar registers a thread or warp
    needs, hidden ones included. register_names: names of the registers a user knows, by number; hidden ones are
    "". data: initial memory from byte 0 (uint8). memory_bytes: size of memory that the program
    wants, or 0 when the machine decides. labels: name to instruction number.
    lock_width: how many neighbouring registers the scoreboard locks as one (guppy: 4).
    views, samplers: int32 tables of buffers, textures and samplers; view_names names the rows.
    value_bits: width of a register's value as a user sees it (8 for tiny-gpu).
    """

    isa: str
    name: str
    uops: np.ndarray
    code: np.ndarray
    text: tuple[str, ...]
    registers: int
    register_names: tuple[str, ...]
    source: Source = field(default_factory=Source)
    scalars: int = 0
    scalar_names: tuple[str, ...] = ()
    launch: Launch = field(default_factory=Launch)
    data: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint8))
    memory_bytes: int = 0
    labels: dict[str, int] = field(default_factory=dict)
    lock_width: int = 1
    views: np.ndarray = field(default_factory=lambda: np.zeros((0, VIEW_COLUMNS), np.int32))
    view_names: tuple[str, ...] = ()
    samplers: np.ndarray = field(default_factory=lambda: np.zeros((0, SAMPLER_COLUMNS), np.int32))
    value_bits: int = 32
    extensions: tuple[int, ...] = ()  # instructions that the instruction set's original machine does not have

    def __len__(self) -> int:
        """Number of instructions."""
        return len(self.code)

    def position(self, instruction: int) -> Position:
        """Where an instruction came from."""
        if not 0 <= instruction < len(self.code):
            return Position()
        return Position(int(self.code[instruction, u.LINE]), int(self.code[instruction, u.COLUMN]))

    def where(self, instruction: int) -> str:
        """An instruction for a message: `matadd.asm:12 (ADD R1, R2, R3)`, or its number where there is no source."""
        text = f" ({self.text[instruction]})" if 0 <= instruction < len(self.text) else ""
        line = self.position(instruction).line
        return f"{self.source.path}:{line}{text}" if line else f"instruction {instruction}{text}"

    def with_launch(self, **changes: object) -> Program:
        """The same program started differently (`threads=`, `block=` ...)."""
        return replace(self, launch=replace(self.launch, **changes))  # type: ignore[arg-type]

    def with_data(self, data: Sequence[int] | np.ndarray) -> Program:
        """The same program over other initial memory (bytes)."""
        return replace(self, data=np.asarray(data, np.uint8))


@dataclass
class ProgramBuilder:
    """Collects instructions; `arrays()` gives the two tables of a Program."""

    lock_width: int = 1
    uops: list[list[int]] = field(default_factory=list)
    code: list[list[int]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def add(
        self,
        uops: Iterable[Uop],
        *,
        text: str,
        position: Position | None = None,
        word: int = 0,
        address: int | None = None,
        reads: tuple[int, int] | None = None,
        unit: int = u.NONE,
        latency: int = u.NONE,
    ) -> int:
        """Add one instruction made of `uops`; returns its number.

        reads: what the register file's two read ports are given (default: the first micro-op's A and B).
        word: the encoded instruction. address: where it lies in program memory (default: its number).
        unit, latency: the unit that issues the whole bundle and its latency class, where a front end knows better than
        the rule (the first micro-op that is not ALU decides; among ALU micro-ops the highest class number).
        """
        bundle = list(uops) or [Uop("nop")]
        rows = [uop.row() for uop in bundle]
        number = len(self.code)
        position = position or Position()
        main = next((row for row in rows if row[u.UNIT] != u.ALU), rows[0])
        if latency == u.NONE:
            latency = max(row[u.LATENCY] for row in rows) if main[u.UNIT] == u.ALU else main[u.LATENCY]
        written, read = self._groups(bundle)
        groups = written + [group for group in read if group not in written]
        if len(groups) > u.MAX_USES:
            raise ValueError(f"an instruction may use at most {u.MAX_USES} register groups, {text!r} uses {len(groups)}")
        row = [0] * u.CODE_COLUMNS
        row[u.FIRST], row[u.COUNT] = len(self.uops), len(rows)
        row[u.ISSUE_UNIT], row[u.ISSUE_LATENCY] = main[u.UNIT] if unit == u.NONE else unit, latency
        row[u.WORD], row[u.WORD_HIGH] = _signed(word), _signed(word >> 32)
        row[u.READ_A], row[u.READ_B] = reads if reads is not None else (rows[0][u.A], rows[0][u.B])
        row[u.LINE], row[u.COLUMN] = position.line, position.column
        row[u.ADDRESS] = number if address is None else _signed(address)
        row[u.USES], row[u.WRITES] = len(groups), len(written)
        row[u.USE : u.USE + len(groups)] = groups
        self.uops.extend(rows)
        self.code.append(row)
        self.text.append(text)
        return number

    def _groups(self, bundle: list[Uop]) -> tuple[list[int], list[int]]:
        """Register groups that a bundle writes and reads, hidden registers left out: nothing can wait for those."""
        written: list[int] = []
        read: list[int] = []
        for uop in bundle:
            letters = u.OPERATIONS[u.NUMBER[uop.name]].operands
            for code in self._written(uop, letters):
                if self._locks(code) and self.group(code) not in written:
                    written.append(self.group(code))
            for code in (uop.a, uop.b, uop.c, uop.predicate):
                if self._locks(code) and self.group(code) not in read:
                    read.append(self.group(code))
        return written, read

    @staticmethod
    def _written(uop: Uop, letters: str) -> list[int]:
        if "d" not in letters or uop.dst == u.NONE:
            return []
        return [uop.dst + k for k in range(4)] if uop.name == "sample" else [uop.dst]

    @staticmethod
    def _locks(code: int) -> bool:
        return code >= u.SCALAR or 0 <= code < u.HIDDEN

    def group(self, code: int) -> int:
        """The scoreboard's group of an operand code: lane registers by lock_width, scalar registers above them."""
        return u.SCALAR_GROUP + (code - u.SCALAR) if code >= u.SCALAR else code // self.lock_width

    def arrays(self) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        """(uops, code, text) for a Program."""
        uops = np.array(self.uops, np.int32).reshape(-1, u.UOP_COLUMNS)
        code = np.array(self.code, np.int32).reshape(-1, u.CODE_COLUMNS)
        return uops, code, tuple(self.text)


def _signed(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
