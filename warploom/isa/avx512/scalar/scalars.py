"""Instructions on general registers: once for a warp, whatever its masks say.

A register is a pair of scalar words; an operation on 32 bits clears the upper one. Flags are a word each, and only those that a later
instruction reads are computed. Parts of 8 and 16 bits are moved to the top of a word, so that carry, sign and overflow come out as they
do for
32 bits. Source: Intel SDM, volumes 1 (section 3.4.3) and 2.
"""

from __future__ import annotations

from warploom.isa.avx512.code import Code, Number, Value
from warploom.isa.avx512.operands import Memory, Register
from warploom.isa.avx512.registers import RAX, RDX, RSP, flag, general
from warploom.isa.avx512.scalar.shifts import shifted
from warploom.isa.avx512.scalar.values import (
    ONES,
    Lower,
    Words,
    at_least_nothing,
    at_top,
    bits_of,
    condition,
    in_place,
    moved_down,
    read,
    set_flags,
    total_of,
    write,
)


def arithmetic(subtracts: bool, *, keeps: bool = True, with_carry: bool = False) -> Lower:
    """add, sub, adc, sbb, cmp."""

    def lower(code: Code) -> None:
        target, other = code.operands[:2]
        bits = bits_of(code, target)
        if with_carry and bits < 32:
            code.refuse("carries go into 32 and 64 bits alone")
        a = at_top(code, in_place(code), bits)
        b = at_top(code, read(code, other, bits), bits)
        if subtracts and target == other and isinstance(target, Register):  # whatever it holds
            a = b = [Number(0) for _ in a]
        words, carry, overflow = total_of(code, a, b, subtracts, flag("C") if with_carry else None)
        set_flags(code, words, carry, overflow, 32 - min(bits, 32))
        if keeps:
            write(code, target, moved_down(code, words, bits))
        at_least_nothing(code)

    return lower


