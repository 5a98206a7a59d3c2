"""Spawning, unit by unit. What whole programs see of it is in `tests/isa/vortex/test_simt.py`."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.programs import Assembly, machine
from warploom.machine.accounting.events import LAUNCH
from warploom.machine.accounting.reasons import DISPATCH_STALL
from warploom.machine.core.spawn import _leave_queues, ask_to_spawn, spawn_warps, spawn_when_alone, stop_above
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.sizes import MAX_CORES
from warploom.machine.engine.unit import mirror, zeros

QUEUES = ("awake", "starved", "wake_time_known", "waiting_memory", "fencing", "wants")


@pytest.mark.parametrize("warp", [0, 5, 63])
def test_a_warp_that_is_spawned_or_stopped_leaves_all_queues_and_the_others_stay_in_them(warp):
    table = zeros(1, Warps)
    for name in QUEUES:
        table[name] = np.uint64(0x9000_0000_0000_0035)
    before = table.copy()
    _leave_queues(mirror(table)[0], warp)
    for name in QUEUES:
        assert table[name].tolist() == (before[name] & ~(np.uint64(1) << np.uint64(warp))).tolist(), name


def core_with(running, **more):
    """(device, core) of eight warp slots of which some run, as block 0 with all lanes, each waiting for something of its own."""
    code = Assembly()
    code("exit")
    made = machine(code.program(), core__warps=8, **more)
    gpu, core = mirror(made.gpu), mirror(made.cores)[0]
    warps = core.warps
    for name in ("visits", "pending", "stores", "unsent", "started", "landed"):  # of a warp before
        getattr(warps, name)[:8] = 99
    for warp in running:
        core.blocks.alive[0] |= np.uint64(1 << warp)
        warps.threads[warp] = warps.mask[warp] = warps.launched[warp] = np.uint64(0b1110)
        warps.visits[warp], warps.pending[warp], warps.stores[warp], warps.unsent[warp] = 9, 2, 3, 4
        core.schedulers[0].launched[warp] = 50 + warp
    core.fetch.held[:8] = 3
    core.scoreboard.ready[:8] = 77
    core.access_order.open[:8], core.access_order.older[:8] = 5, 6
    core.path_table.count[:8] = 2
    warps.diverged = mask(range(8))
    warps.active = warps.awake = mask(running)
    gpu.live = len(running)
    return gpu, core


def mask(warps):
    return np.uint64(sum(1 << warp for warp in warps))


def test_warps_1_to_count_begin_with_lane_0():
    gpu, core = core_with([0])
    spawn_warps(gpu, core, 0, 4, 5, None, np.int64(30))
    warps = core.warps
    assert (gpu.progress, gpu.live) == (30, 4)
    assert warps.active == core.blocks.alive[0] == mask([0, 1, 2, 3])
    assert warps.awake == mask([0])  # the new ones are examined in the next cycle
    for warp in (1, 2, 3):
        assert (warps.pc[warp], warps.mask[warp], warps.threads[warp], warps.launched[warp]) == (5, 1, 1, 1)
        assert (warps.block[warp], warps.rank[warp], warps.reason[warp]) == (0, warp, DISPATCH_STALL)
        assert (warps.started[warp], warps.landed[warp], warps.since[warp], warps.wake[warp]) == (30, 30, 30, 31)
        assert (warps.pending[warp], warps.stores[warp], warps.unsent[warp], warps.visits[warp]) == (0, 0, 0, 0)
        assert (core.fetch.held[warp], core.fetch.following[warp]) == (0, 5)
        assert not core.scoreboard.ready[warp, : core.scoreboard.groups].any()
        assert (core.access_order.open[warp], core.access_order.older[warp], core.path_table.count[warp]) == (0, 0, 0)
        assert core.schedulers[0].launched[warp] == 30 * MAX_CORES + warp
        assert warps.expanded_from[warp] == ~np.uint64(1)  # so that the lanes are expanded anew
    assert warps.mask[0] == 0b1110 and core.fetch.held[0] == 3  # the one that asks goes on as it was
    assert warps.mask[4] == 0 and core.scoreboard.ready[4].all()
    assert (core.access_order.open[4], core.path_table.count[4], warps.diverged) == (5, 2, mask([0, 4, 5, 6, 7]))
    older = [int(core.schedulers[0].older[warp]) for warp in (1, 2, 3)]
    assert [bits & 0b1110 for bits in older] == [0, 0b0010, 0b0110]  # of one cycle, the lower number is older


@pytest.mark.parametrize(("count", "started"), [(0, []), (1, []), (2, [1]), (8, [*range(1, 8)]), (9, [*range(1, 8)])])
def test_no_more_warps_begin_than_there_are_slots(count, started):
    gpu, core = core_with([0])
    spawn_warps(gpu, core, 0, count, 0, None, np.int64(3))
    assert core.warps.active == mask([0, *started])
    assert gpu.live == 1 + len(started)


def test_a_warp_that_runs_already_goes_there_with_its_lanes_and_lane_0():
    gpu, core = core_with([0, 1])
    core.fences.at[:2] = 7
    spawn_warps(gpu, core, 0, 2, 5, None, np.int64(30))
    assert core.fences.at[:2, :4].tolist() == [[7, 7, 7, 7], [0, 0, 0, 0]]  # at that fence it will be anew
    warps = core.warps
    assert (warps.mask[1], warps.threads[1], warps.launched[1], warps.pc[1], gpu.live) == (0b1111, 0b1111, 0b1111, 5, 2)
    assert (warps.visits[1], warps.pending[1], warps.stores[1], warps.unsent[1]) == (9, 2, 3, 4)  # it has not begun anew
    assert core.schedulers[0].launched[1] == 51 and core.scoreboard.ready[1].all()
    assert (core.fetch.held[1], warps.wake[1], warps.awake) == (0, 31, mask([0]))


def test_a_slot_whose_accesses_are_on_their_way_stays_active_with_what_they_count():
    gpu, core = core_with([0])
    core.warps.draining = core.warps.active = mask([0, 1])
    core.warps.pending[1], gpu.live = 6, 2
    spawn_warps(gpu, core, 0, 2, 5, None, np.int64(30))
    warps = core.warps
    assert (warps.draining, warps.active, warps.pending[1], gpu.live) == (mask([0]), mask([0, 1]), 6, 2)
    assert (warps.mask[1], warps.rank[1], core.scoreboard.ready[1].all()) == (1, 1, True)
    assert core.blocks.alive[0] == mask([0, 1])


def test_a_warp_at_a_barrier_is_not_examined_before_it_opens():
    gpu, core = core_with([0, 1])
    core.warps.at_barrier = mask([1])
    spawn_warps(gpu, core, 0, 2, 5, None, np.int64(30))
    assert core.warps.wake[1] == 0 and core.warps.alarms.ringing == 0
    assert core.warps.pc[1] == 5


@pytest.mark.parametrize(
    ("warp", "count", "left"),
    [(0, 0, []), (0, 1, [0]), (0, 2, [0, 1]), (0, 3, [0, 1]), (0, 9, [0, 1, 3, 7]), (1, 2, [0, 1]), (3, 1, [0]), (7, 3, [0, 1])],
)
def test_warps_from_a_count_on_are_switched_off(warp, count, left):
    """The one that says so too. It has no lanes then, and ends with its instruction, as by a `tmc` of 0; the others end at once."""
    gpu, core = core_with([0, 1, 3, 7])
    core.warps.at_barrier = mask([3])
    stop_above(gpu, core, warp, count, np.int64(30))
    warps = core.warps
    ends = {warp} - {*left}
    assert warps.active == warps.awake == core.blocks.alive[0] == mask({*left} | ends)
    assert warps.at_barrier == mask({3} & ({*left} | ends))
    assert gpu.live == len(left) + len(ends)
    for slot in ends:
        assert (core.path_table.count[slot], int(warps.diverged) >> slot & 1) == (0, 0)
    for slot in (0, 1, 3, 7):
        assert bool(warps.mask[slot]) == bool(warps.threads[slot]) == (slot in left)


@pytest.mark.parametrize(
    ("running", "ended", "alone"),
    [([0], [], True), ([0, 1], [], False), ([0, 1], [1], True), ([0, 2, 7], [2, 7], True), ([0, 2, 7], [2], False)],
)
def test_an_order_is_carried_out_when_warp_0_is_alone(running, ended, alone):
    gpu, core = core_with(running)
    ask_to_spawn(core, 0, 3, 5)
    assert (core.spawn.waiting, core.spawn.count, core.spawn.pc, core.warps.at_barrier) == (1, 3, 5, 1)
    for warp in {*range(8)} - {*running}:
        core.warps.block[warp] = 3  # of what ran in its slot before
    for warp in ended:
        core.warps.threads[warp] = 0
    spawn_when_alone(gpu, core, None, np.int64(30))
    assert (core.spawn.waiting == 0) == alone
    if alone:
        assert [int(core.warps.pc[warp]) for warp in range(4)] == [0, 5, 5, 0]
        assert (core.warps.at_barrier, core.warps.wake[0]) == (0, 31)
        assert core.warps.block[:3].tolist() == [0, 0, 0]
    else:
        assert core.warps.at_barrier == 1


def test_the_second_that_asks_takes_the_place_of_the_first():
    _, core = core_with([0, 1])
    ask_to_spawn(core, 1, 3, 5)
    ask_to_spawn(core, 0, 2, 6)
    assert (core.spawn.waiting, core.spawn.count, core.spawn.pc, core.warps.at_barrier) == (1, 2, 6, 3)


def test_an_order_of_nobody_left_waits():
    """The warp that asked has been switched off since."""
    gpu, core = core_with([])
    ask_to_spawn(core, 0, 3, 5)
    spawn_when_alone(gpu, core, None, np.int64(30))
    assert core.spawn.waiting == 1 and gpu.live == 0


def test_a_warp_that_asks_and_is_left_alone_without_warp_0_starts_the_others_and_waits():
    gpu, core = core_with([2])
    ask_to_spawn(core, 2, 2, 5)
    core.warps.at_barrier |= mask([0])  # of a warp before in that slot
    spawn_when_alone(gpu, core, None, np.int64(30))
    assert (core.spawn.waiting, core.warps.at_barrier, core.warps.active) == (0, mask([0, 2]), mask([1, 2]))


@pytest.mark.parametrize("tracing", [0, 1])
def test_a_launch_is_told_where_somebody_looks_on(tracing):
    gpu, core = core_with([0, 2])
    gpu.log.tracing, core.blocks.number[0] = tracing, 7
    tables = SimpleNamespace(events=np.zeros((9, 8), np.int64))
    spawn_warps(gpu, core, 0, 4, 5, tables, np.int64(30))
    rows = [[30, LAUNCH, 0, warp, 5, 1, 7, warp] for warp in (1, 3)]  # warp 2 runs already
    assert tables.events[: int(gpu.log.rows)].tolist() == (rows if tracing else [])
