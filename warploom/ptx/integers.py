"""Whole numbers: sums, products, quotients, logic, shifts, fields of bits, comparisons, choices. PTX ISA 9.7.1, 9.7.6, 9.7.7 and 9.7.8.

Shifts clamp their amount at the width. Division rounds towards zero. The carry of `add.cc` is a register of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.compiler.ssa import FLUSHED, Value
from warploom.ptx import halves
from warploom.ptx.module import BYTES, Instruction, Name, Operand, Vector
from warploom.ptx.translation import FLOAT_TYPES, WORD, Translation

Rule = Callable[[Translation, Instruction], None]
CARRY = "carry flag"
LOGIC = ("and", "or", "xor")
PAIRS = ("f16x2", "bf16x2")
# setp's comparisons of whole numbers: the operation, whether operands change places, whether the answer is negated.
ORDERS = {
    "eq": ("eq", False, False), "ne": ("ne", False, False), "lt": ("lt", False, False), "gt": ("lt", True, False),
    "le": ("lt", True, True), "ge": ("lt", False, True), "lo": ("lt", False, False), "hi": ("lt", True, False),
    "ls": ("lt", True, True), "hs": ("lt", False, True),
}  # fmt: skip


def negated(t: Translation, truth: Value) -> Value:
    """`not truth`."""
    return t.pure("eq", truth, t.b.truth(False), type="i1")


def bits_of(kind: str) -> int:
    """Bits of a type."""
    return 8 * BYTES[kind]


def _operands(t: Translation, one: Instruction, kind: str, count: int) -> list[Value]:
    return [t.use(operand, kind) for operand in one.operands[1 : 1 + count]]


def add(t: Translation, one: Instruction) -> None:
    """`add`, `sub`."""
    kind = one.type
    x, y = _operands(t, one, kind, 2)
    if kind.endswith("x2"):
        t.set(_by_halves(t, one.op, x, y))
    elif "sat" in one.modifiers:
        made = t.pure(one.op, t.fit(x, kind), t.fit(y, kind))
        t.set(t.pure("max", t.pure("min", made, t.whole((1 << 31) - 1)), t.whole(-(1 << 31))))
    elif "cc" in one.modifiers:
        _with_carry(t, one.op, x, y, kind, None)
    else:
        t.set(t.pure(one.op, x, y))


def add_with_carry(t: Translation, one: Instruction) -> None:
    """`addc`, `subc`."""
    kind = one.type
    x, y = _operands(t, one, kind, 2)
    _with_carry(t, one.op[:-1], x, y, kind, t.as_type(t.register(CARRY, "pred"), "i1"), "cc" in one.modifiers)


def _with_carry(t: Translation, op: str, x: Value, y: Value, kind: str, carry: Value | None, keeps: bool = True) -> None:
    """A sum or difference, and the carry out of it: for `sub` the borrow."""
    u = f"u{bits_of(kind)}"
    made = t.fit(t.pure(op, x, y), u)
    first = t.pure("lt", made, t.fit(x, u), type="i1") if op == "add" else t.pure("lt", t.fit(x, u), t.fit(y, u), type="i1")
    out = first
    if carry is not None:
        whole = t.pure("sel", carry, t.whole(1), t.whole(0))
        again = t.fit(t.pure(op, made, whole), u)
        second = t.pure("lt", again, made, type="i1") if op == "add" else t.pure("lt", made, whole, type="i1")
        made, out = again, t.pure("or", first, second, type="i1")
    t.set(made)
    if keeps:
        t.put(CARRY, out)


def multiply(t: Translation, one: Instruction) -> None:
    """`mul`, `mul24`."""
    t.set(_product(t, one))


def _product(t: Translation, one: Instruction) -> Value:
    kind = one.type
    x, y = _operands(t, one, kind, 2)
    if one.op.endswith("24"):
        x, y = (_field(t, v, 24, kind[0] == "s") for v in (x, y))
        made = t.pure("mul", x, y)
        return t.pure("shr", made, t.whole(16)) if "hi" in one.modifiers else made
    if "wide" in one.modifiers:
        return t.pure("mul", t.fit(x, kind), t.fit(y, kind), type="i64" if kind[0] == "s" else "u64")
    if "hi" in one.modifiers:
        return high_product(t, x, y, kind)
    return t.pure("mul", x, y)


def high_product(t: Translation, x: Value, y: Value, kind: str) -> Value:
    """The upper half of a product."""
    x, y = t.fit(x, kind), t.fit(y, kind)
    if bits_of(kind) == 16:
        return t.pure("shr", t.pure("mul", x, y), t.whole(16))
    if bits_of(kind) == 32:
        return t.pure("mulhi", x, y, type="i64" if kind[0] == "s" else "u64", imm=32)
    p, q = t.fit(x, "u64"), t.fit(y, "u64")
    low = [t.fit(v, "u32") for v in (p, q)]
    high = [t.pure("shr", v, t.whole(32), type="u64") for v in (p, q)]

    def times(a: Value, b: Value) -> Value:
        return t.pure("mul", a, b, type="u64")

    def plus(a: Value, b: Value) -> Value:
        return t.pure("add", a, b, type="u64")

    middle = plus(times(high[0], low[1]), t.pure("shr", times(low[0], low[1]), t.whole(32), type="u64"))
    other = plus(times(low[0], high[1]), t.fit(middle, "u32"))
    found = plus(
        plus(times(high[0], high[1]), t.pure("shr", middle, t.whole(32), type="u64")), t.pure("shr", other, t.whole(32), type="u64")
    )
    if kind[0] == "u":
        return found
    for sign, factor in ((x, y), (y, x)):
        less = t.pure("sel", t.pure("lt", sign, t.whole(0), type="i1"), factor, t.whole(0))
        found = t.pure("sub", t.as_type(found, "i64"), less)
    return found


def multiply_add(t: Translation, one: Instruction) -> None:
    """`mad`, `mad24`; `madc` adds the carry, too."""
    kind = one.type
    wide = "wide" in one.modifiers
    size = kind[0] + str(2 * bits_of(kind)) if wide else kind
    product, addend = _product(t, one), t.use(one.operands[3], size)
    if one.op == "madc" or "cc" in one.modifiers:
        carry = t.as_type(t.register(CARRY, "pred"), "i1") if one.op == "madc" else None
        _with_carry(t, "add", t.as_type(product, "i64"), addend, size, carry, "cc" in one.modifiers)
        return
    made = t.pure("add", product, addend)
    if "sat" in one.modifiers:
        made = t.pure("max", t.pure("min", t.pure("add", product, t.fit(addend, kind)), t.whole((1 << 31) - 1)), t.whole(-(1 << 31)))
    t.set(made)


def divide(t: Translation, one: Instruction) -> None:
    """`div`, `rem`: towards zero. By zero all bits are ones, as the manual's example machine gives; it leaves it open."""
    kind = one.type
    x, y = (t.fit(v, kind) for v in _operands(t, one, kind, 2))
    op = "floordiv" if one.op == "div" else "floormod"
    if x.lo >= 0 and y.lo >= 0:
        wide = x.hi > (1 << 63) - 1 or y.hi > (1 << 63) - 1
        found = t.pure(op, x, y, type="u64" if wide else "i64")
        t.set(_all_ones_by_zero(t, y, found, "u64") if wide else found)
        return
    if bits_of(kind) == 32:
        t.set(t.pure("quot" if one.op == "div" else "rest", x, y))
        return
    p, q = (_size(t, v) for v in (x, y))
    found = t.pure(op, p, q, type="u64")
    sign = t.pure("lt", x if one.op == "rem" else t.pure("xor", x, y), t.whole(0), type="i1")
    made = t.pure("sel", sign, t.pure("sub", t.whole(0), t.as_type(found, "i64")), t.as_type(found, "i64"))
    t.set(_all_ones_by_zero(t, y, made, "i64"))


