"""Vector instructions on floats of 32 bits.

Rounding is to nearest even, and subnormal numbers are kept, as MXCSR says when a program starts; an instruction that asks for a different
rounding of its own is refused. What comes out where there is no number is x86's: the first NaN among the sources, made quiet, or
0xffc00000; a minimum or maximum gives its second source where one is NaN or both are zero; an integer that does not fit is 0x80000000.
Source: Intel SDM, volume 1, table 4-7; volume 2.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.avx512.code import Code, Number
from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.vector.integers import binary, both

Lower = Callable[[Code], None]
TOP = 0x4F000000  # 2^31 as a float
TWICE_TOP = 0x4F800000
MINUS_ONE = 0xBF800000
SIGN = 0x80000000
PRODUCTS = (("fmadd", "8", False, False), ("fmsub", "A", False, True), ("fnmadd", "C", True, False), ("fnmsub", "E", True, True))
ORDERS = (("132", "9"), ("213", "A"), ("231", "B"))
PREDICATES = (
    "eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord", "eq_uq", "nge", "ngt", "false", "neq_oq", "ge", "gt", "true",
    "eq_os", "lt_oq", "le_oq", "unord_s", "neq_us", "nlt_uq", "nle_uq", "ord_s", "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq",
    "gt_oq", "true_us",
)  # fmt: skip


def _checked(code: Code) -> None:
    if code.one.written.rounding not in ("", "sae", "rn-sae"):
        code.refuse(f"it asks for the rounding {code.one.written.rounding}: the machine's floats are rounded to nearest even")


def arithmetic(name: str) -> Lower:
    """vaddps and its like."""

    def lower(code: Code) -> None:
        _checked(code)
        a, b = code.vector(1), code.vector(2)
        code.put("fnan", a, b, code.lane(name, a, b))

    return lower


def square_root_of(place: int) -> Lower:
    """vsqrtps, of the operand in a place."""

    def lower(code: Code) -> None:
        _checked(code)
        source = code.vector(place)
        code.put("fnan", source, source, code.lane("fsqrt", source))

    return lower


def smaller(larger: bool) -> Lower:
    """vminps, vmaxps."""

    def lower(code: Code) -> None:
        a, b = code.vector(1), code.vector(2)
        code.put("sel", a, b, code.lane("flt", *((b, a) if larger else (a, b))))

    return lower


def multiply_add(order: str, negate_product: bool, negate_sum: bool) -> Lower:
    """order: which operands are multiplied and added: 132, 213, 231. Of several NaNs the result is the first of them in that order's..."""

    def lower(code: Code) -> None:
        _checked(code)
        operands = [code.register(0).number, code.vector(1), code.vector(2)]
        x, y, z = (operands[int(digit) - 1] for digit in order)
        multiplied = code.lane("xor", x, Number(SIGN)) if negate_product else x
        added = code.lane("xor", z, Number(SIGN)) if negate_sum else z
        found = code.lane("fma", multiplied, y, added)
        first, second, third = nan_order(order, operands)
        is_number = code.lane("feq", second, second)
        code.put("fnan", first, code.lane("sel", third, second, is_number), found)

    return lower


def nan_order(order: str, operands: list[int]) -> list[int]:
    """The operands of a fused multiply-add in the order in which their NaNs are looked for: the factors, then what is added."""
    return [operands[int(digit) - 1] for digit in order]


def _to_integer(rounds: bool) -> Lower:
    def lower(code: Code) -> None:
        _checked(code)
        source = code.vector(1)
        if rounds:
            source = code.lane("fround", source, Number(0))
        fits = code.lane("flt", source, Number(TOP))
        code.put("sel", code.lane("f2i", source), Number(SIGN), fits)

    return lower


def _to_unsigned(code: Code) -> None:
    _checked(code)
    source = code.vector(1)
    above = code.lane("flt", code.lane("mov", Number(MINUS_ONE)), source)
    below = code.lane("flt", source, Number(TWICE_TOP))
    code.put("sel", code.lane("f2u", source), Number(0xFFFFFFFF), code.lane("and", above, below))


def _to_float(name: str) -> Lower:
    def lower(code: Code) -> None:
        _checked(code)
        code.put(name, code.vector(1))

    return lower


def _round(code: Code) -> None:
    control = code.immediate(2)
    if control >> 4:
        code.refuse(f"its immediate {control:#x} scales by 2^{control >> 4}: only whole numbers are rounded to, 0 to 15")
    source = code.vector(1)
    mode = {0: 0, 1: 2, 2: 3, 3: 1}[0 if control & 4 else control & 3]
    code.put("fnan", source, source, code.lane("fround", source, Number(mode)))


