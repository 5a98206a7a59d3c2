"""Numbers of 64 bits in C for machines of 32: every lane's own, compared with Python's, under masks, where a branch on them is an error."""

import struct
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.c.compiler import compile_c
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

WIDE, HALF = 1 << 64, 1 << 63
EDGES = [0, 1, 2, 3, 7, 10, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**53 + 1, HALF - 1, HALF, HALF + 1, WIDE - 2, WIDE - 1]
RANDOM = np.random.default_rng(64)
KERNEL = """#include <warploom.h>
int64_t __muldi3(int64_t, int64_t), __ashldi3(int64_t, int), __ashrdi3(int64_t, int), __lshrdi3(int64_t, int);
uint64_t __udivmoddi4(uint64_t, uint64_t, uint64_t *);
kernel void whole(const int64_t *a, const int64_t *b, int64_t *out) {
  int i = global_id();
  int64_t x = a[i], y = b[i], *o = out + 10 * i;
  uint64_t u = (uint64_t)x, v = (uint64_t)y, rest;
  o[0] = __muldi3(x, y); o[1] = x / y; o[2] = (int64_t)(u / v); o[3] = x % y; o[4] = (int64_t)(u % v);
  o[5] = __ashldi3(x, (int)y & 63); o[6] = __ashrdi3(x, (int)y & 63); o[7] = __lshrdi3(x, (int)y & 63);
  o[8] = (int64_t)__udivmoddi4(u, v, &rest); o[9] = (int64_t)rest;
}
kernel void floats(const int64_t *a, const float *f, int64_t *out, float *g) {
  int i = global_id();
  out[2 * i] = (int64_t)f[i]; out[2 * i + 1] = (int64_t)(uint64_t)f[i];
  g[2 * i] = (float)a[i]; g[2 * i + 1] = (float)(uint64_t)a[i];
}
"""
DIVIDE = """int main(int thread) {
  long long *x = (long long *)0x10000 + thread, n = 100000000000000000;
  *x = (thread ? -n : n) / (thread + 3);
  return 0;
}
"""


@lru_cache
def compiled(target, level, folder):
    path = folder / "kernel.c"
    path.write_text(KERNEL)
    return compile_c([path], target, level)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("c")


def run(target, level, folder, kernel, threads, **buffers):
    options = Options(path="kernel.elf", threads=threads, buffers=buffers, more={"launch": kernel})
    program = load(compiled(target, level, folder), target, options=options)
    result = GPU(target, set={"core.warps": 2, "core.lanes": 16, "shared.banks": 16}, engine="native").run(program)
    assert result.status == "done", str(result.fault)
    assert result.remarks == ()
    return {
        name: np.frombuffer(read_buffer(result.program, result.memory, name).tobytes(), value.dtype)[: len(value)]
        for name, value in buffers.items()
    }


def signed(number):
    return (number + HALF) % WIDE - HALF