def _all_ones_by_zero(t: Translation, divisor: Value, found: Value, kind: str) -> Value:
    """A quotient or remainder of 64 bits, and what an H100 gives where one divides by 0."""
    if divisor.lo > 0 or divisor.hi < 0:
        return found
    ones = t.b.whole((1 << 64) - 1 if kind == "u64" else -1, kind)
    return t.pure("sel", t.pure("eq", divisor, t.whole(0), type="i1"), ones, found, type=kind)


def _size(t: Translation, x: Value) -> Value:
    """The absolute value, unsigned."""
    minus = t.pure("sub", t.whole(0), x)
    return t.pure("wrap", t.pure("sel", t.pure("lt", x, t.whole(0), type="i1"), minus, x), type="u64", imm=64)


def absolute(t: Translation, one: Instruction) -> None:
    """`abs`, `neg`."""
    x = t.exact(one.operands[1], one.type)
    minus = t.pure("sub", t.whole(0), x)
    t.set(t.pure("max", x, minus) if one.op == "abs" else minus)


def smaller(t: Translation, one: Instruction) -> None:
    """`min`, `max`."""
    kind = one.type
    x, y = (t.fit(v, kind) for v in _operands(t, one, kind, 2))
    t.set(t.pure(one.op, x, y, type="u64" if kind == "u64" else "i64"))


