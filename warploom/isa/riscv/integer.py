"""RV32I: the base instructions on 32-bit integers, loads, stores, branches and jumps.

Source: RISC-V Unprivileged Specification 20240411, chapter "RV32I Base Integer Instruction Set".
"""

from __future__ import annotations

from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import Instruction, Lowering, Operands, arithmetic, temporary, with_immediate
from warploom.isa.uop import FENCE_DEVICE, IMMEDIATE, NEGATE, NONE, SIGNED, Uop


def _row(mnemonic: str, encoding: str, operands: str, meaning: str, lower: Lowering) -> Instruction:
    return Instruction(mnemonic, "I", Encoding(encoding), operands, meaning, lower)


def _branch(comparison: str, negated: bool = False) -> Lowering:
    def lower(o: Operands) -> list[Uop]:
        compared = Uop(comparison, dst=temporary(0), a=o.rs1, b=o.rs2)
        return [compared, Uop("branch", a=temporary(0), imm=1, target=o.target, flags=NEGATE if negated else 0)]

    return lower


def _load(size: int, flags: int = 0) -> Lowering:
    return lambda o: [Uop("load", dst=o.rd, a=o.rs1, imm=o.imm, size=size, flags=flags)]


def _store(size: int) -> Lowering:
    return lambda o: [Uop("store", a=o.rs1, b=o.rs2, imm=o.imm, size=size)]


def _jump(o: Operands) -> list[Uop]:
    return [Uop("jump", target=o.target) if o.link == NONE else Uop("call", dst=o.link, target=o.target)]


def _constant(o: Operands) -> list[Uop]:
    return [Uop("mov", dst=o.rd, a=IMMEDIATE, imm=o["imm"])]


def _address(o: Operands) -> list[Uop]:
    return [Uop("mov", dst=o.rd, a=IMMEDIATE, imm=o.address + o["imm"])]


_BRANCH = "imm[12|10:5] rs2 rs1 {} imm[4:1|11] 1100011"
_LOAD = "imm[11:0] rs1 {} rd 0000011"
_STORE = "imm[11:5] rs2 rs1 {} imm[4:0] 0100011"
_IMMEDIATE = "imm[11:0] rs1 {} rd 0010011"
_SHIFT = "{} shamt rs1 {} rd 0010011"
_REGISTER = "{} rs2 rs1 {} rd 0110011"

