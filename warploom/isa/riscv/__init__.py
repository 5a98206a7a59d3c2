"""RISC-V: RV32I with M, A, F, C, Zicsr and Zicond, as text and as words. A thread is a hart."""

from warploom.isa.riscv.front_end import load
from warploom.isa.riscv.table import INSTRUCTIONS, TABLE, meanings
from warploom.isa.riscv.words import CODE

__all__ = ["CODE", "INSTRUCTIONS", "TABLE", "load", "meanings"]
