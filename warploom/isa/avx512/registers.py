"""x86's registers, as the machine's: a warp of 16 lanes is one thread of a CPU.

zmm0 to zmm31 are lane registers, an element of 32 bits a lane. What a thread has once is scalar: opmasks k0 to k7 and general registers, 64
bits each, as pairs with the low word first; and the flags, a word each that holds 0 or 1. After the zmm registers comes one that no
instruction names, with each lane's distance in memory from lane 0.
"""

from __future__ import annotations

from warploom.isa.uop import HIDDEN, HIDDEN_SCALARS, scalar

LANES = 16
WIDTHS = {128: "xmm", 256: "ymm", 512: "zmm"}  # by bits; a register of fewer has its first lanes
GENERAL = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{n}" for n in range(8, 16)))
WORDS = (*(f"e{name[1:]}" for name in GENERAL[:8]), *(f"r{n}d" for n in range(8, 16)))
HALVES = (*(name[1:] for name in GENERAL[:8]), *(f"r{n}w" for n in range(8, 16)))
BYTES = ("al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", *(f"r{n}b" for n in range(8, 16)))
HIGH_BYTES = ("ah", "ch", "dh", "bh")  # encoded as 4 to 7, where there is no REX prefix
FLAGS = "CPZSO"  # carry, parity, zero, sign, overflow
RAX, RCX, RDX, RSP, RBP, RSI, RDI = 0, 1, 2, 4, 5, 6, 7

OFFSETS = 32  # lane register: 4 * lane
REGISTERS = 33
REGISTER_NAMES = (*(f"zmm{n}" for n in range(32)), "")

_MASKS, _GENERAL, _FLAGS, _KEPT = 0, 16, 48, 53
SCALARS = 55
SCALAR_NAMES = (
    *(name for n in range(8) for name in (f"k{n}", f"k{n}.high")),
    *(name for register in GENERAL for name in (register, f"{register}.high")),
    *(f"{letter}F" for letter in FLAGS), "", "",
)  # fmt: skip
KEPT = scalar(_KEPT)  # from the first half of an instruction that issues in two to the second


def mask(number: int, word: int = 0) -> int:
    """The scalar register of an opmask: its low or high 32 bits."""
    return scalar(_MASKS + 2 * number + word)


def general(number: int, word: int = 0) -> int:
    """The scalar register of a general register: its low or high 32 bits."""
    return scalar(_GENERAL + 2 * number + word)


def flag(letter: str) -> int:
    """The scalar register of a flag, a letter of FLAGS."""
    return scalar(_FLAGS + FLAGS.index(letter))


def lane_temporary(number: int) -> int:
    """A lane register inside an instruction."""
    return HIDDEN + number


def scalar_temporary(number: int) -> int:
    """A scalar register inside an instruction."""
    return scalar(HIDDEN_SCALARS + number)
