"""One row of the instruction tables, and one instruction as it stands in a program.

A row's `operands` are words, in the order in which they are written. A letter is a register or a value: d the result, e a second one, a b c
the sources; after it the number of registers if it is not one, and s for a scalar register, m for a mask (a pair of scalar registers),
where vector registers are usual. In formats of 32 bits a mask is VCC and has no field. Other words:
    imm hex             a number of 16 bits, written in decimal or hexadecimal
    target              distance of a jump, in words
    waitcnt hwreg message                  what s_waitcnt, s_getreg and s_sendmsg take
    gpr_idx             which operands' numbers M0 is added to
    literal             the 32 bits after the instruction
    offset              of a scalar load: bytes, or a scalar register
    address saddr       of a vector access: vector registers, a pair if `saddr` is off, and a scalar pair
    returned            the result of an atomic operation, if `glc` asks for it
    vaddr srsrc soffset of a buffer access
Source: AMD "Vega" Instruction Set Architecture, chapters 12 and 13.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from warploom.isa.gcn.formats import FORMATS, VOP3_OPCODES
from warploom.isa.gcn.registers import FIRST_VECTOR, LITERAL, VCC

E32, E64, SDWA_KIND, DPP_KIND = KINDS = ("e32", "e64", "sdwa", "dpp")
_WORD = re.compile(r"([deabc])(\d*)([sm]?)")
VECTOR, SCALAR, SOURCE = "vector", "scalar", "source"  # what a field holds: a vector register, a scalar operand, either
_VOP = {"d": ("vdst", VECTOR), "a": ("src0", SOURCE), "b": ("vsrc1", VECTOR)}
_VOP3 = {"d": ("vdst", VECTOR), "a": ("src0", SOURCE), "b": ("src1", SOURCE), "c": ("src2", SOURCE), "e": ("sdst", SCALAR)}
_FLAT = {"d": ("vdst", VECTOR), "a": ("addr", VECTOR), "b": ("data", VECTOR)}
FIELDS: dict[str, dict[str, tuple[str, str]]] = {
    "SOP2": {"d": ("sdst", SCALAR), "a": ("ssrc0", SCALAR), "b": ("ssrc1", SCALAR)},
    "SOP1": {"d": ("sdst", SCALAR), "a": ("ssrc0", SCALAR)},
    "SOPC": {"a": ("ssrc0", SCALAR), "b": ("ssrc1", SCALAR)},
    "SOPK": {"d": ("sdst", SCALAR)},
    "SMEM": {"d": ("sdata", SCALAR)},
    "VOP1": _VOP, "VOP2": _VOP, "VOPC": _VOP, "VOP3": _VOP3, "VOP3B": _VOP3, "VOP3P": _VOP3,
    "DS": {"d": ("vdst", VECTOR), "a": ("addr", VECTOR), "b": ("data0", VECTOR), "c": ("data1", VECTOR)},
    "FLAT": _FLAT, "GLOBAL": _FLAT, "SCRATCH": _FLAT, "MUBUF": {"d": ("vdata", VECTOR)},
    "EXP": {"a": ("vsrc0", VECTOR), "b": ("vsrc1", VECTOR), "c": ("vsrc2", VECTOR), "e": ("vsrc3", VECTOR)},
}  # fmt: skip


class Refusal(Exception):
    """An instruction in a form that the machine does not have. One sentence, without the instruction's place."""


@dataclass(frozen=True)
class Place:
    """Where a register or value is: its letter, registers, the field that names it (`` for VCC), and what that holds."""

    letter: str
    count: int
    field: str
    holds: str


