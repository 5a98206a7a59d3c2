"""The vector unit's whole numbers and moves: VOP1, VOP2, VOP3 without floats, and what goes between lanes and the scalar unit.

In hardware: a SIMD has 16 lanes, so that a wave of 64 takes four cycles, and its next instruction can use the result at once. Multiplications
of 32 bits and what is as large take sixteen. `rev` in a name: the sources are exchanged, as only the first of them may be a constant.

Source: AMD "Vega" Instruction Set Architecture, chapter 6 and sections 12.7 to 12.11.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import ONES, Code, Number, Value
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.registers import EXEC
from warploom.isa.uop import L_MULTIPLY, SPECIAL_NUMBER, scalar

Lower = Callable[[Code], None]
HALF = 0xFFFF


def sources(code: Code) -> list[Value]:
    """The sources of 32 bits."""
    return [code.source(word[0]) for word in code.row.words if word[0] in "abc" and len(word) == 1]


def plain(name: str, swapped: bool = False, **more: int) -> Lower:
    """One micro-op."""

    def lower(code: Code) -> None:
        found = sources(code)
        code.put(name, *(reversed(found) if swapped else found), **more)

    return lower


def chain(*names: str) -> Lower:
    """(a op b) op c."""

    def lower(code: Code) -> None:
        a, b, c = sources(code)
        code.put(names[1], code.lane(names[0], a, b), c)

    return lower


def _not(code: Code) -> None:
    code.put("xor", code.source("a"), Number(ONES))


def _exclusive_nor(code: Code) -> None:
    a, b = sources(code)
    code.put("xor", code.lane("xor", a, b), Number(ONES))


def _swap(code: Code) -> None:
    held = code.lane("mov", code.target())
    source = code.source("a")
    assert isinstance(source, int)
    code.vector("mov", code.target(), source)
    code.vector("mov", source, held)


def _narrow(code: Code, value: Value, bits: int, signed: bool) -> int:
    up = code.lane("shl", value, Number(32 - bits))
    return code.lane("sra" if signed else "shr", up, Number(32 - bits))


def _multiply_24(signed: bool, high: bool, adds: bool = False) -> Lower:
    def lower(code: Code) -> None:
        found = sources(code)
        if signed:
            a, b = (_narrow(code, value, 24, True) for value in found[:2])
        else:
            a, b = (code.lane("and", value, Number(0xFFFFFF)) for value in found[:2])
        if adds:
            code.put("mad", a, b, found[2])
        else:
            code.put(("mulh" if signed else "mulhu") if high else "mul", a, b)

    return lower


def _first_bit(name: str, signed: bool = False) -> Lower:
    """The number of leading or trailing zeros; -1 where there is no one."""

    def lower(code: Code) -> None:
        value = code.source("a")
        if signed:
            value = code.lane("xor", value, code.lane("sra", value, Number(31)))
        code.put("sel", code.lane(name, value), Number(ONES), value)

    return lower


def _bit_count(code: Code) -> None:
    a, b = sources(code)
    code.put("add", code.lane("popc", a), b)


def _below(high: bool) -> Lower:
    """Ones in a among the bits of lanes below, of the wave's lower or upper 32, plus b."""

    def lower(code: Code) -> None:
        a, b = sources(code)
        lane = code.lane("special", imm=SPECIAL_NUMBER["lane"])
        lower_ones = code.lane("xor", code.lane("shl", Number(ONES), lane), Number(ONES))
        upper_half = code.lane("and", lane, Number(32))
        ones = code.lane("sel", *((lower_ones, Number(0)) if high else (Number(ONES), lower_ones)), upper_half)
        code.put("add", code.lane("popc", code.lane("and", a, ones)), b)

    return lower


def _bit_field(signed: bool) -> Lower:
    def lower(code: Code) -> None:
        a, first, bits = sources(code)
        count = code.lane("and", bits, Number(31))
        low = code.lane("sra" if signed else "shr", a, first)
        back = code.lane("sub", Number(0), count)  # 32 - count, as shifts take it
        cut = code.lane("sra" if signed else "shr", code.lane("shl", low, back), back)
        code.put("sel", cut, Number(0), count)

    return lower


def _bit_field_insert(code: Code) -> None:
    mask, a, b = sources(code)
    code.put("xor", code.lane("and", code.lane("xor", a, b), mask), b)


