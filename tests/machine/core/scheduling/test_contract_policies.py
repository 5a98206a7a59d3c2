"""What every scheduling policy must do: pick its own warps, starve none, and change nothing but the time.

A policy is under test when it stands in POLICIES; a user's own Python function has to pass the same.
"""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.machine.programs import FREE, GLOBAL, WARP, Assembly, config, issues, run, words
from tests.machine.random_programs import expected, launches, machines, seeds, statements, table, written
from warploom.gpu import GPU
from warploom.machine.accounting import reasons as r
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.engine.bits import lowest
from warploom.machine.engine.unit import unit
from warploom.machine.run.driver import drive

A, B, C = range(FREE, FREE + 3)


@unit
def youngest(s, now):
    """A user's own policy: the eligible warp that started last; of those that started together the highest."""
    best = np.int64(-1)
    left = s.eligible
    while left != np.uint64(0):
        warp = lowest(left)
        left = left & (left - np.uint64(1))
        if best < 0 or s.launched[warp] >= s.launched[best]:
            best = warp
    return best


@unit
def careless(s, now):
    """A user's own policy that looks at one slot after the other, its own or not, there or not."""
    return np.int64(now % (s.warps + 1)) - 1


UNDER_TEST = {**dict.fromkeys(POLICIES), "a user's own": youngest, "a careless one": careless}


def gpu(name, engine="python", **changes):
    own = UNDER_TEST[name]
    settings_ = changes if own is not None else {**changes, "core__scheduler": name}
    return GPU(config(**settings_), engine=engine, scheduler=own)


