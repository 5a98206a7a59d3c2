"""DPP: a source operand that comes from a different lane of the wave.

In hardware: a small network in front of the vector unit moves a register between neighbouring lanes on its way in: inside groups of four,
rows of sixteen, or on to the next row. It costs two wait states and no LDS. A lane whose source is outside keeps its register, unless
`bound_ctrl:0` asks for 0; row_mask and bank_mask leave out whole rows, and groups of four in each row.

Source: AMD "Vega" Instruction Set Architecture, section 13.3.8, "DPP".
"""

from __future__ import annotations

from warploom.isa.gcn.code import ONES, Code, Number, Value
from warploom.isa.uop import SPECIAL_NUMBER


def moved(code: Code, value: Value) -> Value:
    """The source after its move. From here on the instruction writes only the lanes that it is for."""
    control = code.field("ctrl")
    lane = code.lane("special", imm=SPECIAL_NUMBER["lane"])
    source, inside = _source_lane(code, control, lane)
    result: Value = code.lane("shuffle", value, source)
    allowed = _allowed(code, lane)
    if code.field("bound_ctrl"):
        result = code.lane("sel", result, Number(0), inside)
    else:
        allowed = code.lane("and", allowed, inside)
    pair = code.pair_temporary()
    code.vector("ballot", pair, allowed)
    code.active = pair
    return result


def _source_lane(code: Code, control: int, lane: int) -> tuple[Value, int]:
    """(number of the lane that each lane reads, 1 where there is one)."""
    if control < 0x100:  # quad_perm: two bits a lane of four
        place = code.lane("shl", code.lane("and", lane, Number(3)), Number(1))
        chosen = code.lane("and", code.lane("shr", Number(control), place), Number(3))
        return code.lane("or", code.lane("and", lane, Number(ONES & ~3)), chosen), _always(code)
    kind, by = control >> 4, control & 15
    row, inner = code.lane("and", lane, Number(48)), code.lane("and", lane, Number(15))
    if kind in (0x10, 0x11):  # row_shl reads lanes above, row_shr those below
        there = code.lane("add" if kind == 0x10 else "sub", inner, Number(by))
        return code.lane("or", row, code.lane("and", there, Number(15))), code.lane("sltu", there, Number(16))
    if kind == 0x12:
        there = code.lane("and", code.lane("sub", inner, Number(by)), Number(15))
        return code.lane("or", row, there), _always(code)
    if control in (0x130, 0x138):
        there = code.lane("add" if control == 0x130 else "sub", lane, Number(1))
        return there, code.lane("sltu", there, Number(64))
    if control in (0x134, 0x13C):
        return code.lane("add" if control == 0x134 else "sub", lane, Number(1)), _always(code)  # modulo 64
    if control in (0x140, 0x141):
        return code.lane("xor", lane, Number(15 if control == 0x140 else 7)), _always(code)
    if control == 0x142:  # the last lane of each row to all of the next
        there = code.lane("sub", row, Number(1))
        return there, code.lane("sltu", there, Number(64))
    if control == 0x143:  # lane 31 to the upper half
        return Number(31), code.lane("sltu", Number(31), lane)
    code.refuse(f"there is no movement of lanes with the number {control:#x}")
    raise AssertionError


def _always(code: Code) -> int:
    return code.lane("mov", Number(1))


def _allowed(code: Code, lane: int) -> int:
    """1 in the lanes of rows and banks that the masks name."""
    row = code.lane("shr", Number(code.field("row_mask")), code.lane("shr", lane, Number(4)))
    bank = code.lane("shr", Number(code.field("bank_mask")), code.lane("and", code.lane("shr", lane, Number(2)), Number(3)))
    return code.lane("and", code.lane("and", row, bank), Number(1))
