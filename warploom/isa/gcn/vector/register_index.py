"""Vector registers that are found by a number: v_movrel of GCN 3, and s_set_gpr_idx of what came after it.

In hardware: an adder in front of the address of the register file. What it adds is in M0 and is the same for all lanes; a compiler whose
index differs between lanes makes a loop over the values that there are. It is how an array of a few words lives in registers. GCN 3 has
moves that add M0 to the number of their source or result; later an instruction switches the adder on, for the operands that it names,
until one switches it off. Here it is switched where the text says so: from one `s_set_gpr_idx_on` to the next `s_set_gpr_idx_off` as they
lie in memory, which is how compilers write them.

Source: AMD "GCN3" Instruction Set Architecture, section 12.8, and "Vega" Instruction Set Architecture, sections 3.9 and 12.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from warploom.isa.gcn.code import Code, Number
from warploom.isa.gcn.instruction import E32, E64, Row, Written
from warploom.isa.gcn.registers import FIRST_VECTOR, M0
from warploom.isa.uop import scalar

Lower = Callable[[Code], None]
MODE_BIT = 12  # of M0


class Indexing(NamedTuple):
    """The adder. operands: those that it is for, bits 0 to 2 the sources, bit 3 the result."""

    on: bool = False
    operands: int = 0

    @property
    def now(self) -> int:
        """The operands that are found by M0."""
        return self.operands if self.on else 0

    def after(self, written: Written) -> Indexing:
        """The same after an instruction."""
        name = written.row.mnemonic
        if name == "s_set_gpr_idx_on":
            return Indexing(True, written.fields["ssrc1"] & 15)
        if name == "s_set_gpr_idx_mode":
            return self._replace(operands=written.fields["simm16"] & 15)
        return self._replace(on=False) if name == "s_set_gpr_idx_off" else self


def _set_index(switches: bool) -> Lower:
    def lower(code: Code) -> None:
        m0 = scalar(M0)
        index = code.scalar("and", code.of_code(code.place("a")), Number(0xFF))
        if switches:
            operands = Number((code.field("ssrc1") & 15) << MODE_BIT)
            code.add("or", m0, code.scalar("or", code.scalar("and", m0, Number(0xFFFF0F00)), operands), index)
        else:
            code.add("or", m0, code.scalar("and", m0, Number(0xFFFFFF00)), index)

    return lower


def _set_mode(code: Code) -> None:
    m0 = scalar(M0)
    kept = code.scalar("and", m0, Number(0xFFFF0FFF))
    code.add("or", m0, kept, Number((code.field("simm16") & 15) << MODE_BIT))


def _off(code: Code) -> None:
    code.add("await")


def _move(from_number: bool, to_number: bool) -> Lower:
    def lower(code: Code) -> None:
        if code.written.kind not in (E32, E64) or any(code.field(name) for name in ("clamp", "omod", "op_sel", "abs", "neg")):
            code.refuse("what v_movrel moves is whole registers of this lane, as they are")
        if from_number and code.place("a") < FIRST_VECTOR:
            code.refuse("the register that M0 chooses is a vector register")
        value = code.source("a")
        if from_number and isinstance(value, int):
            value = code.lane("get_register", scalar(M0), imm=value)
        if to_number:
            held = code.lane("mov", value)
            code.vector("put_register", a=scalar(M0), b=held, imm=code.target())
        else:
            code.vector("mov", code.target(), value)

    return lower


ROWS = (
    Row("v_movreld_b32", "VOP1", 54, "d a", _move(False, True), "the vector register M0 after d = a"),
    Row("v_movrels_b32", "VOP1", 55, "d a", _move(True, False), "d = the vector register M0 after a"),
    Row("v_movrelsd_b32", "VOP1", 56, "d a", _move(True, True), "the vector register M0 after d = the one M0 after a"),
    Row("s_set_gpr_idx_idx", "SOP1", 50, "a", _set_index(False), "M0[7:0] = a"),
    Row(
        "s_set_gpr_idx_on",
        "SOPC",
        17,
        "a gpr_idx",
        _set_index(True),
        "M0[7:0] = a, which is added to the numbers of those operands, until it is switched off",
    ),
    Row("s_set_gpr_idx_off", "SOPP", 28, "", _off, "numbers of operands are their own again"),
    Row("s_set_gpr_idx_mode", "SOPP", 29, "gpr_idx", _set_mode, "where it is switched on, M0 is added to the numbers of those operands"),
)
