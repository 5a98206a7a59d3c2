"""The block dispatcher: how blocks are handed out to cores, and when."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.machine.core.unit_bench import bench
from tests.machine.programs import BLOCK, FREE, GLOBAL, WARP, Assembly, machine, run, words
from warploom import GPU, load
from warploom.isa import uop as u
from warploom.isa.table_check import ProgramError
from warploom.isa.uop import scalar
from warploom.machine.accounting import events as e
from warploom.machine.device.block_dispatcher import dispatch
from warploom.machine.run.driver import drive, slices

A, B, C, D = range(FREE, FREE + 4)


def marks(length=1):
    """Every thread writes its number + 1, its block and its warp, after some instructions."""
    code = Assembly()
    for _ in range(length):
        code.op("add", D, D, imm=1)
    code.op("shl", A, GLOBAL, imm=4)
    code.op("add", B, GLOBAL, imm=1)
    code.store(A, B)
    code.store(A, BLOCK, 4)
    code.store(A, WARP, 8)
    code("exit")
    return code


def launches(result):
    """(cycle, core, warp slot, block, warp in the block, lanes) of every launch."""
    return e.of_kind(result.detail.events, e.LAUNCH)[["time", "core", "warp", "block", "rank", "lanes"]].tolist()


@settings(max_examples=40, deadline=None)
@given(
    threads=st.integers(1, 60), block=st.integers(1, 16), cores=st.integers(1, 3), lanes=st.sampled_from([1, 3, 4, 8]),
    blocks=st.integers(1, 3), dispatch=st.sampled_from(["spread", "fill", "split"]), latency=st.sampled_from([0, 0, 2, 70]),
)  # fmt: skip
def test_every_thread_runs_once_whatever_the_launch(threads, block, cores, lanes, blocks, dispatch, latency):
    latency = 0 if dispatch == "split" else latency
    shape = {"gpu__cores": cores, "core__lanes": lanes, "core__warps": 16, "core__blocks": blocks, "gpu__dispatch": dispatch}
    result = run(marks().program(threads=threads, block=block), tracing=True, gpu__dispatch_latency=latency, **shape)
    assert result.status == "done", result.fault
    found = words(result)[: 4 * threads].reshape(-1, 4)
    numbers = np.arange(threads)
    assert found[:, 0].tolist() == (numbers + 1).tolist()
    assert found[:, 1].tolist() == (numbers // block).tolist()
    assert found[:, 2].tolist() == (numbers % block // lanes).tolist()
    assert words(result)[4 * threads : 4 * threads + 4].tolist() == [0] * 4
    assert sum(int(mask).bit_count() for *_, mask in launches(result)) == threads
    assert len({(number, rank) for _, _, _, number, rank, _ in launches(result)}) == len(launches(result))


def test_a_warp_starts_without_what_an_earlier_one_left_in_its_slot():
    """A block of four threads: lanes 0 to 3 of eight are launched, and no row of active lanes is made from another mask than theirs."""
    gpu, cores, tables = bench(marks(), core__lanes=8)
    warps = cores[0].warps
    tables.parameters = np.zeros(0, np.uint32)
    warps.launched[:], warps.expanded_from[:] = 0xF0, 0b1111
    dispatch(gpu, cores, tables, np.int64(50))
    assert warps.active == 0b1
    assert (warps.mask[0], warps.threads[0], warps.launched[0]) == (0b1111, 0b1111, 0b1111)
    assert warps.expanded_from[0] != warps.mask[0]
    assert warps.launched[1:4].tolist() == [0xF0] * 3


def test_spread_gives_each_core_a_block_in_turn_and_fill_fills_the_first():
    program = marks().program(threads=16, block=4)
    shape = {"gpu__cores": 2, "core__warps": 4, "core__blocks": 4}
    assert [core for _, core, *_ in launches(run(program, tracing=True, **shape))] == [0, 1, 0, 1]
    assert [core for _, core, *_ in launches(run(program, tracing=True, gpu__dispatch="fill", **shape))] == [0, 0, 0, 0]


def test_split_gives_the_warps_of_a_block_to_the_first_free_slots_of_the_device():
    result = run(marks().program(threads=24, block=12), tracing=True, gpu__cores=3, core__warps=2, gpu__dispatch="split")
    assert [(core, slot, block, rank) for _, core, slot, block, rank, _ in launches(result)] == [
        (0, 0, 0, 0), (0, 1, 0, 1), (1, 0, 0, 2), (1, 1, 1, 0), (2, 0, 1, 1), (2, 1, 1, 2),
    ]  # fmt: skip


def test_split_reverses_the_order_of_what_is_left_in_each_cycle_in_which_a_slot_is_free_for_nobody():
    """Of three slots two warps leave one free, so it depends on the cycle which block is the second; of one slot none is left."""

    def started(length, slots, block):
        """(cycle, block) of each launch of a block."""
        shape = {"core__warps": slots, "core__schedulers": min(slots, 2), "alu__count": 2, "gpu__dispatch": "split"}
        result = run(marks(length).program(threads=5 * block, block=block), tracing=True, **shape)
        return [(cycle, number) for cycle, _, _, number, rank, _ in launches(result) if rank == 0]

    for length, odd in ((1, 0), (2, 1), (3, 0)):
        cycle, number = started(length, slots=3, block=8)[1]
        assert (cycle % 2, number) == (odd, 4 if odd else 1)
        assert [number for _, number in started(length, slots=1, block=4)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_a_core_holds_as_many_blocks_as_it_has_slots(blocks):
    result = run(marks(5).program(threads=32, block=4), tracing=True, core__warps=8, core__blocks=blocks)
    events = result.detail.events
    live, most = 0, 0
    for ends in e.of_kind(events, e.BLOCK)["ends"].tolist():
        live += 1 if ends == e.BLOCK_STARTS else -1
        most = max(most, live)
    assert (most, live) == (blocks, 0)


def test_a_block_that_ends_makes_room_for_the_next_in_the_next_cycle():
    code = Assembly()
    code("nop")
    code("exit")
    result = run(code.program(threads=12, block=4), tracing=True, core__warps=1)
    assert [time for time, *_ in launches(result)] == [0, 2, 4]
    assert result.cycles == 6


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("buffer", [0, 2])
def test_a_block_begins_some_cycles_after_its_slot_was_left_and_at_once_where_it_finds_one(engine, buffer):
    """Nothing is fetched for it before: a wave takes as long as the first one."""
    code = Assembly()
    code("exit")
    fetching = {"fetch__buffer": buffer, "fetch__latency": 7, "fetch__sets": 4, "fetch__miss_latency": 30, "fetch__per_cycle": 2}
    fetching |= {"engine": engine, "core__schedulers": 2}
    wave = run(code.program(threads=8, block=4), core__warps=2, **fetching).cycles
    for latency in (0, 1, 100):
        result = run(code.program(threads=24, block=4), core__warps=2, gpu__dispatch_latency=latency, tracing=True, **fetching)
        began = [time for time, *_ in launches(result)]
        ended = [int(time) for time in result.detail.events[result.detail.events[:, e.KIND] == e.END][:, e.TIME]]
        assert began == [0, 0, *(time + latency for time in ended[:4])]
        assert ended[:2] == [wave] * 2
        once_more = ended[2] - began[2]
        assert once_more == wave if buffer == 0 else once_more < wave  # the instruction is in the cache
        assert ended[4] - began[4] == once_more


def test_the_last_block_may_have_fewer_warps_and_the_last_warp_fewer_lanes():
    result = run(marks().program(threads=19, block=12), tracing=True, core__warps=8)
    assert [(block, rank, mask) for *_, block, rank, mask in launches(result)] == [
        (0, 0, 15), (0, 1, 15), (0, 2, 15), (1, 0, 15), (1, 1, 7),
    ]  # fmt: skip


def test_registers_and_masks_of_a_slot_start_anew():
    """The second block finds no trace of the first in its registers, scalar registers and masks."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=3)
    code.op("add", B, B, imm=1)
    code("mov", dst=C, a=u.scalar(3))
    code("mov", dst=u.scalar(3), a=u.IMMEDIATE, imm=9)
    code.store(A, B)
    code.store(A, C, 4)
    code("push_mask", target=0)
    code("exit_warp")
    result = run(code.program(threads=12, block=4), core__warps=1, core__divergence="masks", core__stack_depth=1)
    assert result.status == "done", result.fault
    assert words(result)[:24].tolist() == [1, 0] * 12


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_launch_takes_its_latency_before_the_first_block(engine):
    at_once, later = (run(marks().program(threads=8, block=4), engine=engine, gpu__launch_latency=latency) for latency in (0, 5000))
    assert later.cycles == at_once.cycles + 5000
    assert later.counters["warp_cycles"] == at_once.counters["warp_cycles"]
    assert run(marks().program(), engine=engine, gpu__launch_latency=500, max_cycles=100).status == "timeout"


