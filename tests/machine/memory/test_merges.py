"""A request that joins a miss: however late it comes, it is answered no sooner than one that finds its line."""

import pytest

from tests.machine.core.unit_bench import bench
from tests.machine.programs import BLOCK, FREE, WARP, Assembly, run
from warploom.machine.accounting import events as e
from warploom.machine.core.fetch.instruction_fetch import _fetch_line, fetch_from_l0
from warploom.machine.core.fetch.shared_instruction_cache import bring
from warploom.machine.core.load_store.constant_cache import _look_up

TURN = 6  # cycles, at most, of a turn of the loop in which the second load waits


def accesses(who, turns, name="load", **changes):
    """(issue, last cycle of waiting) of two accesses to one word, of which that of the second warp comes so many turns later."""
    code = Assembly()
    code.op("mul", FREE, who, imm=turns)
    code.branch(FREE, "wait")
    code.label("go")
    if name == "load":
        code.load(FREE + 1, FREE + 2)
    else:
        code(name, dst=FREE + 1, a=FREE + 2, b=FREE + 3)
    code("exit")
    code.label("wait")
    code.op("sub", FREE, FREE, imm=1)
    code.branch(FREE, "wait")
    code("jump", target="go")
    block = 8 if who == WARP else 4
    result = run(code.program(threads=8, block=block), tracing=True, **changes)
    assert result.status == "done"
    return sorted(e.of_kind(result.detail.events, e.COMPLETE)[["issued", "done"]].tolist())


BANKS = {"dram__banks": 2, "dram__row": 256, "dram__bandwidth": 32}
LEVELS = {
    "L1": (WARP, {"l1__latency": 30, "l2__bytes": 0}),
    "L2": (BLOCK, {"gpu__cores": 2, "l1__bytes": 0, "l2__latency": 60}),
    "L2 in front of banks": (BLOCK, {"gpu__cores": 2, "l1__bytes": 0, "l2__latency": 60, **BANKS}),
    "L2 behind L1": (BLOCK, {"gpu__cores": 2, "l1__latency": 9, "l2__latency": 60, "crossbar__core": 8}),
    "both": (WARP, {"l1__latency": 30, "l2__latency": 60}),
}


@pytest.mark.parametrize("level", LEVELS)
def test_a_load_that_joins_a_miss_waits_as_long_as_a_hit_at_least(level):
    who, changes = LEVELS[level]
    changes = {"dram__latency": 100, **changes}
    (first, end), (late, there) = accesses(who, 400 // TURN * 2, **changes)
    assert late > end
    hit = there - late
    assert hit < end - first
    waits = [second[1] - second[0] for turns in range(0, 400 // TURN, 3) for _, second in [accesses(who, turns, **changes)]]
    assert min(waits) >= hit
    assert max(waits) > hit


@pytest.mark.parametrize("write, latency", [("through", 0), ("back", 0), ("back", 50)])
def test_an_atomic_that_joins_a_miss_waits_as_long_as_a_hit_at_least(write, latency):
    changes = {"gpu__cores": 2, "l2__latency": 60, "l2__write": write, "l2__atomic_latency": latency, "dram__latency": 100}
    (_, end), (late, there) = accesses(BLOCK, 400 // TURN * 2, "atomic_add", **changes)
    assert late > end
    waits = [second[1] - second[0] for turns in range(0, 400 // TURN, 4) for _, second in [accesses(BLOCK, turns, "atomic_add", **changes)]]
    assert min(waits) >= there - late


def test_an_instruction_or_a_constant_that_is_on_its_way_comes_no_sooner_than_one_that_is_there():
    first = {"fetch__l0_sets": 2, "fetch__l0_latency": 3}
    for late in range(80):
        gpu, cores, _ = bench(fetch__buffer=2, fetch__sets=4, fetch__latency=9, fetch__miss_latency=50, **first)
        fetch = cores[0].fetch
        _fetch_line(gpu, fetch, 1, 100, 10)
        assert _fetch_line(gpu, fetch, 1, 100, 10 + late) >= 10 + late + 9 - 1
        fetch_from_l0(gpu, fetch, 0, 0, 100, 10)
        assert fetch_from_l0(gpu, fetch, 0, 0, 100, 10 + late) >= 10 + late + 3 - 1
        gpu.shared_fetch.lines = 8
        bring(gpu, fetch, 3, 100, 10)
        assert bring(gpu, fetch, 3, 100, 10 + late) >= 10 + late + 9 - 1
        constants = cores[0].constants
        constants.memory_latency = 60
        for level, latency in ((constants.first, 8), (constants.second, 30)):
            level.sets, level.ways, level.line_shift, level.latency = 1, 2, 6, latency
        _look_up(constants, 64, 10)
        assert _look_up(constants, 64, 10 + late) >= 10 + late + 8
        constants.first.tag[:2] = 0
        assert _look_up(constants, 64, 10 + late) >= 10 + late + 30
