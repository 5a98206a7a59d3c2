"""The operations of programs that manage their own warps, call by call: who starts, stops and waits, and branches that disagree."""

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, mask
from tests.machine.programs import FREE, Assembly
from warploom.isa.uop import ADDRESS, DST, FLAGS, HIGHEST_LEADS, IMM, LEADER_DECIDES, NEGATE, NONE, NUMBER, OP, TARGET, A, B
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.divergence import MASKS, MINPC, STACK
from warploom.machine.core.divergence.path_table import STACKED
from warploom.machine.core.warp_control import ACROSS_CORES, BARRIER_NUMBER, PC_RANGE, control_of_warps

WARP, PC, NOW, ROWS = 2, 3, 100, 8
X, Y, OUT = FREE, FREE + 1, FREE + 2
COLUMNS = {"a": A, "b": B, "dst": DST, "imm": IMM, "flags": FLAGS, "target": TARGET}

UNGUARDED = FAULT_NUMBER["unguarded"]


def about_to(name, x=(0, 0, 0, 0), y=(0, 0, 0, 0), active=0b1111, **columns):
    """Warp 2 of four, at instruction 3 of 8, whose addresses are 256, 260 and so on."""
    code = Assembly()
    for _ in range(ROWS - 1):
        code("nop")
    code("exit")
    gpu, cores, tables = bench(code, core__warps=4, core__threads_per_block=16)
    core, warps = cores[0], cores[0].warps
    tables.uops, tables.code = np.zeros((1, tables.uops.shape[1]), np.int32), tables.code.copy()
    tables.uops[0, [OP, A, B, DST]] = NUMBER[name], X, Y, NONE
    tables.code[:, ADDRESS] = 256 + 4 * np.arange(ROWS)
    for column, value in columns.items():
        tables.uops[0, COLUMNS[column]] = value
    core.divergence, core.any_order, core.code_step, core.code_rows = MASKS, 0, 4, ROWS
    core.branch_diverged = 0
    core.barriers.count = 4
    core.blocks.alive[0] = mask(0, 1, 2)
    warps.active = mask(0, 1, 2)
    warps.pc[WARP], warps.mask[WARP] = PC, active
    warps.threads[:3] = 0b1111
    core.registers[WARP].lane[X, :4], core.registers[WARP].lane[Y, :4], core.registers[WARP].lane[OUT, :4] = x, y, 77
    gpu.live = 3
    return gpu, core, tables


def execute(gpu, core, tables):
    with np.errstate(over="ignore"):  # words wrap around
        return int(control_of_warps(gpu, core, WARP, PC, tables, 0, np.int64(NOW)))


def noted(core):
    found = core.unguarded
    return tuple(int(value) for value in (found.times, found.pc, found.warp, found.going, found.staying, core.branch_diverged))


LOWEST, HIGHEST = LEADER_DECIDES, LEADER_DECIDES | HIGHEST_LEADS
QUIET = (0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    "x, active, flags, taken, disagree",
    [
        ((2, 2, 2, 2), 0b1111, LOWEST, True, None),
        ((1, 1, 1, 1), 0b1111, LOWEST, False, None),  # the bit that is asked for is not theirs
        ((2, 0, 0, 0), 0b1110, LOWEST, False, None),
        ((0, 2, 0, 2), 0b1110, LOWEST, True, (0b1010, 0b0100)),
        ((0, 2, 0, 2), 0b0111, LOWEST, False, (0b0010, 0b0101)),
        ((0, 2, 0, 2), 0b1111, HIGHEST, True, (0b1010, 0b0101)),
        ((0, 2, 0, 2), 0b1110, LOWEST | NEGATE, False, (0b0100, 0b1010)),
        ((0, 0, 0, 0), 0b1110, LOWEST | NEGATE, True, None),
    ],
)
def test_one_lane_decides_a_branch_and_those_that_disagree_are_noted(x, active, flags, taken, disagree):
    gpu, core, tables = about_to("branch", x, active=active, imm=2, flags=flags, target=6)
    assert execute(gpu, core, tables) == 0
    assert core.warps.pc[WARP] == (6 if taken else PC + 1) and core.warps.mask[WARP] == active
    assert noted(core) == ((1, PC, WARP, *disagree, 1) if disagree else QUIET)


