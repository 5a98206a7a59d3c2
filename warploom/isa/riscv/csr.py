"""Zicsr: control and status registers, and which of them a thread has.

Every thread has its own `fflags` and `frm`, which are lane registers. Counters can only be read. A register that is not in `CSRS` is
refused when the program is loaded.
In hardware: a small register file beside the lanes, and a read-modify-write of it.
Sources: RISC-V Unprivileged Specification 20240411, chapters "Zicsr", "F" and "Zicntr"; Privileged Specification 20240411, "CSR Listing".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import FloatNeeds, Instruction, Lowering, Operands, Refusal, temporary
from warploom.isa.riscv.registers import FLAGS, ROUNDING_MODE
from warploom.isa.uop import IMMEDIATE, SCALAR, SPECIAL_NUMBER, Uop

OLD, NEW, PART = temporary(0), temporary(1), temporary(2)
WRITING = SCALAR  # a pair of scalar registers: the lanes that would write
FLAG_BITS, MODE_BITS = 0x1F, 7
NAMED = 16  # registers that a message lists
Reads = Callable[[int], list[Uop]]  # micro-ops that put a CSR's value into a register
Writes = Callable[[int], list[Uop]]  # micro-ops that put a register's value into a CSR


class Csr(NamedTuple):
    """One register. writes: None for one that can only be read. floats: what a program that writes, or reads, it wants of floats.

    of_value: whether setting or clearing no bits of one that can only be read, by a register that holds 0, is allowed: then the register is
    looked at when the program runs. In the standard only x0 says that nothing is written.

    of_warp: of a register that several lanes have together: from the kind of the instruction, and whether it wants the old value, the
    micro-ops that read and change it. The lanes' operands are in NEW; each lane's old value is left in OLD.
    """

    number: int
    name: str
    meaning: str
    reads: Reads
    writes: Writes | None = None
    needs_of_read: FloatNeeds = FloatNeeds()
    needs_of_write: FloatNeeds = FloatNeeds()
    of_warp: Callable[[str, bool], list[Uop]] | None = None
    of_value: bool = False


def special(name: str) -> Reads:
    """Reads a special register."""
    return lambda to: [Uop("special", dst=to, a=IMMEDIATE, imm=SPECIAL_NUMBER[name])]


def value(number: int) -> Reads:
    """Reads a number that never changes."""
    return lambda to: [Uop("mov", dst=to, a=IMMEDIATE, imm=number)]


def _register(register: int) -> Reads:
    return lambda to: [Uop("mov", dst=to, a=register)]


def _field(register: int, bits: int) -> Writes:
    return lambda of: [Uop("and", dst=register, a=of, b=IMMEDIATE, imm=bits)]


def _read_both(to: int) -> list[Uop]:
    return [Uop("shl", dst=to, a=ROUNDING_MODE, b=IMMEDIATE, imm=5), Uop("or", dst=to, a=to, b=FLAGS)]


def _write_both(of: int) -> list[Uop]:
    mode = [Uop("shr", dst=PART, a=of, b=IMMEDIATE, imm=5), *_field(ROUNDING_MODE, MODE_BITS)(PART)]
    return [*mode, *_field(FLAGS, FLAG_BITS)(of)]


READS_FLAGS, SETS_MODE = FloatNeeds(flags=True), FloatNeeds(modes=True)
CSRS: tuple[Csr, ...] = (
    Csr(0x001, "fflags", "flags of floats: invalid, by zero, overflow, underflow, inexact", _register(FLAGS), _field(FLAGS, FLAG_BITS),
        READS_FLAGS),
    Csr(0x002, "frm", "rounding mode: nearest even, to zero, down, up, nearest away", _register(ROUNDING_MODE),
        _field(ROUNDING_MODE, MODE_BITS), needs_of_write=SETS_MODE),
    Csr(0x003, "fcsr", "frm in bits 7 to 5, fflags in bits 4 to 0", _read_both, _write_both, READS_FLAGS, SETS_MODE),
    Csr(0xC00, "cycle", "cycles since the start, low 32 bits", special("cycle")),
    Csr(0xC01, "time", "as cycle", special("cycle")),
    Csr(0xC80, "cycleh", "0", value(0)),
    Csr(0xC81, "timeh", "0", value(0)),
    Csr(0xF14, "mhartid", "number of the thread in the grid", special("global_thread")),
)  # fmt: skip
BY_NUMBER: Mapping[int, Csr] = {csr.number: csr for csr in CSRS}
NUMBER_OF: Mapping[str, int] = {csr.name: csr.number for csr in CSRS}
WRITE, SET, CLEAR = "write", "set", "clear"


def needs(mnemonic: str, values: Mapping[str, int]) -> FloatNeeds:
    """What an instruction on a CSR says of the program's floats."""
    csr = BY_NUMBER.get(values.get("csr", -1))
    if csr is None:
        return FloatNeeds()
    source = values.get("rs1", values.get("zimm", 0))
    reads = csr.needs_of_read if values["rd"] != 0 else FloatNeeds()
    writes = csr.needs_of_write if mnemonic.startswith("csrrw") or source != 0 else FloatNeeds()
    # csrrw of frm gives the old mode back, which says nothing; a mode of 0 written as a constant is the one that there is anyway.
    if mnemonic == "csrrwi" and source == 0:
        writes = FloatNeeds()
    return FloatNeeds(reads.flags or writes.flags, reads.modes or writes.modes)


