"""Instructions of the whole warp on a reconvergence stack: who waits for whom, and who executes them with whom."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.core.divergence.test_stack import LANES, WHOLE, alone, gotos, lane_values, run
from tests.machine.core.divergence.walking import END, NOP, WARP, fork, jump, program
from warploom.isa import uop as u
from warploom.isa.uop import Uop
from warploom.machine.core.divergence.path_table import SIDES

ALL = (1 << LANES) - 1
GATHER = Uop("yield")


def barrier(number):
    return Uop("yield", imm=number)


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


@settings(max_examples=400, deadline=None)
@given(st.data(), gotos(), lane_values, st.integers(0, 4), st.sets(st.integers(0, 12)), st.sampled_from(sorted(SIDES)))
def test_barriers_in_any_place_keep_no_lane_from_its_end(data, instructions, values, fuel, apart, first):
    """Of the lanes that come to one together only one path executes it; none is left."""
    code = [data.draw(st.sampled_from([NOP, GATHER, barrier(1), barrier(2)])) if one == NOP else one for one in instructions]
    issues, got, trace, left = run(code, values, fuel, first=first, apart=[place for place in apart if place < len(code)])
    uops = program(code).uops
    assert 0 <= issues < 5000
    for lane, value in enumerate(values):
        last, path = alone(uops, value, fuel)
        assert got[lane] == last
        assert [pc for pc, mask in trace if mask >> lane & 1 and uops[pc, u.OP] != WHOLE] == [pc for pc in path if uops[pc, u.OP] != WHOLE]
    assert left["count"][WARP] == left["sides"][WARP] == 0


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
