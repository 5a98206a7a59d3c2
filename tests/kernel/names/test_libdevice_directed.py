"""`cuda.libdevice`: what rounds up, down or towards zero, against fractions; whole numbers of 24 and 64 bits, bytes and halves."""

import itertools
import linecache
import math
from fractions import Fraction

import numpy as np
import pytest

import warploom
from warploom import cuda

F64 = [0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 3.0, 1 / 3, 1e300, -1.7e308, 5e-324, -2.2e-308, 1e-200, 2.0**53 + 2, math.inf]
F32 = [0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 3.0, 1 / 3, 1e30, -3.4e38, 1.4e-45, -1.2e-38, 1e-20, 2.0**24 + 2, math.inf]
MODES = ("rz", "rd", "ru")


def several(names, kind, arrays, results):
    """What each name gives for the items of the arrays: a row each."""
    given = ", ".join(f"a{n}[i]" for n in range(len(arrays)))
    text = f"def k({', '.join(f'a{n}' for n in range(len(arrays)))}, out):\n    i = cuda.grid(1)\n    if i < out.shape[1]:\n"
    text += "".join(f"        out[{row}, i] = libdevice.{name}({given})\n" for row, name in enumerate(names))
    path = f"<{names[0]}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    scope = {"cuda": cuda, "libdevice": cuda.libdevice}
    exec(compile(text, path, "exec"), scope)
    out = np.zeros((len(names), len(arrays[0])), results)
    cuda.jit(scope["k"]).on(warploom.GPU("sm", engine="python"))[-(-len(arrays[0]) // 128), 128](*arrays, out)
    return out


def rounded(exact, kind, mode):
    """A fraction, or a square (of which the root is meant), as a float of a type in a mode."""
    negative = exact < 0
    outwards = mode == ("rd" if negative else "ru")
    size = abs(exact)
    if size > Fraction(float(np.finfo(kind).max)):
        found = kind(math.inf) if outwards else np.finfo(kind).max
    else:
        near = kind(float(size)) if kind is np.float64 or size < Fraction(2) ** 1000 else kind(math.inf)
        while Fraction(float(near)) > size:
            near = np.nextafter(near, kind(0))
        while Fraction(float(np.nextafter(near, kind(math.inf)))) <= size:
            near = np.nextafter(near, kind(math.inf))
        found = near if Fraction(float(near)) == size or not outwards else np.nextafter(near, kind(math.inf))
    return -found if negative else found


EXACT = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y if y else None}


@pytest.mark.parametrize(("letter", "kind", "edges"), [("f", np.float32, F32), ("d", np.float64, F64)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arithmetic_rounds_as_its_name_says(letter, kind, edges):
    x, y = (np.array(one, kind) for one in zip(*itertools.product(edges, repeat=2), strict=True))
    names = [f"{letter}{op}_{mode}" for op in EXACT for mode in MODES]
    found = several(names, kind, (x, y), kind)
    for row, (op, mode) in zip(found, itertools.product(EXACT, MODES), strict=True):
        for a, b, ours in zip(x, y, row, strict=True):
            exact = EXACT[op](Fraction(float(a)), Fraction(float(b))) if np.isfinite(a) and np.isfinite(b) else None
            if exact:
                assert ours == rounded(exact, kind, mode), (op, mode, a, b)
            elif exact is None:
                plain = {"add": a + b, "sub": a - b, "mul": a * b, "div": np.divide(a, b)}[op]
                assert ours == plain or (ours != ours and plain != plain), (op, mode, a, b)
            else:
                assert ours == 0
    zeros = several([f"{letter}sub_{mode}" for mode in MODES], kind, (x[x == y], x[x == y]), kind)
    assert np.signbit(zeros[1][np.isfinite(zeros[1])]).all()
    assert not np.signbit(zeros[2][np.isfinite(zeros[2])]).any()


def test_roots_and_fused_operations():
    x = np.array([2.0, 3.0, 0.1, 1e-300, 5e-324, 4.0])
    root = several([f"dsqrt_{mode}" for mode in MODES], np.float64, (x,), np.float64)
    for value, cut, down, up in zip(x, *root, strict=True):
        assert Fraction(down) ** 2 <= Fraction(value) <= Fraction(up) ** 2
        assert cut == down
        assert up in (down, np.nextafter(down, math.inf))
    y, z = x[::-1].copy(), np.array([1.0, -3.0, 1e-17, -0.25, 0.5, -2.0])
    for row, mode in zip(several([f"fma_{mode}" for mode in MODES], np.float64, (x, y, z), np.float64), MODES, strict=True):
        for a, b, c, ours in zip(x, y, z, row, strict=True):
            assert ours == rounded(Fraction(a) * Fraction(b) + Fraction(c), np.float64, mode), (mode, a, b, c)


def test_conversions_round_as_their_name_says():
    n = np.array([0, 1, -1, 2**24 + 1, -(2**24) - 1, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, -(2**63)])
    for to, kind in (("float", np.float32), ("double", np.float64)):
        for row, mode in zip(several([f"ll2{to}_{mode}" for mode in MODES], kind, (n,), kind), MODES, strict=True):
            assert [float(one) for one in row] == [float(rounded(Fraction(int(one)), kind, mode)) for one in n]
    x = np.array([0.1, -0.1, 1e-50, -1e300, 1.0])
    for row, mode in zip(several([f"double2float_{mode}" for mode in MODES], np.float32, (x,), np.float32), MODES, strict=True):
        assert row.tolist() == [rounded(Fraction(one), np.float32, mode) for one in x]


def test_whole_numbers_bytes_and_halves():
    a = np.array([5, -7, 2**63 - 1, -(2**63), 0x0123456789ABCDEF])
    b = np.array([9, 2**40 + 3, 2**63 - 1, 7, -(2**62) - 5])
    signed, unsigned = several(["mul64hi", "umul64hi"], np.int64, (a, b), np.int64).tolist()
    assert signed == [int(x) * int(y) >> 64 for x, y in zip(a, b, strict=True)]
    word = 1 << 64
    assert [one % word for one in unsigned] == [int(x) % word * (int(y) % word) >> 64 for x, y in zip(a, b, strict=True)]
    x, y = np.array([0x44332211, 0x7FFFFF, -8], np.int32), np.array([0x88776655 - (1 << 32), -3, 0x800000], np.int32)
    low, plain = several(["mul24", "umul24"], np.int32, (x, y), np.int32).tolist()
    assert low[1:] == [-3 * 0x7FFFFF, -8 * -0x800000]
    assert plain[2] == (0xFFFFF8 * 0x800000 + (1 << 31)) % (1 << 32) - (1 << 31)
    selector = np.array([0x7531, 0x3210, 0x4567], np.int32)
    found = several(["byte_perm"], np.int32, (x[[0] * 3], y[[0] * 3], selector), np.uint32)[0]
    assert [hex(one) for one in found] == ["0x88664422", "0x44332211", "0x55667788"]
    halves = np.array([0x3C00, 0x7BFF, 0x8001 - (1 << 16)], np.int16)
    assert several(["half2float"], np.float32, (halves,), np.float32)[0].tolist() == halves.view(np.float16).astype(np.float32).tolist()
    floats = np.array([1.0, 65504.0, 0.1], np.float32)
    assert (several(["float2half_rn"], np.int16, (floats,), np.int16)[0] == floats.astype(np.float16).view(np.int16)).all()
