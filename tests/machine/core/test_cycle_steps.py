"""The steps of a core's cycle, call by call: who is asked, what is counted of cycles that were skipped, and when the next thing happens."""

import random
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.unit_bench import core_of, mask
from warploom.isa.uop import ALU, MEMORY, SHARED, SPECIAL, TEXTURE
from warploom.machine.accounting.event_kinds import OWN
from warploom.machine.accounting.events import CORE, EMPTY_SLOT, KIND, LACKS_UNIT, MASK, PC, VISIT, WAITS, WARP
from warploom.machine.core import cycle
from warploom.machine.core.warps import stall_account
from warploom.machine.engine.unit import FOREVER

NOW, LATER, SOON = 40, 60, 45
UNITS = (ALU, SPECIAL, MEMORY, SHARED, TEXTURE)


def test_skipped_cycles_count_like_the_one_before_them_for_each_scheduler(monkeypatch):
    counted = []
    monkeypatch.setattr(cycle, "count_full_units", lambda core, number, awake, *cycles: counted.append((number, int(awake), *cycles)))
    _gpu, core, _ = core_of()
    core.warps.awake = mask(0, 1, 4)
    for blocked, now, cycles in ((mask(0), NOW + 9, 9), (mask(0), NOW + 1, 1), (mask(0), NOW, 0), (mask(), NOW + 9, 0)):
        core.warps_blocked = blocked
        del counted[:]
        cycle._count_skipped_cycles(core, now)
        assert counted == ([(0, int(mask(0, 4)), cycles, NOW), (1, int(mask(1)), cycles, NOW)] if cycles else [])


@pytest.mark.parametrize("expected", [NOW + 1, SOON, FOREVER])
def test_the_next_issue_is_at_once_where_a_warp_can_or_when_a_unit_is_free(monkeypatch, expected):
    monkeypatch.setattr(cycle, "next_free_unit", lambda core, now: expected)
    _gpu, core, _ = core_of()
    for issued, awake, blocked in ((1, (), ()), (0, (1,), ()), (0, (1,), (1,)), (0, (1, 2), (1,)), (0, (), ())):
        core.issued, core.warps.awake, core.warps_blocked = issued, mask(*awake), mask(*blocked)
        at_once = issued or set(awake) - set(blocked)
        assert cycle.next_issue_cycle(core, NOW) == (NOW + 1 if at_once else expected)


