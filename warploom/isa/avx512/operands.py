"""What an instruction works on: registers, immediates and memory, as an encoder, a decoder and a parser of text know them."""

from __future__ import annotations

from typing import NamedTuple

from warploom.isa.avx512.registers import BYTES, GENERAL, HALVES, HIGH_BYTES, WIDTHS, WORDS


class Register(NamedTuple):
    """kind: a width of a vector ("xmm", "ymm", "zmm"), "k", or bits of a general register ("r64", "r32", "r16", "r8", "high")."""

    kind: str
    number: int

    def __str__(self) -> str:
        names = {"r64": GENERAL, "r32": WORDS, "r16": HALVES, "r8": BYTES, "high": ("",) * 4 + HIGH_BYTES}
        return names[self.kind][self.number] if self.kind in names else f"{self.kind}{self.number}"


class Memory(NamedTuple):
    """An address: base + indexed * scale + displacement; indexed is a vector register of a gather or scatter. relative: to the next
    instruction.

    base, indexed: numbers of general registers, or -1. size: bits that the text says, or 0. broadcast: one element for all lanes. label: a
    name whose address is added.
    """

    base: int = -1
    indexed: int = -1
    scale: int = 1
    displacement: int = 0
    relative: bool = False
    vector: str = ""  # kind of the index register, where it is a vector
    size: int = 0
    broadcast: bool = False
    label: str = ""


class Immediate(NamedTuple):
    """A number; of a jump the address that it leads to. label: a name instead."""

    value: int
    label: str = ""


Operand = Register | Memory | Immediate

REGISTERS: dict[str, Register] = {
    **{f"{kind}{n}": Register(kind, n) for kind in WIDTHS.values() for n in range(32)},
    **{f"k{n}": Register("k", n) for n in range(8)},
    **{name: Register("r64", n) for n, name in enumerate(GENERAL)},
    **{name: Register("r32", n) for n, name in enumerate(WORDS)},
    **{name: Register("r16", n) for n, name in enumerate(HALVES)},
    **{name: Register("r8", n) for n, name in enumerate(BYTES)},
    **{name: Register("high", n + 4) for n, name in enumerate(HIGH_BYTES)},
}


class Written(NamedTuple):
    """The operands of an instruction and what stands at them: an opmask (0: none), {z}, and a rounding such as "rn-sae", or ""."""

    operands: tuple[Operand, ...]
    mask: int = 0
    zeroing: bool = False
    rounding: str = ""
