"""The scalar unit's operations on single bits: counts, first and last ones, signs of parts, quads of lanes.

In hardware: beside the adder of the scalar unit, trees of the depth of the logarithm of 64. What looks at four neighbouring bits is for
graphics, where four lanes are four neighbouring pixels.

Source: AMD "Vega" Instruction Set Architecture, section 12.3.
"""

from __future__ import annotations

from warploom.isa.gcn.code import ONES, Code, Number, Value
from warploom.isa.gcn.scalar.scalar_alu import Lower, Words, not_zero, words_of


def quads(code: Code) -> None:
    """wqm: where one of four neighbouring bits is set, all four."""
    (words,) = words_of(code)
    found: Words = []
    for word in words:
        found.append(code.scalar("mul", _some_of_four(code, word), Number(15)))
    code.put_scalar(*found)
    not_zero(code, found)


def reverse_bits(code: Code) -> None:
    """All bits in reverse."""
    (words,) = words_of(code)
    code.put_scalar(*[code.scalar("brev", word) for word in reversed(words)])


def count(zeros: bool) -> Lower:
    """How many ones or zeros there are."""

    def lower(code: Code) -> None:
        (words,) = words_of(code)
        counts = [code.scalar("popc", code.scalar("xor", word, Number(ONES)) if zeros else word) for word in words]
        total = counts[0] if len(counts) == 1 else code.scalar("add", *counts)
        code.put_scalar(total)
        not_zero(code, [total])

    return lower


def first_one(code: Code, words: Words) -> int:
    """The number of the lowest bit that is set; -1 where none is."""
    low = code.scalar("ctz", words[0])
    if len(words) == 2:
        low = code.scalar("sel", low, code.scalar("add", code.scalar("ctz", words[1]), Number(32)), words[0])
    return code.scalar("sel", low, Number(ONES), words[0] if len(words) == 1 else code.scalar("or", *words))


def find_first(zeros: bool) -> Lower:
    """The number of the lowest one or zero."""

    def lower(code: Code) -> None:
        (words,) = words_of(code)
        code.put_scalar(first_one(code, [code.scalar("xor", word, Number(ONES)) for word in words] if zeros else words))

    return lower


def leading(signed: bool) -> Lower:
    """Zeros before the highest one; -1 where there is none. signed: bits that are the sign's before the highest one that is not."""

    def lower(code: Code) -> None:
        (words,) = words_of(code)
        if signed:
            sign = code.scalar("sra", words[-1], Number(31))
            words = [code.scalar("xor", word, sign) for word in words]
        high = code.scalar("clz", words[-1])
        if len(words) == 2:
            high = code.scalar("sel", high, code.scalar("add", code.scalar("clz", words[0]), Number(32)), words[1])
        any_one = words[0] if len(words) == 1 else code.scalar("or", *words)
        code.put_scalar(code.scalar("sel", high, Number(ONES), any_one))

    return lower


def extend(bits: int) -> Lower:
    """The low bits of a word with their sign."""

    def lower(code: Code) -> None:
        ((word,),) = words_of(code)
        code.put_scalar(code.scalar("sra", code.scalar("shl", word, Number(32 - bits)), Number(32 - bits)))

    return lower


def set_bit(to: int) -> Lower:
    """Set or clear one bit."""

    def lower(code: Code) -> None:
        ((which,),) = words_of(code)
        bit: Value = code.scalar("shl", Number(1), which)
        bits = [bit]
        if code.word("d") == "d2":
            upper = code.scalar("and", which, Number(32))
            bits = [code.scalar("sel", Number(0), bit, upper), code.scalar("sel", bit, Number(0), upper)]
        for part, one in enumerate(bits):
            mask = one if to else code.scalar("xor", one, Number(ONES))
            code.add("or" if to else "and", code.target(part), code.target(part), mask)

    return lower


def _some_of_four(code: Code, word: Value) -> int:
    """The lowest of each four neighbouring bits, where one of them is set."""
    two = code.scalar("or", word, code.scalar("shr", word, Number(1)))
    return code.scalar("and", code.scalar("or", two, code.scalar("shr", two, Number(2))), Number(0x11111111))


def quad_mask(code: Code) -> None:
    """A bit for each four neighbouring ones, set where one of them is."""
    (words,) = words_of(code)
    parts = []
    for word in words:
        bits = _some_of_four(code, word)
        for by, mask in ((3, 0x03030303), (6, 0x000F000F), (12, 0xFF)):
            bits = code.scalar("and", code.scalar("or", bits, code.scalar("shr", bits, Number(by))), Number(mask))
        parts.append(bits)
    result = parts[0] if len(parts) == 1 else code.scalar("or", parts[0], code.scalar("shl", parts[1], Number(8)))
    code.put_scalar(result, *[Number(0)] * (len(parts) - 1))
    not_zero(code, [result])


def replicate(code: Code) -> None:
    """Each bit of a word twice."""
    ((word,),) = words_of(code)
    other = code.scalar_temporary()
    found: Words = []
    for half in range(2):
        bits = code.scalar("and", code.scalar("shr", word, Number(16 * half)), Number(0xFFFF))
        for by, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
            code.add("shl", other, bits, Number(by))
            code.add("or", bits, bits, other)
            code.add("and", bits, bits, Number(mask))
        code.add("shl", other, bits, Number(1))
        code.add("or", bits, bits, other)
        found.append(bits)
    code.put_scalar(*found)
