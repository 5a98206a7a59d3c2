"""What programs for numba.cuda ask for: numbers in texts, generators by the module's name, functions that numba.jit made, defaults."""

import math

import numba
import numpy as np
import pytest

from warploom import cuda
from warploom.kernel.random import create_xoroshiro128p_states


@cuda.jit
def limits(out):
    out[0] = float("inf")
    out[1] = -float("inf")
    out[2] = float("nan")
    out[3] = np.float32("1.5")
    out[4] = int("12")


def test_numbers_in_texts():
    out = np.zeros(5)
    limits[1, 1](out)
    assert out[:2].tolist() == [math.inf, -math.inf] and math.isnan(out[2]) and out[3:].tolist() == [1.5, 12]


@cuda.jit
def wrong_text(out):
    out[0] = float("many")


def test_a_text_without_a_number_is_a_mistake_with_its_place():
    with pytest.raises(ValueError, match="'many' is not a number that float\\(\\) can read"):
        wrong_text[1, 1](np.zeros(1))


@cuda.jit
def drawn(states, out):
    out[0] = cuda.random.xoroshiro128p_uniform_float32(states, 0)


def test_a_generator_by_the_modules_name():
    out = np.zeros(1, np.float32)
    drawn[1, 1](create_xoroshiro128p_states(1, seed=1), out)
    assert 0 < out[0] < 1


@numba.njit
def one_more(x):
    return x + 1


on_the_device = cuda.jit(device=True)(one_more)


@cuda.jit
def counted(a):
    a[0] = one_more(a[0])
    a[1] = on_the_device(a[1])


def test_a_function_that_numba_has_decorated_is_taken_and_stays_numbas():
    a = np.zeros(2)
    counted[1, 1](a)
    assert a.tolist() == [1, 1]
    assert one_more(1) == 2


@cuda.jit
def filled(a, value=7, more=0):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = value + more


def test_a_parameter_that_is_not_given_has_its_default():
    a = np.zeros(4, np.int32)
    filled[1, 4](a)
    assert a.tolist() == [7] * 4
    filled[1, 4](a, 1)
    assert a.tolist() == [1] * 4
    with pytest.raises(TypeError, match=r"filled\(\) takes 3 arguments \(a, value, more\), 0 are given"):
        filled[1, 4]()


@pytest.mark.parametrize("dtype", [">f8", ">i4", ">M8[s]", np.dtype([("a", ">f4"), ("b", "<i4")])], ids=str)
def test_the_other_byte_order_is_refused(dtype):
    given = np.zeros(2, dtype)
    with pytest.raises(TypeError, match=r"has the other byte order; give x\.astype"):
        filled[1, 2](given, 1)


@cuda.jit
def large_tile(out):
    s = cuda.shared.array(12289, np.int32)
    s[cuda.threadIdx.x] = 1
    out[0] = s[0]


def test_static_shared_memory_has_a_limit():
    with pytest.raises(TypeError, match=r"large_tile has 49168 bytes of static shared memory, and a kernel may have 49152"):
        large_tile[1, 32](np.zeros(1))


def test_a_copy_of_other_items_is_refused():
    with pytest.raises(TypeError, match="incompatible dtype"):
        cuda.to_device(np.zeros(3)).copy_to_host(np.zeros(3, np.float32))


def test_events_are_of_simulated_time():
    begin, end = cuda.event(), cuda.event()
    begin.record()
    filled[1, 4](np.zeros(4, np.int32))
    end.record()
    cycles, clock = filled.result.cycles, filled.result.config.gpu.clock
    assert cuda.event_elapsed_time(begin, end) == pytest.approx(cycles / (clock * 1e3))