def absolute_difference(t: Translation, one: Instruction) -> None:
    """`sad`: c + |a - b|."""
    kind = one.type
    x, y = (t.fit(v, kind) for v in _operands(t, one, kind, 2))
    difference = t.pure("sub", x, y)
    t.set(t.pure("add", t.pure("max", difference, t.pure("sub", t.whole(0), difference)), t.use(one.operands[3], kind)))


# ---------------------------------------------------------------------------------------------------------
# Logic and shifts


def logic(t: Translation, one: Instruction) -> None:
    """`and`, `or`, `xor`."""
    kind = one.type
    x, y = _operands(t, one, kind, 2)
    t.set(truths(t, one.op, x, y) if kind == "pred" else t.pure(one.op, x, y))


def truths(t: Translation, op: str, x: Value, y: Value) -> Value:
    """`and`, `or`, `xor` of two truths. Negations go outwards, where a branch or a selection takes them for nothing (De Morgan)."""
    inner = [_negation_of(one) for one in (x, y)]
    if op != "xor" and inner[0] is not None and inner[1] is not None:
        return negated(t, t.pure("and" if op == "or" else "or", inner[0], inner[1], type="i1"))
    return t.pure(op, x, y, type="i1")


def _negation_of(truth: Value) -> Value | None:
    """What a truth is the negation of, if it is one."""
    if truth.op == "eq" and truth.args[0].type == "i1" and truth.args[1].op == "const" and truth.args[1].imm == 0:
        return truth.args[0]
    return None


def complement(t: Translation, one: Instruction) -> None:
    """`not`, `cnot`."""
    kind = one.type
    (x,) = _operands(t, one, kind, 1)
    if kind == "pred":
        t.set(negated(t, x))
    elif one.op == "cnot":
        t.set(t.pure("sel", t.pure("eq", t.fit(x, kind.replace("b", "u")), t.whole(0), type="i1"), t.whole(1), t.whole(0)))
    else:
        t.set(t.pure("xor", x, t.whole(-1)))


def three_inputs(t: Translation, one: Instruction) -> None:
    """`lop3`: bit 4a + 2b + c of the table is the result."""
    a, b, c = _operands(t, one, "b32", 3)
    table = int(t.use(one.operands[4], "u32").imm)
    made = t.whole(0)
    for third in (0, 1):
        rows = [table >> (4 * p + 2 * q + third) & 1 for p in (0, 1) for q in (0, 1)]
        part = _two_inputs(t, a, b, rows)
        chosen = t.pure("xor", c, t.whole(-1)) if third == 0 else c
        made = t.pure("or", made, t.pure("and", part, chosen))
    if table in _SIMPLE:
        made = _SIMPLE[table](t, a, b, c)
    t.set(made)


def _two_inputs(t: Translation, a: Value, b: Value, rows: list[int]) -> Value:
    """A function of two bits by its answers for 00, 01, 10 and 11."""
    number = sum(bit << place for place, bit in enumerate(rows))
    inverted = number & 1
    core = number ^ 0xF if inverted else number
    made = {
        0b0000: lambda: t.whole(0),
        0b1000: lambda: t.pure("and", a, b),
        0b1110: lambda: t.pure("or", a, b),
        0b0110: lambda: t.pure("xor", a, b),
        0b1100: lambda: a,
        0b1010: lambda: b,
        0b0100: lambda: t.pure("and", a, t.pure("xor", b, t.whole(-1))),
        0b0010: lambda: t.pure("and", b, t.pure("xor", a, t.whole(-1))),
    }[core]()
    return t.pure("xor", made, t.whole(-1)) if inverted else made