def _bit_field_mask(code: Code) -> None:
    bits, first = sources(code)
    ones = code.lane("sub", code.lane("shl", Number(1), bits), Number(1))
    code.put("shl", ones, first)


def _align(bytes_of: bool) -> Lower:
    def lower(code: Code) -> None:
        high, low, by = sources(code)
        if bytes_of:
            by = code.lane("shl", code.lane("and", by, Number(3)), Number(3))
        code.put("shrd", high, low, by)

    return lower


def _permute_bytes(code: Code) -> None:
    """Each byte of c names one of the eight bytes of a (high) and b (low), a sign, 0 or 255."""
    high, low, which = sources(code)
    result = code.lane("mov", Number(0))
    for byte in range(4):
        code.reuse(result + 1)
        number = code.lane("and", code.lane("shr", which, Number(8 * byte)), Number(255))
        at = code.lane("shl", number, Number(3))
        chosen = code.lane("sel", code.lane("shr", high, at), code.lane("shr", low, at), code.lane("and", number, Number(4)))
        # 8 to 11: the sign of bytes 1, 3, 5 and 7; 12: 0; above: 255.
        source = code.lane("sel", high, low, code.lane("and", number, Number(2)))
        place = code.lane("or", code.lane("shl", code.lane("and", number, Number(1)), Number(4)), Number(15))
        sign = code.lane("sub", Number(0), code.lane("and", code.lane("shr", source, place), Number(1)))
        ones = code.lane("sub", Number(0), code.lane("sltu", Number(12), number))
        special = code.lane("sel", sign, ones, code.lane("sltu", number, Number(12)))
        chosen = code.lane("sel", chosen, special, code.lane("sltu", number, Number(8)))
        part = code.lane("shl", code.lane("and", chosen, Number(255)), Number(8 * byte))
        code.vector("or", result, result, part)
    code.put("mov", result)


def _median(signed: bool) -> Lower:
    """The middle one of three."""
    low, high = ("min", "max") if signed else ("minu", "maxu")

    def lower(code: Code) -> None:
        a, b, c = sources(code)
        smaller, larger = code.lane(low, a, b), code.lane(high, a, b)
        code.put(high, smaller, code.lane(low, larger, c))

    return lower


def _distance(code: Code) -> None:
    a, b, c = sources(code)
    code.put("add", code.lane("sub", code.lane("maxu", a, b), code.lane("minu", a, b)), c)


def _distance_of_bytes(code: Code) -> None:
    a, b, total = sources(code)
    for byte in range(4):
        x, y = (code.lane("and", code.lane("shr", value, Number(8 * byte)), Number(255)) for value in (a, b))
        total = code.lane("add", total, code.lane("sub", code.lane("maxu", x, y), code.lane("minu", x, y)))
    code.put("mov", total)


# ---------------------------------------------------------------------------------------------------------
# Carry, and 64 bits


def carrying(subtracts: bool, swapped: bool = False, carry_in: bool = False) -> Lower:
    """a + b or a - b with a carry out into a mask, and one in from a mask."""
    name, out = ("sub", "borrow") if subtracts else ("add", "carry")

    def lower(code: Code) -> None:
        found = [code.source("a"), code.source("b")]
        a, b = reversed(found) if swapped else found
        if not carry_in:
            result = code.lane(name, a, b)
            carry = code.lane("sltu", *((a, b) if subtracts else (result, b)))
        else:
            given = code.lane("lane_bit", scalar(code.place("c")))
            result = code.lane(name, code.lane(name, a, b), given)
            carry = code.lane(out, a, b, given)
        code.put_mask("e", carry)
        code.put("mov", result)

    return lower


def shifted(code: Code, low: Value, high: Value, by: Value, kind: str) -> tuple[Value, Value]:
    """64 bits of every lane, shifted by the low six bits of a value: shl, shr or sra."""
    if isinstance(by, Number):
        return _shifted_by(code, low, high, by.value & 63, kind)
    crosses = code.lane("and", by, Number(32))
    if kind == "shl":
        over = code.lane("shr", code.lane("shr", low, Number(1)), code.lane("xor", by, Number(31)))
        upper = code.lane("or", code.lane("shl", high, by), over)
        lower = code.lane("shl", low, by)
        return code.lane("sel", Number(0), lower, crosses), code.lane("sel", lower, upper, crosses)
    lower = code.lane("shrd", high, low, by)
    upper = code.lane(kind, high, by)
    rest: Value = code.lane("sra", high, Number(31)) if kind == "sra" else Number(0)
    return code.lane("sel", upper, lower, crosses), code.lane("sel", rest, upper, crosses)


