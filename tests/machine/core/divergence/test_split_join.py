"""Split, join, set_mask and predicate as instructions, call by call: masks, the stack, and what the program is told."""

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench
from tests.machine.programs import FREE
from warploom.isa.uop import DST, FLAGS, HIGHEST_LEADS, NONE, NUMBER, OP, A, B
from warploom.machine.core.divergence import MASKS, MINPC, STACK
from warploom.machine.core.divergence.path_table import AT_BARRIER, READY
from warploom.machine.core.divergence.split_join import (
    BOTH_SIDES,
    OTHER_SIDE,
    OVERFLOW,
    UNDERFLOW,
    manages_masks,
    split_or_join,
    whole_warp,
)
from warploom.machine.core.warps.barrier import WHOLE_WARP

WARP, PC, LANES = 2, 10, 4
X, Y, TOLD = FREE, FREE + 1, FREE + 2


def about_to(name, values=(0, 0, 0, 0), active=0b1111, divergence=MASKS, **columns):
    """A warp of four lanes before an instruction. values: of source A, by lane; TOLD is the destination where it has one."""
    gpu, cores, tables = bench(core__warps=4)
    core, warps = cores[0], cores[0].warps
    tables.uops = np.zeros((1, tables.uops.shape[1]), np.int32)
    tables.uops[0, [OP, A, B, DST]] = NUMBER[name], X, NONE, NONE
    for name, value in columns.items():
        tables.uops[0, {"a": A, "b": B, "dst": DST, "flags": FLAGS}[name]] = value
    core.divergence, core.any_order = divergence, 0
    warps.lanes, warps.pc[WARP], warps.mask[WARP], warps.threads[WARP] = LANES, PC, active, 0b1111
    warps.launched[WARP] = 0b1111
    core.mask_stack.limit = 3
    registers = core.registers[WARP]
    registers.lane[X, :4], registers.lane[TOLD, :4] = values, 77
    gpu.fault.limit = 0
    return gpu, core, tables


def execute(gpu, core, tables):
    return int(split_or_join(gpu, core, WARP, tables, 0))


def stacked(core):
    stack = core.mask_stack
    rows = range(int(stack.count[WARP]))
    return [tuple(int(column[WARP, row]) for column in (stack.mask, stack.pc, stack.reconvergence_pc)) for row in rows]


def at(core):
    return int(core.warps.pc[WARP]), int(core.warps.mask[WARP])


def told(core):
    return core.registers[WARP].lane[TOLD, :4].tolist()


@pytest.mark.parametrize("values, run", [((1, 0, 2, 0), 0b0101), ((1, 1, 1, 1), 0b1111), ((0, 0, 0, 0), 0b1111), ((0, 0, 0, 5), 0b1000)])
def test_the_chosen_side_of_a_split_runs_first(values, run):
    gpu, core, tables = about_to("split", values)
    assert execute(gpu, core, tables) == 0
    both = (0b1111, PC + 1, BOTH_SIDES)
    assert stacked(core) == ([both] if run == 0b1111 else [both, (0b1111 ^ run, PC + 1, OTHER_SIDE)])
    assert at(core) == (PC + 1, run) and told(core) == [77] * 4 and gpu.fault.limit == 0


@pytest.mark.parametrize(
    "values, run", [((1, 0, 2, 0), 0b0101), ((1, 0, 0, 0), 0b1110), ((1, 1, 0, 1), 0b1011), ((1, 1, 1, 1), 0), ((0, 0, 0, 0), 0)]
)
def test_with_a_destination_the_larger_side_runs_and_those_that_agree_leave_no_entry(values, run):
    gpu, core, tables = about_to("split", values, dst=TOLD)
    core.mask_stack.count[WARP] = 1
    assert execute(gpu, core, tables) == 0
    assert stacked(core)[1:] == ([(0b1111, PC + 1, BOTH_SIDES), (0b1111 ^ run, PC + 1, OTHER_SIDE)] if run else [])
    assert at(core) == (PC + 1, run or 0b1111) and told(core) == [1] * 4


def test_only_active_lanes_are_told_and_split():
    gpu, core, tables = about_to("split", (1, 0, 1, 0), active=0b0011, dst=TOLD)
    assert execute(gpu, core, tables) == 0
    assert told(core) == [0, 0, 77, 77] and at(core) == (PC + 1, 0b0001)
    assert stacked(core) == [(0b0011, PC + 1, BOTH_SIDES), (0b0010, PC + 1, OTHER_SIDE)]


