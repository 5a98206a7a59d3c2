"""Warp operations, barriers with reductions, and atomics."""

import numpy as np
import pytest

from warploom import cuda

FULL = 0xFFFFFFFF


@pytest.mark.parametrize("dtype", [np.int32, np.uint64, np.float32, np.float64], ids=str)
def test_shuffles(dtype):
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        out[0, i] = cuda.shfl_sync(FULL, x[i], 5)
        out[1, i] = cuda.shfl_up_sync(FULL, x[i], 3)
        out[2, i] = cuda.shfl_down_sync(FULL, x[i], 3)
        out[3, i] = cuda.shfl_xor_sync(FULL, x[i], 6)

    x = (np.arange(32) * 3 + 2**20).astype(dtype)
    out = np.zeros((4, 32), dtype)
    k[1, 32](x, out)
    lane = np.arange(32)
    expected = [x[[5] * 32], x[np.where(lane < 3, lane, lane - 3)], x[np.where(lane > 28, lane, lane + 3)], x[lane ^ 6]]
    np.testing.assert_array_equal(out, expected)


def test_votes_and_matches():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        if i != 3:
            out[0, i] = cuda.ballot_sync(FULL, x[i] > 4)
            out[1, i] = cuda.activemask()
            out[2, i] = cuda.all_sync(FULL, x[i] >= 0)
            out[3, i] = cuda.any_sync(FULL, x[i] > 1000)
            out[4, i] = cuda.match_any_sync(FULL, x[i])
            out[5, i] = cuda.popc(cuda.lanemask_lt())

    x = (np.arange(32) % 8).astype(np.int64)
    out = np.zeros((6, 32), np.uint32)
    k[1, 32](x, out)
    active = FULL & ~(1 << 3)
    bits = [sum(1 << i for i in range(32) if i != 3 and test(x[i])) for test in (lambda v: v > 4, lambda v: True)]
    others = [i for i in range(32) if i != 3]
    assert set(out[0, others].tolist()) == {bits[0]} and set(out[1, others].tolist()) == {active}
    assert set(out[2, others].tolist()) == {1} and set(out[3, others].tolist()) == {0}
    assert [int(out[4, i]) for i in others] == [sum(1 << j for j in others if x[j] == x[i]) for i in others]
    assert out[5].tolist() == [i if i != 3 else 0 for i in range(32)]


def test_barriers_count():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        out[0, i] = cuda.syncthreads_count(x[i] > 10)
        out[1, i] = cuda.syncthreads_and(x[i] >= 0)
        out[2, i] = cuda.syncthreads_or(x[i] > 1000)

    out = np.zeros((3, 96), np.int32)
    k[1, 96](np.arange(96), out)
    assert [set(row.tolist()) for row in out] == [{85}, {1}, {0}]


OPERATIONS = {
    "add": lambda old, v: old + v, "sub": lambda old, v: old - v, "max": max, "min": min, "and_": lambda old, v: old & v,
    "or_": lambda old, v: old | v, "xor": lambda old, v: old ^ v, "exch": lambda old, v: v,
    "inc": lambda old, v: 0 if old >= v else old + 1, "dec": lambda old, v: v if old == 0 or old > v else old - 1,
}  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("where", ["global", "shared"])
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64], ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_atomics(name, dtype, where):
    whole = np.dtype(dtype).kind in "iu"
    if (name in ("inc", "dec") and np.dtype(dtype).kind != "u") or (name in ("and_", "or_", "xor", "exch") and not whole):
        pytest.skip("there is no such operation")
    operation = getattr(cuda.atomic, name)

    @cuda.jit
    def on_global(a, x, old):
        i = cuda.grid(1)
        old[i] = operation(a, i % 3, x[i])

    @cuda.jit
    def on_shared(a, x, old):
        s = cuda.shared.array(3, dtype)
        i = cuda.grid(1)
        if i < 3:
            s[i] = a[i]
        cuda.syncthreads()
        old[i] = operation(s, i % 3, x[i])
        cuda.syncthreads()
        if i < 3:
            a[i] = s[i]

    a = np.array([7, 5, 9], dtype)
    x = ((np.arange(16) * 5) % 11).astype(dtype)
    old = np.zeros(16, dtype)
    expected, before = a.tolist(), []
    for i in range(16):  # lanes take their turns from the lowest on
        before.append(expected[i % 3])
        expected[i % 3] = OPERATIONS[name](expected[i % 3], x[i].item())
    (on_global if where == "global" else on_shared)[1, 16](a, x, old)
    wrap = 2 ** (8 * np.dtype(dtype).itemsize)
    assert a.tolist() == [np.array(v % wrap if whole else v).astype(dtype).item() for v in expected]
    assert old.tolist() == [np.array(v % wrap if whole else v).astype(dtype).item() for v in before]


def test_compare_and_swap_and_nans():
    @cuda.jit
    def k(a, f, old):
        i = cuda.grid(1)
        old[i] = cuda.atomic.cas(a, 0, i, i + 1)
        cuda.atomic.max(f, 0, 3.0)
        cuda.atomic.nanmax(f, 1, 3.0)

    a, old, f = np.zeros(1, np.int32), np.zeros(4, np.int32), np.array([np.nan, np.nan])
    k[1, 4](a, f, old)
    assert (a.tolist(), old.tolist()) == ([4], [0, 1, 2, 3])
    assert np.isnan(f[0]) and f[1] == 3


def test_random_numbers_are_those_of_xoroshiro():
    from warploom.kernel.library.random import create_xoroshiro128p_states, xoroshiro128p_next, xoroshiro128p_uniform_float64

    @cuda.jit
    def k(states, bits, uniform):
        i = cuda.grid(1)
        bits[i] = xoroshiro128p_next(states, i)
        uniform[i] = xoroshiro128p_uniform_float64(states, i)

    states = create_xoroshiro128p_states(4, seed=1)
    s0, s1 = (states.copy_to_host()[name] for name in ("s0", "s1"))
    bits, uniform = np.zeros(4, np.uint64), np.zeros(4)
    k[1, 4](states, bits, uniform)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(bits, s0 + s1)
    assert len(set(bits.tolist())) == 4 and ((uniform >= 0) & (uniform < 1)).all()


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64])
def test_shuffles_move_all_bits_beside_a_loop(dtype):
    @cuda.jit
    def k(x, out, n):
        t = cuda.threadIdx.x
        s = x[t]
        for i in range(n):
            s += cuda.shfl_xor_sync(0xFFFFFFFF, s, 1 << i)
        neighbour = cuda.shfl_xor_sync(0xFFFFFFFF, x[t], 1)  # nothing else wants the high word of x[t]
        out[t] = s if neighbour == x[t ^ 1] else 0

    x, out = np.arange(32).astype(dtype) * dtype(1 << 40), np.zeros(32, dtype)
    k[1, 32](x, out, 5)
    assert (out == x.sum()).all()
