"""Our own kernels, compiled for two architectures, against NumPy."""

import numpy as np
import pytest

from tests.isa.sass.places import bytes_of, path_of
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import named, open_source
from warploom.isa.launching import BufferError, read_buffer
from warploom.isa.sass.cubin import read
from warploom.machine.accounting.status import LaunchError

F = np.float32
RANDOM = np.random.default_rng(1)
BOTH = pytest.mark.parametrize("architecture", [80, 90])


def _program(architecture, kernel, grid=1, block=32, arguments=None, **buffers):
    path = str(path_of(architecture))
    options = Options(path, grid=grid, block=block, arguments=arguments or {}, buffers=buffers, more={"kernel": kernel})
    return open_source(path, None, options)


def _run(architecture, kernel, grid, block, arguments, out, gpu="sm", **buffers):
    program, warnings = _program(architecture, kernel, grid, block, arguments, **buffers)
    assert list(warnings) == []
    result = GPU(gpu).run(program)
    assert result.status == "done", result.fault
    return read_buffer(program, result.memory, out)


@BOTH
def test_saxpy(architecture):
    x, y = RANDOM.random(300, F), RANDOM.random(300, F)
    found = _run(architecture, "saxpy", 3, 128, {"n": 290, "a": 2.5}, "y", x=x, y=y)
    wanted = np.where(np.arange(300, dtype=np.int64) < 290, (x.astype(float) * 2.5 + y).astype(F), y)
    assert np.array_equal(found, wanted)


@BOTH
def test_a_tiled_product_in_shared_memory(architecture):
    n = 32
    a, b = RANDOM.random((n, n), F), RANDOM.random((n, n), F)
    found = _run(architecture, "matmul", (2, 2), (16, 16), {"n": n}, "c", a=a, b=b, c=np.zeros((n, n), F))
    wanted = np.zeros((n, n), F)
    for k in range(n):
        wanted = (a[:, k : k + 1].astype(float) * b[k : k + 1].astype(float) + wanted).astype(F)
    assert np.array_equal(found.reshape(n, n), wanted)


@BOTH
def test_a_histogram_by_atomic_additions(architecture):
    values = RANDOM.integers(0, 1000, 500).astype(np.uint32)
    found = _run(architecture, "histogram", 3, 64, {"n": 500}, "bins", values=values, bins=np.zeros(64, np.uint32))
    assert np.array_equal(found, np.bincount(values % 64, minlength=64))


@BOTH
def test_a_sum_by_shuffles_and_a_reduction_of_the_warp(architecture):
    values = RANDOM.integers(-1000, 1000, 300).astype(np.int32)
    found = _run(architecture, "reduce", 3, 128, {"n": 300}, "sum", values=values, sum=np.zeros(1, np.int32))
    assert found[0] == values.sum()


@pytest.mark.parametrize("gpu", ["sm", "a40"])
def test_lanes_that_leave_a_loop_one_by_one(gpu):
    start = RANDOM.integers(1, 300, 64).astype(np.uint32)
    found = _run(80, "collatz", 1, 64, {"n": 64}, "steps", gpu, start=start, steps=np.zeros(64, np.int32))

    def steps(value):
        count = 0
        while value != 1:
            value, count = (3 * value + 1 if value & 1 else value >> 1), count + 1
        return count

    assert found.tolist() == [steps(int(value)) for value in start]


def test_constants_of_the_file():
    x = RANDOM.random(64, F)
    found = _run(80, "smooth", 1, 64, {"n": 64}, "y", x=x, y=np.zeros(64, F))
    assert np.allclose(found[2:-2], np.convolve(x, [0.0625, 0.25, 0.375, 0.25, 0.0625], "valid"), rtol=1e-6)


def test_dynamic_shared_memory():
    x = RANDOM.random(64, F)
    for architecture in (80, 90):
        found = _run(architecture, "reverse", 2, 32, {"shared": 128}, "y", x=x, y=np.zeros(64, F))
        assert np.array_equal(found, np.concatenate([x[:32][::-1], x[32:][::-1]]))


