from dataclasses import replace

import pytest

from tests.observe.pictures.runs import run
from warploom.machine.config.derived import dram_bytes_a_cycle
from warploom.machine.config.presets import load_config
from warploom.observe.pictures import DrawingError, picture
from warploom.observe.pictures.roofline import Level, Roofline, bandwidth, first_bandwidth, peak, second_bandwidth


def test_the_roof_of_a_machine():
    """sm: 4 sub-partitions with 16 lanes for integers and 16 for floats; DRAM's bytes a cycle.

    guppy: an ALU as wide as the warp, DRAM without a limit.
    """
    sm = load_config("sm")
    assert (peak(sm), bandwidth(sm)) == (128, dram_bytes_a_cycle(sm))
    assert peak(load_config("sm", {"pipes.owner": "core", "alu.width": 32, "core.schedulers": 2})) == 2 * 32  # issue is the limit
    assert peak(load_config("sm", {"core.issues_per_turn": 1})) == 32  # one warp-instruction of one scheduler in a cycle
    assert peak(load_config("sm", {"core.issues_per_turn": 2})) == 2 * 32  # an integer one and a float one
    assert peak(load_config("sm", {"pipes.owner": "core", "alu.count": 4, "core.issues_per_turn": 4})) == 32  # one of a kind
    assert peak(load_config("gcn")) == 64
    guppy = load_config("guppy", {"alu.count": 2})
    assert (peak(guppy), bandwidth(guppy)) == (32, None)
    assert bandwidth(load_config("guppy", {"dram.bandwidth": 8})) == 8
    # tiny-gpu's channels: a byte in 7 cycles each; tiny-simt has 8 of 4 bytes.
    assert bandwidth(load_config("tiny-simt")) == pytest.approx(8 * 4 / 7)


def test_a_kernel_counted_by_hand():
    """uneven on tiny-simt: 118 ALU instructions of 4 lanes in 132 cycles, and 4 stores of 4 bytes each."""
    line = picture(run("tiny/uneven.asm", "tiny-simt"), "roofline").data
    (*_, memory) = line.levels
    assert (memory.name, memory.intensity) == ("memory", 118 * 4 / 16)
    assert (line.reached, line.active) == (pytest.approx(118 * 4 / 132), 1)
    assert (line.peak, line.roof, line.bound) == (8, 8, "arithmetic")


def test_the_lowest_roof_counts():
    def line(*levels):
        return Roofline(64, tuple(Level(*level) for level in levels), 1, 1, "k")

    assert (line(("memory", 8, 2)).roof, line(("memory", 8, 2)).bound) == (16, "memory")
    assert (line(("memory", 8, 20)).roof, line(("memory", 8, 20)).bound) == (64, "arithmetic")
    assert line(("memory", None, 0.001)).roof == 64
    assert (line(("L1", 128, 0.1), ("memory", 8, 2)).roof, line(("L1", 128, 0.1), ("memory", 8, 2)).bound) == (12.8, "L1")


def test_every_level_has_a_roof_and_a_point():
    """sm: 32 banks of 4 bytes a core. A level moves at least what the next one outwards fetches for loads."""
    sm = load_config("sm")
    assert first_bandwidth(sm) == sm.gpu.cores * sm.l1.banks * 4
    assert first_bandwidth(load_config("sm", {"l1.banks": 0, "lsu.ports": 2})) == sm.gpu.cores * 2 * sm.l1.line
    assert second_bandwidth(sm) > 0
    assert second_bandwidth(load_config("guppy")) is None
    line = picture(run("guppy/load_strided.guppy", "guppy"), "roofline").data
    assert [level.name for level in line.levels][:2] == ["L1", "L2"]


def test_a_kernel_whose_bytes_stay_in_the_second_cache_has_its_points():
    result = run("guppy/load_strided.guppy", "guppy")
    inside = replace(result, counters=result.counters | {"dram_bytes": 0})
    assert [level.name for level in picture(inside, "roofline").data.levels] == ["L1", "L2"]


@pytest.mark.parametrize(
    ("name", "gpu", "message"),
    [
        ("tiny/matadd.asm", "tiny", "a core of 'tiny' does one thing at a time"),
        ("guppy/if.guppy", "guppy", "the kernel has no access to memory"),
    ],
)
def test_it_says_where_it_has_no_meaning(name, gpu, message):
    with pytest.raises(DrawingError, match=message):
        _ = picture(run(name, gpu), "roofline").data


@pytest.mark.parametrize(("name", "gpu"), [("tiny/uneven.asm", "tiny-simt"), ("guppy/load_strided.guppy", "guppy")])
def test_it_can_be_drawn(name, gpu):
    pytest.importorskip("matplotlib")
    assert "lane-operations per cycle" in picture(run(name, gpu), "roofline", dark=True).svg()


def test_a_point_on_top_of_another_one_leaves_a_ring_of_it(monkeypatch):
    axes_class = pytest.importorskip("matplotlib.axes").Axes
    sizes, plot = {}, axes_class.plot

    def heard(axes, *values, **look):
        if "markersize" in look:
            sizes[look["label"].partition(":")[0]] = look["markersize"]
        return plot(axes, *values, **look)

    monkeypatch.setattr(axes_class, "plot", heard)
    picture(run("guppy/load_strided.guppy", "guppy"), "roofline").svg()
    assert sizes["L1"] > sizes["L2"] > sizes["memory"] > 5
