"""Control of machine code: kernels that NVIDIA's compiler makes of CUDA C++, and what they give."""

import lzma

import numpy as np
import pytest

from tests.isa.sass.nvidia.compilers import needs_compilers
from tests.isa.sass.places import GOLDEN
from warploom.gpu import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer
from warploom.isa.sass import front_end
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config

HEAD = 'typedef unsigned u;\nextern "C" __global__ void k(const u *in, u *out)\n{\n    int t = threadIdx.x;\n'
# A barrier with a number waits for as many threads as it says, and not for all of the block.
NAMED = """    __shared__ u s[64];
    if (t < 32) {
        s[t] = in[t] + 1;
        asm volatile("bar.arrive 1, 64;");
        asm volatile("bar.sync 2, 32;");
        out[t] = s[31 - t];
    } else {
        asm volatile("bar.sync 1, 64;");
        out[t] = s[t - 32] * 3;
        asm volatile("bar.sync 3, 32;");
        out[t] += 1;
    }
}
"""
# What a barrier has found of all threads reaches a predicate.
REDUCED = "    out[t] = __syncthreads_count(in[t] & 1) * 4 + __syncthreads_and(in[t] > 5) * 2 + __syncthreads_or(in[t] & 1);\n}\n"
HALVES = """    asm volatile("{.reg .b16 l, h; .reg .b32 a; mov.b32 {l, h}, %1; mov.b32 a, {l, l};"
                 " fma.rn.f16x2 %0, a, %2, %3;}" : "=r"(out[t]) : "r"(in[t]), "r"(in[t + 1]), "r"(0x3C003C00));
}
"""
IN = np.random.default_rng(5).integers(0, 1 << 32, 65, dtype=np.uint64).astype(np.uint32)
PAIRS = np.random.default_rng(5).standard_normal(130).astype(np.float16).view(np.uint32)


def ran(folder, body, architecture, given, threads=64):
    path = folder / "k.cu"
    path.write_text(HEAD + body)
    buffers = {"in": given, "out": np.zeros(threads, np.uint32)}
    more = {"words": [f"-arch=sm_{architecture}"]}
    program = open_source(path, "sass", Options(machine="sm", block=threads, grid=1, buffers=buffers, more=more)).program
    result = GPU(load_config("sm", {"gpu.cores": 1}), engine="python").run(program, max_cycles=20_000)
    assert result.status == "done"
    return read_buffer(program, result.memory, "out")


@needs_compilers
@pytest.mark.parametrize("architecture", [75, 80, 90])
def test_a_barrier_waits_for_the_threads_that_it_names(tmp_path, architecture):
    found = ran(tmp_path, NAMED, architecture, IN)
    assert found.tolist() == [*(IN[:32] + 1)[::-1], *((IN[:32] + 1) * 3 + 1)]


@needs_compilers
@pytest.mark.parametrize("architecture", [75, 90])
def test_what_a_barrier_has_found_is_the_same_for_all(tmp_path, architecture):
    given = IN[:64].copy()
    given[7] = 4
    assert set(ran(tmp_path, REDUCED, architecture, given)) == {int((given & 1).sum()) * 4 + 1}


@pytest.mark.parametrize("divergence", ["minpc", "dwf"])
def test_mechanisms_that_join_lanes_wherever_they_meet_refuse_parts_that_take_turns(divergence):
    def program(kernel):
        data = lzma.decompress((GOLDEN / "turns_sm_80.cubin.xz").read_bytes())
        buffers = {"p0": np.zeros(32, np.uint32), "p1": np.zeros(32, np.uint32)}
        options = Options("k.cubin", more={"kernel": kernel}, grid=1, block=32, buffers=buffers, arguments={"p2": 32})
        return front_end.load(data, options).program

    gpu = GPU(load_config("sm", {"gpu.cores": 1, "core.divergence": divergence}), engine="python")
    with pytest.raises(LaunchError, match=f"parts of a warp take turns from here on, and core.divergence={divergence} joins lanes"):
        gpu.run(program("redux"))


@needs_compilers
def test_halves_choose_their_part_beside_a_constant(tmp_path):
    found = ran(tmp_path, HALVES, 80, PAIRS).view(np.float16).reshape(64, 2)
    pairs = PAIRS.view(np.float16).reshape(65, 2).astype(np.float64)
    assert np.array_equal(found, (pairs[:64, :1] * pairs[1:] + 1).astype(np.float16))


@pytest.mark.parametrize("divergence", ["stack", "its"])
@pytest.mark.parametrize("architecture", [80, 90])
@pytest.mark.parametrize("kernel", ["redux", "part"])
def test_parts_of_a_warp_take_turns_where_each_adds_up_its_own_lanes(kernel, architecture, divergence):
    """WARPSYNC.EXCLUSIVE, in a function too: sums over eight lanes each, and over those whose number three divides or not (turns.cu)."""
    given, lanes = np.arange(32, dtype=np.uint32) ** 2, np.arange(32, dtype=np.int64)
    data = lzma.decompress((GOLDEN / f"turns_sm_{architecture}.cubin.xz").read_bytes())
    options = Options(
        "k.cubin",
        machine="sm",
        more={"kernel": kernel},
        grid=1,
        block=32,
        buffers={"p0": given, "p1": np.zeros(32, np.uint32)},
        arguments={"p2": 32},
    )
    loaded = front_end.load(data, options)
    program = loaded.program
    assert not [one for one in loaded.warnings if "EXCLUSIVE" in one.message]
    result = GPU(load_config("sm", {"gpu.cores": 1, "core.divergence": divergence}), engine="python").run(program, max_cycles=20_000)
    assert result.status == "done"
    third = np.where(lanes % 3 == 0, given[::3].max(), given[lanes % 3 != 0].sum())
    assert (
        read_buffer(program, result.memory, "p1").tolist()
        == (np.repeat(given.reshape(4, 8).sum(axis=1), 8) if kernel == "redux" else third).tolist()
    )
