"""The vector unit's 16-bit integers: one in the low half of a register, or two in its halves (VOP3P).

In hardware: GCN 3 (gfx8) computes with one of them, and writes zeros above its result. Vega's packed instructions compute with both halves
at once, and choose for each source of each of them the half that it takes (op_sel, op_sel_hi). Some of Vega's instructions write one half
of their register and keep the other one. With clamp a result that 16 bits cannot hold becomes the nearest that they can.

Source: AMD "Vega" Instruction Set Architecture, chapter 6 and sections 12.10 to 12.12; for halves that are kept LLVM, SIISelLowering.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import ONES, Code, Number, Value
from warploom.isa.gcn.vector.vector_alu import narrow, sources

Lower = Callable[[Code], None]
MOST = Number(0xFFFF)
MOST_SIGNED, LEAST_SIGNED = Number(0x7FFF), Number(-0x8000 & ONES)
GROWING = ("add", "sub", "mul", "mad")  # operations whose result may need more bits than its sources have


def within(code: Code, value: Value, signed: bool, subtracts: bool = False) -> int:
    """The nearest number of 16 bits. Without a sign: of a sum or product of two of them, or of a difference."""
    if signed:
        return code.lane("min", code.lane("max", value, LEAST_SIGNED), MOST_SIGNED)
    return code.lane("max", value, Number(0)) if subtracts else code.lane("minu", value, MOST)


def calculated(code: Code, name: str, parts: list[Value], signed: bool) -> int:
    """An operation on sources that have 32 bits, saturated where clamp asks for it."""
    result = code.lane(name, *parts)
    return within(code, result, signed, name == "sub") if code.field("clamp") and name in GROWING else result


def half(name: str, swapped: bool = False, signed: bool = False, shift: bool = False) -> Lower:
    """A micro-op on low halves."""

    def lower(code: Code) -> None:
        found = sources(code)
        parts: list[Value] = [
            code.lane("and", value, Number(15)) if shift and place == 0 else narrow(code, value, 16, signed)
            for place, value in enumerate(found)
        ]
        parts = parts[::-1] if swapped else parts
        if code.field("clamp"):
            code.put_narrow(code.lane("and", calculated(code, name, parts, signed), MOST))
        else:
            code.put(name, *parts, size=2)

    return lower


def of_three(first: str, second: str, signed: bool) -> Lower:
    """(a op b) op c of low halves."""

    def lower(code: Code) -> None:
        a, b, c = (narrow(code, value, 16, signed) for value in sources(code))
        code.put(second, code.lane(first, a, b), c)

    return lower


def median(signed: bool) -> Lower:
    """The middle one of three low halves."""
    low, high = ("min", "max") if signed else ("minu", "maxu")

    def lower(code: Code) -> None:
        a, b, c = (narrow(code, value, 16, signed) for value in sources(code))
        smaller, larger = code.lane(low, a, b), code.lane(high, a, b)
        code.put(high, smaller, code.lane(low, larger, c))

    return lower


def multiply_add_into_word(signed: bool) -> Lower:
    """a * b of low halves, plus a c of 32 bits."""

    def lower(code: Code) -> None:
        a, b, c = sources(code)
        code.put("mad", narrow(code, a, 16, signed), narrow(code, b, 16, signed), c)

    return lower


def joined(code: Code, low: Value, high: Value) -> None:
    """The result of two halves, of which the low one may have more bits than it keeps."""
    code.put("or", code.lane("shl", high, Number(16)), code.lane("and", low, MOST))


def saturated_pair(signed: bool) -> Lower:
    """Two words as the nearest numbers of 16 bits."""

    def lower(code: Code) -> None:
        joined(code, *(within(code, value, signed) for value in sources(code)))

    return lower


def pack(code: Code) -> None:
    """The low halves of two sources."""
    a, b = sources(code)
    joined(code, a, b)


def bytes_of_halves(code: Code) -> None:
    """Two signed halves as the nearest unsigned bytes, in the low half."""
    a = code.source("a")
    low, high = narrow(code, a, 16, True), code.lane("sra", a, Number(16))
    low, high = (code.lane("min", code.lane("max", value, Number(0)), Number(255)) for value in (low, high))
    code.put("or", code.lane("shl", high, Number(8)), low)


# ---------------------------------------------------------------------------------------------------------
# Two at once


def selected(code: Code, letter: str, high: bool) -> Value:
    """The half of a source that a half of the result takes, in the low bits; what is above it is not said."""
    number = "abc".index(letter)
    chosen = code.field("hi_low") | code.field("hi_top") << 2 if high else code.field("op_sel")
    value = code.source(letter)
    return code.lane("shr", value, Number(16)) if chosen >> number & 1 else value


def packed(name: str, letters: str = "ab", signed: bool = False, shift: bool = False) -> Lower:
    """A micro-op on each of two halves. letters: its sources, in their order. shift: a says by how many bits."""

    def lower(code: Code) -> None:
        results = []
        for half in (False, True):
            parts: list[Value] = []
            for letter in letters:
                value = selected(code, letter, half)
                parts.append(code.lane("and", value, Number(15)) if shift and letter == "a" else narrow(code, value, 16, signed))
            results.append(calculated(code, name, parts, signed))
        high = code.lane("shl", results[1], Number(16))
        code.vector("or", code.target(), high, code.lane("and", results[0], MOST))

    return lower
