"""A: a word of memory read, changed and written back with nothing in between.

A load-reserved remembers address and value in registers of the lane, and a store-conditional is a compare-and-swap against that value. It
fails where another lane has changed the word. A word that was changed and changed back counts as unchanged, which the specification's
reservation would notice; no program can tell by what it finds in memory. A reservation ends with the first store-conditional.
In hardware: a register at the cache that holds the reserved line. Source: RISC-V Unprivileged Specification 20240411, chapter "A".
"""

from __future__ import annotations

from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import Instruction, Lowering, Operands, temporary
from warploom.isa.riscv.registers import RESERVED_ADDRESS, RESERVED_VALUE
from warploom.isa.uop import IMMEDIATE, NONE, Uop, scalar

_ENCODING = "{} aq rl {} rs1 010 rd 0101111"
HELD = scalar(0)  # lanes that hold their reservation, inside a store-conditional; a pair


def _row(mnemonic: str, function: str, meaning: str, lower: Lowering, rs2: str = "rs2", operands: str = "rd, rs2, (rs1)") -> Instruction:
    return Instruction(mnemonic, "A", Encoding(_ENCODING.format(function, rs2)), operands, meaning, lower)


def _atomic(operation: str) -> Lowering:
    return lambda o: [Uop(f"atomic_{operation}", dst=o.rd if o["rd"] else NONE, a=o.rs1, b=o.rs2)]


def _load_reserved(o: Operands) -> list[Uop]:
    """An address is a multiple of 4: with its lowest bit set it is none, and 0 in the register says that nothing is reserved."""
    return [
        Uop("or", dst=RESERVED_ADDRESS, a=o.rs1, b=IMMEDIATE, imm=1),
        Uop("load", dst=RESERVED_VALUE, a=o.rs1),
        Uop("mov", dst=o.rd, a=RESERVED_VALUE),
    ]


def _store_conditional(o: Operands) -> list[Uop]:
    wanted, held, old, same = (temporary(number) for number in range(4))
    return [
        Uop("or", dst=wanted, a=o.rs1, b=IMMEDIATE, imm=1),
        Uop("seq", dst=held, a=wanted, b=RESERVED_ADDRESS),
        Uop("mov", dst=RESERVED_ADDRESS, a=IMMEDIATE, imm=0),
        Uop("ballot", dst=HELD, a=held),
        Uop("atomic_cas", dst=old, a=o.rs1, b=RESERVED_VALUE, c=o.rs2, predicate=HELD),
        Uop("seq", dst=same, a=old, b=RESERVED_VALUE),
        Uop("and", dst=same, a=same, b=held),
        Uop("xor", dst=o.rd, a=same, b=IMMEDIATE, imm=1),
    ]


INSTRUCTIONS: tuple[Instruction, ...] = (
    _row("lr.w", "00010", "rd = the word at rs1, which is reserved", _load_reserved, "00000", "rd, (rs1)"),
    _row("sc.w", "00011", "the word at rs1 = rs2 and rd = 0 where it is reserved and unchanged, else rd = 1", _store_conditional),
    _row("amoswap.w", "00001", "rd = the word at rs1; the word = rs2", _atomic("exchange")),
    _row("amoadd.w", "00000", "rd = the word at rs1; the word = old + rs2", _atomic("add")),
    _row("amoxor.w", "00100", "rd = the word at rs1; the word = old ^ rs2", _atomic("xor")),
    _row("amoand.w", "01100", "rd = the word at rs1; the word = old & rs2", _atomic("and")),
    _row("amoor.w", "01000", "rd = the word at rs1; the word = old | rs2", _atomic("or")),
    _row("amomin.w", "10000", "rd = the word at rs1; the word = the smaller, signed", _atomic("min")),
    _row("amomax.w", "10100", "rd = the word at rs1; the word = the larger, signed", _atomic("max")),
    _row("amominu.w", "11000", "rd = the word at rs1; the word = the smaller, unsigned", _atomic("minu")),
    _row("amomaxu.w", "11100", "rd = the word at rs1; the word = the larger, unsigned", _atomic("maxu")),
)
