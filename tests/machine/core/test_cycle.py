"""The cycle of a core with warps: one engine against the other, and what hazards, units and bundles do to an issue."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, issues, machine, run, words
from tests.machine.random_programs import machines, seeds, statements, table, written
from warploom.isa import uop as u
from warploom.isa.uop import IMMEDIATE
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.status import DONE, EVENTS_FULL, LIMIT
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.core.cycle import show_instructions_of_warps
from warploom.machine.core.scheduling.scheduler import Scheduler
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.run.compile import entry_call
from warploom.machine.run.driver import drive

A, B, C, D = range(FREE, FREE + 4)


def go(config, program, engines, cut, *, tracing=False):
    """Run a machine, `cut` cycles on each engine in turn, to its end."""
    made = PipelineMachine(config, program, tracing=tracing)
    calls, turn = [entry_call(made, engine, None) for engine in engines], 0
    with np.errstate(all="ignore"):
        while (code := calls[turn % len(calls)](made.cycle + cut)) in (LIMIT, EVENTS_FULL):
            made.drain()
            turn += 1
            assert made.cycle < 3_000_000
    made.drain()
    assert code == DONE
    return made


@pytest.mark.parametrize("masks", [False, True])
def test_both_engines_and_any_switching_between_them_give_the_same_bytes(masks):
    @settings(max_examples=10, deadline=None)
    @given(statements(), st.tuples(st.integers(1, 30), st.integers(1, 24)), seeds, st.integers(1, 300), st.data())
    def check(body, launch, seed, cut, data):
        settings_ = data.draw(machines(**{"core.divergence": "masks" if masks else "stack"}))
        config, program = load_config(Config(), settings_), written(body, *launch, table(seed), masks=masks)
        native = go(config, program, ["native"], 1_000_000)
        assert go(config, program, ["python", "native"], cut).state() == native.state()
        if native.cycle < 800:
            assert go(config, program, ["python"], 1_000_000).state() == native.state()

    check()


@settings(max_examples=10, deadline=None)
@given(statements(), seeds, machines(**{"gpu.cores": 1}), st.integers(1, 50))
def test_how_a_run_is_cut_into_slices_changes_nothing(body, seed, settings_, cut):
    config, program = load_config(Config(), settings_), written(body, 20, 10, table(seed))
    assert go(config, program, ["native"], cut).state() == go(config, program, ["native"], 1_000_000).state()


def stepped_in_every_cycle(config, program, most):
    """A machine after its run, of whose cores with warps none has skipped a cycle."""
    made = PipelineMachine(config, program)
    call = entry_call(made, "native", None)
    with np.errstate(all="ignore"):
        while made.cycle < most and (code := call(made.cycle + 1)) == LIMIT:
            for core in range(config.gpu.cores):
                if made.cores["warps"]["active"][core]:
                    made.gpu["wake"][core] = 0
    assert code == DONE
    return made


@settings(max_examples=12, deadline=None)
@given(statements(), seeds, st.sampled_from(["stack", "minpc", "its", "dwf"]), st.data())
def test_cycles_that_are_skipped_would_have_changed_nothing(body, seed, mechanism, data):
    settings_ = data.draw(machines(**{"core.divergence": mechanism}))
    config, program = load_config(Config(), settings_), written(body, 30, 10, table(seed))
    skipping = PipelineMachine(config, program)
    if drive(skipping, engine="native", max_cycles=8000).status == "done":
        other = stepped_in_every_cycle(config, program, 9000)
        assert (other.cycle, other.profile.tolist(), words(other).tolist()) == (
            skipping.cycle, skipping.profile.tolist(), words(skipping).tolist(),
        )  # fmt: skip


def times(code, *, threads=4, **changes):
    result = run(code.program(threads=threads, block=threads), tracing=True, **changes)
    assert result.status == "done", result.fault
    return [time for time, *_ in issues(result)]


def test_one_instruction_a_cycle_when_nothing_waits():
    code = Assembly()
    for register in (A, B, C, D):
        code.op("add", register, LANE, imm=1)
    code("exit")
    assert times(code) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("latency", [1, 2, 5])
def test_a_dependent_instruction_waits_for_the_latency_and_an_independent_one_does_not(latency):
    code = Assembly()
    code.op("mul", A, LANE, imm=3)
    code.op("add", B, LANE, imm=1)
    code.op("add", C, A, imm=1)
    code("exit")
    assert times(code, latency__multiply=latency) == [0, 1, max(latency, 2), max(latency, 2) + 1]


def test_a_second_write_waits_for_the_first():
    code = Assembly()
    code.op("mul", A, LANE, imm=3)
    code.mov(A, 1)
    code("exit")
    assert times(code, latency__multiply=6) == [0, 6, 7]


def test_a_source_may_be_overwritten_at_once():
    code = Assembly()
    code.op("mul", A, B, imm=3)
    code.mov(B, 1)
    code("exit")
    assert times(code, latency__multiply=6) == [0, 1, 2]


def test_a_lock_of_lanes_holds_for_them_only():
    """One side of a branch loads a register; the other side uses it while that load is on its way."""
    code = Assembly()
    code.op("slt", A, LANE, imm=2)
    code("branch_push", a=A, target="other", reconverge="both")
    code.load(B, C)
    code("pop_mask")
    code.label("other")
    code.op("add", B, B, imm=1)
    code("pop_mask")
    code.label("both")
    code.op("add", D, B, imm=1)
    code("exit")
    shape = {"core__divergence": "masks"}
    assert times(code, core__lock="lane", **shape) == [0, 1, 2, 3, 4, 5, 33, 34]
    assert times(code, core__lock="register", **shape) == [0, 1, 2, 3, 33, 34, 35, 36]


def test_registers_that_are_locked_together_wait_together():
    code = Assembly(lock_width=4)
    code.op("mul", 8, LANE, imm=3)
    code.op("add", 12, 11, imm=1)  # another component of the same register
    code("exit")
    assert times(code, latency__multiply=5) == [0, 5, 6]


def test_a_bundle_takes_one_slot_and_reads_before_it_writes():
    """Two values change places through a hidden register; three micro-ops issue as one."""
    code = Assembly()
    code.mov(A, 1)
    code.mov(B, 2)
    hidden = u.HIDDEN
    code.bundle({"name": "mov", "dst": hidden, "a": A}, {"name": "mov", "dst": A, "a": B}, {"name": "mov", "dst": B, "a": hidden})
    code.op("shl", C, GLOBAL, imm=3)
    code.store(C, A)
    code.store(C, B, 4)
    code("exit")
    result = run(code.program(), tracing=True)
    assert [time for time, *_ in issues(result)] == list(range(7))
    assert words(result)[:4].tolist() == [2, 1, 2, 1]


def test_warps_of_one_scheduler_share_its_slot_and_schedulers_issue_side_by_side():
    code = Assembly()
    for _ in range(9):
        code.op("add", A, LANE, imm=1)
    code("exit")
    cycles = [run(code.program(threads=16, block=16), core__schedulers=count, alu__count=4).cycles for count in (1, 2, 4)]
    assert cycles == [40, 20, 10]


def test_schedulers_share_the_alus():
    code = Assembly()
    for _ in range(9):
        code.op("add", A, LANE, imm=1)
    code("exit")
    cycles = [run(code.program(threads=16, block=16), core__schedulers=4, alu__count=count).cycles for count in (1, 2, 4)]
    assert cycles[2] == 10
    assert cycles[0] > cycles[1] > 2 * cycles[2] - 3


def test_a_special_unit_that_is_busy_keeps_other_warps_waiting_for_it_alone():
    """One unit that takes a lane a cycle; the second warp's addition before it is not held up."""
    code = Assembly()
    code.op("add", A, A, imm=1)
    code("frcp", dst=B, a=C)
    code("exit")
    result = run(
        code.program(threads=8, block=8), tracing=True, core__schedulers=2, alu__count=2, alu__special_count=1, alu__special_width=1
    )
    assert [(time, warp) for time, warp, pc, _ in issues(result) if pc == 0] == [(0, 0), (0, 1)]
    assert [(time, warp) for time, warp, pc, _ in issues(result) if pc == 1] == [(1, 0), (5, 1)]
    assert result.counters["math_pipe_throttle_warp_cycles"] == 4


