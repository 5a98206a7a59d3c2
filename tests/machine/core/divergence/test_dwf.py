"""Dynamic warp formation: small machines, instruction by instruction, and what it does to whole programs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.programs import FREE, GLOBAL, LANE, WARP, Assembly, issues, machine, run, words
from tests.machine.random_programs import expected, launches, machines, seeds, statements, table, written
from tests.machine.two_engines import both
from warploom.isa.uop import FENCE_BLOCK, FENCE_DEVICE, FIRST_UOP, IMM, NUMBER, OP, SPECIAL_NUMBER, scalar
from warploom.machine.accounting import events as e
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.core import ready_check
from warploom.machine.core.divergence.dwf import foremost
from warploom.machine.core.divergence.thread_pool import HEURISTICS
from warploom.machine.core.scheduling.scheduler import Scheduler
from warploom.machine.core.warps.fence import begin_fence
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.engine.unit import unit, zeros
from warploom.machine.run.driver import drive

A, B, C = range(FREE, FREE + 3)
ALL = 0b1111
every_heuristic = pytest.mark.parametrize("heuristic", HEURISTICS)


def walk(code, *, warps=2, heuristic="majority", block=None, **changes):
    """(instruction, warp slot, mask) of every issue of four-lane warps, in order; and the run."""
    threads = 4 * warps
    result = run(
        code.program(threads=threads, block=block or threads),
        tracing=True, core__divergence="dwf", divergence__heuristic=heuristic, core__warps=warps, **changes,
    )  # fmt: skip
    assert result.status == "done", result.fault
    return [(pc, warp, mask) for _, warp, pc, mask in issues(result)], result


def two_sides(number):
    """One instruction each side, and one behind both; lanes where `number` of lane and warp is odd go to the second."""
    code = Assembly()
    number(code)  # 0
    code.op("and", A, A, imm=1)  # 1
    code.branch(A, "odd")  # 2
    code.op("add", B, B, imm=1)  # 3
    code("jump", target="end")  # 4
    code.label("odd")
    code.op("add", B, B, imm=2)  # 5
    code.label("end")
    code("exit")  # 6
    return code


def checkered(code):
    code.op("add", A, LANE, WARP)


def test_two_warps_that_part_along_complementary_lanes_become_two_whole_warps():
    """Even lanes of warp 0 and odd lanes of warp 1 fall through. Of PCs with as many threads the lower goes first."""
    seen, _ = walk(two_sides(checkered))
    assert seen == [
        (0, 0, ALL), (0, 1, ALL), (1, 0, ALL), (1, 1, ALL), (2, 0, ALL), (2, 1, ALL),
        (3, 0, ALL), (4, 0, ALL), (5, 1, ALL), (6, 0, ALL), (6, 1, ALL),
    ]  # fmt: skip


def test_two_warps_that_part_along_the_same_lanes_stay_as_they_are():
    """Nobody can move: two threads of a lane never share a warp. Lanes 0 and 2 go first in both."""
    seen, _ = walk(two_sides(lambda code: code.op("mov", A, LANE)))
    assert [row for row in seen if row[0] in {3, 5}] == [(3, 0, 0b0101), (3, 1, 0b0101), (5, 0, 0b1010), (5, 1, 0b1010)]


def test_a_thread_takes_its_numbers_its_registers_and_its_block_along():
    """Every thread keeps a value across the branch, and reads its numbers behind it, in whichever warp it is then."""
    code = Assembly()
    code.op("mul", C, GLOBAL, imm=1000)
    code.op("add", A, LANE, WARP)
    code.op("and", A, A, imm=1)
    code.branch(A, "odd")
    for _ in range(3):
        code.op("add", B, B, imm=1)
    code.label("odd")
    names = ("warp", "warp_slot", "thread", "block", "global_thread")
    for index, name in enumerate(names):
        code("special", dst=FREE + 4, imm=SPECIAL_NUMBER[name])
        code.op("shl", FREE + 5, GLOBAL, imm=5)
        code.store(FREE + 5, FREE + 4, 4 * index)
    code.store(FREE + 5, C, 20)
    code.store(FREE + 5, B, 24)
    code("exit")
    _, result = walk(code, warps=4, block=8)
    found = words(result).reshape(-1, 8)[:16, :7].tolist()
    assert found == [
        [n % 8 // 4, n // 4, n % 8, n // 8, n, 1000 * n, 0 if (n % 4 + n % 8 // 4) % 2 else 3] for n in range(16)
    ]  # fmt: skip


def test_warps_of_different_blocks_share_threads_unless_blocks_share_something():
    """A block of one warp each, half of which go on. With a barrier anywhere, or shared memory, threads stay in their block."""
    for extra, whole in ((None, True), ("barrier", False)):
        code = Assembly()
        code("special", dst=A, imm=SPECIAL_NUMBER["block"])
        code.op("add", A, A, LANE)
        code.op("and", A, A, imm=1)
        if extra:
            code(extra)
        code.branch(A, "end")
        work = len(code.instructions)
        code.op("add", B, B, imm=1)
        code.label("end")
        code("exit")
        seen, _ = walk(code, block=4)
        assert [mask for pc, _, mask in seen if pc == work] == ([ALL] if whole else [0b0101, 0b1010])


def test_the_rests_of_two_warps_become_one_and_the_other_gives_its_slot_back():
    """Of warp 0 the lanes 0 and 1 end; warp 1 has no others. It comes to the barrier late; behind it they are one warp."""
    code = Assembly()
    code.branch(WARP, "late")
    code.op("slt", A, LANE, imm=2)
    code.branch(A, "stay", negate=True)
    code("exit")
    code.label("stay")
    code("barrier")
    work = len(code.instructions)
    for _ in range(20):
        code.op("add", B, B, imm=1)
    code("exit")
    code.label("late")
    for _ in range(20):
        code.op("add", B, B, imm=1)
    code("jump", target="stay")
    result = run(code.program(threads=6, block=6), tracing=True, core__divergence="dwf", core__warps=2)
    assert result.status == "done", result.fault
    behind = [(time, warp, mask) for time, warp, pc, mask in issues(result) if work <= pc <= work + 20]
    assert [(warp, mask) for _, warp, mask in behind] == [(0, ALL)] * 21
    rows = result.detail.events
    ends = {int(row[e.WARP]): int(row[e.TIME]) for row in rows[rows[:, e.KIND] == e.END]}
    assert ends == {1: behind[0][0], 0: behind[-1][0] + 1}


def test_a_program_that_looks_at_its_warps_keeps_them():
    code = two_sides(checkered)
    code.instructions.append([{"name": "ballot", "dst": scalar(0), "a": A}])
    seen, _ = walk(code)
    assert [row for row in seen if row[0] in {3, 5}] == [(3, 0, 0b0101), (3, 1, 0b1010), (5, 0, 0b1010), (5, 1, 0b0101)]


def test_each_heuristic_has_its_own_order():
    """Three warps whose lane 0 goes on at 3 and whose other lanes go on at 5, which is the majority, and the later PC."""
    code = two_sides(lambda code: code.op("slt", A, LANE, imm=1))
    code.instructions[1] = [{"name": "seq", "dst": A, "a": A, "b": -2, "imm": 0}]
    first = {heuristic: [pc for pc, _, _ in walk(code, warps=3, heuristic=heuristic)[0] if pc in {3, 5}] for heuristic in HEURISTICS}
    assert first["majority"] == [5, 5, 5, 3, 3, 3]
    assert first["pc"] == [3, 3, 3, 5, 5, 5]
    assert sorted(first["time_stamp"]) == [3, 3, 3, 5, 5, 5]


@unit
def picks(schedulers, eligible, last):
    s = schedulers[0]
    s.eligible = np.uint64(eligible)
    s.last = last
    return np.int64(foremost(s, 0))


def test_the_warp_with_the_lowest_rank_issues_and_of_several_the_next_in_turn():
    made = zeros(1, Scheduler)
    made["warps"], made["rank"][0, :6] = 6, [4, 2, 9, 2, 2, 0]
    chosen = [
        both(picks, made, eligible, last)[0] for eligible, last in ((0b111111, 0), (0b011111, -1), (0b011111, 1), (0b011111, 4), (0, 3))
    ]
    assert chosen == [5, 1, 3, 1, -1]


def test_a_fault_names_the_thread_whatever_warp_it_is_in():
    """Threads 2 and 5 move before they read beyond memory: thread 5, of warp 1, in the first warp."""
    code = Assembly()
    code.op("add", A, LANE, WARP)
    code.op("and", A, A, imm=1)
    code.branch(A, "end")
    code.op("seq", B, GLOBAL, imm=5)
    code.op("mul", B, B, imm=1 << 20)
    code.load(C, B)
    code.label("end")
    code("exit")
    result = run(code.program(threads=8, block=8), core__divergence="dwf", core__warps=2)
    assert result.status == "error"
    assert "(thread 5 of block 0, core 0, cycle" in result.fault


def coin(turns):
    """A loop around an if-else of twelve instructions a side, where each thread takes a side at random."""
    random, left = FREE + 3, FREE + 4
    code = Assembly()
    code.op("mul", random, GLOBAL, imm=0x9E3779B1)
    code.op("xor", random, random, imm=0x5BD1E995)
    code.mov(left, turns)
    code.label("again")
    code.op("mul", random, random, imm=1664525)
    code.op("add", random, random, imm=1013904223)
    code.op("shr", A, random, imm=20)
    code.op("and", A, A, imm=1)
    code.branch(A, "odd")
    for _ in range(12):
        code.op("add", B, B, imm=1)
    code("jump", target="join")
    code.label("odd")
    for _ in range(12):
        code.op("add", B, B, imm=2)
    code.label("join")
    code.op("sub", left, left, imm=1)
    code.branch(left, "again")
    code("exit")
    return code


def test_it_beats_the_stack_given_enough_warps_and_by_more_the_more_there_are():
    """The paper's finding, on the kind of code that it is for. One warp alone gains nothing."""
    gains = []
    for warps in (1, 4, 16):
        program = coin(2).program(threads=4 * warps, block=4 * warps)
        stack, formed = (run(program, core__warps=warps, core__divergence=name).cycles for name in ("stack", "dwf"))
        gains.append(stack / formed)
    assert gains[0] <= 1.0 < gains[1] < gains[2]
    assert gains[2] > 1.2


