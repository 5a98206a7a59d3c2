"""The operands of guppy, and how they are written: `str(operand)` is the text that the parser reads back.

A register has four components of 32 raw bits each; an operand names up to four of them, in any order. As a source,
component i of the operand is the component that letter i names, and 0 where there is no letter i.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

COMPONENTS = "xyzw"
REGISTER_COUNT = 128


@dataclass(frozen=True)
class Register:
    """`r3.xy`: register number and the components named, 0 to 3 for x to w."""

    number: int
    swizzle: tuple[int, ...]

    def __str__(self) -> str:
        return f"r{self.number}.{letters(self.swizzle)}"


@dataclass(frozen=True)
class View:
    """`t0.x` (read only) or `u0.x` (writable): a buffer, texture or image and the components named."""

    name: str
    swizzle: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}.{letters(self.swizzle)}"


@dataclass(frozen=True)
class Sampler:
    """`s0`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Immediate:
    """`u2(1 0xff)` or `f(0.5)`: kind is u or f, words are the raw bits of each component."""

    kind: str
    words: tuple[int, ...]

    def __str__(self) -> str:
        numbers = " ".join(str(word) if self.kind == "u" else float_text(word) for word in self.words)
        count = len(self.words)
        return f"{self.kind}{count if count > 1 else ''}({numbers})"


@dataclass(frozen=True)
class Builtin:
    """`thread_id`, `lane_id`, `wave_id` or `clock`: the same number in all four components."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Label:
    """The name of a label."""

    name: str

    def __str__(self) -> str:
        return self.name


Operand = Register | View | Sampler | Immediate | Builtin | Label


def letters(swizzle: tuple[int, ...]) -> str:
    """Component numbers as letters: (0, 3) is `xw`."""
    return "".join(COMPONENTS[component] for component in swizzle)


def float_bits(text: str) -> int:
    """The bits of the 32-bit float nearest to a decimal number; also `nan`, `inf` and `-inf`. Raises ValueError.

    A number rounded to 64 bits and then to 32 may be off by one: where the 64-bit number lies half way, the text decides.
    """
    wide = float(text)
    with np.errstate(over="ignore"):
        near = np.float32(wide)
        around = (np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf)))
    if np.isnan(near):
        return 0xFFC00000 if text.startswith("-") else 0x7FC00000
    if wide != 0 and np.isfinite(near):
        exact = Fraction(text)
        finite = [candidate for candidate in around if np.isfinite(candidate)]
        near = min(finite, key=lambda candidate: (abs(Fraction(float(candidate)) - exact), int(candidate.view(np.uint32)) & 1))
    return int(near.view(np.uint32)) if near != 0 else (0x80000000 if text.startswith("-") else 0)


def float_text(bits: int) -> str:
    """The shortest decimal number that `float_bits` turns into these bits (a NaN keeps its sign only)."""
    value = np.uint32(bits).view(np.float32)
    if np.isnan(value):
        return "-nan" if bits >> 31 else "nan"
    return str(value)
