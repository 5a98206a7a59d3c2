"""Values of a warp are right whichever of its lanes are active: scalar registers hold them, and what leads to them."""

import importlib.util

import numpy as np
import pytest

import warploom
from warploom.isa import uop as u

LANES, LANE = 32, 5

OF_NUMBERS = [  # n and m: int32, p: uint32, k: int64
    "n // 3", "n // -3", "(n - 7) // 3", "(n - 7) % 100", "(n + 7) % -100", "n // m", "n % m", "-n % m", "p // 3", "p % 7", "n // 8",
    "n % 8", "n + m * 3", "n - m", "-n", "~n", "n ^ m", "n | 6", "n & m", "n << 3", "n >> 2", "n >> (m & 63)", "p >> (m & 63)",
    "n << (m & 63)", "abs(n - 7)", "min(n, m)", "max(n, m) - 7", "min(n, p)", "max(n, p)", "n // p", "n % p", "n < p", "n == m",
    "n <= m", "p < m", "n if n < m else m", "(n if n > 2 else 9) % m", "k // 3", "k % m", "k >> 33", "k < n", "min(k, n)",
    "(k & 255) // 3", "(n % m) * (m - n % 5) % 11", "cuda.popc(n)", "cuda.popc(k)", "cuda.clz(p)", "cuda.brev(p)", "cuda.ffs(n)",
    "(n * 3 - 2) % 100 * m // 7",
]  # fmt: skip


def kernel_of(tmp_path, text):
    file = tmp_path / "made.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("made", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def in_some_lanes(tmp_path, expressions, condition):
    lines = "".join(f"        out[{number}] = {one}\n" for number, one in enumerate(expressions))
    head = "from warploom import cuda\n\n\n@cuda.jit\ndef kernel(out, n, m, p, k):\n    t = cuda.threadIdx.x\n"
    return kernel_of(tmp_path, f"{head}    if {condition}:\n{lines}")


@pytest.mark.parametrize("mechanism", ["stack", "its"])
def test_an_operation_on_numbers_of_the_warp_is_right_in_a_branch_that_its_first_lane_does_not_take(tmp_path, mechanism):
    gpu = warploom.GPU("sm", set={"core.divergence": mechanism}, engine="python")
    apart = in_some_lanes(tmp_path, OF_NUMBERS, f"t == {LANE}").on(gpu)
    together = in_some_lanes(tmp_path, OF_NUMBERS, "t >= 0").on(gpu)
    for n, m, p, k in ((3, 5, 9, 100), (-40, 3, 2**32 - 1, -(2**40)), (2**31 - 1, -7, 0x80000000, 2**40 + 5), (-(2**31), 1, 3, -1)):
        given = np.int32(n), np.int32(m), np.uint32(p), np.int64(k)
        outs = [np.full(len(OF_NUMBERS), -77, np.int64) for _ in range(2)]
        for kernel, out in zip((apart, together), outs, strict=True):
            kernel[1, LANES](out, *given)
        wrong = [one for one, found, wanted in zip(OF_NUMBERS, *outs, strict=True) if found != wanted]
        assert wrong == [], (n, m, p, k)
        for one, found in zip(OF_NUMBERS, outs[0].tolist(), strict=True):
            if "//" in one or "%" in one:
                assert found == eval(one, {}, {"n": n, "m": m, "p": p, "k": k}), one


@pytest.mark.parametrize("count", [2, 3, 20])
def test_variables_that_a_loop_hands_round_keep_their_numbers(tmp_path, count):
    """So many copies of which each overwrites what another reads; with 20 they are more than a bundle has hidden registers of the warp."""
    names = [f"v{number}" for number in range(count)]
    begins = "".join(f"        {name} = n + {number}\n" for number, name in enumerate(names))
    ends = "".join(f"        out[{number}] = {name}\n" for number, name in enumerate(names))
    kernel = kernel_of(
        tmp_path,
        "from warploom import cuda\n\n\n@cuda.jit\ndef kernel(out, n, rounds):\n"
        f"    if cuda.threadIdx.x == {LANE}:\n{begins}        for _ in range(rounds):\n"
        f"            {', '.join(names)} = {', '.join([*names[1:], names[0]])}\n{ends}",
    )
    out = np.zeros(count, np.int64)
    kernel.on(warploom.GPU("sm", engine="python"))[1, LANES](out, np.int32(100), np.int32(7))
    assert out.tolist() == [100 + (number + 7) % count for number in range(count)]


@pytest.mark.parametrize("arrays", [1, 8, 12])
def test_values_leave_the_hidden_registers_and_the_arguments_their_place(tmp_path, arrays):
    """Each array of three dimensions takes several scalar registers; a warp has so many."""
    names = [f"x{number}" for number in range(arrays)]
    sums = " + ".join(f"{name}[n % 2, m % 2, (n - 7) % 2]" for name in names)
    begins = "".join(f"        a{number} = (n - {number}) // 3 % m\n" for number in range(60))
    ends = "".join(f"        s ^= a{number} + {number}\n" for number in range(60))
    text = (
        f"from warploom import cuda\n\n\n@cuda.jit\ndef kernel(out, n, m, {', '.join(names)}):\n"
        f"    if cuda.threadIdx.x == {LANE}:\n        s = {sums}\n{begins}{ends}        out[0] = s\n"
    )
    kernel, out = kernel_of(tmp_path, text), np.zeros(1, np.int64)
    given = [np.arange(8, dtype=np.int64).reshape(2, 2, 2) * (number + 1) for number in range(arrays)]
    kernel.on(warploom.GPU("sm", engine="python"))[1, LANES](out, np.int32(30), np.int32(9), *given)
    wanted = sum(int(one[30 % 2, 9 % 2, 23 % 2]) for one in given)
    for number in range(60):
        wanted ^= (30 - number) // 3 % 9 + number
    assert out.tolist() == [wanted]


def test_what_makes_a_scalar_passes_through_no_register_of_the_lanes(tmp_path):
    kernel = in_some_lanes(tmp_path, OF_NUMBERS, f"t == {LANE}").on(warploom.GPU("sm", engine="python"))
    kernel[1, LANES](np.zeros(len(OF_NUMBERS), np.int64), np.int32(1), np.int32(1), np.uint32(1), np.int64(1))
    program = kernel.result.program
    hidden = range(u.HIDDEN, u.SCALAR)
    to_scalars = [row for row in program.uops.tolist() if row[u.DST] >= u.SCALAR]
    assert any(row[u.DST] >= u.scalar(u.HIDDEN_SCALARS) for row in to_scalars)
    assert [row for row in to_scalars if any(row[column] in hidden for column in (u.A, u.B, u.C))] == []
