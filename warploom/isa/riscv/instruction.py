"""One row of the instruction tables, and what its lowering is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from warploom.isa.riscv.fields import COMPRESSED_FIRST, Encoding
from warploom.isa.riscv.registers import FLAGS, FLOATS, ROUNDING_MODE, TEMPORARY, WARP_FLAGS, WARP_ROUNDING_MODE, written
from warploom.isa.uop import IMMEDIATE, NONE, Uop

_OPERAND = re.compile(r"[a-z][a-z0-9']*")
STATIC_MODES = ("rne", "rtz", "rdn", "rup", "rmm")
DYNAMIC = 7  # in the field rm: the mode is the one in frm
MODE_NAMES = dict(enumerate(STATIC_MODES)) | {DYNAMIC: "dyn"}


class FloatNeeds(NamedTuple):
    """What a program wants of its floats beyond nearest-even: it reads the flags; it sets the rounding mode.

    of_warp: both belong to a warp, which collects the flags of all its lanes; else each lane has its own.
    """

    flags: bool = False
    modes: bool = False
    of_warp: bool = False

    @property
    def mode(self) -> int:
        """The register that holds the rounding mode."""
        return WARP_ROUNDING_MODE if self.of_warp else ROUNDING_MODE

    def raised(self, flags: int) -> Uop:
        """What adds the flags in a lane register to those that there are."""
        if self.of_warp:
            return Uop("or_lanes", dst=WARP_FLAGS, a=flags, b=WARP_FLAGS)
        return Uop("or", dst=FLAGS, a=FLAGS, b=flags)


class Refusal(Exception):
    """An instruction that the machine cannot do. One sentence, without the instruction's place."""


@dataclass(slots=True)
class Operands:
    """What a lowering sees of an instruction: the fields' values, where it lies, and what is where.

    values: by field. address: of the instruction. size: bytes that it takes. number_of: instruction number by address; of an address at
    which no instruction begins, the number after the last one. leads_to: number of the instruction that a jump through a register leads to
    when it is reached from the instruction before it, where that says so; or NONE.
    """

    values: Mapping[str, int]
    address: int = 0
    size: int = 4
    number_of: Callable[[int], int] = lambda _: 0
    floats: FloatNeeds = field(default_factory=FloatNeeds)
    leads_to: int = NONE

    def __getitem__(self, name: str) -> int:
        return self.values[name]

    @property
    def rd(self) -> int:
        """The lane register that x-register rd is; what x0 is given goes nowhere."""
        return written(self.values["rd"])

    @property
    def link(self) -> int:
        """The lane register for the address of the next instruction, or NONE for x0: nothing is kept."""
        return self.values["rd"] or NONE

    @property
    def rs1(self) -> int:
        """The lane register of the first integer source."""
        return self.values["rs1"]

    @property
    def rs2(self) -> int:
        """The lane register of the second integer source."""
        return self.values["rs2"]

    @property
    def imm(self) -> int:
        """The immediate."""
        return self.values["imm"]

    def f(self, name: str) -> int:
        """The lane register of a float operand."""
        return FLOATS + self.values[name]

    @property
    def target(self) -> int:
        """Number of the instruction that a branch or jump goes to."""
        return self.number_of((self.address + self.imm) & 0xFFFFFFFF)


Lowering = Callable[[Operands], list[Uop]]


@dataclass(frozen=True)
class Instruction:
    """One row. From it come decoding, disassembly, assembly, lowering and documentation.

    encoding: see `fields.py`. operands: how they are written, as `rd, imm(rs1)`; fd, fs1 ... are float registers in the fields rd, rs1 ...
    A field that is not among them is `defaults`' (or 0). meaning: one line. lower: its micro-ops. excluded: values of fields for which the
    word is another instruction, or none. short: 16 bits; it stands for the instruction that `expands` names with its operands.
    """

    mnemonic: str
    extension: str
    encoding: Encoding
    operands: str
    meaning: str
    lower: Lowering | None = None
    excluded: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    defaults: Mapping[str, int] = field(default_factory=dict)
    expands: Callable[[Mapping[str, int]], tuple[str, dict[str, int]]] | None = None

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return self.encoding.bits // 8

    @property
    def syntax(self) -> str:
        """How it is written."""
        return f"{self.mnemonic} {self.operands}".rstrip()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The operands in the order in which they are written."""
        return tuple(_OPERAND.findall(self.operands))

    def matches(self, word: int) -> bool:
        """Whether a word is this instruction."""
        if not self.encoding.matches(word):
            return False
        if not self.excluded:
            return True
        values = self.encoding.decode(word)
        return all(values[name] not in forbidden for name, forbidden in self.excluded.items())

    def match_all(self, words: np.ndarray) -> np.ndarray:
        """Which of many words are this instruction."""
        found: np.ndarray = (words & self.encoding.mask) == self.encoding.match
        if self.size == 2:
            found &= words < 1 << 16
        if self.excluded and found.any():
            values = self.encoding.decode_all(words)
            for name, forbidden in self.excluded.items():
                found &= ~np.isin(values[name], forbidden)
        return found

    def encode(self, values: Mapping[str, int]) -> int:
        """The word for the operands' values; those that are not given are the row's defaults."""
        return self.encoding.encode({name: values.get(name, self.defaults.get(name, 0)) for name in self.encoding.fields})


def field_of(name: str) -> str:
    """The field of an operand: fd lies in rd, a target in imm."""
    if name.startswith("f") and name[1:].rstrip("'123") in ("d", "s"):
        return "r" + name[1:]
    return "imm" if name == "target" else name


def full_registers(values: Mapping[str, int]) -> dict[str, int]:
    """Values of a short instruction with register numbers instead of fields of three bits."""
    return {name.rstrip("'"): value + COMPRESSED_FIRST if name.endswith("'") else value for name, value in values.items()}


def arithmetic(name: str) -> Lowering:
    """The integer micro-op `name` of two registers."""
    return lambda o: [Uop(name, dst=o.rd, a=o.rs1, b=o.rs2)]


def with_immediate(name: str, operand: str = "imm") -> Lowering:
    """The integer micro-op `name` of a register and an immediate."""
    return lambda o: [Uop(name, dst=o.rd, a=o.rs1, b=IMMEDIATE, imm=o[operand])]


def temporary(number: int) -> int:
    """A register inside an instruction."""
    return TEMPORARY + number
