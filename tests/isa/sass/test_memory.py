"""Atomic operations of doubles and of pairs of halves, compare-and-set that says whether it has stored, and generic addresses."""

import lzma

import numpy as np
import pytest

from tests.isa.sass.places import GOLDEN
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer
from warploom.isa.sass import front_end

BOTH = pytest.mark.parametrize("architecture", [80, 90])


def _run(architecture, kernel, out, arguments=None, **buffers):
    path = str(GOLDEN / f"atomics_sm_{architecture}.cubin")
    options = Options(path, grid=1, block=32, arguments=arguments or {}, buffers=buffers, more={"kernel": kernel})
    program, warnings = open_source(path, None, options)
    assert list(warnings) == []
    result = GPU("sm", engine="python").run(program)
    assert result.status == "done", result.fault
    return read_buffer(program, result.memory, out)


@BOTH
@pytest.mark.parametrize("which", [0, 1])
def test_generic_addresses_reach_shared_and_device_memory(architecture, which):
    lanes = np.arange(32, dtype=np.int32)
    found = _run(architecture, "generic", "p1", {"p2": which}, p0=lanes, p1=np.zeros(32, np.int32))
    assert np.array_equal(found.view(np.int32), np.where(lanes & 1, 100 + lanes, lanes) + 5 * which)


@BOTH
@pytest.mark.parametrize("kernel", ["add_shared", "add_double"])
def test_sums_of_doubles(architecture, kernel):
    found = _run(architecture, kernel, "p0", p0=np.zeros(1), p1=np.arange(32, dtype=np.float64) + 0.25)
    assert found.view(np.float64).tolist() == [504.0]


@BOTH
def test_sums_of_pairs_of_halves(architecture):
    random = np.random.default_rng(1)
    a, b = (random.integers(0, 1 << 32, 32, dtype=np.uint64).astype(np.uint32) for _ in range(2))
    a[:4], b[:4] = (0x3C003C00, 0x80000000, 0x7BFF0001, 0x7C00FC00), (0xBC007BFF, 0x80008000, 0x7BFF03FF, 0xFC00FC00)
    found = _run(architecture, "add_halves", "p0", p0=a, p1=b).view(np.uint16)
    with np.errstate(all="ignore"):
        wanted = (a.view(np.float16).astype(np.float64) + b.view(np.float16).astype(np.float64)).astype(np.float16)
    bits = np.where(np.isnan(wanted), np.uint16(0x7FFF), wanted.view(np.uint16))
    assert np.array_equal(found, bits)


def test_sums_of_pairs_of_bfloats_round_each_to_nearest():
    """ATOM.ADD.BF16x2 (bfloats.cu): lane after lane, four to a word."""
    given = np.array([1, 2.0**-8, 2.0**-9, 3, -1.5, 1e30, 1e38, 3e38] * 4, np.float32)
    data = lzma.decompress((GOLDEN / "bfloats_sm_90.cubin.xz").read_bytes())
    buffers = {"p0": np.full(8, 0x3F803F80, np.uint32), "p1": given}
    program = front_end.load(data, Options("k.cubin", grid=1, block=32, buffers=buffers)).program
    result = GPU("sm", engine="python").run(program)
    assert result.status == "done", result.fault

    def rounded(value):  # of floats that no NaN is among
        bits = int(np.array([value], np.float32).view(np.uint32)[0])
        return np.array([bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000], np.uint32).view(np.float32)[0]

    wanted = []
    for word in range(8):
        low = high = np.float32(1)
        for lane in range(word, 32, 8):
            with np.errstate(over="ignore"):
                low, high = rounded(low + rounded(given[lane])), rounded(high + rounded(-given[lane]))
        wanted.append(int(low.view(np.uint32)) >> 16 | int(high.view(np.uint32)))
    assert read_buffer(program, result.memory, "p0").tolist() == wanted
