"""Operands of the usual places, which rows are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from warploom.isa.sass.operands import (
    B_IMMEDIATE,
    BARRIER,
    BINDLESS,
    C_FORMS,
    CONSTANT,
    IMMEDIATE,
    PREDICATE,
    REGISTER,
    UNIFORM,
    UNIFORM_PREDICATE,
    Spec,
    Value,
    Wide,
    written,
)
from warploom.isa.sass.word import UNIFORM_ZERO, ZERO, Coded, Field, Span, bits, get, signed

D, A, B, C = 16, 24, 32, 64  # lowest bits of registers


def register(role: str, at: int, **more: Any) -> Spec:
    """A lane register."""
    return Spec(role, REGISTER, at, **more)


def uniform(role: str, at: int, **more: Any) -> Spec:
    """A uniform register."""
    return Spec(role, UNIFORM, at, **more)


def predicate(role: str, at: int, inverted: int = -1, optional: bool = False, uniform: bool = False, **more: Any) -> Spec:
    """A predicate: a source with its NOT, or a destination."""
    return Spec(role, UNIFORM_PREDICATE if uniform else PREDICATE, at, inverted=inverted, optional=optional, **more)


def number(role: str, at: int, width: int, **more: Any) -> Spec:
    """An immediate of so many bits."""
    return Spec(role, IMMEDIATE, at, width=width, **more)


@dataclass(frozen=True)
class Sources(Spec):
    """The source b or c, wherever the form has it. signs: bits of the wide one (negative, absolute, inverted), then of the one at 64."""

    wide_signs: tuple[int, int, int, int] = (-1, -1, -1, -1)
    plain_signs: tuple[int, int, int, int] = (-1, -1, -1, -1)

    def _spec(self, form: int) -> Spec:
        """The operand that it is in a form."""
        return _in_form(self, form)

    def made(self, form: int) -> Spec:
        """The same, made anew."""
        wide = (form in C_FORMS) == (self.role == "c")
        negative, absolute, inverted, swizzle = self.wide_signs if wide else self.plain_signs
        if wide:
            return Wide(self.role, "", B, negative, absolute, inverted, uniform=self.uniform, shown=self.shown, swizzle=swizzle)
        kind = UNIFORM if self.uniform else REGISTER
        return Spec(self.role, kind, C, negative, absolute, inverted, shown=self.shown, swizzle=swizzle)

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return self._spec(form).fields(form)

    def value(self, one: Coded) -> Value:
        """What it is in an instruction."""
        return self._spec(one.form).value(one)

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        if self.when is not None and not self.when(one):
            return None
        return self._spec(one.form).text(one)


@cache
def _in_form(source: Sources, form: int) -> Spec:
    return source.made(form)


@dataclass(frozen=True)
class Other(Sources):
    """Of an instruction with two sources that adds: the second one is b, or the wide c in its forms; the register at 64 means nothing."""

    def made(self, form: int) -> Spec:
        """The operand that it is in a form."""
        negative, absolute, inverted, swizzle = self.wide_signs
        return Wide("c", "", B, negative, absolute, inverted, uniform=self.uniform, shown=self.shown, swizzle=swizzle)


def sources(words: str, signs: str = "", shown: str = "", uniform: bool = False) -> tuple[Spec, ...]:
    """Sources of arithmetic: a, b and c of `words`. signs: `f` (negative, absolute) or `n` (negative). uniform: of the uniform unit."""
    negative, absolute = {"": (False, False), "n": (True, False), "f": (True, True)}[signs]
    at = {"a": (72, 73), "wide": (63, 62), "plain": (75, 74)}
    one = {name: (low if negative else -1, high if absolute else -1) for name, (low, high) in at.items()}
    found: list[Spec] = []
    for word in words:
        if word == "a":
            found.append(Spec("a", UNIFORM if uniform else REGISTER, A, *one["a"]))
        else:
            found.append(
                Sources(word, "", B, shown=shown, uniform=uniform, wide_signs=(*one["wide"], -1, -1), plain_signs=(*one["plain"], -1, -1))
            )
    return tuple(found)


@dataclass(frozen=True)
class Address(Spec):
    """Where a memory access goes: `[R2.64+0x10]`. base, then a uniform register at `uniform_at` if bit 91, then an offset of 24 bits.

    own: of shared or local memory; of global memory the uniform register is a descriptor since sm_80. pair_at: the bit that says that the
    base is a pair of registers; -1 where it always is. mode_at: the bit of an address of 64 bits; -1 where those bits mean something else.
    """

    uniform_at: int = 32
    own: bool = False
    offset: Field = (Span(40, 24),)
    descriptor_at: int = 76
    pair_at: int = 90
    always_descriptor: bool = False
    mode_at: int = 72

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        scale = (
            {"scale": bits(78, 2)}
            if self.own
            else {
                name: bits(place)
                for name, place in (("wide_address", self.mode_at), ("pair", self.pair_at), ("descriptor", self.descriptor_at))
                if place >= 0
            }
        )
        return {"address": bits(A, 8), "offset": self.offset, "uniform": bits(91), "uniform_address": bits(self.uniform_at, 6)} | scale

    def value(self, one: Coded) -> Value:
        """The register, with the offset as its bank."""
        return Value(REGISTER, one.at(A, 8), self.displacement(one))

    def displacement(self, one: Coded) -> int:
        """The offset, in bytes."""
        return signed(get(one.word, self.offset), sum(width for _, width in self.offset))

    def uniform_value(self, one: Coded) -> Value | None:
        """The uniform register, if it has one."""
        return Value(UNIFORM, one.at(self.uniform_at, 6)) if one.word >> 91 & 1 else None

    def added(self, one: Coded) -> Value | None:
        """The uniform register that is added to the address: one that is not a descriptor."""
        return (
            self.uniform_value(one)
            if self.own or one.architecture < 80 or not (self.always_descriptor or one.word >> self.descriptor_at & 1)
            else None
        )

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        base, offset, added = one.at(A, 8), self.displacement(one), self.added(one)
        parts = []
        if base != ZERO or (added is None and not offset):
            text = ("RZ" if base == ZERO else f"R{base}") + (".reuse" if one.reused("address") else "")
            if self.own:
                text += ("", ".X4", ".X8", ".X16")[one.at(78, 2)] if one.name != "LDSM" else ""
            elif self.pair_at < 0 or one.word >> self.pair_at & 1:
                text += ".64" if one.architecture >= 80 or added is not None else ""
            elif one.word >> 72 & 1 and one.word >> 91 & 1 and added is not None:
                text += ".U32"
            parts.append(text)
        if added is not None:
            parts.append(written(added))
        inside = "+".join(parts)
        if offset or not inside:
            inside += ("+" if inside else "") + (f"{offset:#x}" if offset >= 0 else f"-{-offset:#x}")
        descriptor = self.uniform_value(one) if added is None else None
        if descriptor is not None and one.architecture >= 90:
            return f"desc[{written(descriptor)}][{inside}]"
        return f"[{inside}]"


@dataclass(frozen=True)
class BankAddress(Spec):
    """A constant that a register chooses: `c[0x3][R4+0x10]`."""

    register_kind: str = REGISTER

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        width = 8 if self.register_kind == REGISTER else 6
        return {"address": bits(A, width), "offset": bits(38, 16), "bank": bits(54, 5), "uniform": bits(91)}

    def value(self, one: Coded) -> Value:
        """The constant at the offset."""
        return Value(CONSTANT, one.at(38, 16), one.at(54, 5))

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        offset, bank = one.at(38, 16), f"c[{one.at(54, 5):#x}]"
        if not self.register_kind:
            return f"cx[UR{one.at(A, 6)}][{offset:#x}]" if one.word >> 91 & 1 and one.at(A, 6) else f"{bank}[{offset:#x}]"
        width, zero, letter = (6, UNIFORM_ZERO, "UR") if self.register_kind == UNIFORM else (8, ZERO, "R")
        base = one.at(A, width)
        if base == zero:
            return f"{bank}[{offset:#x}]" if offset else f"{bank}[{letter}Z]"
        shown = signed(offset, 16)
        register = f"{letter}{base}" + (".reuse" if one.reused("address") and letter == "R" else "")
        return f"{bank}[{register}" + (f"+{shown:#x}" if shown > 0 else f"+-{-shown:#x}" if shown < 0 else "") + "]"


@dataclass(frozen=True)
class Target(Spec):
    """Where a jump goes: an address, counted in words of 4 bytes from the next instruction on."""

    low: int = 34
    count: int = 48
    more: bool = True  # sm_90 has eight bits more, at 16
    always: bool = True

    def place(self, one: Coded) -> Field:
        """Its bits."""
        if self.more and one.architecture >= 90:
            return (*bits(D, 8), *bits(self.low, self.count))
        return bits(self.low, self.count)

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return {"distance": bits(self.low, self.count)} | ({"distance_low": bits(D, 8)} if self.more else {})

    def value(self, one: Coded) -> Value:
        """The address."""
        place = self.place(one)
        distance = signed(get(one.word, place), sum(width for _, width in place))
        return Value("target", one.address + 16 + 4 * distance)

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        if self.when is not None and not self.when(one):
            return None
        target = self.value(one).number
        return f"{target:#x}" if target >= 0 else f"-{-target:#x}"


def barrier(role: str, at: int) -> Spec:
    """A convergence barrier."""
    return Spec(role, BARRIER, at)


def is_set(bit: int) -> Callable[[Coded], bool]:
    """Whether a bit of an instruction is 1."""
    return lambda one: bool(one.word >> bit & 1)


__all__ = [
    "BINDLESS",
    "B_IMMEDIATE",
    "A",
    "Address",
    "B",
    "BankAddress",
    "C",
    "D",
    "Other",
    "Sources",
    "Target",
    "barrier",
    "is_set",
    "number",
    "predicate",
    "register",
    "sources",
    "uniform",
]  # fmt: skip
