"""Launches: grids of one to three dimensions, arrays as they lie, what comes back, what is refused."""

import math

import numpy as np
import pytest

import warploom
from warploom import cuda
from warploom.kernel.launch.launch import KernelError, KernelWarning


@cuda.jit
def numbered(out):
    x, y, z = cuda.grid(3)
    sx, sy, sz = cuda.gridsize(3)
    if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
        out[x, y, z] = (x * 100 + y) * 100 + z + (sx + sy + sz) * 0


@pytest.mark.parametrize(("grid", "block"), [((2, 3, 2), (4, 2, 3)), ((1, 1, 6), (8, 6, 1)), ((8, 6, 6), 1)])
def test_threads_know_their_place_in_three_dimensions(grid, block):
    out = np.zeros((8, 6, 6), np.int64)
    numbered[grid, block](out)
    x, y, z = np.indices(out.shape)
    np.testing.assert_array_equal(out, (x * 100 + y) * 100 + z)


@cuda.jit
def doubled(a):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j] *= 2


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"],
)
def test_arrays_of_all_types_as_they_lie(dtype):
    whole = np.arange(400).reshape(20, 20).astype(dtype)
    for view in (whole, whole.T, whole[::2, ::-3], np.asfortranarray(whole), whole[3:4, 5:9]):
        expected = view * np.array(2, dtype)
        doubled[(3, 3), (8, 8)](view)
        np.testing.assert_array_equal(view, expected)


def test_an_index_below_zero_counts_from_the_end():
    @cuda.jit
    def last(a, out, k):
        out[0] = a[-1]
        out[1] = a[-k]
        out[2] = a[k - 5]

    out = np.zeros(3, np.int32)
    with pytest.warns(KernelWarning, match="this index may be -5"):
        last[1, 1](np.arange(10, dtype=np.int32), out, 3)
    assert out.tolist() == [9, 7, 8]


def test_numbers_that_need_64_bits_have_them():
    @cuda.jit
    def add(a, b, out):
        out[0] = a + b

    out = np.zeros(1, np.int64)
    for a, b in ((1, 2), (-1, 2), (2**40, 2**41), (2**63 - 1, 1), (-(2**62), -5)):
        add[1, 1](a, b, out)
        assert out[0] == (a + b + 2**63) % 2**64 - 2**63
    assert len(add.programs) == 5  # each of the numbers not negative, of 32 bits, or of 64


def test_device_arrays_stay_in_the_device():
    x = cuda.to_device(np.arange(12, dtype=np.float32).reshape(3, 4))
    doubled[1, (4, 4)](x)
    doubled[1, (4, 4)](x[1:, ::2])
    expected = 2 * np.arange(12, dtype=np.float32).reshape(3, 4)
    expected[1:, ::2] *= 2
    np.testing.assert_array_equal(x.copy_to_host(), expected)
    assert x.reshape(12).shape == (12,) and x.T.shape == (4, 3)
    other = cuda.device_array_like(x)
    other.copy_to_device(x)
    np.testing.assert_array_equal(other.copy_to_host(), expected)


def test_the_same_array_twice_is_one_array():
    @cuda.jit
    def swap(a, b):
        i = cuda.grid(1)
        a[i] = b[7 - i] + 1

    a = np.zeros(8, np.int32)
    swap[1, 8](a, a)
    assert a.tolist() == [1] * 8


def test_an_array_that_is_only_taken_in_is_not_copied_back():
    a = np.ones((2, 2), np.float32)
    doubled[1, (2, 2)](cuda.In(a))
    assert a.tolist() == [[1, 1], [1, 1]]


def test_an_access_outside_is_a_fault_in_words_of_the_source():
    @cuda.jit
    def outside(a):
        a[cuda.grid(1) + 3] = 1

    with pytest.raises(
        KernelError,
        match=r"test_launch.py:\d+ \(a\[cuda.grid\(1\) \+ 3\] = 1\): a\[10\]: it has 10 elements, thread \(7,0,0\) of block \(0,0,0\)",
    ):
        outside[1, 8](np.zeros(10, np.int32))


@pytest.mark.parametrize("engine", ["python", "native"])
def test_of_accesses_outside_in_one_cycle_the_first_is_told(engine):
    """Warps of two schedulers store in the same cycle, and both miss the array."""

    @cuda.jit
    def outside(a):
        a[cuda.grid(1)] = 1

    with pytest.raises(KernelError, match=r"a\[10\]: it has 10 elements, thread \(10,0,0\) of block \(0,0,0\)"):
        outside.on(warploom.GPU("sm", engine=engine))[2, 32](np.zeros(10, np.int32))


