"""What programs for numba.cuda ask for: numbers in texts, generators by the module's name, functions that numba.jit made, defaults."""

import math
import sys

import numba
import numpy as np
import pytest

from warploom import cuda
from warploom.kernel.library.random import create_xoroshiro128p_states
from warploom.kernel.script import run_script


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


class Foreign:
    """What another package's array offers."""

    def __init__(self, array, **other):
        self.array, self.other = array, other

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__ | self.other


@cuda.jit
def counted_up(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += i


def test_arrays_of_other_packages_lie_where_they_lie():
    ours = cuda.to_device(np.zeros(6, np.int32))
    counted_up[1, 32](Foreign(ours))
    assert ours.copy_to_host().tolist() == [0, 1, 2, 3, 4, 5]
    counted_up[1, 32](Foreign(ours[::-2]))
    assert ours.copy_to_host().tolist() == [0, 3, 2, 4, 4, 5]
    taken = cuda.as_cuda_array(Foreign(ours[1:3]))
    taken[0] = 9
    assert ours[1] == 9 and cuda.as_cuda_array(ours) is ours
    assert cuda.is_cuda_array(ours) and cuda.is_cuda_array(Foreign(ours)) and not cuda.is_cuda_array(np.zeros(1))


def test_what_is_not_in_the_devices_memory_is_refused():
    ours = cuda.to_device(np.zeros(6, np.int32))
    with pytest.raises(TypeError, match="has no __cuda_array_interface__"):
        cuda.as_cuda_array(np.zeros(1))
    with pytest.raises(ValueError, match="is not in the memory of this GPU"):
        counted_up[1, 32](Foreign(ours, data=(1 << 40, False)))
    with pytest.raises(NotImplementedError, match="masked"):
        cuda.as_cuda_array(Foreign(ours, mask=Foreign(ours)))


SECOND_NAME = """
import numba_cuda_mlir
from numba_cuda_mlir import cuda, types
from numba_cuda_mlir.cuda.random import create_xoroshiro128p_states
import numpy as np

@cuda.jit(types.void(types.float32[:]))
def one(a):
    a[0] = numba_cuda_mlir.cuda.threadIdx.x + 1

a = np.zeros(1, np.float32)
one[1, 1](a)
print(a)
"""


def test_the_dialects_second_name(tmp_path, capsys):
    file = tmp_path / "second.py"
    file.write_text(SECOND_NAME, "utf-8")
    run_script(file)
    assert "[1.]" in capsys.readouterr().out
    assert "numba_cuda_mlir" not in sys.modules