@dataclass(frozen=True)
class Row:
    """One instruction, in all of its formats.

    lower: adds its micro-ops to a `Code`. only_short: it has no form in VOP3, though its format has. floats: bits of its sources, where
    they are floats. two_offsets: of an access to LDS at two places, the bytes that its offsets count in. keeps_half:
    its result has 16 bits, and the half of its register that op_sel does not choose stays as it is. zeros_above: but a low half has
    zeros above it. vega_keeps: of 16 bits too; on Vega the high half stays, on processors before it becomes zero. half_sources:
    op_sel chooses halves of its sources, though its result has 32 bits.
    """

    mnemonic: str
    format: str
    opcode: int
    operands: str
    lower: Callable[[Any], None]
    meaning: str
    only_short: bool = False
    floats: int = 0
    two_offsets: int = 0
    keeps_half: bool = False
    zeros_above: bool = False
    vega_keeps: bool = False
    half_sources: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The operands' words."""
        return tuple(self.operands.split())

    @cached_property
    def sources(self) -> int:
        """How many values it reads, masks and descriptors aside."""
        return sum(word[0] in "abc" and not word.endswith("m") for word in self.words)

    @property
    def chosen_halves(self) -> tuple[int, ...]:
        """The bits of op_sel that mean something in VOP3: one a source, and bit 3 the result's."""
        if self.keeps_half:
            return (*range(self.sources), 3)
        return tuple(range(self.sources)) if self.half_sources else ()

    @property
    def mixes(self) -> bool:
        """Whether its sources are floats of either size: then they have signs where other packed instructions have neg_lo and neg_hi."""
        return self.mnemonic.startswith("v_mad_mix")

    @property
    def kind(self) -> str:
        """The form that it has if nothing asks for a different one."""
        return E64 if self.format == "VOP3" else E32

    @property
    def kinds(self) -> tuple[str, ...]:
        """The forms that it has."""
        if self.format not in VOP3_OPCODES:
            return (self.kind,)
        if self.only_short:
            return (E32,)
        return KINDS if self.format != "VOP2" or "literal" not in self.words else (E32,)

    def format_name(self, kind: str) -> str:
        """The format of a form."""
        if kind == E64:
            return "VOP3B" if any(word.startswith("e") for word in self.words) else "VOP3"
        return self.format if kind == E32 else f"{self.format}_{kind}"

    def number(self, kind: str) -> int:
        """The operation's number in a form."""
        return self.opcode + (VOP3_OPCODES.get(self.format, 0) if kind == E64 else 0)

    def place(self, word: str, kind: str) -> Place | None:
        """Where the operand of a word is; None if it is not a register or value."""
        if (word, kind) not in self._places:
            self._places[word, kind] = self._place(word, kind)
        return self._places[word, kind]

    @cached_property
    def _places(self) -> dict[tuple[str, str], Place | None]:
        return {}

    def _place(self, word: str, kind: str) -> Place | None:
        found = _WORD.fullmatch(word)
        if found is None:
            return None
        letter, count, space = found.groups()
        number = 2 if space == "m" else int(count or 1)
        base = self.format_name(kind).partition("_")[0]
        name, holds = FIELDS[base].get(letter, ("", SCALAR))
        if space == "m" and kind != E64:
            sdwa_mask = kind == SDWA_KIND and letter == "d"
            return Place(letter, 2, "sdst" if sdwa_mask else "", SCALAR)
        if kind in (SDWA_KIND, DPP_KIND) and letter == "a":
            name, holds = "vsrc0", VECTOR
        return Place(letter, number, name, SCALAR if space in ("s", "m") and letter in "de" else holds)

    @property
    def returned(self) -> int:
        """Registers of an atomic operation's result: those of its data, half of a compare-and-swap's."""
        data = next(place.count for word in self.words if (place := self.place(word, E32)) is not None and place.letter == "b")
        return data // 2 if "cmpswap" in self.mnemonic else data

    @property
    def syntax(self) -> str:
        """How it is written."""
        return f"{self.mnemonic} {', '.join(_SHOWN.get(word, word) for word in map(self._shown, self.words) if word)}".rstrip()

    def _shown(self, word: str) -> str:
        place = self.place(word, self.kind)
        if place is None:
            return word
        scalar = self.format.startswith("S") or word.endswith(("s", "m"))
        name = {"d": "d", "e": "mask" if word.endswith("m") else "e"}.get(place.letter, place.letter)
        if word in ("dm", "cm"):
            name = "mask"
        wide = f"[{32 * place.count}]" if place.count > 1 and not word.endswith("m") else ""
        return f"{'s' if scalar else 'v' if place.holds == VECTOR else ''}.{name}{wide}".lstrip(".")


_SHOWN = {"imm": "number", "hex": "number", "saddr": "saddr or off", "returned": "[old,]", "address": "address"}


class Written(NamedTuple):
    """An instruction without its place. fields: by name, of its format. literal: the 32 bits after it, or None."""

    row: Row
    kind: str
    fields: Mapping[str, int]
    literal: int | None = None

    @property
    def format(self) -> str:
        """The format that it is in."""
        return self.row.format_name(self.kind)

    def code(self, word: str) -> int:
        """The operand code of a register or value: a vector register is 256 and more."""
        place = self.row.place(word, self.kind)
        assert place is not None
        if not place.field or (place.field == "sdst" and self.kind == SDWA_KIND and not self.fields["sd"]):
            return VCC
        value = self.fields[place.field]
        if place.holds == VECTOR and not (self.kind == SDWA_KIND and self.fields.get({"a": "s0", "b": "s1"}.get(place.letter, ""), 0)):
            value += FIRST_VECTOR
        return value

    def encoded(self) -> bytes:
        """Its bytes."""
        form = FORMATS[self.format]
        found = form.encode({**self.fields, "op": self.row.number(self.kind)}).to_bytes(4 * form.words, "little")
        return found + (self.literal.to_bytes(4, "little") if self.literal is not None else b"")


class Decoded(NamedTuple):
    """An instruction at its place; written: None where the bytes are none."""

    address: int
    size: int
    data: bytes
    written: Written | None

    @property
    def word(self) -> int:
        """Its bits, the first 64."""
        return int.from_bytes(self.data[:8], "little")


def wants_literal(row: Row, fields: Mapping[str, int]) -> bool:
    """Whether 32 bits follow the instruction."""
    if "literal" in row.words:
        return True
    if "gpr_idx" in row.words:
        return fields.get("ssrc0") == LITERAL
    return row.format != "VOP3P" and any(fields.get(name) == LITERAL for name in ("ssrc0", "ssrc1", "src0"))
