"""The device: how blocks are handed out, what ends a run, and that skipped cycles are not missed."""

from tests.machine.programs import FREE, LANE, Assembly, run

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
    assert (result.status, result.cycles) == ("done", 60_000 + 12)
    assert result.counters["long_scoreboard_warp_cycles"] == 60_000 + 9


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
    """Two instructions before the load of an address that is no word's: it issues in cycle 2."""
    code = Assembly()
    code("nop")
    code("nop")
    code.load(A, B, 1)
    code("exit")
    result = run(code.program())
    assert (result.status, result.cycles) == ("error", 3)