@pytest.mark.parametrize("busy", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_units_beside_the_schedulers_work_where_something_waits_and_say_when_next(monkeypatch, busy):
    for waiting, buffer in product(product((0, 1, 2), repeat=2), (0, 1)):
        gpu, core, tables = core_of()
        core.lsu.waiting, core.texture.waiting, core.fetch.buffer, asked = *waiting, buffer, []
        monkeypatch.setattr(cycle, "fetch_instructions", lambda gpu, fetch, warps, rows, now: LATER)

        def load_store(gpu, core, unit, tables, now, asked=asked):
            asked.append(unit)
            return busy[1 if unit is core.texture else 0]

        found = cycle.fetch_and_load_store(gpu, core, tables, SimpleNamespace(load_store=load_store), NOW)
        assert asked == [unit for unit, wants in zip((core.lsu, core.texture), waiting, strict=True) if wants]
        again = any(wants and more for wants, more in zip(waiting, busy, strict=True))
        assert found == (NOW + 1 if again else LATER if buffer else FOREVER)


@pytest.mark.parametrize("tracing", [0, 1])
def test_a_policys_choice_is_issued_or_says_why_not(tracing):
    """Warps 0, 2, 4 and 6 are its own: 0 can issue, 2 lacks a unit, 4 waits, and 6 is an empty slot."""
    for choice, why in ((-1, None), (0, None), (2, LACKS_UNIT), (4, WAITS), (6, EMPTY_SLOT)):
        gpu, core, tables = core_of()
        warps, s = core.warps, core.schedulers[0]
        gpu.log.tracing, s.last = tracing, 99
        gpu.log.rows = 0
        warps.active, warps.waiting_memory, warps.at_barrier = mask(0, 1, 2, 3, 4), mask(4, 5), mask(1, 4)
        warps.visits[:] = 0
        seen = []
        units = SimpleNamespace(policy=lambda s, now, choice=choice, seen=seen: seen.append(now) or choice)
        found = cycle.pick_warp(gpu, core, s, mask(0, 2), mask(0), tables, units, NOW)
        assert (found, seen) == (0 if choice == 0 else -1, [NOW])
        assert (s.active, s.awake, s.eligible, s.waiting_memory, s.at_barrier) == (mask(0, 2, 4), mask(0, 2), mask(0), mask(4), mask(4))
        assert s.last == (choice if choice >= 0 else 99)
        assert warps.visits[:8].tolist() == [int(warp == choice and choice != 6) for warp in range(8)]
        written = tables.events[: int(gpu.log.rows)]
        said = [(VISIT, core.number, choice, int(warps.pc[choice]), int(warps.mask[choice]), why, 0)] if tracing and why is not None else []
        assert [tuple(row.tolist()) for row in written[:, [KIND, CORE, WARP, PC, MASK, *OWN[:2]]]] == said


@pytest.mark.parametrize("every_cycle", [0, 1])
def test_an_issue_slot_asks_its_policy_where_a_warp_can_issue_and_nothing_after_a_fault(monkeypatch, every_cycle):
    for awake, blocked, own, fault in product(((), (1,), (1, 3), (0,)), ((), (1,), (1, 3)), (0, 1), (0, 4)):
        gpu, core, tables = core_of()
        gpu.every_cycle, gpu.fault.kind, core.issued, core.partitions.own = every_cycle, fault, 0, own
        core.warps.awake, core.warps_blocked = mask(*awake), mask(*blocked)
        calls = []
        can = sorted(set(awake) & {1, 3} - set(blocked))
        monkeypatch.setattr(cycle, "note_full_ports", lambda core, number, now, calls=calls: calls.append("ports"))
        monkeypatch.setattr(
            cycle, "count_full_units", lambda core, *given, calls=calls: calls.append(("count", given[0], int(given[1]), *given[2:]))
        )
        monkeypatch.setattr(cycle, "issue", lambda *given, calls=calls: calls.append(("issue", given[2], given[3])) or 7)
        monkeypatch.setattr(cycle, "note_what_it_fills", lambda core, port, now, calls=calls: calls.append(("note", int(port))))

        def pick(gpu, core, s, awake, eligible, tables, units, now, calls=calls, can=can):
            calls.append(("pick", int(awake), int(eligible)))
            return can[0] if can else -1

        monkeypatch.setattr(cycle, "pick_warp", pick)
        cycle.issue_slot(gpu, core, 1, tables, None, NOW)
        mine = mask(*(set(awake) & {1, 3}))
        expected = ["ports"] * own
        expected += [("count", 1, int(mine), 1, NOW)] if mask(*can) != mine else []
        expected += [("pick", int(mine), int(mask(*can)))] if can or every_cycle else []
        expected += [("issue", 1, can[0]), ("note", 7)] if can else []
        assert calls == ([] if fault else expected)
        assert core.issued == (1 if can and not fault else 0)


@pytest.mark.parametrize("every_cycle", [0, 1])
@pytest.mark.parametrize("awake", [(), (0, 2), (1,), (0, 1)])
def test_a_cycle_is_its_steps_in_order(monkeypatch, awake, every_cycle):
    """What was skipped is counted first; alarms wake warps; schedulers without one that is awake are not asked, unless all are."""
    gpu, core, tables = core_of()
    calls = []
    for name in ("_count_skipped_cycles", "find_full_units"):
        monkeypatch.setattr(cycle, name, lambda core, now, name=name: calls.append((name, core.stepped)))
    monkeypatch.setattr(cycle, "check_alarms", lambda *given: setattr(core.warps, "awake", mask(*awake)))
    monkeypatch.setattr(cycle, "issue_slot", lambda *given: calls.append(("issue", given[2])))
    monkeypatch.setattr(cycle, "fetch_and_load_store", lambda *given: calls.append(("beside", core.issued)) or FOREVER)
    monkeypatch.setattr(cycle, "next_issue_cycle", lambda core, now: SOON)
    gpu.every_cycle, core.issued, core.warps.awake = every_cycle, 5, mask()
    core.full_units = core.warps_blocked = mask(3)
    for alarm in (LATER, SOON - 2):
        monkeypatch.setattr(cycle, "next_ringing", lambda ringing, now, alarm=alarm: alarm)
        del calls[:]
        core.stepped = NOW - 1
        assert cycle.step(gpu, core, tables, None, NOW) == (min(SOON, alarm) if awake else alarm)
        asked = [number for number in (0, 1) if every_cycle or any(warp % 2 == number for warp in awake)]
        found = [("find_full_units", NOW)] if awake or every_cycle else []
        assert calls == [("_count_skipped_cycles", NOW - 1), *found, *(("issue", number) for number in asked), ("beside", 0)]
        assert core.stepped == NOW
        assert core.full_units == core.warps_blocked == (mask(3) if awake or every_cycle else mask())


def test_a_warp_whose_alarm_rings_is_woken_examined_or_leaves_its_slot(monkeypatch):
    """Warp 0 knows when it wakes, 1 is awake, 2 waits for something, 3 to 7 have ended: 4 has an access, 5 a store on its way, 7 both."""
    gpu, core, tables = core_of()
    warps, calls = core.warps, []
    monkeypatch.setattr(cycle, "ringing_in", lambda alarms, now: mask(*range(8)))
    monkeypatch.setattr(cycle, "rings", lambda warps, warp, now: warp != 6)
    monkeypatch.setattr(cycle, "wake_up", lambda core, warp, port, now: calls.append(("wake", warp, int(port))))
    monkeypatch.setattr(cycle, "account_wait", lambda gpu, core, warp, tables, now: calls.append(("account", warp)))
    monkeypatch.setattr(cycle, "examine", lambda gpu, core, tables, warp, now: calls.append(("examine", warp)))
    monkeypatch.setattr(cycle, "free_slot", lambda gpu, core, warp, tables, now: calls.append(("free", warp)))
    warps.wake_time_known, warps.awake, warps.draining = mask(0, 1), mask(1), mask(3, 4, 5, 6, 7)
    warps.pending[:], warps.stores[:] = 0, 0
    warps.pending[[4, 7]], warps.stores[[5, 7]] = 1, 1
    cycle.check_alarms(gpu, core, tables, NOW)
    port = int(tables.code[int(warps.pc[0]), cycle.PORT])
    assert calls == [
        ("wake", 0, port),
        ("account", 2),
        ("examine", 2),
        ("account", 3),
        ("free", 3),
        ("account", 4),
        ("account", 5),
        ("account", 7),
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 16, 32, 48, 64])
def test_both_forms_ask_the_same_schedulers(monkeypatch, count):
    """An issue may put a warp of a later scheduler to sleep: that one is not asked any more."""
    gpu, core, tables = core_of(schedulers=count, warps=64)
    source = random.Random(count)
    for every_cycle, asleep in product((0, 1), ((), range(40, 64), range(64))):
        gpu.every_cycle = every_cycle
        for _ in range(20):
            awake, asked = mask(*(warp for warp in range(64) if source.random() < source.choice((0.03, 0.5)))) | mask(5), {}
            for form in (cycle.issue_slots, cycle.issue_slots_asked_for):
                core.warps.awake, asked[form] = awake, []

                def issue(gpu, core, number, *_, calls=asked[form], asleep=asleep):
                    calls.append(int(number))
                    core.warps.awake = core.warps.awake & ~mask(*asleep)

                monkeypatch.setattr(cycle, "issue_slot", issue)
                form(gpu, core, tables, None, NOW)
            assert asked[cycle.issue_slots] == asked[cycle.issue_slots_asked_for] != []