_SIMPLE: dict[int, Callable[[Translation, Value, Value, Value], Value]] = {
    0x80: lambda t, a, b, c: t.pure("and", t.pure("and", a, b), c),
    0xFE: lambda t, a, b, c: t.pure("or", t.pure("or", a, b), c),
    0x96: lambda t, a, b, c: t.pure("xor", t.pure("xor", a, b), c),
    0xF8: lambda t, a, b, c: t.pure("or", a, t.pure("and", b, c)),
    0xEA: lambda t, a, b, c: t.pure("or", t.pure("and", a, b), c),
    0x78: lambda t, a, b, c: t.pure("xor", a, t.pure("and", b, c)),
    0x6A: lambda t, a, b, c: t.pure("xor", t.pure("and", a, b), c),
}


def shift(t: Translation, one: Instruction) -> None:
    """`shl`, `shr`."""
    kind = one.type.replace("b", "u")
    amount = t.exact(one.operands[2], "u32")
    if one.op == "shl":
        t.set(t.pure("shl", t.use(one.operands[1], kind), amount))
        return
    t.set(t.pure("shr", t.exact(one.operands[1], kind), amount, type="i64" if kind[0] == "s" else "u64"))


def funnel(t: Translation, one: Instruction) -> None:
    """`shf.l`, `shf.r`: of two words, b above a."""
    low, high = t.exact(one.operands[1], "u32"), t.exact(one.operands[2], "u32")
    amount = t.exact(one.operands[3], "u32")
    amount = t.pure("min", amount, t.whole(32)) if "clamp" in one.modifiers else t.pure("and", amount, t.whole(31), type="u64")
    both = t.pure("or", t.pure("shl", high, t.whole(32), type="u64"), low, type="u64")
    if "r" in one.modifiers:
        t.set(t.fit(t.pure("shr", both, amount, type="u64"), "u32"))
    else:
        t.set(t.pure("shr", t.pure("wrap", t.pure("shl", both, amount, type="u64"), type="u64", imm=64), t.whole(32), type="u64"))


def _field(t: Translation, x: Value, bits: int, signed: bool) -> Value:
    return t.pure("wrap", x, type="i64" if signed else "u64", imm=bits)


def extract(t: Translation, one: Instruction) -> None:
    """`bfe`: `length` bits from `place` on; signed with the bit at min(place + length - 1, width - 1)."""
    kind = one.type
    width = bits_of(kind)
    x = t.exact(one.operands[1], kind)
    place, length = (t.pure("and", t.use(operand, "u32"), t.whole(0xFF), type="u64") for operand in one.operands[2:4])
    unsigned = t.fit(x, f"u{width}")
    mask = t.pure("sub", t.pure("shl", t.whole(1), length), t.whole(1))
    large = t.pure("lt", t.whole(width - 1), length, type="i1")
    mask = t.pure("sel", large, t.whole(-1), mask)
    if kind[0] == "u":
        t.set(t.pure("and", t.pure("shr", unsigned, place, type="u64"), mask))
        return
    field = t.pure("and", t.pure("shr", x, place), mask)
    last = t.pure("min", t.pure("sub", t.pure("add", place, length), t.whole(1)), t.whole(width - 1))
    sign = t.pure("and", t.pure("shr", x, t.pure("max", last, t.whole(0))), t.whole(1))
    above = t.pure("and", t.pure("xor", mask, t.whole(-1)), t.pure("sub", t.whole(0), sign))
    made = t.pure("or", field, above)
    t.set(t.pure("sel", t.pure("eq", length, t.whole(0), type="i1"), t.whole(0), made))


def insert(t: Translation, one: Instruction) -> None:
    """`bfi`: the low `length` bits of a take the place of those of b from `place` on."""
    kind = one.type.replace("b", "u")
    width = bits_of(kind)
    a, b = _operands(t, one, kind, 2)
    place, length = (t.pure("and", t.use(operand, "u32"), t.whole(0xFF), type="u64") for operand in one.operands[3:5])
    ones = t.pure(
        "sel",
        t.pure("lt", t.whole(width - 1), length, type="i1"),
        t.whole(-1),
        t.pure("sub", t.pure("shl", t.whole(1), length), t.whole(1)),
    )
    mask = t.pure("shl", ones, place)
    moved = t.pure("and", t.pure("shl", a, place), mask)
    t.set(t.pure("or", t.pure("and", b, t.pure("xor", mask, t.whole(-1))), moved))


