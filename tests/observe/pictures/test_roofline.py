import pytest

from tests.observe.pictures.runs import run
from warploom.machine.config.presets import load_config
from warploom.observe.pictures import DrawingError, picture
from warploom.observe.pictures.roofline import Roofline, bandwidth, peak


def test_the_roof_of_a_machine():
    """sm: 4 sub-partitions with 16 lanes for integers and 16 for floats; 24 channels of 32 bytes a cycle.

    guppy: an ALU as wide as the warp, DRAM without a limit.
    """
    sm = load_config("sm")
    assert (peak(sm), bandwidth(sm)) == (128, 24 * 32)
    assert peak(load_config("sm", {"pipes.owner": "core", "alu.width": 32, "core.schedulers": 2})) == 2 * 32  # issue is the limit
    guppy = load_config("guppy", {"alu.count": 2})
    assert (peak(guppy), bandwidth(guppy)) == (32, None)
    assert bandwidth(load_config("guppy", {"dram.bandwidth": 8})) == 8
    # tiny-gpu's channels: a byte in 7 cycles each; tiny-simt has 8 of 4 bytes.
    assert bandwidth(load_config("tiny-simt")) == pytest.approx(8 * 4 / 7)


def test_a_kernel_counted_by_hand():
    """uneven on tiny-simt: 118 ALU instructions of 4 lanes in 131 cycles, and 4 stores of 4 bytes each."""
    line = picture(run("tiny/uneven.asm", "tiny-simt"), "roofline").data
    assert (line.intensity, line.reached, line.active) == (118 * 4 / 16, pytest.approx(118 * 4 / 131), 1)
    assert (line.peak, line.roof, line.bound) == (8, 8, "arithmetic")


def test_the_lower_roof_counts():
    assert (Roofline(64, 8, 1, 2, 1, "k").roof, Roofline(64, 8, 1, 2, 1, "k").bound) == (16, "memory")
    assert (Roofline(64, 8, 1, 20, 1, "k").roof, Roofline(64, 8, 1, 20, 1, "k").bound) == (64, "arithmetic")
    assert Roofline(64, None, 1, 0.001, 1, "k").roof == 64


@pytest.mark.parametrize(
    ("name", "gpu", "message"),
    [
        ("tiny/matadd.asm", "tiny", "a core of 'tiny' does one thing at a time"),
        ("guppy/if.guppy", "guppy", "the kernel moves no bytes between the machine and its memory"),
    ],
)
def test_it_says_where_it_has_no_meaning(name, gpu, message):
    with pytest.raises(DrawingError, match=message):
        _ = picture(run(name, gpu), "roofline").data


@pytest.mark.parametrize(("name", "gpu"), [("tiny/uneven.asm", "tiny-simt"), ("guppy/load_strided.guppy", "guppy")])
def test_it_can_be_drawn(name, gpu):
    pytest.importorskip("matplotlib")
    assert "lane-operations a cycle" in picture(run(name, gpu), "roofline", dark=True).svg()
