"""The vector unit's carries and what has 64 bits: sums with a carry in and out, sums that saturate, shifts, multiply-adds.

In hardware: an adder has 32 bits, and carries of all lanes go through a mask in scalar registers, one instruction to the next. Shifts of
64 bits take as long as two instructions, multiply-adds of 64 bits four times as long as a sum.

Source: AMD "Vega" Instruction Set Architecture, chapter 6 and sections 12.7 to 12.11; LLVM, SISchedule.td.
"""

from __future__ import annotations

from warploom.isa.gcn.code import ONES, Code, Number, Value
from warploom.isa.gcn.vector.vector_alu import Lower, sources
from warploom.isa.uop import scalar


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
        if code.field("clamp"):
            result = code.lane("sel", Number(0 if subtracts else ONES), result, carry)
        code.put_narrow(result)

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


def shift_wide(kind: str) -> Lower:
    """A shift of 64 bits."""

    def lower(code: Code) -> None:
        by, (low, high) = code.source("a"), code.pair("b")
        code.put_pair(*shifted(code, low, high, by, kind))

    return lower


def multiply_add_wide(signed: bool) -> Lower:
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


def saturating(subtracts: bool, swapped: bool = False, signed: bool = False) -> Lower:
    """a + b or a - b; with clamp the nearest number that 32 bits hold, in the place of one that they do not."""
    name, out = ("sub", "borrow") if subtracts else ("add", "carry")

    def lower(code: Code) -> None:
        a, b = reversed(sources(code)) if swapped else sources(code)
        if not code.field("clamp"):
            code.put(name, a, b)
            return
        result = code.lane(name, a, b)
        if signed:  # it has overflowed where its sign is not the one that the operands ask for
            other: Value = code.lane("xor", b, Number(ONES)) if subtracts else b
            wrong = code.lane("and", code.lane("xor", result, a), code.lane("xor", result, other))
            most = code.lane("xor", code.lane("sra", a, Number(31)), Number(0x7FFFFFFF))
            code.put_narrow(code.lane("sel", most, result, code.lane("shr", wrong, Number(31))))
        else:
            carry = code.lane(out, a, b, Number(0))
            code.put_narrow(code.lane("sel", Number(0 if subtracts else ONES), result, carry))

    return lower