def _shifted_by(code: Code, low: Value, high: Value, by: int, kind: str) -> tuple[Value, Value]:
    if kind == "shl":
        if by >= 32:
            return Number(0), code.lane("shl", low, Number(by - 32))
        return code.lane("shl", low, Number(by)), code.lane("shrd", high, low, Number(32 - by)) if by else high
    if by >= 32:
        rest: Value = code.lane("sra", high, Number(31)) if kind == "sra" else Number(0)
        return code.lane(kind, high, Number(by - 32)), rest
    return code.lane("shrd", high, low, Number(by)), code.lane(kind, high, Number(by))


def _shift_wide(kind: str) -> Lower:
    def lower(code: Code) -> None:
        by, (low, high) = code.source("a"), code.pair("b")
        code.put_pair(*shifted(code, low, high, by, kind))

    return lower


def _multiply_add_wide(signed: bool) -> Lower:
    """d = a * b + c with 64 bits, the carry in a mask."""

    def lower(code: Code) -> None:
        a, b, (low, high) = code.source("a"), code.source("b"), code.pair("c")
        product = code.lane("mul", a, b)
        upper = code.lane("mulh" if signed else "mulhu", a, b)
        result = code.lane("add", product, low)
        carry = code.lane("sltu", result, product)
        result_high = code.lane("add", code.lane("add", upper, high), carry)
        if signed:  # the sum of what goes beyond 64 bits: its sign is the carry
            over = code.lane("add", code.lane("sra", upper, Number(31)), code.lane("sra", high, Number(31)))
            out = code.lane("and", code.lane("add", over, code.lane("carry", upper, high, carry)), Number(1))
        else:
            out = code.lane("carry", upper, high, carry)
        code.put_mask("e", out)
        code.put_pair(result, result_high)

    return lower


# ---------------------------------------------------------------------------------------------------------
# 16 bits: the high half of the result is 0


def half(name: str, swapped: bool = False, signed: bool = False, shift: bool = False) -> Lower:
    """A micro-op on low halves."""

    def lower(code: Code) -> None:
        found = sources(code)
        parts: list[Value] = [
            code.lane("and", value, Number(15)) if shift and place == 0 else _narrow(code, value, 16, signed)
            for place, value in enumerate(found)
        ]
        code.put(name, *(reversed(parts) if swapped else parts), size=2)

    return lower


# ---------------------------------------------------------------------------------------------------------
# Between lanes and the scalar unit


def _select(code: Code) -> None:
    """The mask's bit chooses the second source."""
    a, b = code.source("a"), code.source("b")
    code.put("sel", b, a, code.lane("lane_bit", scalar(code.place("c"))))


def _read_lane(code: Code) -> None:
    value, lane = code.source("a"), code.source("b")
    assert isinstance(value, int)
    code.add("shuffle", code.target(), value, lane)


def first_active(code: Code) -> int:
    """The number of the lowest active lane; 0 where there is none."""
    low, high = scalar(EXEC), scalar(EXEC + 1)
    upper = code.scalar("add", code.scalar("ctz", high), Number(32))  # 64 where there is none, which is lane 0 modulo 64
    return code.scalar("sel", code.scalar("ctz", low), upper, low)


def _read_first(code: Code) -> None:
    value = code.source("a")
    if isinstance(value, Number):
        code.put_scalar(value)
        return
    code.add("shuffle", code.target(), value, first_active(code))


def _write_lane(code: Code) -> None:
    value, lane = code.source("a"), code.source("b")
    if isinstance(value, Number):
        value = code.scalar("mov", value)
    code.add("insert_lane", code.target(), value, lane)


