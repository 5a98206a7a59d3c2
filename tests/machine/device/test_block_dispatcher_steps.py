"""Handing out blocks call by call: which core gets which block, which slots it takes, and what a warp has when it starts."""

import random

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, mask
from tests.machine.programs import Assembly
from warploom.isa import uop as u
from warploom.machine.accounting.reasons import DISPATCH_STALL
from warploom.machine.device import block_dispatcher
from warploom.machine.device.block_dispatcher import FILL, SPLIT, SPREAD, dispatch
from warploom.machine.engine.sizes import MAX_CORES
from warploom.machine.engine.unit import FOREVER

CORES, WARPS, BLOCKS, NOW = 3, 6, 4, 50


def device(order, blocks, warps, first=0, next_core=0, **changes):
    """(device, cores, tables): blocks `first` to `blocks` - 1 of `warps` warps each have not been handed out."""
    code = Assembly()
    code("exit")
    shape = {"gpu__cores": CORES, "core__warps": WARPS, "core__blocks": BLOCKS, "core__lanes": 4}
    gpu, cores, tables = bench(code, **shape | changes)
    tables.parameters = np.zeros(0, np.uint32)
    grid = gpu.grid
    grid.order, grid.low, grid.high, grid.warps, grid.next_core = order, first, blocks, warps, next_core
    grid.block_threads, grid.threads = 4 * warps, 4 * warps * blocks
    for core in cores:
        core.blocks.slots, core.blocks.used, core.warps.active = BLOCKS, mask(), mask()
    return gpu, cores, tables


def launches(monkeypatch):
    """Launches, as (core, block's slot, block, rank). Each takes the first free warp slot and does nothing else."""
    done = []

    def launch(gpu, core, slot, block, rank, tables, now):
        warp = next(warp for warp in range(64) if not int(core.warps.active) >> warp & 1)
        core.warps.active = core.warps.active | mask(warp)
        core.blocks.alive[slot] |= mask(warp)
        done.append((int(core.number), int(slot), int(block), int(rank)))

    monkeypatch.setattr(block_dispatcher, "_launch", launch)
    return done


@pytest.mark.parametrize("latency", [0, 9])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("order", [SPREAD, FILL])
def test_blocks_go_in_order_to_cores_with_room_each_in_turn_or_the_first_until_it_is_full(monkeypatch, order, seed, latency):
    """Against lists: cores of which some slots are in use. What barriers of a block before have left in its slot is gone.
    With a latency a slot has a time before which no block begins in it."""
    source = random.Random(seed)
    warps, blocks, turn = source.randint(1, 3), source.randint(1, 9), source.randrange(CORES)
    gpu, cores, tables = device(order, blocks, warps, first=source.randint(0, blocks), next_core=turn)
    first, done = int(gpu.grid.low), launches(monkeypatch)
    free_warps, free_slots, waits = [], [], []
    gpu.grid.latency = latency
    for core in cores:
        used, busy = source.getrandbits(BLOCKS), source.getrandbits(WARPS) & source.getrandbits(WARPS)
        core.blocks.used, core.warps.active = np.uint64(used), np.uint64(busy)
        core.blocks.number[:], core.blocks.alive[:], core.barriers.arrived[:] = -7, mask(9), mask(8)
        free_warps.append(WARPS - busy.bit_count())
        core.blocks.begins[:BLOCKS] = [source.choice((0, NOW, NOW + 1, NOW + 5)) for _ in range(BLOCKS)]
        waits.append([slot for slot in range(BLOCKS) if latency and core.blocks.begins[slot] > NOW and not used >> slot & 1])
        free_slots.append([slot for slot in range(BLOCKS) if not used >> slot & 1 and slot not in waits[-1]])
    expected, taken, misses, block = [], [], 0, first
    while block < blocks and misses < CORES:
        if free_slots[turn] and free_warps[turn] >= warps:
            slot = free_slots[turn].pop(0)
            free_warps[turn] -= warps
            taken.append((turn, slot, block))
            expected += [(turn, slot, block, rank) for rank in range(warps)]
            block, misses = block + 1, 0
            turn = (turn + 1) % CORES if order == SPREAD else turn
        else:
            turn, misses = (turn + 1) % CORES, misses + 1
    dispatch(gpu, cores, tables, NOW)
    assert (done, gpu.grid.low, gpu.grid.next_core % CORES) == (expected, block, turn)
    for number, core in enumerate(cores):
        assert [slot for slot in range(BLOCKS) if not int(core.blocks.used) >> slot & 1] == sorted(free_slots[number] + waits[number])
        if block < blocks and waits[number] and free_warps[number] >= warps:
            assert gpu.grid.resumes <= min(core.blocks.begins[slot] for slot in waits[number])
        own = {slot: block for owner, slot, block in taken if owner == number}
        assert core.blocks.number[:BLOCKS].tolist() == [own.get(slot, -7) for slot in range(BLOCKS)]
        for slot in range(BLOCKS):
            assert (int(core.blocks.alive[slot]).bit_count() == warps) == (slot in own or warps == 1)
            assert not int(core.blocks.alive[slot]) >> 9 & 1 or slot not in own
            assert core.barriers.arrived[slot].any() == (slot not in own)