@BOTH
def test_bytes_bits_votes_and_products_of_64_bits(architecture):
    x = RANDOM.integers(0, 1 << 32, 60, dtype=np.uint64).astype(np.uint32)
    buffers = {"x": x, "y": np.zeros(60, np.uint64), "votes": np.zeros(2, np.uint32)}
    found = _run(architecture, "bits", 1, 64, {"n": 60}, "y", **buffers)
    values = [int(value) for value in x] + [0] * 4
    ballots = [sum((value & 1) << lane for lane, value in enumerate(values[warp : warp + 32])) for warp in (0, 32)]
    wanted = []
    for place, value in enumerate(values[:60]):
        reverse = int(f"{value:032b}"[::-1], 2)
        both = reverse << 32 | value
        mixed = sum((both >> 8 * (0x3715 >> 4 * n & 7) & 255) << 8 * n for n in range(4))
        mixed ^= (value.bit_count() << 8) ^ (32 - value.bit_length()) ^ (value & -value).bit_length()
        wanted.append((value * mixed + (ballots[place // 32] << 7)) % (1 << 64) >> (value & 63))
    assert found.view(np.uint64).tolist() == wanted


def test_registers_for_occupancy_are_those_of_the_file():
    program, _ = _program(80, "saxpy", arguments={"n": 1, "a": 1.0, "x": 0, "y": 0})
    assert program.counted_registers == 10
    assert program.registers > 10
    assert named(program.isa).gpu == "a100"


def test_another_launch_fills_in_constants_and_lowers_nothing():
    first, _ = _program(80, "saxpy", arguments={"n": 1, "a": 1.0, "x": 0, "y": 0})
    second, _ = _program(80, "saxpy", arguments={"n": 2, "a": 1.0, "x": 0, "y": 0})
    different = np.argwhere(first.uops != second.uops)
    assert len(different) == 1 and first.text == second.text


def test_without_the_source_parameters_have_numbers(tmp_path):
    path = tmp_path / "k.cubin"
    path.write_bytes(bytes_of(80))
    options = Options(
        str(path), arguments={"p0": 1, "p1": 1.0}, buffers={"p2": np.ones(4, F), "p3": np.ones(4, F)}, more={"kernel": "saxpy"}
    )
    program, _ = open_source(str(path), None, options)
    result = GPU("sm").run(program)
    assert read_buffer(program, result.memory, "p3")[:2].tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("kernel", "arguments", "said"),
    [
        (None, {}, "it has 10 kernels; say which one: --kernel "),
        ("saxpi", {}, "there is no kernel 'saxpi', did you mean 'saxpy'"),
        ("saxpy", {"n": 1}, "the parameter 'a' of the kernel 'saxpy' has no value"),
        ("saxpy", {"m": 1}, "the kernel 'saxpy' has no parameter 'm'"),
        ("saxpy", {"n": 1.5, "a": 1, "x": 0, "y": 0}, "n = 1.5: it is int32"),
        ("saxpy", {"n": 1, "a": 1, "x": "z", "y": 0}, "x = 'z': there is no such buffer"),
        ("reverse", {"x": 0, "y": 0, "shared": -1}, "shared = -1: it is how many bytes of dynamic shared memory"),
    ],
)
def test_mistakes_are_one_sentence(kernel, arguments, said):
    with pytest.raises(BufferError, match=said):
        _program(80, kernel, arguments=arguments)


def test_a_pointer_outside_the_device_is_an_address_fault():
    program, _ = _program(80, "saxpy", arguments={"n": 32, "a": 1.0, "x": 5 << 32, "y": 0})
    result = GPU("sm").run(program)
    assert result.status == "error"
    said = "lane 0 accesses address 0x500000000, where there is no memory: the pointers of this device are below 0x100000000"
    assert said in result.fault


def test_a_word_without_a_meaning_is_a_warning_that_names_it_and_its_line():
    data = bytearray(bytes_of(80))
    place = data.index(read(bytes(data), "k.cubin").kernels["saxpy"].code)
    data[place : place + 2] = b"\xff\x7f"
    path = str(path_of(80))
    options = Options(path, arguments={"n": 1, "a": 1.0, "x": 0, "y": 0}, more={"kernel": "saxpy"})
    program, warnings = open_source(bytes(data), "sass", options)
    assert list(program.refused) == [0]
    assert "kernels.cu:4: this word is not an instruction that this machine has; the run stops there" in warnings[0].message


@pytest.mark.parametrize(("architecture", "gpu"), [(75, "t4"), (80, "a100"), (86, "a40"), (87, "sm"), (89, "rtx4090")])
def test_code_runs_on_the_product_that_it_was_made_for(architecture, gpu, tmp_path):
    """Code of sm_86 and sm_89 is encoded as that of sm_80; here the file's header says another one."""
    data = bytearray(bytes_of(80))
    data[49] = architecture  # the second byte of the header's flags
    path = tmp_path / "k.cubin"
    path.write_bytes(data)
    options = Options(str(path), arguments={"p0": 1, "p1": 1.0, "p2": 0, "p3": 0}, more={"kernel": "saxpy"})
    program, _ = open_source(str(path), None, options)
    assert program.isa == f"sass-{architecture}" and named(program.isa).gpu == gpu


@pytest.mark.parametrize(("architecture", "gpu"), [(90, "a100"), (80, "v100"), (80, "h100")])
def test_a_product_refuses_the_code_of_another_generation(architecture, gpu):
    path = str(path_of(architecture))
    options = Options(path, arguments={"n": 1, "a": 1.0, "x": 0, "y": 0}, machine=gpu, more={"kernel": "saxpy"})
    with pytest.raises(BufferError, match=f"it is code for sm_{architecture}, which {gpu}, sm_.., does not take"):
        open_source(path, None, options)


def test_a_product_refuses_a_program_that_python_hands_to_it():
    program, _ = _program(80, "saxpy", arguments={"n": 1, "a": 1.0, "x": 0, "y": 0})
    with pytest.raises(
        LaunchError, match="is code for sm_80, which h100, sm_90, does not take; choose --gpu a100, or a40, or rtx3070, or rtx4090, or sm"
    ):
        GPU("h100").run(program)


@pytest.mark.parametrize(("architecture", "gpu"), [(80, "a100"), (80, "a40"), (80, "rtx4090"), (90, "h100"), (90, "sm")])
def test_a_product_takes_the_code_of_its_own(architecture, gpu):
    path = str(path_of(architecture))
    options = Options(path, arguments={"n": 1, "a": 1.0, "x": 0, "y": 0}, machine=gpu, more={"kernel": "saxpy"})
    assert open_source(path, None, options).program.name == "saxpy"
