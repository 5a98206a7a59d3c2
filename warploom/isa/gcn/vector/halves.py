"""The vector unit's 16-bit floats.

In hardware: GCN 3 (gfx8) computes with 16-bit floats at the rate of 32-bit ones. Here they become 32-bit floats, are computed with, and are
rounded back. For a sum, product, quotient or root that is the same as rounding once, because 24 bits of precision are at least 2 * 11 + 2
(Figueroa, "When is double rounding innocuous?", SIGNUM 1995). A fused multiply-add is computed in 64 bits: near the middle of two 16-bit
floats it is exact there.

Source: AMD "GCN3" and "Vega" Instruction Set Architectures, chapters 6 and 12.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import SIGN, Code, Number, Value
from warploom.isa.gcn.vector import conversions, floats
from warploom.isa.gcn.vector.half_integers import selected

Lower = Callable[[Code], None]


def source(code: Code, letter: str) -> int:
    """A source as a 32-bit float."""
    return code.lane("h2f", code.source(letter))


def put(code: Code, value: int) -> None:
    """A 32-bit float as the result: doubled or kept between 0 and 1 where asked for, and rounded to 16 bits."""
    code.put_narrow(code.lane("f2h", code.scaled(value)))


def plain(name: str, letters: str = "ab") -> Lower:
    """One operation on 32-bit floats; letters: its sources, in their order."""

    def lower(code: Code) -> None:
        put(code, code.lane(name, *(source(code, letter) for letter in letters)))

    return lower


def chain(first: str, second: str) -> Lower:
    """(a first b) second c: exact operations, or one rounding each."""

    def lower(code: Code) -> None:
        found = code.lane(first, source(code, "a"), source(code, "b"))
        put(code, code.lane(second, found, source(code, "c")))

    return lower


def multiply_add(letters: str = "abc") -> Lower:
    """a * b, rounded; and c, rounded. letters: "d" stands for the result's old value."""

    def lower(code: Code) -> None:
        a, b, c = (code.lane("h2f", code.target()) if letter == "d" else source(code, letter) for letter in letters)
        product = code.lane("h2f", code.lane("f2h", code.lane("fmul", a, b)))
        put(code, code.lane("fadd", product, c))

    return lower


def with_literal(adds: bool) -> Lower:
    """A multiply-add with a number after the instruction: as c (adds), or as the second factor."""

    def lower(code: Code) -> None:
        literal = code.lane("h2f", Number(code.written.literal or 0))
        a, b = source(code, "a"), source(code, "b")
        first, second, third = (a, b, literal) if adds else (a, literal, b)
        put(code, code.lane("fadd", code.lane("h2f", code.lane("f2h", code.lane("fmul", first, second))), third))

    return lower


def fused(code: Code, a: Value, b: Value, c: Value) -> int:
    """a * b + c of 32-bit floats that were 16-bit ones, rounded once to 16 bits."""
    wide = []
    for value in (a, b, c):
        wide.append(code.lane("f2d", value))
        code.lane_temporary()
    result = code.lane("dfma", *wide)
    code.lane_temporary()
    return code.lane("d2h", result)


def fma(code: Code) -> None:
    """a * b + c, rounded once."""
    result = fused(code, *(source(code, letter) for letter in "abc"))
    if code.field("clamp") or code.field("omod"):
        result = code.lane("f2h", code.scaled(code.lane("h2f", result)))
    code.put_narrow(result)


def rounded(mode: int) -> Lower:
    """A whole float."""

    def lower(code: Code) -> None:
        put(code, code.lane("fround", source(code, "a"), Number(mode)))

    return lower


def fraction(code: Code) -> None:
    """a - floor(a)."""
    value = source(code, "a")
    put(code, code.lane("fsub", value, code.lane("floor", value)))


def median(code: Code) -> None:
    """The one between."""
    a, b, c = (source(code, letter) for letter in "abc")
    least, most = code.lane("fmin", a, b), code.lane("fmax", a, b)
    put(code, code.lane("fmax", least, code.lane("fmin", most, c)))


def scale(code: Code) -> None:
    """ldexp: a times 2 to the power b, a signed number of 16 bits."""
    power = code.lane("sra", code.lane("shl", code.source("b"), Number(16)), Number(16))
    power = code.lane("max", code.lane("min", power, Number(60)), Number(-60 & 0xFFFFFFFF))
    factor = code.lane("shl", code.lane("add", power, Number(127)), Number(23))
    put(code, code.lane("fmul", source(code, "a"), factor))


