"""A scheduler's own cache of instructions, in whole programs on the preset `sm`: what it counts, hides and shares."""

from tests.machine.programs import FREE, Assembly
from warploom.gpu import GPU


def straight(instructions, turns=1, warps=1, **settings):
    """Cycles and counters of warps that run straight code so many times, on the preset `sm`."""
    code = Assembly()
    code.mov(FREE, turns)
    code.label("again")
    for number in range(instructions):
        code.mov(FREE + 2 + number % 8, number)
    code.op("sub", FREE, FREE, imm=1)
    code.branch(FREE, "again")
    code("exit")
    program = code.program(threads=32 * warps, block=32 * warps)
    changes = {"memory.bytes": 1 << 16, "pipes.integer_lanes": 0} | {name.replace("__", "."): value for name, value in settings.items()}
    result = GPU("sm", set=changes, engine="python").run(program, max_cycles=200_000)
    assert result.status == "done"
    return result.cycles, result.counters


def test_a_loop_that_fits_into_the_scheduler_s_cache_misses_each_line_once():
    _, counters = straight(80, turns=5, fetch__l0_ahead=0)
    lines = -(-84 // 8)
    assert counters["l0_fetch_misses"] == counters["fetch_misses"] == lines
    assert counters["fetch_hits"] == 0
    assert counters["l0_fetch_hits"] >= 5 * 80 - lines


def test_code_beyond_the_scheduler_s_cache_comes_from_the_core_s_in_its_latency():
    """A cache of four lines, and a loop in eleven: each line misses again, and costs what the core's cache takes."""

    def turn(latency):
        small = {"fetch__l0_sets": 4, "fetch__l0_ahead": 0, "fetch__buffer": 1, "fetch__l0_ways": 1, "fetch__latency": latency}
        return straight(78, turns=4, **small)[0] - straight(78, turns=3, **small)[0]

    assert turn(50) - turn(40) == 11 * (50 - 40)


def test_lines_that_are_brought_ahead_hide_the_core_s_cache_in_straight_code():
    cold, ahead = (straight(160, fetch__l0_ahead=lines)[0] for lines in (0, 8))
    assert ahead < cold / 2


def test_each_scheduler_has_a_cache_and_a_fetch_of_its_own():
    one, four = (straight(40, warps=warps, fetch__l0_ahead=0)[1]["l0_fetch_misses"] for warps in (1, 4))
    assert four == 4 * one
    assert straight(40, warps=4)[0] <= straight(40, warps=1)[0] + 4


def test_a_scheduler_fetches_for_its_warps_in_turn():
    """Eight warps of one scheduler that jump at every other instruction, so that their buffers are always empty: none is left behind."""
    code = Assembly()
    code.mov(FREE, 1)
    code.label("again")
    code.op("add", FREE + 1, FREE + 1, imm=1)
    code.branch(FREE, "again")
    program = code.program(threads=32 * 8, block=32 * 8)
    gpu = GPU("sm", set={"memory.bytes": 1 << 16, "core.schedulers": 1, "core.scheduler": "round_robin"}, engine="python")
    result = gpu.run(program, max_cycles=2000)
    rounds = result.detail.registers[0, :8, FREE + 1, 0].astype(int)
    assert rounds.min() > 0.8 * rounds.max(), rounds


def test_what_a_scheduler_s_cache_brings_runs_alike_on_both_engines():
    code = Assembly()
    for number in range(100):
        code.mov(FREE + number % 8, number)
    code("exit")
    program = code.program(threads=256, block=64)
    small = {"memory.bytes": 1 << 16, "fetch.l0_sets": 2, "fetch.l0_ways": 2, "fetch.l0_ahead": 1}
    one, other = (GPU("sm", set=small, engine=engine).run(program) for engine in ("python", "native"))
    assert (one.cycles, one.counters) == (other.cycles, other.counters)
