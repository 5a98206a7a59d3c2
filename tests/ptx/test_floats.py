"""Each instruction on floats against what the manual says of it, on inputs at the edges."""

import math
import struct

import numpy as np
import pytest

from tests.ptx.rows import answers, triples

M32 = (1 << 32) - 1
FLOATS = (0.0, -0.0, 1.0, -1.5, 2.5, 3.5, -2.5, 0.5, 1e10, -3e38, math.inf, -math.inf, math.nan, 1.9999999, 100.25, -0.4999)


def f32(x):
    with np.errstate(all="ignore"):
        return float(np.float32(x))


def numbers(rule):
    """Of floats, in 32 bits."""

    def made(a, b, c):
        with np.errstate(all="ignore"):
            return f32(rule(np.float32(a), np.float32(b), np.float32(c)))

    return made


REALS = {
    "add.f32 d, a, b": numbers(lambda a, b, c: a + b),
    "sub.rn.f32 d, a, b": numbers(lambda a, b, c: a - b),
    "mul.f32 d, a, b": numbers(lambda a, b, c: a * b),
    "div.rn.f32 d, a, b": numbers(lambda a, b, c: a / b),
    "neg.f32 d, a": numbers(lambda a, b, c: -a),
    "abs.f32 d, a": numbers(lambda a, b, c: abs(a)),
    "sqrt.rn.f32 d, a": numbers(lambda a, b, c: np.sqrt(a)),
    "min.f32 d, a, b": numbers(lambda a, b, c: np.fmin(a, b)),
    "max.NaN.f32 d, a, b": numbers(lambda a, b, c: np.maximum(a, b)),
    "rcp.rn.f32 d, a": numbers(lambda a, b, c: np.float32(1) / a),
    "copysign.f32 d, a, b": numbers(lambda a, b, c: np.copysign(b, a)),
    "add.sat.f32 d, a, b": numbers(lambda a, b, c: 0.0 if np.isnan(a + b) else min(max(a + b, 0), 1)),
    "cvt.rni.f32.f32 d, a": numbers(lambda a, b, c: np.rint(a)),
    "cvt.rmi.f32.f32 d, a": numbers(lambda a, b, c: np.floor(a)),
    "cvt.rpi.f32.f32 d, a": numbers(lambda a, b, c: np.ceil(a)),
    "cvt.rzi.f32.f32 d, a": numbers(lambda a, b, c: np.trunc(a)),
    "cvt.f64.f32 %fd1, a; cvt.rn.f32.f64 d, %fd1": numbers(lambda a, b, c: a),
    "cvt.rn.f16.f32 %h1, a; cvt.f32.f16 d, %h1": numbers(lambda a, b, c: np.float32(np.float16(a))),
    "setp.lt.f32 %p1, a, b; selp.f32 d, a, b, %p1": numbers(lambda a, b, c: a if a < b else b),
    "setp.neu.f32 %p1, a, b; selp.f32 d, 0f3F800000, 0f40000000, %p1": numbers(lambda a, b, c: 1 if a != b else 2),
    "setp.ne.f32 %p1, a, b; selp.f32 d, 0f3F800000, 0f40000000, %p1": numbers(lambda a, b, c: 1 if a != b and a == a and b == b else 2),
    "setp.geu.f32 %p1, a, b; selp.f32 d, 0f3F800000, 0f40000000, %p1": numbers(lambda a, b, c: 1 if not a < b else 2),
    "setp.num.f32 %p1, a, b; selp.f32 d, 0f3F800000, 0f40000000, %p1": numbers(lambda a, b, c: 1 if a == a and b == b else 2),
    "testp.finite.f32 %p1, a; selp.f32 d, 0f3F800000, 0f40000000, %p1": numbers(lambda a, b, c: 1 if np.isfinite(a) else 2),
    "set.gt.f32.f32 d, a, b": numbers(lambda a, b, c: 1 if a > b else 0),
    "slct.f32.f32 d, a, b, c": numbers(lambda a, b, c: a if c >= 0 else b),
    "mov.b32 %r1, a; xor.b32 %r1, %r1, 0x80000000; mov.b32 d, %r1": numbers(lambda a, b, c: -a),
}
TO_WHOLE = {
    "cvt.rzi.s32.f32 d, a": lambda a: (
        0 if math.isnan(a) else clamp(a, -(1 << 31), (1 << 31) - 1) if math.isinf(a) else clamp(math.trunc(a), -(1 << 31), (1 << 31) - 1)
    ),
    "cvt.rni.u32.f32 d, a": lambda a: 0 if math.isnan(a) else clamp(a, 0, M32) if math.isinf(a) else clamp(round(a), 0, M32),
    "cvt.rmi.s32.f32 d, a": lambda a: (
        0 if math.isnan(a) else clamp(a, -(1 << 31), (1 << 31) - 1) if math.isinf(a) else clamp(math.floor(a), -(1 << 31), (1 << 31) - 1)
    ),
    "cvt.rpi.s32.f32 d, a": lambda a: (
        0 if math.isnan(a) else clamp(a, -(1 << 31), (1 << 31) - 1) if math.isinf(a) else clamp(math.ceil(a), -(1 << 31), (1 << 31) - 1)
    ),
}


def clamp(x, low, high):
    return max(low, min(high, x))


