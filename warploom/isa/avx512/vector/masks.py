"""Opmask instructions: eight registers k0 to k7 of 64 bits, of which a warp of 16 lanes uses 16.

In hardware a register file of its own, beside the general registers and the vectors: masks move to both, and a comparison writes one.
Source:
Intel SDM, volume 2, "KADDW" to "KXORW"; AVX-512F has the forms for 16 bits (w), DQ those for 8 (b), BW those for 32 and 64 (d, q).
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.avx512.code import Code, Number
from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.operands import Memory, Register
from warploom.isa.avx512.registers import flag, general, mask

Lower = Callable[[Code], None]
BITS = {"b": 8, "w": 16, "d": 32, "q": 64}
_FORMS = {"b": "66.0F.W0", "w": "0F.W0", "d": "66.0F.W1", "q": "0F.W1"}  # of most; kmov has others


def _keep(bits: int, word: int) -> int:
    """The bits of a word that a mask of so many bits has."""
    return (1 << max(0, min(bits - 32 * word, 32))) - 1


def _logic(name: str, bits: int, *, invert_first: bool = False, invert: bool = False) -> Lower:
    def lower(code: Code) -> None:
        target, one, other = (code.register(place).number for place in range(3))
        for word in range(2):
            keep = Number(_keep(bits, word))
            a, b = mask(one, word), mask(other, word)
            if keep.value == 0:
                code.add("mov", mask(target, word), Number(0))
                continue
            if invert_first:
                a = code.scalar("xor", a, Number(0xFFFFFFFF))
            found = code.scalar(name, a, b)
            if invert:
                found = code.scalar("xor", found, Number(0xFFFFFFFF))
            code.add("and", mask(target, word), found, keep)

    return lower


def _not(bits: int) -> Lower:
    def lower(code: Code) -> None:
        target, one = code.register(0).number, code.register(1).number
        for word in range(2):
            found = code.scalar("xor", mask(one, word), Number(0xFFFFFFFF))
            code.add("and", mask(target, word), found, Number(_keep(bits, word)))

    return lower


def _shift(left: bool, bits: int) -> Lower:
    def lower(code: Code) -> None:
        target, one, by = code.register(0).number, code.register(1).number, code.immediate(2)
        if by >= bits:
            code.add("mov", mask(target), Number(0))
        else:
            found = code.scalar("and", mask(one), Number(_keep(bits, 0)))
            found = code.scalar("shl" if left else "shr", found, Number(by))
            code.add("and", mask(target), found, Number(_keep(bits, 0)))
        code.add("mov", mask(target, 1), Number(0))

    return lower


def _unpack(code: Code) -> None:
    """kunpckbw: the low bytes of two masks side by side."""
    target, one, other = (code.register(place).number for place in range(3))
    high = code.scalar("shl", code.scalar("and", mask(one), Number(0xFF)), Number(8))
    low = code.scalar("and", mask(other), Number(0xFF))
    code.add("or", mask(target), high, low)
    code.add("mov", mask(target, 1), Number(0))


def _test(name: str, bits: int, and_not: bool) -> Lower:
    """kortest: ZF where no bit of a | b is set, CF where all are. ktest: ZF where no bit of a & b is, CF where none of ~a & b is."""

    def lower(code: Code) -> None:
        one, other = code.register(0).number, code.register(1).number
        none: list[int] = []
        full: list[int] = []
        for word in range(2 if bits == 64 else 1):
            keep = Number(_keep(bits, word))
            a, b = mask(one, word), mask(other, word)
            if "Z" in code.live:
                found = code.scalar(name, a, b) if one != other else a
                none.append(code.scalar("and", found, keep) if bits < 32 else found)
            if "C" in code.live:
                found = code.scalar("xor", a, Number(0xFFFFFFFF)) if and_not else code.scalar(name, a, b)
                found = code.scalar("and", found, b) if and_not else code.scalar("xor", found, Number(0xFFFFFFFF))
                full.append(code.scalar("and", found, keep))
        for letter, found_words in (("Z", none), ("C", full)):
            if found_words:
                both = found_words[0] if len(found_words) == 1 else code.scalar("or", *found_words)
                code.add("seq", flag(letter), both, Number(0))
        for letter in "PSO":
            if letter in code.live:
                code.add("mov", flag(letter), Number(0))
        if not code.halves[-1]:
            code.add("nop")

    return lower


def _move(bits: int) -> Lower:
    """kmov: between masks, general registers and memory."""

    def lower(code: Code) -> None:
        target, source = code.operands
        if isinstance(target, Memory):
            assert isinstance(source, Register)
            address, offset = code.address(target)
            for word in range(2 if bits == 64 else 1):
                code.add("store_scalar", a=address, b=mask(source.number, word), imm=offset + 4 * word, size=min(bits // 8, 4))
            return
        for word in range(2):
            into = (mask if target.kind == "k" else general)(target.number, word)  # type: ignore[union-attr]
            keep = _keep(bits, word)
            if keep == 0:
                code.add("mov", into, Number(0))
            elif isinstance(source, Memory):
                address, offset = code.address(source)
                code.add("load_scalar", into, address, imm=offset + 4 * word, size=min(bits // 8, 4))
            else:
                assert isinstance(source, Register)
                found = (mask if source.kind == "k" else general)(source.number, word)
                code.add("mov" if keep == 0xFFFFFFFF else "and", into, found, *(() if keep == 0xFFFFFFFF else (Number(keep),)))

    return lower


def _rows() -> list[Row]:
    rows = []
    for suffix, bits in BITS.items():
        form = _FORMS[suffix]

        def three(name: str, opcode: str, lower: Lower, meaning: str, suffix: str = suffix, form: str = form) -> Row:
            return Row(name + suffix, f"VEX.L1.{form} {opcode}", "kr kv km", lower, meaning)

        rows += [
            three("kand", "41", _logic("and", bits), "k1 = k2 & k3"),
            three("kandn", "42", _logic("and", bits, invert_first=True), "k1 = ~k2 & k3"),
            three("kor", "45", _logic("or", bits), "k1 = k2 | k3"),
            three("kxnor", "46", _logic("xor", bits, invert=True), "k1 = ~(k2 ^ k3)"),
            three("kxor", "47", _logic("xor", bits), "k1 = k2 ^ k3"),
            Row("knot" + suffix, f"VEX.L0.{form} 44", "kr km", _not(bits), "k1 = ~k2"),
            Row(
                "kortest" + suffix,
                f"VEX.L0.{form} 98",
                "kr km",
                _test("or", bits, False),
                "ZF = 1 where k1 | k2 has no bit set, CF = 1 where it has all",
                writes="CPZSO",
            ),
            Row(
                "ktest" + suffix,
                f"VEX.L0.{form} 99",
                "kr km",
                _test("and", bits, True),
                "ZF = 1 where k1 & k2 has no bit set, CF = 1 where ~k1 & k2 has none",
                writes="CPZSO",
            ),
        ]
        moved, general_form, word = {
            "b": ("66.0F.W0", "66.0F.W0", "32"),
            "w": ("0F.W0", "0F.W0", "32"),
            "d": ("66.0F.W1", "F2.0F.W0", "32"),
            "q": ("0F.W1", "F2.0F.W1", "64"),
        }[suffix]
        rows += [
            Row("kmov" + suffix, f"VEX.L0.{moved} 90", "kr kmm", _move(bits), "k1 = a mask or memory"),
            Row("kmov" + suffix, f"VEX.L0.{moved} 91", "kmm kr", _move(bits), "memory = k1"),
            Row("kmov" + suffix, f"VEX.L0.{general_form} 92", f"kr g{word}", _move(bits), "k1 = low bits of a general register"),
            Row("kmov" + suffix, f"VEX.L0.{general_form} 93", f"r{word} km", _move(bits), "general register = k1, zeros above"),
        ]
        if suffix in "bwd":
            third, w = ("31", "W0") if suffix == "d" else ("30", "W0" if suffix == "b" else "W1")
            left = {"30": "32", "31": "33"}[third]
            rows += [
                Row("kshiftr" + suffix, f"VEX.L0.66.0F3A.{w} {third}", "kr km ib", _shift(False, bits), "k1 = k2 >> imm8"),
                Row("kshiftl" + suffix, f"VEX.L0.66.0F3A.{w} {left}", "kr km ib", _shift(True, bits), "k1 = k2 << imm8"),
            ]
    rows.append(Row("kunpckbw", "VEX.L1.66.0F.W0 4B", "kr kv km", _unpack, "k1 = low byte of k2 above that of k3"))
    return rows


ROWS = tuple(_rows())
