"""Instructions on general registers: once for a warp, whatever its masks say.

A register is a pair of scalar words; an operation on 32 bits clears the upper one. Flags are a word each, and only those that a later
instruction reads are computed. Parts of 8 and 16 bits are moved to the top of a word, so that carry, sign and overflow come out as they do for
32 bits. Source: Intel SDM, volumes 1 (section 3.4.3) and 2.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.avx512.code import Code, Number, Value
from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.operands import Immediate, Memory, Operand, Register
from warploom.isa.avx512.registers import KEPT, RAX, RDX, RSP, flag, general
from warploom.isa.uop import SIGNED

Lower = Callable[[Code], None]
Words = list[Value]  # one of 32 bits or fewer, two of 64
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
        return [Number(operand.value & ONES), Number(operand.value >> 32 & ONES)][: 2 if bits == 64 else 1]
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


def _top(code: Code, words: Words, bits: int) -> Words:
    """A part of a word at the top of it."""
    if bits >= 32:
        return words
    word = words[0]
    return [Number(word.value << 32 - bits & ONES) if isinstance(word, Number) else code.scalar("shl", word, Number(32 - bits))]


def _in_place(code: Code) -> Words:
    """The value of the first operand; one in memory is loaded by a first half of its own, as it is stored by the second."""
    operand = code.operands[0]
    bits = bits_of(code, operand)
    words = read(code, operand, bits)
    if isinstance(operand, Memory) and code.row.mnemonic not in ("cmp", "test"):
        kept = [code.add("mov", KEPT + number, word) for number, word in enumerate(words)]
        code.second_half()
        return list(kept)
    return words


def _sum(code: Code, a: Words, b: Words, subtracts: bool, carry_in: Value | None) -> tuple[Words, Callable[[], Value], Callable[[], Value]]:
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


def _arithmetic(subtracts: bool, *, keeps: bool = True, with_carry: bool = False) -> Lower:
    def lower(code: Code) -> None:
        target, other = code.operands[:2]
        bits = bits_of(code, target)
        if with_carry and bits < 32:
            code.refuse("carries go into 32 and 64 bits alone")
        a = _top(code, _in_place(code), bits)
        b = _top(code, read(code, other, bits), bits)
        words, carry, overflow = _sum(code, a, b, subtracts, flag("C") if with_carry else None)
        set_flags(code, words, carry, overflow, 32 - min(bits, 32))
        if keeps:
            write(code, target, _down(code, words, bits))
        _something(code)

    return lower


def _down(code: Code, words: Words, bits: int) -> Words:
    return words if bits >= 32 else [code.scalar("shr", words[0], Number(32 - bits))]


def _something(code: Code) -> None:
    """An instruction of which nobody wants anything is one all the same."""
    if not code.halves[-1]:
        code.add("nop")


def _logic(name: str, *, keeps: bool = True) -> Lower:
    def lower(code: Code) -> None:
        target, other = code.operands[:2]
        bits = bits_of(code, target)
        if name == "xor" and target == other and isinstance(target, Register):
            words: Words = [Number(0)] * (2 if bits == 64 else 1)
            words = [code.scalar("mov", word) for word in words] if code.live else words
        else:
            a = _top(code, _in_place(code), bits)
            b = _top(code, read(code, other, bits), bits)
            words = [code.scalar(name, x, y) for x, y in zip(a, b, strict=True)]
        set_flags(code, words, down=32 - min(bits, 32))
        if keeps:
            write(code, target, _down(code, words, bits))
        _something(code)

    return lower


def _step(subtracts: bool) -> Lower:
    """inc, dec: the carry stays."""

    def lower(code: Code) -> None:
        bits = bits_of(code, code.operands[0])
        a = _top(code, _in_place(code), bits)
        one: Words = [Number(1 << 32 - min(bits, 32)), Number(0)][: len(a)]
        words, _, overflow = _sum(code, a, one, subtracts, None)
        code.live = code.live.replace("C", "")
        set_flags(code, words, None, overflow, 32 - min(bits, 32))
        write(code, code.operands[0], _down(code, words, bits))

    return lower


def _negate(code: Code) -> None:
    bits = bits_of(code, code.operands[0])
    a = _top(code, _in_place(code), bits)
    zeros: Words = [code.scalar("mov", Number(0)) for _ in a]
    words, carry, overflow = _sum(code, zeros, a, True, None)
    set_flags(code, words, carry, overflow, 32 - min(bits, 32))
    write(code, code.operands[0], _down(code, words, bits))


def _invert(code: Code) -> None:
    words: Words = [code.scalar("xor", word, Number(ONES)) for word in _in_place(code)]
    write(code, code.operands[0], words)


def _and_not(code: Code) -> None:
    a, b = (read(code, operand, code.bits) for operand in code.operands[1:])
    words: Words = [code.scalar("and", code.scalar("xor", x, Number(ONES)), y) for x, y in zip(a, b, strict=True)]
    if "P" in code.live:  # undefined, and 0 on the processor of the recorded runs
        code.add("mov", flag("P"), Number(0))
        code.live = code.live.replace("P", "")
    set_flags(code, words)
    write(code, code.operands[0], words)


def _shift(name: str) -> Lower:
    """By a number. A count is taken modulo 32, or 64; by cl, see `_shift_by_register`."""

    def lower(code: Code) -> None:
        target, count = code.operands[:2]
        bits = bits_of(code, target)
        if isinstance(count, Register):
            _shift_by_register(code, name)
            return
        assert isinstance(count, Immediate)
        by = count.value & (63 if bits == 64 else 31)
        words = _in_place(code)
        if bits < 32:
            code.refuse("shifts are of 32 and 64 bits alone")
        if by == 0:
            write(code, target, words)
            return
        found, out = _shifted(code, name, words, by, bits)
        top = words[-1]

        def overflow() -> Value:
            if name == "shl":
                return code.scalar("xor", code.scalar("shr", found[-1], Number(31)), out())
            return code.scalar("shr", top, Number(31)) if name == "shr" else Number(0)

        set_flags(code, found, out, overflow)
        write(code, target, found)

    return lower


def _shifted(code: Code, name: str, words: Words, by: int, bits: int) -> tuple[Words, Callable[[], Value]]:
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


def _shift_by_register(code: Code, name: str) -> None:
    """By a register: cl, which may leave the flags as they are, or the third operand of shlx, shrx and sarx, which always does."""
    target, source, count = code.operands if len(code.operands) == 3 else (code.operands[0], *code.operands)
    bits = bits_of(code, target)
    if code.live and len(code.operands) == 2:
        code.refuse("its flags are read, and a count of 0 keeps those: shift by a number")
    words = read(code, source, bits) if len(code.operands) == 3 else _in_place(code)
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


def _multiply(code: Code) -> None:
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


def _move(code: Code) -> None:
    target, source = code.operands
    bits = bits_of(code, target)
    words = read(code, source, bits)
    if isinstance(source, Register) and source.kind == "high" or bits < 32 or isinstance(target, Memory) or isinstance(source, Memory):
        write(code, target, words)
        return
    write(code, target, words)


def _extend(signed: bool) -> Lower:
    def lower(code: Code) -> None:
        target, source = code.operands
        words = read(code, source, bits_of(code, source), signed)
        if code.bits == 64:
            words.append(code.scalar("sra", words[0], Number(31)) if signed else Number(0))
        write(code, target, words)

    return lower


def _address(code: Code) -> None:
    """lea: the address as a number; here of 32 bits, of which memory has no more, and the carry into those above."""
    memory = code.operands[1]
    assert isinstance(memory, Memory)
    displacement = memory.displacement
    total: Words = [Number(displacement & ONES), Number(displacement >> 32 & ONES)][: code.bits // 32]
    for number, scale in ((memory.base, 1), (memory.index, memory.scale)):
        if number < 0:
            continue
        words: Words = [general(number, word) for word in range(code.bits // 32)]
        if scale > 1:
            words = _shifted(code, "shl", words, scale.bit_length() - 1, code.bits)[0]
        if all(isinstance(word, Number) and word.value == 0 for word in total):
            total = words
        else:
            total = _sum(code, words, total, False, None)[0]
    write(code, code.operands[0], total)


def _bits(name: str, flags: str) -> Lower:
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
            code.add("seq" if flags == "CZ" else "mov", flag("C"), *((any_bit, Number(0)) if flags == "CZ" else (Number(0),)))
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


def _set(number: int) -> Lower:
    def lower(code: Code) -> None:
        holds = code.scalar("seq" if number & 1 else "sne", condition(code, number), Number(0))
        write(code, code.operands[0], [holds])

    return lower


def _choose(number: int) -> Lower:
    def lower(code: Code) -> None:
        target = code.register(0).number
        words = read(code, code.operands[1], code.bits)
        holds = condition(code, number)
        found: Words = []
        for word, new in enumerate(words):
            pair = (general(target, word), new) if number & 1 else (new, general(target, word))
            found.append(code.scalar("sel", *pair, holds))
        write(code, code.operands[0], found)

    return lower


def _sign_into_rdx(code: Code) -> None:
    """cdq, cqo."""
    sign = code.scalar("sra", general(RAX, 1 if code.bits == 64 else 0), Number(31))
    write(code, Register("r64" if code.bits == 64 else "r32", RDX), [sign] * (code.bits // 32))


def _widen_rax(code: Code) -> None:
    """cdqe: eax with its sign."""
    code.add("sra", general(RAX, 1), general(RAX), Number(31))


def push(code: Code, words: Words) -> None:
    """Eight bytes on the stack."""
    code.add("sub", general(RSP), general(RSP), Number(8))
    for number, word in enumerate(words):
        source = code.scalar("mov", word) if isinstance(word, Number) else word
        code.add("store_scalar", a=general(RSP), b=source, imm=4 * number)


def _push(code: Code) -> None:
    words = read(code, code.operands[0], 64)
    if isinstance(code.operands[0], Register) and code.operands[0].number == RSP:
        words = [code.scalar("mov", word) for word in words]
    push(code, words)


def _pop(code: Code) -> None:
    words: Words = [code.add("load_scalar", code.scalar_temporary(), general(RSP), imm=4 * number) for number in range(2)]
    code.add("add", general(RSP), general(RSP), Number(8))
    write(code, code.operands[0], words)


def _exchange(code: Code) -> None:
    bits = bits_of(code, code.operands[0])
    if any(isinstance(operand, Memory) for operand in code.operands):
        code.refuse("it exchanges registers alone")
    one, other = ([code.scalar("mov", word) for word in read(code, operand, bits)] for operand in code.operands)
    write(code, code.operands[0], list(other))
    write(code, code.operands[1], list(one))


def _nothing(code: Code) -> None:
    code.add("nop")


def _rows() -> list[Row]:
    rows: list[Row] = []
    two = (
        ("add", 0, _arithmetic(False), "a = a + b", ""), ("or", 1, _logic("or"), "a = a | b", ""),
        ("adc", 2, _arithmetic(False, with_carry=True), "a = a + b + CF", "C"),
        ("sbb", 3, _arithmetic(True, with_carry=True), "a = a - b - CF", "C"), ("and", 4, _logic("and"), "a = a & b", ""),
        ("sub", 5, _arithmetic(True), "a = a - b", ""), ("xor", 6, _logic("xor"), "a = a ^ b", ""),
        ("cmp", 7, _arithmetic(True, keeps=False), "flags of a - b", ""),
    )  # fmt: skip
    for name, digit, lower, meaning, reads in two:
        for encoding, operands in (
            (f"{8 * digit + 1:02X}", "rm r"), (f"{8 * digit + 3:02X}", "r rm"), (f"83 /{digit}", "rm ibs"), (f"81 /{digit}", "rm id"),
            (f"{8 * digit + 5:02X}", "eax id"), (f"{8 * digit:02X}", "rm8 r8"), (f"{8 * digit + 2:02X}", "r8 rm8"), (f"80 /{digit}", "rm8 ib"),
        ):  # fmt: skip
            rows.append(Row(name, encoding, operands, lower, meaning, reads=reads, writes=ALL))
    test = _logic("and", keeps=False)
    for encoding, operands in (("85", "rm r"), ("F7 /0", "rm id"), ("A9", "eax id"), ("84", "rm8 r8"), ("F6 /0", "rm8 ib")):
        rows.append(Row("test", encoding, operands, test, "flags of a & b", writes=ALL))
    for encoding, operands in (
        ("89", "rm r"), ("8B", "r rm"), ("B8 +", "o32 id"), ("W1.C7 /0", "rm64 id"), ("C7 /0", "rm32 id"), ("W1.B8 +", "o64 iq"), ("88", "rm8 r8"),
        ("8A", "r8 rm8"), ("C6 /0", "rm8 ib"), ("66.89", "rm16 r16"),
    ):  # fmt: skip
        parts = encoding.split(".")
        text = f"{'.'.join(parts[:-1])} {parts[-1]}" if len(parts) > 1 else encoding
        text = "W0 " + text if operands in ("o32 id", "rm32 id") else text
        rows.append(Row("mov", text, operands.replace("r16", "r16"), _move, "a = b"))
    for name, encoding, operands, lower, meaning, reads, writes in (
        ("inc", "FF /0", "rm", _step(False), "a = a + 1; CF stays", "", "PZSO"), ("dec", "FF /1", "rm", _step(True), "a = a - 1; CF stays", "", "PZSO"),
        ("neg", "F7 /3", "rm", _negate, "a = -a", "", ALL), ("not", "F7 /2", "rm", _invert, "a = ~a", "", ""),
        ("shl", "C1 /4", "rm ib", _shift("shl"), "a = a << b", "", ALL), ("shr", "C1 /5", "rm ib", _shift("shr"), "a = a >> b", "", ALL),
        ("sar", "C1 /7", "rm ib", _shift("sra"), "a = a >> b, with the sign", "", ALL),
        ("shl", "D1 /4", "rm 1", _shift("shl"), "a = a << 1", "", ALL), ("shr", "D1 /5", "rm 1", _shift("shr"), "a = a >> 1", "", ALL),
        ("sar", "D1 /7", "rm 1", _shift("sra"), "a = a >> 1, with the sign", "", ALL),
        ("shl", "D3 /4", "rm cl", _shift("shl"), "a = a << cl", "", ALL), ("shr", "D3 /5", "rm cl", _shift("shr"), "a = a >> cl", "", ALL),
        ("sar", "D3 /7", "rm cl", _shift("sra"), "a = a >> cl, with the sign", "", ALL),
        ("shlx", "VEX.L0.66.0F38 F7", "r rm v", lambda code: _shift_by_register(code, "shl"), "a = b << c", "", ""),
        ("shrx", "VEX.L0.F2.0F38 F7", "r rm v", lambda code: _shift_by_register(code, "shr"), "a = b >> c", "", ""),
        ("sarx", "VEX.L0.F3.0F38 F7", "r rm v", lambda code: _shift_by_register(code, "sra"), "a = b >> c, with the sign", "", ""),
        ("imul", "0F AF", "r rm", _multiply, "a = a * b", "", ALL), ("imul", "6B", "r rm ibs", _multiply, "a = b * c", "", ALL),
        ("imul", "69", "r rm id", _multiply, "a = b * c", "", ALL),
        ("lea", "8D", "r m0", _address, "a = the address itself", "", ""),
        ("movzx", "0F B6", "r rm8", _extend(False), "a = b, zeros above", "", ""), ("movzx", "0F B7", "r rm16", _extend(False), "a = b, zeros above", "", ""),
        ("movsx", "0F BE", "r rm8", _extend(True), "a = b, its sign above", "", ""), ("movsx", "0F BF", "r rm16", _extend(True), "a = b, its sign above", "", ""),
        ("movsxd", "W1 63", "r64 rm32", _extend(True), "a = b, its sign above", "", ""),
        ("cdqe", "W1 98", "", _widen_rax, "rax = eax, its sign above", "", ""), ("cdq", "W0 99", "", _sign_into_rdx, "edx = the sign of eax", "", ""),
        ("cqo", "W1 99", "", _sign_into_rdx, "rdx = the sign of rax", "", ""),
        ("andn", "VEX.L0.0F38 F2", "r v rm", _and_not, "a = ~b & c", "", ALL),
        ("popcnt", "F3.0F B8", "r rm", _bits("popc", "Z"), "a = ones in b", "", ALL),
        ("tzcnt", "F3.0F BC", "r rm", _bits("ctz", "CZ"), "a = trailing zeros of b", "", ALL),
        ("lzcnt", "F3.0F BD", "r rm", _bits("clz", "CZ"), "a = leading zeros of b", "", ALL),
        ("bsf", "0F BC", "r rm", _bits("bsf", "Z"), "a = number of b's lowest one", "", ALL),
        ("bsr", "0F BD", "r rm", _bits("bsr", "Z"), "a = number of b's highest one", "", ALL),
        ("push", "50 +", "o64", _push, "rsp = rsp - 8; memory at rsp = a", "", ""), ("push", "6A", "ibs", _push, "as above, of a number", "", ""),
        ("push", "68", "id", _push, "as above, of a number", "", ""), ("push", "FF /6", "rm64", _push, "as above", "", ""),
        ("pop", "58 +", "o64", _pop, "a = memory at rsp; rsp = rsp + 8", "", ""),
        ("xchg", "87", "rm r", _exchange, "a and b change places", "", ""),
        ("nop", "90", "", _nothing, "nothing", "", ""), ("nop", "0F 1F /0", "rm", _nothing, "nothing", "", ""),
        ("nop", "66.0F 1F /0", "rm", _nothing, "nothing", "", ""), ("endbr64", "F3.0F 1E /7", "rm64", _nothing, "nothing", "", ""),
    ):  # fmt: skip
        rows.append(Row(name, encoding, operands, lower, meaning, reads=reads, writes=writes))
    for number, name in enumerate(CONDITIONS):
        reads = condition_flags(number)
        rows.append(Row("set" + name, f"0F {0x90 + number:02X} /0", "rm8", _set(number), f"a = 1 where {name}, else 0", reads=reads))
        rows.append(Row("cmov" + name, f"0F {0x40 + number:02X}", "r rm", _choose(number), f"a = b where {name}", reads=reads))
    return rows


ROWS = tuple(_rows())
