"""The scalar unit's arithmetic: SOP2, SOP1, SOPC, SOPK.

In hardware: one unit a compute unit, shared by its waves, with 32-bit registers of which every wave has about a hundred. It computes what
is the same in all lanes, and the masks; it runs whether any lane is active or not. SCC is the one bit of its status that a branch can ask
for: a carry, an overflow, a comparison, or `the result is not 0`.

Source: AMD "Vega" Instruction Set Architecture, sections 5.2 to 5.6 and chapter 12.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import ONES, SIGN, Code, Number, Value
from warploom.isa.gcn.registers import EXEC, KEPT, SCC, is_constant
from warploom.isa.uop import scalar

Lower = Callable[[Code], None]
Words = list[Value]


def words_of(code: Code) -> list[Words]:
    """The sources, each as its words. A constant that is a float has as many bits as the operand."""
    found = []
    for word in code.row.words:
        if word[0] in "abc" and (place := code.row.place(word, code.written.kind)) is not None:
            operand = code.written.code(word)
            wide_float = place.count == 2 and is_constant(operand)
            found.append([code.of_code(operand, part, wide_float) for part in range(place.count)])
    return found


def not_zero(code: Code, words: Words) -> None:
    """SCC = the result is not 0."""
    value = words[0] if len(words) == 1 else code.scalar("or", words[0], words[1])
    code.add("sne", SCC, value, Number(0))


def simple(name: str, sets: bool = False, invert_second: bool = False, invert: bool = False, invert_first: bool = False) -> Lower:
    """A micro-op a word. sets: SCC says whether the result is 0."""

    def lower(code: Code) -> None:
        sources = words_of(code)
        found: Words = []
        for part in range(len(sources[0])):
            a, *rest = (source[part] for source in sources)
            if invert_first:
                a = code.scalar("xor", a, Number(ONES))
            if invert_second:
                rest = [code.scalar("xor", rest[0], Number(ONES))]
            word: Value = a if name == "mov" else code.scalar(name, a, *rest)
            found.append(code.scalar("xor", word, Number(ONES)) if invert else word)
        if name == "mov" and len(found) == 2:  # the words of a pair do not overlap with the result's, unless it is the same pair
            found = [code.scalar("mov", word) for word in found]
        code.put_scalar(*found)
        if sets:
            not_zero(code, found)

    return lower


def add(subtracts: bool, with_carry: bool = False, signed: bool = False) -> Lower:
    """a + b or a - b, with SCC going in (with_carry); SCC = carry, or overflow (signed)."""

    def lower(code: Code) -> None:
        (a,), (b,) = words_of(code)
        carry: Value = SCC if with_carry else Number(0)
        result = code.scalar("sub" if subtracts else "add", a, b)
        if with_carry:
            result = code.scalar("sub" if subtracts else "add", result, carry)
        if signed:
            code.add("mov", SCC, overflow(code, a, b, result, subtracts))
        else:
            code.add("borrow" if subtracts else "carry", SCC, a, b, carry)
        code.put_scalar(result)

    return lower


def overflow(code: Code, a: Value, b: Value, result: Value, subtracts: bool) -> int:
    """1 where a + b or a - b is not what a signed word can hold."""
    differs = code.scalar("xor", a, b)
    if not subtracts:
        differs = code.scalar("xor", differs, Number(ONES))
    return code.scalar("shr", code.scalar("and", differs, code.scalar("xor", a, result)), Number(31))


def choose(name: str, below: str, swapped: bool) -> Lower:
    """min and max: SCC = the first source was chosen."""

    def lower(code: Code) -> None:
        (a,), (b,) = words_of(code)
        result = code.scalar(name, a, b)
        code.add(below, SCC, *((b, a) if swapped else (a, b)))
        code.put_scalar(result)

    return lower


def select(code: Code) -> None:
    """SCC chooses."""
    first, second = words_of(code)
    code.put_scalar(*[code.scalar("sel", a, b, SCC) for a, b in zip(first, second, strict=True)])


def conditional_move(code: Code) -> None:
    """A move where SCC is set."""
    (words,) = words_of(code)
    code.put_scalar(*[code.scalar("sel", word, code.target(part), SCC) for part, word in enumerate(words)])


def shifted(code: Code, words: Words, by: Value, kind: str) -> Words:
    """64 bits shifted by the low six of a word. kind: shl, shr or sra."""
    low, high = words
    crosses = code.scalar("and", by, Number(32))
    if kind == "shl":
        over = code.scalar("shr", code.scalar("shr", low, Number(1)), code.scalar("xor", by, Number(31)))
        upper: Value = code.scalar("or", code.scalar("shl", high, by), over)
        lower = code.scalar("shl", low, by)
        return [code.scalar("sel", Number(0), lower, crosses), code.scalar("sel", lower, upper, crosses)]
    lower = code.scalar("shrd", high, low, by)
    upper = code.scalar(kind, high, by)
    rest: Value = code.scalar("sra", high, Number(31)) if kind == "sra" else Number(0)
    return [code.scalar("sel", upper, lower, crosses), code.scalar("sel", rest, upper, crosses)]


def shift(kind: str) -> Lower:
    """A shift of one word or two."""

    def lower(code: Code) -> None:
        words, (by,) = words_of(code)
        found: Words = [code.scalar(kind, words[0], by)] if len(words) == 1 else shifted(code, words, by, kind)
        code.put_scalar(*found)
        not_zero(code, found)

    return lower


def bit_field_mask(code: Code) -> None:
    """a ones from bit b on."""
    (width,), (first,) = words_of(code)
    wide = len(code.row.words) and code.row.words[0] == "d2"
    if wide:
        ones = _ones64(code, code.scalar("and", width, Number(63)))
        code.put_scalar(*shifted(code, ones, first, "shl"))
        return
    ones32 = code.scalar("sub", code.scalar("shl", Number(1), width), Number(1))
    code.put_scalar(code.scalar("shl", ones32, first))


def _ones64(code: Code, count: Value) -> Words:
    """So many ones, 0 to 63, from the lowest bit on."""
    one: Words = [Number(1), Number(0)]
    low, high = shifted(code, one, count, "shl")
    borrow = code.scalar("seq", low, Number(0))
    return [code.scalar("sub", low, Number(1)), code.scalar("sub", high, borrow)]


def bit_field(signed: bool) -> Lower:
    """The bits of a from number b[4:0] (b[5:0]) on, b[22:16] of them."""

    def lower(code: Code) -> None:
        words, (how,) = words_of(code)
        count = code.add("and", KEPT + 4, code.scalar("shr", how, Number(16)), Number(127))  # temporaries come round again
        if len(words) == 1:
            found: Words = [field32(code.scalar, words[0], code.scalar("and", how, Number(31)), count, signed)]
        else:
            moved = shifted(code, words, code.scalar("and", how, Number(63)), "sra" if signed else "shr")
            moved = [code.add("mov", KEPT + part, word) for part, word in enumerate(moved)]
            back = code.add("sub", KEPT + 5, Number(64), code.scalar("minu", count, Number(64)))
            up = shifted(code, moved, back, "shl")
            up = [code.add("mov", KEPT + 2 + part, word) for part, word in enumerate(up)]
            cut = shifted(code, up, back, "sra" if signed else "shr")
            found = [code.scalar("sel", word, Number(0), count) for word in cut]
        code.put_scalar(*found)
        not_zero(code, found)

    return lower


def field32(make: Callable[..., int], word: Value, first: Value, count: Value, signed: bool) -> int:
    """`count` bits of a word from bit `first` on; none of 0, all that there are of more than 31. make: adds a micro-op."""
    low = make("sra" if signed else "shr", word, first)
    back = make("sub", Number(32), make("minu", count, Number(32)))
    cut = make("sra" if signed else "shr", make("shl", low, back), back)
    return make("sel", cut, Number(0), count)


def absolute_difference(code: Code) -> None:
    """|a - b|."""
    (a,), (b,) = words_of(code)
    result = code.scalar("sub", code.scalar("max", a, b), code.scalar("min", a, b))
    code.put_scalar(result)
    not_zero(code, [result])


def shift_add(by: int) -> Lower:
    """(a << by) + b; SCC: it has more than 32 bits."""

    def lower(code: Code) -> None:
        (a,), (b,) = words_of(code)
        up = code.scalar("shl", a, Number(by))
        lost = code.scalar("shr", a, Number(32 - by))
        over = code.scalar("or", lost, code.scalar("carry", up, b, Number(0)))
        result = code.scalar("add", up, b)
        code.add("sne", SCC, over, Number(0))
        code.put_scalar(result)

    return lower


def pack(high_of_a: bool, high_of_b: bool) -> Lower:
    """Two halves side by side."""

    def lower(code: Code) -> None:
        (a,), (b,) = words_of(code)
        low = code.scalar("shr", a, Number(16)) if high_of_a else code.scalar("and", a, Number(0xFFFF))
        high = code.scalar("and", b, Number(0xFFFF0000)) if high_of_b else code.scalar("shl", b, Number(16))
        code.put_scalar(code.scalar("or", low, high))

    return lower


def absolute(code: Code) -> None:
    """|a|; of -2^31 itself."""
    ((word,),) = words_of(code)
    result = code.scalar("max", word, code.scalar("sub", Number(0), word))
    result = code.scalar("sel", Number(SIGN), result, code.scalar("seq", word, Number(SIGN)))
    code.put_scalar(result)
    not_zero(code, [result])


def save_exec(name: str, invert_source: bool = False, invert_exec: bool = False, invert: bool = False, keeps: bool = True) -> Lower:
    """d = EXEC; EXEC = a op EXEC. keeps False: d is the new mask too."""

    def lower(code: Code) -> None:
        (words,) = words_of(code)
        old: Words = [scalar(EXEC), scalar(EXEC + 1)]
        found: Words = []
        for word, mask in zip(words, old, strict=True):
            a = code.scalar("xor", word, Number(ONES)) if invert_source else word
            b = code.scalar("xor", mask, Number(ONES)) if invert_exec else mask
            one = code.scalar(name, a, b)
            found.append(code.scalar("xor", one, Number(ONES)) if invert else one)
        code.put_scalar(*(old if keeps else found))
        for part, word in enumerate(found):
            code.add("mov", scalar(EXEC + part), word)
        not_zero(code, found)

    return lower


def compare(name: str, swapped: bool = False, negated: bool = False, constant: bool = False, signed: bool = True) -> Lower:
    """SCC = a comparison. constant: with a number of 16 bits."""

    def lower(code: Code) -> None:
        if constant:
            number = code.field("simm16")
            a, b = code.target(), Number(number - (number >> 15 << 16) if signed else number)
            first: Value = a
            second: Value = b
        else:
            (first,), (second,) = words_of(code)
        if negated:
            code.add("xor", SCC, code.scalar(name, *((second, first) if swapped else (first, second))), Number(1))
        else:
            code.add(name, SCC, *((second, first) if swapped else (first, second)))

    return lower


def compare_wide(name: str) -> Lower:
    """A comparison of 64 bits."""

    def lower(code: Code) -> None:
        first, second = words_of(code)
        differs = [code.scalar("xor", a, b) for a, b in zip(first, second, strict=True)]
        code.add(name, SCC, code.scalar("or", *differs), Number(0))

    return lower


def bit_compare(wanted: int) -> Lower:
    """SCC = a bit is as wanted."""

    def lower(code: Code) -> None:
        words, (which,) = words_of(code)
        word = words[0] if len(words) == 1 else code.scalar("sel", words[1], words[0], code.scalar("and", which, Number(32)))
        bit = code.scalar("and", code.scalar("shr", word, which), Number(1))
        code.add("seq", SCC, bit, Number(wanted))

    return lower


def with_number(name: str, sets_overflow: bool = False) -> Lower:
    """d = d op a number of 16 bits with sign; mov: just the number."""

    def lower(code: Code) -> None:
        number = code.field("simm16")
        b = Number((number - (number >> 15 << 16)) & ONES)
        if name == "mov":
            code.put_scalar(b)
            return
        if name == "sel":
            code.put_scalar(code.scalar("sel", b, code.target(), SCC))
            return
        result = code.scalar(name, code.target(), b)
        if sets_overflow:
            code.add("mov", SCC, overflow(code, code.target(), b, result, False))
        code.put_scalar(result)

    return lower
