"""Small kernels whose values Python, PTX and Numba agree on: chosen values, counted bits, shifted constants, rests beside denormals."""

import math

import numpy as np
import pytest

from warploom import cuda

DIGITS = 0x0FEDCBA987654321


@cuda.jit
def choose(count, other, weight, out, weights):
    i = cuda.grid(1)
    out[i, 0] = count[i] or 7
    out[i, 1] = count[i] and other[i]
    parts = count[i] or other[i] or 3
    out[i, 2] = 100 // parts
    weights[i] = weight[i] or np.float32(0.5)


def test_or_and_and_give_one_of_their_values():
    count, other = np.array([0, 4, 5, 0], np.int32), np.array([9, 8, 0, 0], np.int32)
    weight = np.array([0, 2.5, -3, 0], np.float32)
    out, weights = np.zeros((4, 3), np.int64), np.zeros(4, np.float32)
    choose[1, 4](count, other, weight, out, weights)
    pairs = zip(count.tolist(), other.tolist(), strict=True)
    assert out.tolist() == [[c or 7, c and o, 100 // (c or o or 3)] for c, o in pairs]
    assert weights.tolist() == [one or 0.5 for one in weight.tolist()]


@cuda.jit
def bits(x, out):
    i = cuda.grid(1)
    out[i, 0] = cuda.clz(x[i])
    out[i, 1] = cuda.popc(x[i])


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int64])
def test_bits_are_counted_in_the_width_of_the_type(kind):
    size, least = np.iinfo(kind).bits, int(np.iinfo(kind).min)
    values = [0, 1, 6, 1 << (size - 2), least or (1 << size) - 1]
    out = np.zeros((5, 2), np.int64)
    bits[1, 5](np.array(values, kind), out)
    whole = [value % (1 << size) for value in values]
    assert out.tolist() == [[size - value.bit_length(), value.bit_count()] for value in whole]


@cuda.jit
def looked_up(out):
    i = cuda.grid(1)
    out[i, 0] = (DIGITS >> (4 * i)) & 15
    out[i, 1] = (1 << 40) >> i
    out[i, 2] = -(1 << 40) >> i
    out[0, 3] = cuda.brev(np.int32(1))


def test_constants_of_more_than_32_bits_are_shifted_whole():
    out = np.zeros((16, 4), np.int64)
    looked_up[1, 16](out)
    assert out[:, :3].tolist() == [[(DIGITS >> (4 * i)) & 15, (1 << 40) >> i, -(1 << 40) >> i] for i in range(16)]
    assert out[0, 3] == 1 << 31  # an unsigned one


@cuda.jit
def rest(x, y, out):
    i = cuda.grid(1)
    out[i] = math.fmod(x[i], y[i])


def test_the_rest_of_a_division_by_a_denormal_number_comes_to_its_end():
    x, y = np.array([7.5, 1.0, 1.0]), np.array([2.0, 2.2e-308, 1e-310])
    out = np.zeros(3)
    rest[1, 3](x, y, out)
    assert out.tolist() == [math.fmod(a, b) for a, b in zip(x, y, strict=True)]