def count(t: Translation, one: Instruction) -> None:
    """`popc`, `clz`, `brev`."""
    width = bits_of(one.type)
    x = t.exact(one.operands[1], f"u{width}")
    t.set(t.pure(one.op, x, type="u64" if one.op == "brev" else "i64", imm=width))


def find_first(t: Translation, one: Instruction) -> None:
    """`bfind`: the place of the highest bit that is not the sign; all ones where there is none."""
    kind = one.type
    width = bits_of(kind)
    x = t.exact(one.operands[1], kind)
    if kind[0] == "s":
        x = t.pure("sel", t.pure("lt", x, t.whole(0), type="i1"), t.pure("xor", x, t.whole(-1)), x)
    zeros = t.pure("clz", t.fit(x, f"u{width}"), imm=width)
    found = zeros if "shiftamt" in one.modifiers else t.pure("sub", t.whole(width - 1), zeros)
    t.set(t.pure("sel", t.pure("eq", zeros, t.whole(width), type="i1"), t.whole(WORD), found))


def permute(t: Translation, one: Instruction) -> None:
    """`prmt`: bytes of two words, chosen by four digits of four bits; bit 3 of a digit spreads the byte's sign."""
    mode = next((word for word in one.modifiers if word in _MODES), "")
    a, b = t.exact(one.operands[1], "u32"), t.exact(one.operands[2], "u32")
    selector = t.exact(one.operands[3], "u32")
    both = t.pure("or", t.pure("shl", b, t.whole(32), type="u64"), a, type="u64")
    made = t.whole(0)
    for place in range(4):
        if mode:
            digit = _from_mode(t, mode, t.pure("and", selector, t.whole(3), type="u64"), place)
            sign = t.whole(0)
        else:
            digit = t.pure("and", t.pure("shr", selector, t.whole(4 * place), type="u64"), t.whole(7), type="u64")
            sign = t.pure("and", t.pure("shr", selector, t.whole(4 * place + 3), type="u64"), t.whole(1), type="u64")
        byte = t.pure("and", t.pure("shr", both, t.pure("shl", digit, t.whole(3), type="u64"), type="u64"), t.whole(0xFF), type="u64")
        if not (sign.op == "const" and sign.imm == 0):
            spread = t.pure("sel", t.pure("lt", t.whole(127), byte, type="i1"), t.whole(0xFF), t.whole(0))
            byte = t.pure("sel", t.pure("ne", sign, t.whole(0), type="i1"), spread, byte)
        made = t.pure("or", made, t.pure("shl", byte, t.whole(8 * place), type="u64"), type="u64")
    t.set(made)


# Which byte a mode takes for each place, by the selector's low two bits.
_MODES: dict[str, Callable[[int, int], int]] = {
    "f4e": lambda selector, place: selector + place,
    "b4e": lambda selector, place: (selector - place) % 8,
    "rc8": lambda selector, place: selector,
    "ecl": max,
    "ecr": min,
    "rc16": lambda selector, place: 2 * (selector & 1) + (place & 1),
}


def _from_mode(t: Translation, mode: str, selector: Value, place: int) -> Value:
    made = t.whole(_MODES[mode](3, place))
    for number in (2, 1, 0):
        made = t.pure("sel", t.pure("eq", selector, t.whole(number), type="i1"), t.whole(_MODES[mode](number, place)), made)
    return made


def dot_product(t: Translation, one: Instruction) -> None:
    """`dp4a`, `dp2a`: products of bytes, added."""
    kinds = [word for word in one.modifiers if word in ("u32", "s32")]
    signed = [kind == "s32" for kind in kinds]
    x, y = (t.exact(operand, "u32") for operand in one.operands[1:3])
    made = t.use(one.operands[3], "b32")
    for place in range(4 if one.op == "dp4a" else 2):
        bits, at = (8, 8 * place) if one.op == "dp4a" else (16, 16 * place)
        other = 8 * place + (16 if "hi" in one.modifiers else 0) if one.op == "dp2a" else 8 * place
        p = _field(t, t.pure("shr", x, t.whole(at), type="u64"), bits, signed[0])
        q = _field(t, t.pure("shr", y, t.whole(other), type="u64"), 8, signed[-1])
        made = t.pure("add", made, t.pure("mul", p, q))
    t.set(made)


