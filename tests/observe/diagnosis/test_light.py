"""Speed of light: no part does more than it can, and what is full says so."""

import pytest

import warploom
from tests.places import EXAMPLES
from warploom.observe.diagnosis.light import answer_report, occupancy_text, speed_of_light


def profiled(file, preset, **changes):
    gpu = warploom.GPU(preset, set={name.replace("__", "."): value for name, value in changes.items()}, engine="python")
    return gpu.run(warploom.load(EXAMPLES / file)).profile()


@pytest.mark.parametrize(("file", "preset"), [("guppy/fast.guppy", "sm"), ("tiny/diverge.asm", "tiny-simt"), ("tiny/matmul.asm", "tiny")])
def test_no_part_does_more_than_it_can(file, preset):
    rates = speed_of_light(profiled(file, preset))
    assert rates
    assert all(0 < rate.achieved <= rate.possible for rate in rates), rates


def test_issue_is_full_where_nothing_holds_it_up():
    rates = {rate.name: rate for rate in speed_of_light(profiled("guppy/fast.guppy", "guppy", core__warps=8))}
    assert rates["issue"].share > 0.8 > rates["ALU"].share > 0
    assert rates["issue"].possible == 1


def test_occupancy_says_what_there_was_and_what_fits():
    found = profiled("guppy/fast.guppy", "sm")
    assert " of 64 warps a core on average; " in occupancy_text(found)
    told = answer_report(found)
    assert 0 < told["occupancy"]["achieved"] <= 1
    assert sum(cycles for _, cycles in told["stalls"]) == found.warp_cycles
