"""What programs ask of a kernel and of the device, by numba.cuda's names."""

import enum
import re
from typing import NamedTuple

import numpy as np
import pytest
from numba import float32, float64, int32, int64, typeof, types, void

import warploom
from warploom import cuda
from warploom.kernel.launch.inspecting import types_of
from warploom.kernel.launch.signature import kind_of
from warploom.kernel.script import run_script

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
    checked = kernel.get_regs_per_thread()
    kernel[1, 32](np.ones(32, np.float32), np.zeros(32, np.float32))
    kernel.check[1, 32](np.ones(32, np.float32), np.zeros(32, np.float32), schedule=False)
    real = float32[::1]
    plain = next(built for (_, _, check), built in kernel.programs.items() if not check)
    assert kernel.get_regs_per_thread() == checked == {(real, real): plain.program.registers}
    assert kernel.get_shared_mem_per_block((real, real)) == 32 * 4
    assert kernel.get_local_mem_per_thread("void(float32[:], float32[:])") == 3 * 8
    assert kernel.get_const_mem_size(void(real, real)) == TABLE.nbytes
    assert kernel.get_max_threads_per_block() == {(real, real): 1024}
    assert kernel.on(warploom.GPU("sm")).programs == {}


ASKS = """
import numpy as np
from numba import cuda

@cuda.jit(["void(float32[:], int8)", "void(float64[:], int8)"])
def indexed(x, n):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += n

for dtype in np.float32, np.float64:
    x = np.ones(48, dtype)
    indexed[2, 32](x, 3)
print(indexed.get_regs_per_thread(), indexed.get_local_mem_per_thread(), len(indexed.listing()))
"""


def test_a_script_is_told_the_same_with_checks_as_without(tmp_path, capsys):
    script = tmp_path / "asks.py"
    script.write_text(ASKS, "utf-8")
    run_script(script, gpu=warploom.GPU("sm", engine="python"))
    without = capsys.readouterr().out
    assert all(one.clean for one in warploom.check(script, engine="python"))
    assert capsys.readouterr().out == without
    assert "(Array(float64, 1, 'C', False, aligned=True), int8): " in without and "int64" not in without


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


def test_a_packed_array_has_types_and_numbers_of_its_own():
    packed, spaced = np.zeros(5, [("tag", np.uint8), ("value", np.float64)])["value"], np.zeros(10)[::2]
    aligned, unaligned = float64[:], types.Array(float64, 1, "A", aligned=False)
    alone = {}
    for kind, x in ((aligned, spaced), (unaligned, packed)):
        kernel = cuda.jit(product).on(warploom.GPU("sm", engine="python"))
        kernel[1, 1](np.zeros(4), x)
        alone[kind] = kernel.get_regs_per_thread()[float64[::1], kind]
        assert kernel.get_regs_per_thread((float64[:], typeof(x))) == alone[kind]
    assert alone[unaligned] > alone[aligned]
    for arrays in ((packed, spaced), (spaced, packed)):
        kernel = cuda.jit(product).on(warploom.GPU("sm", engine="python"))
        for x in arrays:
            kernel[1, 1](np.zeros(4), x)
        assert kernel.get_regs_per_thread() == {(float64[::1], kind): number for kind, number in alone.items()}
        for kind, number in alone.items():
            assert kernel.get_regs_per_thread((float64[:], kind)) == kernel.get_regs_per_thread((float64[::1], kind)) == number
        assert kernel.get_regs_per_thread("float64[:], float64[:]") == alone[aligned]


def product(out, x):
    out[0] = x[0] + x[1] * x[2]


@pytest.mark.parametrize("dtype", [np.complex128, np.float16, "U3", "S3", "M8[D]", [("a", np.uint8), ("b", np.float64)]], ids=str)
def test_the_type_of_an_array_is_that_of_numba(dtype):
    x = np.zeros(3, dtype)
    assert types_of((kind_of(x),)) == (typeof(x),)
    assert types_of((kind_of(np.zeros(3, np.dtype([("a", np.int64), ("b", np.int32)], align=True))["b"]),)) == (int32[:],)


