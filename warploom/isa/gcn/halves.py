"""The vector unit's 16-bit floats.

In hardware: GCN 3 (gfx8) computes with 16-bit floats at the rate of 32-bit ones. Here they become 32-bit floats, are computed with, and are
rounded back. For a sum, product, quotient or root that is the same as rounding once, because 24 bits of precision are at least 2 * 11 + 2
(Figueroa, "When is double rounding innocuous?", SIGNUM 1995). A fused multiply-add is computed in 64 bits: near the middle of two 16-bit
floats it is exact there.

Source: AMD "GCN3" and "Vega" Instruction Set Architectures, chapters 6 and 12.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import Code, Number, Value

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
