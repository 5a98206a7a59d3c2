"""Full units, call by call: which take nothing, who needs them, what is counted, and when the next one takes something."""

from itertools import product

import numpy as np
import pytest

from tests.machine.core.unit_bench import core_of, mask
from warploom.isa.uop import ALU, MEMORY, SHARED, SPECIAL, TEXTURE
from warploom.machine.core import full_units
from warploom.machine.core.units import arithmetic, memory_stage, texture_access
from warploom.machine.engine.unit import FOREVER

NOW, LATER, SOON = 40, 60, 45
UNITS = (ALU, SPECIAL, MEMORY, SHARED, TEXTURE)


def sum_of(masks):
    found = mask()
    for one in masks:
        found = found | one
    return found


def with_full(monkeypatch, core, *full):
    """Units that take nothing in cycle NOW; queues have `full` of their own."""
    core.alus.idle, core.specials.idle = (mask() if unit in full else mask(0) for unit in (ALU, SPECIAL))
    core.shared_free = NOW + 1 if SHARED in full else NOW
    queues = {MEMORY: core.lsu, TEXTURE: core.texture}
    for module in (memory_stage, texture_access):
        monkeypatch.setattr(module, "full", lambda queue: int(any(queue is queues[unit] for unit in full if unit in queues)))
    monkeypatch.setattr(full_units, "find_idle_pipes", lambda pipes, now: None)


@pytest.mark.parametrize("own", [0, 1])
@pytest.mark.parametrize("full", [(), *((unit,) for unit in UNITS), UNITS])
def test_warps_that_need_a_full_unit_are_blocked_while_one_of_them_is_awake(monkeypatch, full, own):
    """Warp 0 needs the ALU, warp 1 the special unit, and so on; so does warp 6, which is not awake. A sub-partition has its own pipes."""
    for awake in (mask(*range(6)), mask(2), mask(0, 4), mask()):
        _gpu, core, _ = core_of()
        core.partitions.own = own
        with_full(monkeypatch, core, *full)
        for warp, unit in enumerate(UNITS):
            core.warps.wants[unit] = mask(warp, 6) if unit != ALU else mask(warp)
            assert bool(full_units.unit_accepts(unit, core, NOW)) == (unit not in full or (own == 1 and unit in (ALU, SPECIAL)))
        core.warps.awake, core.full_units, core.warps_blocked = awake, mask(9), mask(5)
        full_units.find_full_units(core, NOW)
        stopped = [unit for warp, unit in enumerate(UNITS) if unit in full and awake & mask(warp) and not (own and unit in (ALU, SPECIAL))]
        assert core.full_units == mask(*stopped)
        assert core.warps_blocked == sum_of(core.warps.wants[unit] for unit in stopped)


@pytest.mark.parametrize(("held", "blocked"), [((0, 0), ()), ((NOW, NOW + 1), (1, 3, 5, 7)), ((NOW + 5, NOW), (0, 2, 4, 6))])
def test_a_scheduler_whose_operands_are_still_read_issues_nothing(monkeypatch, held, blocked):
    _gpu, core, _ = core_of()
    with_full(monkeypatch, core)
    core.operands.held[:2] = held
    full_units.find_full_units(core, NOW)
    assert core.warps_blocked == mask()  # none is held for longer than its own issue
    core.operands.latest = max(held)
    full_units.find_full_units(core, NOW)
    assert core.warps_blocked == mask(*blocked)


def test_warps_that_find_too_few_lane_slots_are_blocked_alone(monkeypatch):
    for capacity, (asking, without) in product((0, 8), ((mask(1, 3), mask()), (mask(1, 3), mask(3)), (mask(0), mask(0)))):
        _gpu, core, _ = core_of()
        with_full(monkeypatch, core)
        core.lane_slots.capacity, core.warps.awake, core.warps.wants[TEXTURE] = capacity, mask(0, 1, 3), asking | mask(7)
        asked = []
        monkeypatch.setattr(
            full_units, "warps_without_slots", lambda core, who, asked=asked, without=without: asked.append(int(who)) or without
        )
        full_units.note_if_full(core, TEXTURE, NOW)
        assert asked == ([int(asking)] if capacity else [])
        stopped = capacity and without
        assert (core.full_units, core.warps_blocked) == ((mask(TEXTURE), without) if stopped else (mask(), mask()))
        full_units.note_if_full(core, MEMORY, NOW)
        assert len(asked) == (1 if capacity else 0)


