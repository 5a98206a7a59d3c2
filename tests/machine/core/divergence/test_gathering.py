"""Instructions of the whole warp on a reconvergence stack: who waits for whom, and who executes them with whom."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.core.divergence.test_stack import LANES, WHOLE, alone, gotos, lane_values, run
from tests.machine.core.divergence.walking import END, NOP, WARP, fork, jump, program
from tests.machine.core.divergence.whole_warp import ONE, follow
from warploom.isa import uop as u
from warploom.isa.uop import Uop
from warploom.machine.core.divergence.path_table import SIDES

ALL = (1 << LANES) - 1
GATHER = Uop("yield")


SPAWN = Uop("yield", imm=ONE)


def barrier(number):
    return Uop("yield", imm=number)


whole = st.sampled_from([GATHER, SPAWN, barrier(1), barrier(2)])


def executed(code, values, **how):
    """(instruction, lanes) of the instructions of the whole warp, in the order of their execution, and the last row of the trace."""
    issues, _, trace, left = run(code, values, 0, **how)
    assert issues >= 0 and left["count"][WARP] == left["sides"][WARP] == left["called"][WARP] == 0
    uops = program(code).uops
    return [(pc, mask) for pc, mask in trace if uops[pc, u.OP] == WHOLE], trace[-1]


@settings(max_examples=150, deadline=None)
@given(gotos(), lane_values, st.integers(0, 4), st.sets(st.integers(0, 12)), st.sampled_from(sorted(SIDES)))
def test_the_whole_warp_gathers_though_branches_have_no_place_where_paths_meet(instructions, values, fuel, apart, first):
    """Twice, one after the other; lanes that have ended are not waited for."""
    whole = len(instructions) - 1
    code = [*instructions[:-1], GATHER, NOP, GATHER, END]
    issues, got, trace, left = run(code, values, fuel, first=first, apart=[place for place in apart if place < whole])
    ways = [alone(program(code).uops, value, fuel) for value in values]
    assert 0 <= issues < 5000
    assert got == [value for value, _ in ways]
    together = sum(1 << lane for lane, (_, path) in enumerate(ways) if whole in path)
    assert [mask for pc, mask in trace if pc >= whole] == [together] * 4 * (together > 0)
    assert left["count"][WARP] == left["sides"][WARP] == 0


@settings(max_examples=400, deadline=None)
@given(gotos(), lane_values, st.integers(0, 4), st.sets(st.integers(0, 12)), st.sets(st.integers(0, 12)), st.sampled_from(sorted(SIDES)))
def test_wherever_they_are_each_lane_executes_each_of_them_once(instructions, values, fuel, apart, whole, first):
    code = [GATHER if place in whole and one == NOP else one for place, one in enumerate(instructions)]
    issues, got, trace, left = run(code, values, fuel, first=first, apart=[place for place in apart if place < len(code)])
    assert 0 <= issues < 5000
    for lane, value in enumerate(values):
        last, path = alone(program(code).uops, value, fuel)
        assert got[lane] == last
        assert [pc for pc, mask in trace if mask >> lane & 1] == path
    assert left["count"][WARP] == left["sides"][WARP] == 0


@st.composite
def calls(draw):
    """Branches and loops in each other, around instructions of the whole warp, and calls of functions with several returns.

    Also the branches whose paths are not known to meet: those with a return on one side.
    """
    code, apart = [], []

    def block(depth, returns):
        """The statements of a function, if `returns` is a list of where it returns; whether they do."""
        leaves = False
        for _ in range(draw(st.integers(1, 3))):
            kinds = ["nop", "whole", "whole", *["if", "if_else", "loop", "call"] * (depth < 4), *["return"] * (returns is not None)]
            kind, place = draw(st.sampled_from(kinds)), len(code)
            if kind in ("nop", "whole"):
                code.append(NOP if kind == "nop" else draw(whole))
            elif kind == "return":
                returns.append(place)
                code.append(None)
                return True
            elif kind == "call":
                places = []
                block(depth + 1, places)
                for one in places:
                    code[one] = jump(len(code))
            else:
                leaves = statement(kind, draw(st.integers(0, 7)), depth + 1, returns) or leaves
        return leaves

    def statement(kind, bit_number, depth, returns):
        place = len(code)
        if kind == "loop":
            leaves = block(depth, returns)
            code.append(fork(place, bit_number))
            apart.extend([len(code) - 1] * leaves)
            return leaves
        code.append(None)
        leaves = block(depth, returns)
        if kind == "if_else":
            middle = len(code)
            code.append(None)
            code[place] = fork(middle + 1, bit_number)
            leaves = block(depth, returns) or leaves
            code[middle] = jump(len(code))
        else:
            code[place] = fork(len(code), bit_number)
        apart.extend([place] * leaves)
        return leaves

    block(0, None)
    return [*code, NOP, END], apart


def all_in_turn(code, values, fuel, first, apart):
    issues, got, trace, left = run(code, values, fuel, first=first, apart=apart)
    uops = program(code).uops
    uops[list(apart), u.RECONVERGE] = u.NONE
    assert 0 <= issues < 5000
    assert got == follow(uops, trace, values, fuel)
    assert left["count"][WARP] == left["sides"][WARP] == left["called"][WARP] == 0


@settings(max_examples=400, deadline=None)
@given(st.data(), gotos(), lane_values, st.integers(0, 4), st.sets(st.integers(0, 12)), st.sampled_from(sorted(SIDES)))
def test_none_executes_one_while_others_can_come_and_none_is_left(data, instructions, values, fuel, apart, first):
    """Of the lanes that come to a barrier together, or to one wspawn, only one path executes it."""
    code = [data.draw(whole | st.just(NOP)) if one == NOP else one for one in instructions]
    all_in_turn(code, values, fuel, first, [place for place in apart if place < len(code)])


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(calls(), lane_values, st.integers(0, 4), st.sampled_from(sorted(SIDES)))
def test_so_it_is_in_functions_with_several_returns(made, values, fuel, first):
    code, apart = made
    all_in_turn(code, values, fuel, first, apart)


@pytest.mark.parametrize("first", sorted(SIDES))
def test_those_who_left_for_good_are_not_waited_for_where_they_parted_before(first):
    """Lanes 0 to 3 part at 1 for good, and again at 2: lanes 4 and 5, which are there too, do not wait for them."""
    code = [fork(2), fork(2, 1), fork(5, 2), barrier(1), jump(6), barrier(1), END]
    all_in_turn(code, [0b000, 0b100, 0b010, 0b110, 0b001, 0b101], 0, first, [1])
    assert len(executed(code, [0b000, 0b100, 0b010, 0b110, 0b001, 0b101], first=first, apart=[1])[0]) == 1


@pytest.mark.parametrize("first", sorted(SIDES))
def test_a_half_that_has_met_again_goes_on_before_the_other_half_executes(first):
    """Lanes 0, 2 and 4 part from the others at 0 for good; of each half some go to 2 and some to 4, then some to 6 and some to 8."""
    code = [fork(1), fork(4, 1), barrier(1), jump(5), barrier(1), fork(8, 1), barrier(2), jump(9), barrier(2), END]
    all_in_turn(code, [0, 1, 2, 3, 0, 3], 0, first, [0])
    assert len(executed(code, [0, 1, 2, 3, 0, 3], first=first, apart=[0])[0]) == 2


@pytest.mark.parametrize("one", [SPAWN, barrier(1)])
def test_a_wspawn_is_executed_once_for_all_that_are_at_it(one):
    """Lanes 4 and 5 meet nobody; of the others, 2 and 3 wait after it for 0 and 1."""
    code = [fork(3, 0), fork(4, 1), NOP, one, END]
    assert len(executed(code, [0, 0, 2, 2, 1, 1], apart=[0])[0]) == 1


def test_those_who_passed_the_place_where_paths_meet_on_their_own_are_not_there_for_the_others():
    """Lanes 0 to 2 part at 1 for good, so they run 5 on their own; lanes 3 to 5 meet there without them."""
    code = [fork(4, 3), fork(3, 0), NOP, jump(5), NOP, NOP, GATHER, END]
    _, _, trace, _ = run(code, [1, 0, 0, 8, 8, 8], 0, apart=[1])
    assert [mask for pc, mask in trace if pc == 5] == [0b000110, 0b000001, 0b111000]
    assert trace[-1] == (7, ALL)


@pytest.mark.parametrize(("limit", "room"), [(1, False), (2, True)])
def test_a_path_that_waits_for_the_whole_warp_needs_an_entry(limit, room):
    issues, *_ = run([fork(2), GATHER, GATHER, END], [1, 0, 0, 0, 0, 0], 0, limit=limit, apart=[0])
    assert (issues >= 0) == room


@pytest.mark.parametrize("apart", [(), (0,)])
def test_sides_that_come_to_one_barrier_at_different_places_arrive_once(apart):
    code = [fork(3), barrier(1), jump(4), barrier(1), NOP, END]
    found, last = executed(code, [1, 0, 0, 0, 0, 0], apart=apart)
    assert found == [(3, 0b000001)]
    assert last == (5, ALL if not apart else 0b111110)


def test_a_path_that_changes_places_needs_no_entry():
    code = [fork(3), barrier(1), jump(4), barrier(1), NOP, END]
    assert executed(code, [1, 0, 0, 0, 0, 0], limit=2)[1] == (5, ALL)


def test_a_path_acts_for_the_warp_when_all_others_wait_for_it_where_they_reconverge():
    """The others come to the end of the branch first, though they run later."""
    code = [fork(3), barrier(1), jump(5), NOP, NOP, barrier(2), END]
    assert executed(code, [1, 0, 0, 0, 0, 0]) == ([(1, 0b111110), (5, ALL)], (6, ALL))
    code = [fork(2), barrier(1), barrier(2), END]
    assert executed(code, [1, 0, 0, 0, 0, 0]) == ([(1, 0b111110), (2, ALL)], (3, ALL))


def test_sides_of_branches_around_a_branch_are_waited_for_too():
    """Lanes 0 and 1 are in a branch within that of 0 to 2; lanes 3 to 5 come to the barrier from the outer side."""
    found, last = executed([fork(6, 3), fork(4, 0), NOP, jump(5), barrier(1), jump(7), barrier(1), NOP, END], [1, 1, 0, 8, 8, 8])
    assert (found, last) == ([(6, 0b111000)], (8, ALL))


@pytest.mark.parametrize("apart", [(), (0,)])
def test_of_different_barriers_the_one_reached_first_comes_first(apart):
    code = [fork(3), barrier(1), jump(4), barrier(2), NOP, END]
    assert executed(code, [1, 0, 0, 0, 0, 0], apart=apart)[0] == [(1, 0b111110), (3, 0b000001)]


@pytest.mark.parametrize("apart", [(), (0,)])
@pytest.mark.parametrize("one, two", [(barrier(1), GATHER), (GATHER, barrier(1))])
def test_a_barrier_comes_before_what_is_for_the_whole_warp(apart, one, two):
    code = [fork(3), one, jump(4), two, NOP, END]
    found = [(1, 0b111110), (3, 0b000001)]
    assert executed(code, [1, 0, 0, 0, 0, 0], apart=apart)[0] == (found if two == GATHER else found[::-1])


@pytest.mark.parametrize("apart", [(), (0,)])
def test_a_path_does_not_come_to_its_second_place_before_the_others_left_their_first(apart):
    """Lane 0 is to pass 4, and the others 1, before any passes 2 or 5."""
    code = [fork(4), GATHER, GATHER, jump(6), GATHER, GATHER, NOP, END]
    found, _ = executed(code, [1, 0, 0, 0, 0, 0], apart=apart)
    assert {pc for pc, _ in found[:2]} == {1, 4} and {pc for pc, _ in found[2:]} == {2, 5}