def compare(code: Code, predicate: int, a: int, b: int) -> None:
    """One of PREDICATES into a mask; from 16 on they differ in what they signal alone."""
    kind = predicate & 15
    negated = kind in (3, 4, 5, 6, 9, 10)
    if kind in (11, 15):
        holds = code.lane("mov", Number(int(kind == 15)))
    elif kind in (0, 4):
        holds = code.lane("feq", a, b)
    elif kind in (1, 5):
        holds = code.lane("flt", a, b)
    elif kind in (2, 6):
        holds = code.lane("fle", a, b)
    elif kind in (9, 13):
        holds = code.lane("fle", b, a)
    elif kind in (10, 14):
        holds = code.lane("flt", b, a)
    elif kind in (3, 7):
        holds = code.lane("and", code.lane("feq", a, a), code.lane("feq", b, b))
    else:
        holds = code.lane("or", code.lane("flt", a, b), code.lane("flt", b, a))
        negated = kind == 8
    code.put_mask(code.lane("xor", holds, Number(1)) if negated else holds)


def _compare(predicate: int | None = None) -> Lower:
    return lambda code: compare(code, code.immediate(3) if predicate is None else predicate, code.vector(1), code.vector(2))


def _rows() -> list[Row]:
    rows: list[Row] = []

    def row(name: str, opcode: str, operands: str, lower: Lower, meaning: str, prefix: str = "0F", vex: bool = True) -> None:
        rows.append(Row(name, f"EVEX.{prefix}.W0 {opcode}", operands, lower, meaning, masks="kz", rounds=True))
        if vex:
            rows.append(Row(name, f"VEX.{prefix} {opcode}", operands.replace("vmb", "vm"), lower, meaning))

    row("vaddps", "58", "vr vv vmb", arithmetic("fadd"), "v1 = v2 + v3")
    row("vsubps", "5C", "vr vv vmb", arithmetic("fsub"), "v1 = v2 - v3")
    row("vmulps", "59", "vr vv vmb", arithmetic("fmul"), "v1 = v2 * v3")
    row("vdivps", "5E", "vr vv vmb", arithmetic("fdiv"), "v1 = v2 / v3")
    row("vminps", "5D", "vr vv vmb", smaller(False), "v1 = v2 < v3 ? v2 : v3")
    row("vmaxps", "5F", "vr vv vmb", smaller(True), "v1 = v2 > v3 ? v2 : v3")
    row("vsqrtps", "51", "vr vmb", square_root_of(1), "v1 = square root of v2")
    row("vcvtdq2ps", "5B", "vr vmb", _to_float("i2f"), "v1 = signed integers v2 as floats")
    row("vcvtudq2ps", "7A", "vr vmb", _to_float("u2f"), "v1 = unsigned integers v2 as floats", "F2.0F", vex=False)
    row("vcvtps2dq", "5B", "vr vmb", _to_integer(True), "v1 = floats v2 as signed integers, to nearest even", "66.0F")
    row("vcvttps2dq", "5B", "vr vmb", _to_integer(False), "v1 = floats v2 as signed integers, towards zero", "F3.0F")
    row("vcvttps2udq", "78", "vr vmb", _to_unsigned, "v1 = floats v2 as unsigned integers, towards zero", vex=False)
    row("vrndscaleps", "08", "vr vmb ib", _round, "v1 = v2 rounded to whole numbers: imm8 8 nearest, 9 down, 10 up, 11 towards zero",
        "66.0F3A", vex=False)  # fmt: skip
    for name, low, negates, subtracts in PRODUCTS:
        for order, high in ORDERS:
            x, y, z = (f"v{digit}" for digit in order)
            meaning = f"v1 = {'-' if negates else ''}{x} * {y} {'-' if subtracts else '+'} {z}, rounded once"
            row(f"v{name}{order}ps", high + low, "vr vv vmb", multiply_add(order, negates, subtracts), meaning, "66.0F38")
    for logic, opcode, uop in (("vandps", "54", "and"), ("vorps", "56", "or"), ("vxorps", "57", "xor")):
        rows += both(logic, opcode, binary(uop), f"v1 = v2 {dict(zip(('and', 'or', 'xor'), '&|^', strict=True))[uop]} v3, bit by bit",
                     prefix="0F", vex="same")  # fmt: skip
    for number, name in enumerate(PREDICATES):
        rows.append(Row(f"vcmp{name}ps", "EVEX.0F.W0 C2", "kr vv vmb", _compare(number), f"k1 = v2 {name} v3", masks="k", immediate=number,
                        rounds=True))  # fmt: skip
    rows.append(Row("vcmpps", "EVEX.0F.W0 C2", "kr vv vmb ib", _compare(), "k1 = v2 and v3 compared as imm8 says", masks="k", rounds=True))
    return rows


ROWS = tuple(_rows())