def test_threads_that_change_warps_need_registers_for_their_numbers():
    program = two_sides(checkered).program(registers=510)
    assert machine(program).cores["warps"]["slots"][0] == 4
    with pytest.raises(LaunchError) as caught:
        machine(program, core__divergence="dwf")
    assert str(caught.value) == (
        "the program uses 510 registers per thread, a thread can have 507 with core.divergence=dwf, which needs 5 of its own"
    )


@every_heuristic
def test_threads_that_all_take_one_path_move_nowhere_and_cost_what_they_cost_elsewhere(heuristic):
    code = Assembly()
    for _ in range(10):
        code.op("add", B, B, imm=1)
    code.op("shl", A, GLOBAL, imm=2)
    code.store(A, B)
    code("exit")
    seen, result = walk(code, warps=4, heuristic=heuristic)
    assert {mask for _, _, mask in seen} == {ALL}
    assert words(result)[:16].tolist() == [10] * 16
    assert len(seen) == 4 * 13


@pytest.mark.every(3)
@every_heuristic
def test_both_engines_do_the_same_to_the_last_byte(heuristic):
    @settings(max_examples=4, deadline=None)
    @given(statements(), launches, seeds, machines(**{"core.divergence": "dwf", "divergence.heuristic": heuristic}))
    def check(body, launch, seed, shape):
        program = written(body, *launch, table(seed))
        states = []
        for engine in ("python", "native"):
            made = PipelineMachine(load_config(Config(), shape), program)
            outcome = drive(made, engine=engine, max_cycles=4000)
            assert outcome.status in {"done", "timeout"}, made.finish(outcome).fault
            if outcome.status == "done":
                assert np.array_equal(words(made), expected(body, *launch, table(seed)))
            states.append(made.state())
        assert states[0] == states[1]

    check()


