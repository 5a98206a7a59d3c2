"""The cores of a device: which are stepped in a cycle, in both of the forms in which that is found, and when the next one is."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.device.cores import next_core_event, no_warp_left, step_cores, step_cores_due
from warploom.machine.engine.unit import FOREVER

NOW = 40


@pytest.mark.parametrize("form", [step_cores, step_cores_due])
@pytest.mark.parametrize("cores", [1, 3, 16, 17, 40])
@pytest.mark.parametrize("every_cycle", [0, 1])
def test_cores_that_have_something_to_do_are_stepped_in_their_order(form, cores, every_cycle):
    source = random.Random(cores)
    wake = np.array([source.choice((NOW - 3, NOW, NOW + 1, NOW + 9, FOREVER)) for _ in range(144)], np.int64)
    before = wake.copy()
    warps = [SimpleNamespace(number=number, warps=SimpleNamespace(active=np.uint64(number % 2))) for number in range(cores)]
    stepped = []

    def step(gpu, core, tables, units, now):
        stepped.append(core.number)
        return NOW + 5 + len(stepped)

    gpu = SimpleNamespace(cores=cores, every_cycle=every_cycle, wake=wake)
    soonest = form(gpu, warps, None, SimpleNamespace(step=step), NOW)
    expected = [number for number in range(cores) if before[number] <= NOW or (every_cycle and number % 2)]
    assert stepped == expected
    assert [int(wake[number]) for number in expected] == [NOW + 6 + place for place in range(len(expected))]
    left = [int(wake[number]) for number in range(cores)]
    assert next_core_event(gpu, NOW) == min(left)
    # What the step says is no earlier than that, and one of those that were stepped
    assert soonest >= min(left) and (not expected or soonest <= NOW + 6)


@pytest.mark.parametrize("live", [0, 1, 7])
def test_cores_are_done_when_no_warp_runs_or_drains(live):
    assert no_warp_left(SimpleNamespace(live=live)) == (live == 0)