def test_cycles_are_accounted_alike_with_and_without_a_branch():
    for tracing, since, until in product((0, 1), (0, 7), (0, 6, 7, 8, FOREVER)):
        rows = []
        for form in (stall_account.account, stall_account.account_without_branch):
            gpu, core, tables = core_of()
            gpu.log.tracing, gpu.log.rows, core.warps.since[2], tables.profile = tracing, 0, since, np.zeros((4, 64), np.int64)
            form(gpu, core, 2, 3, tables, until)
            rows.append((tables.profile.tolist(), core.warps.since.tolist(), tables.events[: int(gpu.log.rows)].tolist()))
        assert rows[0] == rows[1]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 8, 48, 64])
def test_the_schedulers_that_are_asked_are_those_that_own_a_warp_that_is_awake(count):
    gpu, core, _ = core_of(schedulers=count, warps=64)
    for warps in ((0,), (1, 5), (count - 1,), (63,), (2, 40, 41)):
        core.warps.awake = mask(*warps)
        owners = mask(*{warp % count for warp in warps})
        assert cycle._schedulers_asked(gpu, core) == cycle._schedulers_with(core, core.warps.awake) == owners
    gpu.every_cycle = 1
    assert cycle._schedulers_asked(gpu, core) == mask(*range(count))


@pytest.mark.parametrize("buffer", [0, 2])
@pytest.mark.parametrize("waiting", ["waiting_memory", "at_barrier", "fencing", "draining", ""])
def test_a_core_that_forms_its_warps_anew_does_so_before_its_cycle(monkeypatch, waiting, buffer):
    """No cycle is skipped as long as a warp waits for something other than memory, a barrier or its end."""
    calls = []
    _gpu, core, _ = core_of()
    core.fetch.buffer, core.warps.active, core.code_rows = buffer, mask(0, 2), 5
    core.warps.waiting_memory = mask(0, 3)
    if waiting:
        setattr(core.warps, waiting, getattr(core.warps, waiting) | mask(2))
    monkeypatch.setattr(cycle, "receive_instructions", lambda *given: calls.append(("receive", given)))
    monkeypatch.setattr(cycle, "form_warps", lambda *given: calls.append(("form", given)))
    monkeypatch.setattr(cycle, "step", lambda *given: calls.append(("step", given)) or LATER)
    assert cycle.step_forming_warps(1, core, 3, 4, NOW) == (LATER if waiting else NOW + 1)
    received = [("receive", (core.fetch, core.warps, 5, NOW))] if buffer else []
    assert calls == [*received, ("form", (1, core, 3, NOW)), ("step", (1, core, 3, 4, NOW))]
