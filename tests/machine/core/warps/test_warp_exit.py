"""The end of a warp, call by call: who waits for accesses, and when a block gives back its slot."""

import pytest

from tests.machine.core.unit_bench import bench, events, mask
from tests.machine.programs import FREE, GLOBAL, Assembly, run
from warploom.machine.accounting import events as e
from warploom.machine.accounting.events import BLOCK, BLOCK_ENDS, END
from warploom.machine.accounting.reasons import DRAIN
from warploom.machine.core.warps.warp_exit import end_warp, free_slot
from warploom.machine.engine.unit import FOREVER


def two_blocks(tracing=0):
    """Warps 0 and 1 are block slot 0's, 2 and 3 slot 1's; all run."""
    gpu, cores, tables = bench(core__warps=4)
    core, warps = cores[0], cores[0].warps
    gpu.log.tracing, gpu.live = tracing, 4
    warps.block[:4] = 0, 0, 1, 1
    warps.active = mask(0, 1, 2, 3)
    core.blocks.alive[0], core.blocks.alive[1], core.blocks.used = mask(0, 1), mask(2, 3), mask(0, 1)
    core.blocks.number[:2] = 70, 71
    return gpu, core, tables


@pytest.mark.parametrize(
    "pending, stores, whole, drains", [(0, 0, 0, 0), (1, 0, 0, 1), (0, 1, 0, 1), (2, 3, 0, 1), (0, 1, 1, 0), (1, 0, 1, 0)]
)
def test_a_slot_is_free_when_the_accesses_are_done(pending, stores, whole, drains):
    gpu, core, tables = two_blocks()
    warps = core.warps
    warps.pending[2], warps.stores[2], warps.reason[2], warps.wake[2] = pending, stores, 0, 5
    end_warp(gpu, core, 2, 17, whole, tables, 40)
    assert (warps.pc[2], warps.wake[2], gpu.progress) == (17, FOREVER, 40)
    assert core.blocks.alive[1] == mask(3) and core.blocks.alive[0] == mask(0, 1)
    assert warps.draining == (mask(2) if drains else 0)
    assert warps.reason[2] == (DRAIN if drains else 0)
    assert warps.active == (mask(0, 1, 2, 3) if drains else mask(0, 1, 3))
    assert (gpu.live, gpu.room_since) == ((4, 0) if drains else (3, 41))
    assert core.blocks.used == mask(0, 1)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_last_warp_of_a_block_gives_back_its_slot(order):
    gpu, core, tables = two_blocks(tracing=1)
    first, last = order
    end_warp(gpu, core, first, 9, 0, tables, 40)
    assert core.blocks.used == mask(0, 1)
    end_warp(gpu, core, last, 9, 0, tables, 50)
    assert core.blocks.used == mask(1)
    assert [row[:6] for row in events(gpu, tables)] == [
        [41, END, 0, first, 9, 0], [51, END, 0, last, 9, 0], [51, BLOCK, 0, last, -1, 0],
    ]  # fmt: skip
    assert [row[6:] for row in events(gpu, tables)] == [[0, 0], [0, 0], [70, BLOCK_ENDS]]


def test_a_block_is_there_as_long_as_a_warp_of_it_waits_for_its_accesses():
    gpu, core, tables = two_blocks()
    warps = core.warps
    for warp in (0, 1, 2):
        warps.pending[warp] = 1
        end_warp(gpu, core, warp, 9, 0, tables, 40)
    assert warps.draining == mask(0, 1, 2)
    free_slot(gpu, core, 0, tables, 60)
    assert (warps.draining, core.blocks.used, gpu.room_since) == (mask(1, 2), mask(0, 1), 60)
    free_slot(gpu, core, 1, tables, 61)  # the warp of the other block that drains does not hold it
    assert (warps.draining, core.blocks.used, gpu.live) == (mask(2), mask(1), 2)
    assert warps.active == mask(2, 3)


def test_only_slots_of_the_core_count():
    gpu, core, tables = two_blocks()
    core.warps.draining = mask(4)
    core.blocks.alive[0] = 0
    free_slot(gpu, core, 0, tables, 60)
    assert core.blocks.used == mask(1)
    core.warps.draining = mask(3)
    core.blocks.alive[1] = 0
    free_slot(gpu, core, 2, tables, 60)
    assert core.blocks.used == mask(1)


def test_a_barrier_that_waits_only_for_the_warp_that_ends_opens():
    gpu, core, tables = two_blocks()
    core.barriers.count, core.barriers.latency = 2, 3
    core.barriers.arrived[1, 1] = core.barriers.waiting[1, 1] = core.warps.at_barrier = mask(3)
    end_warp(gpu, core, 2, 9, 0, tables, 40)
    assert (core.warps.at_barrier, core.warps.wake[3], core.barriers.arrived[1, 1]) == (0, 44, 0)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_slot_is_left_when_stores_are_answered_or_sent_and_the_kernel_ends_when_they_are_answered(engine):
    """One warp after the other on a core with one slot, with a store each that takes 200 cycles to memory and back."""
    code = Assembly()
    code.op("shl", FREE, GLOBAL, imm=6)
    code.store(FREE, GLOBAL)
    code("exit")
    ended, cycles = {}, {}
    for drain in ("answered", "sent"):
        result = run(
            code.program(threads=16, block=4), engine=engine, tracing=True, core__warps=1, lsu__stores=64, lsu__drain=drain, l1__bytes=0,
            l2__bytes=0, dram__latency=200,
        )  # fmt: skip
        assert result.status == "done", result.fault
        events = result.detail.events
        ended[drain] = events[events[:, e.KIND] == e.END][:, e.TIME].tolist()
        cycles[drain] = result.cycles
    assert ended["answered"][-1] > 4 * 200 and cycles["answered"] == ended["answered"][-1] + 1
    assert ended["sent"][-1] < 100 and cycles["sent"] > 200 + ended["sent"][-2]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_warp_that_ends_before_its_stores_are_sent_waits_no_longer_than_until_they_are(engine):
    """Four lanes with a line each: what comes between the store and the end changes when the slot is free by no more than it takes."""
    ended = []
    for more in range(6):
        code = Assembly()
        code.op("shl", FREE, GLOBAL, imm=8)
        code.store(FREE, GLOBAL)
        for _ in range(more):
            code("nop")
        code("exit")
        result = run(
            code.program(threads=4, block=4), engine=engine, tracing=True, core__warps=1, lsu__stores=64, lsu__drain="sent",
            l1__bytes=4096, l1__latency=30,
        )  # fmt: skip
        assert result.status == "done", result.fault
        events = result.detail.events
        ended.append(int(events[events[:, e.KIND] == e.END][0, e.TIME]))
    assert ended == sorted(ended) and ended[-1] < 15, ended
