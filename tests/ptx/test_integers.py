"""Each instruction on whole numbers against what the manual says of it, on inputs at the edges."""

import numpy as np

from tests.ptx.rows import answers, triples

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
WORDS = (0, 1, 2, 3, 7, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF0001, 0x12345678, 0x87654321, 0x00FF00FF, 0xDEADBEEF)
LONGS = (0, 1, 3, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, M64, 0x123456789ABCDEF0, 0xFEDCBA9876543210)


def s(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> bits - 1 else x


def quotient(x, y):
    return (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)


def clamp(x, low, high):
    return max(low, min(high, x))


def lop(table):
    return lambda a, b, c: sum((table >> (4 * (a >> k & 1) + 2 * (b >> k & 1) + (c >> k & 1)) & 1) << k for k in range(32))


def bfe(signed, width):
    def rule(a, b, c):
        place, length = b & 0xFF, c & 0xFF
        last = min(place + length - 1, width - 1)
        sign = (a >> last & 1) if signed and length else 0
        return sum(((a >> place + k & 1) if k < length and place + k < width else sign) << k for k in range(width))

    return rule


def bfi(a, b, c):
    place, length = 5, c & 0xFF
    for k in range(min(length, 32)):
        if place + k < 32:
            b = b & ~(1 << place + k) | (a >> k & 1) << place + k
    return b


def prmt(a, b, c):
    both, found = b << 32 | a, 0
    for place in range(4):
        digit = c >> 4 * place & 15
        byte = both >> 8 * (digit & 7) & 255
        found |= (255 * (byte >> 7) if digit & 8 else byte) << 8 * place
    return found


def dp4a(a, b, c):
    return c + sum(s(a >> 8 * k, 8) * s(b >> 8 * k, 8) for k in range(4))


def bfind(x, signed=False):
    x = ~s(x) if signed and s(x) < 0 else x
    return M32 if x == 0 else x.bit_length() - 1


def shift(a, n, width=32):
    return a << n if n < width else 0


# Whole numbers of 32 bits: the instruction, and what it makes of a, b and c, modulo 2^32.
THREE = {
    "add.s32 d, a, b": lambda a, b, c: a + b,
    "sub.u32 d, a, b": lambda a, b, c: a - b,
    "add.sat.s32 d, a, b": lambda a, b, c: clamp(s(a) + s(b), -(1 << 31), (1 << 31) - 1),
    "sub.sat.s32 d, a, b": lambda a, b, c: clamp(s(a) - s(b), -(1 << 31), (1 << 31) - 1),
    "mul.lo.s32 d, a, b": lambda a, b, c: a * b,
    "mul.hi.s32 d, a, b": lambda a, b, c: s(a) * s(b) >> 32,
    "mul.hi.u32 d, a, b": lambda a, b, c: a * b >> 32,
    "mad.lo.s32 d, a, b, c": lambda a, b, c: a * b + c,
    "mad.hi.u32 d, a, b, c": lambda a, b, c: (a * b >> 32) + c,
    "mul24.lo.u32 d, a, b": lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    "mul24.hi.s32 d, a, b": lambda a, b, c: s(a, 24) * s(b, 24) >> 16,
    "mad24.lo.s32 d, a, b, c": lambda a, b, c: s(a, 24) * s(b, 24) + c,
    "sad.u32 d, a, b, c": lambda a, b, c: c + abs(a - b),
    "sad.s32 d, a, b, c": lambda a, b, c: c + abs(s(a) - s(b)),
    "div.s32 d, a, 7": lambda a, b, c: quotient(s(a), 7),
    "rem.s32 d, a, -7": lambda a, b, c: s(a) + 7 * quotient(s(a), -7),
    "div.u32 d, a, 10": lambda a, b, c: a // 10,
    "rem.u32 d, a, 10": lambda a, b, c: a % 10,
    "abs.s32 d, a": lambda a, b, c: abs(s(a)),
    "neg.s32 d, a": lambda a, b, c: -s(a),
    "min.s32 d, a, b": lambda a, b, c: min(s(a), s(b)),
    "max.u32 d, a, b": lambda a, b, c: max(a, b),
    "and.b32 d, a, b": lambda a, b, c: a & b,
    "or.b32 d, a, b": lambda a, b, c: a | b,
    "xor.b32 d, a, b": lambda a, b, c: a ^ b,
    "not.b32 d, a": lambda a, b, c: ~a,
    "cnot.b32 d, a": lambda a, b, c: a == 0,
    "shl.b32 d, a, b": lambda a, b, c: shift(a, b),
    "shr.u32 d, a, b": lambda a, b, c: a >> min(b, 32),
    "shr.s32 d, a, b": lambda a, b, c: s(a) >> min(b, 32),
    "shf.l.wrap.b32 d, a, b, c": lambda a, b, c: (b << 32 | a) << (c & 31) >> 32,
    "shf.r.wrap.b32 d, a, b, c": lambda a, b, c: (b << 32 | a) >> (c & 31),
    "shf.l.clamp.b32 d, a, b, c": lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32,
    "shf.r.clamp.b32 d, a, b, c": lambda a, b, c: (b << 32 | a) >> min(c, 32),
    "bfe.u32 d, a, b, c": bfe(False, 32),
    "bfe.s32 d, a, b, c": bfe(True, 32),
    "bfi.b32 d, a, b, 5, c": bfi,
    "popc.b32 d, a": lambda a, b, c: a.bit_count(),
    "clz.b32 d, a": lambda a, b, c: 32 - a.bit_length(),
    "brev.b32 d, a": lambda a, b, c: int(f"{a:032b}"[::-1], 2),
    "bfind.u32 d, a": lambda a, b, c: bfind(a),
    "bfind.s32 d, a": lambda a, b, c: bfind(a, True),
    "bfind.shiftamt.u32 d, a": lambda a, b, c: M32 if a == 0 else 32 - a.bit_length(),
    "prmt.b32 d, a, b, c": prmt,
    "dp4a.s32.s32 d, a, b, c": dp4a,
    "add.u16x2 d, a, b": lambda a, b, c: (a + b & 0xFFFF) | ((a >> 16) + (b >> 16) & 0xFFFF) << 16,
    **{f"lop3.b32 d, a, b, c, {table}": lop(table) for table in (0x80, 0xFE, 0x96, 0xF8, 0xEA, 0x78, 0x6A, 0x3C, 0xCA, 0x01, 0xE8, 0x42)},
    "cvt.s32.s8 d, a": lambda a, b, c: s(a, 8),
    "cvt.u32.u16 d, a": lambda a, b, c: a & 0xFFFF,
    "cvt.sat.s8.s32 d, a": lambda a, b, c: clamp(s(a), -128, 127),
    "cvt.sat.u8.s32 d, a": lambda a, b, c: clamp(s(a), 0, 255),
    "cvt.sat.u32.s32 d, a": lambda a, b, c: max(s(a), 0),
}
SIX = {
    "add.s64 d, a, b": lambda a, b: a + b,
    "mul.lo.u64 d, a, b": lambda a, b: a * b,
    "mul.hi.u64 d, a, b": lambda a, b: a * b >> 64,
    "mul.hi.s64 d, a, b": lambda a, b: s(a, 64) * s(b, 64) >> 64,
    "div.s64 d, a, 1000003": lambda a, b: quotient(s(a, 64), 1000003),
    "rem.u64 d, a, 1000003": lambda a, b: a % 1000003,
    "min.s64 d, a, b": lambda a, b: min(s(a, 64), s(b, 64)),
    "max.u64 d, a, b": max,
    "and.b64 d, a, b": lambda a, b: a & b,
    "not.b64 d, a": lambda a, b: ~a,
    "shl.b64 d, a, 33": lambda a, b: a << 33,
    "shr.s64 d, a, 65": lambda a, b: s(a, 64) >> 64,
    "shr.u64 d, a, 7": lambda a, b: a >> 7,
    "popc.b64 %r9, a; cvt.u64.u32 d, %r9": lambda a, b: a.bit_count(),
    "clz.b64 %r9, a; cvt.u64.u32 d, %r9": lambda a, b: 64 - a.bit_length(),
    "brev.b64 d, a": lambda a, b: int(f"{a:064b}"[::-1], 2),
    "abs.s64 d, a": lambda a, b: abs(s(a, 64)),
    "mov.b64 {%r8, %r9}, a; mov.b64 d, {%r9, %r8}": lambda a, b: a << 32 | a >> 32,
    "bfe.u64 d, a, 20, 30": lambda a, b: a >> 20 & (1 << 30) - 1,
    "mul.wide.s32 d, %r5, %r6": lambda a, b: s(a) * s(b),
    "mad.wide.u32 d, %r5, %r6, a": lambda a, b: (a & M32) * (b & M32) + a,
    "add.cc.u32 %r8, %r5, %r6; addc.u32 %r9, 0, 0; mov.b64 d, {%r8, %r9}": lambda a, b: (a & M32) + (b & M32),
    "sub.cc.u32 %r8, %r5, %r6; subc.u32 %r9, 7, 0; mov.b64 d, {%r8, %r9}": lambda a, b: (
        ((a - b) & M32) | (7 - ((a & M32) < (b & M32))) << 32
    ),
    "mad.lo.cc.u32 %r8, %r5, %r6, %r5; madc.hi.u32 %r9, %r5, %r6, 0; mov.b64 d, {%r8, %r9}": lambda a, b: (a & M32) * (b & M32) + (a & M32),
    "setp.lt.s64 %p1, a, b; selp.b64 d, a, b, %p1": lambda a, b: a if s(a, 64) < s(b, 64) else b,
    "setp.hs.u64 %p1|%p2, a, b; selp.u64 d, 1, 2, %p2": lambda a, b: 1 if a < b else 2,
}


def test_whole_numbers_of_32_bits(bench):
    given = triples(WORDS, 32)
    found = answers(bench, THREE, "b32", np.uint32, given)
    wrong = [
        (row, one, int(found[k][n]))
        for k, one in enumerate(given)
        for n, (row, rule) in enumerate(THREE.items())
        if found[k][n] != int(rule(*one)) & M32
    ]
    assert wrong[:5] == []


def test_whole_numbers_of_64_bits(bench):
    given = triples(LONGS, 32)
    found = answers(bench, SIX, "b64", np.uint64, given)
    wrong = [
        (row, one, hex(int(found[k][n])))
        for k, one in enumerate(given)
        for n, (row, rule) in enumerate(SIX.items())
        if int(found[k][n]) != int(rule(*one[:2])) & M64
    ]
    assert wrong[:5] == []


def test_parts_of_a_word(bench):
    """Video instructions of vectors, PTX ISA 9.7.17."""

    def parts(x, bits, signed=False):
        found = [x >> k & (1 << bits) - 1 for k in range(0, 32, bits)]
        return [v - (1 << bits) if signed and v >> bits - 1 else v for v in found]

    def word(values, bits):
        return sum((v & (1 << bits) - 1) << bits * k for k, v in enumerate(values))

    def each(rule, bits, signed=False):
        return lambda a, b, c: word([rule(x, y) for x, y in zip(parts(a, bits, signed), parts(b, bits, signed), strict=True)], bits)

    rows = {
        "vadd4.u32.u32.u32 d, a, b, c": each(lambda x, y: x + y, 8),
        "vsub2.s32.s32.s32.sat d, a, b, c": each(lambda x, y: max(min(x - y, 32767), -32768), 16, True),
        "vavrg4.u32.u32.u32 d, a, b, c": each(lambda x, y: (x + y + 1) >> 1, 8),
        "vmin2.s32.s32.s32 d, a, b, c": each(min, 16, True),
        "vmax4.u32.u32.u32 d, a, b, c": each(max, 8),
        "vabsdiff4.u32.u32.u32.add d, a, b, c": lambda a, b, c: (
            c + sum(abs(x - y) for x, y in zip(parts(a, 8), parts(b, 8), strict=True)) & M32
        ),
        "vset4.u32.u32.lt d, a, b, c": each(lambda x, y: int(x < y), 8),
    }
    given = triples((0, 0x80FF7F01, 0xFFFFFFFF, 0x12345678, 0x7FFF8000, 0x00FF00FF), 32)
    found = answers(bench, rows, "b32", np.uint32, given)
    wrong = [(row, one) for k, one in enumerate(given) for n, (row, rule) in enumerate(rows.items()) if found[k][n] != rule(*one) & M32]
    assert wrong == []