@pytest.mark.parametrize("configuration", [(0, 32), (1, 0), (1, 1025), (1, (32, 32, 2)), ((1, 1, 1, 1), 1)])
def test_grids_that_cannot_be(configuration):
    with pytest.raises(ValueError):
        doubled[configuration]


def test_a_number_of_blocks_is_whole():
    with pytest.raises(TypeError, match=r"grid = 2\.5: a number of blocks is whole; use // for division"):
        doubled[2.5, 32]


def test_arguments_are_counted_and_named():
    with pytest.raises(TypeError, match=r"doubled\(\) takes 1 argument \(a\), 2 are given"):
        doubled[1, 1](np.zeros((1, 1)), 3)
    with pytest.raises(TypeError, match="doubled: the argument 'a': a value of type dict is nothing"):
        doubled[1, 1]({})


@pytest.mark.parametrize("mechanism", ["stack", "minpc", "its", "dwf"])
def test_every_divergence_mechanism_gives_the_same(mechanism):
    @cuda.jit
    def collatz(x, out):
        i = cuda.grid(1)
        if i < x.size:
            n = x[i]
            steps = 0
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
            out[i] = steps

    def steps(n):
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    x = np.arange(1, 60, dtype=np.int64)
    out = np.zeros_like(x)
    kernel = collatz.on(warploom.GPU("sm", set={"core.divergence": mechanism}, engine="python"))
    kernel[2, 32](x, out)
    assert out.tolist() == [steps(int(n)) for n in x]
    assert kernel.result.cycles > 0


def test_spilled_registers_lose_nothing():
    def many(a, out):
        i = cuda.grid(1)
        total = 0.0
        p0, p1, p2, p3, p4, p5, p6, p7 = a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]
        for k in range(a.size):
            total += a[k] * i
        out[i] = total + p0 + p1 * 2 + p2 * 3 + p3 * 4 + p4 * 5 + p5 * 6 + p6 * 7 + p7 * 8

    a, few, all_of_them = np.arange(1.0, 9.0), np.zeros(32), np.zeros(32)
    cuda.jit(many)[1, 32](a, all_of_them)
    small = cuda.jit(max_registers=16)(many)
    small[1, 32](a, few)
    np.testing.assert_array_equal(few, all_of_them)
    built = next(iter(small.programs.values()))
    assert built.program.registers <= 16 and built.compiled.spilled > 0


def test_a_limit_of_registers_below_the_least_is_raised_with_a_warning():
    @cuda.jit(max_registers=3)
    def crowded(x):
        x[0] = x[1] + x[2] * x[3]

    x = np.array([0.0, 1.0, 2.0, 3.0])
    with pytest.warns(cuda.KernelWarning, match=r"max_registers=3 is less than crowded can be compiled for: it has 8"):
        crowded[1, 1](x)
    assert x[0] == 7 and 3 < next(iter(crowded.programs.values())).program.registers <= 8


def test_print_and_errors_reach_the_host(capsys):
    @cuda.jit(debug=True)
    def talk(a):
        i = cuda.grid(1)
        if i == 2:
            print("thread", i, "has", a[i], a[i] > 1)
        if a[i] > 100:
            raise ValueError("too large", i)

    talk[1, 4](np.array([0.5, 1.5, 2.5, 3.5]))
    assert capsys.readouterr().out == "thread 2 has 2.5 True\n"
    with pytest.raises(ValueError, match=r"tid=\[1, 0, 0\] ctaid=\[0, 0, 0\]: too large, 1"):
        talk[1, 4](np.array([0.5, 1000.0, 2.5, 3.5]))


def test_functions_for_kernels_are_translated_in_place():
    scale = 3

    @cuda.jit(device=True)
    def clamp(x, low=0.0, high=1.0):
        if x < low:
            return low
        if x > high:
            return high
        return x * scale / 3

    @cuda.jit
    def apply(a):
        i = cuda.grid(1)

        def twice(v):
            return 2 * v

        a[i] = twice(clamp(a[i], high=math.pi))

    a = np.array([-1.0, 0.25, 10.0])
    apply[1, 3](a)
    np.testing.assert_allclose(a, [0, 0.5, 2 * math.pi])


def test_shared_memory_as_large_as_the_launch_says():
    @cuda.jit
    def reverse(a):
        s = cuda.shared.array(0, np.float64)
        fixed = cuda.shared.array(4, np.int32)
        i = cuda.threadIdx.x
        fixed[i % 4] = i % 4
        s[i] = a[i]
        cuda.syncthreads()
        a[i] = s[cuda.blockDim.x - 1 - i] + fixed[i % 4] * 0 + s.size * 0

    a = np.arange(64.0)
    reverse[1, 64, 0, 64 * 8](a)
    np.testing.assert_array_equal(a, np.arange(64.0)[::-1])


