"""C: the most frequent instructions in 16 bits. Each stands for one of 32 bits, which it is decoded to.

In hardware: a table before the decoder, and a fetch unit that takes instructions from any even address; programs become a quarter shorter.
Source: RISC-V Unprivileged Specification 20240411, chapter "C", tables "Instruction listing for RVC".
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import Instruction, full_registers

Values = Mapping[str, int]


def _row(
    mnemonic: str, encoding: str, operands: str, base: str, excluded: dict[str, tuple[int, ...]] | None = None, **given: int | str
) -> Instruction:
    """`given`: fields of the instruction that it stands for: a number, or the name of the field that has the value."""

    def expands(values: Values) -> tuple[str, dict[str, int]]:
        own = full_registers(values)
        own |= {name: own[value] if isinstance(value, str) else value for name, value in given.items()}
        return base, own

    meaning = f"as {base}"
    return Instruction(mnemonic, "C", Encoding(encoding, 16), operands, meaning, excluded=excluded or {}, expands=expands)


_ZERO: dict[str, tuple[int, ...]] = {"rd": (0,)}
_CB = "{} imm[8|4:3] rs1' imm[7:6|2:1|5] 01"
_CJ = "{} imm[11|4|9:8|10|6|7|3:1|5] 01"
_CA = "100 0 11 rd' {} rs2' 01"

INSTRUCTIONS: tuple[Instruction, ...] = (
    _row("c.addi4spn", "000 uimm[5:4|9:6|2|3] rd' 00", "rd', sp, uimm", "addi", {"uimm": (0,)}, rs1=2, imm="uimm"),
    _row("c.lw", "010 uimm[5:3] rs1' uimm[2|6] rd' 00", "rd', uimm(rs1')", "lw", imm="uimm"),
    _row("c.flw", "011 uimm[5:3] rs1' uimm[2|6] rd' 00", "fd', uimm(rs1')", "flw", imm="uimm"),
    _row("c.sw", "110 uimm[5:3] rs1' uimm[2|6] rs2' 00", "rs2', uimm(rs1')", "sw", imm="uimm"),
    _row("c.fsw", "111 uimm[5:3] rs1' uimm[2|6] rs2' 00", "fs2', uimm(rs1')", "fsw", imm="uimm"),
    _row("c.nop", "000 0 00000 00000 01", "", "addi", rd=0, rs1=0, imm=0),
    _row("c.addi", "000 imm[5] rd imm[4:0] 01", "rd, imm", "addi", {"rd": (0,), "imm": (0,)}, rs1="rd"),
    _row("c.jal", _CJ.format("001"), "target", "jal", rd=1),
    _row("c.li", "010 imm[5] rd imm[4:0] 01", "rd, imm", "addi", _ZERO, rs1=0),
    _row("c.addi16sp", "011 imm[9] 00010 imm[4|6|8:7|5] 01", "sp, imm", "addi", {"imm": (0,)}, rd=2, rs1=2),
    _row("c.lui", "011 imm[17] rd imm[16:12] 01", "rd, imm", "lui", {"rd": (0, 2), "imm": (0,)}),
    _row("c.srli", "100 0 00 rd' shamt 01", "rd', shamt", "srli", {"shamt": (0,)}, rs1="rd"),
    _row("c.srai", "100 0 01 rd' shamt 01", "rd', shamt", "srai", {"shamt": (0,)}, rs1="rd"),
    _row("c.andi", "100 imm[5] 10 rd' imm[4:0] 01", "rd', imm", "andi", rs1="rd"),
    _row("c.sub", _CA.format("00"), "rd', rs2'", "sub", rs1="rd"),
    _row("c.xor", _CA.format("01"), "rd', rs2'", "xor", rs1="rd"),
    _row("c.or", _CA.format("10"), "rd', rs2'", "or", rs1="rd"),
    _row("c.and", _CA.format("11"), "rd', rs2'", "and", rs1="rd"),
    _row("c.j", _CJ.format("101"), "target", "jal", rd=0),
    _row("c.beqz", _CB.format("110"), "rs1', target", "beq", rs2=0),
    _row("c.bnez", _CB.format("111"), "rs1', target", "bne", rs2=0),
    _row("c.slli", "000 0 rd shamt 10", "rd, shamt", "slli", {"rd": (0,), "shamt": (0,)}, rs1="rd"),
    _row("c.lwsp", "010 uimm[5] rd uimm[4:2|7:6] 10", "rd, uimm(sp)", "lw", _ZERO, rs1=2, imm="uimm"),
    _row("c.flwsp", "011 uimm[5] rd uimm[4:2|7:6] 10", "fd, uimm(sp)", "flw", rs1=2, imm="uimm"),
    _row("c.jr", "100 0 rs1 00000 10", "rs1", "jalr", {"rs1": (0,)}, rd=0, imm=0),
    _row("c.mv", "100 0 rd rs2 10", "rd, rs2", "add", {"rd": (0,), "rs2": (0,)}, rs1=0),
    _row("c.ebreak", "100 1 00000 00000 10", "", "ebreak"),
    _row("c.jalr", "100 1 rs1 00000 10", "rs1", "jalr", {"rs1": (0,)}, rd=1, imm=0),
    _row("c.add", "100 1 rd rs2 10", "rd, rs2", "add", {"rd": (0,), "rs2": (0,)}, rs1="rd"),
    _row("c.swsp", "110 uimm[5:2|7:6] rs2 10", "rs2, uimm(sp)", "sw", rs1=2, imm="uimm"),
    _row("c.fswsp", "111 uimm[5:2|7:6] rs2 10", "fs2, uimm(sp)", "fsw", rs1=2, imm="uimm"),
)
