"""What floating-point instructions do: arithmetic with its roundings, comparisons, conversions, approximate functions.

Subnormal numbers become zeros where an instruction says FTZ, its sources before it computes and its result after it is rounded.
"""

from __future__ import annotations

from warploom.isa import uop as u
from warploom.isa.sass.code import ONE, ONES, SIGN, ZERO, Code, Number, Operand
from warploom.isa.sass.integers import bit, combine
from warploom.isa.sass.mufu.exact import TABLE_OF, exact
from warploom.isa.sass.operands import CONSTANT, IMMEDIATE, Value
from warploom.isa.sass.rows.floats import BRAIN, E4M3, E5M2, HALF, MADE, MERGE, PACK, PACK_MERGE, PACKED, UNPACK
from warploom.isa.sass.word import get
from warploom.isa.uop import NONE

EXPONENT, LARGEST, HALF_NAN = 0x7F800000, 0x7FFFFFFF, 0x7FFF
MODES = {0: 0, 1: 2, 2: 3, 3: 1}  # of an instruction's field, RISC-V's number of the rounding
ONE_FLOAT, TURN = 0x3F800000, 0x40C90FDB
TINY = 0x07B00000  # 2^-900, its high word
BF16, F16, F32, F64 = 0, 1, 2, 3  # sizes of a float, as conversions have them
APPROXIMATIONS = {0: "fcos", 1: "fsin", 2: "fexp2", 3: "flog2", 4: "frcp", 5: "frsqrt", 8: "fsqrt"}


def flushed(code: Code, value: Operand) -> Operand:
    """A float, or a zero with its sign where it is subnormal."""
    if isinstance(value, Number):
        return value if value.value & EXPONENT else Number(value.value & SIGN)
    return code.new("sel", value, code.new("and", value, Number(SIGN)), code.new("and", value, Number(EXPONENT)))


def _sources(code: Code, roles: str) -> list[Operand]:
    found = [code.float(role) for role in roles]
    return [flushed(code, one) for one in found] if bit(code, 80) else found


def _finish(code: Code, value: int) -> None:
    """FTZ and SAT of a result, and its register."""
    if bit(code, 80):
        value = flushed(code, value)  # type: ignore[assignment]
    if bit(code, 77):
        value = code.new("fmin", code.new("fmax", value, ZERO), Number(ONE_FLOAT))
    code.put("mov", code.target(), value)


_SCALES = (ONE_FLOAT, 0x3E000000, 0x3E800000, 0x3F000000, ONE_FLOAT, 0x40000000, 0x40800000, 0x41000000)  # FMUL.D8 to .M8


def arithmetic(name: str, roles: str, latency: int):  # type: ignore[no-untyped-def]
    """FADD, FMUL, FFMA."""

    def lower(code: Code) -> None:
        values = _sources(code, roles)
        mode = code.one.at(78, 2)
        plain = not (mode or bit(code, 80) or bit(code, 77))
        if name == "fmul" and code.one.at(84, 3) != 4:
            values[1] = code.new("fmul", values[1], Number(_SCALES[code.one.at(84, 3)]))
        if plain:
            code.put(name, code.target(), *values)
        elif mode:
            _finish(code, _canonical(code, _directed_float(code, name, values, mode)))
        else:
            _finish(code, code.new(name, *values))
        code.latency = latency

    return lower


def _canonical(code: Code, value: int) -> int:
    """A float, of which a NaN is the canonical one: what came by way of doubles has the NaN of an operand."""
    return code.new("sel", value, Number(LARGEST), code.new("feq", value, value))


def _directed_float(code: Code, name: str, values: list[Operand], mode: int) -> int:
    """A sum or product of floats that is rounded up, down or towards zero, by way of doubles: a product of two floats is one."""
    doubles = [_double(code, "f2d", value) for value in values]
    if name == "fmul":
        return as_float(code, _double(code, "dmul", *doubles), mode)
    first = _double(code, "dmul", *doubles[:2]) if name == "fma" else doubles[0]
    total = _double(code, "dadd", first, doubles[-1])
    if mode == 1:
        _zero_below(code, total, first, doubles[-1])
    return as_float(code, total, mode, _sum_rest(code, total, first, doubles[-1]))


def _zero_below(code: Code, total: int, a: int, b: int) -> None:
    """The sign of a sum that is 0 and rounded down: negative, but of two positive zeros."""
    nothing = code.pair()
    code.add("mov", nothing, ZERO)
    code.add("mov", nothing + 1, ZERO)
    sign = code.new("and", code.new("or", a + 1, b + 1), Number(SIGN))
    code.add("sel", total + 1, sign, total + 1, code.new("deq", total, nothing))


