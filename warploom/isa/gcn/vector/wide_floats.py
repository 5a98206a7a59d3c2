"""The vector unit's 64-bit floats that are not one micro-op: reciprocals, roots, whole numbers, exponents; and the class of a float.

In hardware: GCN computes with 64-bit floats in the same lanes, over more cycles (on Vega a sixteenth of the rate of 32 bits). v_rcp, v_rsq
and v_sqrt give some 27 bits, from which code makes all by steps of Newton's; here they are exact, which those steps leave as it is.

Source: AMD "Vega" Instruction Set Architecture, chapters 6 and 12.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import Code, Number, Value
from warploom.isa.gcn.vector.floats import pairs

Lower = Callable[[Code], None]
TWO_TO_52 = 0x43300000  # high word
TWO_TO_54 = 0x43500000


def _pair(code: Code, low: Value, high: Value) -> int:
    first, second = code.lane_temporary(), code.lane_temporary()
    code.vector("mov", first, low)
    code.vector("mov", second, high)
    return first


def _wide(code: Code, name: str, *sources: int) -> int:
    first = code.lane_temporary()
    code.lane_temporary()
    return code.vector(name, first, *sources)


def reciprocal_wide(root: bool) -> Lower:
    """1 / a, or 1 / the square root of a."""

    def lower(code: Code) -> None:
        (value,) = pairs(code)
        one = _pair(code, Number(0), Number(0x3FF00000))
        found = _wide(code, "ddiv", one, _wide(code, "dsqrt", value) if root else value)
        code.put_pair(found, found + 1)

    return lower


def root_wide(code: Code) -> None:
    """The square root of a."""
    (value,) = pairs(code)
    found = _wide(code, "dsqrt", value)
    code.put_pair(found, found + 1)


def rounded_wide(mode: str) -> Lower:
    """A whole float: "nearest", "down", "up" or "zero". A sum with 2 to the power 52 has no fraction; nor has a float from there on."""

    def lower(code: Code) -> None:
        whole = _rounded(code, pairs(code)[0], mode)
        code.put_pair(whole, whole + 1)

    return lower


def _rounded(code: Code, value: int, mode: str) -> int:
    sign = code.lane("and", value + 1, Number(0x80000000))
    large = _pair(code, Number(0), code.lane("or", sign, Number(TWO_TO_52)))
    nearest = _wide(code, "dsub", _wide(code, "dadd", value, large), large)
    found = nearest
    if mode != "nearest":
        less, more = code.lane("dlt", value, nearest), code.lane("dlt", nearest, value)
        negative = code.lane("shr", value + 1, Number(31))
        down: Value = Number(0) if mode == "up" else less if mode == "down" else code.lane("sel", Number(0), less, negative)
        up: Value = Number(0) if mode == "down" else more if mode == "up" else code.lane("sel", more, Number(0), negative)
        step = code.lane("or", code.lane("sel", Number(0xBFF00000), Number(0), down), code.lane("sel", Number(0x3FF00000), Number(0), up))
        found = _wide(code, "dadd", nearest, _pair(code, Number(0), step))
    magnitude = code.lane("and", value + 1, Number(0x7FFFFFFF))
    small = code.lane("sltu", magnitude, Number(TWO_TO_52))  # else it is whole, infinite or NaN
    high = code.lane("or", code.lane("and", found + 1, Number(0x7FFFFFFF)), sign)  # -0 keeps its sign
    return _pair(code, code.lane("sel", found, value, small), code.lane("sel", high, value + 1, small))


def fraction_wide(code: Code) -> None:
    """a - floor(a)."""
    (value,) = pairs(code)
    found = _wide(code, "dsub", value, _rounded(code, value, "down"))
    code.put_pair(found, found + 1)


def exponent_wide(code: Code) -> None:
    """frexp: the exponent of a, whose mantissa is from 0.5 to 1; of zero, infinity and NaN 0."""
    _, power, plain = _mantissa(code)
    code.put("sel", power, Number(0), plain)


def mantissa_wide(code: Code) -> None:
    """frexp: the mantissa of a, from 0.5 to 1; zero, infinity and NaN stay."""
    value, _, plain = _mantissa(code)
    high = code.lane("or", code.lane("and", value + 1, Number(0x800FFFFF)), Number(0x3FE00000))
    code.put_pair(value, code.lane("sel", high, value + 1, plain))


def _mantissa(code: Code) -> tuple[int, int, int]:
    """(a as a normal float, its exponent, whether it has one)."""
    (value,) = pairs(code)
    small = code.lane("seq", _exponent(code, value + 1), Number(0))
    scaled = _wide(code, "dmul", value, _pair(code, Number(0), Number(TWO_TO_54)))
    normal = _pair(code, code.lane("sel", scaled, value, small), code.lane("sel", scaled + 1, value + 1, small))
    found = _exponent(code, normal + 1)
    power = code.lane("sub", code.lane("sub", found, Number(1022)), code.lane("sel", Number(54), Number(0), small))
    plain = code.lane("and", code.lane("sne", found, Number(0)), code.lane("sne", found, Number(0x7FF)))
    return normal, power, plain


def _exponent(code: Code, high: int) -> int:
    return code.lane("and", code.lane("shr", high, Number(20)), Number(0x7FF))


def class_bits(code: Code, sign: int, exponent: int, most: int, mantissa: int, quiet: int) -> int:
    """AMD's ten classes, a bit: signaling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity.

    sign, quiet: 0 or 1. most: the exponent of infinity. mantissa: 0 where it is zero.
    """
    zero, full = code.lane("seq", mantissa, Number(0)), code.lane("seq", exponent, Number(most))
    small = code.lane("sel", Number(3), Number(2), zero)
    kind = code.lane("sel", small, Number(1), code.lane("seq", exponent, Number(0)))
    kind = code.lane("sel", Number(0), kind, full)
    number = code.lane("sel", code.lane("shl", Number(4), kind), code.lane("shr", Number(0x200), kind), sign)
    is_nan = code.lane("and", full, code.lane("xor", zero, Number(1)))
    return code.lane("sel", code.lane("add", quiet, Number(1)), number, is_nan)


def class_of_wide(code: Code) -> int:
    """The class of the 64-bit float a."""
    low, high = code.pair("a")
    top = code.lane("mov", high)
    mantissa = code.lane("or", code.lane("and", top, Number(0xFFFFF)), low)
    quiet = code.lane("and", code.lane("shr", top, Number(19)), Number(1))
    return class_bits(code, code.lane("shr", top, Number(31)), _exponent(code, top), 0x7FF, mantissa, quiet)


def class_of_half(code: Code) -> int:
    """The class of the 16-bit float a."""
    value = code.lane("and", code.source("a"), Number(0xFFFF))
    exponent = code.lane("and", code.lane("shr", value, Number(10)), Number(31))
    quiet = code.lane("and", code.lane("shr", value, Number(9)), Number(1))
    return class_bits(code, code.lane("shr", value, Number(15)), exponent, 31, code.lane("and", value, Number(0x3FF)), quiet)
