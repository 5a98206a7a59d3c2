"""What programs ask of a kernel and of the device, by numba.cuda's names."""

import numpy as np
import pytest

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
    kernel[1, 32](np.ones(32, np.float32), np.zeros(32, np.float32))
    assert kernel.get_regs_per_thread() == next(iter(kernel.programs.values())).program.registers > 0
    assert kernel.get_shared_mem_per_block() == 32 * 4
    assert kernel.get_local_mem_per_thread() == 3 * 8
    assert kernel.get_const_mem_size() == TABLE.nbytes
    assert kernel.get_max_threads_per_block() == 1024


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
