"""The vector unit's floats, of 32 and 64 bits, and conversions.

In hardware: a multiply-add of 32 bits in every lane of a SIMD, each wave four cycles; reciprocals, roots and the like come from a unit of a
quarter of the lanes. Sources may be negated or made positive, results doubled, halved or kept between 0 and 1, at no cost. Rounding is to
nearest, ties to even, and denormal numbers are kept, as AMD's runtime sets it. What is about one unit in the last place in hardware (rcp, rsq,
exp, log, sin, cos) is here what the machine's special functions give.

A division is v_div_scale, twice, v_rcp, four or five v_fma, v_div_fmas and v_div_fixup: scaling keeps exponents from overflowing, and the last
step picks the special cases. Here v_div_scale scales nothing, and v_div_fixup is a division by IEEE 754, which is what the whole gives.

Source: AMD "Vega" Instruction Set Architecture, chapters 6 and 12.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import ONES, SIGN, Code, Number, Value
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.vector_alu import plain, sources
from warploom.isa.uop import L_FMA

Lower = Callable[[Code], None]
NEAREST, TO_ZERO, DOWN, UP = range(4)  # rounding modes of the machine's fround
ONE = 0x3F800000
SMALLEST_NORMAL = 0x00800000
TWO_PI = 0x40C90FDB


def pairs(code: Code) -> list[int]:
    """Sources of 64 bits, each in two neighbouring registers."""
    found = []
    for word in code.row.words:
        if word[0] in "abc" and word.endswith("2"):
            low, high = code.pair(word[0])
            first = code.lane_temporary()
            second = code.lane_temporary()
            assert second == first + 1
            code.vector("mov", first, low)
            code.vector("mov", second, high)
            found.append(first)
    return found


def _wide(name: str) -> Lower:
    """An operation on 64-bit floats."""

    def lower(code: Code) -> None:
        if code.field("clamp") or code.field("omod"):
            code.refuse("clamp and omod of 64-bit floats are something that this machine does not have")
        found = pairs(code)
        code.vector(name, code.target(), *found)

    return lower


def _scale_wide(code: Code) -> None:
    """ldexp: the float times 2 to a power, in two steps, so that what becomes denormal is rounded once."""
    (value,) = pairs(code)
    by = code.source("b")
    by = code.lane("max", code.lane("min", by, Number(2100)), Number(-2100 & ONES))
    for step in range(3):
        part = code.lane("max", code.lane("min", by, Number(1000)), Number(-1000 & ONES))
        by = code.lane("sub", by, part)
        low, high = code.lane_temporary(), code.lane_temporary()
        code.vector("mov", low, Number(0))
        code.vector("shl", high, code.lane("add", part, Number(1023)), Number(20))
        target = code.target() if step == 2 else code.lane_temporary()
        if step < 2:
            code.lane_temporary()
        code.vector("dmul", target, value, low)
        value = target


def _to_wide(name: str) -> Lower:
    def lower(code: Code) -> None:
        code.vector(name, code.target(), code.source("a"))

    return lower


def _from_wide(name: str, whole: bool = False) -> Lower:
    def lower(code: Code) -> None:
        (value,) = pairs(code)
        if not whole:
            code.put(name, value)
            return
        code.put("sel", code.lane(name, value), Number(0), code.lane("deq", value, value))  # of NaN 0

    return lower


def _legacy_multiply(code: Code) -> None:
    """0 times anything is 0."""
    a, b = sources(code)
    zero = code.lane("or", code.lane("feq", a, Number(0)), code.lane("feq", b, Number(0)))
    code.put("sel", Number(0), code.lane("fmul", a, b), zero)


def _accumulate(name: str) -> Lower:
    def lower(code: Code) -> None:
        a, b = sources(code)
        code.put(name, a, b, code.target())

    return lower


def _with_literal(adds: bool) -> Lower:
    def lower(code: Code) -> None:
        a, b, literal = code.source("a"), code.source("b"), Number(code.written.literal or 0)
        code.put("fmad", a, *((b, literal) if adds else (literal, b)))

    return lower


def _chain(first: str, second: str) -> Lower:
    def lower(code: Code) -> None:
        a, b, c = sources(code)
        code.put(second, code.lane(first, a, b), c)

    return lower


def _median(code: Code) -> None:
    a, b, c = sources(code)
    smaller, larger = code.lane("fmin", a, b), code.lane("fmax", a, b)
    code.put("fmax", smaller, code.lane("fmin", larger, c))


def _rounded(mode: int) -> Lower:
    def lower(code: Code) -> None:
        code.put("fround", code.source("a"), Number(mode))

    return lower


def _fraction(code: Code) -> None:
    """a - floor(a), below 1."""
    a = code.source("a")
    rest = code.lane("fsub", a, code.lane("floor", a))
    code.put("fmin", rest, Number(ONE - 1))


def _to_whole(name: str, mode: int = TO_ZERO, half: bool = False) -> Lower:
    """A whole number, as near as one of 32 bits can be; of NaN 0."""

    def lower(code: Code) -> None:
        a = code.source("a")
        moved: Value = code.lane("fadd", a, Number(0x3F000000)) if half else a
        whole = moved if mode == TO_ZERO else code.lane("fround", moved, Number(mode))
        code.put("sel", code.lane(name, whole), Number(0), code.lane("feq", a, a))

    return lower


def _from_nibble(code: Code) -> None:
    nibble = code.lane("sra", code.lane("shl", code.source("a"), Number(28)), Number(28))
    code.put("fmul", code.lane("i2f", nibble), Number(0x3D800000))


def _from_byte(number: int) -> Lower:
    def lower(code: Code) -> None:
        code.put("u2f", code.lane("and", code.lane("shr", code.source("a"), Number(8 * number)), Number(255)))

    return lower


def _angle(name: str) -> Lower:
    """Sine and cosine of revolutions: the whole ones do not matter."""

    def lower(code: Code) -> None:
        a = code.source("a")
        part = code.lane("fsub", a, code.lane("fround", a, Number(NEAREST)))
        code.put(name, code.lane("fmul", part, Number(TWO_PI)))

    return lower


def _scale_float(code: Code) -> None:
    """ldexp: times 2 to a power, in steps that are powers themselves; only the last one can round."""
    value, by = code.source("a"), code.source("b")
    by = code.lane("max", code.lane("min", by, Number(400)), Number(-400 & ONES))
    # Towards small numbers the first steps stay normal: what is lost is lost in the last one.
    for step in range(4):
        part = code.lane("max", code.lane("min", by, Number(100)), Number(-100 & ONES))
        by = code.lane("sub", by, part)
        power = code.lane("shl", code.lane("add", part, Number(127)), Number(23))
        if step == 3:
            code.put("fmul", value, power)
        else:
            value = code.lane("fmul", value, power)


def _normal(code: Code, a: Value) -> tuple[int, int, int]:
    """(the float's bits, made normal; what was added to its exponent; 1 where it is 0, infinite or NaN)."""
    bits = code.lane("and", a, Number(ONES & ~SIGN))
    small = code.lane("sltu", bits, Number(SMALLEST_NORMAL))
    scaled = code.lane("sel", code.lane("fmul", bits, Number(0x4C000000)), bits, small)  # times 2^25
    added = code.lane("mul", small, Number(25))
    special = code.lane("or", code.lane("seq", bits, Number(0)), code.lane("sltu", Number(0x7F7FFFFF), bits))
    return scaled, added, special


def _exponent(code: Code) -> None:
    """The power of two of a mantissa from a half to one; 0 of 0, infinity and NaN."""
    bits, added, special = _normal(code, code.source("a"))
    power = code.lane("sub", code.lane("sub", code.lane("shr", bits, Number(23)), Number(126)), added)
    code.put("sel", Number(0), power, special)


def _mantissa(code: Code) -> None:
    a = code.source("a")
    bits, _, special = _normal(code, a)
    sign = code.lane("and", a, Number(SIGN))
    part = code.lane("or", code.lane("and", bits, Number(0x007FFFFF)), Number(0x3F000000))
    code.put("sel", a, code.lane("or", part, sign), special)


def _divide_scale(code: Code) -> None:
    code.put_mask("e", Number(0))
    code.vector("mov", code.target(), code.source("a"))


def _divide_fix(code: Code) -> None:
    """c / b by IEEE 754; a, what the steps before it found, is not needed."""
    code.put("fdiv", code.source("c"), code.source("b"))


def _divide_fix_wide(code: Code) -> None:
    _, below, above = pairs(code)
    code.vector("ddiv", code.target(), above, below)


def _pack_halves(code: Code) -> None:
    """Two floats as floats of 16 bits, rounded towards zero: bits that do not fit are cut off first."""
    parts = []
    for value in sources(code):
        exponent = code.lane("and", value, Number(0x7F800000))
        # Below 2^-14 the step of a 16-bit float is 2^-24: a float below that becomes whole in it.
        small = code.lane("sltu", code.lane("and", value, Number(ONES & ~SIGN)), Number(0x38800000))
        steps = code.lane("fround", code.lane("fmul", value, Number(0x4B800000)), Number(TO_ZERO))
        cut = code.lane("sel", code.lane("fmul", steps, Number(0x33800000)), code.lane("and", value, Number(ONES & ~0x1FFF)), small)
        big = code.lane("sltu", Number(0x477FE000), code.lane("and", cut, Number(ONES & ~SIGN)))
        finite = code.lane("sltu", exponent, Number(0x7F800000))
        most = code.lane("or", code.lane("and", value, Number(SIGN)), Number(0x477FE000))
        cut = code.lane("sel", most, cut, code.lane("and", big, finite))
        parts.append(code.lane("f2h", code.lane("sel", cut, value, finite)))
    code.put("or", code.lane("shl", parts[1], Number(16)), parts[0])


def refused(what: str) -> Lower:
    """An instruction that is decoded only."""

    def lower(code: Code) -> None:
        code.refuse(f"{what} is something that this machine does not have")

    return lower


HALVES, GRAPHICS = "arithmetic of 16-bit floats", "arithmetic for graphics"


def _rows() -> list[Row]:
    def one(name: str, opcode: int, lower: Lower, meaning: str, floats: int = 32, operands: str = "d a") -> Row:
        return Row("v_" + name, "VOP1", opcode, operands, lower, meaning, floats=floats)

    def two(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b", floats: int = 32) -> Row:
        return Row("v_" + name, "VOP2", opcode, operands, lower, meaning, floats=floats)

    def three(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b c", floats: int = 32) -> Row:
        return Row("v_" + name, "VOP3", opcode, operands, lower, meaning, floats=floats)

    return [
        one("cvt_i32_f64", 3, _from_wide("d2i", True), "d = a as a signed integer, towards zero; of NaN 0", 64, "d a2"),
        one("cvt_f64_i32", 4, _to_wide("i2d"), "d = the signed integer a as a float", 0, "d2 a"),
        one("cvt_f32_i32", 5, plain("i2f"), "d = the signed integer a as a float", 0),
        one("cvt_f32_u32", 6, plain("u2f"), "d = the unsigned integer a as a float", 0),
        one("cvt_u32_f32", 7, _to_whole("f2u"), "d = a as an unsigned integer, towards zero; of NaN 0"),
        one("cvt_i32_f32", 8, _to_whole("f2i"), "d = a as a signed integer, towards zero; of NaN 0"),
        one("cvt_f16_f32", 10, plain("f2h"), "d = a as a 16-bit float"),
        one("cvt_f32_f16", 11, plain("h2f"), "d = the 16-bit float a", 16),
        one("cvt_rpi_i32_f32", 12, _to_whole("f2i", DOWN, True), "d = floor(a + 0.5)"),
        one("cvt_flr_i32_f32", 13, _to_whole("f2i", DOWN), "d = floor(a)"),
        one("cvt_off_f32_i4", 14, _from_nibble, "d = the signed low four bits of a, in sixteenths", 0),
        one("cvt_f32_f64", 15, _from_wide("d2f"), "d = a as a 32-bit float", 64, "d a2"),
        one("cvt_f64_f32", 16, _to_wide("f2d"), "d = a as a 64-bit float", 32, "d2 a"),
        *(one(f"cvt_f32_ubyte{n}", 17 + n, _from_byte(n), f"d = byte {n} of a as a float", 0) for n in range(4)),
        one("cvt_u32_f64", 21, _from_wide("d2u", True), "d = a as an unsigned integer, towards zero; of NaN 0", 64, "d a2"),
        one("cvt_f64_u32", 22, _to_wide("u2d"), "d = the unsigned integer a as a float", 0, "d2 a"),
        one("fract_f32", 27, _fraction, "d = a - floor(a)"),
        one("trunc_f32", 28, _rounded(TO_ZERO), "d = a without its fraction"),
        one("ceil_f32", 29, _rounded(UP), "d = the smallest whole number not below a"),
        one("rndne_f32", 30, _rounded(NEAREST), "d = the nearest whole number, of two the even one"),
        one("floor_f32", 31, _rounded(DOWN), "d = the largest whole number not above a"),
        one("exp_f32", 32, plain("fexp2"), "d = 2 to the power a"),
        one("log_f32", 33, plain("flog2"), "d = logarithm of a to base 2"),
        one("rcp_f32", 34, plain("frcp"), "d = 1 / a"),
        one("rcp_iflag_f32", 35, plain("frcp"), "d = 1 / a, for divisions of integers"),
        one("rsq_f32", 36, plain("frsqrt"), "d = 1 / square root of a"),
        one("sqrt_f32", 39, plain("fsqrt"), "d = square root of a"),
        one("sin_f32", 41, _angle("fsin"), "d = sine of a revolutions"),
        one("cos_f32", 42, _angle("fcos"), "d = cosine of a revolutions"),
        one("frexp_exp_i32_f32", 51, _exponent, "d = exponent of a, whose mantissa is from 0.5 to 1"),
        one("frexp_mant_f32", 52, _mantissa, "d = mantissa of a, from 0.5 to 1"),
        two("add_f32", 1, plain("fadd"), "d = a + b"),
        two("sub_f32", 2, plain("fsub"), "d = a - b"),
        two("subrev_f32", 3, plain("fsub", True), "d = b - a"),
        two("mul_legacy_f32", 4, _legacy_multiply, "d = a * b; 0 times anything is 0"),
        two("mul_f32", 5, plain("fmul"), "d = a * b"),
        two("min_f32", 10, plain("fmin"), "d = the smaller; the other one where one is NaN"),
        two("max_f32", 11, plain("fmax"), "d = the larger; the other one where one is NaN"),
        two("mac_f32", 22, _accumulate("fmad"), "d = a * b + d, rounded twice"),
        two("madmk_f32", 23, _with_literal(False), "d = a * number + b, rounded twice", "d a literal b"),
        two("madak_f32", 24, _with_literal(True), "d = a * b + number, rounded twice", "d a b literal"),
        *(two(f"{name}_f16", opcode, refused(HALVES), f"d = {meaning}, 16-bit floats", floats=16)
          for name, opcode, meaning in (("add", 31, "a + b"), ("sub", 32, "a - b"), ("subrev", 33, "b - a"), ("mul", 34, "a * b"),
                                        ("mac", 35, "a * b + d"), ("max", 45, "the larger"), ("min", 46, "the smaller"),
                                        ("ldexp", 51, "a times 2 to the power b"))),
        three("mad_legacy_f32", 448, refused(GRAPHICS), "d = a * b + c; 0 times anything is 0"),
        three("mad_f32", 449, plain("fmad"), "d = a * b + c, rounded twice"),
        three("cubeid_f32", 452, refused(GRAPHICS), "d = number of a cube's face"),
        three("fma_f32", 459, plain("fma"), "d = a * b + c, rounded once"),
        three("fma_f64", 460, _wide("dfma"), "d = a * b + c, rounded once", "d2 a2 b2 c2", 64),
        three("lerp_u8", 461, refused(GRAPHICS), "d = means of bytes"),
        three("min3_f32", 464, _chain("fmin", "fmin"), "d = the smallest"),
        three("max3_f32", 467, _chain("fmax", "fmax"), "d = the largest"),
        three("med3_f32", 470, _median, "d = the one between"),
        three("div_fixup_f32", 478, _divide_fix, "d = c / b, at the end of a division"),
        three("div_fixup_f64", 479, _divide_fix_wide, "d = c / b, at the end of a division", "d2 a2 b2 c2", 64),
        three("div_scale_f32", 480, _divide_scale, "d = a, scaled for a division of c by b; mask = it was", "d em a b c"),
        three("div_scale_f64", 481, _divide_scale_wide, "d = a, scaled for a division of c by b; mask = it was", "d2 em a2 b2 c2", 64),
        three("div_fmas_f32", 482, plain("fma", latency=L_FMA), "d = a * b + c, scaled back where VCC says so"),
        three("div_fmas_f64", 483, _wide("dfma"), "d = a * b + c, scaled back where VCC says so", "d2 a2 b2 c2", 64),
        three("add_f64", 640, _wide("dadd"), "d = a + b", "d2 a2 b2", 64),
        three("mul_f64", 641, _wide("dmul"), "d = a * b", "d2 a2 b2", 64),
        three("min_f64", 642, _wide("dmin"), "d = the smaller", "d2 a2 b2", 64),
        three("max_f64", 643, _wide("dmax"), "d = the larger", "d2 a2 b2", 64),
        three("ldexp_f64", 644, _scale_wide, "d = a times 2 to the power b", "d2 a2 b", 64),
        three("ldexp_f32", 648, _scale_float, "d = a times 2 to the power b", "d a b"),
        three("cvt_pkrtz_f16_f32", 662, _pack_halves, "d = a and b as 16-bit floats, towards zero", "d a b"),
        Row("v_pk_fma_f16", "VOP3P", 14, "d a b c", refused(HALVES), "d = a * b + c, two floats of 16 bits"),
        Row("v_mad_mix_f32", "VOP3P", 32, "d a b c", refused(HALVES), "d = a * b + c, sources of 16 or 32 bits"),
    ]  # fmt: skip


def _divide_scale_wide(code: Code) -> None:
    low, high = code.pair("a")
    code.put_mask("e", Number(0))
    code.put_pair(low, high)


ROWS = tuple(_rows())