def _by_halves(t: Translation, op: str, x: Value, y: Value) -> Value:
    """An operation on the two halves of a word."""
    low = t.fit(t.pure(op, x, y), "u16")
    high = t.pure(op, t.pure("shr", t.fit(x, "u32"), t.whole(16), type="u64"), t.pure("shr", t.fit(y, "u32"), t.whole(16), type="u64"))
    return t.pure("or", low, t.pure("shl", high, t.whole(16)))


# ---------------------------------------------------------------------------------------------------------
# Comparisons and choices


def ordered(t: Translation, name: str, x: Value, y: Value, kind: str) -> Value:
    """A comparison of whole numbers."""
    if name not in ORDERS:
        raise t.refuse(f"{name} is not a comparison of whole numbers")
    op, turned, inverted = ORDERS[name]
    kind = "u" + kind[1:] if kind[0] == "b" or name in ("lo", "hi", "ls", "hs") else kind
    x, y = t.fit(x, kind), t.fit(y, kind)
    if turned:
        x, y = y, x
    found = t.pure(op, x, y, type="i1")
    return negated(t, found) if inverted else found


def floats_ordered(t: Translation, name: str, x: Value, y: Value, flag: str | int = 0) -> Value:
    """A comparison of floats: those that end in `u` hold for a NaN too."""
    if name in ("num", "nan"):
        both = t.pure("and", *(t.pure("feq", one, one, type="i1") for one in (x, y)), type="i1")
        return both if name == "num" else negated(t, both)
    if name == "ne":  # and both numbers
        return t.pure("or", t.pure("flt", x, y, type="i1", imm=flag), t.pure("flt", y, x, type="i1", imm=flag), type="i1")
    plain = {"eq": ("feq", False), "lt": ("flt", False), "le": ("fle", False), "gt": ("flt", True), "ge": ("fle", True)}
    inverse = {"equ": "ne", "neu": "eq", "ltu": "ge", "leu": "gt", "gtu": "le", "geu": "lt"}
    if name in inverse:
        return negated(t, floats_ordered(t, inverse[name], x, y, flag))
    if name not in plain:
        raise t.refuse(f"{name} is not a comparison of floats")
    op, turned = plain[name]
    return t.pure(op, *((y, x) if turned else (x, y)), type="i1", imm=flag)


def half_ordered(t: Translation, name: str, x: Value, y: Value, kind: str = "f16", *, flush: bool = False) -> Value:
    """A comparison of 16-bit floats, as their bits."""
    x, y = t.fit(x, "u16"), t.fit(y, "u16")
    if flush:
        x, y = halves.flushed(t, x), halves.flushed(t, y)
    if kind == "bf16":
        a, b = (t.pure("float", t.pure("shl", v, t.whole(16), type="u64"), type="f32") for v in (x, y))
    else:
        a, b = (t.pure("h2f", v, type="f32") for v in (x, y))
    return floats_ordered(t, name, a, b)


def _compared_halves(t: Translation, one: Instruction, kind: str) -> list[Value]:
    """The comparisons of two operands of one or two 16-bit floats each, of the lower ones first, combined with a predicate."""
    pairs = zip(*(halves.parts_of(t, t.use(operand, "b32"), kind) for operand in one.operands[1:3]), strict=True)
    single, flush = kind.removesuffix("x2"), "ftz" in one.modifiers
    return [_combined(t, one, half_ordered(t, one.modifiers[0], x, y, single, flush=flush)) for x, y in pairs]


def compared(t: Translation, one: Instruction, name: str, kind: str, operands: tuple[Operand, ...]) -> Value:
    """A comparison of two operands of a type."""
    x, y = (t.use(operand, kind) for operand in operands)
    if kind in FLOAT_TYPES:
        return floats_ordered(t, name, x, y, FLUSHED if "ftz" in one.modifiers and kind == "f32" else 0)
    if kind in ("f16", "bf16"):
        return half_ordered(t, name, x, y, kind, flush="ftz" in one.modifiers)
    if kind not in ("pred",) and kind[0] in "usb" and not kind.startswith("bf"):
        return ordered(t, name, x, y, kind)
    raise t.refuse(f"{one} is not there yet")


