"""The scalar unit's arithmetic: SOP2, SOP1, SOPC, SOPK.

In hardware: one unit a compute unit, shared by its waves, with 32-bit registers of which every wave has about a hundred. It computes what is
the same in all lanes, and the masks; it runs whether any lane is active or not. SCC is the one bit of its status that a branch can ask for:
a carry, an overflow, a comparison, or `the result is not 0`.

Source: AMD "Vega" Instruction Set Architecture, sections 5.2 to 5.6 and chapter 12.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import ONES, SIGN, Code, Number, Value
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.registers import EXEC, KEPT, SCC
from warploom.isa.uop import scalar

Lower = Callable[[Code], None]
Words = list[Value]


def _sources(code: Code) -> list[Words]:
    """The sources, each as its words."""
    found = []
    for word in code.row.words:
        if word[0] in "abc" and (place := code.row.place(word, code.written.kind)) is not None:
            found.append([code.of_code(code.written.code(word), part) for part in range(place.count)])
    return found


def not_zero(code: Code, words: Words) -> None:
    """SCC = the result is not 0."""
    value = words[0] if len(words) == 1 else code.scalar("or", words[0], words[1])
    code.add("sne", SCC, value, Number(0))


def _simple(name: str, sets: bool = False, invert_second: bool = False, invert: bool = False, invert_first: bool = False) -> Lower:
    """A micro-op a word. sets: SCC says whether the result is 0."""

    def lower(code: Code) -> None:
        sources = _sources(code)
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


def _add(subtracts: bool, with_carry: bool = False, signed: bool = False) -> Lower:
    def lower(code: Code) -> None:
        (a,), (b,) = _sources(code)
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


def _choose(name: str, below: str, swapped: bool) -> Lower:
    """min and max: SCC = the first source was chosen."""

    def lower(code: Code) -> None:
        (a,), (b,) = _sources(code)
        result = code.scalar(name, a, b)
        code.add(below, SCC, *((b, a) if swapped else (a, b)))
        code.put_scalar(result)

    return lower


def _select(code: Code) -> None:
    first, second = _sources(code)
    code.put_scalar(*[code.scalar("sel", a, b, SCC) for a, b in zip(first, second, strict=True)])


def _conditional_move(code: Code) -> None:
    (words,) = _sources(code)
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


def _shift(kind: str) -> Lower:
    def lower(code: Code) -> None:
        words, (by,) = _sources(code)
        found: Words = [code.scalar(kind, words[0], by)] if len(words) == 1 else shifted(code, words, by, kind)
        code.put_scalar(*found)
        not_zero(code, found)

    return lower


def _bit_field_mask(code: Code) -> None:
    (width,), (first,) = _sources(code)
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


def _bit_field(signed: bool) -> Lower:
    """The bits of a from number b[4:0] (b[5:0]) on, b[22:16] of them."""

    def lower(code: Code) -> None:
        words, (how,) = _sources(code)
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


def _multiply(name: str) -> Lower:
    return _simple(name)


def _absolute_difference(code: Code) -> None:
    (a,), (b,) = _sources(code)
    result = code.scalar("sub", code.scalar("max", a, b), code.scalar("min", a, b))
    code.put_scalar(result)
    not_zero(code, [result])


def _shift_add(by: int) -> Lower:
    """(a << by) + b; SCC: it has more than 32 bits."""

    def lower(code: Code) -> None:
        (a,), (b,) = _sources(code)
        up = code.scalar("shl", a, Number(by))
        lost = code.scalar("shr", a, Number(32 - by))
        over = code.scalar("or", lost, code.scalar("carry", up, b, Number(0)))
        result = code.scalar("add", up, b)
        code.add("sne", SCC, over, Number(0))
        code.put_scalar(result)

    return lower


def _pack(high_of_a: bool, high_of_b: bool) -> Lower:
    def lower(code: Code) -> None:
        (a,), (b,) = _sources(code)
        low = code.scalar("shr", a, Number(16)) if high_of_a else code.scalar("and", a, Number(0xFFFF))
        high = code.scalar("and", b, Number(0xFFFF0000)) if high_of_b else code.scalar("shl", b, Number(16))
        code.put_scalar(code.scalar("or", low, high))

    return lower


def _quads(code: Code) -> None:
    """wqm: where one of four neighbouring bits is set, all four."""
    (words,) = _sources(code)
    found: Words = []
    for word in words:
        two = code.scalar("or", word, code.scalar("shr", word, Number(1)))
        one = code.scalar("or", two, code.scalar("shr", two, Number(2)))
        found.append(code.scalar("mul", code.scalar("and", one, Number(0x11111111)), Number(15)))
    code.put_scalar(*found)
    not_zero(code, found)


def _reversed(code: Code) -> None:
    (words,) = _sources(code)
    code.put_scalar(*[code.scalar("brev", word) for word in reversed(words)])


def _count(zeros: bool) -> Lower:
    def lower(code: Code) -> None:
        (words,) = _sources(code)
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


def _find_first(zeros: bool) -> Lower:
    def lower(code: Code) -> None:
        (words,) = _sources(code)
        code.put_scalar(first_one(code, [code.scalar("xor", word, Number(ONES)) for word in words] if zeros else words))

    return lower


def _leading(signed: bool) -> Lower:
    """Zeros before the highest one; -1 where there is none. signed: bits that are the sign's before the highest one that is not."""

    def lower(code: Code) -> None:
        (words,) = _sources(code)
        if signed:
            sign = code.scalar("sra", words[-1], Number(31))
            words = [code.scalar("xor", word, sign) for word in words]
        high = code.scalar("clz", words[-1])
        if len(words) == 2:
            high = code.scalar("sel", high, code.scalar("add", code.scalar("clz", words[0]), Number(32)), words[1])
        any_one = words[0] if len(words) == 1 else code.scalar("or", *words)
        code.put_scalar(code.scalar("sel", high, Number(ONES), any_one))

    return lower