def divide_fix(code: Code) -> None:
    """The end of a division: c / b, rounded once."""
    put(code, code.lane("fdiv", source(code, "c"), source(code, "b")))


def to_whole(name: str, signed: bool) -> Lower:
    """A conversion to 16 bits, saturated; of NaN 0."""

    def lower(code: Code) -> None:
        value = source(code, "a")
        found = code.lane(name, value)
        if signed:
            found = code.lane("max", code.lane("min", found, Number(0x7FFF)), Number(-0x8000 & 0xFFFFFFFF))
        else:
            found = code.lane("minu", found, Number(0xFFFF))
        kept = code.lane("and", found, Number(0xFFFF))
        code.put_narrow(code.lane("sel", kept, Number(0), code.lane("feq", value, value)))

    return lower


def from_whole(name: str, signed: bool) -> Lower:
    """The 16-bit integer a as a float."""

    def lower(code: Code) -> None:
        value = code.lane("shl", code.source("a"), Number(16))
        put(code, code.lane(name, code.lane("sra" if signed else "shr", value, Number(16))))

    return lower


def exponent(code: Code) -> None:
    """The power of two of a mantissa from a half to one, 16 bits; 0 of 0, infinity and NaN."""
    code.put_narrow(code.lane("and", floats.exponent_of(code, source(code, "a")), Number(0xFFFF)))


def mantissa(code: Code) -> None:
    """The part of a from a half to one; what is 0, infinite or NaN stays."""
    put(code, floats.mantissa_of(code, source(code, "a")))


def angle(name: str) -> Lower:
    """Sine and cosine of revolutions."""

    def lower(code: Code) -> None:
        put(code, code.lane(name, floats.radians(code, source(code, "a"))))

    return lower


def fraction_to_whole(code: Code, value: Value, signed: bool) -> int:
    """A 16-bit float from -1 (0) to 1 as a part of the largest number of 16 bits."""
    return conversions.part_of_most(code, code.lane("h2f", value), signed)


def norm(signed: bool) -> Lower:
    """A fraction."""

    def lower(code: Code) -> None:
        code.put_narrow(fraction_to_whole(code, code.source("a"), signed))

    return lower


def pack_norms(signed: bool) -> Lower:
    """Two fractions."""

    def lower(code: Code) -> None:
        low, high = (fraction_to_whole(code, code.source(letter), signed) for letter in "ab")
        code.put("or", code.lane("shl", high, Number(16)), low)

    return lower


# ---------------------------------------------------------------------------------------------------------
# Two at once, and floats of both sizes in one instruction


def _signed_half(code: Code, letter: str, high: bool) -> int:
    value = selected(code, letter, high)
    negated = code.field("neg_hi" if high else "neg") >> "abc".index(letter) & 1
    return code.lane("h2f", code.lane("xor", value, Number(0x8000)) if negated else value)


def packed(name: str) -> Lower:
    """An operation on each of two halves."""

    def lower(code: Code) -> None:
        letters = "abc" if name == "fma" else "ab"
        results = []
        for high in (False, True):
            sources = [_signed_half(code, letter, high) for letter in letters]
            if name == "fma":
                result = fused(code, *sources)
                if code.field("clamp"):
                    result = code.lane("f2h", code.scaled(code.lane("h2f", result)))
            else:
                result = code.lane("f2h", code.scaled(code.lane(name, *sources)))
            results.append(result)
        code.vector("or", code.target(), code.lane("shl", results[1], Number(16)), results[0])

    return lower


def mixed(half: int | None) -> Lower:
    """a * b + c, each source a 32-bit float or a half, which op_sel_hi says; of halves op_sel says which. The result is a 32-bit float
    (None), or rounded into the low (0) or high half. abs is where other packed instructions have the sign of the high half."""

    def lower(code: Code) -> None:
        parts = []
        for number, letter in enumerate("abc"):
            is_half = (code.field("hi_low") | code.field("hi_top") << 2) >> number & 1
            if is_half:
                value: Value = code.lane("h2f", selected(code, letter, False))
            else:
                value = code.source(letter)
            if code.field("neg_hi") >> number & 1:
                value = code.lane("and", value, Number(0x7FFFFFFF))
            if code.field("neg") >> number & 1:
                value = code.lane("xor", value, Number(SIGN))
            parts.append(value)
        result = code.scaled(code.lane("fmad", *parts))
        if half is None:
            code.vector("mov", code.target(), result)
        else:
            code.put_half(code.lane("f2h", result), half)

    return lower
