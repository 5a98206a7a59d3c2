"""Other names for instructions with certain operands: `ret` for `jalr zero, ra, 0`. Assembler and disassembler know them.

Source: RISC-V Assembly Programmer's Manual, "Pseudo Instructions".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Alias(NamedTuple):
    """given: fields of the instruction that are fixed: numbers, or the name of a field with the same value."""

    mnemonic: str
    operands: str
    base: str
    given: Mapping[str, int | str]
    shown: bool = True  # the disassembler writes it


def _csr(name: str, number: int) -> tuple[Alias, ...]:
    short = {"fflags": "flags", "frm": "rm", "fcsr": "csr"}[name]
    rows = (
        Alias(f"fr{short}", "rd", "csrrs", {"csr": number, "rs1": 0}),
        Alias(f"fs{short}", "rs1", "csrrw", {"csr": number, "rd": 0}),
        Alias(f"fs{short}", "rd, rs1", "csrrw", {"csr": number}),
    )
    if name == "fcsr":
        return rows
    return (*rows, Alias(f"fs{short}i", "zimm", "csrrwi", {"csr": number, "rd": 0}),
            Alias(f"fs{short}i", "rd, zimm", "csrrwi", {"csr": number}))  # fmt: skip


ALIASES: tuple[Alias, ...] = (
    Alias("nop", "", "addi", {"rd": 0, "rs1": 0, "imm": 0}),
    Alias("mv", "rd, rs1", "addi", {"imm": 0}),
    Alias("li", "rd, imm", "addi", {"rs1": 0}),
    Alias("not", "rd, rs1", "xori", {"imm": -1}),
    Alias("neg", "rd, rs2", "sub", {"rs1": 0}),
    Alias("seqz", "rd, rs1", "sltiu", {"imm": 1}),
    Alias("snez", "rd, rs2", "sltu", {"rs1": 0}),
    Alias("sltz", "rd, rs1", "slt", {"rs2": 0}),
    Alias("sgtz", "rd, rs2", "slt", {"rs1": 0}),
    Alias("beqz", "rs1, target", "beq", {"rs2": 0}),
    Alias("bnez", "rs1, target", "bne", {"rs2": 0}),
    Alias("blez", "rs2, target", "bge", {"rs1": 0}),
    Alias("bgez", "rs1, target", "bge", {"rs2": 0}),
    Alias("bltz", "rs1, target", "blt", {"rs2": 0}),
    Alias("bgtz", "rs2, target", "blt", {"rs1": 0}),
    Alias("bgt", "rs2, rs1, target", "blt", {}, shown=False),
    Alias("ble", "rs2, rs1, target", "bge", {}, shown=False),
    Alias("bgtu", "rs2, rs1, target", "bltu", {}, shown=False),
    Alias("bleu", "rs2, rs1, target", "bgeu", {}, shown=False),
    Alias("j", "target", "jal", {"rd": 0}),
    Alias("jal", "target", "jal", {"rd": 1}),
    Alias("call", "target", "jal", {"rd": 1}, shown=False),
    Alias("tail", "target", "jal", {"rd": 0}, shown=False),
    Alias("ret", "", "jalr", {"rd": 0, "rs1": 1, "imm": 0}),
    Alias("jr", "rs1", "jalr", {"rd": 0, "imm": 0}),
    Alias("jalr", "rs1", "jalr", {"rd": 1, "imm": 0}),
    Alias("fmv.s", "fd, fs1", "fsgnj.s", {"rs2": "rs1"}),
    Alias("fneg.s", "fd, fs1", "fsgnjn.s", {"rs2": "rs1"}),
    Alias("fabs.s", "fd, fs1", "fsgnjx.s", {"rs2": "rs1"}),
    Alias("fence", "", "fence", {"pred": 15, "succ": 15}),
    *_csr("fflags", 1),
    *_csr("frm", 2),
    *_csr("fcsr", 3),
    Alias("rdcycle", "rd", "csrrs", {"csr": 0xC00, "rs1": 0}),
    Alias("rdtime", "rd", "csrrs", {"csr": 0xC01, "rs1": 0}),
    Alias("rdcycleh", "rd", "csrrs", {"csr": 0xC80, "rs1": 0}),
    Alias("rdtimeh", "rd", "csrrs", {"csr": 0xC81, "rs1": 0}),
    Alias("unimp", "", "csrrw", {"csr": 0xC00, "rd": 0, "rs1": 0}),
    Alias("csrr", "rd, csr", "csrrs", {"rs1": 0}),
    Alias("csrw", "csr, rs1", "csrrw", {"rd": 0}),
    Alias("csrs", "csr, rs1", "csrrs", {"rd": 0}),
    Alias("csrc", "csr, rs1", "csrrc", {"rd": 0}),
    Alias("csrwi", "csr, zimm", "csrrwi", {"rd": 0}),
    Alias("csrsi", "csr, zimm", "csrrsi", {"rd": 0}),
    Alias("csrci", "csr, zimm", "csrrci", {"rd": 0}),
)


def fits(alias: Alias, values: Mapping[str, int]) -> bool:
    """Whether an instruction's fields are the alias's."""
    return all(values[name] == (values[value] if isinstance(value, str) else value) for name, value in alias.given.items())