def _extend(bits: int) -> Lower:
    def lower(code: Code) -> None:
        ((word,),) = _sources(code)
        code.put_scalar(code.scalar("sra", code.scalar("shl", word, Number(32 - bits)), Number(32 - bits)))

    return lower


def _set_bit(to: int) -> Lower:
    def lower(code: Code) -> None:
        ((which,),) = _sources(code)
        bit = code.scalar("shl", Number(1), which)
        if not to:
            bit = code.scalar("xor", bit, Number(ONES))
        code.put_scalar(code.scalar("or" if to else "and", code.target(), bit))

    return lower


def _absolute(code: Code) -> None:
    ((word,),) = _sources(code)
    result = code.scalar("max", word, code.scalar("sub", Number(0), word))
    result = code.scalar("sel", Number(SIGN), result, code.scalar("seq", word, Number(SIGN)))
    code.put_scalar(result)
    not_zero(code, [result])


def _save_exec(name: str, invert_source: bool = False, invert_exec: bool = False, invert: bool = False, keeps: bool = True) -> Lower:
    """d = EXEC; EXEC = a op EXEC. keeps False: d is the new mask too."""

    def lower(code: Code) -> None:
        (words,) = _sources(code)
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


def _compare(name: str, swapped: bool = False, negated: bool = False, constant: bool = False, signed: bool = True) -> Lower:
    """SCC = a comparison. constant: with a number of 16 bits."""

    def lower(code: Code) -> None:
        if constant:
            number = code.field("simm16")
            a, b = code.target(), Number(number - (number >> 15 << 16) if signed else number)
            first: Value = a
            second: Value = b
        else:
            (first,), (second,) = _sources(code)
        if negated:
            code.add("xor", SCC, code.scalar(name, *((second, first) if swapped else (first, second))), Number(1))
        else:
            code.add(name, SCC, *((second, first) if swapped else (first, second)))

    return lower