@pytest.mark.parametrize("seed", range(12))
def test_split_fills_slots_over_all_cores_and_turns_round_when_some_are_left(monkeypatch, seed):
    source = random.Random(seed)
    warps, blocks, reverse = source.randint(1, 8), source.randint(1, 7), source.randrange(2)
    gpu, cores, tables = device(SPLIT, blocks, warps)
    gpu.grid.reverse, done, free = reverse, launches(monkeypatch), []
    for number, core in enumerate(cores):
        busy = source.getrandbits(WARPS) & source.getrandbits(WARPS)
        core.warps.active = core.blocks.used = np.uint64(busy)
        core.blocks.number[:], core.blocks.alive[:] = -7, mask(9)
        free += [(number, slot) for slot in range(WARPS) if not busy >> slot & 1]
    left, expected = list(range(blocks)), []
    while left and len(free) >= warps:
        block = left.pop(-1 if reverse else 0)
        expected += [(*free.pop(0), block, rank) for rank in range(warps)]
    dispatch(gpu, cores, tables, NOW)
    assert (done, list(range(int(gpu.grid.low), int(gpu.grid.high)))) == (expected, left)
    assert gpu.grid.reverse == (1 - reverse if free else reverse)
    assert [core.blocks.used for core in cores] == [core.warps.active for core in cores]
    for number, slot, block, _ in done:
        assert (cores[number].blocks.number[slot], cores[number].blocks.alive[slot]) == (block, mask(slot))


@pytest.mark.parametrize("latency", [0, 3])
@pytest.mark.parametrize(("rank", "lanes"), [(0, 4), (1, 4), (2, 2), (3, 0)])
def test_a_warp_starts_with_nothing_of_the_one_before_in_its_slot(rank, lanes, latency):
    """Block 2 of 10 threads a block, of which the grid has 30, in warps of four lanes: three warps, the last one of two lanes."""
    gpu, cores, tables = device(FILL, 3, 4, core__schedulers=2)
    grid, core = gpu.grid, cores[1]
    grid.block_threads, grid.threads, grid.latency, grid.entry = 10, 30, latency, 0
    warps = core.warps
    for name in (
        "pc",
        "mask",
        "threads",
        "launched",
        "block",
        "rank",
        "pending",
        "stores",
        "unsent",
        "landed",
        "visits",
        "started",
        "since",
        "reason",
    ):
        getattr(warps, name)[:] = 99
    warps.active, warps.awake, warps.starved = mask(0, 1, 2, 4), mask(3, 4), mask(3, 4)
    core.scoreboard.ready[:], core.fetch.held[:], gpu.wake[1], gpu.live, gpu.progress = 77, 5, FOREVER, 6, 1
    core.scoreboard.groups = core.scoreboard.ready.shape[1]
    core.blocks.alive[1] = mask(4)
    block_dispatcher._launch(gpu, core, 1, np.int64(2), np.int64(rank), tables, np.int64(NOW))
    if not lanes:
        assert (warps.active, core.blocks.alive[1], gpu.live, gpu.progress, warps.pc[3]) == (mask(0, 1, 2, 4), mask(4), 6, 1, 99)
        return
    own = mask(*range(lanes))
    assert (warps.active, warps.awake, warps.starved) == (mask(0, 1, 2, 3, 4), mask(4), mask(4))
    assert (core.blocks.alive[1], gpu.live, gpu.progress) == (mask(3, 4), 7, NOW)
    assert (warps.pc[3], warps.mask[3], warps.threads[3], warps.launched[3]) == (0, own, own, own)
    assert (warps.block[3], warps.rank[3], warps.reason[3]) == (1, rank, DISPATCH_STALL)
    assert (warps.pending[3], warps.stores[3], warps.unsent[3], warps.visits[3]) == (0, 0, 0, 0)
    assert (warps.landed[3], warps.started[3], warps.since[3]) == (NOW, NOW, NOW)
    assert core.schedulers[1].launched[3] == NOW * MAX_CORES + rank and core.schedulers[0].launched[3] == 0
    assert not core.scoreboard.ready[3].any() and core.scoreboard.ready[2].all()
    assert (core.fetch.held[3], core.fetch.held[2]) == (0, 5)
    assert (warps.wake[3], gpu.wake[1]) == (NOW, NOW)
    assert [getattr(warps, name)[2] for name in ("pc", "pending", "visits")] == [99] * 3


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_of_a_block_that_lies_dormant_only_lane_0_of_its_first_warp_starts_and_the_others_have_their_numbers(rank):
    gpu, cores, tables = device(FILL, 2, 3)
    gpu.grid.dormant, core = 1, cores[1]
    for own in core.registers:
        own.special[:] = 99
    block_dispatcher._launch(gpu, core, 0, np.int64(1), np.int64(rank), tables, np.int64(NOW))
    first = rank == 0
    assert (core.warps.active, core.blocks.alive[0], gpu.live) == ((mask(0), mask(0), 1) if first else (0, 0, 0))
    assert (core.warps.mask[0], core.warps.threads[0], core.warps.launched[0]) == ((1, 1, 1) if first else (0, 0, 0))
    names = {name: u.SPECIAL_NUMBER[name] for name in ("warp", "core", "thread", "block")}
    found = {name: int(core.registers[rank].special[number]) for name, number in names.items()}
    assert found == {"warp": rank, "core": 1, "thread": 4 * rank, "block": 1}
    assert (core.registers[(rank + 1) % 3].special == 99).all()