def busy_program():
    """Six warps, each with arithmetic, a load, a store and a loop of its own length."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.op("add", C, WARP, imm=1)
    code.label("top")
    code.load(B, A)
    code.op("mul", B, B, imm=3)
    code.op("add", B, B, GLOBAL)
    code.store(A, B)
    code.op("sub", C, C, imm=1)
    code.branch(C, "top")
    code("exit")
    return code.program(threads=24, block=24).with_data(np.arange(24, dtype=np.uint32).view(np.uint8))


@pytest.mark.parametrize("name", UNDER_TEST)
def test_memory_is_the_same_under_each(name):
    value = np.arange(24, dtype=np.int64)
    for number in range(24):
        for _ in range(number // 4 + 1):
            value[number] = (value[number] * 3 + number) % (1 << 32)
    result = gpu(name, core__warps=6, core__schedulers=2).run(busy_program())
    assert result.status == "done", result.fault
    assert words(result)[:24].tolist() == value.tolist()


@pytest.mark.parametrize("name", UNDER_TEST)
def test_each_issue_is_of_a_warp_that_its_scheduler_owns_and_no_scheduler_issues_twice_a_cycle(name):
    result = gpu(name, core__warps=6, core__schedulers=3, alu__count=3).run(busy_program(), tracing=True)
    slots = [(time, warp % 3) for time, warp, _, _ in issues(result)]
    assert len(slots) == len(set(slots)) == result.detail.profile[:, r.SELECTED].sum()


@pytest.mark.parametrize("name", UNDER_TEST)
def test_no_warp_starves_in_a_program_that_ends(name):
    """Warps that never wait compete for one slot a cycle; each gets all of its instructions issued."""
    code = Assembly()
    for _ in range(20):
        code.op("add", A, A, imm=1)
    code("exit")
    result = gpu(name, core__warps=4).run(code.program(threads=16, block=16), tracing=True)
    assert result.status == "done"
    counts = np.bincount([warp for _, warp, _, _ in issues(result)], minlength=4)
    assert counts.tolist() == [21] * 4


@pytest.mark.parametrize("name", [name for name in UNDER_TEST if name not in ("guppy", "a careless one")])
def test_a_slot_is_lost_only_when_no_warp_can_issue(name):
    code = Assembly()
    for _ in range(20):
        code.op("add", A, A, imm=1)
    code("exit")
    result = gpu(name, core__warps=4).run(code.program(threads=16, block=16))
    assert result.cycles == 4 * 21


@pytest.mark.parametrize("name", UNDER_TEST)
def test_barriers_open_under_each(name):
    code = Assembly()
    for _ in range(3):
        code.op("add", A, A, imm=1)
        code("barrier")
    code.op("shl", B, GLOBAL, imm=2)
    code.store(B, A)
    code("exit")
    result = gpu(name, core__warps=6, core__schedulers=2).run(code.program(threads=24, block=12))
    assert result.status == "done", result.fault
    assert words(result)[:24].tolist() == [3] * 24


@pytest.mark.parametrize("name", UNDER_TEST)
def test_a_deadlock_is_found_under_each(name):
    """Warp 0 waits at barrier 0, warp 1 at barrier 1: nobody will come."""
    code = Assembly()
    code("barrier", a=WARP)
    code("exit")
    result = gpu(name, core__warps=2).run(code.program(threads=8, block=8), max_cycles=5000)
    assert result.status == "error"
    assert result.fault.startswith("no warp can ever continue")
    assert result.cycles < 100


@pytest.mark.every(3)
@pytest.mark.parametrize("name", UNDER_TEST)
def test_random_programs_agree_with_their_threads_one_after_the_other_and_both_engines_with_each_other(name):
    own = UNDER_TEST[name]
    choice = {} if own is not None else {"core.scheduler": name}

    @settings(max_examples=8, deadline=None)
    @given(statements(), launches, seeds, machines(**choice))
    def check(body, launch, seed, machine):
        program = written(body, *launch, table(seed))
        made = PipelineMachine(load_config(Config(), machine), program, units={"scheduler": own} if own else {})
        outcome = drive(made, engine="native", max_cycles=3_000_000)
        assert outcome.status == "done", made.finish(outcome).fault
        assert np.array_equal(words(made), expected(body, *launch, table(seed)))
        if made.cycle < 600:
            again = PipelineMachine(load_config(Config(), machine), program, units={"scheduler": own} if own else {})
            drive(again, engine="python")
            assert again.state() == made.state()

    check()


# ---------------------------------------------------------------------------------------------------------
# What each is known for


def order(name, code, *, threads=16, **changes):
    """The warps in the order in which they issue."""
    result = gpu(name, core__warps=threads // 4, **changes).run(code.program(threads=threads, block=threads), tracing=True)
    return [warp for _, warp, _, _ in issues(result)]


def arithmetic(count):
    code = Assembly()
    for _ in range(count):
        code.op("add", A, A, imm=1)
    code("exit")
    return code


def test_round_robin_keeps_warps_together():
    assert order("round_robin", arithmetic(2)) == [0, 1, 2, 3] * 3


def test_greedy_oldest_lets_warps_drift_apart():
    assert order("greedy_oldest", arithmetic(2)) == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3


def test_greedy_oldest_takes_another_warp_while_its_own_waits():
    assert order("greedy_oldest", arithmetic(2), threads=8, latency__alu=3) == [0, 1, 0, 0, 1, 1]


def test_two_level_changes_groups_when_all_of_a_group_wait_for_memory():
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.load(B, A)
    code.op("add", B, B, imm=1)
    code("exit")
    # Groups of two: the first runs into its loads, then the second does, while the first waits.
    assert order("two_level", code, core__fetch_group=2)[:8] == [0, 1, 0, 1, 2, 3, 2, 3]
    assert order("round_robin", code)[:8] == [0, 1, 2, 3, 0, 1, 2, 3]


def test_vortex_serves_every_warp_once_a_round():
    assert order("vortex", arithmetic(3)) == [0, 1, 2, 3] * 4


def test_guppy_stays_on_a_warp_that_lacks_an_alu_and_leaves_one_that_waits():
    """The article's pitfall: the fetch unit waits for an ALU with its warp, and the other warp gets no turn."""
    code = Assembly()
    code.op("divu", A, GLOBAL, imm=3)
    code.op("divu", B, GLOBAL, imm=5)
    code("exit")
    result = gpu("guppy", core__warps=2, alu__depth=1, latency__divide=4, core__lock="lane").run(
        code.program(threads=8, block=8), tracing=True
    )
    assert [(time, warp, pc) for time, warp, pc, _ in issues(result)][:2] == [(0, 0, 0), (4, 0, 1)]


@unit
def first_scheduler_only(s, now):
    """Serves the warps of scheduler 0 and none of the others."""
    if s.number != 0 or s.eligible == np.uint64(0):
        return np.int64(-1)
    return lowest(s.eligible)


def test_a_policy_of_your_own_that_starves_warps_runs_into_the_cycle_limit_and_not_further():
    result = GPU(config(core__schedulers=2, core__warps=2), engine="python", scheduler=first_scheduler_only).run(
        arithmetic(3).program(threads=8, block=8), max_cycles=500
    )
    assert (result.status, result.cycles) == ("timeout", 500)


def test_a_policy_of_your_own_in_plain_python_and_natively():
    plain = GPU(config(core__warps=6), engine="python", scheduler=youngest).run(busy_program())
    fast = GPU(config(core__warps=6), engine="native", scheduler=youngest).run(busy_program())
    usual = run(busy_program(), core__warps=6)
    assert (plain.cycles, plain.counters) == (fast.cycles, fast.counters)
    assert np.array_equal(plain.memory, fast.memory)
    assert np.array_equal(plain.memory, usual.memory)