@pytest.mark.parametrize(
    "count, values, fault", [(1, (1, 0, 0, 0), 0), (2, (1, 0, 0, 0), OVERFLOW), (2, (1, 1, 1, 1), 0), (3, (1, 1, 1, 1), OVERFLOW)]
)
def test_a_stack_has_an_end(count, values, fault):
    gpu, core, tables = about_to("split", values)
    core.mask_stack.count[WARP] = count
    assert execute(gpu, core, tables) == fault
    assert gpu.fault.limit == (3 if fault else 0)
    assert at(core) == ((PC, 0b1111) if fault else (PC + 1, 0b0001 if values[1] == 0 else 0b1111))


def test_a_join_fetches_the_other_side_and_then_both():
    gpu, core, tables = about_to("join", a=NONE)
    stack = core.mask_stack
    stack.count[WARP], stack.mask[WARP, :2], stack.pc[WARP, :2] = 2, (0b1111, 0b0110), (4, 5)
    stack.reconvergence_pc[WARP, :2] = BOTH_SIDES, OTHER_SIDE
    core.warps.threads[WARP] = 0b1011  # lane 2 has ended
    assert execute(gpu, core, tables) == 0 and at(core) == (5, 0b0010) and stack.count[WARP] == 1
    core.warps.pc[WARP] = 20
    assert execute(gpu, core, tables) == 0 and at(core) == (21, 0b1011) and stack.count[WARP] == 0
    assert execute(gpu, core, tables) == UNDERFLOW and at(core) == (21, 0b1011) and gpu.fault.limit == 3


@pytest.mark.parametrize("height, skips", [(1, True), (0, False), (2, False)])
def test_a_join_compares_the_height_of_the_stack(height, skips):
    gpu, core, tables = about_to("join", (9, height, 9, 9), active=0b0010)
    stack = core.mask_stack
    stack.count[WARP], stack.mask[WARP, 0], stack.pc[WARP, 0], stack.reconvergence_pc[WARP, 0] = 1, 0b1100, 5, OTHER_SIDE
    assert execute(gpu, core, tables) == 0
    assert at(core) == ((PC + 1, 0b0010) if skips else (5, 0b1100)) and stack.count[WARP] == skips


@pytest.mark.parametrize("divergence, any_order, own", [(MASKS, 0, True), (STACK, 0, False), (MASKS, 1, False)])
def test_where_the_machine_parts_lanes_split_join_and_predicate_do_nothing(divergence, any_order, own):
    for name in ("split", "join", "predicate"):
        gpu, core, tables = about_to(name, (1, 0, 0, 0), active=0b0111, divergence=divergence, dst=TOLD)
        core.any_order = any_order
        assert bool(manages_masks(core)) == own
        if not own:
            assert execute(gpu, core, tables) == 0
            assert at(core) == (PC + 1, 0b0111) and stacked(core) == []
            assert told(core) == ([0, 0, 0, 77] if name == "split" else [77] * 4)


@pytest.mark.parametrize("flags, value", [(0, 0b0110), (HIGHEST_LEADS, 0b1001)])
def test_one_lane_says_the_mask(flags, value):
    gpu, core, tables = about_to("set_mask", (0b1111, 0b0110, 0b0011, 0b1001), active=0b1010, flags=flags)
    core.warps.threads[WARP], core.warps.launched[WARP] = 0b1010, 0b1010
    assert execute(gpu, core, tables) == 0
    assert at(core) == (PC + 1, value)
    assert core.warps.threads[WARP] == core.warps.launched[WARP] == 0b1010 | value


def test_an_empty_mask_ends_a_warp_and_bits_beyond_the_lanes_mean_nothing():
    gpu, core, tables = about_to("set_mask", (0xF0, 0, 0, 0))
    assert execute(gpu, core, tables) == 0
    assert at(core) == (PC + 1, 0) and core.warps.threads[WARP] == 0 and core.warps.launched[WARP] == 0b1111


@pytest.mark.parametrize("value, expected", [(0x80000001, (1 << 40) - (1 << 31) + 1), (0x7FFFFFFF, 0x7FFFFFFF)])
def test_of_a_wide_warp_bit_31_speaks_for_the_lanes_above(value, expected):
    for name, columns in (("set_mask", {}), ("predicate", {"b": Y})):
        gpu, core, tables = about_to(name, (value if name == "set_mask" else 0, 0, 0, 0), **columns)
        core.warps.lanes, core.registers[WARP].lane[Y, :4] = 40, (value, 9, 9, 9)
        assert execute(gpu, core, tables) == 0
        assert at(core) == (PC + 1, expected) and core.warps.threads[WARP] == expected | 0b1111