def _rows() -> list[Row]:
    def one(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a") -> Row:
        return Row("v_" + name, "VOP1", opcode, operands, lower, meaning)

    def two(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b") -> Row:
        return Row("v_" + name, "VOP2", opcode, operands, lower, meaning)

    def three(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b c") -> Row:
        return Row("v_" + name, "VOP3", opcode, operands, lower, meaning)

    def nothing(code: Code) -> None:
        code.add("nop")

    multiply = {"latency": L_MULTIPLY}
    return [
        Row("v_nop", "VOP1", 0, "", nothing, "nothing", only_short=True),
        one("mov_b32", 1, plain("mov"), "d = a"),
        Row("v_readfirstlane_b32", "VOP1", 2, "ds a", _read_first, "scalar d = a of the lowest active lane, of lane 0 where none is",
            only_short=True),
        one("not_b32", 43, _not, "d = ~a"),
        one("bfrev_b32", 44, plain("brev"), "d = a, its bits in reverse"),
        one("ffbh_u32", 45, _first_bit("clz"), "d = zeros above the highest one; -1: none"),
        one("ffbl_b32", 46, _first_bit("ctz"), "d = number of the lowest one; -1: none"),
        one("ffbh_i32", 47, _first_bit("clz", True), "d = bits above the highest one that is not the sign; -1: none"),
        Row("v_clrexcp", "VOP1", 53, "", nothing, "forgets exceptions: nothing here", only_short=True),
        Row("v_swap_b32", "VOP1", 81, "d a", _swap, "d and a change places", only_short=True),
        Row("v_cndmask_b32", "VOP2", 0, "d a b cm", _select, "d = mask ? b : a", floats=32),
        two("mul_i32_i24", 6, _multiply_24(True, False), "d = low 32 bits of the product of 24 bits each, signed"),
        two("mul_hi_i32_i24", 7, _multiply_24(True, True), "d = high 32 bits of such a product"),
        two("mul_u32_u24", 8, _multiply_24(False, False), "d = low 32 bits of the product of 24 bits each, unsigned"),
        two("mul_hi_u32_u24", 9, _multiply_24(False, True), "d = high 32 bits of such a product"),
        two("min_i32", 12, plain("min"), "d = the smaller, signed"),
        two("max_i32", 13, plain("max"), "d = the larger, signed"),
        two("min_u32", 14, plain("minu"), "d = the smaller, unsigned"),
        two("max_u32", 15, plain("maxu"), "d = the larger, unsigned"),
        two("lshrrev_b32", 16, plain("shr", True), "d = b >> (a & 31), zeros come in"),
        two("ashrrev_i32", 17, plain("sra", True), "d = b >> (a & 31), the sign comes in"),
        two("lshlrev_b32", 18, plain("shl", True), "d = b << (a & 31)"),
        two("and_b32", 19, plain("and"), "d = a & b"),
        two("or_b32", 20, plain("or"), "d = a | b"),
        two("xor_b32", 21, plain("xor"), "d = a ^ b"),
        two("add_co_u32", 25, carrying(False), "d = a + b; mask = carry", "d em a b"),
        two("sub_co_u32", 26, carrying(True), "d = a - b; mask = borrow", "d em a b"),
        two("subrev_co_u32", 27, carrying(True, True), "d = b - a; mask = borrow", "d em a b"),
        two("addc_co_u32", 28, carrying(False, carry_in=True), "d = a + b + a mask's bit; mask = carry", "d em a b cm"),
        two("subb_co_u32", 29, carrying(True, carry_in=True), "d = a - b - a mask's bit; mask = borrow", "d em a b cm"),
        two("subbrev_co_u32", 30, carrying(True, True, True), "d = b - a - a mask's bit; mask = borrow", "d em a b cm"),
        two("add_u16", 38, half("add"), "d = a + b, 16 bits"),
        two("sub_u16", 39, half("sub"), "d = a - b, 16 bits"),
        two("subrev_u16", 40, half("sub", True), "d = b - a, 16 bits"),
        two("mul_lo_u16", 41, half("mul"), "d = a * b, 16 bits"),
        two("lshlrev_b16", 42, half("shl", True, shift=True), "d = b << (a & 15), 16 bits"),
        two("lshrrev_b16", 43, half("shr", True, shift=True), "d = b >> (a & 15), 16 bits, zeros come in"),
        two("ashrrev_i16", 44, half("sra", True, True, shift=True), "d = b >> (a & 15), 16 bits, the sign comes in"),
        two("max_u16", 47, half("maxu"), "d = the larger of 16 bits, unsigned"),
        two("max_i16", 48, half("max", signed=True), "d = the larger of 16 bits, signed"),
        two("min_u16", 49, half("minu"), "d = the smaller of 16 bits, unsigned"),
        two("min_i16", 50, half("min", signed=True), "d = the smaller of 16 bits, signed"),
        two("add_u32", 52, plain("add"), "d = a + b"),
        two("sub_u32", 53, plain("sub"), "d = a - b"),
        two("subrev_u32", 54, plain("sub", True), "d = b - a"),
        three("mad_i32_i24", 450, _multiply_24(True, False, True), "d = a * b + c, factors of 24 bits, signed"),
        three("mad_u32_u24", 451, _multiply_24(False, False, True), "d = a * b + c, factors of 24 bits, unsigned"),
        three("bfe_u32", 456, _bit_field(False), "d = c bits of a from bit b on"),
        three("bfe_i32", 457, _bit_field(True), "d = c bits of a from bit b on, with their sign"),
        three("bfi_b32", 458, _bit_field_insert, "d = b where a has ones, c elsewhere"),
        three("alignbit_b32", 462, _align(False), "d = low 32 bits of a (high), b (low) >> c"),
        three("alignbyte_b32", 463, _align(True), "d = low 32 bits of a (high), b (low) >> 8 * c"),
        three("min3_i32", 465, chain("min", "min"), "d = the smallest, signed"),
        three("min3_u32", 466, chain("minu", "minu"), "d = the smallest, unsigned"),
        three("max3_i32", 468, chain("max", "max"), "d = the largest, signed"),
        three("max3_u32", 469, chain("maxu", "maxu"), "d = the largest, unsigned"),
        three("med3_i32", 471, _median(True), "d = the one between, signed"),
        three("med3_u32", 472, _median(False), "d = the one between, unsigned"),
        three("sad_u8", 473, _distance_of_bytes, "d = c + the sum of the distances of four bytes"),
        three("sad_u32", 476, _distance, "d = c + |a - b|, unsigned"),
        three("mad_u64_u32", 488, _multiply_add_wide(False), "d = a * b + c, 64 bits; mask = carry", "d2 em a b c2"),
        three("mad_i64_i32", 489, _multiply_add_wide(True), "d = a * b + c, 64 bits, signed; mask = carry", "d2 em a b c2"),
        three("mad_legacy_u16", 491, half("mad"), "d = a * b + c, 16 bits"),
        three("mad_legacy_i16", 492, half("mad", signed=True), "d = a * b + c, 16 bits"),
        three("perm_b32", 493, _permute_bytes, "d = four of the bytes of a and b, as c says"),
        three("xad_u32", 499, chain("xor", "add"), "d = (a ^ b) + c"),
        three("lshl_add_u32", 509, chain("shl", "add"), "d = (a << b) + c"),
        three("add_lshl_u32", 510, chain("add", "shl"), "d = (a + b) << c"),
        three("add3_u32", 511, chain("add", "add"), "d = a + b + c"),
        three("lshl_or_b32", 512, chain("shl", "or"), "d = (a << b) | c"),
        three("and_or_b32", 513, chain("and", "or"), "d = (a & b) | c"),
        three("or3_b32", 514, chain("or", "or"), "d = a | b | c"),
        three("mul_lo_u32", 645, plain("mul", **multiply), "d = low 32 bits of a * b", "d a b"),
        three("mul_hi_u32", 646, plain("mulhu", **multiply), "d = high 32 bits of a * b, unsigned", "d a b"),
        three("mul_hi_i32", 647, plain("mulh", **multiply), "d = high 32 bits of a * b, signed", "d a b"),
        three("readlane_b32", 649, _read_lane, "scalar d = a of lane b", "ds a b"),
        three("writelane_b32", 650, _write_lane, "lane b of d = a, active or not", "d a b"),
        three("bcnt_u32_b32", 651, _bit_count, "d = ones in a, plus b", "d a b"),
        three("mbcnt_lo_u32_b32", 652, _below(False), "d = ones in a below this lane, plus b: the lower half of a mask", "d a b"),
        three("mbcnt_hi_u32_b32", 653, _below(True), "d = ones in a below this lane, plus b: the upper half", "d a b"),
        three("lshlrev_b64", 655, _shift_wide("shl"), "d = b << (a & 63)", "d2 a b2"),
        three("lshrrev_b64", 656, _shift_wide("shr"), "d = b >> (a & 63), zeros come in", "d2 a b2"),
        three("ashrrev_i64", 657, _shift_wide("sra"), "d = b >> (a & 63), the sign comes in", "d2 a b2"),
        three("bfm_b32", 659, _bit_field_mask, "d = a ones from bit b on", "d a b"),
        three("add_i32", 668, plain("add"), "d = a + b", "d a b"),
        three("sub_i32", 669, plain("sub"), "d = a - b", "d a b"),
    ]  # fmt: skip


ROWS = tuple(_rows())
