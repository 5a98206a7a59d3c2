"""M: multiplication and division, and Zicond: a choice without a branch.

Source: RISC-V Unprivileged Specification 20240411, chapters "M" and "Zicond".
"""

from __future__ import annotations

from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import Instruction, Lowering, Operands, arithmetic
from warploom.isa.uop import IMMEDIATE, Uop


def _row(mnemonic: str, function: str, meaning: str, operation: str) -> Instruction:
    encoding = Encoding(f"0000001 rs2 rs1 {function} rd 0110011")
    return Instruction(mnemonic, "M", encoding, "rd, rs1, rs2", meaning, arithmetic(operation))


def _zero(where_zero: bool) -> Lowering:
    def lower(o: Operands) -> list[Uop]:
        chosen = {"a": IMMEDIATE, "b": o.rs1} if not where_zero else {"a": o.rs1, "b": IMMEDIATE}
        return [Uop("sel", dst=o.rd, c=o.rs2, **chosen)]

    return lower


INSTRUCTIONS: tuple[Instruction, ...] = (
    _row("mul", "000", "rd = low 32 bits of rs1 * rs2", "mul"),
    _row("mulh", "001", "rd = high 32 bits of rs1 * rs2, both signed", "mulh"),
    _row("mulhsu", "010", "rd = high 32 bits of rs1 * rs2, rs1 signed, rs2 unsigned", "mulhsu"),
    _row("mulhu", "011", "rd = high 32 bits of rs1 * rs2, both unsigned", "mulhu"),
    _row("div", "100", "rd = rs1 / rs2 signed, towards zero; -1 where rs2 is 0", "div"),
    _row("divu", "101", "rd = rs1 / rs2 unsigned; all ones where rs2 is 0", "divu"),
    _row("rem", "110", "rd = remainder of div; rs1 where rs2 is 0", "rem"),
    _row("remu", "111", "rd = remainder of divu; rs1 where rs2 is 0", "remu"),
    Instruction("czero.eqz", "Zicond", Encoding("0000111 rs2 rs1 101 rd 0110011"), "rd, rs1, rs2", "rd = 0 where rs2 is 0, else rs1",
                _zero(True)),
    Instruction("czero.nez", "Zicond", Encoding("0000111 rs2 rs1 111 rd 0110011"), "rd, rs1, rs2", "rd = 0 where rs2 is not 0, else rs1",
                _zero(False)),
)  # fmt: skip
