"""Values of general registers, memory and numbers as words of 32 bits, sums of them, and the flags of a result."""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.avx512.code import Code, Number, Value
from warploom.isa.avx512.operands import Immediate, Memory, Operand, Register
from warploom.isa.avx512.registers import KEPT, flag, general
from warploom.isa.uop import SIGNED

Lower = Callable[[Code], None]
Words = list[Value]  # one of 32 bits or fewer, two of 64
Total = tuple[list[Value], Callable[[], Value], Callable[[], Value]]  # a sum, and what gives its carry and its overflow
ONES = 0xFFFFFFFF
ALL = "CPZSO"
CONDITIONS = ("o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g")
_CONDITION_FLAGS = ("O", "C", "Z", "CZ", "S", "P", "SO", "ZSO")


def condition_flags(number: int) -> str:
    """The flags that a condition, a number of CONDITIONS, looks at."""
    return _CONDITION_FLAGS[number >> 1]


def condition(code: Code, number: int) -> int:
    """The scalar register that is not zero where an even condition holds, or where an odd one does not."""
    kind = number >> 1
    if kind in (6, 7):
        found = code.scalar("xor", flag("S"), flag("O"))
        return found if kind == 6 else code.scalar("or", found, flag("Z"))
    return code.scalar("or", flag("C"), flag("Z")) if kind == 3 else flag(_CONDITION_FLAGS[kind])


def bits_of(code: Code, operand: Operand) -> int:
    """Bits of an operand; of a number, those of the instruction."""
    if isinstance(operand, Register):
        return {"r64": 64, "r32": 32, "r16": 16, "r8": 8, "high": 8}[operand.kind]
    return operand.size if isinstance(operand, Memory) and operand.size else code.bits


def read(code: Code, operand: Operand, bits: int, signed: bool = False) -> Words:
    """The value of an operand of so many bits: zeros, or the sign, above those of a part of a word."""
    if isinstance(operand, Immediate):
        words: Words = [Number(operand.value & ONES), Number(operand.value >> 32 & ONES)]
        return words[: 2 if bits == 64 else 1]
    if isinstance(operand, Memory):
        address, offset = code.address(operand)
        extends = SIGNED if signed and bits < 32 else 0
        first: Value = code.scalar("load_scalar", address, imm=offset, size=min(bits, 32) // 8, flags=extends)
        if bits < 64:
            return [first]
        return [first, code.scalar("load_scalar", address, imm=offset + 4)]
    if operand.kind == "r64":
        return [general(operand.number), general(operand.number, 1)]
    if operand.kind == "r32":
        return [general(operand.number)]
    source = general(operand.number - 4 if operand.kind == "high" else operand.number)
    size = 16 if operand.kind == "r16" else 8
    top = code.scalar("shl", source, Number(32 - size - (8 if operand.kind == "high" else 0)))
    return [code.scalar("sra" if signed else "shr", top, Number(32 - size))]


def write(code: Code, operand: Operand, words: Words) -> None:
    """Write an operand: of 32 bits, with zeros above; of a part, the rest stays."""
    if isinstance(operand, Memory):
        address, offset = code.address(operand)
        sources = [code.scalar("mov", word) if isinstance(word, Number) else word for word in words]
        for number, word in enumerate(sources):
            code.add("store_scalar", a=address, b=word, imm=offset + 4 * number, size=min(operand.size or code.bits, 32) // 8)
        return
    assert isinstance(operand, Register)
    if operand.kind in ("r64", "r32"):
        code.add("mov", general(operand.number), words[0])
        code.add("mov", general(operand.number, 1), words[1] if len(words) > 1 else Number(0))
        return
    shift = 8 if operand.kind == "high" else 0
    target = general(operand.number - 4 if shift else operand.number)
    keep = (0xFFFF if operand.kind == "r16" else 0xFF) << shift
    part = code.scalar("shl", words[0], Number(shift)) if shift else words[0]
    part = code.scalar("and", part, Number(keep))
    code.add("or", target, code.scalar("and", target, Number(ONES & ~keep)), part)


def set_flags(code: Code, words: Words, carry: Callable[[], Value] | None = None, overflow: Callable[[], Value] | None = None,
              down: int = 0) -> None:  # fmt: skip
    """The flags of a result that are wanted. carry, overflow: what gives them, or 0. down: bits that a part was moved up by."""
    live = code.live
    if "C" in live:
        code.add("mov", flag("C"), carry() if carry else Number(0))
    if "O" in live:
        code.add("mov", flag("O"), overflow() if overflow else Number(0))
    if "Z" in live:
        both = code.scalar("or", words[0], words[1]) if len(words) > 1 else words[0]
        code.add("seq", flag("Z"), both, Number(0))
    if "S" in live:
        code.add("shr", flag("S"), words[-1], Number(31))
    if "P" in live:
        low = code.scalar("shr", words[0], Number(down)) if down else words[0]
        odd = code.scalar("and", code.scalar("popc", code.scalar("and", low, Number(0xFF))), Number(1))
        code.add("xor", flag("P"), odd, Number(1))


def at_top(code: Code, words: Words, bits: int) -> Words:
    """A part of a word at the top of it."""
    if bits >= 32:
        return words
    word = words[0]
    return [Number(word.value << 32 - bits & ONES) if isinstance(word, Number) else code.scalar("shl", word, Number(32 - bits))]


def in_place(code: Code) -> Words:
    """The value of the first operand; one in memory is loaded by a first half of its own, as it is stored by the second."""
    operand = code.operands[0]
    bits = bits_of(code, operand)
    words = read(code, operand, bits)
    if isinstance(operand, Memory) and code.row.mnemonic not in ("cmp", "test"):
        kept = [code.add("mov", KEPT + number, word) for number, word in enumerate(words)]
        code.second_half()
        return list(kept)
    return words


def total_of(code: Code, a: Words, b: Words, subtracts: bool, carry_in: Value | None) -> Total:
    """a + b + carry, or a - b - carry; and what gives carry and overflow."""
    name, out = ("sub", "borrow") if subtracts else ("add", "carry")
    zero: Value = Number(0)
    found: Words = []
    passes = carry_in
    last: Callable[[], Value] = lambda: zero  # noqa: E731
    for number, (x, y) in enumerate(zip(a, b, strict=True)):
        word: Value = code.scalar(name, x, y)
        if passes is not None:
            word = code.scalar(name, word, passes)
        found.append(word)
        given = passes

        def carried(x: Value = x, y: Value = y, word: Value = word, given: Value | None = given) -> Value:
            if given is not None:
                return code.scalar(out, x, y, given)
            return code.scalar("sltu", *((x, y) if subtracts else (word, x)))

        last = carried
        if number + 1 < len(a):
            passes = carried()
    x, y, word = a[-1], b[-1], found[-1]

    def overflow() -> Value:
        differs = code.scalar("xor", x, y)
        if not subtracts:
            differs = code.scalar("xor", differs, Number(ONES))
        return code.scalar("shr", code.scalar("and", differs, code.scalar("xor", x, word)), Number(31))

    return found, last, overflow


def moved_down(code: Code, words: Words, bits: int) -> Words:
    """A part of a word back from the top of it."""
    return words if bits >= 32 else [code.scalar("shr", words[0], Number(32 - bits))]


def at_least_nothing(code: Code) -> None:
    """An instruction of which nobody wants anything is one all the same."""
    if not code.halves[-1]:
        code.add("nop")