def as_float(code: Code, value: int, mode: int, rest: int = NONE) -> int:
    """A double, and what it lacks, as a float in a rounding mode: the nearest one, or its neighbour."""
    near = code.new("d2f", value)
    if not mode:
        return near
    back = _double(code, "f2d", near)
    above, below = code.new("dlt", back, value), code.new("dlt", value, back)
    if rest != NONE:
        nothing = code.pair()
        code.add("mov", nothing, ZERO)
        code.add("mov", nothing + 1, ZERO)
        same = code.new("deq", back, value)
        above = code.new("or", above, code.new("and", same, code.new("dlt", nothing, rest)))
        below = code.new("or", below, code.new("and", same, code.new("dlt", rest, nothing)))
    grows, shrinks = _steps(code, above, below, code.new("shr", near, Number(31)), mode)
    return code.new("sub", code.new("add", near, grows), shrinks)


def _steps(code: Code, above: int, below: int, sign: int, mode: int) -> tuple[int, int]:
    """Whether the size of a result grows, or shrinks, by one step: above, below: where the exact result lies; sign: of the rounded one."""
    positive = code.new("xor", sign, ONE)
    if mode == 1:
        return code.new("and", below, sign), code.new("and", below, positive)
    if mode == 2:
        return code.new("and", above, positive), code.new("and", above, sign)
    return code.new("mov", ZERO), code.new("sel", above, below, sign)


fadd = arithmetic("fadd", "ac", u.L_FLOAT)
fmul = arithmetic("fmul", "ab", u.L_FLOAT_MULTIPLY)
ffma = arithmetic("fma", "abc", u.L_FMA)


def fsel(code: Code) -> None:
    """FSEL."""
    a, b = _sources(code, "ab")
    code.put("sel", code.target(), a, b, code.predicate_of("p"))


def fmnmx(code: Code) -> None:
    """FMNMX."""
    a, b = _sources(code, "ab")
    is_min = code.predicate_of("p")
    if is_min in (ZERO, ONE):
        found = code.new("fmin" if is_min == ONE else "fmax", a, b)
    else:
        found = code.new("sel", code.new("fmin", a, b), code.new("fmax", a, b), is_min)
    if bit(code, 82):
        first, second = (code.plain(code.value(role)) for role in "ab")
        sign = code.new("and", code.new("xor", first, second), Number(SIGN))
        found = code.new("or", code.new("and", found, Number(LARGEST)), sign)
    if bit(code, 81):
        known = code.new("and", code.new("feq", a, a), code.new("feq", b, b))
        found = code.new("sel", found, Number(LARGEST), known)
    code.put("mov", code.target(), found)


def compare(code: Code, which: int, a: Operand, b: Operand, letter: str = "f") -> Operand:
    """A comparison by its number: ordered ones 0 to 7, those that hold for NaN too 8 to 15."""
    equal, less, least = (f"{letter}{name}" for name in ("eq", "lt", "le"))
    if which in (0, 15):
        return ONE if which else ZERO
    if which in (7, 8):
        ordered = code.new("and", code.new(equal, a, a), code.new(equal, b, b))
        return ordered if which == 7 else code.new("xor", ordered, ONE)
    if which > 8:
        return code.new("xor", compare(code, 15 - which, a, b, letter), ONE)
    if which == 5:
        return code.new("or", code.new(less, a, b), code.new(less, b, a))
    name = {1: less, 2: equal, 3: least, 4: less, 6: least}[which]
    return code.new(name, *((b, a) if which in (4, 6) else (a, b)))


def fsetp(code: Code) -> None:
    """FSETP."""
    a, b = _sources(code, "ab")
    combine(code, compare(code, code.one.at(76, 4), a, b), code.one.at(74, 2))
    code.latency = u.L_FLOAT_COMPARE


def fset(code: Code) -> None:
    """FSET: a comparison as all ones, or as 1.0."""
    a, b = (code.float(role) for role in "ab")
    a, b = (flushed(code, one) for one in (a, b)) if bit(code, 80) else (a, b)
    holds = compare(code, code.one.at(76, 4), a, b)
    name = ("and", "or", "xor")[code.one.at(74, 2)]
    found = code.new(name, holds, code.predicate_of("p"))
    code.put("sel", code.target(), Number(ONE_FLOAT if bit(code, 77) else ONES), ZERO, found)