def test_every_bit_of_a_condition_may_count():
    for number in (0, 1, 31):
        gpu, core, tables = about_to("branch", (1 << number,) * 4, imm=-1, flags=LOWEST, target=6)
        assert execute(gpu, core, tables) == 0 and core.warps.pc[WARP] == 6


def test_where_no_lane_decides_a_disagreement_is_a_fault_or_none():
    gpu, core, tables = about_to("branch", (2, 0, 2, 0), imm=2, target=6)
    assert execute(gpu, core, tables) == UNGUARDED
    gpu, core, tables = about_to("branch", (2, 2, 2, 2), imm=2, target=6)
    assert execute(gpu, core, tables) == 0 and core.warps.pc[WARP] == 6 and noted(core) == QUIET


def test_the_first_disagreement_is_kept_and_all_are_counted():
    gpu, core, tables = about_to("branch", (2, 0, 2, 0), imm=2, flags=LOWEST, target=6)
    assert execute(gpu, core, tables) == 0
    core.registers[WARP].lane[X, :4] = 2, 2, 2, 0
    assert execute(gpu, core, tables) == 0
    assert noted(core) == (2, PC, WARP, 0b0101, 0b1010, 1)


@pytest.mark.parametrize(
    "x, active, flags, pc, disagree",
    [
        ((272, 272, 272, 272), 0b1111, LOWEST, 5, None),
        ((272, 264, 272, 9), 0b0111, LOWEST, 5, (0b0101, 0b0010)),
        ((272, 264, 272, 264), 0b1111, HIGHEST, 3, (0b1010, 0b0101)),
        ((0, 265, 265, 0), 0b0110, LOWEST, 3, None),  # the lowest bit of an address means nothing
        ((280, 280, 280, 280), 0b1111, LOWEST, 7, None),
    ],
)
def test_one_lane_says_where_a_jump_goes(x, active, flags, pc, disagree):
    gpu, core, tables = about_to("jump_register", x, active=active, imm=4, flags=flags, dst=OUT)
    assert execute(gpu, core, tables) == 0
    assert core.warps.pc[WARP] == pc and core.warps.mask[WARP] == active
    assert core.registers[WARP].lane[OUT, :4].tolist() == [272 if active >> lane & 1 else 77 for lane in range(4)]
    assert noted(core) == ((1, PC, WARP, *disagree, 1) if disagree else QUIET)


def test_a_jump_without_a_destination_writes_no_register():
    gpu, core, tables = about_to("jump_register", (272,) * 4, flags=LOWEST)
    before = core.registers[WARP].lane[:32, :4].copy()
    assert execute(gpu, core, tables) == 0 and core.warps.pc[WARP] == 4
    assert (core.registers[WARP].lane[:32, :4] == before).all()
    gpu, core, tables = about_to("jump_register", (272,) * 4, flags=LOWEST, dst=0)
    assert execute(gpu, core, tables) == 0 and core.registers[WARP].lane[0, :4].tolist() == [272] * 4


@pytest.mark.parametrize("address", [0, 258, 256 + 4 * ROWS, 252])
@pytest.mark.parametrize("divergence", [MASKS, STACK])
def test_a_jump_to_where_there_is_no_instruction_is_a_fault_of_that_jump(address, divergence):
    gpu, core, tables = about_to("jump_register", (address,) * 4, flags=LOWEST, active=0b0110, dst=OUT)
    core.divergence = divergence
    assert execute(gpu, core, tables) == FAULT_NUMBER["no_code"]
    assert (gpu.fault.lanes, gpu.fault.value, core.warps.pc[WARP]) == (0b0110, address, PC)
    assert core.registers[WARP].lane[OUT, :4].tolist() == [77] * 4


@pytest.mark.parametrize(
    "count, alive, started", [(4, (0, 1, 2, 3), (1, 2, 3)), (3, (0, 1, 2), (1, 2)), (1, (0, 2), ()), (0, (2,), ()), (2, (0, 1, 2), (1,))]
)
def test_a_spawn_starts_warps_and_stops_those_above(count, alive, started):
    """Warp 2 asks: where it is above itself it has no lanes any more, and ends with its instruction."""
    gpu, core, tables = about_to("spawn", (9, count, 0, 0), (0, 265, 0, 0), active=0b0010)
    assert execute(gpu, core, tables) == 0
    assert core.blocks.alive[0] == core.warps.active == mask(*alive)
    assert gpu.live == len(alive) and gpu.progress == NOW
    for warp in range(4):
        if warp in started:
            assert core.warps.pc[warp] == 2
        elif warp == WARP:
            assert core.warps.pc[WARP] == PC + 1
    assert bool(core.warps.threads[WARP]) == bool(core.warps.mask[WARP]) == (count > WARP)
    assert core.spawn.waiting == 0