def _compare_wide(name: str) -> Lower:
    def lower(code: Code) -> None:
        first, second = _sources(code)
        differs = [code.scalar("xor", a, b) for a, b in zip(first, second, strict=True)]
        code.add(name, SCC, code.scalar("or", *differs), Number(0))

    return lower


def _bit_compare(wanted: int) -> Lower:
    def lower(code: Code) -> None:
        words, (which,) = _sources(code)
        word = words[0] if len(words) == 1 else code.scalar("sel", words[1], words[0], code.scalar("and", which, Number(32)))
        bit = code.scalar("and", code.scalar("shr", word, which), Number(1))
        code.add("seq", SCC, bit, Number(wanted))

    return lower


def _with_number(name: str, sets_overflow: bool = False) -> Lower:
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


def _sop2() -> list[Row]:
    def one(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b") -> Row:
        return Row("s_" + name, "SOP2", opcode, operands, lower, meaning)

    rows = [
        one("add_u32", 0, _add(False), "d = a + b; SCC = carry"),
        one("sub_u32", 1, _add(True), "d = a - b; SCC = borrow"),
        one("add_i32", 2, _add(False, signed=True), "d = a + b; SCC = overflow"),
        one("sub_i32", 3, _add(True, signed=True), "d = a - b; SCC = overflow"),
        one("addc_u32", 4, _add(False, True), "d = a + b + SCC; SCC = carry"),
        one("subb_u32", 5, _add(True, True), "d = a - b - SCC; SCC = borrow"),
        one("min_i32", 6, _choose("min", "slt", False), "d = the smaller, signed; SCC = it is a"),
        one("min_u32", 7, _choose("minu", "sltu", False), "d = the smaller, unsigned; SCC = it is a"),
        one("max_i32", 8, _choose("max", "slt", True), "d = the larger, signed; SCC = it is a"),
        one("max_u32", 9, _choose("maxu", "sltu", True), "d = the larger, unsigned; SCC = it is a"),
        one("cselect_b32", 10, _select, "d = SCC ? a : b"),
        one("cselect_b64", 11, _select, "d = SCC ? a : b", "d2 a2 b2"),
    ]
    logic = (("and", 12, "a & b", {}), ("or", 14, "a | b", {}), ("xor", 16, "a ^ b", {}), ("andn2", 18, "a & ~b", {"invert_second": True}),
             ("orn2", 20, "a | ~b", {"invert_second": True}), ("nand", 22, "~(a & b)", {"invert": True}),
             ("nor", 24, "~(a | b)", {"invert": True}), ("xnor", 26, "~(a ^ b)", {"invert": True}))  # fmt: skip
    for name, opcode, meaning, how in logic:
        operation = {"andn2": "and", "orn2": "or", "nand": "and", "nor": "or", "xnor": "xor"}.get(name, name)
        lower = _simple(operation, sets=True, **how)
        rows.append(one(f"{name}_b32", opcode, lower, f"d = {meaning}; SCC = d is not 0"))
        rows.append(one(f"{name}_b64", opcode + 1, lower, f"d = {meaning}; SCC = d is not 0", "d2 a2 b2"))
    for name, kind, opcode, meaning in (("lshl", "shl", 28, "a << b"), ("lshr", "shr", 30, "a >> b, zeros come in"),
                                        ("ashr", "sra", 32, "a >> b, the sign comes in")):  # fmt: skip
        letter = "i" if name == "ashr" else "b"
        rows.append(one(f"{name}_{letter}32", opcode, _shift(kind), f"d = {meaning}; SCC = d is not 0"))
        rows.append(one(f"{name}_{letter}64", opcode + 1, _shift(kind), f"d = {meaning}; SCC = d is not 0", "d2 a2 b"))
    rows += [
        one("bfm_b32", 34, _bit_field_mask, "d = a ones from bit b on"),
        one("bfm_b64", 35, _bit_field_mask, "d = a ones from bit b on", "d2 a b"),
        one("mul_i32", 36, _multiply("mul"), "d = low 32 bits of a * b"),
        one("bfe_u32", 37, _bit_field(False), "d = b[22:16] bits of a from b[4:0] on; SCC = d is not 0"),
        one("bfe_i32", 38, _bit_field(True), "d = such bits with their sign; SCC = d is not 0"),
        one("bfe_u64", 39, _bit_field(False), "d = b[22:16] bits of a from b[5:0] on; SCC = d is not 0", "d2 a2 b"),
        one("bfe_i64", 40, _bit_field(True), "d = such bits with their sign; SCC = d is not 0", "d2 a2 b"),
        one("absdiff_i32", 42, _absolute_difference, "d = |a - b|; SCC = d is not 0"),
        one("mul_hi_u32", 44, _multiply("mulhu"), "d = high 32 bits of a * b, unsigned"),
        one("mul_hi_i32", 45, _multiply("mulh"), "d = high 32 bits of a * b, signed"),
        *(one(f"lshl{by}_add_u32", 45 + by, _shift_add(by), f"d = (a << {by}) + b; SCC = more than 32 bits") for by in range(1, 5)),
        one("pack_ll_b32_b16", 50, _pack(False, False), "d = low half of a, low half of b above it"),
        one("pack_lh_b32_b16", 51, _pack(False, True), "d = low half of a, high half of b above it"),
        one("pack_hh_b32_b16", 52, _pack(True, True), "d = high half of a, high half of b above it"),
    ]
    return rows


def _sop1() -> list[Row]:
    def one(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a") -> Row:
        return Row("s_" + name, "SOP1", opcode, operands, lower, meaning)

    def both(name: str, opcode: int, lower: Lower, meaning: str, second: str = "d2 a2") -> list[Row]:
        return [one(f"{name}_b32", opcode, lower, meaning), one(f"{name}_b64", opcode + 1, lower, meaning, second)]

    rows = [
        *both("mov", 0, _simple("mov"), "d = a"),
        *both("cmov", 2, _conditional_move, "d = a, where SCC is set"),
        *both("not", 4, _simple("mov", sets=True, invert=True), "d = ~a; SCC = d is not 0"),
        *both("wqm", 6, _quads, "of four neighbouring bits all, where one is set; SCC = d is not 0"),
        *both("brev", 8, _reversed, "d = a, its bits in reverse"),
        *both("bcnt0_i32", 10, _count(True), "d = zeros in a; SCC = d is not 0", "d a2"),
        *both("bcnt1_i32", 12, _count(False), "d = ones in a; SCC = d is not 0", "d a2"),
        *both("ff0_i32", 14, _find_first(True), "d = number of the lowest zero; -1: none", "d a2"),
        *both("ff1_i32", 16, _find_first(False), "d = number of the lowest one; -1: none", "d a2"),
        *both("flbit_i32", 18, _leading(False), "d = zeros above the highest one; -1: none", "d a2"),
        one("flbit_i32", 20, _leading(True), "d = bits above the highest one that is not the sign; -1: none"),
        one("flbit_i32_i64", 21, _leading(True), "d = bits above the highest one that is not the sign; -1: none", "d a2"),
        one("sext_i32_i8", 22, _extend(8), "d = low byte of a with its sign"),
        one("sext_i32_i16", 23, _extend(16), "d = low half of a with its sign"),
        one("bitset0_b32", 24, _set_bit(0), "bit a of d = 0"),
        one("bitset1_b32", 26, _set_bit(1), "bit a of d = 1"),
        one("abs_i32", 48, _absolute, "d = |a|; SCC = d is not 0"),
    ]
    saved = (("and", 32, "a & EXEC", ("and",), {}), ("or", 33, "a | EXEC", ("or",), {}), ("xor", 34, "a ^ EXEC", ("xor",), {}),
             ("andn2", 35, "a & ~EXEC", ("and",), {"invert_exec": True}), ("orn2", 36, "a | ~EXEC", ("or",), {"invert_exec": True}),
             ("nand", 37, "~(a & EXEC)", ("and",), {"invert": True}), ("nor", 38, "~(a | EXEC)", ("or",), {"invert": True}),
             ("xnor", 39, "~(a ^ EXEC)", ("xor",), {"invert": True}), ("andn1", 51, "~a & EXEC", ("and",), {"invert_source": True}),
             ("orn1", 52, "~a | EXEC", ("or",), {"invert_source": True}))  # fmt: skip
    for name, opcode, meaning, (operation,), how in saved:
        said = f"d = EXEC; EXEC = {meaning}; SCC = EXEC is not 0"
        rows.append(one(f"{name}_saveexec_b64", opcode, _save_exec(operation, **how), said, "d2 a2"))
    rows.append(one("andn1_wrexec_b64", 53, _save_exec("and", invert_source=True, keeps=False), "d = EXEC = ~a & EXEC; SCC = it is not 0",
                    "d2 a2"))  # fmt: skip
    rows.append(one("andn2_wrexec_b64", 54, _save_exec("and", invert_exec=True, keeps=False), "d = EXEC = a & ~EXEC; SCC = it is not 0",
                    "d2 a2"))  # fmt: skip
    return rows


CONDITIONS = (("eq", "seq", False, False, "=="), ("lg", "sne", False, False, "!="), ("gt", "slt", True, False, ">"),
              ("ge", "slt", False, True, ">="), ("lt", "slt", False, False, "<"), ("le", "slt", True, True, "<="))  # fmt: skip


def _comparisons() -> list[Row]:
    rows = []
    for place, (name, operation, swapped, negated, sign) in enumerate(CONDITIONS):
        for letter, first in (("i", 0), ("u", 6)):
            used = operation + "u" if letter == "u" and operation == "slt" else operation
            told = "signed" if letter == "i" else "unsigned"
            rows.append(Row(f"s_cmp_{name}_{letter}32", "SOPC", first + place, "a b", _compare(used, swapped, negated),
                            f"SCC = a {sign} b, {told}"))  # fmt: skip
            lower = _compare(used, swapped, negated, constant=True, signed=letter == "i")
            rows.append(Row(f"s_cmpk_{name}_{letter}32", "SOPK", 2 + first + place, "d hex", lower, f"SCC = d {sign} number, {told}"))
    rows += [
        Row("s_bitcmp0_b32", "SOPC", 12, "a b", _bit_compare(0), "SCC = bit b of a is 0"),
        Row("s_bitcmp1_b32", "SOPC", 13, "a b", _bit_compare(1), "SCC = bit b of a is 1"),
        Row("s_bitcmp0_b64", "SOPC", 14, "a2 b", _bit_compare(0), "SCC = bit b of a is 0"),
        Row("s_bitcmp1_b64", "SOPC", 15, "a2 b", _bit_compare(1), "SCC = bit b of a is 1"),
        Row("s_cmp_eq_u64", "SOPC", 18, "a2 b2", _compare_wide("seq"), "SCC = a == b"),
        Row("s_cmp_lg_u64", "SOPC", 19, "a2 b2", _compare_wide("sne"), "SCC = a != b"),
        Row("s_movk_i32", "SOPK", 0, "d hex", _with_number("mov"), "d = a number with its sign"),
        Row("s_cmovk_i32", "SOPK", 1, "d hex", _with_number("sel"), "d = a number with its sign, where SCC is set"),
        Row("s_addk_i32", "SOPK", 14, "d hex", _with_number("add", True), "d = d + a number; SCC = overflow"),
        Row("s_mulk_i32", "SOPK", 15, "d hex", _with_number("mul"), "d = d * a number"),
    ]
    return rows


ROWS = (*_sop2(), *_sop1(), *_comparisons())