def mufu(code: Code) -> None:
    """MUFU: an approximation of a function; of the high word of a double for the two that end in 64H."""
    which = code.one.at(74, 4)
    value = code.float("b")
    halves = code.one.at(72, 2)
    if halves:
        part = code.new("shr", value, Number(16)) if code.one.at(60, 1) else value
        value = code.new("h2f", part) if halves == 1 else code.new("shl", part, Number(16))
    code.unit, code.latency = u.SPECIAL, u.L_SPECIAL
    if which in (6, 7):
        wide = code.pair()
        code.add("mov", wide, ZERO)
        code.add("mov", wide + 1, value)
        if which == 7:
            code.add("dsqrt", wide, wide)
            invalid = code.new("xor", code.new("deq", wide, wide), ONE)
        one, found = code.pair(), code.pair()
        code.add("mov", one, ZERO)
        code.add("mov", one + 1, Number(0x3FF00000))
        code.add("ddiv", found, one, wide)
        high = code.new("sel", Number(LARGEST), found + 1, invalid) if which == 7 else found + 1
        code.put("mov", code.target(), high)
        return
    if which == 9:
        twice = code.new("fexp2", code.new("fmul", code.new("fmul", value, Number(0x40000000)), Number(0x3FB8AA3B)))
        ratio = code.new("fdiv", code.new("fsub", twice, Number(ONE_FLOAT)), code.new("fadd", twice, Number(ONE_FLOAT)))
        large = code.new("flt", Number(0x41200000), code.new("and", value, Number(LARGEST)))
        sign = code.new("or", code.new("and", value, Number(SIGN)), Number(ONE_FLOAT))
        found = code.new("sel", sign, ratio, large)
        small = code.new("flt", code.new("and", value, Number(LARGEST)), Number(0x3B000000))
        found = code.new("sel", value, found, small)
        if "tanh" in code.kernel.functions:
            found = exact(code, which, value, code.kernel.functions["tanh"], found)
        _approximated(code, found, halves)
        return
    if which not in APPROXIMATIONS:
        code.refuse("this function is something that this machine does not have")
    if TABLE_OF[which] in code.kernel.functions:
        _approximated(code, exact(code, which, value, code.kernel.functions[TABLE_OF[which]]), halves)
        return
    value = flushed(code, value)
    if which in (0, 1):
        value = code.new("fmul", value, Number(TURN))
    found = code.new(APPROXIMATIONS[which], value)
    _approximated(code, found if which in (0, 1) else flushed(code, found), halves)


def _approximated(code: Code, value: Operand, halves: int) -> None:
    """What MUFU gives: a float, or a half or a bf16 in the low bits."""
    code.put("mov", code.target(), half_of(code, value, halves == 2) if halves else value)


def fchk(code: Code) -> None:
    """FCHK: whether a division needs its slow way; it takes that where an exponent of a source or of the quotient is far from 0."""
    a, b = (code.new("and", code.new("shr", code.float(role), Number(23)), Number(255)) for role in "ab")
    far = code.new("sltu", Number(200), code.new("sub", a, Number(28)))
    far = code.new("or", far, code.new("sltu", Number(200), code.new("sub", b, Number(28))))
    ratio = code.new("sltu", Number(200), code.new("add", code.new("sub", a, b), Number(100)))
    code.set_flag("p", code.new("or", far, ratio))
    code.latency = u.L_SPECIAL


# ---------------------------------------------------------------------------------------------------------
# Double precision


def wide(code: Code, value: Value) -> int:
    """A source of 64 bits as a pair of lane registers."""
    if value.kind == "R" and not value.zero and not (value.negative or value.absolute):
        return value.number
    pair = code.pair()
    low, high = (ZERO, Number(value.number)) if value.kind == IMMEDIATE else (code.plain(value), code.plain(value, 1))
    code.add("mov", pair, low)
    if value.absolute:
        high = code.made("and", high, SIGN - 1)
    if value.negative and value.kind != IMMEDIATE:
        high = code.made("xor", high, SIGN)
    code.add("mov", pair + 1, high)
    return pair


def double(name: str, roles: str):  # type: ignore[no-untyped-def]
    """DADD, DMUL, DFMA."""

    def lower(code: Code) -> None:
        values, mode = [wide(code, code.value(role)) for role in roles], code.one.at(78, 2)
        code.latency = u.L_DOUBLE
        if not mode:
            code.put(name, code.target("d", 2), *values)
            return
        near = code.pair()
        code.add(name, near, *values)
        rest = code.keeping_pair(lambda: _rest(code, name, near, values))
        if mode == 1 and name == "dadd":
            _zero_below(code, near, *values)
        elif mode == 1 and name == "dfma":
            exact = code.pair()
            code.add("xor", exact + 1, values[0] + 1, values[1] + 1)
            nothing = _number(code, 0)
            whole = code.new("and", code.new("deq", near, nothing), code.new("deq", rest, nothing))
            sign = code.new("and", code.new("or", exact + 1, values[2] + 1), Number(SIGN))
            code.add("sel", near + 1, sign, near + 1, whole)
        _directed(code, near, _unless_overflown(code, near, rest, values), mode)

    return lower


def _number(code: Code, high: int) -> int:
    """A double by its high word."""
    pair = code.pair()
    code.add("mov", pair, ZERO)
    code.add("mov", pair + 1, Number(high))
    return pair