def test_a_device_array_that_the_kernel_names_is_captured_by_its_place():
    prices = cuda.to_device(np.array([10.0, 25.0, 5.0], np.float32))

    @cuda.jit
    def totals(count, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = count[i] * prices[i]

    out = cuda.device_array(3, np.float32)
    totals[1, 32](np.ones(3, np.float32), out)
    assert out.copy_to_host().tolist() == [10, 25, 5]
    prices.copy_to_device(np.array([1, 2, 3], np.float32))
    totals[1, 32](np.ones(3, np.float32), out)
    assert out.copy_to_host().tolist() == [1, 2, 3]
    assert totals.check[1, 32](np.ones(3, np.float32), out).clean


def test_a_device_array_of_a_different_gpu_is_refused():
    x = cuda.to_device(np.zeros((1, 4)))
    with pytest.raises(TypeError, match="lies in the memory of a different GPU"):
        doubled.on(warploom.GPU("sm", engine="python"))[1, 4](x)


def test_forall_of_nothing_launches_nothing():
    @cuda.jit
    def fail(x):
        x[1000] = 1

    fail.forall(0)(np.zeros(1))
    assert fail.result is None
    with pytest.raises(ValueError, match=r"forall\(-1\): a number of threads is not negative"):
        fail.forall(-1)


def test_dates_are_numbers_of_their_units():
    @cuda.jit
    def find(dates, wanted, out):
        i = cuda.grid(1)
        if i < dates.size:
            out[i] = dates[i] == wanted

    dates = np.arange("2005-02", "2005-12", dtype="datetime64[M]")
    out = np.zeros(dates.size, np.bool_)
    find[1, 32](dates, dates[4], out)
    assert out.nonzero()[0].tolist() == [4]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            np.zeros(2, "M8[s]"),
            np.zeros(2, "m8[D]"),
            r"a of datetime64\[s\] and b of timedelta64\[D\]: a kernel sees dates",
        ),
        (np.zeros(2, "M8[s]"), np.datetime64("2020-01-02"), "one unit; convert one"),
        (np.array(["2020-01-01", "NaT"], "M8[D]"), np.zeros(2, "m8[D]"), "the argument 'a' holds NaT"),
    ],
)
def test_dates_that_are_not_numbers_of_one_unit_are_refused(first, second, said):
    @cuda.jit
    def copy(a, b):
        pass

    copy[1, 1](np.zeros(2, "M8[D]"), cuda.to_device(np.zeros(2, "m8[D]")))
    with pytest.raises(TypeError, match=said):
        copy[1, 1](first, second)


def test_arrays_that_change_places_in_a_loop_keep_their_own_bounds():
    @cuda.jit
    def smooth(u, v, steps):
        i = cuda.grid(1)
        grid = cuda.cg.this_grid()
        for _ in range(steps):
            if 0 < i < u.size - 1:
                v[i] = (u[i - 1] + u[i + 1]) / 2
            grid.sync()
            u, v = v, u
            grid.sync()

    u = np.arange(16.0) ** 2
    v, expected = u.copy(), u.copy()
    smooth[1, 16](u, v, 3)
    for _ in range(3):
        expected[1:-1] = (expected[:-2] + expected[2:]) / 2
    np.testing.assert_array_equal(v, expected)


def test_the_devices_that_there_are():
    assert len(cuda.gpus) == len(cuda.gpus.lst) == 1 and cuda.gpus.current is cuda.gpus.lst[0]
    assert cuda.gpus[0].name == cuda.get_current_device().name


def test_a_program_asks_for_the_memory_that_is_left():
    with cuda.gpus[0] as device:
        assert device.id == 0
        free, total = cuda.current_context().get_memory_info()
        kept = cuda.device_array(1000, np.uint8)
        assert total == 1 << 22
        assert free - cuda.current_context().get_memory_info().free == kept.nbytes


@cuda.jit
def one_more(x):
    x[cuda.grid(1)] += 1


def test_what_a_result_keeps_is_kept_with_checks_and_on_another_gpu():
    gpu = warploom.GPU("sm", engine="python")
    traced = one_more.on(gpu, recording=True)
    for kernel, kept in ((traced, True), (traced.on(gpu), True), (traced.on(recording=False), False)):
        assert (kernel.check[1, 4](np.zeros(4)).result.detail.recording is not None) == kept


@pytest.mark.parametrize("gpu", [3, "nothing like it"])
def test_what_is_no_gpu_is_refused_at_once(gpu):
    with pytest.raises(Exception) as caught:
        warploom.GPU(gpu)
    with pytest.raises(type(caught.value)):
        one_more.on(gpu)


def test_a_kernel_on_the_gpu_of_a_file(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text('base = "sm"\n')
    assert one_more.on(path).context.gpu.config.core.lanes == one_more.on("sm").context.gpu.config.core.lanes