@every_heuristic
def test_the_cycles_that_are_skipped_would_have_changed_nothing(heuristic):
    """Which threads are ready, and so which PC has the majority, changes in cycles without an alarm as well."""

    kinds = machines(**{"core.divergence": "dwf", "divergence.heuristic": heuristic})

    @settings(max_examples=25, deadline=None)
    @given(statements(), launches, seeds, kinds, st.sampled_from([0, 1, 3]))
    def check(body, launch, seed, shape, buffer):
        program = written(body, *launch, table(seed))
        fetching = {"fetch.buffer": buffer, "fetch.latency": 3}
        told = []
        for every in (0, 1):
            made = PipelineMachine(load_config(load_config(Config(), shape), fetching), program)
            made.gpu["every_cycle"] = every
            outcome = drive(made, engine="native", max_cycles=100_000)
            told.append((outcome.status, made.cycle, made.profile.tolist(), words(made).tolist()))
        assert told[0] == told[1]

    check()


@pytest.mark.every(3)
@every_heuristic
def test_a_fence_takes_its_time_once_for_each_thread_whatever_warps_are_formed_meanwhile(heuristic, monkeypatch):
    begun = [0]

    def counted(fences, warp, pc, lanes, until):
        begun[0] += sum(int(fences.at[warp, lane]) != pc + 1 for lane in range(64) if int(lanes) >> lane & 1)
        return begin_fence(fences, warp, pc, lanes, until)

    monkeypatch.setattr(ready_check, "begin_fence", counted)
    kinds = machines(**{"core.divergence": "dwf", "divergence.heuristic": heuristic, "core.fence_device": 40})

    @settings(max_examples=12, deadline=None)
    @given(statements(), launches, seeds, kinds)
    def check(body, launch, seed, shape):
        program = written([("fence", FENCE_DEVICE), *body, ("fence", FENCE_DEVICE)], *launch, table(seed))
        made = PipelineMachine(load_config(Config(), shape), program, tracing=True)
        begun[0] = 0
        outcome = drive(made, engine="python", max_cycles=3000)
        if outcome.status == "done":
            uops = [program.uops[program.code[pc, FIRST_UOP]] for pc in range(len(program))]
            takes = {FENCE_DEVICE: shape["core.fence_device"], FENCE_BLOCK: shape["core.fence_block"]}
            fences = {pc for pc, uop in enumerate(uops) if uop[OP] == NUMBER["fence"] and takes[int(uop[IMM])] > 0}
            rows = made.finish(outcome).detail.events
            rows = rows[rows[:, e.KIND] == e.ISSUE]
            assert begun[0] == sum(int(row[e.MASK]).bit_count() for row in rows if int(row[e.PC]) in fences)

    check()