def _combined(t: Translation, one: Instruction, truth: Value) -> Value:
    """With the predicate that `.and`, `.or` or `.xor` names."""
    op = next((word for word in one.modifiers if word in LOGIC), "")
    if not op:
        return truth
    return t.pure(op, truth, t.use(one.operands[3], "pred"), type="i1")


def set_predicate(t: Translation, one: Instruction) -> None:
    """`setp`."""
    name = one.modifiers[0]
    target = one.operands[0]
    assert isinstance(target, Name)
    if one.type in PAIRS:
        lower, upper = _compared_halves(t, one, one.type)
        t.set(lower)
        if target.second and target.second != "_":
            t.put(target.second, upper)
        return
    found = compared(t, one, name, one.type, one.operands[1:3])
    t.set(_combined(t, one, found))
    if target.second and target.second != "_":
        t.put(target.second, _combined(t, one, negated(t, found)))


def set_number(t: Translation, one: Instruction) -> None:
    """`set`: all ones, or 1.0, where a comparison holds; of two 16-bit floats in each half of the word."""
    result, kind = one.types[-2:]
    if kind in PAIRS:
        holds = t.whole(halves.ONE.get(result.removesuffix("x2"), 0xFFFF))
        t.set(halves.joined(t, [t.pure("sel", found, holds, t.whole(0)) for found in _compared_halves(t, one, kind)]))
        return
    found = _combined(t, one, compared(t, one, one.modifiers[0], kind, one.operands[1:3]))
    if result == "f32":
        t.set(t.pure("sel", found, t.b.real(1.0, "f32"), t.b.real(0.0, "f32"), type="f32"))
    else:
        t.set(t.pure("sel", found, t.whole(halves.ONE.get(result, WORD)), t.whole(0)))


def choose(t: Translation, one: Instruction) -> None:
    """`selp`."""
    kind = one.type
    type = kind if kind in FLOAT_TYPES else "i64"
    x, y = _operands(t, one, kind, 2)
    t.set(t.pure("sel", t.use(one.operands[3], "pred"), x, y, type=type))


def choose_by_sign(t: Translation, one: Instruction) -> None:
    """`slct`: a where c >= 0, else b."""
    result, kind = one.types[-2:]
    x, y = _operands(t, one, result, 2)
    c = t.use(one.operands[3], kind)
    if kind == "f32":
        holds = t.pure("fle", t.b.real(0.0, "f32"), c, type="i1")
    else:
        holds = negated(t, t.pure("lt", t.fit(c, kind), t.whole(0), type="i1"))
    t.set(t.pure("sel", holds, x, y, type=result if result in FLOAT_TYPES else "i64"))


def move(t: Translation, one: Instruction) -> None:
    """`mov`."""
    target, source = one.operands[0], one.operands[1]
    kind = one.type
    if isinstance(target, Vector):
        t.unpacked(target, t.use(source, kind), BYTES[kind])
    else:
        t.set(t.use(source, kind))


RULES: dict[str, Rule] = {
    **dict.fromkeys(("add", "sub"), add), **dict.fromkeys(("addc", "subc"), add_with_carry), **dict.fromkeys(("mul", "mul24"), multiply),
    **dict.fromkeys(("mad", "mad24", "madc"), multiply_add), **dict.fromkeys(("div", "rem"), divide),
    **dict.fromkeys(("abs", "neg"), absolute), **dict.fromkeys(("min", "max"), smaller), "sad": absolute_difference,
    **dict.fromkeys(LOGIC, logic), **dict.fromkeys(("not", "cnot"), complement), "lop3": three_inputs,
    **dict.fromkeys(("shl", "shr"), shift), "shf": funnel, "bfe": extract, "bfi": insert, **dict.fromkeys(("popc", "clz", "brev"), count),
    "bfind": find_first, "prmt": permute, **dict.fromkeys(("dp4a", "dp2a"), dot_product), "setp": set_predicate, "set": set_number,
    "selp": choose, "slct": choose_by_sign, "mov": move,
}  # fmt: skip
