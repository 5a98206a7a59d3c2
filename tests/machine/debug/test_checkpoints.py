import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.debug import checkpoints as module
from warploom.machine.debug.checkpoints import NEAREST, PAGE, SHARE, STEPS, Checkpoints


def device(size=3 * PAGE + 40):
    """A stand-in for a machine: one array, and a cycle that is set from outside."""
    array = np.zeros(size, np.uint8)
    return SimpleNamespace(cycle=0, detector=None, array=array, whole=lambda: (array,))


def test_restoring_gives_the_bytes_of_the_last_checkpoint_at_or_before_a_cycle():
    machine = device()
    rng = np.random.default_rng(1)
    kept = {}
    checkpoints = Checkpoints(machine)
    kept[0] = machine.array.tobytes()
    for cycle in (20, 50, 90):
        machine.cycle = cycle
        machine.array[rng.integers(0, len(machine.array), 30)] = rng.integers(0, 256, 30)
        checkpoints.take()
        kept[cycle] = machine.array.tobytes()
    machine.array[:] = 255
    for asked, cycle in ((90, 90), (1000, 90), (89, 50), (50, 50), (19, 0), (0, 0)):
        checkpoints.restore(asked)
        assert machine.array.tobytes() == kept[cycle]


def test_a_page_that_was_zero_is_zero_again():
    machine = device()
    checkpoints = Checkpoints(machine)
    machine.array[:] = 7
    checkpoints.restore(0)
    assert not machine.array.any()


def test_there_are_few_checkpoints_and_more_of_them_near_the_present():
    machine = device()
    checkpoints = Checkpoints(machine)
    for cycle in range(NEAREST, 1000 * NEAREST, NEAREST):
        machine.cycle = cycle
        checkpoints.take()
    cycles = np.array(checkpoints.cycles)
    assert cycles[0] == 0
    assert len(cycles) < 60
    gaps, distances = np.diff(cycles), machine.cycle - cycles[1:]
    assert gaps[-1] == NEAREST
    assert (gaps <= np.maximum(distances, NEAREST)).all()


def test_a_checkpoint_is_due_some_cycles_after_the_last_when_its_time_is_a_small_share_of_the_runs(monkeypatch):
    """The first takes a second."""
    clock = [0.0]

    def later():
        clock[0] += 1.0
        return clock[0]

    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=later))
    machine = device()
    checkpoints = Checkpoints(machine)
    clock[0] += 1 / SHARE
    assert not checkpoints.due
    for machine.cycle in range(1, 2 * NEAREST):
        assert checkpoints.due == (machine.cycle >= NEAREST)
    checkpoints.take()
    machine.cycle += NEAREST
    assert not checkpoints.due
    clock[0] += 1 / SHARE
    assert checkpoints.due


def test_too_many_bytes_give_up_what_is_far_away_but_never_the_first():
    machine = device(size=64 * PAGE)
    rng = np.random.default_rng(2)
    checkpoints = Checkpoints(machine, most_bytes=600_000)
    for cycle in range(NEAREST, 20 * NEAREST, NEAREST):
        machine.cycle = cycle
        machine.array[:] = rng.integers(0, 256, len(machine.array))
        checkpoints.take()
        assert checkpoints.bytes <= 600_000
    assert checkpoints.cycles[0] == 0
    assert checkpoints.cycles[-1] == machine.cycle


@pytest.mark.parametrize("cycle", [0, 10, 30, 100])
def test_what_lies_behind_a_cycle_can_be_forgotten(cycle):
    machine = device()
    checkpoints = Checkpoints(machine)
    for at in (20, 40, 60):
        machine.cycle = at
        checkpoints.take()
    checkpoints.forget_after(cycle)
    assert checkpoints.cycles == [at for at in (0, 20, 40, 60) if at <= cycle or at == 0]


@pytest.mark.parametrize("seed", range(6))
def test_of_those_at_about_the_same_distance_the_first_stays_and_so_does_the_very_first(seed):
    """Against groups: by distance in steps up to STEPS of them, and beyond that STEPS groups a doubling, on each side of the present."""
    source, machine = random.Random(seed), device()
    machine.cycle = source.choice((0, 7))
    checkpoints, kept = Checkpoints(machine), [machine.cycle]
    for _ in range(60):
        machine.cycle = cycle = source.choice((source.randrange(8, 3000), max(kept) + source.randrange(1, 3 * NEAREST)))
        if cycle not in kept:
            kept = sorted([*kept, cycle])
            groups: dict[tuple[bool, int], int] = {}
            for other in kept[1:]:
                steps = max(abs(other - cycle), 1) / NEAREST
                group = (other > cycle, math.floor(STEPS * math.log2(steps)) if steps > STEPS else -math.floor(steps))
                groups.setdefault(group, other)
            kept = [kept[0], *sorted({*groups.values(), cycle})]
        checkpoints.take()
        assert checkpoints.cycles == kept


@pytest.mark.parametrize("most", [0, 1])
def test_however_few_bytes_there_may_be_the_first_and_one_more_stay(most):
    machine = device(size=16 * PAGE)
    machine.array[:] = np.random.default_rng(3).integers(0, 256, len(machine.array))
    checkpoints = Checkpoints(machine, most_bytes=most)
    for machine.cycle in (50, 100, 150):
        checkpoints.take()
        assert checkpoints.cycles == [0, machine.cycle]
