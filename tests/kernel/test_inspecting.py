"""What programs ask of a kernel and of the device, by numba.cuda's names."""

import re

import numpy as np
import pytest
from numba import float32, float64, int64, void

import warploom
from warploom import cuda

TABLE = np.arange(4, dtype=np.float32)


def smoothed(x, out):
    s = cuda.shared.array(32, np.float32)
    c = cuda.const.array_like(TABLE)
    window = cuda.local.array(3, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t] * c[t % 4]
    for k in range(3):
        window[k] = s[(t + k) % 32]
    out[t] = window[t % 3]


def test_registers_and_memory_of_a_compiled_kernel():
    kernel = cuda.jit(smoothed)
    with pytest.raises(ValueError, match=r"^the kernel has not been compiled yet: launch it first$"):
        kernel.get_regs_per_thread()
    kernel.check[1, 32](np.ones(32, np.float32), np.zeros(32, np.float32), schedule=False)
    with pytest.raises(ValueError, match=r"^the kernel has not been compiled yet: launch it first$"):
        kernel.get_regs_per_thread()
    kernel[1, 32](np.ones(32, np.float32), np.zeros(32, np.float32))
    kernel.check[1, 32](np.ones(32, np.float32), np.zeros(32, np.float32), schedule=False)
    real = float32[::1]
    plain = next(built for (_, _, check), built in kernel.programs.items() if not check)
    assert kernel.get_regs_per_thread() == {(real, real): plain.program.registers}
    assert kernel.get_shared_mem_per_block((real, real)) == 32 * 4
    assert kernel.get_local_mem_per_thread("void(float32[:], float32[:])") == 3 * 8
    assert kernel.get_const_mem_size(void(real, real)) == TABLE.nbytes
    assert kernel.get_max_threads_per_block() == {(real, real): 1024}
    assert kernel.on(warploom.GPU("sm")).programs == {}


def test_of_several_signatures_each_has_its_own_numbers():
    kernel = cuda.jit(summed).on(warploom.GPU("sm", set={"core.warps": 4}, engine="python"))
    kernel[1, 32](np.ones((32, 2), np.float32), 1)
    kernel[1, 32](np.ones((32, 4), np.float64)[:, ::2], 1)
    small, large = (float32[:, ::1], int64), (float64[:, :], int64)
    both = kernel.get_regs_per_thread()
    assert set(both) == {small, large} and both[large] > both[small]
    assert kernel.get_regs_per_thread((float64[:, ::1], int64)) == both[large]
    assert kernel.get_max_threads_per_block(small) == 128
    compiled = "(array(float32, 2d, C), int64) or (array(float64, 2d, A), int64)"
    said = f"the kernel has been compiled for {compiled}, not for (array(float32, 1d, A), int64): launch it with such arguments first"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        kernel.get_regs_per_thread((float32[:], int64))


def summed(x, n):
    i = cuda.grid(1)
    x[i, 0] += x[i, n]


def test_what_only_a_compiler_for_ptx_has_names_the_listing():
    kernel = cuda.jit(smoothed)
    with pytest.raises(AttributeError, match=r"^a kernel has no inspect_asm here, it becomes no PTX: kernel.listing\(\) shows its source"):
        kernel.inspect_asm()
    with pytest.raises(AttributeError, match=r"^a kernel has no 'lunch'$"):
        kernel.lunch(1)
    assert not hasattr(kernel, "inspect_sass")


def test_the_device_and_its_context():
    assert repr(cuda.get_current_device()) == "<CUDA device 0 b'warploom sm'>"
    cuda.current_context().synchronize()
