"""The vector unit's conversions between floats of 32 and 64 bits, integers, and pairs of halves.

In hardware: a shifter before or after the adder of floats, at a quarter of the rate, or as fast as an addition where the sizes are close.

Source: AMD "Vega" Instruction Set Architecture, sections 12.8 and 12.11.
"""

from __future__ import annotations

from warploom.isa.gcn.code import ONES, SIGN, Code, Number, Value
from warploom.isa.gcn.vector.floats import NEAREST, ONE, TO_ZERO, Lower, pairs
from warploom.isa.gcn.vector.vector_alu import sources


def to_wide(name: str) -> Lower:
    """A conversion into 64 bits."""

    def lower(code: Code) -> None:
        code.vector(name, code.target(), code.source("a"))

    return lower


def from_wide(name: str, whole: bool = False) -> Lower:
    """A conversion of a 64-bit float. whole: to an integer; of NaN 0."""

    def lower(code: Code) -> None:
        (value,) = pairs(code)
        if not whole:
            code.put(name, value)
            return
        code.put("sel", code.lane(name, value), Number(0), code.lane("deq", value, value))  # of NaN 0

    return lower


def to_whole(name: str, mode: int = TO_ZERO, half: bool = False) -> Lower:
    """A whole number, as near as one of 32 bits can be; of NaN 0."""

    def lower(code: Code) -> None:
        a = code.source("a")
        moved: Value = code.lane("fadd", a, Number(0x3F000000)) if half else a
        whole = moved if mode == TO_ZERO else code.lane("fround", moved, Number(mode))
        code.put("sel", code.lane(name, whole), Number(0), code.lane("feq", a, a))

    return lower


def from_nibble(code: Code) -> None:
    """Four bits with a sign, in sixteenths."""
    nibble = code.lane("sra", code.lane("shl", code.source("a"), Number(28)), Number(28))
    code.put("fmul", code.lane("i2f", nibble), Number(0x3D800000))


def from_byte(number: int) -> Lower:
    """A byte of a source as a float."""

    def lower(code: Code) -> None:
        code.put("u2f", code.lane("and", code.lane("shr", code.source("a"), Number(8 * number)), Number(255)))

    return lower


def pack_halves(code: Code) -> None:
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


def part_of_most(code: Code, value: Value, signed: bool) -> int:
    """A float from -1 (0) to 1 as a part of the largest number of 16 bits; of NaN 0."""
    least, most, most_float = (0xBF800000, ONE, 0x46FFFE00) if signed else (0, ONE, 0x477FFF00)
    inside = code.lane("fmin", code.lane("fmax", value, Number(least)), Number(most))
    whole = code.lane("f2i", code.lane("fround", code.lane("fmul", inside, Number(most_float)), Number(NEAREST)))
    kept = code.lane("sel", whole, Number(0), code.lane("feq", value, value))
    return code.lane("and", kept, Number(0xFFFF))


def pack_fractions(signed: bool) -> Lower:
    """Two floats as such parts."""

    def lower(code: Code) -> None:
        low, high = (part_of_most(code, value, signed) for value in sources(code))
        code.put("or", code.lane("shl", high, Number(16)), low)

    return lower


def pack_byte(code: Code) -> None:
    """A float as an unsigned byte, 0 to 255, put into byte b of c, or of the result's old value."""
    value, place = code.source("a"), code.source("b")
    word = code.source("c") if "c" in code.row.words else code.target()
    whole = code.lane("minu", code.lane("f2u", code.lane("fround", value, Number(NEAREST))), Number(255))
    whole = code.lane("sel", whole, Number(0), code.lane("feq", value, value))
    shift = code.lane("shl", code.lane("and", place, Number(3)), Number(3))
    kept = code.lane("and", word, code.lane("xor", code.lane("shl", Number(255), shift), Number(ONES)))
    code.put("or", kept, code.lane("shl", whole, shift))