def _unless_overflown(code: Code, near: int, rest: int, values: list[int]) -> int:
    """What a rounded result lacks; of an infinite one of finite numbers, it is too large."""
    infinite = code.new("seq", code.new("and", near + 1, Number(LARGEST)), Number(0x7FF00000))
    for value in values:
        finite = code.new("sltu", code.new("and", value + 1, Number(LARGEST)), Number(0x7FF00000))
        infinite = code.new("and", infinite, finite)
    against = code.new("or", code.new("xor", code.new("and", near + 1, Number(SIGN)), Number(SIGN)), Number(0x3FF00000))
    found = code.pair()
    code.add("sel", found, ZERO, rest, infinite)
    code.add("sel", found + 1, against, rest + 1, infinite)
    return found


def _product_rest(code: Code, near: int, values: list[int]) -> int:
    """a * b less its rounded value: of one so small that the rest would vanish, all are scaled up first."""
    unit, large, one = _number(code, 0x3FF00000), _number(code, 0x65700000), _number(code, 0x3FF00000)  # 2^600
    scaled = near
    factors = []
    for value in values:
        size, factor = code.pair(), code.pair()
        code.add("mov", size, value)
        code.add("and", size + 1, value + 1, Number(LARGEST))
        less = code.new("dlt", size, unit)
        code.add("mov", factor, ZERO)
        code.add("sel", factor + 1, large + 1, one + 1, less)
        factors.append(_double(code, "dmul", value, factor))
        scaled = _double(code, "dmul", scaled, factor)
    tiny = code.new("sltu", code.new("and", near + 1, Number(LARGEST)), Number(TINY))
    terms = []
    for plain, large_one in ((values[0], factors[0]), (values[1], factors[1]), (near, scaled)):
        pair = code.pair()
        code.add("sel", pair, large_one, plain, tiny)
        code.add("sel", pair + 1, large_one + 1, plain + 1, tiny)
        terms.append(pair)
    code.add("xor", terms[2] + 1, terms[2] + 1, Number(SIGN))
    return _double(code, "dfma", *terms)


def _double(code: Code, name: str, *values: Operand) -> int:
    pair = code.pair()
    return code.add(name, pair, *values)


def _sum_rest(code: Code, total: int, a: int, b: int) -> int:
    """What a + b has lost by being rounded to `total`, exactly (D. Knuth, "The Art of Computer Programming", volume 2, 4.2.2)."""
    part = _double(code, "dsub", total, a)
    rest = _double(code, "dsub", a, _double(code, "dsub", total, part))
    return _double(code, "dadd", rest, _double(code, "dsub", b, part))


def _rest(code: Code, name: str, near: int, values: list[int]) -> int:
    """The exact result less the rounded one: of DADD and DMUL exactly, of DFMA to its sign."""
    if name == "dadd":
        return _sum_rest(code, near, *values)
    if name == "dmul":
        return _product_rest(code, near, values)
    product_of = _double(code, "dmul", *values[:2])
    lost = code.keeping_pair(lambda: _product_rest(code, product_of, values[:2]))
    tiny = code.new("sltu", code.new("and", product_of + 1, Number(LARGEST)), Number(TINY))
    some = code.new("xor", code.new("deq", lost, _number(code, 0)), ONE)
    code.add("sel", lost, some, lost, tiny)  # of a scaled rest only the sign means something: the smallest number stands for it
    code.add("sel", lost + 1, code.new("and", lost + 1, Number(SIGN)), lost + 1, tiny)
    total = _double(code, "dadd", product_of, values[2])
    small = _double(code, "dadd", lost, _sum_rest(code, total, product_of, values[2]))
    return _double(code, "dadd", _double(code, "dsub", total, near), small)


def _directed(code: Code, near: int, rest: int, mode: int) -> None:
    """The double next to one that was rounded to nearest, where the rest says that it lies on the wrong side: RM, RP or RZ."""
    nothing = code.pair()
    code.add("mov", nothing, ZERO)
    code.add("mov", nothing + 1, ZERO)
    above, below = code.new("dlt", nothing, rest), code.new("dlt", rest, nothing)
    sign = code.new("shr", near + 1, Number(31))
    grows, shrinks = _steps(code, above, below, sign, mode)
    more, less = code.new("carry", near, grows, ZERO), code.new("borrow", near, shrinks, ZERO)
    low = code.new("sub", code.new("add", near, grows), shrinks)
    target = code.target("d", 2)
    code.put("sub", target + 1, code.new("add", near + 1, more), less)
    code.put("mov", target, low)


dadd, dmul, dfma = double("dadd", "ac"), double("dmul", "ab"), double("dfma", "abc")


