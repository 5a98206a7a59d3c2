"""The device's cycle, step by step: who is asked in which order, what ends a run, and which cycle comes next."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.accounting.events import MEMORY_ROWS_A_CYCLE, ROWS_A_CYCLE
from warploom.machine.accounting.status import DONE, EVENTS_FULL, FAULT, LIMIT
from warploom.machine.device import block_dispatcher, device, memory_system
from warploom.machine.device import cores as cores_of_device
from warploom.machine.device.block_dispatcher import FILL, SPLIT
from warploom.machine.device.device import DEADLOCK
from warploom.machine.engine.unit import FOREVER

CORES, NOW, LIMITED = 3, 50, 51  # LIMITED: one cycle is run


@pytest.fixture
def made(monkeypatch):
    """A device in cycle 50, two of whose warps run, and which of its parts were asked. Nothing is ready before cycle 60."""
    calls = []
    warps = [SimpleNamespace(active=np.uint64(active), pc=[7, 8, 9], mask=[1, 3, 5]) for active in (0b110, 0, 0b100)]
    gpu = SimpleNamespace(
        now=NOW, stop=LIMIT, end=0,
        cores=CORES, live=2, written=0, every_cycle=0, room_since=0, halted=0, has_dram=1, unfinished=0, wheel="wheel",
        wake=[60, 70, 80], fault=SimpleNamespace(kind=0), log=SimpleNamespace(tracing=0, rows=0),
        grid=SimpleNamespace(low=4, high=4, waiting=0, order=FILL, launch_latency=0, resumes=FOREVER),
        core_barriers=SimpleNamespace(opening=np.uint64(0)), raster_count=0, merger_count=0, ray_count=0,
    )  # fmt: skip
    made = SimpleNamespace(gpu=gpu, cores=[SimpleNamespace(warps=own) for own in warps], calls=calls, next=FOREVER, steps=60, waiting=0)
    made.tables = SimpleNamespace(events=np.zeros((CORES * ROWS_A_CYCLE + MEMORY_ROWS_A_CYCLE + 5, 8)))

    def step(gpu, core, tables, units, now):
        calls.append(("step", made.cores.index(core), now))
        return made.steps

    made.units = SimpleNamespace(step=step, memory_system=lambda *given: calls.append(("memory", given[-1])))
    monkeypatch.setattr(block_dispatcher, "dispatch", lambda *given: calls.append(("dispatch", given[-1])))
    monkeypatch.setattr(block_dispatcher, "_may_dispatch", block_dispatcher._may_dispatch)  # some tests put their own there
    monkeypatch.setattr(cores_of_device, "open_grid_barrier", lambda *given: calls.append(("grid", given[-1])))
    monkeypatch.setattr(cores_of_device, "open_core_barriers", lambda *given: calls.append(("barriers", given[-1])))
    monkeypatch.setattr(memory_system, "may_happen", lambda wheel, now: made.next == now)
    monkeypatch.setattr(memory_system, "next_time", lambda wheel, now: made.next)
    monkeypatch.setattr(memory_system, "events_waiting", lambda wheel: made.waiting)
    monkeypatch.setattr(device, "raise_fault", lambda *given: calls.append(("fault", *given[1:])))
    return made


def go(made, limit=LIMITED):
    return device.run(made.gpu, made.cores, made.tables, made.units, limit)


@pytest.mark.parametrize(("tracing", "rows", "stops"), [(1, 4, False), (1, 5, False), (1, 6, True), (0, 6, False)])
def test_a_buffer_without_room_for_the_events_of_a_cycle_stops_a_run_before_it(made, tracing, rows, stops):
    """Here there is room for those of one cycle and five more."""
    made.gpu.log.tracing, made.gpu.log.rows = tracing, rows
    assert (go(made), made.gpu.now) == ((EVENTS_FULL, NOW) if stops else (LIMIT, LIMITED))


def test_parts_are_asked_in_the_order_of_a_cycle(made):
    grid, made.next, made.gpu.core_barriers.opening = made.gpu.grid, NOW, np.uint64(2)
    made.gpu.room_since = NOW - 1
    grid.low, grid.waiting, made.gpu.wake = 3, 2, [NOW, NOW + 1, NOW - 1]
    go(made)
    assert made.calls == [("dispatch", NOW), ("step", 0, NOW), ("step", 2, NOW), ("barriers", NOW), ("memory", NOW)]
    assert made.gpu.wake == [60, NOW + 1, 60]
    made.calls.clear()
    made.gpu.now, grid.low, made.gpu.core_barriers.opening = NOW, 4, np.uint64(0)  # all blocks run: the grid's barrier may open
    go(made)
    assert made.calls == [("grid", NOW), ("memory", NOW)]


@pytest.mark.parametrize(
    ("waiting", "live", "low", "opens"), [(2, 2, 4, True), (2, 2, 3, False), (1, 2, 4, False), (0, 0, 4, False), (2, 2, 5, True)]
)
def test_the_barrier_of_the_grid_opens_when_all_warps_of_all_blocks_wait_there(made, waiting, live, low, opens):
    made.gpu.grid.waiting, made.gpu.live, made.gpu.grid.low, made.gpu.unfinished = waiting, live, low, 1
    go(made)
    assert (("grid", NOW) in made.calls) == opens


def test_a_policy_that_is_asked_in_each_cycle_steps_the_cores_that_have_warps(made):
    made.gpu.every_cycle = 1
    assert go(made, NOW + 3) == LIMIT
    assert made.calls == [("step", core, now) for now in range(NOW, NOW + 3) for core in (0, 2)]


@pytest.mark.parametrize("halted", [0, 1])
@pytest.mark.parametrize("kind", [0, 1, 5])
def test_a_fault_or_a_halt_ends_a_run_after_its_cycle(made, kind, halted):
    made.gpu.fault.kind, made.gpu.halted = kind, halted
    ends = kind or halted
    assert (go(made, 100), made.gpu.now) == ((FAULT if kind else DONE, NOW + 1) if ends else (LIMIT, 100))


@pytest.mark.parametrize(
    ("has_dram", "unfinished", "waiting", "is_done"), [(1, 0, 9, True), (1, 1, 0, False), (0, 9, 0, True), (0, 0, 1, False)]
)
@pytest.mark.parametrize(("live", "low", "over"), [(0, 4, True), (1, 4, False), (0, 3, False), (0, 5, True)])
@pytest.mark.parametrize("written", [0, NOW, NOW + 4])
def test_a_kernel_ends_when_no_warp_is_left_or_comes_and_memory_is_done(
    made, has_dram, unfinished, waiting, is_done, live, low, over, written
):
    made.gpu.has_dram, made.gpu.unfinished, made.waiting = has_dram, unfinished, waiting
    made.gpu.live, made.gpu.grid.low, made.gpu.written = live, low, written
    end = max(NOW, written) + 1
    ends = is_done and over
    assert (go(made), made.gpu.now) == ((DONE, end) if ends and end <= LIMITED else (LIMIT, LIMITED))
    if ends:
        made.calls.clear()
        for limit in (end - 1, end, end + 9, 3):  # the end is certain: nobody is asked any more
            now = max(min(limit, end), int(made.gpu.now))
            assert (go(made, limit), made.gpu.now) == (DONE if now == end else LIMIT, now)
        assert made.calls == []


@pytest.mark.parametrize(("cycle", "latency", "first"), [(0, 0, 0), (0, 7, 7), (3, 7, 7), (7, 7, 7), (9, 7, 9), (0, 30, 20)])
def test_a_launch_takes_its_latency_before_the_first_cycle(made, cycle, latency, first):
    made.gpu.now, made.gpu.grid.launch_latency, made.gpu.every_cycle = cycle, latency, 1
    assert (go(made, 20), made.gpu.now) == (LIMIT, 20)
    assert [now for _, core, now in made.calls if core == 0] == list(range(first, 20))


@pytest.mark.parametrize("seed", range(30))
def test_the_next_cycle_is_the_first_in_which_something_can_happen(made, seed):
    source = random.Random(seed)
    made.gpu.wake = [source.choice((NOW - 2, NOW, NOW + 1, NOW + 2, 60, FOREVER)) for _ in range(CORES)]
    made.steps = source.choice((NOW + 1, 60, FOREVER))
    made.next = source.choice((NOW + 1, NOW + 2, 55, FOREVER))
    grid, low = made.gpu.grid, source.choice((3, 4))
    grid.low, grid.order, made.gpu.room_since = low, source.choice((FILL, SPLIT)), source.choice((NOW - 1, NOW, NOW + 1))
    grid.resumes = source.choice((NOW + 1, NOW + 3, FOREVER))
    limit = source.choice((NOW + 1, NOW + 2, 57, 1000))
    soonest = min(*(made.steps if wake <= NOW else wake for wake in made.gpu.wake), made.next)
    if low < 4:
        soonest = NOW + 1 if grid.order == SPLIT or made.gpu.room_since >= NOW else min(soonest, grid.resumes)
    cycles = []
    made.units.memory_system = None  # which is asked in a cycle of its own
    original = block_dispatcher._may_dispatch if low < 4 else memory_system.may_happen

    def seen(*given):
        cycles.append(int(made.gpu.now))
        if len(cycles) == 2:
            raise StopIteration
        return original(*given)

    if low < 4:
        block_dispatcher._may_dispatch = seen
    else:
        memory_system.may_happen = seen
    if soonest == FOREVER:
        assert go(made, limit) == FAULT
        faults = [("fault", DEADLOCK, 0, 1, 8, 3, 0, 0, NOW), ("fault", DEADLOCK, 2, 2, 9, 5, 0, 0, NOW)]
        assert [call for call in made.calls if call[0] == "fault"] == faults
    elif soonest >= limit:
        assert (go(made, limit), made.gpu.now) == (LIMIT, limit)
    else:
        with pytest.raises(StopIteration):
            go(made, limit)
        assert cycles == [NOW, max(soonest, NOW + 1)]


@pytest.mark.parametrize("order", [FILL, SPLIT])
def test_the_dispatcher_is_asked_when_there_may_be_room_since_it_last_looked(made, order):
    """A slot became free in this cycle or the one before, or one that only waited for its time has it now."""
    made.gpu.grid.low, made.gpu.grid.order = 3, order
    for room_since, resumes, asked in (
        (NOW - 2, FOREVER, False), (NOW - 1, FOREVER, True), (NOW, FOREVER, True), (0, NOW + 1, False), (0, NOW, True), (0, NOW - 9, True),
    ):  # fmt: skip
        made.calls.clear()
        made.gpu.now, made.gpu.room_since, made.gpu.grid.resumes = NOW, room_since, resumes
        go(made)
        assert (("dispatch", NOW) in made.calls) == (asked or order == SPLIT)
