"""Rounding modes, denormal numbers as zeros, and bf16, against exact fractions: PTX ISA 9.7.3 to 9.7.5 and 9.7.9 (cvt)."""

import math
import random
import struct
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from tests.ptx.rows import answers


class Format(NamedTuple):
    """digits: of the significand. least: the exponent of the smallest denormal number. most: the largest finite number."""

    digits: int
    least: int
    most: Fraction


F64 = Format(53, -1074, Fraction(2**53 - 1) * 2**971)
F32 = Format(24, -149, Fraction(2**24 - 1) * 2**104)
F16 = Format(11, -24, Fraction(65504))
BF16 = Format(8, -133, Fraction(255) * 2**120)
WAYS = {"rn": "nearest", "rz": "zero", "rm": "down", "rp": "up"}


def rounded(x, form, mode, *, negative=False):
    """A fraction in a format. negative: the sign of a zero."""
    if x == 0:
        return -0.0 if negative else 0.0
    size, sign = abs(x), x < 0
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    unit = Fraction(2) ** max(exponent - form.digits + 1, form.least)
    count, rest = divmod(size, unit)
    away = {"rz": False, "rm": sign, "rp": not sign, "rn": rest * 2 > unit or (rest * 2 == unit and count & 1)}[mode]
    size = (count + (1 if away and rest else 0)) * unit
    if size > form.most:
        size = math.inf if mode == "rn" or away else form.most
    return -float(size) if sign else float(size)


def exact(op, a, b, c, form, mode):
    """What an operation is, by its values."""
    if any(map(math.isnan, (a, b, c))) or any(map(math.isinf, (a, b, c))):
        return None
    x, y, z = map(Fraction, (a, b, c))
    minus = [math.copysign(1, one) < 0 for one in (a, b, c)]
    down = mode == "rm"
    if op in ("add", "sub"):
        other = minus[1] if op == "add" else not minus[1]
        return rounded(x + y if op == "add" else x - y, form, mode, negative=(minus[0] and other) or (down and (minus[0] or other)))
    if op == "mul":
        return rounded(x * y, form, mode, negative=minus[0] != minus[1])
    if op == "fma":
        product = minus[0] != minus[1]
        return rounded(x * y + z, form, mode, negative=(product and minus[2]) or (down and (product or minus[2])))
    if op == "div":
        return None if y == 0 else rounded(x / y, form, mode, negative=minus[0] != minus[1])
    if op == "rcp":
        return None if x == 0 else rounded(1 / x, form, mode)
    if x <= 0:
        return a if x == 0 else None
    scale = Fraction(2) ** 2400  # a root of more digits than any format has, with what is left over
    whole = math.isqrt(int(x * scale))
    left = 0 if Fraction(whole) ** 2 == x * scale else Fraction(1, 2)
    return rounded((whole + left) / Fraction(2) ** 1200, form, mode)


EDGES = {
    np.float32: (0.0, -0.0, 1.0, -1.0, 3.0, 1e-45, -1e-45, 1.1754944e-38, 3.4028235e38, -3.4028235e38, 1.0000001, 0.1, -0.3, 1e20, 1e-30),
    np.float64: (0.0, -0.0, 1.0, -1.0, 3.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0000000000000002, 0.1, -0.3,
                 1e200, 1e-200, 1e-290),
}  # fmt: skip


def inputs(dtype, count):
    made = random.Random(43)
    found = []
    while len(found) < count:
        row = [
            made.choice(EDGES[dtype]) if made.random() < 0.6 else math.ldexp(made.uniform(-1, 1), made.randint(-40, 40)) for _ in range(3)
        ]
        if made.random() < 0.3:
            row[1] = -row[0] * (1 + made.choice((0, 2.0**-23, 2.0**-52)))
        if made.random() < 0.2:
            row[2] = -row[0] * row[1]
        with np.errstate(all="ignore"):
            found.append([float(dtype(one)) for one in row])
    return found


def same(found, wanted):
    return found == wanted and math.copysign(1, found) == math.copysign(1, wanted)


@pytest.mark.every(2)
@pytest.mark.parametrize("mode", WAYS)
@pytest.mark.parametrize(("kind", "dtype", "form"), [("f32", np.float32, F32), ("f64", np.float64, F64)])
def test_arithmetic_rounds_as_the_mode_says(bench, kind, dtype, form, mode):
    ops = {"add": "a, b", "sub": "a, b", "mul": "a, b", "fma": "a, b, c", "div": "a, b", "rcp": "a", "sqrt": "a"}
    given = inputs(dtype, 96)
    found = answers(bench, [f"{op}.{mode}.{kind} d, {rest}" for op, rest in ops.items()], kind, dtype, given)
    wrong = [
        (op, one, float(found[k][n]), wanted)
        for k, one in enumerate(given)
        for n, op in enumerate(ops)
        if (wanted := exact(op, *one, form, mode)) is not None and not same(float(found[k][n]), wanted)
    ]
    assert wrong[:5] == []