def _lower(kind: str, immediate: bool, csrs: Mapping[int, Csr], unknown_kept: bool) -> Lowering:
    def lower(o: Operands) -> list[Uop]:
        csr = csrs.get(o["csr"])
        if csr is None and unknown_kept and kind == WRITE and o["rd"] == 0:
            return [Uop("nop")]
        if csr is None:
            listed = [csr.name for csr in csrs.values()]
            more = f" and {len(listed) - NAMED} more" if len(listed) > NAMED else ""
            raise Refusal(f"there is no control register {o['csr']:#05x}; there are {', '.join(listed[:NAMED])}{more}")
        source = o["zimm"] if immediate else o["rs1"]
        found = [] if kind == WRITE and o["rd"] == 0 else csr.reads(OLD)
        if kind == WRITE or source != 0:
            if csr.of_warp is not None:
                found = [*_operand(source, immediate), *csr.of_warp(kind, o["rd"] != 0)]
                return [*found, Uop("mov", dst=o.rd, a=OLD)] if o["rd"] else found
            if csr.writes is None and csr.of_value and kind != WRITE and not immediate:
                told = [Uop("mov", dst=o.rd, a=OLD)] if o["rd"] else []
                return [*found, Uop("ballot", dst=WRITING, a=source), *told, Uop("read_only_register", imm=csr.number, predicate=WRITING)]
            if csr.writes is None:
                raise Refusal(f"the control register {csr.name} can only be read")
            found += [*_new_value(kind, source, immediate), *csr.writes(NEW)]
        return [*found, Uop("mov", dst=o.rd, a=OLD)] if o["rd"] else found or [Uop("nop")]

    return lower


def _new_value(kind: str, source: int, immediate: bool) -> list[Uop]:
    if kind == CLEAR:
        kept = Uop("mov", dst=NEW, a=IMMEDIATE, imm=~source) if immediate else Uop("xor", dst=NEW, a=source, b=IMMEDIATE, imm=-1)
        return [kept, Uop("and", dst=NEW, a=NEW, b=OLD)]
    given = _operand(source, immediate)
    return given if kind == WRITE else [*given, Uop("or", dst=NEW, a=NEW, b=OLD)]


def _operand(source: int, immediate: bool) -> list[Uop]:
    return [Uop("mov", dst=NEW, a=IMMEDIATE if immediate else source, imm=source if immediate else 0)]


def instructions_on(csrs: Mapping[int, Csr], unknown_kept: bool = False) -> tuple[Instruction, ...]:
    """The instructions on control registers, of a machine that has these, by number.

    unknown_kept: a number that is not among them can be written, which nothing can find out, since it cannot be read.
    """

    def row(mnemonic: str, function: str, kind: str, meaning: str, immediate: bool = False) -> Instruction:
        source = "zimm" if immediate else "rs1"
        encoding = Encoding(f"csr {source} {function} rd 1110011")
        return Instruction(mnemonic, "Zicsr", encoding, f"rd, csr, {source}", meaning, _lower(kind, immediate, csrs, unknown_kept))

    return (
        row("csrrw", "001", WRITE, "rd = csr; csr = rs1"),
        row("csrrs", "010", SET, "rd = csr; csr = old | rs1, not written for x0"),
        row("csrrc", "011", CLEAR, "rd = csr; csr = old & ~rs1, not written for x0"),
        row("csrrwi", "101", WRITE, "rd = csr; csr = zimm", True),
        row("csrrsi", "110", SET, "rd = csr; csr = old | zimm, not written for 0", True),
        row("csrrci", "111", CLEAR, "rd = csr; csr = old & ~zimm, not written for 0", True),
    )


INSTRUCTIONS: tuple[Instruction, ...] = instructions_on(BY_NUMBER)
