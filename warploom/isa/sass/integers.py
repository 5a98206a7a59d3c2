"""What integer instructions do: sums with carries, products, shifts, tables of bits, comparisons, predicates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from warploom.isa import uop as u
from warploom.isa.sass.code import ONE, ONES, PREDICATES, ZERO, Code, Number, Operand
from warploom.isa.sass.operands import IMMEDIATE
from warploom.isa.sass.tables import table_of
from warploom.isa.uop import SPECIAL_NUMBER

X, SIGNED = 74, 73  # bits of an instruction
SPECIALS = {
    0x00: "lane", 0x21: "thread_x", 0x22: "thread_y", 0x23: "thread_z", 0x25: "block_x", 0x26: "block_y", 0x27: "block_z",
    0x43: "core", 0x50: "cycle", 0x52: "cycle",
}  # fmt: skip
SHARED_WINDOW, LOCAL_WINDOW = 1, 2  # high words of generic addresses in shared and in local memory
CONSTANT_SPECIALS = {0x2F: SHARED_WINDOW, 0x30: 0, 0x51: 0, 0x53: 0, 0x88: 0, 0xFF: 0}


def bit(code: Code, place: int) -> bool:
    """A bit of the instruction."""
    return bool(code.one.word >> place & 1)


def mov(code: Code) -> None:
    """MOV."""
    code.put("mov", code.target(), code.integer("b"))


def sel(code: Code) -> None:
    """SEL."""
    code.put("sel", code.target(), code.integer("a"), code.integer("b"), code.predicate_of("p"))


def total(code: Code, terms: list[Operand], carries: bool) -> tuple[Operand, Operand]:
    """(the low word of a sum, what it carries into bit 32 if that is wanted)."""
    terms = [term for term in terms if term != ZERO]
    if len(terms) < 2:
        return (terms[0] if terms else ZERO), ZERO
    low, carry = terms[0], None
    for term in terms[1:]:
        if carries:
            more = code.new("carry", low, term, ZERO)
            carry = more if carry is None else code.new("add", carry, more)
        low = code.new("add", low, term)
    return low, carry if carry is not None else ZERO


def iadd3(code: Code) -> None:
    """IADD3: a negated source counts as its inverse and 1, of which the carry counts too."""
    extended = bit(code, X)
    wanted = [role for role in ("carry", "carry2") if code.flag(role) is not None]
    terms: list[Operand] = []
    for role in "abc":
        value = code.value(role)
        if value.negative and not extended and wanted and value.kind != IMMEDIATE:
            terms += [code.inverted(code.plain(value)), ONE]
        else:
            terms.append(code.integer(role, extended))
    if extended:
        terms += [truth for role in ("p", "q") if (truth := code.predicate_of(role)) != ZERO]
    low, carry = total(code, terms, bool(wanted))
    code.put("mov", code.target(), low)
    for role, least in (("carry", 0), ("carry2", 1)):
        if role in wanted:
            code.put("sltu", code.flag(role) or 0, Number(least), carry)


def imad(code: Code) -> None:
    """IMAD: the low word of a * b + c."""
    extended = bit(code, X)
    a, b, c = code.integer("a"), code.integer("b"), code.integer("c", extended)
    terms = [c, code.predicate_of("p")] if extended else [c]
    product: Operand = ZERO
    code.latency = u.L_MULTIPLY
    carries = code.flag("carry") is not None
    target = code.target()
    if ZERO in (a, b):
        product = ZERO
    elif ONE in (a, b):
        product = b if a == ONE else a
    elif terms == [ZERO] and not carries:
        if isinstance(b, Number) and not b.value & (b.value - 1):
            code.put("shl", target, a, Number(b.value.bit_length() - 1))
        else:
            code.put("mul", target, a, b)
        return
    elif not extended and not carries:
        code.put("mad", target, a, b, c)
        return
    else:
        product = code.new("mul", a, b)
    low, carry = total(code, [product, *terms], carries)
    code.put("mov", target, low)
    if carries:
        code.put("sltu", code.flag("carry") or 0, ZERO, carry)


def product(code: Code) -> tuple[Operand, Operand]:
    """Both words of a * b."""
    a, b = code.integer("a"), code.integer("b")
    if ZERO in (a, b):
        return ZERO, ZERO
    return code.new("mul", a, b), code.new("mulh" if bit(code, SIGNED) else "mulhu", a, b)


def wide_sum(code: Code, carries: bool) -> tuple[Operand, Operand, Operand]:
    """(low word, high word, carry) of the 64 bits of a * b + c."""
    extended = bit(code, X)
    low, high = product(code)
    value = code.value("c")
    words = [code.plain(value), code.plain(value, 1)]
    ones: list[Operand] = []
    if value.negative and value.kind != IMMEDIATE:
        words = [code.inverted(word) for word in words]
        ones = [] if extended else [ONE]
    if extended:
        ones.append(code.predicate_of("p"))
    low, carry = total(code, [low, words[0], *ones], True)
    high, out = total(code, [high, words[1], carry], carries)
    return low, high, out


def imad_wide(code: Code) -> None:
    """IMAD.WIDE: 64 bits of a * b + c."""
    carries = code.flag("carry") is not None
    target = code.target("d", 2)
    low, high, out = wide_sum(code, carries)
    code.put("mov", target, low)
    code.put("mov", target + 1, high)
    if carries:
        code.put("sltu", code.flag("carry") or 0, ZERO, out)
    code.latency = u.L_MULTIPLY


def imad_high(code: Code) -> None:
    """IMAD.HI: the high word of a * b + c, where c has 64 bits."""
    carries = code.flag("carry") is not None
    _, high, out = wide_sum(code, carries)
    code.put("mov", code.target(), high)
    if carries:
        code.put("sltu", code.flag("carry") or 0, ZERO, out)
    code.latency = u.L_MULTIPLY


def lea(code: Code) -> None:
    """LEA: (a << shift) + b; HI: the high word of c:a shifted."""
    extended, high, shift = bit(code, X), bit(code, 80), code.one.at(75, 5)
    value = code.value("a")
    a = code.plain(value)
    negative = value.negative
    if high:
        upper = code.new("sra", a, Number(31)) if bit(code, 73) else code.plain(code.value("c"))
        part = upper if shift == 0 else code.new("shrd", upper, a, Number(32 - shift))
    else:
        part = code.new("shl", a, Number(shift)) if shift and a != ZERO else a
    terms: list[Operand] = []
    carries = code.flag("carry") is not None
    if negative:
        terms += [code.inverted(part)] if extended else [code.inverted(part), ONE]
    else:
        terms.append(part)
    terms.append(code.integer("b", extended))
    if extended:
        terms.append(code.predicate_of("p"))
    low, carry = total(code, terms, carries)
    code.put("mov", code.target(), low)
    if carries:
        code.put("sltu", code.flag("carry") or 0, ZERO, carry)


def lop3(code: Code) -> None:
    """LOP3: a table of three bits, bit by bit."""
    found = table_of(code, code.one.at(72, 8), [code.integer(role) for role in "abc"])
    target = code.flag("p")
    if target is not None:
        holds = code.new("sne", found, ZERO)
        q = code.predicate_of("q")
        if bit(code, 80):
            code.put("and", target, holds, q)
        elif q == ZERO:
            code.put("mov", target, holds)
        else:
            code.put("or", target, holds, q)
    if not code.value("d").zero:
        code.put("mov", code.target(), found)


def plop3(code: Code) -> None:
    """PLOP3: tables of three predicates."""
    truths = [code.predicate_of(role) for role in "abc"]
    for role, table in (("p", code.value("table").number), ("q", code.one.at(16, 8))):
        place = code.flag(role)
        if place is not None:
            code.put("and", place, table_of(code, table, truths), ONE)


def iabs(code: Code) -> None:
    """IABS."""
    b = code.integer("b")
    code.put("max", code.target(), b, code.negated(b))


def minmax(code: Code, a: Operand, b: Operand, is_min: Operand, unsigned: bool) -> Operand:
    """The smaller, or the larger, as a predicate says."""
    names = ("minu", "maxu") if unsigned else ("min", "max")
    if is_min in (ZERO, ONE):
        return code.new(names[is_min == ZERO], a, b)
    return code.new("sel", code.new(names[0], a, b), code.new(names[1], a, b), is_min)


def imnmx(code: Code) -> None:
    """IMNMX."""
    found = minmax(code, code.integer("a"), code.integer("b"), code.predicate_of("p"), not bit(code, SIGNED))
    code.put("mov", code.target(), found)


def _signed_kind(code: Code) -> tuple[bool, bool]:
    """(unsigned, with RELU) of the minima and maxima of sm_90."""
    return not bit(code, 72), bit(code, 76)


def _by_halves(code: Code, roles: str, way: Callable[..., Operand]) -> None:
    """What an instruction does, of words or, where it says so, of both halves of its sources: sources have bits 16 to 31 last."""
    if not bit(code, 73):
        code.put("mov", code.target(), way(*(code.integer(role) for role in roles)))
        return
    shift = "shr" if code.one.name != "VIADD" and not bit(code, 72) else "sra"
    values = [(code.plain(code.value(role)), code.value(role)) for role in roles]
    parts = []
    for high in range(2):
        found: list[Operand] = []
        for word, value in values:
            part = code.new(shift, word if high else code.new("shl", word, Number(16)), Number(16))
            found.append(code.negated(part) if value.negative and value.kind != IMMEDIATE else part)
        parts.append(way(*found))
    code.put("or", code.target(), code.new("shl", parts[1], Number(16)), code.made("and", parts[0], 0xFFFF))


def add2(code: Code) -> None:
    """VIADD, of a word or of two halves."""
    _by_halves(code, "ab", lambda a, b: code.new("add", a, b))


def _relu(code: Code, found: Operand) -> Operand:
    return code.new("max", found, ZERO) if _signed_kind(code)[1] else found


def vimnmx(code: Code) -> None:
    """VIMNMX, of a word or of two halves."""
    unsigned, p = _signed_kind(code)[0], code.predicate_of("p")
    _by_halves(code, "ab", lambda a, b: _relu(code, minmax(code, a, b, p, unsigned)))


def viaddmnmx(code: Code) -> None:
    """VIADDMNMX: of a + b, in its width, and c."""
    unsigned, p = _signed_kind(code)[0], code.predicate_of("p")

    def way(a: Operand, b: Operand, c: Operand) -> Operand:
        found: Operand = code.new("add", a, b)
        if bit(code, 73):
            found = code.new("shr" if unsigned else "sra", code.new("shl", found, Number(16)), Number(16))
        return _relu(code, minmax(code, found, c, p, unsigned))

    _by_halves(code, "abc", way)


def vimnmx3(code: Code) -> None:
    """VIMNMX3: of three."""
    unsigned, p = _signed_kind(code)[0], code.predicate_of("p")
    _by_halves(code, "abc", lambda a, b, c: _relu(code, minmax(code, minmax(code, a, b, p, unsigned), c, p, unsigned)))


def prmt(code: Code) -> None:
    """PRMT: each byte of the result is one of eight, or its sign."""
    a, s, b = (code.plain(code.value(role)) for role in "abc")
    found: Operand = ZERO
    mode = code.one.at(72, 3)
    if mode > 6:
        code.refuse("PRMT in this mode is something that this machine does not have")
    for place in range(4):
        if mode:
            byte = code.keeping(partial(_byte_of_mode, code, a, b, s, mode, place))
        elif isinstance(s, Number):
            byte = _byte(code, (a, b)[s.value >> 4 * place + 2 & 1], s.value >> 4 * place & 3, bool(s.value >> 4 * place + 3 & 1))
        else:
            byte = _chosen_byte(code, a, b, code.new("shr", s, Number(4 * place)))
        if byte == ZERO:
            continue
        shifted = code.new("shl", byte, Number(8 * place)) if place else byte
        found = code.new("or", found, shifted) if found != ZERO else shifted
    code.put("mov", code.target(), found)


def _byte_of_mode(code: Code, a: Operand, b: Operand, s: Operand, mode: int, place: int) -> Operand:
    return _chosen_byte(code, a, b, _place(code, code.made("and", s, 3), mode, place))


def _place(code: Code, s: Operand, mode: int, place: int) -> Operand:
    """Which of eight bytes PRMT takes in a mode: F4E, B4E, RC8, ECL, ECR or RC16."""
    here = Number(place)
    if mode < 3:
        return code.new("and", code.new("add" if mode == 1 else "sub", s, here), Number(7))
    if mode == 3:
        return s
    if mode < 6:
        return code.new("maxu" if mode == 4 else "minu", s, here)
    return code.new("or", code.new("shl", code.made("and", s, 1), ONE), Number(place & 1))


def _byte(code: Code, word: Operand, place: int, sign: bool) -> Operand:
    if word == ZERO:
        return ZERO
    if sign:
        spread = code.new("sra", code.new("shl", word, Number(24 - 8 * place)) if place < 3 else word, Number(31))
        return code.new("and", spread, Number(255))
    return code.new("and", code.new("shr", word, Number(8 * place)) if place else word, Number(255))


def _chosen_byte(code: Code, a: Operand, b: Operand, selector: Operand) -> Operand:
    word = code.new("sel", b, a, code.new("and", selector, Number(4)))
    shift = code.new("and", code.new("shl", selector, Number(3)), Number(24))
    byte = code.new("and", code.new("shr", word, shift), Number(255))
    spread = code.new("and", code.new("sra", code.new("shl", byte, Number(24)), Number(31)), Number(255))
    return code.new("sel", spread, byte, code.new("and", selector, Number(8)))


def shf(code: Code) -> None:
    """SHF: a word of the 64 bits c:a, shifted."""
    right, wraps, high = bit(code, 76), bit(code, 75), bit(code, 80)
    kind = code.one.at(73, 2)
    wide, sign = kind < 2, kind % 2 == 0
    low, shift, upper = (code.plain(code.value(role)) for role in "abc")
    if isinstance(shift, Number):
        most = 64 if wide else 32
        by = shift.value & most - 1 if wraps else min(shift.value, most)
        code.put("mov", code.target(), _shifted(code, low, upper, by, right, high, sign))
        return
    if wraps:
        shift = code.new("and", shift, Number(63 if wide else 31))
    elif not wide:
        shift = code.new("minu", shift, Number(32))
    code.put("mov", code.target(), _shifted_by(code, low, upper, shift, right, high, sign))


def _shifted(code: Code, low: Operand, high: Operand, by: int, right: bool, upper: bool, sign: bool) -> Operand:
    """A word of a pair, shifted by a number of 0 to 64."""
    fill = code.new("sra", high, Number(31)) if right and sign and high != ZERO and by + 32 * upper >= 32 else ZERO
    words = [low, high, fill, fill, fill] if right else [ZERO, ZERO, ZERO, low, high]
    start = 32 * upper + by if right else 96 + 32 * upper - by
    first, rest = divmod(start, 32)
    if rest == 0:
        return words[first]
    under, over = words[first], words[first + 1]
    if over == ZERO:
        return ZERO if under == ZERO else code.new("shr", under, Number(rest))
    if right and upper and sign:
        return code.new("sra", under, Number(rest)) if first == 1 else fill
    return code.new("shl", over, Number(32 - rest)) if under == ZERO else code.new("shrd", over, under, Number(rest))


def _shifted_by(code: Code, low: Operand, high: Operand, shift: Operand, right: bool, upper: bool, sign: bool) -> Operand:
    """A word of a pair, shifted by a register."""
    past, beyond = code.new("sltu", Number(31), shift), code.new("sltu", Number(63), shift)
    if right:
        fill = code.new("sra", high, Number(31)) if sign else ZERO
        alone = code.new("sra" if sign else "shr", high, shift)
        near, far = (alone, fill) if upper else (code.new("shrd", high, low, shift), alone)
    else:
        fill = ZERO
        alone = code.new("shl", low, shift)
        near, far = (alone, ZERO)
        if upper:
            crossing = code.new("shr", code.new("shr", low, ONE), code.new("xor", shift, Number(31)))
            near, far = code.new("or", code.new("shl", high, shift), crossing), alone
    return code.new("sel", fill, code.new("sel", far, near, past), beyond)


def sgxt(code: Code) -> None:
    """SGXT: the low b bits of a, with their sign or zeros above."""
    a, size = code.integer("a"), code.integer("b")
    name = "sra" if bit(code, SIGNED) else "shr"
    if bit(code, 75):
        size = code.made("and", size, 31)
    if isinstance(size, Number):
        if size.value == 0:
            code.put("mov", code.target(), ZERO)
        elif size.value > 31:
            code.put("mov", code.target(), a)
        else:
            code.put(name, code.target(), code.new("shl", a, Number(32 - size.value)), Number(32 - size.value))
        return
    shift = code.new("sub", Number(32), size)
    found = code.new(name, code.new("shl", a, shift), shift)
    found = code.new("sel", a, found, code.new("sltu", Number(31), size))
    code.put("sel", code.target(), found, ZERO, size)


def bmsk(code: Code) -> None:
    """BMSK: b ones from bit a on."""
    a, width = code.integer("a"), code.integer("b")
    if bit(code, 75):
        a, width = code.made("and", a, 31), code.made("and", width, 31)
    ones = code.new("sub", code.new("shl", ONE, width), ONE)
    ones = code.new("sel", Number(ONES), ones, code.new("sltu", Number(31), width))
    code.put("sel", code.target(), ZERO, code.new("shl", ones, a), code.new("sltu", Number(31), a))


def flo(code: Code) -> None:
    """FLO: where the highest one is; of a negative number, the highest zero."""
    b = code.integer("b")
    if bit(code, SIGNED):
        b = code.new("xor", b, code.new("sra", b, Number(31)))
    zeros = code.new("clz", b)
    if code.flag("p") is not None:
        code.put("sltu", code.flag("p") or 0, zeros, Number(32))
    if bit(code, 74):
        code.put("sel", code.target(), Number(ONES), zeros, code.new("seq", b, ZERO))
    else:
        code.put("sub", code.target(), Number(31), zeros)
    code.latency = u.L_BITS


def popc(code: Code) -> None:
    """POPC."""
    code.put("popc", code.target(), code.integer("b"))


def brev(code: Code) -> None:
    """BREV."""
    code.put("brev", code.target(), code.integer("b"))


def compare(code: Code, which: int, a: Operand, b: Operand, less: str) -> Operand:
    """An integer comparison, by its number: F LT EQ LE GT NE GE T."""
    if which in (0, 7):
        return ONE if which else ZERO
    if which in (2, 5):
        return code.new("seq" if which == 2 else "sne", a, b)
    strict = code.new(less, *((b, a) if which in (3, 4) else (a, b)))
    return strict if which in (1, 4) else code.new("xor", strict, ONE)


def combine(code: Code, holds: Operand, how: int, roles: str = "pq", other: str = "with") -> None:
    """Write a comparison, combined with a predicate, and its opposite, so combined."""
    if how == 3:
        code.refuse("a combination of this kind means nothing")
    name, other_truth = ("and", "or", "xor")[how], code.predicate_of(other)
    for role in roles:
        place = code.flag(role)
        if place is None:
            continue
        truth = holds if role == "p" else code.made("xor", holds, 1)
        if other_truth == (ONE if how == 0 else ZERO):
            code.put("mov", place, truth)
        else:
            code.put(name, place, truth, other_truth)


def isetp(code: Code) -> None:
    """ISETP. EX: the high words of 64 bits, after a comparison of the low ones."""
    a, b, which = code.integer("a"), code.integer("b"), code.one.at(76, 3)
    less = "slt" if bit(code, SIGNED) else "sltu"
    if bit(code, 72) and which not in (0, 7):
        low, equal = code.predicate_of("low"), code.new("seq", a, b)
        if which == 2:
            holds = code.new("and", equal, low)
        elif which == 5:
            holds = code.new("or", code.new("xor", equal, ONE), low)
        else:
            strict = compare(code, {3: 1, 6: 4}.get(which, which), a, b, less)
            holds = code.new("or", strict, code.new("and", equal, low))
        combine(code, holds, code.one.at(74, 2))
        return
    combine(code, compare(code, which, a, b, less), code.one.at(74, 2))


def special(code: Code) -> None:
    """S2R, S2UR, CS2R: a special register."""
    number = code.value("special").number
    wide = code.one.name == "CS2R" and bit(code, 80)
    target = code.target("d", 2 if wide else 1)
    if number in CONSTANT_SPECIALS:
        code.put("mov", target, Number(CONSTANT_SPECIALS[number]))
    elif number in SPECIALS:
        code.put("special", target, imm=SPECIAL_NUMBER[SPECIALS[number]])
    elif 0x38 <= number <= 0x3C:
        own = code.new("shl", ONE, code.new("special", imm=SPECIAL_NUMBER["lane"]))
        below = code.new("sub", own, ONE)
        found = {0x38: own, 0x39: below, 0x3A: code.new("or", own, below)}.get(number)
        if found is None:
            found = code.inverted(below if number == 0x3C else code.new("or", own, below))  # type: ignore[assignment]
        code.put("mov", target, found or ZERO)
    else:
        code.refuse("this special register is something that this machine does not have")
    if wide:
        code.put("mov", target + 1, ZERO)
    code.latency = u.L_SPECIAL if code.one.name != "CS2R" else u.NONE


def p2r(code: Code) -> None:
    """P2R: predicates into the bits of a register."""
    mask = code.integer("b")
    if not isinstance(mask, Number):
        code.refuse("a mask of predicates in a register is something that this machine does not have")
        return
    shift = 8 * code.one.at(76, 2)
    found = code.made("and", code.integer("a"), ~(mask.value << shift) & ONES)
    for number in range(PREDICATES):
        if mask.value >> number & 1:
            part = code.kernel.registers + number
            found = code.new("or", found, code.new("shl", part, Number(number + shift)) if number + shift else part)
    code.put("mov", code.target(), found)


def r2p(code: Code) -> None:
    """R2P: bits of a register into predicates."""
    mask, a, shift = code.integer("b"), code.plain(code.value("a")), 8 * code.one.at(76, 2)
    if not isinstance(mask, Number):
        code.refuse("a mask of predicates in a register is something that this machine does not have")
        return
    for number in range(PREDICATES):
        if mask.value >> number & 1:
            code.put("and", code.kernel.registers + number, code.new("shr", a, Number(number + shift)), ONE)


def absolute_difference(code: Code) -> None:
    """VABSDIFF: of two integers, and c added."""
    a, b, c = (code.plain(code.value(role)) for role in "abc")
    larger, smaller = ("max", "min") if bit(code, 73) else ("maxu", "minu")
    difference = code.new("sub", code.new(larger, a, b), code.new(smaller, a, b))
    code.put("add", code.target(), difference, c)


def absolute_differences(code: Code) -> None:
    """VABSDIFF4: of four bytes; ACC adds them all to c."""
    a, b, c = (code.plain(code.value(role)) for role in "abc")
    found: Operand = c
    for place in range(4):
        x, y = (_extended_byte(code, one, place, bit(code, 73)) for one in (a, b))
        difference = code.new("sub", code.new("max", x, y), code.new("min", x, y))
        if not bit(code, 75):
            difference = code.new("shl", difference, Number(8 * place))
            found = code.new("or", found if place else ZERO, difference)
        else:
            found = code.new("add", found, difference)
    code.put("mov", code.target(), found)


def _extended_byte(code: Code, word: Operand, place: int, sign: bool) -> Operand:
    up = code.new("shl", word, Number(24 - 8 * place)) if place < 3 else word
    return code.new("sra" if sign else "shr", up, Number(24))


def dot(code: Code) -> None:
    """IDP: a dot product of bytes, or of halves and bytes."""
    a, b, found = code.plain(code.value("a")), code.plain(code.value("b")), code.integer("c")
    signs = (bit(code, 73), bit(code, 74))
    if bit(code, 76):
        for place in range(2):
            half = code.new("shl", a, Number(16)) if not place else a
            first = code.new("sra" if signs[0] else "shr", half, Number(16))
            second = _extended_byte(code, b, place + 2 * bit(code, 77), signs[1])
            found = code.new("mad", first, second, found)
        code.put("mov", code.target(), found)
        return
    for place in range(4):
        parts = []
        for word, sign in zip((a, b), signs, strict=True):
            up = code.new("shl", word, Number(24 - 8 * place)) if place < 3 else word
            parts.append(code.new("sra" if sign else "shr", up, Number(24)))
        found = code.new("mad", parts[0], parts[1], found)
    code.put("mov", code.target(), found)


def from_lane(code: Code) -> None:
    """R2UR: the value of the lowest active lane; the predicate says in which lanes it is another one (OR: or held before)."""
    mask, lane = code.mask_temporary(), code.scalar_temporary()
    code.put("ballot", mask, ONE)
    code.add("ctz", lane, mask)
    own = code.integer("a")
    target = code.add("shuffle", code.target(), own, lane)
    place = code.flag("p")
    if place is not None:
        differs = code.new("sne", own, target)
        code.put("or" if bit(code, 84) else "mov", place, differs, *((place,) if bit(code, 84) else ()))