def test_a_spawn_that_waits_to_be_alone_says_what_it_wants():
    gpu, core, tables = about_to("spawn_alone", (3,) * 4, (264,) * 4)
    assert execute(gpu, core, tables) == 0
    assert (core.spawn.waiting, core.spawn.count, core.spawn.pc) == (mask(WARP), 3, 2)
    assert core.warps.pc[WARP] == PC + 1 and core.warps.at_barrier == mask(WARP) and core.warps.active == mask(0, 1, 2)
    core.warps.threads[:3] = 0b1111, 0, 0  # the others have ended, and something else happens
    core.blocks.alive[0] = mask(0)
    tables.uops[0, OP] = NUMBER["halt"]
    assert execute(gpu, core, tables) == 0
    assert core.spawn.waiting == 0 and core.warps.active == mask(0, 1, 2) and core.warps.pc[1] == 2


@pytest.mark.parametrize("count, fault", [(1, 0), (2, PC_RANGE)])
@pytest.mark.parametrize("address", [256 + 4 * ROWS, 258, 0])
def test_warps_begin_inside_the_program(count, fault, address):
    gpu, core, tables = about_to("spawn", (count,) * 4, (address,) * 4)
    assert execute(gpu, core, tables) == fault
    assert (gpu.fault.value, gpu.fault.limit) == ((ROWS, ROWS) if fault else (0, 0))
    assert core.warps.pc[WARP] == PC + (not fault)


@pytest.mark.parametrize("name", ["spawn", "set_mask", "spawn_alone"])
def test_an_operation_of_the_whole_warp_waits_for_its_other_paths(name):
    gpu, core, tables = about_to(name, (1,) * 4, (264,) * 4, active=0b0011)
    core.divergence, core.any_order = MINPC, 1
    core.path_table.count[WARP], core.path_table.mask[WARP, 0], core.path_table.pc[WARP, 0] = 1, 0b1100, 1
    assert execute(gpu, core, tables) == 0
    assert (core.warps.pc[WARP], core.warps.mask[WARP]) == (1, 0b1100)
    assert core.warps.active == mask(0, 1, 2) and core.spawn.waiting == 0 and core.warps.at_barrier == 0
    core.warps.pc[WARP] = PC
    assert execute(gpu, core, tables) == 0  # the others come too
    assert core.warps.pc[WARP] == PC + 1 and core.path_table.count[WARP] == 0
    assert core.warps.mask[WARP] == {"set_mask": 0b0001, "spawn": 0}.get(name, 0b1111)  # a `spawn` of one warp ends warp 2
    assert (core.spawn.waiting == mask(WARP)) == (name == "spawn_alone")


@pytest.mark.parametrize("name", ["spawn", "set_mask", "spawn_alone", "core_barrier"])
@pytest.mark.parametrize("room", [False, True])
def test_on_a_reconvergence_stack_too_if_it_has_room(name, room):
    gpu, core, tables = about_to(name, (1,) * 4, (264 if name != "core_barrier" else 1,) * 4, active=0b0011)
    core.divergence, table = STACK, core.path_table
    table.limit, table.count[WARP], table.rejoins_at[WARP], table.sides[WARP] = 1 + room, 1, -1, 1
    table.mask[WARP, 0], table.pc[WARP, 0], table.state[WARP, 0], table.reconvergence_pc[WARP, 0] = 0b1100, 1, STACKED, -1
    if not room:
        assert execute(gpu, core, tables) == FAULT_NUMBER["stack_overflow"] and gpu.fault.limit == 1
        return
    assert execute(gpu, core, tables) == 0
    assert (core.warps.pc[WARP], core.warps.mask[WARP]) == (1, 0b1100)  # the other path runs
    assert core.warps.active == mask(0, 1, 2) and core.spawn.waiting == 0 and core.warps.at_barrier == 0
    core.warps.pc[WARP] = PC
    assert execute(gpu, core, tables) == 0
    assert core.warps.pc[WARP] == PC + 1 and table.count[WARP] == table.sides[WARP] == 0
    assert core.warps.mask[WARP] == {"set_mask": 0b0001, "spawn": 0}.get(name, 0b1111)  # a `spawn` of one warp ends warp 2