@pytest.mark.parametrize("heuristic", ["time_stamp", "pc"])
def test_structured_programs_leave_what_their_threads_would_leave_one_after_the_other(heuristic):
    """As in the contract, which has the majority."""

    @settings(max_examples=25, deadline=None)
    @given(statements(), launches, seeds, machines(**{"core.divergence": "dwf", "divergence.heuristic": heuristic}))
    def check(body, launch, seed, shape):
        program = written(body, *launch, table(seed))
        made = PipelineMachine(load_config(Config(), shape), program)
        outcome = drive(made, engine="native", max_cycles=3_000_000)
        assert outcome.status == "done", made.finish(outcome).fault
        assert np.array_equal(words(made), expected(body, *launch, table(seed)))

    check()


@given(st.sampled_from(sorted(HEURISTICS)))
@settings(max_examples=3, deadline=None)
def test_it_runs_in_the_place_of_the_scheduler(heuristic):
    program = two_sides(checkered).program(threads=16, block=16)
    seen = [
        issues(run(program, tracing=True, core__divergence="dwf", divergence__heuristic=heuristic, core__scheduler=scheduler))
        for scheduler in ("round_robin", "greedy_oldest")
    ]
    assert seen[0] == seen[1]
    assert machine(program, core__divergence="dwf", core__scheduler="guppy").policy.choose is foremost
