"""The streams that memory's bandwidth is measured with: what all cores move is the memory's own rate, and never more."""

import pytest

from warploom.machine.config.derived import dram_bytes_a_cycle
from warploom.machine.config.presets import load_config
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.memory.dram_bandwidth import measure, moved_a_cycle

# Eight multiprocessors ask for more than two channels deliver, and the second level is small.
SMALL = {"gpu.cores": 8, "dram.channels": 2, "l2.bytes": 1 << 18, "l2.slices": 2, "core.warps": 32}


@pytest.fixture(scope="module", params=[1, 2], ids=["bandwidth", "half"])
def config(request):
    return load_config("v100", {**SMALL, "dram.bandwidth": 32 // request.param})


@pytest.mark.parametrize("writes", [False, True], ids=["read", "written"])
def test_all_cores_move_what_memory_can(config, writes):
    limit = dram_bytes_a_cycle(config)
    assert 0.9 * limit < moved_a_cycle(Bench(config, "native"), writes=writes) < 1.001 * limit


def test_what_all_cores_read_is_a_reading_and_a_quick_probe_has_no_curve_of_it(config):
    finding = measure(Bench(config, "native", quick=True))
    measured = {reading.key: reading.measured for reading in finding.readings}
    limit = dram_bytes_a_cycle(config)
    assert {"dram.one-core-1warp", "dram.one-core", "dram.read", "dram.write"} == measured.keys()
    assert 0.9 * limit < measured["dram.read"] <= 1.01 * limit
    assert [curve.key for curve in finding.curves] == ["dram.one-core"]


@pytest.mark.slow
def test_how_it_grows_with_the_cores_is_a_curve(config):
    finding = measure(Bench(config, "native"))
    limit = dram_bytes_a_cycle(config)
    (curve,) = (curve for curve in finding.curves if curve.key == "dram.read")
    assert curve.x[-1] == 8 and 0.9 * limit < curve.y[-1] <= 1.01 * limit
