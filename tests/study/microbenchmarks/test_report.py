"""What a preset says is what probes measure on it; and its published key points, with their source, are where the chase finds them."""

import pytest

from warploom.machine.config.presets import load_config
from warploom.study.microbenchmarks import NAMES
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.published import published
from warploom.study.microbenchmarks.report import is_whole, probe

PRESETS = ("sm", "v100", "a100", "a40", "rtx3070", "h100")
SHORT = ("latency", "mixed", "sectors", "limits")


def unkept(name, preset, **changes):
    """(key, measured, configured) of what differs by more than 5 %."""
    config = load_config(preset, {key.replace("__", "."): value for key, value in changes.items()})
    rows = probe(name, Bench(config, "native", quick=True)).rows
    assert rows
    return [(row.reading.key, row.reading.measured, row.configured) for row in rows if row.differs]


@pytest.mark.every(3)
@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("preset", PRESETS)
def test_one_multiprocessor_is_what_its_preset_says(preset, name):
    assert unkept(name, preset, gpu__cores=1, memory__bytes=1 << 20) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_the_second_level_is_as_far_away_as_published(preset):
    from warploom.study.microbenchmarks.memory.pointer_chase import chase

    bench = Bench(load_config(preset, {"gpu.cores": 1, "memory.bytes": 1 << 20}), "native", quick=True)
    for size, key in ((8192, "chase.l1"), (1 << 19, "chase.l2")):
        known = published(preset, key)
        assert known.low * 0.95 <= chase(bench, size, timed=256) <= known.high * 1.05, known.source


def test_a_device_with_fewer_multiprocessors_is_not_held_against_what_all_of_them_do():
    assert is_whole(load_config("v100")) and is_whole(load_config("v100", {"core.warps": 8})) and is_whole(load_config("sm"))
    assert not is_whole(load_config("v100", {"gpu.cores": 1})) and not is_whole(load_config("h100", {"gpu.cores": 140}))
    rows = probe("dram", Bench(load_config("v100", {"gpu.cores": 1, "memory.bytes": 1 << 20}), "native", quick=True)).rows
    (row,) = (row for row in rows if row.reading.key == "dram.write")
    assert row.published is None and row.configured is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_whole_gpu_is_what_its_preset_says(preset, name):
    assert unkept(name, preset) == []
