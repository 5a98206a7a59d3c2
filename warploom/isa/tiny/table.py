"""The instruction set of tiny-gpu: one row per instruction.

An instruction is 16 bits: the opcode in bits 15..12 and up to three fields below it. `INSTRUCTIONS` says for each one
its name, its opcode, which fields it has and in which order they are written, what it means, and the micro-op that
does it. Assembler, encoder, decoder, disassembler and documentation are made from that table.

Source: the opcodes 0 to 9 and 15 are tiny-gpu's (its `src/decoder.sv`); on its hardware 10 to 14 do nothing. Here
10, 11 and 12 are extensions for a machine with shared memory and block barriers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from warploom.isa.uop import HIDDEN, IMMEDIATE, SHARED_SPACE, Uop

PROGRAM_ROWS = 256  # instructions that program memory holds: its addresses have 8 bits
DATA_ROWS = 256  # bytes that data memory holds: its addresses have 8 bits
BYTE = 255  # the largest value of a register, an immediate, an address
WORD_MASK = 0xFFFF

# Registers by number; 13 to 15 are written by the hardware alone. A thread's three condition bits are a register too.
REGISTER_NAMES = (*(f"R{number}" for number in range(13)), "%blockIdx", "%blockDim", "%threadIdx", "nzp")
WRITABLE = 13  # registers below this number can be written
ENCODED_REGISTERS = 16  # registers that a field of four bits can name
NZP = 16
REGISTERS = len(REGISTER_NAMES)

# Condition bits, as CMP leaves them and as BR asks for them: negative, zero, positive.
CONDITIONS = "nzp"
CONDITION_BITS = {"n": 4, "z": 2, "p": 1}
ANY_CONDITION = 7


class Field(NamedTuple):
    """Where an operand lies in the word. kind: register, immediate, condition or target."""

    shift: int
    bits: int
    kind: str
    written: str
    role: str

    def put(self, value: int) -> int:
        """The word's bits for a value."""
        return value << self.shift

    def get(self, word: int) -> int:
        """The value in a word."""
        return word >> self.shift & (1 << self.bits) - 1


FIELDS = {
    "d": Field(8, 4, "register", "Rd", "destination"),
    "s": Field(4, 4, "register", "Rs", "first source"),
    "t": Field(0, 4, "register", "Rt", "second source"),
    "i": Field(0, 8, "immediate", "#imm", "a number from 0 to 255"),
    "c": Field(9, 3, "condition", "nzp", "condition: n in bit 11, z in bit 10, p in bit 9"),
    "a": Field(0, 8, "target", "label", "address of an instruction"),
}


@dataclass(frozen=True)
class Fields:
    """What the decoder takes out of a word, whatever the opcode."""

    word: int

    @property
    def rd(self) -> int:
        """Where a result goes. The hardware ignores writes to its read-only registers: those go where nobody looks."""
        number = FIELDS["d"].get(self.word)
        return number if number < WRITABLE else HIDDEN

    @property
    def rs(self) -> int:
        """Number of the first source register."""
        return FIELDS["s"].get(self.word)

    @property
    def rt(self) -> int:
        """Number of the second source register."""
        return FIELDS["t"].get(self.word)

    @property
    def immediate(self) -> int:
        """The low byte, as a number or as an instruction's address."""
        return FIELDS["i"].get(self.word)

    @property
    def condition(self) -> int:
        """The condition bits that BR asks for."""
        return FIELDS["c"].get(self.word)


class Instruction(NamedTuple):
    """One row. operands: letters of FIELDS in the order in which they are written; `c` is a suffix of the mnemonic."""

    mnemonic: str
    opcode: int
    operands: str
    meaning: str
    micro_op: Callable[[Fields], Uop]
    extension: bool = False

    @property
    def written(self) -> str:
        """The operands that follow the mnemonic, as letters."""
        return self.operands.replace("c", "")

    @property
    def syntax(self) -> str:
        """How it is written: `ADD Rd, Rs, Rt`."""
        suffix = CONDITIONS if "c" in self.operands else ""
        return f"{self.mnemonic}{suffix} {', '.join(FIELDS[letter].written for letter in self.written)}".rstrip()

    @property
    def mask(self) -> int:
        """The bits that are the same in every word that this row encodes: the opcode, and zeros where no field is."""
        free = 0
        for letter in self.operands:
            free |= FIELDS[letter].put((1 << FIELDS[letter].bits) - 1)
        return WORD_MASK & ~free

    def encode(self, values: dict[str, int]) -> int:
        """The word for a value a field letter."""
        return self.opcode << 12 | sum(FIELDS[letter].put(values[letter]) for letter in self.operands)

    def matches(self, word: int) -> bool:
        """Whether this row can write exactly this word: its opcode, zeros in the unused bits, at least one condition."""
        return word & self.mask == self.opcode << 12 and ("c" not in self.operands or FIELDS["c"].get(word) != 0)


