"""LOP3 and PLOP3: any function of three bits in at most six micro-ops.

A function of three is a choice by one of them between two functions of the other two: f = g0 ^ (c & (g0 ^ g1)). Functions of two are at
most two micro-ops each. Of the three ways to choose the shortest is taken; sources that are 0 or all ones are left out first.
"""

from __future__ import annotations

from warploom.isa.sass.code import ONES, Code, Number, Operand

# A table of n sources is 2^n bits, bit number a << 1 | b (of two), a << 2 | b << 1 | c (of three).
_TWO: dict[int, tuple[tuple[str, str, str], ...]] = {  # steps (name, source, source): a, b, `1` for all ones, `t` for the step before
    0b1100: (), 0b1010: (), 0b0000: (), 0b1111: (),
    0b0011: (("xor", "a", "1"),), 0b0101: (("xor", "b", "1"),),
    0b1000: (("and", "a", "b"),), 0b1110: (("or", "a", "b"),), 0b0110: (("xor", "a", "b"),),
    0b0111: (("and", "a", "b"), ("xor", "t", "1")), 0b0001: (("or", "a", "b"), ("xor", "t", "1")),
    0b1001: (("xor", "a", "b"), ("xor", "t", "1")),
    0b0100: (("and", "a", "b"), ("xor", "t", "a")), 0b0010: (("and", "a", "b"), ("xor", "t", "b")),
    0b1101: (("xor", "b", "1"), ("or", "t", "a")), 0b1011: (("xor", "a", "1"), ("or", "t", "b")),
}  # fmt: skip
_WHOLE = {0b1100: "a", 0b1010: "b"}


def table_of(code: Code, table: int, sources: list[Operand]) -> Operand:
    """The micro-ops of a table of three sources."""
    bits = [table >> number & 1 for number in range(8)]
    left = list(sources)
    for place in range(len(sources) - 1, -1, -1):
        source = sources[place]
        if isinstance(source, Number) and source.value in (0, ONES):
            bits = _part(bits, len(left) - 1 - place, source.value & 1)
            del left[place]
    return _function(code, bits, left)


def _part(bits: list[int], place: int, value: int) -> list[int]:
    """The table that is left where the source of a bit of the number has a value."""
    return [bit for number, bit in enumerate(bits) if number >> place & 1 == value]


def _function(code: Code, bits: list[int], sources: list[Operand]) -> Operand:
    if len(set(bits)) == 1:
        return Number(ONES * bits[0])
    if len(sources) == 1:
        return sources[0] if bits == [0, 1] else code.inverted(sources[0])
    if len(sources) == 2:
        return _of_two(code, _number(bits), sources)
    ways = []
    for place in range(3):
        zero, one = _part(bits, place, 0), _part(bits, place, 1)
        change = [x ^ y for x, y in zip(zero, one, strict=True)]
        ways.append((_cost(zero) + _cost(change) + (any(zero)) + (not all(change)), place, zero, change))
    _, place, zero, change = min(ways)
    chooser = sources[2 - place]
    others = [source for number, source in enumerate(sources) if number != 2 - place]
    base, difference = _function(code, zero, others), _function(code, change, others)
    if difference == Number(0):
        return base
    toggled = chooser if difference == Number(ONES) else code.new("and", chooser, difference)
    if base == Number(0):
        return toggled
    return code.inverted(toggled) if base == Number(ONES) else code.new("xor", base, toggled)


def _number(bits: list[int]) -> int:
    return sum(bit << number for number, bit in enumerate(bits))


def _cost(bits: list[int]) -> int:
    return len(_TWO[_number(bits)])


def _of_two(code: Code, table: int, sources: list[Operand]) -> Operand:
    values: dict[str, Operand] = {"a": sources[0], "b": sources[1], "1": Number(ONES)}
    if table in _WHOLE:
        return values[_WHOLE[table]]
    found: Operand = Number(ONES if table else 0)
    for name, first, second in _TWO[table]:
        found = code.new(name, values[first], values[second])
        values["t"] = found
    return found
