"""Operands: where an instruction has them, what they are, and how a listing writes them.

The *wide* operand is the one whose bits are 32 to 63. Which of the sources b and c that is, and whether it is a register, an immediate, a
constant or a uniform register, the instruction's form says:

    form   1    2    3      4    5      6    7
    b      R32  R64  R64    imm  const  UR   R64
    c      R64  imm  const  R64  R64    R64  UR
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from warploom.isa.sass.word import ALWAYS, UNIFORM_ZERO, ZERO, Coded, Field, bits, signed

REGISTER, UNIFORM, PREDICATE, UNIFORM_PREDICATE, IMMEDIATE, CONSTANT, BINDLESS = "R", "UR", "P", "UP", "imm", "c", "cx"
BARRIER, SCOREBOARD, SPECIAL = "B", "SB", "SR"
LARGE = 1e9  # floats from here on are written with an exponent
B_WIDE, C_IMMEDIATE, C_CONSTANT, B_IMMEDIATE, B_CONSTANT, B_UNIFORM, C_UNIFORM = range(1, 8)  # forms
C_FORMS = (C_IMMEDIATE, C_CONSTANT, C_UNIFORM)  # in which the wide operand is c
BYTES, FLOAT, DOUBLE, HALVES, BFLOATS, SIGNED = "bytes", "float", "double", "halves", "bfloats", "signed"  # how an immediate is written


class Value(NamedTuple):
    """An operand of an instruction.

    kind: what it is. number: of a register; an immediate's bits; of a constant its offset in bytes. bank: of a constant; of a bindless one
    the uniform register that says where its bank is. negative, absolute: signs of a number. inverted: its bits, or a
    predicate. swizzle: which halves
    of a pair of halves.
    """

    kind: str
    number: int
    bank: int = 0
    negative: bool = False
    absolute: bool = False
    inverted: bool = False
    swizzle: int = 0

    @property
    def zero(self) -> bool:
        """Whether it is the register that is 0."""
        return self.number == {REGISTER: ZERO, UNIFORM: UNIFORM_ZERO}.get(self.kind, -1)

    @property
    def true(self) -> bool:
        """Whether it is the predicate that is always true."""
        return self.kind in (PREDICATE, UNIFORM_PREDICATE) and self.number == ALWAYS and not self.inverted

    @property
    def false(self) -> bool:
        """Whether it is the predicate that is never true."""
        return self.kind in (PREDICATE, UNIFORM_PREDICATE) and self.number == ALWAYS and self.inverted


@dataclass(frozen=True)
class Spec:
    """Where an operand is. at: its lowest bit. role: what the meaning calls it. negative, absolute, inverted: their bits, or -1.

    optional: it is not written if it is the usual: a predicate that is always true, and as a source (`not_usual`) one that never is.
    """

    role: str
    kind: str
    at: int
    negative: int = -1
    absolute: int = -1
    inverted: int = -1
    optional: bool = False
    width: int = 0
    shown: str = ""
    uniform: bool = False
    swizzle: int = -1
    when: Callable[[Coded], bool] | None = None

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        found = {self.role: bits(self.at, self.width or WIDTHS[self.kind])}
        return found | self._signs()

    def _signs(self) -> dict[str, Field]:
        places = {"negative": self.negative, "absolute": self.absolute, "not": self.inverted}
        found = {f"{self.role}_{name}": bits(place) for name, place in places.items() if place >= 0}
        return found | ({f"{self.role}_swizzle": bits(self.swizzle, 2)} if self.swizzle >= 0 else {})

    def value(self, one: Coded) -> Value:
        """What it is in an instruction."""
        return self._signed(one, Value(self.kind, one.at(self.at, self.width or WIDTHS[self.kind])))

    def _signed(self, one: Coded, value: Value) -> Value:
        word = one.word
        negative = self.negative >= 0 and bool(word >> self.negative & 1)
        absolute = self.absolute >= 0 and bool(word >> self.absolute & 1)
        inverted = self.inverted >= 0 and bool(word >> self.inverted & 1)
        swizzle = word >> self.swizzle & 3 if self.swizzle >= 0 else 0
        if not (negative or absolute or inverted or swizzle):
            return value
        return Value(value.kind, value.number, value.bank, negative, absolute, inverted, swizzle)

    def text(self, one: Coded) -> str | None:
        """How a listing writes it; None where it does not."""
        if self.when is not None and not self.when(one):
            return None
        value = self.value(one)
        if self.optional and (value.number == (ALWAYS if self.kind in (PREDICATE, UNIFORM_PREDICATE) else 0)) and not value.inverted:
            return None
        return written(value, self.shown, self.at == 32, one.reused(self.role) if value.kind == REGISTER else False)


WIDTHS = {REGISTER: 8, UNIFORM: 6, PREDICATE: 3, UNIFORM_PREDICATE: 3, IMMEDIATE: 32, BARRIER: 4, SCOREBOARD: 3, SPECIAL: 8}


@dataclass(frozen=True)
class Wide(Spec):
    """The wide operand, by form. uniform: of an instruction of the uniform unit."""

    def kind_in(self, one: Coded) -> str:
        """What it is in an instruction's form."""
        form = one.form
        if form in (C_IMMEDIATE, B_IMMEDIATE):
            return IMMEDIATE
        if form in (C_CONSTANT, B_CONSTANT):
            return BINDLESS if one.word >> 91 & 1 else CONSTANT
        return UNIFORM if self.uniform or form in (B_UNIFORM, C_UNIFORM) else REGISTER

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        if form in (C_IMMEDIATE, B_IMMEDIATE):
            return {self.role: bits(32, 32)} | ({"uniform": bits(91)} if self.uniform else {})
        if form in (C_CONSTANT, B_CONSTANT):
            return {f"{self.role}_offset": bits(38, 16), f"{self.role}_bank": bits(54, 5), f"{self.role}_bindless": bits(32, 6),
                    "uniform": bits(91)} | self._signs()  # fmt: skip
        uniform = {"uniform": bits(91)} if self.uniform or form in (B_UNIFORM, C_UNIFORM) else {}
        return {self.role: bits(32, 6 if self.uniform or uniform else 8)} | uniform | self._signs()

    def value(self, one: Coded) -> Value:
        """What it is in an instruction."""
        kind = self.kind_in(one)
        if kind == IMMEDIATE:
            return Value(IMMEDIATE, one.at(32, 32))
        if kind == CONSTANT:
            return self._signed(one, Value(CONSTANT, one.at(38, 16), one.at(54, 5)))
        if kind == BINDLESS:
            return self._signed(one, Value(BINDLESS, one.at(38, 16), one.at(32, 6)))
        return self._signed(one, Value(kind, one.at(32, WIDTHS[kind])))