@pytest.mark.parametrize("cycles", [1, 7])
def test_cycles_are_counted_of_each_full_unit_that_a_warp_of_the_scheduler_needs(cycles):
    _gpu, core, _ = core_of()
    core.full_units, core.partitions.full[1], core.partitions.full[0] = mask(MEMORY, ALU), mask(SPECIAL, ALU), mask(TEXTURE)
    for unit, warps in ((MEMORY, (1, 2)), (SPECIAL, (3,)), (ALU, (0,)), (TEXTURE, (3,)), (SHARED, (1,))):
        core.warps.wants[unit] = mask(*warps)
    before = np.full_like(core.unit_full_cycles, 100)
    for banks, held, awake, expected in (
        (0, NOW, mask(1, 3), {MEMORY, SPECIAL}), (0, NOW, mask(5), set()), (2, NOW - 1, mask(1), {MEMORY}),
        (2, NOW, mask(1), None), (2, NOW, mask(), set()),
    ):  # fmt: skip
        core.operands.banks, core.operands.held[1], core.operands.held[0] = banks, held, 0
        core.unit_full_cycles[:], core.operands.held_cycles[:] = 100, 50
        full_units.count_full_units(core, 1, awake, cycles, NOW - 1)
        wanted = before.copy()
        wanted[1, list(expected or ())] += cycles
        assert (core.unit_full_cycles == wanted).all()
        assert core.operands.held_cycles[:2].tolist() == [50, 50 + (cycles if expected is None else 0)]


def test_the_next_cycle_is_that_of_the_first_unit_that_is_free(monkeypatch):
    """Each unit is free at a time of its own; only those that are full are waited for, and none before the next full_units."""
    times = {ALU: LATER, SPECIAL: SOON, SHARED: LATER + 7}
    for full, earlier in product([(), (ALU,), (SPECIAL,), (SHARED,), (ALU, SHARED), (ALU, SPECIAL, SHARED)], (0, 30)):
        _gpu, core, _ = core_of()
        monkeypatch.setattr(arithmetic, "next_free", lambda pipes, c=core, less=earlier: times[ALU if pipes is c.alus else SPECIAL] - less)
        for module in (memory_stage, texture_access):
            monkeypatch.setattr(module, "full", lambda queue: 1)
        core.full_units, core.shared_free = mask(*full), times[SHARED] - earlier
        expected = max(min((times[unit] - earlier for unit in full), default=FOREVER), NOW + 1)
        assert full_units.next_free_unit(core, NOW) == expected


def test_a_queue_with_room_again_is_asked_in_the_next_cycle(monkeypatch):
    for full_then, full_now in product([(), (MEMORY,), (TEXTURE,), (MEMORY, TEXTURE)], repeat=2):
        _gpu, core, _ = core_of()
        with_full(monkeypatch, core, *full_now)
        core.full_units = mask(*full_then)
        assert full_units.next_free_unit(core, NOW) == (NOW + 1 if set(full_then) - set(full_now) else FOREVER)


def test_pipes_and_operands_of_a_scheduler_are_waited_for(monkeypatch):
    _gpu, core, _ = core_of()
    monkeypatch.setattr(full_units, "next_entry", lambda partitions, number, full: (LATER, SOON)[number])
    for own, awake in product((0, 1), ((), (0,), (1,), (0, 1))):
        core.partitions.own, core.warps.awake = own, mask(*awake)
        assert full_units.next_free_unit(core, NOW) == (min((LATER, SOON)[warp] for warp in awake) if own and awake else FOREVER)
    core.partitions.own = 0
    for held, expected in (((NOW, NOW - 3), FOREVER), ((LATER, NOW), LATER), ((LATER, NOW + 1), NOW + 1), ((LATER, SOON), SOON)):
        core.operands.held[:2], core.operands.latest = held, max(held)
        assert full_units.next_free_unit(core, NOW) == expected
    core.operands.latest = NOW
    assert full_units.next_free_unit(core, NOW) == FOREVER


def test_a_scheduler_with_its_share_of_the_load_store_unit_waits_until_that_sends_something(monkeypatch):
    """Its port is full then, for no time of its own; others may go on."""
    monkeypatch.setattr(full_units, "find_full_ports", lambda partitions, number, now: None)
    for share, expected in ((0, 0), (2, mask(1)), (3, 0)):
        _, core, _ = core_of()
        core.warps.wants[MEMORY], core.warps.awake, core.partitions.own = mask(0, 1), mask(0, 1), 1
        core.partitions.free[:2, MEMORY], core.partitions.full[0] = LATER, mask(MEMORY)
        core.lsu.share, core.lsu.held[1] = share, 2
        full_units.note_full_ports(core, 1, NOW)
        assert core.warps_blocked == expected
        core.warps.awake = mask(1)
        assert full_units.next_free_unit(core, NOW) == FOREVER
        core.lsu.held[1] = 1  # something has left
        if share:
            core.partitions.free[:2, MEMORY] = 0
            core.partitions.full[1] = mask(MEMORY)
            assert full_units.next_free_unit(core, NOW) == NOW + 1


def test_full_pipes_of_a_scheduler_block_its_own_warps(monkeypatch):
    monkeypatch.setattr(full_units, "find_full_ports", lambda partitions, number, now: None)
    _, core, _ = core_of()
    core.warps.wants[ALU], core.warps.wants[SPECIAL], core.warps.wants[MEMORY] = mask(0, 1), mask(2, 3), mask(4, 5)
    core.partitions.full[0], core.partitions.full[1] = mask(ALU, SPECIAL), mask(MEMORY)
    core.warps_blocked = mask(7)
    full_units.note_full_ports(core, 0, NOW)
    assert core.warps_blocked == mask(0, 2, 7)
    full_units.note_full_ports(core, 1, NOW)
    assert core.warps_blocked == mask(0, 2, 5, 7)
