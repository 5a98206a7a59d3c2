"""The vector unit's floats, of 32 and 64 bits, and conversions.

In hardware: a multiply-add of 32 bits in every lane of a SIMD, each wave four cycles; reciprocals, roots and the like come from a unit of a
quarter of the lanes. Sources may be negated or made positive, results doubled, halved or kept between 0 and 1, at no cost. Rounding is to
nearest, ties to even, and denormal numbers are kept, as AMD's runtime sets it. What is about one unit in the last place in hardware (rcp,
rsq, exp, log, sin, cos) is here what the machine's special functions give.

A division is v_div_scale, twice, v_rcp, four or five v_fma, v_div_fmas and v_div_fixup: scaling keeps exponents from overflowing, and the
last step picks the special cases. Here v_div_scale scales nothing, and v_div_fixup is a division by IEEE 754, which is what the whole
gives.

Source: AMD "Vega" Instruction Set Architecture, chapters 6 and 12.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import ONES, SIGN, Code, Number, Value
from warploom.isa.gcn.vector.vector_alu import sources

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


def wide(name: str) -> Lower:
    """An operation on 64-bit floats."""

    def lower(code: Code) -> None:
        if code.field("clamp") or code.field("omod"):
            code.refuse("clamp and omod of 64-bit floats are something that this machine does not have")
        found = pairs(code)
        code.vector(name, code.target(), *found)

    return lower


def scale_wide(code: Code) -> None:
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


def accumulate(name: str) -> Lower:
    """a * b + d."""

    def lower(code: Code) -> None:
        a, b = sources(code)
        code.put(name, a, b, code.target())

    return lower


def with_literal(adds: bool) -> Lower:
    """A multiply-add with a number after the instruction: as c (adds), or as the second factor."""

    def lower(code: Code) -> None:
        a, b, literal = code.source("a"), code.source("b"), Number(code.written.literal or 0)
        code.put("fmad", a, *((b, literal) if adds else (literal, b)))

    return lower


def chain(first: str, second: str) -> Lower:
    """(a op b) op c."""

    def lower(code: Code) -> None:
        a, b, c = sources(code)
        code.put(second, code.lane(first, a, b), c)

    return lower


def median(code: Code) -> None:
    """The one between."""
    a, b, c = sources(code)
    smaller, larger = code.lane("fmin", a, b), code.lane("fmax", a, b)
    code.put("fmax", smaller, code.lane("fmin", larger, c))


def rounded(mode: int) -> Lower:
    """A whole float."""

    def lower(code: Code) -> None:
        code.put("fround", code.source("a"), Number(mode))

    return lower


def fraction(code: Code) -> None:
    """a - floor(a), below 1."""
    a = code.source("a")
    rest = code.lane("fsub", a, code.lane("floor", a))
    code.put("fmin", rest, Number(ONE - 1))


def radians(code: Code, revolutions: Value) -> int:
    """An angle; whole revolutions do not matter."""
    part = code.lane("fsub", revolutions, code.lane("fround", revolutions, Number(NEAREST)))
    return code.lane("fmul", part, Number(TWO_PI))


def angle(name: str) -> Lower:
    """Sine and cosine of revolutions."""

    def lower(code: Code) -> None:
        code.put(name, radians(code, code.source("a")))

    return lower


def scale_float(code: Code) -> None:
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


def exponent_of(code: Code, value: Value) -> int:
    """The power of two of a mantissa from a half to one; 0 of 0, infinity and NaN."""
    bits, added, special = _normal(code, value)
    power = code.lane("sub", code.lane("sub", code.lane("shr", bits, Number(23)), Number(126)), added)
    return code.lane("sel", Number(0), power, special)


def exponent(code: Code) -> None:
    """The result is that power."""
    code.put("mov", exponent_of(code, code.source("a")))


def mantissa_of(code: Code, a: Value) -> int:
    """The mantissa from a half to one, with its sign; of 0, infinity and NaN the source."""
    bits, _, special = _normal(code, a)
    sign = code.lane("and", a, Number(SIGN))
    part = code.lane("or", code.lane("and", bits, Number(0x007FFFFF)), Number(0x3F000000))
    return code.lane("sel", a, code.lane("or", part, sign), special)


def mantissa(code: Code) -> None:
    """The result is that mantissa."""
    code.put("mov", mantissa_of(code, code.source("a")))


def divide_scale(code: Code) -> None:
    """The source as it is; nothing was scaled."""
    code.put_mask("e", Number(0))
    code.vector("mov", code.target(), code.source("a"))


def divide_fix(code: Code) -> None:
    """c / b by IEEE 754; a, what the steps before it found, is not needed."""
    code.put("fdiv", code.source("c"), code.source("b"))


def divide_fix_wide(code: Code) -> None:
    """As divide_fix, of 64 bits."""
    _, below, above = pairs(code)
    code.vector("ddiv", code.target(), above, below)


def divide_scale_wide(code: Code) -> None:
    """As divide_scale, of 64 bits."""
    low, high = code.pair("a")
    code.put_mask("e", Number(0))
    code.put_pair(low, high)
