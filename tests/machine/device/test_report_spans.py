"""What a run on cores with warps gave when it was stopped: the spans of its warps up to there, and where it was."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, Assembly, loading, machine, run
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.reasons import NOT_SELECTED
from warploom.machine.device.report import account_the_rest, open_rows
from warploom.machine.run.driver import drive

A, B = FREE, FREE + 1


@pytest.mark.parametrize("cycle", [3, 12, 20, 22, 24, 30, 60])
def test_the_open_spans_of_warps_are_the_cycles_that_they_are_accounted_for_when_a_run_stops_there(cycle):
    """Eight warps, whose operations take so long that each waits for one, and then to be selected, or waits for memory."""
    code = Assembly()
    for _ in range(4):
        code.op("mul", A, A, imm=3)
        code.op("add", B, B, imm=4)
    code.load(A, B)
    code.op("add", A, A, imm=1)
    code("exit")
    made = machine(code.program(threads=32, block=32), core__warps=8, latency__alu=12)
    drive(made, engine="python", max_cycles=cycle)
    spans, before = open_rows(made), made.profile.copy()
    account_the_rest(made)
    counted = np.zeros_like(before)
    for until, kind, _, warp, pc, mask, reason, begin in spans.tolist():
        assert (kind, mask) == (e.STALL, 15)
        assert until == cycle or reason != NOT_SELECTED
        assert pc == made.cores["warps"]["pc"][0, warp]
        counted[pc, reason] += until - begin
    assert np.array_equal(counted, made.profile - before)
    assert counted.sum() > 0


# Of a warp at cycle 30: since when its span lasts, when it wakes, whether it is awake; the cycles of its reason, and of not being selected.
SPANS = [(10, 17, 1, 7, 13), (10, 17, 0, 20, 0), (10, 5, 1, 0, 20), (10, 99, 1, 20, 0), (30, 3, 1, 0, 0), (0, 30, 1, 30, 0)]


@pytest.mark.parametrize(("since", "wake", "awake", "waited", "ready"), SPANS)
@pytest.mark.parametrize(("pc", "row"), [(0, 0), (2, 2), (3, 2), (9, 2), (-4, 0)])
def test_a_warp_that_is_stopped_waited_until_it_woke_and_was_not_selected_from_there(since, wake, awake, waited, ready, pc, row):
    """At an instruction of the program: one that is gone on from or came to where there is none, waits at the last one or the first."""
    made = machine(loading(threads=4), core__warps=8)
    made.gpu["now"] = 30
    warps = made.cores["warps"]
    warps["active"], warps["awake"], warps["reason"] = 1 << 5, awake << 5 | 0b11, r.LG_THROTTLE
    warps["since"], warps["wake"], warps["pc"] = since, wake, pc
    expected = np.zeros_like(made.profile)
    expected[row, r.LG_THROTTLE], expected[row, r.NOT_SELECTED] = waited, ready
    for _ in range(2):  # each cycle once, however often somebody asks
        account_the_rest(made)
        assert np.array_equal(made.profile, expected)


def test_what_a_run_gave_when_it_is_stopped_ended_and_failed():
    """Spans that last are told only where somebody listens; where a warp is, where it was stopped; where a fault is, where there is one."""
    for tracing in (False, True):
        stopped = run(loading(threads=4), max_cycles=7, tracing=tracing)
        assert (stopped.status, stopped.counters["warp_cycles"], len(stopped.running), stopped.fault_at) == ("timeout", 7, 1, -1)
        events = stopped.detail.events
        assert len(events[events[:, e.TIME] == 7]) == int(tracing)
        assert (events[:, e.TIME] > 0).any() == tracing
    ended = run(loading(threads=4))
    assert (ended.status, ended.running, ended.fault_at, ended.mapped) == ("done", (), -1, None)
    code = Assembly()
    code("nop")
    code.op("add", A, GLOBAL, imm=1)
    code.load(B, A)
    code("exit")
    failed = run(code.program(threads=4))
    assert (failed.status, failed.running, failed.fault_at) == ("error", (), 2)


def test_a_machine_that_runs_once_hands_over_its_profile():
    made = machine(loading(threads=4))
    assert made.finish(drive(made, engine="python")).detail.profile is made.profile
