"""The device: how blocks are handed out, what ends a run, and that skipped cycles are not missed."""

import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, machine, run
from warploom.machine.run.driver import drive

A, B, C, D = range(FREE, FREE + 4)


def test_a_launch_without_threads_is_over_at_once():
    code = Assembly()
    code("exit")
    result = run(code.program(threads=0, block=4))
    assert (result.status, result.cycles, result.instructions) == ("done", 1, 0)


def test_an_endless_kernel_stops_at_the_limit():
    code = Assembly()
    code.label("top")
    code("jump", target="top")
    result = run(code.program(), max_cycles=1234)
    assert (result.status, result.cycles) == ("timeout", 1234)


def test_long_waits_cost_no_time_of_ours_and_are_counted():
    code = Assembly()
    code.load(A, B)
    code.op("add", A, A, imm=1)
    code("exit")
    result = run(code.program(), dram__latency=60000, max_cycles=100_000)
    assert (result.status, result.cycles) == ("done", 60_000 + 13)
    assert result.counters["long_scoreboard_warp_cycles"] == 60_000 + 10


def test_cores_do_not_share_their_first_cache_and_share_the_second():
    code = Assembly()
    code.op("shl", A, LANE, imm=2)
    code.load(B, A)
    code.op("add", B, B, imm=1)
    code("exit")
    counters = run(code.program(threads=12, block=4), gpu__cores=3).counters
    assert (counters["l1_misses"], counters["l1_hits"]) == (3, 0)
    assert counters["dram_requests"] == 1


def test_a_fault_ends_a_run_after_its_cycle():
    """Two instructions before the load of an address that is not a word's: it issues in cycle 2."""
    code = Assembly()
    code("nop")
    code("nop")
    code.load(A, B, 1)
    code("exit")
    result = run(code.program())
    assert (result.status, result.cycles) == ("error", 3)


@pytest.mark.every(2)
@pytest.mark.parametrize("cores", [2, 16, 17, 40])
@pytest.mark.parametrize("every", [0, 1])
def test_however_many_cores_there_are_both_engines_step_the_same_ones(cores, every):
    """Threads that loop as often as their number says, and load and store meanwhile: cores have something to do in different cycles."""
    code = Assembly()
    code.op("shl", FREE, GLOBAL, imm=2)
    code.op("and", FREE + 1, GLOBAL, imm=15)
    code.label("loop")
    code.load(FREE + 2, FREE)
    code.op("add", FREE + 2, FREE + 2, GLOBAL)
    code.store(FREE, FREE + 2)
    code.op("sub", FREE + 1, FREE + 1, imm=1)
    code.op("slt", FREE + 3, FREE + 1, imm=0)
    code.branch(FREE + 3, "loop", negate=True, meet="out")
    code.label("out")
    code("exit")
    states = []
    for engine in ("python", "native"):
        made = machine(code.program(threads=3 * 4 * cores, block=4), gpu__cores=cores, core__divergence="stack", memory__bytes=1 << 14)
        made.gpu["every_cycle"] = every
        assert drive(made, engine=engine, max_cycles=30_000).status == "done"
        states.append(made.state())
    assert states[0] == states[1]
