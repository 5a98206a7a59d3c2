"""The reconvergence stack against lanes that run alone."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.core.divergence.walking import BRANCH, END, EXIT, JUMP, NOP, WARP, fork, go_on, jump, note, program
from tests.machine.two_engines import both
from warploom.isa import uop as u
from warploom.isa.uop import Uop
from warploom.machine.core.divergence.gathering import gather
from warploom.machine.core.divergence.path_table import MAX_PATHS, SIDES, PathTable, clear
from warploom.machine.core.divergence.stack import branch, jump_apart, push, select_path
from warploom.machine.core.warps.barrier import WHOLE_WARP
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.bits import bit
from warploom.machine.engine.unit import mirror, unit, zeros

LANES = 6
WHOLE = u.NUMBER["yield"]  # stands for an instruction of the whole warp: barrier `imm`, a `tmc` where that is 0, a `wspawn` below


@unit
def walk(stacks, tables, uops, values, trace):
    """Run a warp; a lane's value changes at every other instruction, and one of its bits decides its branches.

    Rows of `trace`: pc, mask of every issue; pc -1 where an instruction of the whole warp is not executed yet.
    Returns how many there were, or -1 when the stack was full.
    """
    stack = stacks[0]
    warps = tables[0]
    clear(stack, WARP)
    issues = 0
    while warps.threads[WARP] != np.uint64(0) and issues < trace.shape[0]:
        pc = np.int64(warps.pc[WARP])
        mask = warps.mask[WARP]
        issues = note(trace, issues, warps)
        op = uops[pc, u.OP]
        if op == WHOLE:
            number = np.int64(uops[pc, u.IMM])
            whole = gather(stack, warps, WARP, number if number > 0 else np.int64(WHOLE_WARP), 1 if number == 0 else 0)
            if whole < 0:
                return -1
            trace[issues - 1] = (pc, np.int64(warps.mask[WARP])) if whole != 0 else (-1, 0)
            warps.pc[WARP] += whole
            select_path(stack, warps, WARP)
            continue
        taken = np.uint64(0)
        for lane in range(LANES):
            if mask & bit(lane) != np.uint64(0):
                if op == BRANCH:
                    backwards = uops[pc, u.TARGET] <= pc
                    if backwards:
                        values[lane, 1] -= 1
                    if values[lane, 0] & uops[pc, u.IMM] != 0 and (not backwards or values[lane, 1] >= 0):
                        taken = taken | bit(lane)
                else:
                    values[lane, 0] = (values[lane, 0] * 33 + pc + 1) & 0xFFFFFF
        parted = go_on(uops, warps, taken) == 0
        if parted and branch(stack, warps, WARP, taken, uops[pc, u.TARGET], uops[pc, u.RECONVERGE]) == 0:
            return -1
        select_path(stack, warps, WARP)
    return issues


def alone(uops, value, fuel):
    """The same program for one lane; returns its last value and the instructions that it went through."""
    pc, path = 0, []
    while True:
        path.append(pc)
        op, target = int(uops[pc, u.OP]), int(uops[pc, u.TARGET])
        if op == BRANCH:
            if target <= pc:
                fuel -= 1
            pc = target if value & int(uops[pc, u.IMM]) and (target > pc or fuel >= 0) else pc + 1
            continue
        if op == WHOLE:
            pc += 1
            continue
        value = (value * 33 + pc + 1) & 0xFFFFFF
        if op == EXIT:
            return value, path
        pc = target if op == JUMP else pc + 1


def run(instructions, values, fuel, limit=64, mask=(1 << LANES) - 1, first="fall_through", apart=()):
    """apart: branches whose paths are not known to meet, as in a function that has several returns."""
    stacks, tables = np.zeros(1, PathTable), np.zeros(1, Warps)
    stacks["limit"], stacks["first_side"] = limit, SIDES[first]
    tables["mask"][0, WARP] = tables["threads"][0, WARP] = mask
    state = np.array([[value, fuel] for value in values], np.int64)
    uops = program(instructions).uops
    uops[list(apart), u.RECONVERGE] = u.NONE
    issues, after = both(walk, stacks, tables, uops, state, np.zeros((5000, 2), np.int64))
    return issues, after[3][:, 0].tolist(), [(pc, mask) for pc, mask in after[4][: max(issues, 0)].tolist() if pc >= 0], after[0][0]


@st.composite
def gotos(draw):
    """Any branches, forward jumps and ends; the last instruction is an end. A lane goes back at most as often as its fuel allows."""
    size = draw(st.integers(2, 14))
    instructions = []
    for place in range(size - 1):
        kind = draw(st.sampled_from(["nop", "nop", "branch", "branch", "jump", "exit"]))
        if kind == "branch":
            instructions.append(fork(draw(st.integers(0, size - 1)), draw(st.integers(0, 7))))
        elif kind == "jump":
            instructions.append(jump(draw(st.integers(place + 1, size - 1))))
        else:
            instructions.append(Uop(kind))
    return [*instructions, END]


@st.composite
def structured(draw):
    """Nested if, if-else and do-while; also the deepest nesting."""
    code = []
    deepest = [0]

    def block(depth):
        deepest[0] = max(deepest[0], depth)
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(["nop", "if", "if_else", "loop"])) if depth < 4 else "nop"
            bit_number, place = draw(st.integers(0, 7)), len(code)
            if kind == "nop":
                code.append(NOP)
            elif kind == "loop":
                block(depth + 1)
                code.append(fork(place, bit_number))
            else:
                code.append(None)
                block(depth + 1)
                if kind == "if_else":
                    middle = len(code)
                    code.append(None)
                    code[place] = fork(middle + 1, bit_number)
                    block(depth + 1)
                    code[middle] = jump(len(code))
                else:
                    code[place] = fork(len(code), bit_number)

    block(0)
    return [*code, NOP, END], deepest[0]


lane_values = st.lists(st.integers(0, 0xFFFFFF), min_size=LANES, max_size=LANES)


@settings(max_examples=150, deadline=None)
@given(gotos(), lane_values, st.integers(0, 4))
def test_any_control_flow_gives_what_each_lane_would_do_alone(instructions, values, fuel):
    issues, got, trace, left = run(instructions, values, fuel)
    ways = [alone(program(instructions).uops, value, fuel) for value in values]
    assert 0 <= issues < 5000
    assert got == [value for value, _ in ways]
    for lane, (_, path) in enumerate(ways):
        assert [pc for pc, mask in trace if mask >> lane & 1] == path
    assert left["count"][WARP] == 0


@settings(max_examples=100, deadline=None)
@given(structured(), lane_values, st.integers(0, 3))
def test_structured_flow_meets_again_and_needs_two_entries_a_level(made, values, fuel):
    instructions, deepest = made
    issues, got, trace, left = run(instructions, values, fuel)
    assert got == [alone(program(instructions).uops, value, fuel)[0] for value in values]
    # All lanes run the instruction behind the outermost statement, and the end, together.
    assert trace[-2:] == [(len(instructions) - 2, (1 << LANES) - 1), (len(instructions) - 1, (1 << LANES) - 1)]
    assert left["peak"] <= 2 * deepest
    assert issues == len(trace)


def test_the_side_that_falls_through_runs_first_and_both_meet():
    _, _, trace, _ = run([fork(3), NOP, jump(4), NOP, NOP, END], [1, 0, 1, 0, 0, 0], 0)
    assert trace == [(0, 63), (1, 0b111010), (2, 0b111010), (3, 0b000101), (4, 63), (5, 63)]


def test_a_loop_that_lanes_leave_one_by_one_takes_one_entry_and_one_more_at_a_time():
    body = [NOP, NOP, NOP, fork(0, 0), NOP, END]
    _, _, trace, left = run(body, [0, 1, 2, 3, 4, 5], 200)
    assert trace[-1] == (5, 63)
    assert left["peak"] <= 2


def test_lanes_that_end_are_not_waited_for():
    _, _, trace, _ = run([fork(2), END, NOP, END], [0, 1, 0, 1, 0, 0], 0)
    assert trace == [(0, 63), (1, 0b110101), (2, 0b001010), (3, 0b001010)]


# With the smaller side first, every side that waits is at least as large as all that run above it: each halves the lanes (AMD's fork).
MOST_SIDES = LANES.bit_length() - 1


@settings(max_examples=100, deadline=None)
@given(gotos(), lane_values, st.integers(0, 4))
def test_with_the_smaller_side_first_no_more_sides_wait_than_the_logarithm_of_the_lanes(instructions, values, fuel):
    issues, got, _, left = run(instructions, values, fuel, first="smaller")
    assert 0 <= issues < 5000
    assert got == [alone(program(instructions).uops, value, fuel)[0] for value in values]
    assert left["peak_sides"] <= MOST_SIDES


def case(number):
    return LANES + 2 * number


def test_lanes_that_leave_a_chain_of_branches_one_by_one_pile_up_unless_the_smaller_side_goes_first():
    """Lane l goes to the case l, lane 5 to none: five sides wait when those that stay go first, one at a time when they go last."""
    end = case(LANES - 1)
    chain = [fork(case(number), number) for number in range(LANES - 1)] + [jump(end)]
    cases = [one for _ in range(LANES - 1) for one in (NOP, jump(end))]
    values = [1 << lane if lane < LANES - 1 else 0 for lane in range(LANES)]
    peaks = {first: int(run([*chain, *cases, END], values, 0, first=first)[3]["peak_sides"]) for first in SIDES}
    assert peaks == {"fall_through": LANES - 1, "taken": 1, "smaller": 1}


def test_lanes_that_halve_again_and_again_are_the_worst_case():
    """Four lanes, then two, then one: two sides wait, which is log2 of four."""
    tree = [fork(5, 0), fork(4, 1), NOP, jump(8), jump(8), fork(7, 1), jump(8), jump(8), END]
    *_, left = run(tree, [0, 1, 2, 3, 0, 0], 0, mask=0b1111, first="smaller")
    assert left["peak_sides"] == 2


def test_a_full_stack_is_reported():
    nested = [fork(7, 0), fork(7, 1), fork(7, 2), NOP, NOP, NOP, NOP, NOP, END]
    values = [0b000, 0b001, 0b010, 0b100, 0b000, 0b000]
    assert run([fork(3, 0), NOP, jump(7), fork(6, 1), NOP, jump(7), NOP, NOP, END], [0, 1, 3, 1, 3, 0], 0, limit=1)[0] == -1
    assert run(nested, values, 0, limit=4)[0] > 0
    assert run(nested, values, 0, limit=0)[0] == -1


@unit
def fill_up(stacks):
    count = 0
    while push(stacks[0], 5, np.uint64(count), count, -1) != 0:
        count += 1
    return count


def test_the_stack_has_as_many_entries_as_the_machine_gives_it():
    for limit in (1, 7, MAX_PATHS):
        stacks = np.zeros(1, PathTable)
        stacks["limit"] = limit
        count, after = both(fill_up, stacks)
        assert count == limit
        assert after[0][0]["peak"] == limit
        assert after[0][0]["pc"][5, :limit].tolist() == list(range(limit))


def parted(calls, limit=8, rejoins_at=20):
    """A warp at instruction 7 of which lanes 1 and 3 jump elsewhere than the others. (whether there was room, the stack, the warp)"""
    warps, stack = (mirror(zeros(1, kind))[0] for kind in (Warps, PathTable))
    stack.limit, stack.rejoins_at[WARP] = limit, rejoins_at
    warps.mask[WARP] = warps.threads[WARP] = np.uint64(0b1111)
    warps.pc[WARP] = 7
    room = jump_apart(stack, warps, WARP, np.uint64(0b1010), np.int64(8 if calls else rejoins_at))
    return room, stack, warps


def test_lanes_that_are_called_elsewhere_meet_after_the_call():
    room, stack, warps = parted(calls=True)
    assert (room, int(warps.mask[WARP]), int(stack.rejoins_at[WARP]), int(stack.sides[WARP])) == (1, 0b0101, 8, 1)
    for mask, pc in ((0b1010, 7), (0b1111, 8)):  # the others execute the call, then all are after it
        warps.pc[WARP] = 8
        select_path(stack, warps, WARP)
        assert (int(warps.mask[WARP]), int(warps.pc[WARP])) == (mask, pc)
    assert (int(stack.count[WARP]), int(stack.rejoins_at[WARP])) == (0, 20)


def test_lanes_that_jump_elsewhere_meet_where_their_path_ends():
    room, stack, warps = parted(calls=False)
    assert (room, int(warps.mask[WARP]), int(stack.count[WARP]), int(stack.rejoins_at[WARP])) == (1, 0b0101, 1, 20)
    warps.pc[WARP] = 20
    select_path(stack, warps, WARP)
    assert (int(warps.mask[WARP]), int(warps.pc[WARP]), int(stack.rejoins_at[WARP])) == (0b1010, 7, 20)


def test_a_jump_to_different_places_needs_room_for_those_that_wait():
    assert [parted(calls=True, limit=limit)[0] for limit in (0, 1, 2)] == [0, 0, 1]
    assert [parted(calls=False, limit=limit)[0] for limit in (0, 1)] == [0, 1]