INSTRUCTIONS: tuple[Instruction, ...] = (
    _row("lui", "imm[31:12] rd 0110111", "rd, imm", "rd = imm, a multiple of 4096 (written without its twelve zeros)", _constant),
    _row("auipc", "imm[31:12] rd 0010111", "rd, imm", "rd = own address + imm, a multiple of 4096 (written without its twelve zeros)",
         _address),
    _row("jal", "imm[20|10:1|11|19:12] rd 1101111", "rd, target", "rd = address of the next instruction; goes to own address + imm", _jump),
    _row("jalr", "imm[11:0] rs1 000 rd 1100111", "rd, rs1, imm", "rd = address of the next instruction; goes to rs1 + imm, lowest bit 0",
         lambda o: [Uop("jump_register", dst=o.link, a=o.rs1, imm=o.imm, target=o.leads_to)]),
    _row("beq", _BRANCH.format("000"), "rs1, rs2, target", "goes to own address + imm where rs1 == rs2", _branch("seq")),
    _row("bne", _BRANCH.format("001"), "rs1, rs2, target", "goes to own address + imm where rs1 != rs2", _branch("sne")),
    _row("blt", _BRANCH.format("100"), "rs1, rs2, target", "goes to own address + imm where rs1 < rs2, signed", _branch("slt")),
    _row("bge", _BRANCH.format("101"), "rs1, rs2, target", "goes to own address + imm where rs1 >= rs2, signed", _branch("slt", True)),
    _row("bltu", _BRANCH.format("110"), "rs1, rs2, target", "goes to own address + imm where rs1 < rs2, unsigned", _branch("sltu")),
    _row("bgeu", _BRANCH.format("111"), "rs1, rs2, target", "goes to own address + imm where rs1 >= rs2, unsigned", _branch("sltu", True)),
    _row("lb", _LOAD.format("000"), "rd, imm(rs1)", "rd = the signed byte at rs1 + imm", _load(1, SIGNED)),
    _row("lh", _LOAD.format("001"), "rd, imm(rs1)", "rd = the signed 16 bits at rs1 + imm", _load(2, SIGNED)),
    _row("lw", _LOAD.format("010"), "rd, imm(rs1)", "rd = the 32 bits at rs1 + imm", _load(4)),
    _row("lbu", _LOAD.format("100"), "rd, imm(rs1)", "rd = the byte at rs1 + imm", _load(1)),
    _row("lhu", _LOAD.format("101"), "rd, imm(rs1)", "rd = the 16 bits at rs1 + imm", _load(2)),
    _row("sb", _STORE.format("000"), "rs2, imm(rs1)", "the byte at rs1 + imm = low 8 bits of rs2", _store(1)),
    _row("sh", _STORE.format("001"), "rs2, imm(rs1)", "the 16 bits at rs1 + imm = low 16 bits of rs2", _store(2)),
    _row("sw", _STORE.format("010"), "rs2, imm(rs1)", "the 32 bits at rs1 + imm = rs2", _store(4)),
    _row("addi", _IMMEDIATE.format("000"), "rd, rs1, imm", "rd = rs1 + imm", with_immediate("add")),
    _row("slti", _IMMEDIATE.format("010"), "rd, rs1, imm", "rd = 1 where rs1 < imm signed, else 0", with_immediate("slt")),
    _row("sltiu", _IMMEDIATE.format("011"), "rd, rs1, imm", "rd = 1 where rs1 < imm, both unsigned, else 0", with_immediate("sltu")),
    _row("xori", _IMMEDIATE.format("100"), "rd, rs1, imm", "rd = rs1 ^ imm", with_immediate("xor")),
    _row("ori", _IMMEDIATE.format("110"), "rd, rs1, imm", "rd = rs1 | imm", with_immediate("or")),
    _row("andi", _IMMEDIATE.format("111"), "rd, rs1, imm", "rd = rs1 & imm", with_immediate("and")),
    _row("slli", _SHIFT.format("0000000", "001"), "rd, rs1, shamt", "rd = rs1 << shamt", with_immediate("shl", "shamt")),
    _row("srli", _SHIFT.format("0000000", "101"), "rd, rs1, shamt", "rd = rs1 >> shamt, zeros come in", with_immediate("shr", "shamt")),
    _row("srai", _SHIFT.format("0100000", "101"), "rd, rs1, shamt", "rd = rs1 >> shamt, the sign comes in", with_immediate("sra", "shamt")),
    _row("add", _REGISTER.format("0000000", "000"), "rd, rs1, rs2", "rd = rs1 + rs2", arithmetic("add")),
    _row("sub", _REGISTER.format("0100000", "000"), "rd, rs1, rs2", "rd = rs1 - rs2", arithmetic("sub")),
    _row("sll", _REGISTER.format("0000000", "001"), "rd, rs1, rs2", "rd = rs1 << (rs2 & 31)", arithmetic("shl")),
    _row("slt", _REGISTER.format("0000000", "010"), "rd, rs1, rs2", "rd = 1 where rs1 < rs2 signed, else 0", arithmetic("slt")),
    _row("sltu", _REGISTER.format("0000000", "011"), "rd, rs1, rs2", "rd = 1 where rs1 < rs2 unsigned, else 0", arithmetic("sltu")),
    _row("xor", _REGISTER.format("0000000", "100"), "rd, rs1, rs2", "rd = rs1 ^ rs2", arithmetic("xor")),
    _row("srl", _REGISTER.format("0000000", "101"), "rd, rs1, rs2", "rd = rs1 >> (rs2 & 31), zeros come in", arithmetic("shr")),
    _row("sra", _REGISTER.format("0100000", "101"), "rd, rs1, rs2", "rd = rs1 >> (rs2 & 31), the sign comes in", arithmetic("sra")),
    _row("or", _REGISTER.format("0000000", "110"), "rd, rs1, rs2", "rd = rs1 | rs2", arithmetic("or")),
    _row("and", _REGISTER.format("0000000", "111"), "rd, rs1, rs2", "rd = rs1 & rs2", arithmetic("and")),
    _row("fence", "0000 pred succ 00000 000 00000 0001111", "pred, succ", "later accesses come after earlier ones",
         lambda o: [Uop("fence", imm=FENCE_DEVICE)]),
    _row("fence.i", "000000000000 00000 001 00000 0001111", "", "as fence; what is stored over instructions is not seen",
         lambda o: [Uop("fence", imm=FENCE_DEVICE)]),
    _row("ecall", "000000000000 00000 000 00000 1110011", "", "the thread ends", lambda o: [Uop("exit")]),
    _row("ebreak", "000000000001 00000 000 00000 1110011", "", "the kernel is stopped", lambda o: [Uop("trap", imm=3)]),
)  # fmt: skip