@pytest.mark.parametrize("number, expected, waits", [(3, 2, True), (0, 2, True), (3, 1, False), (3, 0, False)])
def test_a_warp_waits_at_a_barrier_of_its_core_for_others(number, expected, waits):
    gpu, core, tables = about_to("core_barrier", (9, number, 0, 0), (0, expected, 9, 9), active=0b0010)
    core.warps.wake[WARP] = 7
    assert execute(gpu, core, tables) == 0
    assert core.warps.pc[WARP] == PC + 1
    assert core.warps.at_barrier == (mask(WARP) if waits else 0)
    assert core.barriers.at_grid == 0 and gpu.core_barriers.opening == 0 and core.warps.wake[WARP] == 7


@pytest.mark.parametrize("mechanism", [MASKS, STACK])
@pytest.mark.parametrize("number", [3, 4, 900])
@pytest.mark.parametrize("expected, passes", [(0, True), (1, True), (2, False)])
def test_a_barrier_that_waits_for_too_few_is_none_whatever_its_number(number, expected, passes, mechanism):
    """So that a group of one warp may use the number of its group, of which there are more than barriers."""
    gpu, core, tables = about_to("core_barrier", (number,) * 4, (expected,) * 4, imm=2)
    core.divergence = mechanism
    assert execute(gpu, core, tables) == (BARRIER_NUMBER if number != 3 and not passes else 0)
    assert core.warps.pc[WARP] == PC + (passes or number == 3)
    assert core.warps.at_barrier == (0 if passes or number != 3 else mask(WARP))


def test_a_barrier_opens_for_as_many_warps_as_are_expected():
    gpu, core, tables = about_to("core_barrier", (3,) * 4, (2,) * 4)
    core.warps.pc[1], core.registers[1].lane[X, :4], core.registers[1].lane[Y, :4] = PC, 3, 2
    core.warps.mask[1] = 0b1111
    assert execute(gpu, core, tables) == 0
    assert control_of_warps(gpu, core, 1, PC, tables, 0, np.int64(NOW + 5)) == 0
    assert core.warps.at_barrier == 0 and core.warps.wake[WARP] > NOW + 5


@pytest.mark.parametrize("number, fault", [(3, 0), (4, BARRIER_NUMBER), (9, BARRIER_NUMBER)])
@pytest.mark.parametrize("across", [0, 1])
def test_the_highest_bit_of_a_number_says_across_cores(number, across, fault):
    gpu, core, tables = about_to("core_barrier", (number + across * ACROSS_CORES,) * 4, (2,) * 4)
    assert execute(gpu, core, tables) == fault
    assert (gpu.fault.value, gpu.fault.limit) == ((number, 4) if fault else (0, 0))
    assert core.warps.pc[WARP] == PC + (not fault)
    assert core.barriers.at_grid == (mask(WARP) if across and not fault else 0)
    assert core.warps.at_barrier == (0 if fault else mask(WARP))


def test_a_halt_ends_the_run_and_other_operations_are_the_control_units():
    gpu, core, tables = about_to("halt")
    gpu.halted = 0
    assert execute(gpu, core, tables) == 0 and gpu.halted == 1
    gpu, core, tables = about_to("jump", target=6)
    assert execute(gpu, core, tables) == 0 and (core.warps.pc[WARP], gpu.halted) == (6, 0)
    gpu, core, tables = about_to("split", (1, 0, 0, 0))
    core.mask_stack.limit = 4
    assert execute(gpu, core, tables) == 0 and core.warps.mask[WARP] == 0b0001 and core.mask_stack.count[WARP] == 2


def test_with_a_mechanism_of_the_machine_lanes_that_disagree_part():
    gpu, core, tables = about_to("branch", (0, 2, 0, 2), imm=2, flags=LOWEST, target=6)
    core.divergence = STACK
    core.path_table.limit = 8
    assert execute(gpu, core, tables) == 0
    assert core.path_table.count[WARP] > 0 and core.warps.mask[WARP] != 0b1111 and noted(core)[:5] == QUIET[:5]