def _arithmetic(name: str) -> Callable[[Fields], Uop]:
    return lambda f: Uop(name, dst=f.rd, a=f.rs, b=f.rt, size=1)


INSTRUCTIONS: tuple[Instruction, ...] = (
    Instruction("NOP", 0, "", "nothing", lambda f: Uop("nop")),
    Instruction(
        "BR", 1, "ca", "goes to the label if CMP left one of the named conditions; BR alone asks for any of the three",
        lambda f: Uop("branch", a=NZP, imm=f.condition, target=f.immediate),
    ),
    Instruction("CMP", 2, "st", "nzp = how Rs compares to Rt: below, equal, above",
                lambda f: Uop("compare", dst=NZP, a=f.rs, b=f.rt, size=1)),
    Instruction("ADD", 3, "dst", "Rd = Rs + Rt, modulo 256", _arithmetic("add")),
    Instruction("SUB", 4, "dst", "Rd = Rs - Rt, modulo 256", _arithmetic("sub")),
    Instruction("MUL", 5, "dst", "Rd = Rs * Rt, modulo 256", _arithmetic("mul")),
    Instruction("DIV", 6, "dst", "Rd = Rs / Rt, unsigned, rounded down", _arithmetic("divu")),
    Instruction("LDR", 7, "ds", "Rd = data memory at address Rs", lambda f: Uop("load", dst=f.rd, a=f.rs, size=1)),
    Instruction("STR", 8, "st", "data memory at address Rs = Rt", lambda f: Uop("store", a=f.rs, b=f.rt, size=1)),
    Instruction("CONST", 9, "di", "Rd = the number", lambda f: Uop("mov", dst=f.rd, a=IMMEDIATE, imm=f.immediate, size=1)),
    Instruction(
        "LDS", 10, "ds", "Rd = the block's shared memory at address Rs",
        lambda f: Uop("load", dst=f.rd, a=f.rs, size=1, space=SHARED_SPACE), extension=True,
    ),
    Instruction(
        "STS", 11, "st", "the block's shared memory at address Rs = Rt",
        lambda f: Uop("store", a=f.rs, b=f.rt, size=1, space=SHARED_SPACE), extension=True,
    ),
    Instruction("BAR", 12, "", "waits until every thread of the block is here", lambda f: Uop("barrier", a=IMMEDIATE), extension=True),
    Instruction("RET", 15, "", "the thread ends; a block ends with its threads", lambda f: Uop("exit")),
)  # fmt: skip
BY_OPCODE = {row.opcode: row for row in INSTRUCTIONS}
BY_MNEMONIC = {row.mnemonic: row for row in INSTRUCTIONS}


def row_of(word: int) -> Instruction | None:
    """The row whose instruction the hardware executes for a word; None for the opcodes that do nothing (13, 14)."""
    return BY_OPCODE.get(word >> 12)


def condition_suffix(bits: int) -> str:
    """`nz` for 6: a BR's suffix."""
    return "".join(letter for letter in CONDITIONS if bits & CONDITION_BITS[letter])


def markdown_table() -> str:
    """The instruction set as a Markdown table."""
    lines = ["| instruction | opcode | bits 15..0 | meaning |", "|---|---|---|---|"]
    for row in INSTRUCTIONS:
        note = " (extension)" if row.extension else ""
        lines.append(f"| `{row.syntax}` | {row.opcode} | `{_picture(row)}` | {row.meaning}{note} |")
    return "\n".join(lines) + "\n"


def _picture(row: Instruction) -> str:
    """A word's sixteen bits: digits where they are fixed, the field's letter elsewhere."""
    bits = list(f"{row.opcode << 12:016b}")
    for letter in row.operands:
        field = FIELDS[letter]
        for bit in range(field.shift, field.shift + field.bits):
            bits[15 - bit] = letter
    return " ".join("".join(bits[start : start + 4]) for start in range(0, 16, 4))


def meanings() -> dict[str, tuple[str, str]]:
    """By mnemonic: how an instruction is written, and what it does. For views, which know no instruction set."""
    return {row.mnemonic: (row.syntax, row.meaning) for row in INSTRUCTIONS}
