"""One float, in lane 0 of a vector register: what a compiler makes of a `float` that is the same for all lanes.

The result is that of the vector instruction in lane 0; lanes 1 to 3 are those of the second operand, and everything above is zero. Here are
the forms without a mask. Source: Intel SDM, volume 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from warploom.isa.avx512.code import Code, Number
from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.operands import Memory
from warploom.isa.avx512.registers import flag
from warploom.isa.avx512.scalar.values import read, write
from warploom.isa.avx512.vector.floats import ORDERS, PRODUCTS, SIGN, TOP, arithmetic, multiply_add, smaller, square_root_of
from warploom.isa.uop import NEGATE_PREDICATE

Lower = Callable[[Code], None]
FIRST_LANE, LOW_LANES, OTHERS = 0x1, 0xF, 0xE


def _single(lower: Lower, kept: int = 1) -> Lower:
    """A vector instruction's lowering, for lane 0. kept: the operand whose lanes 1 to 3 stay."""

    def lowered(code: Code) -> None:
        others = code.lane("mov", code.register(kept).number)
        code.restrict(FIRST_LANE)
        lower(code)
        _finish(code, others)

    return lowered


def _finish(code: Code, others: int) -> None:
    """Lanes 1 to 3 from a register, zeros above."""
    target = code.register(0).number
    code.add("mov", target, others, predicate=code.scalar("mov", Number(OTHERS)))
    code.add("mov", target, Number(0), predicate=code.scalar("mov", Number(LOW_LANES)), flags=NEGATE_PREDICATE)


def _from_integer(code: Code) -> None:
    """vcvtsi2ss of 32 bits."""
    if code.bits == 64:
        code.refuse("integers of 64 bits do not become floats here")
    word = read(code, code.operands[2], 32)[0]
    others = code.lane("mov", code.register(1).number)
    code.add("i2f", code.register(0).number, word, predicate=code.scalar("mov", Number(FIRST_LANE)))
    _finish(code, others)


def _to_integer(code: Code) -> None:
    """vcvttss2si of 32 bits, towards zero."""
    if code.bits == 64:
        code.refuse("floats do not become integers of 64 bits here")
    source = _value(code, 1)
    fits = code.scalar("flt", source, Number(TOP))
    write(code, code.operands[0], [code.scalar("sel", code.scalar("f2i", source), Number(SIGN), fits)])


def _value(code: Code, place: int) -> int:
    """Lane 0 of an operand, as a scalar."""
    operand = code.operands[place]
    if isinstance(operand, Memory):
        address, offset = code.address(operand)
        return code.scalar("load_scalar", address, imm=offset)
    return code.scalar("mov", code.register(place).number)


def _compare(code: Code) -> None:
    """vucomiss: ZF where equal, CF where less; both and PF where one is not a number."""
    a, b = _value(code, 0), _value(code, 1)
    numbers = code.scalar("and", code.scalar("feq", a, a), code.scalar("feq", b, b))
    if "P" in code.live:
        code.add("xor", flag("P"), numbers, Number(1))
    if "C" in code.live:
        code.add("xor", flag("C"), code.scalar("fle", b, a), Number(1))
    if "Z" in code.live:
        differs = code.scalar("or", code.scalar("flt", a, b), code.scalar("flt", b, a))
        code.add("xor", flag("Z"), differs, Number(1))
    for letter in "SO":
        if letter in code.live:
            code.add("mov", flag(letter), Number(0))


def _rows() -> Iterator[Row]:
    def both(name: str, opcode: str, operands: str, lower: Lower, meaning: str, form: str = "F3.0F", writes: str = "") -> Iterator[Row]:
        yield Row(name, f"VEX.{form} {opcode}", operands, lower, meaning, writes=writes)
        w = "" if "W" in form or "r" in operands.split()[::2] or "rm" in operands else ".W0"  # of general registers W is the size
        yield Row(name, f"EVEX.{form}{w} {opcode}", operands, lower, meaning, element=4, writes=writes)

    three = "xr xv x32"
    for name, opcode, lower, sign in (
        ("vaddss", "58", arithmetic("fadd"), "+"),
        ("vsubss", "5C", arithmetic("fsub"), "-"),
        ("vmulss", "59", arithmetic("fmul"), "*"),
        ("vdivss", "5E", arithmetic("fdiv"), "/"),
    ):
        yield from both(name, opcode, three, _single(lower), f"lane 0: v1 = v2 {sign} v3; lanes 1 to 3 of v2, zeros above")
    yield from both("vminss", "5D", three, _single(smaller(False)), "lane 0: v1 = v2 < v3 ? v2 : v3")
    yield from both("vmaxss", "5F", three, _single(smaller(True)), "lane 0: v1 = v2 > v3 ? v2 : v3")
    yield from both("vsqrtss", "51", three, _single(square_root_of(2)), "lane 0: v1 = square root of v3")
    for name, low, negates, subtracts in PRODUCTS:
        for order, high in ORDERS:
            x, y, z = (f"v{digit}" for digit in order)
            meaning = f"lane 0: v1 = {'-' if negates else ''}{x} * {y} {'-' if subtracts else '+'} {z}, rounded once"
            last = f"{int(low, 16) + 1:X}"
            yield from both(
                f"v{name}{order}ss", high + last, three, _single(multiply_add(order, negates, subtracts), 0), meaning, "66.0F38.W0"
            )
    yield from both("vcvtsi2ss", "2A", "xr xv rm", _from_integer, "lane 0: v1 = a signed integer as a float")
    yield from both("vcvttss2si", "2C", "r x32", _to_integer, "a = lane 0 as a signed integer, towards zero")
    for name, opcode in (("vucomiss", "2E"), ("vcomiss", "2F")):
        yield from both(name, opcode, "xr x32", _compare, "ZF where lane 0 is equal, CF where less, with PF both where no number",
                        "0F", "CPZSO")  # fmt: skip


ROWS: tuple[Row, ...] = tuple(_rows())
