"""Shifts of general registers, by a number or by a register. Source: Intel SDM, volume 2, "SAL/SAR/SHL/SHR"."""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.avx512.code import Code, Number, Value
from warploom.isa.avx512.operands import Immediate, Register
from warploom.isa.avx512.registers import general
from warploom.isa.avx512.scalar.values import (
    Lower,
    Words,
    bits_of,
    in_place,
    read,
    set_flags,
    write,
)


def shift(name: str) -> Lower:
    """By a number. A count is taken modulo 32, or 64; by cl, see `shift_by_register`."""

    def lower(code: Code) -> None:
        target, count = code.operands[:2]
        bits = bits_of(code, target)
        if isinstance(count, Register):
            shift_by_register(code, name)
            return
        assert isinstance(count, Immediate)
        by = count.value & (63 if bits == 64 else 31)
        words = in_place(code)
        if bits < 32:
            code.refuse("shifts are of 32 and 64 bits alone")
        if by == 0:
            write(code, target, words)
            return
        found, out = shifted(code, name, words, by, bits)
        top = words[-1]

        def overflow() -> Value:
            if name == "shl":
                return code.scalar("xor", code.scalar("shr", found[-1], Number(31)), out())
            return code.scalar("shr", top, Number(31)) if name == "shr" else Number(0)

        set_flags(code, found, out, overflow)
        write(code, target, found)

    return lower


def shifted(code: Code, name: str, words: Words, by: int, bits: int) -> tuple[Words, Callable[[], Value]]:
    """Words shifted by 1 to bits - 1, and what gives the last bit that went out."""
    place = bits - by if name == "shl" else by - 1

    def out() -> Value:
        return code.scalar("and", code.scalar("shr", words[place // 32], Number(place % 32)), Number(1))

    if bits == 32:
        return [code.scalar(name, words[0], Number(by))], out
    low, high = words
    if name == "shl":
        if by >= 32:
            return [Number(0), code.scalar("shl", low, Number(by - 32))], out
        return [code.scalar("shl", low, Number(by)), code.scalar("shrd", high, low, Number(32 - by))], out
    above: Value = code.scalar("sra", high, Number(31)) if name == "sra" else Number(0)
    if by >= 32:
        return [code.scalar(name, high, Number(by - 32)), above], out
    return [code.scalar("shrd", high, low, Number(by)), code.scalar(name, high, Number(by))], out


def shift_by_register(code: Code, name: str) -> None:
    """By a register: cl, which may leave the flags as they are, or the third operand of shlx, shrx and sarx, which always does."""
    target, source, count = code.operands if len(code.operands) == 3 else (code.operands[0], *code.operands)
    bits = bits_of(code, target)
    if code.live and len(code.operands) == 2:
        code.refuse("its flags are read, and a count of 0 keeps those: shift by a number")
    words = read(code, source, bits) if len(code.operands) == 3 else in_place(code)
    assert isinstance(count, Register)
    by = code.scalar("and", general(count.number), Number(bits - 1))
    if bits == 32:
        write(code, target, [code.scalar(name, words[0], by)])
        return
    low, high = words
    far = code.scalar("and", by, Number(32))
    back = code.scalar("sub", code.scalar("mov", Number(0)), by)  # modulo 32
    none = code.scalar("and", by, Number(31))
    if name == "shl":
        crossing = code.scalar("sel", code.scalar("shrd", high, low, back), high, none)
        shifted = code.scalar("shl", low, by)
        found: Words = [code.scalar("sel", Number(0), shifted, far), code.scalar("sel", shifted, crossing, far)]
    else:
        crossing = code.scalar("shrd", high, low, by)
        shifted = code.scalar(name, high, by)
        above = code.scalar("sra", high, Number(31)) if name == "sra" else Number(0)
        found = [code.scalar("sel", shifted, crossing, far), code.scalar("sel", above, shifted, far)]
    write(code, target, found)