def dsetp(code: Code) -> None:
    """DSETP; MIN and MAX say whether a is the result, and whether that is a NaN."""
    a, b = (wide(code, code.value(role)) for role in "ac")
    which = code.one.at(76, 4)
    code.latency = u.L_DOUBLE
    if which not in (0, 15):
        combine(code, compare(code, which, a, b, "d"), code.one.at(74, 2))
        return
    first, second = (code.new("xor", code.new("deq", one, one), ONE) for one in (a, b))
    negative = code.new("shr", a + 1, Number(31))
    before = negative if which == 0 else code.new("xor", negative, ONE)  # of two zeros
    holds = code.new("or", compare(code, 1 if which == 0 else 4, a, b, "d"), code.new("and", code.new("deq", a, b), before))
    holds = code.new("or", holds, code.new("and", second, code.new("xor", first, ONE)))
    for role, truth in (("p", holds), ("q", code.new("and", first, second))):
        code.set_flag(role, truth)


# ---------------------------------------------------------------------------------------------------------
# Conversions


def i2f(code: Code) -> None:
    """I2F, I2FP."""
    sign, size, to, mode = bit(code, 74), code.one.at(84, 2), code.one.at(75, 2), code.one.at(78, 2)
    value = code.value("b")
    code.latency = u.L_CONVERT
    if size == 3:
        _from_64(code, value, sign, to, mode)
        return
    source = code.plain(value)
    if size < 2:
        bits = 8 << size
        top = code.new("shl", source, Number(32 - bits - 8 * code.one.at(60, 2)))
        source = code.new("sra" if sign else "shr", top, Number(32 - bits))
    if to == F64:
        code.put("i2d" if sign else "u2d", code.target("d", 2), source)
    elif to == F32 and not mode:
        code.put("i2f" if sign else "u2f", code.target(), source)
    elif to == F32:
        code.put("mov", code.target(), _directed_integer(code, source, sign, mode))
    else:
        exact = code.pair()
        code.add("i2d" if sign else "u2d", exact, source)
        code.put("mov", code.target(), _half_of_double(code, exact, to == BF16, mode))


def _half_of_double(code: Code, exact: int, brain: bool, mode: int) -> Operand:
    """A double as a half, or as a bf16: over a float rounded in the same direction, or, to nearest, to odd."""
    if mode == 0 and not brain:
        return code.new("d2h", exact)
    single = code.keeping(lambda: as_float(code, exact, mode or 3))
    if mode in (1, 2):
        if brain:
            code.refuse("bf16 are rounded to nearest or towards zero on this machine")
        return _directed_half(code, single, mode)
    if mode == 0:
        lost = code.new("xor", code.new("deq", _double(code, "f2d", single), exact), ONE)
        single = code.new("or", single, lost)
    return half_of(code, single, brain, mode == 3)


def _directed_integer(code: Code, source: Operand, sign: bool, mode: int) -> int:
    """An integer as a float, rounded up, down or towards zero: its 24 highest bits, and one step more where others are set."""
    negative = code.new("shr", source, Number(31)) if sign else code.new("mov", ZERO)
    size = code.new("sel", code.negated(source), source, negative)
    kept = code.new("and", size, code.new("shr", Number(0xFFFFFF00), code.new("minu", code.new("clz", size), Number(31))))
    found = code.new("u2f", kept)
    if mode != 3:
        lost = code.new("sne", kept, size)
        away = negative if mode == 1 else code.new("xor", negative, ONE)
        found = code.new("add", found, code.new("and", lost, away))
    return code.new("or", found, code.new("shl", negative, Number(31)))


def _from_64(code: Code, value: Value, sign: bool, to: int, mode: int) -> None:
    """From 64 bits; on the way to single precision bits that do not fit a double are rounded to odd."""
    pair = code.pair()
    low, high = code.plain(value), code.plain(value, 1)
    name = "l2d" if sign else "ul2d"
    if to == F64:
        if mode:
            _directed_long(code, low, high, sign, mode)
            return
        code.add("mov", pair, low)
        code.add("mov", pair + 1, high)
        code.put(name, code.target("d", 2), pair)
        return
    rest = code.new("sne", code.new("and", low, Number(0xFFF)), ZERO)
    odd = code.new("or", code.new("and", low, Number(0xFFFFF000)), code.new("shl", rest, Number(11)))
    fold = code.new("xor", high, code.new("sra", high, Number(31))) if sign else high
    code.add("sel", pair, odd, low, code.new("shr", fold, Number(20)))
    code.add("mov", pair + 1, high)
    code.add(name, pair, pair)
    code.put("mov", code.target(), as_float(code, pair, mode) if to == F32 else _half_of_double(code, pair, to == BF16, mode))


