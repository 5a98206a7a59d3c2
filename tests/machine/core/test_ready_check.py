"""The examination of a warp, call by call: what its next instruction waits for, with which reason, and until when."""

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, mask
from tests.machine.programs import FREE, LANE, Assembly
from warploom.isa.uop import BUFFER, FENCE_BLOCK, FENCE_DEVICE, IMM, OP, PORT, PREDICATE, SCALAR, SCALAR_GROUP, SPECIAL
from warploom.machine.accounting.reasons import DRAIN, LONG_SCOREBOARD, MEMBAR, NO_INSTRUCTION, NOT_SELECTED, WAIT, WAITCNT
from warploom.machine.core import ready_check
from warploom.machine.core.control import EXIT_WARP
from warploom.machine.core.ready_check import PC_FAULT, examine, next_turn, wake_up
from warploom.machine.engine.unit import FOREVER

WARP, AT = 2, 100
ADDS, BRANCHES, BLOCK_FENCE, DEVICE_FENCE, NOPS = range(5)  # instructions of the program


def waiting_at(pc, **fields):
    """Warp WARP before instruction `pc`. fields: of the warp table, for that warp; bits that it has too much are taken away."""
    code = Assembly()
    code.op("add", FREE, FREE, LANE)
    code.label("here")
    code("branch", a=FREE, imm=1, target="here")
    code("fence", imm=FENCE_BLOCK)
    code("fence", imm=FENCE_DEVICE)
    code("nop")
    code("exit")
    gpu, cores, tables = bench(code, core__warps=4, core__lanes=4)
    tables.code, tables.uops = tables.code.copy(), tables.uops.copy()
    core = cores[0]
    warps = core.warps
    warps.pc[WARP], warps.mask[WARP], warps.reason[WARP] = pc, 0b1111, 77
    warps.waiting_memory = warps.fencing = warps.wake_time_known = mask(1, WARP)
    for name, value in fields.items():
        getattr(warps, name)[WARP] = value
    return gpu, core, tables


def found(core):
    """(reason, when it is examined again, whether it is awake, waits for memory, is at a fence, knows its cycle)."""
    warps = core.warps
    masks = (warps.awake, warps.waiting_memory, warps.fencing, warps.wake_time_known)
    for other in masks[1:]:
        assert other & ~mask(WARP) == mask(1)
    return (int(warps.reason[WARP]), int(warps.wake[WARP]), *(bool(bits & mask(WARP)) for bits in masks))


def reading(core, at, reason=WAIT):
    core.scoreboard.ready[WARP, FREE], core.scoreboard.reason[WARP, FREE] = at, reason


@pytest.mark.parametrize("pc", [-1, 6, 7])
def test_there_is_no_instruction_outside_of_the_program(pc):
    gpu, core, tables = waiting_at(pc)
    examine(gpu, core, tables, WARP, AT)
    assert (gpu.fault.kind, gpu.fault.core, gpu.fault.warp, gpu.fault.pc) == (PC_FAULT, 0, WARP, pc)
    assert (gpu.fault.lanes, gpu.fault.value, gpu.fault.limit, gpu.fault.cycle) == (0b1111, pc, 6, AT)
    assert core.warps.awake == 0


@pytest.mark.parametrize("buffer, held, waits", [(0, 0, False), (2, 1, False), (2, 0, True)])
def test_an_empty_buffer_is_filled_first(buffer, held, waits):
    gpu, core, tables = waiting_at(ADDS)
    core.fetch.buffer, core.fetch.held[WARP] = buffer, held
    reading(core, AT + 3)
    examine(gpu, core, tables, WARP, AT)
    assert core.warps.starved == (mask(WARP) if waits else 0)
    assert found(core) == ((NO_INSTRUCTION, FOREVER, 0, 0, 0, 0) if waits else (WAIT, AT + 3, 0, 0, 0, 1))


