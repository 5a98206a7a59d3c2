"""Completion of accesses, call by call: when registers can be used, and which warps are examined again, when."""

import pytest

from tests.machine.core.unit_bench import bench, events, mask
from tests.machine.programs import FREE, LANE, Assembly
from warploom.gpu import GPU
from warploom.isa.uop import NONE, WRITES
from warploom.machine.accounting.events import COMPLETE
from warploom.machine.core.load_store.completion import complete, count_answer, reach_cache
from warploom.machine.engine.unit import FOREVER
from warploom.machine.memory.transactions import ATOMIC, LOAD, STORE

WARP, ACCESS, NOW = 2, 7, 100


def on_its_way(kind=LOAD, open_=1, leaving=0, **waiting):
    """An access of warp WARP, with instruction 0, a load into register FREE. waiting: fields of the warp table that have the warp's bit."""
    code = Assembly()
    code.load(FREE, LANE)
    code("exit")
    gpu, cores, tables = bench(code, core__warps=4)
    core = cores[0]
    lsu, warps = core.lsu, core.warps
    lsu.warp[ACCESS], lsu.kind[ACCESS], lsu.open[ACCESS], lsu.leaving[ACCESS], lsu.pc[ACCESS] = WARP, kind, open_, leaving, 0
    lsu.mask[ACCESS], lsu.launched[ACCESS], lsu.issued[ACCESS] = mask(0, 1, 3), 5, 60
    warps.started[WARP], warps.pending[WARP], warps.stores[WARP], warps.unsent[WARP] = 5, 3, 3, 3
    warps.wake[WARP] = gpu.wake[0] = FOREVER
    core.scoreboard.ready[WARP, FREE] = FOREVER
    for name in waiting:
        setattr(warps, name, mask(WARP))
    lsu.count = 4
    return gpu, core, tables