def test_of_programs_for_the_same_types_the_largest_number_counts():
    def kernel(out, n):
        i = cuda.grid(1)
        out[i] = (n + i) * (n - i)

    sizes = [3, -3]
    numbers = []
    for n in sizes:
        one = cuda.jit(kernel).on(warploom.GPU("sm", engine="python"))
        one[1, 1](np.zeros(1, np.int64), n)
        numbers.append(one.get_regs_per_thread((int64[:], int64)))
    assert numbers[0] < numbers[1]
    for order in (sizes, sizes[::-1]):
        both = cuda.jit(kernel).on(warploom.GPU("sm", engine="python"))
        for n in order:
            both[1, 1](np.zeros(1, np.int64), n)
        assert len(both.programs) == 2 and both.get_regs_per_thread() == {(int64[::1], int64): numbers[1]}


class Colour(enum.IntEnum):
    RED = 1


class Point(NamedTuple):
    x: float
    y: float


class Tagged(NamedTuple):
    colour: Colour
    point: tuple


@pytest.mark.parametrize(
    "argument",
    [
        Point(1.0, 2.0), Point(1, 2.0), (1, 2.0), (1, 2), Colour.RED, (Colour.RED, 2.5), Tagged(Colour.RED, (1, Point(1, 2))),
        np.datetime64("2026-01-01"), np.timedelta64(3, "s"), None, np.float32(1), True,
    ],
    ids=str,
)  # fmt: skip
def test_a_signature_is_that_which_numba_gives(argument):
    def kernel(out, given):
        out[0] = 1

    run, out = cuda.jit(kernel).on(warploom.GPU("sm", engine="python")), np.zeros(1)
    run[1, 1](out, argument)
    (number,) = run.get_regs_per_thread().values()
    assert run.get_regs_per_thread((typeof(out), typeof(argument))) == number
    if type(argument) is Point:
        assert list(run.get_regs_per_thread()) == [(typeof(out), typeof(argument))]
        with pytest.raises(ValueError, match=r"^the kernel has been compiled for \(array\(float64, 1d, C\), Point\(.*, not for "):
            run.get_regs_per_thread((typeof(out), typeof(tuple(argument))))


@pytest.mark.parametrize(
    "signature", ["float64[:]", "nonsense[", "foo(bar)", "(float64, 3)", "1 / 0", "", 3, float64[:], (float64, 3)], ids=str
)
def test_what_is_no_signature(signature):
    kernel = cuda.jit(summed).on(warploom.GPU("sm", engine="python"))
    kernel[1, 32](np.ones((32, 2), np.float32), 1)
    said = f'{signature!r} is not a signature: write a tuple of types or its text, as "(float64[:],)"'
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$") as found:
        kernel.get_max_threads_per_block(signature)
    assert found.value.__suppress_context__


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


def test_the_overloads_are_the_signatures_of_the_launches():
    def kernel(out, n):
        out[0] = n

    run = cuda.jit(kernel).on(warploom.GPU("sm", engine="python"))
    assert list(run.overloads) == [] and not run.overloads
    run[1, 1](np.zeros(1), 2)
    assert list(run.overloads) == list(run.overloads.keys()) == [(float64[::1], int64)] and len(run.overloads) == 1
    assert run.overloads[(float64[::1], int64)].max_cooperative_grid_blocks(32) > 0


def test_what_has_brackets_ends_where_it_is_looped_over():
    run = cuda.jit(product).on(warploom.GPU("sm", engine="python"))
    for one in (run, run.check):
        with pytest.raises(ValueError, match="a launch has a grid and a block"):
            list(one)
    assert [float(x) for x in cuda.to_device(np.arange(3.0))] == [0.0, 1.0, 2.0]
