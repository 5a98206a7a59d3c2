"""The vector unit's whole numbers and moves: VOP1, VOP2, VOP3 without floats, and what goes between lanes and the scalar unit.

In hardware: a SIMD has 16 lanes, so that a wave of 64 takes four cycles, and its next instruction can use the result at once.
Multiplications of 32 bits and what is as large take sixteen. `rev` in a name: the sources are exchanged, as only the first of them may be
a constant.

Source: AMD "Vega" Instruction Set Architecture, chapter 6 and sections 12.7 to 12.11.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import ONES, Code, Number, Value
from warploom.isa.gcn.registers import EXEC
from warploom.isa.uop import L_ALU, SPECIAL_NUMBER, scalar

Lower = Callable[[Code], None]


def sources(code: Code) -> list[Value]:
    """The sources of 32 bits."""
    return [code.source(word[0]) for word in code.row.words if word[0] in "abc" and len(word) == 1]


def plain(name: str, swapped: bool = False, **more: int) -> Lower:
    """One micro-op."""

    def lower(code: Code) -> None:
        found = sources(code)
        code.put(name, *(reversed(found) if swapped else found), **more)

    return lower


def chain(*names: str) -> Lower:
    """(a op b) op c."""

    def lower(code: Code) -> None:
        a, b, c = sources(code)
        code.put(names[1], code.lane(names[0], a, b), c)

    return lower


def complement(code: Code) -> None:
    """~a."""
    code.put("xor", code.source("a"), Number(ONES))


def _exclusive_nor(code: Code) -> None:
    a, b = sources(code)
    code.put("xor", code.lane("xor", a, b), Number(ONES))


def swap(code: Code) -> None:
    """Two registers change places."""
    held = code.lane("mov", code.target())
    source = code.source("a")
    assert isinstance(source, int)
    code.vector("mov", code.target(), source)
    code.vector("mov", source, held)


def narrow(code: Code, value: Value, bits: int, signed: bool) -> int:
    """The low bits of a value, with zeros or their sign above."""
    up = code.lane("shl", value, Number(32 - bits))
    return code.lane("sra" if signed else "shr", up, Number(32 - bits))


def multiply_24(signed: bool, high: bool, adds: bool = False) -> Lower:
    """A product of 24 bits each: its low or high word; adds: c is added."""

    def lower(code: Code) -> None:
        found = sources(code)
        code.latency = L_ALU  # the multiplier of floats does it, at full rate
        if signed:
            a, b = (narrow(code, value, 24, True) for value in found[:2])
        else:
            a, b = (code.lane("and", value, Number(0xFFFFFF)) for value in found[:2])
        if adds:
            code.put("mad", a, b, found[2])
        else:
            code.put(("mulh" if signed else "mulhu") if high else "mul", a, b)

    return lower


def first_bit(name: str, signed: bool = False) -> Lower:
    """The number of leading or trailing zeros; -1 where there is no one."""

    def lower(code: Code) -> None:
        value = code.source("a")
        if signed:
            value = code.lane("xor", value, code.lane("sra", value, Number(31)))
        code.put("sel", code.lane(name, value), Number(ONES), value)

    return lower


def bit_count(code: Code) -> None:
    """Ones in a, plus b."""
    a, b = sources(code)
    code.put("add", code.lane("popc", a), b)


def below(high: bool) -> Lower:
    """Ones in a among the bits of lanes below, of the wave's lower or upper 32, plus b."""

    def lower(code: Code) -> None:
        a, b = sources(code)
        lane = code.lane("special", imm=SPECIAL_NUMBER["lane"])
        lower_ones = code.lane("xor", code.lane("shl", Number(ONES), lane), Number(ONES))
        first, second = (lower_ones, Number(0)) if high else (Number(ONES), lower_ones)
        upper_half = code.lane("and", lane, Number(32))
        ones = code.lane("sel", first, second, upper_half)
        code.put("add", code.lane("popc", code.lane("and", a, ones)), b)

    return lower


def bit_field(signed: bool) -> Lower:
    """c bits of a from bit b on."""

    def lower(code: Code) -> None:
        a, first, bits = sources(code)
        count = code.lane("and", bits, Number(31))
        low = code.lane("sra" if signed else "shr", a, first)
        back = code.lane("sub", Number(0), count)  # 32 - count, as shifts take it
        cut = code.lane("sra" if signed else "shr", code.lane("shl", low, back), back)
        code.put("sel", cut, Number(0), count)

    return lower


def bit_field_insert(code: Code) -> None:
    """b where a has ones, c elsewhere."""
    mask, a, b = sources(code)
    code.put("xor", code.lane("and", code.lane("xor", a, b), mask), b)


def bit_field_mask(code: Code) -> None:
    """a ones from bit b on."""
    bits, first = sources(code)
    ones = code.lane("sub", code.lane("shl", Number(1), bits), Number(1))
    code.put("shl", ones, first)


def align(bytes_of: bool) -> Lower:
    """A word out of two, from a bit or a byte on."""

    def lower(code: Code) -> None:
        high, low, by = sources(code)
        if bytes_of:
            by = code.lane("shl", code.lane("and", by, Number(3)), Number(3))
        code.put("shrd", high, low, by)

    return lower


def median(signed: bool) -> Lower:
    """The middle one of three."""
    low, high = ("min", "max") if signed else ("minu", "maxu")

    def lower(code: Code) -> None:
        a, b, c = sources(code)
        smaller, larger = code.lane(low, a, b), code.lane(high, a, b)
        code.put(high, smaller, code.lane(low, larger, c))

    return lower


def distance(code: Code) -> None:
    """|a - b| + c."""
    a, b, c = sources(code)
    code.put("add", code.lane("sub", code.lane("maxu", a, b), code.lane("minu", a, b)), c)


# ---------------------------------------------------------------------------------------------------------
# Between lanes and the scalar unit


def select_lane(code: Code) -> None:
    """The mask's bit chooses the second source."""
    a, b = code.source("a"), code.source("b")
    code.put("sel", b, a, code.lane("lane_bit", scalar(code.place("c"))))


def read_lane(code: Code) -> None:
    """A word of one lane into a scalar register."""
    value, lane = code.source("a"), code.source("b")
    assert isinstance(value, int)
    code.add("shuffle", code.target(), value, lane)


def first_active(code: Code) -> int:
    """The number of the lowest active lane; 0 where there is none."""
    low, high = scalar(EXEC), scalar(EXEC + 1)
    upper = code.scalar("add", code.scalar("ctz", high), Number(32))  # 64 where there is none, which is lane 0 modulo 64
    return code.scalar("sel", code.scalar("ctz", low), upper, low)


def read_first(code: Code) -> None:
    """A word of the lowest active lane into a scalar register."""
    value = code.source("a")
    if isinstance(value, Number):
        code.put_scalar(value)
        return
    code.add("shuffle", code.target(), value, first_active(code))


def write_lane(code: Code) -> None:
    """A word into one lane."""
    value, lane = code.source("a"), code.source("b")
    if isinstance(value, Number):
        value = code.scalar("mov", value)
    code.add("insert_lane", code.target(), value, lane)