def _directed_long(code: Code, low: Operand, high: Operand, sign: bool, mode: int) -> None:
    """64 bits as a double, rounded up, down or towards zero: the sum of its words, which are doubles."""
    unit, nothing = code.pair(), code.pair()
    for place, words in ((unit, (0, 0x41F00000)), (nothing, (0, 0))):
        code.add("mov", place, Number(words[0]))
        code.add("mov", place + 1, Number(words[1]))
    upper = _double(code, "dmul", _double(code, "i2d" if sign else "u2d", high), unit)
    lower = _double(code, "u2d", low)
    near = _double(code, "dadd", upper, lower)
    _directed(code, near, _sum_rest(code, near, upper, lower), mode)


def f2i(code: Code) -> None:
    """F2I: saturated; NaN is 0 in 32 bits from single precision, else the highest bit alone."""
    sign, size, of, mode = bit(code, 72), code.one.at(75, 2), code.one.at(84, 2), code.one.at(78, 2)
    code.latency = u.L_CONVERT
    single = ZERO if of == F64 else _single(code, of)
    if of != F64 and mode != 3:
        single = code.new("fround", single, Number(MODES[mode]))
    if of == F64 or size == 3:
        pair = wide(code, code.value("b")) if of == F64 else _double(code, "f2d", single)
        known = code.new("deq", pair, pair)
        if of == F64 and mode != 3:
            whole = code.pair()
            _rounded_double(code, whole, pair, mode)
            pair = whole
        if size == 3:
            target, found = code.target("d", 2), _double(code, "d2l" if sign else "d2ul", pair)
            code.put("sel", target, found, ZERO, known)
            code.put("sel", target + 1, found + 1, Number(SIGN), known)
            return
        found = code.new("d2i" if sign else "d2u", pair)
    else:
        known = code.new("feq", single, single)
        found = code.new("f2i" if sign else "f2u", single)
    if size < 2:
        bits = 8 << size
        if sign:
            found = code.new("max", code.new("min", found, Number((1 << bits - 1) - 1)), Number(-(1 << bits - 1) & ONES))
        else:
            found = code.new("minu", found, Number((1 << bits) - 1))
    code.put("sel", code.target(), found, Number(SIGN if of == F64 else 0), known)


def _single(code: Code, of: int) -> Operand:
    """The source of a conversion in single precision."""
    value = code.float("b") if of == F32 else code.new("h2f", code.plain(code.value("b")))
    return flushed(code, value) if bit(code, 80) else value


def _rounded_double(code: Code, target: int, pair: int, mode: int) -> None:
    """A double as a whole one: what adding and taking away 2^52 leaves, moved by one where it lies on the wrong side."""
    high = code.new("and", pair + 1, Number(SIGN))
    large, limit = code.pair(), code.pair()
    code.add("mov", large, ZERO)
    code.add("or", large + 1, high, Number(0x43300000))
    near = code.pair()
    code.add("dadd", near, pair, large)
    code.add("dsub", near, near, large)
    if mode:
        one = code.pair()
        code.add("mov", one, ZERO)
        below = code.new("dlt", pair, near)
        above = code.new("dlt", near, pair)
        if mode == 3:
            below, above = code.new("sel", ZERO, below, high), code.new("sel", above, ZERO, high)
        wrong = below if mode == 1 else above if mode == 2 else code.new("or", below, above)
        step = {1: Number(0xBFF00000), 2: Number(0x3FF00000)}.get(mode)
        code.add("mov", one + 1, step if step is not None else code.new("xor", code.new("or", high, Number(0x3FF00000)), Number(SIGN)))
        moved = code.pair()
        code.add("dadd", moved, near, one)
        code.add("sel", near, moved, near, wrong)
        code.add("sel", near + 1, moved + 1, near + 1, wrong)
    code.add("mov", limit, ZERO)
    code.add("mov", limit + 1, Number(0x43300000))
    size = code.pair()
    code.add("mov", size, pair)
    code.add("and", size + 1, pair + 1, Number(SIGN - 1))
    small = code.new("dlt", size, limit)
    code.add("sel", target, near, pair, small)
    code.add("or", target + 1, code.new("sel", near + 1, pair + 1, small), high)


def frnd(code: Code) -> None:
    """FRND: a float without what is after its point."""
    to, of, mode = code.one.at(75, 2), code.one.at(84, 2), code.one.at(78, 2)
    if to == F64 and of == F64:
        target = code.target("d", 2)
        whole = code.pair()
        _rounded_double(code, whole, wide(code, code.value("b")), mode)
        code.put("mov", target, whole)
        code.put("mov", target + 1, whole + 1)
        return
    if (to, of) == (F16, F16):
        whole_half = code.new("fround", code.new("h2f", code.plain(code.value("b"))), Number(MODES[mode]))
        code.put("f2h", code.target(), whole_half)
        return
    if (to, of) == (BF16, BF16):
        single = code.new("shl", code.plain(code.value("b")), Number(16))
        whole = code.new("fround", single, Number(MODES[mode]))
        code.put("mov", code.target(), half_of(code, whole, True, True))
        return
    if (to, of) != (F32, F32):
        code.refuse("this conversion is something that this machine does not have")
    value = code.float("b")
    code.put("fround", code.target(), flushed(code, value) if bit(code, 80) else value, Number(MODES[mode]))


