"""What instructions of two halves do: each half by itself, exact in single or double precision, then rounded once.

Half precision, or bf16 where the instruction says so. FTZ makes zeros of subnormal sources and results, SAT and RELU cut the result off.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from warploom.isa import uop as u
from warploom.isa.sass.code import ONE, SIGN, ZERO, Code, Number, Operand
from warploom.isa.sass.floats import LARGEST, compare, half_of
from warploom.isa.sass.integers import bit
from warploom.isa.sass.operands import IMMEDIATE, Value

LEAST_HALF, LEAST_BRAIN = 0x38800000, 0x00800000  # the smallest normal half and bf16, as floats
ONE_HALF, ONE_BRAIN = 0x3C00, 0x3F80
NAN = 0x7FFF


def arithmetic(name: str, roles: str) -> Callable[[Code], None]:
    """HADD2, HMUL2, HFMA2."""

    def lower(code: Code) -> None:
        brain, to_float = bit(code, 85), bit(code, 78)
        values = [code.value(role) for role in roles]
        code.latency = u.L_HALF
        constant = values[-1] if len(values) == 3 else None
        if constant is not None and constant.kind == IMMEDIATE and (values[0].zero or values[1].zero):
            code.put("mov", code.target(), Number(constant.number))  # how compilers load a constant on this pipe
            return

        def one(half: int) -> Operand:
            found = _one_half(code, name, [_part(code, value, half, brain) for value in values], brain, to_float)
            return found if to_float else _cut(code, found, brain, name == "hfma")

        found = [code.keeping(partial(one, half)) for half in range(2 - to_float)]
        if to_float:
            code.put("mov", code.target(), found[0])
        else:
            _join(code, found)

    return lower


def _join(code: Code, halves: list[Operand]) -> None:
    """Two halves as the result."""
    code.put("or", code.target(), code.new("shl", halves[1], Number(16)), code.made("and", halves[0], 0xFFFF))


def _cut(code: Code, half: Operand, brain: bool, fused: bool) -> Operand:
    """A half after FTZ, SAT and RELU."""
    if bit(code, 80):
        normal = code.new("and", half, Number(0x7F80 if brain else 0x7C00))
        half = code.new("sel", half, code.new("and", half, Number(0x8000)), normal)
    if bit(code, 77):
        one = ONE_BRAIN if brain else ONE_HALF
        odd = code.new("sltu", Number(0x7F80 if brain else 0x7C00), code.made("and", half, 0xFFFF))  # negative, or a NaN
        half = code.new("sel", ZERO, code.new("minu", half, Number(one)), odd)
    if fused and bit(code, 79):
        half = code.new("sel", ZERO, half, code.new("and", half, Number(0x8000)))
    return half


def _part(code: Code, value: Value, half: int, brain: bool) -> Operand:
    """A half of a source as a float, with its signs; the swizzle says which."""
    source = code.plain(value)
    if value.swizzle == 1:
        found: Operand = source
    else:
        high = half if value.swizzle == 0 else value.swizzle - 2
        if brain:
            found = code.made("and", source, 0xFFFF0000) if high else code.new("shl", source, Number(16))
        elif source == ZERO:
            found = ZERO
        else:
            found = code.new("h2f", code.new("shr", source, Number(16)) if high else source)
    if value.kind == IMMEDIATE:
        return found
    if bit(code, 80) and value.swizzle != 1:
        small = code.new("sltu", code.new("and", found, Number(LARGEST)), Number(LEAST_BRAIN if brain else LEAST_HALF))
        found = code.new("sel", code.new("and", found, Number(SIGN)), found, small)
    if value.absolute:
        found = code.made("and", found, SIGN - 1)
    return code.made("xor", found, SIGN) if value.negative else found


def _one_half(code: Code, name: str, values: list[Operand], brain: bool, to_float: bool) -> Operand:
    if name == "hfma" and brain:
        total = _fused_brain(code, values)
        return total if to_float else half_of(code, total, True)
    if name == "hfma":
        wide_values = []
        for value in values:
            pair = code.pair()
            code.add("f2d", pair, value)
            wide_values.append(pair)
        exact = code.pair()
        code.add("dfma", exact, *wide_values)
        return code.new("d2f", exact) if to_float else code.new("d2h", exact)
    found = code.new({"hadd": "fadd", "hmul": "fmul"}[name], *values)
    return found if to_float else half_of(code, found, brain)


def _fused_brain(code: Code, values: list[Operand]) -> int:
    """a * b + c of bf16s as a float rounded to odd, from which bf16 is rounded once: their product is a float."""
    product = code.new("fmul", values[0], values[1])
    total = code.new("fadd", product, values[2])
    part = code.new("fsub", total, product)
    rest = code.new("fadd", code.new("fsub", product, code.new("fsub", total, part)), code.new("fsub", values[2], part))
    even = code.new("xor", code.new("and", total, ONE), ONE)
    step = code.new("and", even, code.new("or", code.new("flt", rest, ZERO), code.new("flt", ZERO, rest)))
    against = code.new("shr", code.new("xor", rest, total), Number(31))
    found = code.new("sub", code.new("add", total, step), code.new("shl", code.new("and", step, against), ONE))
    # a product too small for a float that is added to nothing keeps its sign
    there = [code.new("sne", code.made("and", value, LARGEST), ZERO) for value in values[:2]]
    gone = code.new("and", code.new("and", *there), code.new("feq", total, ZERO))
    gone = code.new("and", gone, code.new("feq", values[2], ZERO))
    return code.new("sel", code.new("and", product, Number(SIGN)), found, gone)


def hmnmx2(code: Code) -> None:
    """HMNMX2: the smaller or the larger of two halves, twice."""
    brain, is_min = bit(code, 85), code.predicate_of("p")
    if bit(code, 82):
        code.refuse("this minimum of halves is something that this machine does not have")
    parts: list[Operand] = []
    for half in range(2):
        a, b = (_part(code, code.value(role), half, brain) for role in "ac")
        if is_min in (ZERO, ONE):
            found = code.new("fmin" if is_min == ONE else "fmax", a, b)
        else:
            found = code.new("sel", code.new("fmin", a, b), code.new("fmax", a, b), is_min)
        short = half_of(code, found, brain)
        if bit(code, 81):
            short = code.new("sel", short, Number(NAN), code.new("and", code.new("feq", a, a), code.new("feq", b, b)))
        parts.append(short)
    _join(code, parts)
    code.latency = u.L_HALF


def _compared(code: Code) -> list[Operand]:
    """Whether a comparison holds in each of two halves."""
    brain = bit(code, 65)
    found = []
    for half in range(2):
        a, b = (_part(code, code.value(role), half, brain) for role in "ac")
        found.append(compare(code, code.one.at(76, 4), a, b))
    code.latency = u.L_HALF
    return found


def _combined(code: Code, truth: Operand) -> Operand:
    how = code.one.at(69, 2)
    if how == 3:
        code.refuse("a combination of this kind means nothing")
    return code.new(("and", "or", "xor")[how], truth, code.predicate_of("with"))


def hset2(code: Code) -> None:
    """HSET2: two comparisons as all ones, or as 1."""
    true = (ONE_BRAIN if bit(code, 65) else ONE_HALF) if bit(code, 71) else 0xFFFF
    _join(code, [code.new("sel", Number(true), ZERO, _combined(code, truth)) for truth in _compared(code)])


def hsetp2(code: Code) -> None:
    """HSETP2: a predicate for each half; H_AND: whether both hold, and its opposite."""
    low, high = _compared(code)
    if bit(code, 71):
        low = code.new("and", low, high)
        high = code.made("xor", low, 1)
    found = [_combined(code, truth) for truth in (low, high)]
    for role, truth in zip("pq", found, strict=True):
        code.set_flag(role, truth)


hadd2, hmul2, hfma2 = arithmetic("hadd", "ac"), arithmetic("hmul", "ab"), arithmetic("hfma", "abc")