def logic(name: str, *, keeps: bool = True) -> Lower:
    """and, or, xor, test."""

    def lower(code: Code) -> None:
        target, other = code.operands[:2]
        bits = bits_of(code, target)
        if name == "xor" and target == other and isinstance(target, Register):
            zeros: Words = [Number(0) for _ in range(bits // 32 or 1)]
            words = list(zeros)
            if code.live:
                words = [code.scalar("mov", word) for word in zeros]
        else:
            a = at_top(code, in_place(code), bits)
            b = at_top(code, read(code, other, bits), bits)
            words = [code.scalar(name, x, y) for x, y in zip(a, b, strict=True)]
        set_flags(code, words, down=32 - min(bits, 32))
        if keeps:
            write(code, target, moved_down(code, words, bits))
        at_least_nothing(code)

    return lower


def step(subtracts: bool) -> Lower:
    """inc, dec: the carry stays."""

    def lower(code: Code) -> None:
        bits = bits_of(code, code.operands[0])
        a = at_top(code, in_place(code), bits)
        one: Words = [Number(1 << 32 - min(bits, 32)), Number(0)]
        one = one[: len(a)]
        words, _, overflow = total_of(code, a, one, subtracts, None)
        code.live = code.live.replace("C", "")
        set_flags(code, words, None, overflow, 32 - min(bits, 32))
        write(code, code.operands[0], moved_down(code, words, bits))

    return lower


def negate(code: Code) -> None:
    """neg: 0 - a."""
    bits = bits_of(code, code.operands[0])
    a = at_top(code, in_place(code), bits)
    zeros: Words = [code.scalar("mov", Number(0)) for _ in a]
    words, carry, overflow = total_of(code, zeros, a, True, None)
    set_flags(code, words, carry, overflow, 32 - min(bits, 32))
    write(code, code.operands[0], moved_down(code, words, bits))


def invert(code: Code) -> None:
    """not."""
    words: Words = [code.scalar("xor", word, Number(ONES)) for word in in_place(code)]
    write(code, code.operands[0], words)


def and_not(code: Code) -> None:
    """andn: ~b & c."""
    a, b = (read(code, operand, code.bits) for operand in code.operands[1:])
    words: Words = [code.scalar("and", code.scalar("xor", x, Number(ONES)), y) for x, y in zip(a, b, strict=True)]
    if "P" in code.live:  # undefined, and 0 on the processor of the recorded runs
        code.add("mov", flag("P"), Number(0))
        code.live = code.live.replace("P", "")
    set_flags(code, words)
    write(code, code.operands[0], words)


def multiply(code: Code) -> None:
    """imul of two operands, or of one and a number; CF and OF say that the product does not fit."""
    sources = code.operands[1:] if len(code.operands) == 3 else code.operands
    a, b = (read(code, operand, code.bits) for operand in sources)
    if code.bits == 32:
        low: Words = [code.scalar("mul", a[0], b[0])]

        def lost() -> Value:
            return code.scalar("sne", code.scalar("mulh", a[0], b[0]), code.scalar("sra", low[0], Number(31)))
    else:
        cross = code.scalar("add", code.scalar("mul", a[0], b[1]), code.scalar("mul", a[1], b[0]))
        low = [code.scalar("mul", a[0], b[0]), code.scalar("add", code.scalar("mulhu", a[0], b[0]), cross)]

        def lost() -> Value:
            code.refuse("the carry of a product of 64 bits is read, which is not there")
            return Number(0)

    set_flags(code, low, lost, lost)
    write(code, code.operands[0], low)


def move(code: Code) -> None:
    """mov."""
    target, source = code.operands
    write(code, target, read(code, source, bits_of(code, target)))


def extend(signed: bool) -> Lower:
    """movzx, movsx, movsxd."""

    def lower(code: Code) -> None:
        target, source = code.operands
        words = read(code, source, bits_of(code, source), signed)
        if code.bits == 64:
            words.append(code.scalar("sra", words[0], Number(31)) if signed else Number(0))
        write(code, target, words)

    return lower


def load_address(code: Code) -> None:
    """lea: the address as a number; here of 32 bits, of which memory has no more, and the carry into those above."""
    memory = code.operands[1]
    assert isinstance(memory, Memory)
    displacement = memory.displacement
    total: Words = [Number(displacement & ONES), Number(displacement >> 32 & ONES)]
    total = total[: code.bits // 32]
    for number, scale in ((memory.base, 1), (memory.indexed, memory.scale)):
        if number < 0:
            continue
        words: Words = [general(number, word) for word in range(code.bits // 32)]
        if scale > 1:
            words = shifted(code, "shl", words, scale.bit_length() - 1, code.bits)[0]
        if all(isinstance(word, Number) and word.value == 0 for word in total):
            total = words
        else:
            total = total_of(code, words, total, False, None)[0]
    write(code, code.operands[0], total)


def count_bits(name: str, flags: str) -> Lower:
    """popcnt, tzcnt, lzcnt; bsf and bsr, which keep their destination where there is no bit."""

    def lower(code: Code) -> None:
        words = read(code, code.operands[1], code.bits)
        keeps, micro = name in ("bsf", "bsr"), {"bsf": "ctz", "bsr": "clz"}.get(name, name)
        counts = [code.scalar(micro, word) for word in words]
        any_bit: Value = words[0] if len(words) == 1 else code.scalar("or", words[0], words[1])
        found: Value = counts[0]
        if len(words) == 2:
            first, second = (0, 1) if micro == "ctz" else (1, 0)
            if micro == "popc":
                found = code.scalar("add", counts[0], counts[1])
            else:
                beyond = code.scalar("add", counts[second], Number(32))
                found = code.scalar("sel", counts[first], beyond, words[first])
        if name == "bsr":
            found = code.scalar("sub", Number(code.bits - 1), found)
        if "C" in code.live:
            code.add("seq", flag("C"), any_bit, Number(0) if flags == "CZ" else any_bit)
            if flags != "CZ":
                code.add("mov", flag("C"), Number(0))
        if "Z" in code.live:
            code.add("seq", flag("Z"), found if name in ("ctz", "clz") else any_bit, Number(0))
        for letter in "PSO":
            if letter in code.live:
                code.add("mov", flag(letter), Number(0))
        result: Words = [found, Number(0)][: len(words)]
        if keeps:
            target = code.register(0).number
            result = [code.scalar("sel", word, general(target, number), any_bit) for number, word in enumerate(result)]
        write(code, code.operands[0], result)

    return lower


def set_byte(number: int) -> Lower:
    """setcc: 1 where a condition holds, a number of CONDITIONS."""

    def lower(code: Code) -> None:
        holds = code.scalar("seq" if number & 1 else "sne", condition(code, number), Number(0))
        write(code, code.operands[0], [holds])

    return lower


def choose(number: int) -> Lower:
    """cmovcc: a move where a condition holds, a number of CONDITIONS."""

    def lower(code: Code) -> None:
        target = code.register(0).number
        words = read(code, code.operands[1], code.bits)
        holds = condition(code, number)
        found: Words = []
        for word, new in enumerate(words):
            old = general(target, word)
            found.append(code.scalar("sel", old if number & 1 else new, new if number & 1 else old, holds))
        write(code, code.operands[0], found)

    return lower


def sign_into_rdx(code: Code) -> None:
    """cdq, cqo."""
    sign = code.scalar("sra", general(RAX, 1 if code.bits == 64 else 0), Number(31))
    write(code, Register("r64" if code.bits == 64 else "r32", RDX), [sign] * (code.bits // 32))


def widen_rax(code: Code) -> None:
    """cdqe: eax with its sign."""
    code.add("sra", general(RAX, 1), general(RAX), Number(31))


def push(code: Code, words: Words) -> None:
    """Eight bytes on the stack."""
    code.add("sub", general(RSP), general(RSP), Number(8))
    for number, word in enumerate(words):
        source = code.scalar("mov", word) if isinstance(word, Number) else word
        code.add("store_scalar", a=general(RSP), b=source, imm=4 * number)


def push_operand(code: Code) -> None:
    """push."""
    words = read(code, code.operands[0], 64)
    if isinstance(code.operands[0], Register) and code.operands[0].number == RSP:
        words = [code.scalar("mov", word) for word in words]
    push(code, words)


def pop_operand(code: Code) -> None:
    """pop."""
    words: Words = [code.add("load_scalar", code.scalar_temporary(), general(RSP), imm=4 * number) for number in range(2)]
    code.add("add", general(RSP), general(RSP), Number(8))
    write(code, code.operands[0], words)


def exchange(code: Code) -> None:
    """xchg."""
    bits = bits_of(code, code.operands[0])
    if any(isinstance(operand, Memory) for operand in code.operands):
        code.refuse("it exchanges registers alone")
    one, other = ([code.scalar("mov", word) for word in read(code, operand, bits)] for operand in code.operands)
    write(code, code.operands[0], list(other))
    write(code, code.operands[1], list(one))


def nothing(code: Code) -> None:
    """nop, and what has no effect here."""
    code.add("nop")