def f2f(code: Code) -> None:
    """F2F: between sizes of floats."""
    to, of, mode = code.one.at(75, 2), code.one.at(84, 2), code.one.at(78, 2)
    code.latency = u.L_DOUBLE_CONVERT if F64 in (to, of) else u.L_CONVERT
    if (to, of) == (F64, F32):
        value = code.float("b")
        code.put("f2d", code.target("d", 2), flushed(code, value) if bit(code, 80) else value)
    elif (to, of) == (F64, F16):
        target, half = code.target("d", 2), code.plain(code.value("b"))
        exact = _double(code, "f2d", code.new("h2f", half))
        sign = code.new("shl", code.new("and", half, Number(0x8000)), Number(16))
        kept = code.new("or", code.new("or", sign, Number(0x7FF80000)), code.new("shl", code.new("and", half, Number(0x3FF)), Number(10)))
        number = code.new("deq", exact, exact)
        code.put("sel", target, exact, ZERO, number)
        code.put("sel", target + 1, exact + 1, kept, number)
    elif (to, of) == (F32, F64):
        found = as_float(code, wide(code, code.value("b")), mode)
        code.put("mov", code.target(), flushed(code, found) if bit(code, 80) else found)
    elif (to, of) == (F32, F16):
        code.put("h2f", code.target(), code.plain(code.value("b")))
    elif to == BF16 and of == F32 and mode in (0, 3):
        code.put("mov", code.target(), half_of(code, code.float("b"), True, mode == 3))
    elif to == F16 and of == F32 and mode:
        value = code.float("b")
        code.put("mov", code.target(), half_of(code, value, False, True) if mode == 3 else _directed_half(code, value, mode))
    elif mode or to == BF16:
        code.refuse("this rounding to a half is something that this machine does not have")
    elif of == F64:
        code.put("d2h", code.target(), wide(code, code.value("b")))
    elif of == F32:
        code.put("f2h", code.target(), code.float("b"))
    else:
        code.refuse("this conversion is something that this machine does not have")


def _directed_half(code: Code, value: Operand, mode: int) -> int:
    """A float as a half, rounded down (RM) or up (RP): the one to nearest, or the next one where that lies on the wrong side."""
    near = code.new("f2h", value)
    found = code.new("h2f", near)
    wrong = code.new("flt", value, found) if mode == 1 else code.new("flt", found, value)
    sign = code.new("and", code.new("shr", near, Number(15)), ONE)
    larger, smaller = code.new("add", near, ONE), code.new("sub", near, ONE)
    moved = code.new("sel", larger, smaller, sign) if mode == 1 else code.new("sel", smaller, larger, sign)
    return code.new("sel", moved, near, wrong)


def f2fp(code: Code) -> None:
    """F2FP: two floats as two halves, a above; or as two bytes of floats of 8 bits; or such bytes as halves."""
    made, how = get(code.one.word, MADE), get(code.one.word, PACKED)
    code.latency = u.L_CONVERT
    high: Operand
    low: Operand
    if how == UNPACK and made == HALF:
        source = code.plain(code.value("b"))
        source = code.new("shr", source, Number(16)) if code.one.at(88, 1) else source
        high, low = (_from_eight(code, code.new("shr", source, Number(8)) if upper else source, bit(code, 73)) for upper in (True, False))
    elif how in (PACK, MERGE) and made in (HALF, BRAIN):
        to_zero = code.one.at(79, 3) == 3
        if code.one.at(79, 3) not in (0, 3) or bit(code, 77):
            code.refuse("this conversion is something that this machine does not have")
        parts = [_rectified(code, code.float(role)) for role in ("ab" if how == PACK else "b")]
        low = half_of(code, parts[-1], made == BRAIN, to_zero)
        high = half_of(code, parts[0], made == BRAIN, to_zero) if how == PACK else code.plain(code.value("c"))
    elif how in (PACK, PACK_MERGE) and made in (E4M3, E5M2) and bit(code, 77):
        above, below = (_eight(code, _rectified(code, code.float(role)), made == E4M3) for role in "ab")
        low = code.new("or", code.new("shl", above, Number(8)), below)
        high = ZERO
        if how == PACK_MERGE:
            source = code.plain(code.value("c"))
            high = code.new("shr", source, Number(16)) if code.one.at(72, 1) else source
    else:
        code.refuse("this conversion is something that this machine does not have")
    code.put("or", code.target(), code.new("shl", high, Number(16)) if high != ZERO else ZERO, code.new("and", low, Number(0xFFFF)))