@pytest.mark.parametrize(
    "pc, ready, reason, expected",
    [
        (ADDS, AT, WAIT, (NOT_SELECTED, AT, 1, 0, 0, 0)),
        (ADDS, AT + 1, WAIT, (WAIT, AT + 1, 0, 0, 0, 1)),
        (ADDS, AT + 9, LONG_SCOREBOARD, (LONG_SCOREBOARD, AT + 9, 0, 1, 0, 1)),
        (ADDS, FOREVER, WAIT, (LONG_SCOREBOARD, FOREVER, 0, 1, 0, 0)),
        (BRANCHES, AT + 1, WAIT, (WAIT, AT + 1, 0, 0, 0, 0)),  # after which it may wait for more
        (BRANCHES, AT, WAIT, (NOT_SELECTED, AT, 1, 0, 0, 0)),
        (NOPS, AT + 9, WAIT, (NOT_SELECTED, AT, 1, 0, 0, 0)),
    ],
)
def test_registers_are_waited_for(pc, ready, reason, expected):
    gpu, core, tables = waiting_at(pc)
    reading(core, ready, reason)
    examine(gpu, core, tables, WARP, AT)
    assert found(core) == expected
    port = int(tables.code[pc, PORT])
    assert core.warps.wants.tolist() == [int(mask(WARP)) if expected[2] and other == port else 0 for other in range(len(core.warps.wants))]
    assert core.warps.alarms.ringing == (mask((AT + 1 if ready == AT + 1 else AT + 9) % 64) if AT < expected[1] < FOREVER else 0)


@pytest.mark.parametrize(
    "pc, fields, wakes",
    [
        (BLOCK_FENCE, {}, AT), (BLOCK_FENCE, {"pending": 1}, FOREVER), (BLOCK_FENCE, {"unsent": 1, "stores": 1}, FOREVER),
        (BLOCK_FENCE, {"stores": 1}, AT), (BLOCK_FENCE, {"landed": AT + 1}, AT), (BLOCK_FENCE, {"unsent": 1, "landed": AT + 1}, FOREVER),
        (DEVICE_FENCE, {}, AT), (DEVICE_FENCE, {"pending": 1}, FOREVER), (DEVICE_FENCE, {"stores": 1}, FOREVER),
        (DEVICE_FENCE, {"unsent": 1}, AT), (DEVICE_FENCE, {"landed": AT}, AT), (DEVICE_FENCE, {"landed": AT + 7}, AT + 7),
        (DEVICE_FENCE, {"stores": 1, "landed": AT + 7}, FOREVER), (NOPS, {"pending": 1, "stores": 1, "unsent": 1, "landed": AT + 7}, AT),
    ],
)  # fmt: skip
def test_a_fence_waits_for_what_it_is_for(pc, fields, wakes):
    gpu, core, tables = waiting_at(pc, **fields)
    core.scoreboard.last[WARP] = AT + 30  # results of arithmetic
    examine(gpu, core, tables, WARP, AT)
    assert found(core) == ((NOT_SELECTED, AT, 1, 0, 0, 0) if wakes == AT else (MEMBAR, wakes, 0, 0, wakes == FOREVER, 0))


@pytest.mark.parametrize(
    "fields, last, wakes",
    [({}, AT, AT), ({}, AT + 1, AT + 1), ({"pending": 1}, AT + 1, FOREVER), ({"stores": 1, "unsent": 1, "landed": AT + 5}, AT, AT)],
)
def test_the_end_of_a_whole_warp_waits_for_its_loads_and_registers(fields, last, wakes):
    gpu, core, tables = waiting_at(NOPS, **fields)
    tables.uops[NOPS, OP] = EXIT_WARP
    core.scoreboard.last[WARP] = last
    examine(gpu, core, tables, WARP, AT)
    assert found(core) == ((NOT_SELECTED, AT, 1, 0, 0, 0) if wakes == AT else (DRAIN, wakes, 0, 0, wakes == FOREVER, 0))


@pytest.mark.parametrize("has_predicates, lanes, waits", [(0, 0, True), (1, 0b0010, True), (1, 0, False), (1, 0b10000, False)])
def test_a_fence_of_no_lane_waits_for_nothing(has_predicates, lanes, waits):
    gpu, core, tables = waiting_at(DEVICE_FENCE, pending=1)
    core.has_predicates = has_predicates
    tables.uops[DEVICE_FENCE, PREDICATE] = SCALAR + 3
    core.registers[WARP].scalar[3] = lanes
    examine(gpu, core, tables, WARP, AT)
    assert found(core) == ((MEMBAR, FOREVER, 0, 0, 1, 0) if waits else (NOT_SELECTED, AT, 1, 0, 0, 0))