def written(value: Value, shown: str = "", wide: bool = False, reused: bool = False) -> str:
    """An operand in a listing. shown: how an immediate is written."""
    number = value.number
    if value.kind == REGISTER:
        text = "RZ" if number == ZERO else f"R{number}"
        if shown == "64":
            text += ".64"
    elif value.kind == UNIFORM:
        text = "URZ" if number == UNIFORM_ZERO else f"UR{number}"
    elif value.kind in (PREDICATE, UNIFORM_PREDICATE):
        return ("!" if value.inverted else "") + (f"{value.kind}T" if number == ALWAYS else f"{value.kind}{number}")
    elif value.kind == CONSTANT:
        text = f"c[{value.bank:#x}][{hexadecimal(signed(number, 16))}]"
    elif value.kind == BINDLESS:
        text = f"cx[UR{value.bank}][{hexadecimal(signed(number, 16))}]"
    elif value.kind == IMMEDIATE:
        return immediate(number, shown)
    else:
        return f"{value.kind}{number}"
    if value.absolute:
        text = f"|{text}|"
    if reused:
        text += ".reuse"
    if value.swizzle and shown in (HALVES, BFLOATS):
        text += ("", ".F32", ".H0_H0", ".H1_H1")[value.swizzle]
    return ("-" if value.negative else "") + ("~" if value.inverted else "") + text


def hexadecimal(number: int) -> str:
    """A number with its sign, in hexadecimal."""
    return f"-{-number:#x}" if number < 0 else f"{number:#x}"


def immediate(number: int, shown: str) -> str:
    """A number of 32 bits as a listing writes it."""
    if shown == FLOAT:
        return float_text(struct.unpack("<f", struct.pack("<I", number))[0], number >> 31, number & 0x400000)
    if shown == DOUBLE:
        return float_text(struct.unpack("<d", struct.pack("<II", 0, number))[0], number >> 31, number & 0x80000)
    if shown in (HALVES, BFLOATS):
        return ", ".join(_half(half, shown) for half in (number >> 16, number & 0xFFFF))
    if shown == SIGNED:
        return hexadecimal(signed(number, 32))
    return f"{number:#x}"


def _half(number: int, shown: str) -> str:
    if shown == BFLOATS:
        return float_text(struct.unpack("<f", struct.pack("<I", number << 16))[0], number >> 15, number & 0x40)
    return float_text(struct.unpack("<e", struct.pack("<H", number))[0], number >> 15, number & 0x200)


def float_text(value: float, negative: int, quiet: int) -> str:
    """A float in a listing: 20 digits, which is exact for most; infinities and NaNs by name."""
    sign = "-" if negative else "+"
    if math.isnan(value):
        return f"{sign}{'Q' if quiet else 'S'}NAN "
    if value in (float("inf"), float("-inf")):
        return f"{sign}INF "
    if value == 0:
        return "-0.0 " if negative else "0"
    return f"{value:.20e}" if abs(value) >= LARGE else f"{value:.20g}"