def f2ip(code: Code) -> None:
    """F2IP: two floats as two bytes, a above, and half of c above them."""
    sign = code.one.at(76, 2)
    if sign > 1 or code.one.at(78, 2) != 3:
        code.refuse("this conversion is something that this machine does not have")
    parts = []
    for role in "ab":
        value = code.plain(code.value(role))
        whole = code.new("f2i" if sign else "f2u", _rectified(code, value))
        found = _saturated(code, whole, 8, bool(sign), bool(sign))
        parts.append(code.new("and", code.new("sel", found, ZERO, code.new("feq", value, value)), Number(0xFF)))
    low = code.new("or", code.new("shl", parts[0], Number(8)), parts[1])
    source = code.plain(code.value("c"))
    high = source if code.one.at(72, 1) else code.new("shl", source, Number(16))
    code.put("or", code.target(), low, code.new("and", high, Number(0xFFFF0000)))
    code.latency = u.L_CONVERT


def i2i(code: Code) -> None:
    """I2I: an integer as a shorter one, saturated."""
    to = code.one.at(76, 2)
    code.put("mov", code.target(), _saturated(code, code.plain(code.value("b")), 8 << (to >> 1), bool(to & 1), True))


def _saturated(code: Code, value: Operand, bits: int, sign: bool, from_signed: bool) -> Operand:
    """An integer in the bounds of a shorter one."""
    if sign:
        return code.new("max", code.new("min", value, Number((1 << bits - 1) - 1)), Number(-(1 << bits - 1) & ONES))
    value = code.new("max", value, ZERO) if from_signed else value
    return code.new("minu", value, Number((1 << bits) - 1))


def _rectified(code: Code, value: Operand) -> Operand:
    """A float, or 0 where it is negative and the instruction says RELU; NaN stays."""
    return code.new("sel", ZERO, value, code.new("fle", value, ZERO)) if bit(code, 75) else value


def _eight(code: Code, value: Operand, short_exponent: bool) -> Operand:
    """A float as one of 8 bits, to nearest even, at most the largest one: with a mantissa of 3 bits and the bias 7, or 2 bits and 15."""
    digits, bias, most = (3, 7, 0x7E) if short_exponent else (2, 15, 0x7B)
    size = code.made("and", value, LARGEST)
    drops = 23 - digits
    odd = code.new("and", code.new("shr", size, Number(drops)), ONE)
    normal = code.new("shr", code.new("add", size, code.new("add", odd, Number((1 << drops - 1) - 1))), Number(drops))
    normal = code.new("minu", code.new("sub", normal, Number((127 - bias) << digits)), Number(most))
    unit = (127 + 23 + 1 - bias - digits) << 23  # a float whose last place is that of the smallest ones
    small = code.new("sub", code.new("fadd", size, Number(unit)), Number(unit))
    found = code.new("sel", small, normal, code.new("sltu", size, Number((128 - bias) << 23)))
    found = code.new("or", found, code.new("and", code.new("shr", value, Number(24)), Number(0x80)))
    return code.new("sel", found, Number(0x7F), code.new("feq", value, value))


def _from_eight(code: Code, byte: Operand, short_exponent: bool) -> int:
    """A float of 8 bits, the low ones, as a half: exact; a NaN is 0x7fff."""
    sign = code.new("shl", code.new("and", byte, Number(0x80)), Number(8))
    size = code.new("and", byte, Number(0x7F))
    if short_exponent:
        found = code.new("f2h", code.new("fmul", code.new("h2f", code.new("shl", size, Number(7))), Number(0x43800000)))
        number = code.new("sltu", size, Number(0x7F))
    else:
        found = code.new("shl", size, Number(8))
        number = code.new("sltu", size, Number(0x7D))
    return code.new("sel", code.new("or", found, sign), Number(0x7FFF), number)


def half_of(code: Code, value: Operand, brain: bool, to_zero: bool = False) -> int:
    """A float as a half, or as a bf16, to nearest even, or towards zero."""
    if not brain:
        near = code.new("f2h", value)
        if not to_zero:
            return near
        sizes = [code.new("and", one, Number(LARGEST)) for one in (value, code.new("h2f", near))]
        return code.new("sub", near, code.new("flt", *sizes))
    if to_zero:
        return code.new("sel", code.new("shr", value, Number(16)), Number(0x7FFF), code.new("feq", value, value))
    odd = code.new("and", code.new("shr", value, Number(16)), ONE)
    found = code.new("shr", code.new("add", value, code.new("add", odd, Number(0x7FFF))), Number(16))
    return code.new("sel", found, Number(0x7FFF), code.new("feq", value, value))


__all__ = ["CONSTANT", "NONE"]