def test_a_cycle_before_an_issue_is_lost_to_a_full_unit_or_to_another_warp_and_never_to_both():
    """Three warps want a unit that is full for three cycles after each; in the cycle in which it is free one of them is selected."""
    code = Assembly()
    code("frcp", dst=B, a=C)
    code("exit")
    result = run(code.program(threads=12, block=12), tracing=True, alu__special_count=1, alu__special_width=1)
    assert [(time, warp) for time, warp, pc, _ in issues(result) if pc == 0] == [(0, 0), (4, 1), (8, 2)]
    row = result.detail.profile[0]
    assert (row[r.MATH_PIPE_THROTTLE], row[r.NOT_SELECTED], row[r.SELECTED]) == (3 + 6, 1 + 2, 3)


def test_special_registers_say_where_a_thread_is():
    names = (
        "lane",
        "warp",
        "core",
        "thread",
        "block",
        "block_threads",
        "grid_threads",
        "global_thread",
        "lanes",
        "warps",
        "cores",
        "argument",
    )
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=6)
    for number, name in enumerate(names):
        code("special", dst=B, imm=u.SPECIAL_NUMBER[name])
        code.store(A, B, 4 * number)
    code("exit")
    result = run(code.program(threads=22, block=10, argument=77), gpu__cores=2, core__warps=3)
    found = words(result)[: 22 * 16].reshape(22, 16)[:, : len(names)].tolist()
    cores = [row[2] for row in found]
    assert set(cores) == {0, 1}
    for thread, row in enumerate(found):
        inside = thread % 10
        assert row == [inside % 4, inside // 4, cores[thread], inside, thread // 10, 10, 22, thread, 4, 3, 2, 77]


def test_the_active_lanes_can_be_read():
    code = Assembly()
    code.op("slt", A, LANE, imm=3)
    code("push_mask", target="end")
    code("mask_nonzero", a=A)
    code("special", dst=B, imm=u.SPECIAL_NUMBER["mask_low"])
    code.op("shl", C, GLOBAL, imm=2)
    code.store(C, B)
    code("pop_mask")
    code.label("end")
    code("exit")
    assert words(run(code.program(), core__divergence="masks"))[:4].tolist() == [7, 7, 7, 0]


@pytest.mark.parametrize("lanes", [1, 2, 3, 31, 32, 33, 63, 64])
@pytest.mark.parametrize("engine", ["python", "native"])
def test_warps_of_every_width(lanes, engine):
    threads = 2 * lanes + 1
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.op("mul", B, GLOBAL, GLOBAL)
    code.store(A, B)
    code("exit")
    result = run(code.program(threads=threads, block=threads), core__lanes=lanes, engine=engine)
    assert words(result)[: threads + 1].tolist() == [number * number for number in range(threads)] + [0]


def test_a_scalar_register_belongs_to_a_warp():
    code = Assembly()
    code("ballot", dst=u.scalar(0), a=LANE)
    code("mov", dst=u.scalar(4), a=IMMEDIATE, imm=5)
    code.op("add", A, u.scalar(0), u.scalar(4))
    code.op("shl", B, GLOBAL, imm=2)
    code.store(B, A)
    code("exit")
    assert words(run(code.program(threads=6, block=6)))[:6].tolist() == [0b1110 + 5] * 4 + [0b10 + 5] * 2


def test_a_machine_can_be_watched_cycle_by_cycle():
    code = Assembly()
    code.op("add", A, LANE, imm=1)
    code.op("add", A, A, imm=1)
    code("exit")
    made = machine(code.program(), latency__alu=2)
    call, seen = entry_call(made, "python", None), []
    with np.errstate(all="ignore"):
        for cycle in range(1, 9):
            if call(cycle) == DONE:
                break
            seen.append((made.cycle, int(made.cores[0]["warps"]["pc"][0])))
    assert seen == [(1, 1), (2, 1), (3, 2)]


def test_a_users_policy_is_shown_the_next_instruction_of_each_warp_that_is_awake_and_of_no_other():
    code = np.zeros((4, u.CODE_COLUMNS), np.int64)
    code[3, [u.ISSUE_UNIT, u.ISSUE_LATENCY]] = u.MEMORY, 5
    s = mirror(zeros((), Scheduler))
    s.awake = np.uint64(1 << 2)
    show_instructions_of_warps(SimpleNamespace(pc=[0, 3, 3]), s, SimpleNamespace(code=code))
    assert [(s.pc[warp], s.unit[warp], s.latency_class[warp]) for warp in range(3)] == [(0, 0, 0), (0, 0, 0), (3, u.MEMORY, 5)]