def whole_model(a, b):
    x, y = signed(a), signed(b)
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    by = b & 63
    return [x * y, quotient, a // b, x - quotient * y, a % b, a << by, x >> by, a >> by, a // b, a % b]


def nearest_float(number):
    """The float closest to a whole number, of two the one whose last bit is 0."""
    size = abs(number)
    unit = 1 << max(size.bit_length() - 24, 0)
    low, rest = divmod(size, unit)
    up = 2 * rest > unit or (2 * rest == unit and low & 1)
    return float((low + up) * unit) * (-1 if number < 0 else 1)


def toward_zero(value, low, high):
    if value != value:
        return high
    if abs(value) == float("inf"):
        return high if value > 0 else low
    return min(max(int(Fraction(value)), low), high)


CASES = [("vortex-2024", level) for level in "023s"] + [("vortex-2022", level) for level in "02"]


@pytest.mark.parametrize(("target", "level"), CASES)
def test_whole_numbers_are_pythons(target, level, folder):
    pairs = [(int(a), int(b) or 1) for a, b in RANDOM.choice(np.array(EDGES, np.uint64), (16, 2))]
    pairs += [(int(a) >> int(s), (int(b) >> int(t)) or 1) for (a, b), (s, t) in zip(
        RANDOM.integers(0, WIDE, (14, 2), dtype=np.uint64), RANDOM.integers(0, 64, (14, 2)), strict=True)]  # fmt: skip
    pairs += [(HALF, WIDE - 1), (WIDE - 1, HALF)]
    a, b = (np.array(column, np.uint64).view(np.int64) for column in zip(*pairs, strict=True))
    found = run(target, level, folder, "whole", len(pairs), a=a, b=b, out=np.zeros(10 * len(pairs), np.int64))["out"].reshape(-1, 10)
    for pair, row in zip(pairs, found.tolist(), strict=True):
        assert [number % WIDE for number in row] == [number % WIDE for number in whole_model(*pair)], pair


@pytest.mark.parametrize(("target", "level"), CASES)
def test_conversions_round_once_and_stop_at_the_ends(target, level, folder):
    halves = [(1 << 40) + (1 << 16), (1 << 40) + (3 << 16), (1 << 40) + (1 << 16) + 1, 0xFFFFFF8000000000, 0xFFFFFF7FFFFFFFFF]
    numbers = [*EDGES, *halves, *(int(n) >> int(s) for n, s in zip(
        RANDOM.integers(0, WIDE, 9, dtype=np.uint64), RANDOM.integers(0, 64, 9), strict=True))]  # fmt: skip
    values = [0.0, -0.0, 0.5, -0.99, 1.5, -1.0, 2.0**31, -(2.0**32), 2.0**62, 2.0**63, -(2.0**63), 2.0**64, 1e30, -1e30, 1e-40]
    values += [float("inf"), -float("inf"), float("nan"), 16777215.0, -123456792.0, 2.0**63 - 2.0**39, 2.0**64 - 2.0**40]
    values += (RANDOM.standard_normal(10).astype(np.float32) * np.float32(2) ** RANDOM.integers(0, 66, 10)).astype(np.float32).tolist()
    assert len(numbers) == len(values) == 32
    buffers = {"a": np.array(numbers, np.uint64).view(np.int64), "f": np.array(values, np.float32)}
    found = run(target, level, folder, "floats", 32, **buffers, out=np.zeros(64, np.int64), g=np.zeros(64, np.float32))
    for number, (of_signed, of_unsigned) in zip(numbers, found["g"].reshape(-1, 2).tolist(), strict=True):
        assert (of_signed, of_unsigned) == (nearest_float(signed(number)), nearest_float(number)), number
    for value, (whole, natural) in zip(values, found["out"].reshape(-1, 2).tolist(), strict=True):
        exact = struct.unpack("f", struct.pack("f", value))[0]
        assert (whole, natural % WIDE) == (toward_zero(exact, -HALF, HALF - 1), toward_zero(exact, 0, WIDE - 1)), value


def test_by_zero_is_as_the_instructions_of_32_bits_have_it(folder):
    a, b = np.array([5, -5], np.int64), np.zeros(2, np.int64)
    found = run("vortex-2024", "2", folder, "whole", 2, a=a, b=b, out=np.zeros(20, np.int64))["out"].reshape(2, 10)
    assert found[:, [2, 4]].tolist() == [[-1, 5], [-1, -5]]


def test_double_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "kernel.c"
    path.write_text("#include <warploom.h>\nkernel void k(double *x) { x[global_id()] *= 2.5; }\n")
    with pytest.raises(SourceError) as caught:
        compile_c([path])
    assert "it computes with double, which this target has not (__muldf3)" in str(caught.value)
    assert "write float, constants as 1.0f" in str(caught.value)


def test_ordinary_riscv_code_has_them_too(tmp_path):
    path = tmp_path / "divide.c"
    path.write_text(DIVIDE)
    program = load(path, "riscv", options=Options(path=str(path), threads=2))
    result = GPU("sm", engine="python").run(program)
    assert result.read(0x10000, 16).view(np.int64).tolist() == [10**17 // 3, -(10**17 // 4)]