@pytest.mark.parametrize("open_, leaving, done", [(1, 0, True), (2, 0, False), (1, 1, False)])
def test_an_access_is_complete_when_all_has_left_and_all_is_answered(open_, leaving, done):
    gpu, core, tables = on_its_way(open_=open_, leaving=leaving)
    core.lsu.done[ACCESS] = 95
    count_answer(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert (core.lsu.open[ACCESS], core.lsu.done[ACCESS]) == (open_ - 1, NOW)
    assert (core.lsu.freed, core.warps.pending[WARP]) == ((1, 2) if done else (0, 3))
    assert core.scoreboard.ready[WARP, FREE] == (NOW + 1 if done else FOREVER)


@pytest.mark.parametrize(("write_cycles", "registers", "later"), [(0, 4, 0), (2, 1, 0), (2, 2, 2), (2, 4, 6), (2, 0, 0), (4, 2, 4)])
def test_each_register_beyond_the_first_takes_cycles_to_be_written(write_cycles, registers, later):
    gpu, core, tables = on_its_way()
    core.lsu.done[ACCESS], core.lsu.write_cycles, tables.code[0, WRITES] = NOW, write_cycles, registers
    complete(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert core.warps.landed[WARP] == NOW + 1 + later


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(("pieces", "later"), [([{"size": 8}], 2), ([{"size": 8}, {"size": 8}], 6)])
def test_a_load_of_64_bits_takes_two_cycles_more_and_one_of_128_six(pieces, later, engine):
    """Huerta et al., MICRO 2025, table 2: 32, 34 and 38 cycles."""
    code = Assembly()
    code.bundle(*({"name": "load", "dst": FREE + 2 * n, "a": NONE, "imm": 8 * n, **one} for n, one in enumerate(pieces)))
    code("add", dst=FREE, a=FREE, b=FREE)
    code("exit")
    program = code.program(threads=32, block=32)
    cycles = [GPU("sm", set={"lsu.write_back": width}, engine=engine).run(program).cycles for width in (0, 64)]
    assert cycles[1] - cycles[0] == later


def test_the_latest_answer_counts():
    gpu, core, tables = on_its_way()
    core.lsu.done[ACCESS] = NOW + 8  # a hit whose lookup ends later
    count_answer(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert core.lsu.done[ACCESS] == NOW + 8
    assert core.scoreboard.ready[WARP, FREE] == core.warps.landed[WARP] == NOW + 9


@pytest.mark.parametrize("kind", [LOAD, ATOMIC, STORE])
@pytest.mark.parametrize("same", [True, False])
def test_what_a_warp_still_waits_for(kind, same):
    """same: else the warp has been stopped, and another has begun in its slot, for which the answer says nothing."""
    gpu, core, tables = on_its_way(kind, waiting_memory=1)
    warps, lsu = core.warps, core.lsu
    lsu.done[ACCESS], lsu.keeps = NOW, 1
    warps.started[WARP] += not same
    complete(gpu, core, lsu, ACCESS, tables, NOW)
    assert (lsu.free[0], lsu.freed, lsu.count) == (ACCESS, 1, 3)
    assert warps.pending[WARP] == (2 if kind != STORE and same else 3)
    assert warps.stores[WARP] == (2 if kind == STORE and same else 3)
    assert warps.unsent[WARP] == 3
    assert core.scoreboard.ready[WARP, FREE] == (NOW + 1 if kind != STORE and same else FOREVER)
    assert warps.landed[WARP] == (NOW + 1 if same else 0)
    assert warps.wake[WARP] == gpu.wake[0] == (NOW + 1 if same else FOREVER)


def test_accesses_that_a_unit_does_not_keep_have_left_it_before():
    gpu, core, tables = on_its_way()
    complete(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert core.lsu.count == 4


def test_what_landed_last_stays():
    gpu, core, tables = on_its_way(draining=1)
    core.warps.landed[WARP], core.lsu.done[ACCESS] = NOW + 20, NOW
    complete(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert core.warps.landed[WARP] == core.warps.wake[WARP] == NOW + 20


@pytest.mark.parametrize("waits, later", [("waiting_memory", 7), ("draining", 7), ("fencing", 1)])
def test_a_warp_goes_on_in_the_cycle_after_the_one_that_ends_a_later_lookup_and_a_fence_may_at_once(waits, later):
    gpu, core, tables = on_its_way(**{waits: 1})
    core.lsu.done[ACCESS] = NOW + 6
    complete(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert (core.warps.landed[WARP], core.warps.wake[WARP]) == (NOW + 7, NOW + later)


@pytest.mark.parametrize(
    "waiting, landed, wakes, expected",
    [
        ({}, 0, FOREVER, FOREVER),                                              # it does not wait for memory
        ({"waiting_memory": 1}, 0, FOREVER, NOW + 1),
        ({"waiting_memory": 1}, NOW + 30, FOREVER, NOW + 1),                    # ... not for all of it
        ({"waiting_memory": 1}, 0, NOW + 1, NOW + 1),                           # it is examined then anyhow
        ({"waiting_memory": 1}, 0, NOW + 2, NOW + 1),
        ({"waiting_memory": 1, "wake_time_known": 1}, 0, NOW + 9, NOW + 9),     # it knows the very cycle
        ({"fencing": 1}, NOW + 30, FOREVER, NOW + 1),                           # it is asked what else it waits for
        ({"draining": 1}, NOW + 30, FOREVER, NOW + 30),
    ],
)  # fmt: skip
def test_when_a_warp_is_examined_again(waiting, landed, wakes, expected):
    gpu, core, tables = on_its_way(**waiting)
    core.warps.wake[WARP], core.warps.landed[WARP], core.lsu.done[ACCESS] = wakes, landed, NOW - 5
    complete(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert core.warps.wake[WARP] == expected
    assert gpu.wake[0] == (FOREVER if expected == wakes else expected)


@pytest.mark.parametrize("full", [0, 1])
def test_a_warp_that_waits_for_room_gets_a_cycle(full):
    gpu, core, tables = on_its_way()
    core.full_units, gpu.wake[0] = mask(*range(full)), NOW + 50
    complete(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert gpu.wake[0] == (NOW + 1 if full else NOW + 50)


@pytest.mark.parametrize("counts, texture, expected", [(2, 0, 1000 + 3 * (NOW + 1 - 60)), (1, 0, 1000), (2, 1, 1000)])
def test_latency_is_counted_by_lanes(counts, texture, expected):
    gpu, core, tables = on_its_way()
    core.counts, core.lsu.texture, core.monitor.load_latency, core.lsu.done[ACCESS] = counts, texture, 1000, NOW
    complete(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert core.monitor.load_latency == expected


def test_the_event_says_when_it_was_issued_and_done():
    gpu, core, tables = on_its_way()
    core.lsu.done[ACCESS] = NOW - 2
    complete(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert events(gpu, tables) == []
    gpu.log.tracing = 1
    complete(gpu, core, core.lsu, ACCESS, tables, NOW)
    assert events(gpu, tables) == [[NOW, COMPLETE, 0, WARP, 0, 0b1011, 60, NOW - 2]]


@pytest.mark.parametrize("fencing", [0, 1])
@pytest.mark.parametrize("same", [True, False])
def test_a_store_at_the_first_level_cache_is_what_a_fence_of_the_block_waits_for(same, fencing):
    gpu, core, _ = on_its_way(STORE, **({"fencing": 1} if fencing else {"waiting_memory": 1}))
    core.lsu.done[ACCESS] = NOW + 3
    core.warps.started[WARP] += not same
    reach_cache(gpu, core, core.lsu, ACCESS, NOW)
    assert core.warps.unsent[WARP] == (2 if same else 3) and core.warps.stores[WARP] == 3
    assert core.warps.landed[WARP] == (NOW + 4 if same else 0)
    assert core.warps.wake[WARP] == (NOW + 1 if same and fencing else FOREVER)
    reach_cache(gpu, core, core.lsu, ACCESS, NOW + 9)
    assert core.warps.landed[WARP] == (NOW + 4 if same else 0)
    assert core.warps.wake[WARP] == (NOW + 10 if same and fencing else FOREVER)
