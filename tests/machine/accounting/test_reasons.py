"""Why a warp did not issue: a small program for each reason, and that the reasons add up."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.machine.programs import FREE, GLOBAL, LANE, WARP, Assembly, run
from tests.machine.random_programs import BYTES, launches, machines, seeds, statements, table, written
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.reasons import REASONS
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config

A, B, C, D = range(FREE, FREE + 4)


def cycles(code, *, threads=4, **changes):
    """Warp-cycles by reason, those that are not 0."""
    program = code.program(threads=threads, block=changes.pop("block", threads), shared_bytes=64)
    result = run(program, **changes)
    assert result.status == "done", result.fault
    totals = result.detail.profile.sum(axis=0)
    return {reason.name: int(totals[number]) for number, reason in enumerate(REASONS) if totals[number]}


def ending(*instructions):
    code = Assembly()
    for instruction in instructions:
        code(instruction.pop("name"), **instruction)
    code("exit")
    return code


def test_selected():
    assert cycles(ending({"name": "nop"})) == {"selected": 2}


def test_not_selected():
    assert cycles(ending({"name": "nop"}), threads=8) == {"selected": 4, "not_selected": 1 + 2}  # cycles 1; 0 and 2


def test_wait():
    code = ending({"name": "mul", "dst": A, "a": LANE, "b": LANE}, {"name": "add", "dst": B, "a": A, "b": A})
    assert cycles(code, latency__multiply=7) == {"selected": 3, "wait": 6}


def test_long_scoreboard():
    code = ending({"name": "load", "dst": A, "a": B}, {"name": "add", "dst": B, "a": A, "b": A})
    assert cycles(code) == {"selected": 3, "long_scoreboard": 30}


def test_short_scoreboard():
    shared = ending({"name": "load", "dst": A, "a": B, "space": u.SHARED_SPACE}, {"name": "add", "dst": B, "a": A, "b": A})
    assert cycles(shared, shared__latency=11) == {"selected": 3, "short_scoreboard": 10}
    special = ending({"name": "fsqrt", "dst": A, "a": B}, {"name": "add", "dst": B, "a": A, "b": A})
    assert cycles(special, latency__special=9) == {"selected": 3, "short_scoreboard": 8}


def test_barrier():
    code = Assembly()
    code.branch(WARP, "late")
    code("barrier")
    code("exit")
    code.label("late")
    for _ in range(20):
        code.op("add", A, A, imm=1)
    code("barrier")
    code("exit")
    found = cycles(code, threads=8, core__schedulers=2)
    assert found["selected"] == 3 + 23
    # Warp 0 arrives in cycle 1, warp 1 in cycle 21; both go on in cycle 22.
    assert found["barrier"] == 20


def test_branch_resolving():
    assert cycles(ending({"name": "jump", "target": 1}), core__branch_latency=5) == {"selected": 2, "branch_resolving": 4}


def test_no_instruction():
    found = cycles(ending({"name": "nop"}), fetch__buffer=1, fetch__miss_latency=10, alu__depth=0)
    assert found == {"selected": 2, "no_instruction": 10 + 9}


def test_lg_throttle():
    """Every lane wants a line of its own: the queue of one place sends for four cycles."""
    far = {"name": "shl", "dst": C, "a": LANE, "b": u.IMMEDIATE, "imm": 6}
    code = ending(far, {"name": "load", "dst": A, "a": C}, {"name": "load", "dst": B, "a": C, "imm": 256}, {"name": "nop"})
    assert cycles(code, lsu__queue=1)["lg_throttle"] == 3
    assert "lg_throttle" not in cycles(code, lsu__queue=2)


def test_mio_throttle():
    """All lanes want other words of one bank: four passes, in which shared memory takes nothing else."""
    code = Assembly()
    code.op("shl", A, LANE, imm=2)
    code.load(B, A, space=u.SHARED_SPACE)
    code.load(C, A, space=u.SHARED_SPACE)
    code("exit")
    assert cycles(code, shared__banks=1) == {"selected": 4, "mio_throttle": 3}


def test_math_pipe_throttle():
    code = ending({"name": "div", "dst": A, "a": LANE, "b": LANE}, {"name": "div", "dst": B, "a": LANE, "b": LANE})
    assert cycles(code, alu__depth=1, latency__divide=6) == {"selected": 3, "math_pipe_throttle": 5}
    assert cycles(code, latency__divide=6) == {"selected": 3}
    narrow = ending({"name": "add", "dst": A, "a": LANE, "b": LANE}, {"name": "add", "dst": B, "a": LANE, "b": LANE})
    assert cycles(narrow, alu__width=1) == {"selected": 3, "math_pipe_throttle": 3}
    special = ending({"name": "fsqrt", "dst": A, "a": LANE}, {"name": "fsqrt", "dst": B, "a": LANE})
    assert cycles(special, alu__special_width=2) == {"selected": 3, "math_pipe_throttle": 1}


def test_membar():
    assert cycles(ending({"name": "load", "dst": A, "a": D}, {"name": "fence"})) == {"selected": 3, "membar": 30}


def test_waitcnt():
    """The stall is where the program waits, whatever it waits for, and not at the use."""
    for space, cycles_of_load in ((u.GLOBAL_SPACE, 31), (u.SHARED_SPACE, 11)):
        load = {"name": "load", "dst": A, "a": D, "space": space}
        use = {"name": "add", "dst": B, "a": A, "b": A}
        assert cycles(ending({**load}, {"name": "await", "a": A}, use), shared__latency=11) == {
            "selected": 4,
            "waitcnt": cycles_of_load - 1,
        }
        assert "waitcnt" not in cycles(ending({**load}, {"name": "await", "a": B}))


def test_waitcnt_of_stores():
    """An instruction of the buffer lets fewer than i stores be in flight; one that is not answered is done when it has left."""
    store = {"name": "store", "a": D, "b": LANE, "space": u.GLOBAL_SPACE}

    def waits(stores, *least):
        code = ending(*({**store} for _ in range(stores)), *({"name": "await", "imm": one} for one in least))
        return [cycles(code, lsu__stores=limit).get("waitcnt", 0) for limit in (0, 64)]

    assert waits(1, 0) == waits(1, 2) == waits(0, 1) == [0, 0]
    left, answered = waits(1, 1)
    assert 0 < left < answered
    assert waits(2, 3) == [0, 0]
    assert waits(2, 2)[1] == waits(2, 1)[1] - 1  # the first of them leaves a cycle before the second
    assert waits(2, 2, 1)[1] == waits(2, 1)[1] - 1  # in all as long, and one of these cycles issues


def test_drain():
    assert cycles(ending({"name": "load", "dst": A, "a": D})) == {"selected": 2, "drain": 29}


def test_a_block_that_is_being_dispatched_has_no_warps_yet_that_could_wait():
    assert cycles(ending(), core__warps=1, threads=12, block=4, gpu__dispatch_latency=12) == {"selected": 3}


def test_the_names_are_nsight_compute_s_but_for_one_and_every_one_has_a_meaning():
    names = "selected not_selected long_scoreboard short_scoreboard wait barrier branch_resolving no_instruction lg_throttle mio_throttle "
    names += "tex_throttle math_pipe_throttle membar drain dispatch_stall imc_miss waitcnt"
    assert [reason.name for reason in REASONS] == names.split()
    assert all(reason.meaning for reason in REASONS)
    assert len(REASONS) == r.WAITCNT + 1


def lives(events):
    """Warp-cycles from every launch to its end; every launch has one."""
    started, total = {}, 0
    for row in events.tolist():
        key = row[e.CORE], row[e.WARP]
        if row[e.KIND] == e.LAUNCH:
            assert key not in started
            started[key] = row[e.TIME]
        elif row[e.KIND] == e.END:
            total += row[e.TIME] - started.pop(key)
    assert not started
    return total


@settings(max_examples=25, deadline=None)
@given(statements(), launches, seeds, machines())
def test_every_warp_cycle_has_one_reason_and_events_and_counters_agree(body, launch, seed, machine):
    config = load_config(Config(), machine)
    result = GPU(config, engine="native").run(written(body, *launch, table(seed)), tracing=True, max_cycles=3_000_000)
    assert result.status == "done", result.fault
    assert len(result.memory) == BYTES
    events, totals = result.detail.events, result.detail.profile.sum(axis=0)
    assert totals[: len(REASONS)].sum() == lives(events) == result.counters["warp_cycles"]
    stalls = e.of_kind(events, e.STALL)
    for number in range(len(REASONS)):
        spans = stalls[stalls["reason"] == number]
        charged = (spans["time"] - spans["since"]).sum()
        assert charged == (totals[number] if number != r.SELECTED else 0)
    issued = events[events[:, e.KIND] == e.ISSUE]
    assert len(issued) == totals[r.SELECTED] == result.instructions
    assert sum(int(mask).bit_count() for mask in issued[:, e.MASK].astype(np.uint64)) == totals[r.LANES]


@settings(max_examples=10, deadline=None)
@given(statements(), seeds, machines(**{"gpu.cores": 1}))
def test_tracing_changes_nothing(body, seed, machine):
    config = load_config(Config(), machine)
    program = written(body, 30, 10, table(seed))
    quiet, traced = (GPU(config, engine="native").run(program, tracing=tracing, max_cycles=3_000_000) for tracing in (False, True))
    assert (quiet.cycles, quiet.counters) == (traced.cycles, traced.counters)
    assert np.array_equal(quiet.memory, traced.memory)
    assert len(quiet.detail.events) == 0


@pytest.mark.parametrize("threads", [4, 64])
def test_counters_of_a_program_that_can_be_counted_by_hand(threads):
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.load(B, A)
    code.op("add", B, B, imm=1)
    code.store(A, B)
    code("exit")
    counters = run(code.program(threads=threads, block=4), gpu__cores=2).counters
    warps = threads // 4
    assert (counters["instructions"], counters["thread_instructions"]) == (5 * warps, 5 * threads)
    assert (counters["accesses"], counters["transactions"]) == (2 * warps, 2 * warps)
    assert (counters["sectors"], counters["sectors_needed"]) == (2 * warps, 2 * warps)
    assert counters["alu_instructions"] == 2 * warps