def test_what_has_no_neighbour_stays(bench):
    """Infinities of infinite operands and of a division by 0 are exact; a NaN is one."""
    given = [(math.inf, 1.0, 0.0), (1.0, 0.0, 0.0), (math.nan, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]
    rows = ["add.rz.f32 d, a, b", "mul.rz.f32 d, a, b", "div.rz.f32 d, a, b", "sqrt.rp.f32 d, a"]
    for kind, dtype in (("f32", np.float32), ("f64", np.float64)):
        found = answers(bench, [row.replace("f32", kind) for row in rows], kind, dtype, given)
        assert found[0].tolist() == [math.inf] * 4
        assert found[1, 2] == math.inf and found[3, 2] == -math.inf
        assert np.isnan(found[2]).all() and math.isnan(found[3, 3]) and math.isnan(found[4, 2])


@pytest.mark.parametrize("mode", WAYS)
def test_conversions_round_as_the_mode_says(bench, mode):
    numbers = [(2**63 - 1, 0), (2**53 + 1, 0), (-(2**53) - 1, 0), (-(2**63), 0), (3, 0), (2**24 + 1, 0), (2**40 + 2**16, 0), (0, 0)]
    rows = [f"cvt.{mode}.f64.s64 %fd1, %a; mov.b64 %d, %fd1", f"cvt.{mode}.f32.s64 %r1, %a; cvt.u64.u32 %d, %r1",
            f"cvt.{mode}.f32.u64 %r1, %a; cvt.u64.u32 %d, %r1"]  # fmt: skip
    given = [(a % 2**64, 0, 0) for a, _ in numbers]
    found = answers(bench, rows, "u64", np.uint64, given)
    for row, (number, _) in zip(found, numbers, strict=True):
        assert row[0] == np.float64(rounded(Fraction(number), F64, mode)).view(np.uint64)
        assert row[1] == np.float32(rounded(Fraction(number), F32, mode)).view(np.uint32)
        assert row[2] == np.float32(rounded(Fraction(number % 2**64), F32, mode)).view(np.uint32)
    reals = [(one, 0.0, 0.0) for one in (0.1, -0.1, 1e-45, -1e-45, 1e39, -1e39, 3.0, 1 + 2.0**-24 + 2.0**-50, 2.0**-150, 70000.0)]
    rows = [f"cvt.{mode}.f32.f64 %r1, a; cvt.u64.u32 d, %r1", f"cvt.{mode}.f16.f64 %h1, a; cvt.u64.u16 d, %h1"]
    found = answers(bench, rows, "b64", np.uint64, np.array(reals, np.float64).view(np.uint64))
    with np.errstate(over="ignore"):
        for row, (x, _, _) in zip(found, reals, strict=True):
            assert row[0] == np.float32(rounded(Fraction(x), F32, mode)).view(np.uint32), x
            assert row[1] == np.float16(rounded(Fraction(x), F16, mode)).view(np.uint16), x


def brain(x):
    """The bits of a float of 32 bits that is a bf16, as 16."""
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 16


def test_bf16_is_rounded_once(bench):
    made = random.Random(16)
    given = []
    for _ in range(64):
        row = [struct.unpack("<f", struct.pack("<I", made.randrange(1 << 16) << 16))[0] for _ in range(3)]
        row = [x if math.isfinite(x) else 1.5 for x in row]
        if made.random() < 0.5:
            row[2] = -row[0] * 2.0 ** made.randint(-12, 12) if math.isfinite(row[0] * 4096) else 1.0
        given.append([x if x == struct.unpack("<f", struct.pack("<I", brain(x) << 16))[0] else 1.0 for x in row])
    ops = {"add": "%h0, %h1", "sub": "%h0, %h1", "mul": "%h0, %h1", "fma": "%h0, %h1, %h2"}
    split = "; ".join(f"mov.b32 {{%h4, %h{place}}}, {name}" for place, name in enumerate("abc")).replace("%h4", "_")
    rows = [f"{split}; {op}.rn.bf16 %h0, {rest}; cvt.u32.u16 d, %h0" for op, rest in ops.items()]
    text = np.array(given, np.float32).view(np.uint32)
    found = answers(bench, rows, "b32", np.uint32, text)
    wrong = [
        (op, one, hex(found[k][n]), hex(brain(wanted)))
        for k, one in enumerate(given)
        for n, op in enumerate(ops)
        if found[k][n] != brain(wanted := exact(op, *one, BF16, "rn"))
    ]
    assert wrong[:5] == []


def test_conversions_to_bf16_and_tf32(bench):
    given = [(x, 2.0, 0.0) for x in (1.00390625, 1.01171875, -1.0039064, 3.3895314e38, -0.0, math.nan, math.inf, 1e-40)]
    rows = ["cvt.rn.bf16.f32 %h1, a; cvt.u32.u16 %r1, %h1; mov.b32 d, %r1", "cvt.rz.bf16.f32 %h1, a; cvt.u32.u16 %r1, %h1; mov.b32 d, %r1",
            "cvt.rn.bf16x2.f32 %r1, a, b; mov.b32 d, %r1", "cvt.rn.relu.bf16.f32 %h1, a; cvt.u32.u16 %r1, %h1; mov.b32 d, %r1",
            "cvt.rna.tf32.f32 %r1, a; mov.b32 d, %r1"]  # fmt: skip
    found = answers(bench, rows, "f32", np.float32, given).view(np.uint32)
    assert [hex(one) for one in found[:, 0].tolist()] == ["0x3f80", "0x3f82", "0xbf81", "0x7f7f", "0x8000", "0x7fff", "0x7f80", "0x1"]
    assert [hex(one) for one in found[:, 1].tolist()] == ["0x3f80", "0x3f81", "0xbf80", "0x7f7f", "0x8000", "0x7fff", "0x7f80", "0x1"]
    assert (found[:, 2] >> 16).tolist() == found[:, 0].tolist() and set((found[:, 2] & 0xFFFF).tolist()) == {0x4000}
    assert found[2, 3] == 0 and found[5, 3] == 0x7FFF
    assert [hex(one) for one in found[:, 4].tolist()[:3]] == ["0x3f808000", "0x3f818000", "0xbf808000"]


DENORMAL, NORMAL = 1e-40, 1.5


def test_with_ftz_denormal_numbers_are_zeros_of_their_sign(bench):
    rows = {
        "add.ftz.f32 d, a, b": lambda a, b, c: a + b,
        "sub.ftz.f32 d, a, b": lambda a, b, c: a - b,
        "mul.ftz.f32 d, a, b": lambda a, b, c: a * b,
        "fma.rn.ftz.f32 d, a, b, c": lambda a, b, c: np.float64(a) * np.float64(b) + np.float64(c),
        "min.ftz.f32 d, a, b": lambda a, b, c: min(a, b),
        "abs.ftz.f32 d, a": lambda a, b, c: abs(a),
        "neg.ftz.f32 d, a": lambda a, b, c: -a,
        "div.rn.ftz.f32 d, a, b": lambda a, b, c: a / b if b else math.nan,
        "cvt.ftz.f64.f32 %fd1, a; cvt.rn.f32.f64 d, %fd1": lambda a, b, c: a,
        "cvt.ftz.sat.f32.f32 d, a": lambda a, b, c: min(max(a, 0.0) + 0.0, 1.0),
        "add.rz.ftz.f32 d, a, b": lambda a, b, c: a + b,
        "setp.lt.ftz.f32 %p1, a, b; selp.f32 d, 0f3F800000, 0f40000000, %p1": lambda a, b, c: 1 if a < b else 2,
    }

    def zero(x):
        return math.copysign(0.0, x) if abs(x) < 2.0**-126 else x

    given = [(DENORMAL, NORMAL, 0.0), (-DENORMAL, 2 * DENORMAL, -0.0), (2.0**-120, 2.0**-20, -DENORMAL), (NORMAL, -NORMAL, 1.0),
             (-DENORMAL, -2 * DENORMAL, DENORMAL), (2.0**-126, -(2.0**-127) * 1.5, 0.0)]  # fmt: skip
    found = answers(bench, rows, "f32", np.float32, given)
    for k, one in enumerate(given):
        for n, (row, rule) in enumerate(rows.items()):
            wanted = zero(float(np.float32(rule(*map(zero, one)))))
            assert math.isnan(wanted) or same(float(found[k][n]), wanted), (row, one)


def test_with_ftz_an_operation_is_one_instruction(bench):
    counts = []
    for row in ("add.f32 d, a, b", "add.ftz.f32 d, a, b"):
        answers(bench, [row], "f32", np.float32, [(1.0, 2.0, 0.0)])
        counts.append(len(bench.built.program.code))
    assert counts[0] == counts[1]