@pytest.mark.parametrize("wanted, after, left", [(0b0101, 0b0101, 0b0101), (0b11001, 0b11001, 0b11001), (0b1111, 0b1111, 0b1111)])
def test_where_the_machine_parts_lanes_those_left_out_of_a_mask_end(wanted, after, left):
    gpu, core, tables = about_to("set_mask", (wanted, 0, 0, 0), divergence=STACK)
    core.warps.lanes = 6
    assert execute(gpu, core, tables) == 0
    assert at(core) == (PC + 1, after)
    assert core.warps.threads[WARP] == left and core.warps.launched[WARP] == 0b1111 | wanted


@pytest.mark.parametrize(
    "values, b, after, threads", [((0, 3, 0, 1), NONE, 0b1010, 0b1111), ((0,) * 4, NONE, 0b1110, 0b1111), ((0,) * 4, Y, 0b10001, 0b11111)]
)
def test_a_predicate_keeps_the_lanes_that_stay_and_at_the_end_the_mask_that_was(values, b, after, threads):
    gpu, core, tables = about_to("predicate", values, active=0b1110, b=b)
    core.warps.lanes = 5
    core.registers[WARP].lane[Y, :4] = 9, 0b110001, 9, 9  # of the lowest active lane
    assert execute(gpu, core, tables) == 0
    assert at(core) == (PC + 1, after) and core.warps.threads[WARP] == threads


def test_a_predicate_that_leaves_nothing_ends_the_warp():
    gpu, core, tables = about_to("predicate", active=0b1110, b=Y)
    core.registers[WARP].lane[Y, :4] = 9, 0b10000, 9, 9  # a lane that there is not
    assert execute(gpu, core, tables) == 0
    assert at(core) == (PC + 1, 0) and core.warps.threads[WARP] == 0


def test_an_operation_on_a_whole_warp_waits_for_its_other_paths():
    _, core, _ = about_to("set_mask", active=0b0011)
    assert whole_warp(core, WARP, WHOLE_WARP, 0) == 1
    core.path_table.count[WARP], core.path_table.mask[WARP, 0], core.path_table.pc[WARP, 0] = 1, 0b1100, PC + 1
    assert whole_warp(core, WARP, WHOLE_WARP, 0) == 1 and at(core) == (PC, 0b0011)  # here a path that waits is the program's own affair
    core.path_table.pc[WARP, 0] = 4
    core.any_order, core.divergence, core.path_table.expected[WARP] = 1, MINPC, 3
    assert whole_warp(core, WARP, WHOLE_WARP, 0) == 0 and at(core) == (PC + 1, 0)
    assert core.path_table.count[WARP] == 2 and core.path_table.expected[WARP] == 3  # of the barrier at which others may wait
    waiting = core.path_table.mask[WARP, :2].tolist().index(0b0011)
    assert core.path_table.pc[WARP, waiting] == PC + 1
    core.path_table.count[WARP], core.path_table.mask[WARP, 0], core.path_table.pc[WARP, 0] = 1, 0b0011, PC + 1
    core.path_table.state[WARP, 0] = core.path_table.state[WARP, waiting]
    core.warps.pc[WARP], core.warps.mask[WARP] = PC, 0b1100
    assert whole_warp(core, WARP, WHOLE_WARP, 0) == 1 and at(core) == (PC, 0b1111)
    core.path_table.count[WARP] = 0
    assert whole_warp(core, WARP, WHOLE_WARP, 0) == 1 and at(core) == (PC, 0b1111)


def test_each_path_executes_what_is_for_the_whole_warp_where_it_is():
    _, core, _ = about_to("set_mask", active=0b0011, divergence=MINPC)
    core.any_order, paths = 1, core.path_table
    paths.count[WARP] = 1
    paths.mask[WARP, 0], paths.pc[WARP, 0], paths.state[WARP, 0] = 0b1100, 21, AT_BARRIER + WHOLE_WARP
    assert whole_warp(core, WARP, WHOLE_WARP, 0) == 1 and at(core) == (PC, 0b0011)
    assert (paths.pc[WARP, 0], paths.state[WARP, 0], paths.called[WARP]) == (20, READY, 0b1100)
    paths.mask[WARP, 0], paths.pc[WARP, 0] = 0b0011, PC + 1
    core.warps.pc[WARP], core.warps.mask[WARP] = 20, 0b1100
    assert whole_warp(core, WARP, WHOLE_WARP, 0) == 1 and at(core) == (20, 0b1100)
    assert paths.count[WARP] == 1 and paths.called[WARP] == 0
    assert whole_warp(core, WARP, WHOLE_WARP, 0) == 0  # once
