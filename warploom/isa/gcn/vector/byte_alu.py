"""The vector unit's operations on bytes: permutations, means, sums of distances, and pairs of halves that are distances too.

In hardware: four subtracters of 8 bits and a tree of adders, beside the adder of 32 bits; made for video, where blocks of pixels are
compared.

Source: AMD "Vega" Instruction Set Architecture, section 12.11.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.isa.gcn.code import Code, Number, Value
from warploom.isa.gcn.vector.vector_alu import sources


def permute_bytes(code: Code) -> None:
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


def distance_of_bytes(code: Code) -> None:
    """The distances of four bytes, and c."""
    _distance_of_bytes(code, False)


def distance_of_masked_bytes(code: Code) -> None:
    """The distances of four bytes, where that of b is not 0, and c."""
    _distance_of_bytes(code, True)


def _parts(code: Code, values: Iterable[Value], place: int, bits: int) -> list[int]:
    """The byte or half of a place, of each value."""
    most = Number((1 << bits) - 1)
    return [code.lane("and", code.lane("shr", value, Number(bits * place)), most) for value in values]


def _between(code: Code, x: Value, y: Value) -> int:
    return code.lane("sub", code.lane("maxu", x, y), code.lane("minu", x, y))


def _distance_of_bytes(code: Code, masked: bool) -> None:
    a, b, total = sources(code)
    for byte in range(4):
        x, y = _parts(code, (a, b), byte, 8)
        distance = _between(code, x, y)
        if masked:
            distance = code.lane("sel", distance, Number(0), y)
        total = code.lane("add", total, distance)
    code.put("mov", total)


def distance_in_high_half(code: Code) -> None:
    """The distances of four bytes, times 2 to the power 16, and c."""
    a, b, c = sources(code)
    total: Value = Number(0)
    for byte in range(4):
        total = code.lane("add", total, _between(code, *_parts(code, (a, b), byte, 8)))
    code.put("add", code.lane("shl", total, Number(16)), c)


def distance_of_halves(code: Code) -> None:
    """The distances of both halves, and c."""
    a, b, total = sources(code)
    for half in range(2):
        total = code.lane("add", total, _between(code, *_parts(code, (a, b), half, 16)))
    code.put("mov", total)


def mean_of_bytes(code: Code) -> None:
    """Means of four bytes; of c the lowest bit of each byte says which way a half is rounded."""
    a, b, c = sources(code)
    result: Value = Number(0)
    for byte in range(4):
        x, y = _parts(code, (a, b), byte, 8)
        up = code.lane("and", code.lane("shr", c, Number(8 * byte)), Number(1))
        mean = code.lane("shr", code.lane("add", code.lane("add", x, y), up), Number(1))
        result = code.lane("or", result, code.lane("shl", mean, Number(8 * byte)))
    code.put("mov", result)