@pytest.mark.parametrize(
    "most, accesses, landed, wakes",
    [
        (0, 5, AT + 9, AT), (1, 0, AT, AT), (1, 0, AT + 1, AT + 1), (1, 1, AT, FOREVER), (1, 1, AT + 1, FOREVER),
        (2, 1, AT + 9, AT), (2, 2, AT, FOREVER), (2, 0, AT + 9, AT), (3, 2, AT, AT), (3, 4, AT, FOREVER),
    ],
)  # fmt: skip
def test_a_wait_for_accesses_leaves_as_many_in_flight_as_it_says(most, accesses, landed, wakes):
    """accesses: so many, the last ones, have no answer."""
    gpu, core, tables = waiting_at(NOPS, stores=4, landed=landed, pending=4, unsent=4)
    core.access_order.open[WARP] = mask(*range(accesses))
    tables.code[NOPS, PORT], tables.uops[NOPS, IMM] = BUFFER, most
    examine(gpu, core, tables, WARP, AT)
    assert found(core) == ((NOT_SELECTED, AT, 1, 0, 0, 0) if wakes == AT else (WAITCNT, wakes, 0, 1, 0, 0))


def test_a_wait_for_registers_of_the_buffer_has_its_own_reason():
    gpu, core, tables = waiting_at(ADDS)
    tables.code[ADDS, PORT] = BUFFER
    reading(core, FOREVER)
    examine(gpu, core, tables, WARP, AT)
    assert found(core) == (WAITCNT, FOREVER, 0, 1, 0, 0)


@pytest.mark.parametrize("scheduler, turn", [(0, 100), (1, 101), (2, 102), (3, 103)])
def test_schedulers_that_issue_in_turns_wait_for_theirs(scheduler, turn):
    gpu, core, tables = waiting_at(ADDS, scheduler=scheduler)
    core.scheduler_count = 4
    assert [next_turn(core, scheduler, at) for at in (turn - 3, turn, turn + 1)] == [turn, turn, turn + 4]
    examine(gpu, core, tables, WARP, AT)
    assert found(core) == (NOT_SELECTED, AT, 1, 0, 0, 0)
    core.issues_per_turn = 1
    examine(gpu, core, tables, WARP, AT)
    assert found(core) == (WAIT if turn > AT else NOT_SELECTED, turn, 1, 0, 0, 0)


@pytest.mark.parametrize("banks", [0, 4])
def test_what_its_scheduler_has_lost_so_far_is_noted(banks):
    gpu, core, tables = waiting_at(ADDS, held_at_wake=5)
    core.operands.banks, core.operands.held_cycles[:2], core.warps.scheduler[WARP] = banks, (8, 9), 1
    core.unit_full_cycles[:2] = np.arange(100, 100 + 2 * len(core.unit_full_cycles[0])).reshape(2, -1)
    examine(gpu, core, tables, WARP, AT)
    assert core.warps.held_at_wake[WARP] == (9 if banks else 5)
    assert core.warps.unit_full_at_wake[WARP] == core.unit_full_cycles[1, tables.code[ADDS, PORT]]


@pytest.mark.parametrize("at", [AT, AT + 1])
def test_a_warp_that_knew_its_cycle_is_awake_without_being_examined(at):
    _, core, _ = waiting_at(0)
    core.unit_full_cycles[1, SPECIAL], core.operands.held_cycles[1], core.operands.banks = 40, 50, 2
    core.warps.scheduler[WARP], core.issues_per_turn = 1, 0
    wake_up(core, WARP, SPECIAL, np.int64(at))
    assert found(core) == (77, at, True, False, True, False)  # nothing else that it waited for is asked
    assert core.warps.wants.tolist() == [mask(WARP) if port == SPECIAL else 0 for port in range(len(core.warps.wants))]
    assert (core.warps.unit_full_at_wake[WARP], core.warps.held_at_wake[WARP]) == (40, 50)
    core.operands.banks, core.warps.held_at_wake[WARP] = 0, 9
    wake_up(core, WARP, SPECIAL, np.int64(at))
    assert core.warps.held_at_wake[WARP] == 9


@pytest.mark.parametrize("group", [-1, 0, 1, FREE, SCALAR_GROUP])
@pytest.mark.parametrize("pc", [ADDS, BRANCHES, NOPS])
def test_a_group_of_any_number_is_waited_for_and_none_is_not(monkeypatch, pc, group):
    gpu, core, tables = waiting_at(pc)
    core.scoreboard.ready[WARP], core.scoreboard.reason[WARP] = AT + 9, WAIT
    monkeypatch.setattr(ready_check, "blocking_group", lambda *given: (np.int64(group), np.int64(AT + 9)))
    examine(gpu, core, tables, WARP, AT)
    assert found(core) == ((NOT_SELECTED, AT, 1, 0, 0, 0) if group < 0 else (WAIT, AT + 9, 0, 0, 0, pc == ADDS))