DIMENSIONS = [f"{what}_{axis}" for what in ("thread", "block", "block_dim", "grid_dim") for axis in "xyz"]


def by_dimension():
    """Every thread writes its numbers by dimension at its number in one."""
    code = Assembly()
    code.op("mul", A, GLOBAL, imm=4 * len(DIMENSIONS))
    for place, name in enumerate(DIMENSIONS):
        code("special", dst=B, imm=u.SPECIAL_NUMBER[name])
        code.store(A, B, 4 * place)
    code("exit")
    return code.program()


@settings(max_examples=6, deadline=None)
@example(block=(3, 2, 2), grid=(2, 3, 2), lanes=4, mechanism="dwf", dispatch="split")  # no extent can stand for its neighbour
@example(block=(2, 3, 1), grid=(3, 1, 2), lanes=8, mechanism="its", dispatch="spread")
@given(
    block=st.tuples(*[st.integers(1, 3)] * 3), grid=st.tuples(*[st.integers(1, 3)] * 3), lanes=st.sampled_from([1, 3, 4, 8]),
    mechanism=st.sampled_from(["stack", "its", "dwf"]), dispatch=st.sampled_from(["spread", "split"]),
)  # fmt: skip
def test_threads_and_blocks_are_numbered_in_three_dimensions(block, grid, lanes, mechanism, dispatch):
    program = by_dimension()
    launch = program.launch.changed(grid=grid, block=block)
    assert (launch.grid_dims, launch.block_dims) == (grid, block)
    shape = {"core__lanes": lanes, "core__warps": 32, "core__divergence": mechanism, "gpu__dispatch": dispatch}
    result = run(replace(program, launch=launch), memory__bytes=1 << 16, max_cycles=10**6, **shape)
    assert result.fault == ""
    found = words(result)[: launch.threads * len(DIMENSIONS)].reshape(-1, len(DIMENSIONS)).tolist()
    threads = [(x, y, z) for z in range(block[2]) for y in range(block[1]) for x in range(block[0])]
    blocks = [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
    assert found == [[*thread, *where, *block, *grid] for where in blocks for thread in threads]


def test_a_launch_in_one_dimension_has_numbers_by_dimension_too():
    result = run(by_dimension().with_launch(threads=7, block=3))
    assert words(result)[6 * 12 : 7 * 12].tolist() == [0, 0, 0, 2, 0, 0, 3, 1, 1, 3, 1, 1]
    assert run(by_dimension().with_launch(threads=7)).fault == ""  # the machine decides how many threads a block has


def test_a_launch_may_write_them_into_registers():
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.op("shl", B, B, imm=8)
    code.op("or", B, B, C)
    code.store(A, B)
    code("exit")
    program = code.program()
    numbers = (*program.launch.registers, (B, "thread_y"), (C, "block_x"))
    for mechanism in ("stack", "dwf"):
        launch = program.launch.changed(grid=(2, 1), block=(2, 3), registers=numbers)
        result = run(replace(program, launch=launch), core__divergence=mechanism)
        assert words(result)[:12].tolist() == [256 * y + block for block in range(2) for y in range(3) for _ in range(2)]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_launch_writes_scalar_registers_of_every_warp(engine):
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.op("add", B, scalar(0), scalar(1))
    code.op("add", scalar(1), scalar(1), imm=5)
    code.op("add", B, B, scalar(1))
    code.store(A, B)
    code("exit")
    program = code.program(threads=10, block=5, scalars=3).with_launch(scalars=(-1, 7))
    assert program.launch.scalars == (0xFFFFFFFF, 7)
    assert words(run(program, engine=engine))[:10].tolist() == [18] * 10


def test_scalars_that_a_launch_cannot_write():
    code = Assembly()
    code("exit")
    with pytest.raises(ProgramError, match="the launch writes 2 scalar registers: the program says that it has 1"):
        run(code.program(scalars=1).with_launch(scalars=(1, 2)))
    with pytest.raises(ValueError, match=r"^scalars\[1\] = 'x': write a whole number$"):
        code.program().with_launch(scalars=(1, "x"))


def test_a_block_and_its_warps_are_noted_in_the_cycle_in_which_they_come():
    """Two blocks of two warps on two cores, a block's work being one instruction: the second block of a core follows the first."""
    code = Assembly()
    code("exit")
    result = run(code.program(threads=32, block=8), tracing=True, gpu__cores=2, core__warps=2, core__schedulers=2)
    columns = [e.TIME, e.CORE, e.WARP, e.PC, e.MASK, *range(e.MASK + 1, e.EVENT_COLUMNS)]
    rows = result.detail.events
    blocks = [row for row in rows[rows[:, e.KIND] == e.BLOCK][:, columns].tolist() if row[-1] == e.BLOCK_STARTS]
    ends = [row for row in rows[rows[:, e.KIND] == e.BLOCK][:, columns].tolist() if row[-1] == e.BLOCK_ENDS]
    assert sorted([row[1], row[5]] for row in ends) == [[block % 2, block] for block in (0, 2, 1, 3)]
    assert [row[1:] for row in blocks] == [[0, -1, -1, 0, 0, 0], [1, -1, -1, 0, 1, 0], [0, -1, -1, 0, 2, 0], [1, -1, -1, 0, 3, 0]]
    launches = rows[rows[:, e.KIND] == e.LAUNCH][:, columns].tolist()
    assert [row[1:] for row in launches[:4]] == [[0, 0, 0, 15, 0, 0], [0, 1, 0, 15, 0, 1], [1, 0, 0, 15, 1, 0], [1, 1, 0, 15, 1, 1]]
    assert [row[0] for row in launches] == [time for row in blocks for time in [row[0]] * 2]


@pytest.mark.parametrize("order", ["spread", "fill", "split"])
def test_a_machine_says_how_many_of_its_blocks_have_ended(order):
    made = machine(marks(3).program(threads=40, block=4), gpu__cores=2, core__warps=2, gpu__dispatch=order)
    told = [made.blocks]
    for _ in slices(made, 10_000, 7):
        told.append(made.blocks)
    assert told[0] == (0, 10)
    assert told[-1] == (10, 10)
    assert [ended for ended, _ in told] == sorted(ended for ended, _ in told)
    assert len({ended for ended, _ in told}) > 3
    tiny = GPU("tiny").machine(load("examples/tiny/matmul.asm"))
    assert tiny.blocks[0] == 0
    drive(tiny, engine="python")
    assert tiny.blocks[0] == tiny.blocks[1] > 0
