"""What instructions of the scalar unit do, beside the same in Python's own numbers: results and SCC."""

import numpy as np
import pytest

from tests.isa.gcn.snippets import run

WORD, WIDE = (1 << 32) - 1, (1 << 64) - 1
EDGES = [0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, WORD, 0xFFFF, 0x12345678, 0xDEADBEEF, 0x00080004, 0x00200000, 0x00050021]


def s(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def leading(value, bits):
    return WORD if value == 0 else bits - value.bit_length()


def first_one(value):
    return WORD if value == 0 else (value & -value).bit_length() - 1


def field(a, how, bits, signed):
    first, count = how & bits - 1, how >> 16 & 127
    value = (s(a, bits) if signed else a) >> first
    count = min(count, bits)
    if count == 0:
        return 0
    part = value & (1 << count) - 1
    return s(part, count) if signed else part


def quads(value, bits):
    return sum(1 << n for n in range(bits // 4) if value >> 4 * n & 15)


KEEP = object()  # SCC is as before
TWO = {  # of words a and b: (result, SCC)
    "s_add_u32": lambda a, b, c: (a + b, a + b > WORD),
    "s_sub_u32": lambda a, b, c: (a - b, a < b),
    "s_add_i32": lambda a, b, c: (a + b, s(a) + s(b) != s(a + b)),
    "s_sub_i32": lambda a, b, c: (a - b, s(a) - s(b) != s(a - b)),
    "s_addc_u32": lambda a, b, c: (a + b + c, a + b + c > WORD),
    "s_subb_u32": lambda a, b, c: (a - b - c, a < b + c),
    "s_min_i32": lambda a, b, c: (min(s(a), s(b)), s(a) < s(b)),
    "s_min_u32": lambda a, b, c: (min(a, b), a < b),
    "s_max_i32": lambda a, b, c: (max(s(a), s(b)), s(a) > s(b)),
    "s_max_u32": lambda a, b, c: (max(a, b), a > b),
    "s_cselect_b32": lambda a, b, c: (a if c else b, KEEP),
    "s_and_b32": lambda a, b, c: (a & b, None),
    "s_or_b32": lambda a, b, c: (a | b, None),
    "s_xor_b32": lambda a, b, c: (a ^ b, None),
    "s_andn2_b32": lambda a, b, c: (a & ~b, None),
    "s_orn2_b32": lambda a, b, c: (a | ~b, None),
    "s_nand_b32": lambda a, b, c: (~(a & b), None),
    "s_nor_b32": lambda a, b, c: (~(a | b), None),
    "s_xnor_b32": lambda a, b, c: (~(a ^ b), None),
    "s_lshl_b32": lambda a, b, c: (a << (b & 31), None),
    "s_lshr_b32": lambda a, b, c: (a >> (b & 31), None),
    "s_ashr_i32": lambda a, b, c: (s(a) >> (b & 31), None),
    "s_bfm_b32": lambda a, b, c: (((1 << (a & 31)) - 1) << (b & 31), KEEP),
    "s_mul_i32": lambda a, b, c: (a * b, KEEP),
    "s_mul_hi_u32": lambda a, b, c: (a * b >> 32, KEEP),
    "s_mul_hi_i32": lambda a, b, c: (s(a) * s(b) >> 32, KEEP),
    "s_bfe_u32": lambda a, b, c: (field(a, b, 32, False), None),
    "s_bfe_i32": lambda a, b, c: (field(a, b, 32, True), None),
    "s_absdiff_i32": lambda a, b, c: (abs(s(a) - s(b)), None),
    "s_lshl1_add_u32": lambda a, b, c: ((a << 1) + b, (a << 1) + b > WORD),
    "s_lshl4_add_u32": lambda a, b, c: ((a << 4) + b, (a << 4) + b > WORD),
    "s_pack_ll_b32_b16": lambda a, b, c: (a & 0xFFFF | b << 16, KEEP),
    "s_pack_lh_b32_b16": lambda a, b, c: (a & 0xFFFF | b & 0xFFFF0000, KEEP),
    "s_pack_hh_b32_b16": lambda a, b, c: (a >> 16 | b & 0xFFFF0000, KEEP),
}
ONE = {
    "s_mov_b32": lambda a, c: (a, KEEP),
    "s_not_b32": lambda a, c: (~a, None),
    "s_wqm_b32": lambda a, c: (sum(15 << n for n in range(0, 32, 4) if a >> n & 15), None),
    "s_brev_b32": lambda a, c: (int(f"{a:032b}"[::-1], 2), KEEP),
    "s_bcnt0_i32_b32": lambda a, c: (32 - bin(a).count("1"), None),
    "s_bcnt1_i32_b32": lambda a, c: (bin(a).count("1"), None),
    "s_ff0_i32_b32": lambda a, c: (first_one(~a & WORD), KEEP),
    "s_ff1_i32_b32": lambda a, c: (first_one(a), KEEP),
    "s_flbit_i32_b32": lambda a, c: (leading(a, 32), KEEP),
    "s_flbit_i32": lambda a, c: (leading(a ^ (WORD if a >> 31 else 0), 32), KEEP),
    "s_sext_i32_i8": lambda a, c: (s(a, 8), KEEP),
    "s_sext_i32_i16": lambda a, c: (s(a, 16), KEEP),
    "s_quadmask_b32": lambda a, c: (quads(a, 32), None),
    "s_abs_i32": lambda a, c: (abs(s(a)), None),
}
WIDE_TWO = {  # of 64 bits; the second source of shifts and bit fields is a word
    "s_and_b64": lambda a, b: (a & b, None), "s_or_b64": lambda a, b: (a | b, None), "s_xor_b64": lambda a, b: (a ^ b, None),
    "s_andn2_b64": lambda a, b: (a & ~b, None), "s_orn2_b64": lambda a, b: (a | ~b, None), "s_nand_b64": lambda a, b: (~(a & b), None),
    "s_nor_b64": lambda a, b: (~(a | b), None), "s_xnor_b64": lambda a, b: (~(a ^ b), None),
    "s_lshl_b64": lambda a, b: (a << (b & 63), None), "s_lshr_b64": lambda a, b: (a >> (b & 63), None),
    "s_ashr_i64": lambda a, b: (s(a, 64) >> (b & 63), None), "s_bfe_u64": lambda a, b: (field(a, b & WORD, 64, False), None),
    "s_bfe_i64": lambda a, b: (field(a, b & WORD, 64, True), None),
}  # fmt: skip
WIDE_ONE = {
    "s_not_b64": (2, lambda a: (~a, None)), "s_mov_b64": (2, lambda a: (a, KEEP)),
    "s_brev_b64": (2, lambda a: (int(f"{a:064b}"[::-1], 2), KEEP)),
    "s_bcnt0_i32_b64": (1, lambda a: (64 - bin(a).count("1"), None)), "s_bcnt1_i32_b64": (1, lambda a: (bin(a).count("1"), None)),
    "s_ff0_i32_b64": (1, lambda a: (first_one(~a & WIDE), KEEP)), "s_ff1_i32_b64": (1, lambda a: (first_one(a), KEEP)),
    "s_flbit_i32_b64": (1, lambda a: (leading(a, 64), KEEP)),
    "s_flbit_i32_i64": (1, lambda a: (leading(a ^ (WIDE if a >> 63 else 0), 64), KEEP)),
    "s_quadmask_b64": (2, lambda a: (quads(a, 64), None)),
    "s_wqm_b64": (2, lambda a: (sum(15 << n for n in range(0, 64, 4) if a >> n & 15), None)),
}  # fmt: skip
COMPARE = {"eq": lambda a, b: a == b, "lg": lambda a, b: a != b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
           "lt": lambda a, b: a < b, "le": lambda a, b: a <= b}  # fmt: skip


def wides(random):
    return [0, 1, 1 << 32, WIDE, 0x8000000000000000, 0x123456789ABCDEF0, int(random.integers(0, 1 << 63))]


class Cases:
    """A program of many instructions, each with its results stored: registers and SCC."""

    def __init__(self):
        self.lines, self.expected, self.said = [], [], []

    def load(self, register, value, words=1):
        for word in range(words):
            self.lines.append(f"s_mov_b32 s{register + word}, {value >> 32 * word & WORD:#x}")

    def carry(self, bit):
        self.lines.append(f"s_cmp_eq_u32 s60, {'s60' if bit else 's61'}")

    def check(self, text, words, result, scc, before):
        scc = before if scc is KEEP else bool(result & (1 << 32 * words) - 1) if scc is None else scc
        for word in range(words):
            self.expected.append(result >> 32 * word & WORD)
        self.expected.append(int(scc))
        self.said += [text] * (words + 1)
        self.lines += [text, "s_cselect_b32 s50, 1, 0"]
        for register in (*range(20, 20 + words), 50):
            self.lines.append(f"s_store_dword s{register}, s[12:13], 0x0")
            self.lines += ["s_add_u32 s12, s12, 4"]

    def run(self):
        head = ["s_load_dwordx2 s[12:13], s[4:5], 0x0", "s_mov_b32 s60, 1", "s_mov_b32 s61, 2", "s_waitcnt lgkmcnt(0)"]
        out = run([*head, *self.lines, "s_endpgm"], {"out": np.zeros(len(self.expected), np.uint32)}, threads=1, engine="native")["out"]
        wrong = [(said, hex(got), hex(want)) for said, got, want in zip(self.said, out.tolist(), self.expected, strict=True) if got != want]
        assert not wrong, wrong[:5]


def test_words():
    cases = Cases()
    random = np.random.default_rng(1)
    for name, model in TWO.items():
        pairs = [(a, b) for a in EDGES[::2] for b in EDGES[1::2]] + [tuple(map(int, random.integers(0, 1 << 32, 2))) for _ in range(6)]
        for place, (a, b) in enumerate(pairs):
            cases.load(8, a), cases.load(9, b), cases.carry(place & 1)
            cases.check(f"{name} s20, s8, s9", 1, *model(a, b, place & 1), before=place & 1)
    for name, one in ONE.items():
        for place, a in enumerate(EDGES):
            cases.load(8, a), cases.carry(place & 1)
            cases.check(f"{name} s20, s8", 1, *one(a, place & 1), before=place & 1)
    cases.run()


def test_pairs_of_words():
    cases = Cases()
    random = np.random.default_rng(2)
    for name, model in WIDE_TWO.items():
        by_word = "sh" in name or "bfe" in name
        for place, a in enumerate(wides(random)):
            for b in [0, 1, 31, 32, 33, 63, 0x100004, 0x400000, 0x7F0020] if by_word else wides(random):
                cases.load(8, a, 2), cases.load(10, b, 2), cases.carry(place & 1)
                cases.check(f"{name} s[20:21], s[8:9], {'s10' if by_word else 's[10:11]'}", 2, *model(a, b), before=place & 1)
    for name, (words, one) in WIDE_ONE.items():
        for place, a in enumerate(wides(random)):
            cases.load(8, a, 2), cases.carry(place & 1)
            cases.check(f"{name} {'s[20:21]' if words == 2 else 's20'}, s[8:9]", words, *one(a), before=place & 1)
    for count in (0, 1, 31, 32, 63):
        for first in (0, 5, 40):
            cases.load(8, count), cases.load(9, first), cases.carry(1)
            cases.check("s_bfm_b64 s[20:21], s8, s9", 2, ((1 << count) - 1) << first, KEEP, before=1)
    for text, value in (("1.0", 0x3FF0000000000000), ("-0.5", 0xBFE0000000000000), ("-1", (1 << 64) - 1), ("0x3f800000", 0x3F800000)):
        cases.carry(1)
        cases.check(f"s_mov_b64 s[20:21], {text}", 2, value, KEEP, before=1)
    cases.run()


def test_comparisons_and_numbers_in_the_instruction():
    cases = Cases()
    cases.load(20, 0)
    for a in EDGES:
        for b in EDGES[::3]:
            cases.load(8, a), cases.load(9, b)
            for name, model in COMPARE.items():
                cases.check(f"s_cmp_{name}_u32 s8, s9", 0, 0, model(a, b), before=0)
                cases.check(f"s_cmp_{name}_i32 s8, s9", 0, 0, model(s(a), s(b)), before=0)
            cases.check("s_bitcmp1_b32 s8, s9", 0, 0, a >> (b & 31) & 1 == 1, before=0)
            cases.check("s_bitcmp0_b32 s8, s9", 0, 0, a >> (b & 31) & 1 == 0, before=0)
        for number in (0, 5, 0x7FFF, 0x8000, 0xFFFF):
            cases.load(8, a)
            for name, model in COMPARE.items():
                cases.check(f"s_cmpk_{name}_u32 s8, {number:#x}", 0, 0, model(a, number), before=0)
                cases.check(f"s_cmpk_{name}_i32 s8, {number:#x}", 0, 0, model(s(a), s(number, 16)), before=0)
            for bit in (0, 1):
                cases.load(20, a), cases.carry(bit)
                total = s(a) + s(number, 16)
                cases.check(f"s_addk_i32 s20, {number:#x}", 1, total, total != s(total), before=bit)
                cases.load(20, a), cases.carry(bit)
                cases.check(f"s_mulk_i32 s20, {number:#x}", 1, s(a) * s(number, 16), KEEP, before=bit)
                cases.load(20, a), cases.carry(bit)
                cases.check(f"s_cmovk_i32 s20, {number:#x}", 1, s(number, 16) if bit else a, KEEP, before=bit)
    cases.run()


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("s_and_saveexec_b64", lambda a, e: a & e), ("s_or_saveexec_b64", lambda a, e: a | e), ("s_xor_saveexec_b64", lambda a, e: a ^ e),
        ("s_andn2_saveexec_b64", lambda a, e: a & ~e), ("s_orn2_saveexec_b64", lambda a, e: a | ~e),
        ("s_nand_saveexec_b64", lambda a, e: ~(a & e)), ("s_nor_saveexec_b64", lambda a, e: ~(a | e)),
        ("s_xnor_saveexec_b64", lambda a, e: ~(a ^ e)), ("s_andn1_saveexec_b64", lambda a, e: ~a & e),
        ("s_orn1_saveexec_b64", lambda a, e: ~a | e), ("s_andn1_wrexec_b64", lambda a, e: ~a & e),
        ("s_andn2_wrexec_b64", lambda a, e: a & ~e),
    ],
)  # fmt: skip
def test_exec_is_kept_and_changed_at_once(name, model):
    for a, mask in ((0xF0F0F0F012345678, 0xFFFF0000FFFF0000), (0, WIDE), (WIDE, 0), (1 << 63, 1 << 63)):
        cases = Cases()
        cases.load(20, a, 2), cases.load(8, mask, 2), cases.carry(0)
        cases.lines.append("s_mov_b64 exec, s[8:9]")
        after = model(a, mask) & WIDE
        cases.check(f"{name} s[20:21], s[20:21]", 2, after if "wrexec" in name else mask, after != 0, before=0)  # d may be a
        cases.lines += ["s_mov_b64 s[20:21], exec"]
        cases.check("s_nop 0", 2, after, KEEP, before=0)  # storing has set SCC since
        cases.run()


def test_single_bits_of_64_and_bits_that_become_two():
    cases = Cases()
    for bit in (0, 31, 32, 45, 63, 64 + 33):
        cases.load(8, bit)
        for to, held in ((0, WIDE), (1, 0)):
            cases.load(20, held, 2)
            cases.carry(to)
            cases.check(f"s_bitset{to}_b64 s[20:21], s8", 2, held ^ 1 << (bit & 63), KEEP, to)
    for value in EDGES:
        cases.load(8, value)
        cases.carry(1)
        twice = sum(3 << 2 * n for n in range(32) if value >> n & 1)
        cases.check("s_bitreplicate_b64_b32 s[20:21], s8", 2, twice, KEEP, 1)
    cases.run()