def test_floats_of_32_bits(bench):
    given = triples(FLOATS, 32)
    found = answers(bench, REALS, "f32", np.float32, given)
    expected = np.array([[rule(*one) for rule in REALS.values()] for one in given], np.float32)
    wrong = [
        (row, given[k], float(found[k][n]), float(expected[k][n]))
        for k in range(len(given))
        for n, row in enumerate(REALS)
        if not (found[k][n] == expected[k][n] or (np.isnan(found[k][n]) and np.isnan(expected[k][n])))
    ]
    assert wrong[:5] == []


def test_floats_become_whole_numbers(bench):
    given = triples(FLOATS, 32)
    rows = {row.replace(" d,", " %r1,") + "; mov.b32 d, %r1": rule for row, rule in TO_WHOLE.items()}
    found = answers(bench, rows, "f32", np.float32, given).view(np.uint32)
    wrong = [
        (row, one, int(found[k][n]))
        for k, one in enumerate(given)
        for n, (row, rule) in enumerate(rows.items())
        if found[k][n] != int(rule(f32(one[0]))) & M32
    ]
    assert wrong[:5] == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("cvt.rn.satfinite.e2m1x2.f32 %h1, a, b", "cvt.rn.satfinite.e2m1x2.f32 is not there yet"),
        ("wmma.load.a.sync.aligned.row.m16n16k16.f16 d, a", "wmma.load.a.sync.aligned.row.m16n16k16.f16 is not there yet"),
        ("setp.xx.f32 %p1, a, b", "xx is not a comparison of floats"),
        ("add.f32 d", "its operands or modifiers are not those of the instruction"),
    ],
)
def test_what_is_not_there_is_named(bench, row, reason):
    from warploom import SourceError

    with pytest.raises(SourceError, match=reason):
        answers(bench, [row], "f32", np.float32, triples(FLOATS, 32))


PAIRS = {  # of the words 0xC0003C00 (-2, 1), 0x7C000001 (infinity, the least denormal) and 0x00003C00 (0, 1)
    "set.lt.f16x2.f16x2 d, a, c": 0x3C000000,
    "set.eq.u32.f16x2 d, a, c": 0x0000FFFF,
    "set.le.bf16x2.bf16x2 d, a, c": 0x3F803F80,
    "set.gt.ftz.f16x2.f16x2 d, b, 0": 0x3C000000,
    "set.gt.f16x2.f16x2 d, b, 0": 0x3C003C00,
    "cvt.u16.u32 %h1, a; set.eq.f16.f16 %h2, %h1, %h1; cvt.u32.u16 d, %h2": 0x3C00,
    "setp.lt.f16x2 %p1|%p2, a, c; selp.u32 %r1, 1, 0, %p1; selp.u32 d, 2, 0, %p2; or.b32 d, d, %r1": 2,
    "setp.eq.and.f16x2 %p1|%p2, a, a, %p3; selp.u32 d, 1, 0, %p2": 0,
    "cvt.rn.satfinite.e4m3x2.f16x2 %h1, b; cvt.u32.u16 d, %h1": 0x7E00,
    "cvt.rn.satfinite.relu.e5m2x2.f16x2 %h1, a; cvt.u32.u16 d, %h1": 0x003C,
    "cvt.u16.u32 %h1, 0xC038; cvt.rn.relu.f16x2.e4m3x2 d, %h1": 0x00003C00,
    "cvt.rn.satfinite.f16.f32 %h1, 0f7F800000; cvt.u32.u16 d, %h1": 0x7BFF,
    "cvt.rn.satfinite.bf16.f32 %h1, 0fFF800000; cvt.u32.u16 d, %h1": 0xFF7F,
    "cvt.u16.u32 %h1, 0xFC31; neg.f16 %h1, %h1; cvt.u32.u16 d, %h1": 0x7FFF,
    "abs.bf16x2 d, 0xFFC0C000": 0x7FFF4000,
}


def test_floats_of_16_and_8_bits(bench):
    found = answers(bench, PAIRS, "b32", np.uint32, [(0xC0003C00, 0x7C000001, 0x00003C00)] * 32)
    wrong = {row: hex(int(found[0][n])) for n, (row, wanted) in enumerate(PAIRS.items()) if found[0][n] != wanted}
    assert wrong == {}


def test_the_bits_of_a_float_are_kept(bench):
    given = [(struct.unpack("<f", struct.pack("<I", 0x7FC01234))[0],) * 3] * 32
    found = answers(bench, ["mov.b32 d, a"], "b32", np.uint32, np.array(given, np.float32).view(np.uint32))
    assert set(found.reshape(-1).tolist()) == {0x7FC01234}


def test_a_nan_is_nvidias(bench):
    """Measured on an H100: of 32 bits 0x7fffffff, whatever NaN goes in; bits that are only moved stay."""
    rows = ["add.f32 d, a, b", "fma.rn.f32 d, a, b, c", "min.NaN.f32 d, a, b", "neg.f32 d, a", "abs.f32 d, a", "sqrt.rn.f32 d, a",
            "cvt.rmi.f32.f32 d, a", "rcp.rn.f32 d, a", "ex2.approx.f32 d, a", "div.rn.f32 d, a, b"]  # fmt: skip
    given = np.array([[0x7FC12345, 0x3F800000, 0], [0xFF800001, 0x7F800000, 0]], np.uint32).view(np.float32)
    found = answers(bench, rows, "f32", np.float32, given).view(np.uint32)
    assert {hex(one) for one in found.ravel()} == {"0x7fffffff"}
    moved = answers(bench, ["copysign.f32 d, b, a", "mov.b32 %r1, a; mov.b32 d, %r1"], "f32", np.float32, given[:1]).view(np.uint32)
    assert moved.tolist() == [[0x7FC12345, 0x7FC12345]]
