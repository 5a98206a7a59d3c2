import itertools
import json
import lzma

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.places import GOLDEN
from warploom.isa import guppy, tiny
from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow, with_reconvergence
from warploom.isa.program import Launch, Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import Uop

NONE = u.NONE
GUPPY = GOLDEN / "guppy"
CONDITION = {"a": 0, "imm": 1}


def program(*instructions, entry=0):
    """A Program of instructions, each a micro-op or a bundle of them."""
    builder = ProgramBuilder()
    for instruction in instructions:
        bundle = [instruction] if isinstance(instruction, Uop) else list(instruction)
        builder.add(bundle, text=str(bundle[-1]))
    uops, code, text = builder.arrays()
    return Program("test", "test", uops, code, text, 1, ("r0",), launch=Launch(entry=entry))


def branch(target, **fields):
    return Uop("branch", target=target, **{**CONDITION, **fields})


def jump(target):
    return Uop("jump", target=target)


NOP, EXIT, RETURN = Uop("nop"), Uop("exit"), Uop("jump_register", a=1)


def meets(flow):
    """Where each branching instruction's paths meet."""
    return {place: flow.reconvergence(place) for place in range(flow.exit) if len(flow.successors(place)) > 1}


# ---------------------------------------------------------------------------------------------------------
# Where lanes meet again


def test_the_sides_of_an_if_meet_behind_it():
    flow = Flow(program(branch(2), NOP, NOP, EXIT))
    assert meets(flow) == {0: 2}


def test_the_sides_of_an_if_else_meet_behind_both():
    flow = Flow(program(branch(3), NOP, jump(4), NOP, NOP, EXIT))
    assert meets(flow) == {0: 4}
    assert [(block.first, block.last) for block in flow.blocks] == [(0, 0), (1, 2), (3, 3), (4, 5)]
    assert flow.blocks[3].predecessors == (1, 2)


def test_lanes_that_leave_a_loop_wait_behind_it():
    flow = Flow(program(NOP, NOP, branch(1), EXIT))
    assert meets(flow) == {2: 3}
    assert [(loop.header, loop.back_edges, loop.blocks) for loop in flow.loops] == [(1, (2,), (1,))]


def test_break_and_continue_in_nested_loops():
    flow = Flow(
        program(
            NOP,  # 0 outer:
            NOP,  # 1 inner:
            branch(6),  # 2 break to 6
            branch(1),  # 3 continue the inner loop
            branch(0),  # 4 continue the outer loop
            branch(1),  # 5 while: inner
            branch(0),  # 6 while: outer
            EXIT,
        )
    )
    assert meets(flow) == {2: 6, 3: 6, 4: 6, 5: 6, 6: 7}
    outer, inner = flow.loops
    assert (outer.header, outer.back_edges) == (0, (4, 6))
    assert (inner.header, inner.back_edges) == (1, (3, 5))
    assert set(inner.blocks) < set(outer.blocks)


def test_paths_that_both_end_never_meet():
    flow = Flow(program(branch(2), EXIT, EXIT))
    assert meets(flow) == {0: NONE}


def test_lanes_that_end_early_leave_the_others_to_meet_at_the_exit_only():
    assert meets(Flow(program(branch(2), EXIT, NOP, EXIT))) == {0: NONE}


def test_short_circuit_conditions_meet_behind_the_whole_condition():
    # if (a || b) x; y
    assert meets(Flow(program(branch(2), branch(3), NOP, NOP, EXIT))) == {0: 3, 1: 3}


def test_an_instruction_that_does_not_branch_meets_at_its_follower():
    flow = Flow(program(NOP, jump(3), NOP, EXIT))
    assert [flow.reconvergence(place) for place in range(4)] == [1, 3, 3, NONE]


def test_a_loop_with_two_entries_is_reported_and_still_has_meeting_points():
    flow = Flow(program(branch(3), NOP, NOP, NOP, branch(2), EXIT))
    assert flow.irreducible == ((4, 2),)
    assert meets(flow) == {0: 3, 4: 5}
    flow = Flow(program(branch(3), NOP, branch(5), NOP, jump(1), EXIT))
    assert flow.irreducible == ((4, 1),)
    assert flow.loops == ()
    assert meets(flow) == {0: 1, 2: 5}


# ---------------------------------------------------------------------------------------------------------
# Loops that are never left


def test_branches_in_an_endless_loop_meet_in_it():
    flow = Flow(program(NOP, branch(3), NOP, NOP, jump(0)))
    assert flow.endless == (0,)
    assert meets(flow) == {1: 3}


def test_continue_in_an_endless_loop_meets_where_the_loop_begins():
    flow = Flow(program(NOP, NOP, branch(1), NOP, jump(1)))
    assert flow.endless == (1,)
    assert meets(flow) == {2: 1}


def test_a_branch_into_an_endless_loop_meets_nowhere_and_one_around_it_does():
    flow = Flow(program(branch(3), NOP, EXIT, NOP, branch(4), jump(4)))
    assert flow.endless == (4,)
    assert meets(flow) == {0: NONE, 4: 4}


def test_each_endless_loop_counts_by_itself():
    assert Flow(program(branch(2), jump(1), jump(2))).endless == (1, 2)


# ---------------------------------------------------------------------------------------------------------
# What is not reached, and what leads outside


def test_running_off_the_end_is_an_end_that_is_named():
    flow = Flow(program(branch(2), EXIT, NOP))
    assert flow.runs_off == (2,)
    assert flow.successors(2) == (3,) == (flow.exit,)


def test_a_target_outside_of_the_program_runs_off():
    flow = Flow(program(branch(255), branch(-7), EXIT))
    assert flow.runs_off == (0, 1)
    assert flow.successors(0) == (1, 3)
    assert meets(flow) == {0: NONE, 1: NONE}


def test_unreachable_instructions_are_listed_and_do_not_run_off():
    flow = Flow(program(jump(2), NOP, EXIT, NOP, NOP))
    assert flow.unreachable == (1, 3, 4)
    assert flow.runs_off == ()


def test_paths_begin_at_the_entry_of_the_launch():
    flow = Flow(program(EXIT, NOP, EXIT, entry=1))
    assert flow.unreachable == (0,)


def test_a_branch_that_asks_for_no_condition_bit_is_never_taken_or_always():
    assert Flow(program(branch(2, imm=0), EXIT, EXIT)).successors(0) == (1,)
    assert Flow(program(branch(2, imm=0, flags=u.NEGATE), EXIT, EXIT)).successors(0) == (2,)


def test_an_end_for_some_lanes_lets_the_others_go_on():
    flow = Flow(program(Uop("exit", predicate=u.scalar(0)), NOP, EXIT))
    assert flow.successors(0) == (1, 3)


def test_the_control_operation_decides_in_a_bundle():
    flow = Flow(program((Uop("mov", 0, 1), branch(2)), NOP, EXIT))
    assert meets(flow) == {0: 2}


@pytest.mark.parametrize("name", ["barrier", "barrier_arrive", "yield", "split", "join", "predicate", "write_mask", "nop"])
def test_operations_that_keep_a_lane_on_its_way(name):
    assert Flow(program(Uop(name), EXIT)).successors(0) == (1,)


@pytest.mark.parametrize("name", ["exit", "exit_warp", "trap"])
def test_operations_that_end_a_lane(name):
    assert Flow(program(Uop(name), EXIT)).successors(0) == (2,)


def test_setting_the_mask_may_end_lanes():
    assert Flow(program(Uop("set_mask", a=0), EXIT)).successors(0) == (1, 2)
    assert Flow(program(Uop("set_mask", a=u.IMMEDIATE, imm=1), EXIT)).successors(0) == (1,)
    assert Flow(program(Uop("set_mask", a=u.IMMEDIATE, imm=0), EXIT)).successors(0) == (2,)


def test_an_empty_program_has_nothing():
    flow = Flow(program())
    assert (flow.blocks, flow.loops, flow.unreachable, flow.runs_off, flow.dominators) == ((), (), (), (), ())


# ---------------------------------------------------------------------------------------------------------
# Functions


def test_a_call_goes_on_behind_it_and_its_function_is_reached():
    flow = Flow(program(branch(2), Uop("call", dst=1, target=4), NOP, EXIT, branch(6), NOP, RETURN))
    assert flow.successors(1) == (2,)
    assert flow.functions == (4,)
    assert flow.unreachable == ()
    assert meets(flow) == {0: 2, 4: 6}
    assert flow.loops == ()


def test_a_call_of_a_function_that_never_returns_is_an_end():
    flow = Flow(program(Uop("call", dst=1, target=2), NOP, Uop("call", dst=1, target=3), EXIT))
    assert flow.successors(0) == (4,)
    assert flow.unreachable == (1,)
    assert flow.runs_off == ()


def test_a_recursive_function_returns():
    flow = Flow(program(Uop("call", dst=1, target=2), EXIT, branch(4), Uop("call", dst=1, target=2), RETURN))
    assert flow.successors(0) == (1,)
    assert flow.successors(3) == (4,)
    assert meets(flow) == {2: 4}


def test_a_call_to_nowhere_runs_off():
    assert Flow(program(Uop("call", dst=1, target=9), EXIT)).runs_off == (0,)


def test_a_call_through_a_register_goes_on_behind_it():
    assert Flow(program(Uop("jump_register", dst=1, a=2), EXIT)).successors(0) == (1,)


# ---------------------------------------------------------------------------------------------------------
# The mask stack


def golden(name):
    with lzma.open(GUPPY / f"{name}.json.xz") as file:
        return Flow(guppy.assemble(json.load(file)["asm"]))


def test_a_routine_called_through_the_mask_stack_leads_back_to_its_callers():
    flow = golden("p19_call")
    labels = flow.program.labels
    returning = flow.program.text.index("pop_mask")
    assert flow.successors(returning) == (labels["R1"], labels["R3"])
    assert flow.unreachable == flow.runs_off == ()


@pytest.mark.parametrize("name", ["p02_loop_to_16", "p04_nested_if_in_loop", "p05_break_continue"])
def test_a_loop_of_masks_is_one_loop(name):
    flow = golden(name)
    assert [loop.header for loop in flow.loops] == [3]
    assert flow.program.text[flow.loops[0].back_edges[0]].startswith("jmp")
    assert flow.irreducible == flow.unreachable == flow.runs_off == flow.endless == ()


def test_a_lane_takes_one_side_of_br_push_and_goes_on_where_they_join():
    flow = golden("p03_if_else")
    fork = next(place for place, text in enumerate(flow.program.text) if text.startswith("br_push"))
    pops = [place for place, text in enumerate(flow.program.text) if text == "pop_mask"]
    join = flow.reconvergence(fork)
    assert len(flow.successors(fork)) == 2
    assert [flow.successors(place) for place in pops] == [(join,), (join,)]


def test_a_pop_of_an_empty_stack_leads_nowhere():
    flow = Flow(program(Uop("pop_mask"), EXIT))
    assert flow.successors(0) == (2,)
    assert flow.runs_off == ()


def test_a_program_that_pushes_without_end_may_pop_to_all_that_it_pushes():
    pushes = program(branch(3), Uop("push_mask", target=5), jump(0), Uop("push_mask", target=6), branch(0), EXIT, Uop("pop_mask"), entry=0)
    assert Flow(pushes).successors(6) == (5, 6)


# ---------------------------------------------------------------------------------------------------------
# What the machine is given, and pictures


def test_every_branch_of_a_bundle_gets_its_meeting_point_and_nothing_else_changes():
    before = program((Uop("mov", 0, 1), branch(3)), NOP, branch(0), branch(5, reconverge=2), NOP, EXIT)
    after = with_reconvergence(before)
    branches = [row for row in range(len(before.uops)) if before.uops[row, u.OP] == u.NUMBER["branch"]]
    assert after.uops[branches, u.RECONVERGE].tolist() == [3, 3, 5]
    others = [column for column in range(u.UOP_COLUMNS) if column != u.RECONVERGE]
    assert (after.uops[:, others] == before.uops[:, others]).all()
    assert before.uops[branches, u.RECONVERGE].tolist() == [NONE, NONE, 2]


def test_a_tiny_program_meets_behind_its_loop():
    source = ".threads 4\nCONST R0, #0\nCONST R1, #1\nLOOP: ADD R0, R0, R1\nCMP R0, R13\nBRn LOOP\nRET\n"
    assembled = tiny.assemble(source)
    assert with_reconvergence(assembled).uops[:, u.RECONVERGE].tolist() == [NONE, NONE, NONE, NONE, 5, NONE]


def test_a_picture_shows_blocks_edges_and_meeting_points():
    flow = Flow(program(NOP, branch(0), EXIT))
    assert flow.to_dot().splitlines() == [
        "digraph flow {",
        '  node [shape=box, fontname="monospace"];',
        '  b0 [label="0: nop\\l1: branch a=v0\\l"];',
        '  b1 [label="2: exit\\l"];',
        "  b2 [label=exit, shape=oval];",
        "  b0 -> b1;",
        "  b0 -> b0 [style=bold];",
        "  b0 -> b1 [style=dotted, constraint=false, label=meet];",
        "  b1 -> b2;",
        "}",
    ]


# ---------------------------------------------------------------------------------------------------------
# Any graph, against networkx and against the definitions


@st.composite
def programs(draw):
    """Programs of branches, jumps and ends with any targets, some outside; and their edges, found by another way."""
    size = draw(st.integers(1, 9))
    target = st.integers(-1, size + 1)
    kinds = draw(st.lists(st.tuples(st.sampled_from(["nop", "branch", "branch", "jump", "exit"]), target), min_size=size, max_size=size))
    entry = draw(st.integers(0, size - 1))
    made = {"nop": lambda _: NOP, "branch": branch, "jump": jump, "exit": lambda _: EXIT}
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(size + 1))
    for place, (kind, goal) in enumerate(kinds):
        following = {"nop": [place + 1], "branch": [place + 1, goal], "jump": [goal], "exit": [size]}[kind]
        graph.add_edges_from((place, after if 0 <= after < size else size) for after in following)
    return program(*[made[kind](goal) for kind, goal in kinds], entry=entry), graph


def with_stations(flow, graph):
    """The graph in which a loop that is never left may end each time it comes back to its beginning; station -> beginning."""
    graph, stations = graph.copy(), {}
    knots = [
        knot
        for knot in map(set, networkx.strongly_connected_components(graph))
        if flow.exit not in knot and all(after in knot for place in knot for after in graph[place])
    ]
    begins = sorted(min(knot) for knot in knots)
    assert list(flow.endless) == begins
    for knot in knots:
        begin, station = min(knot), f"station {min(knot)}"
        for place in [place for place in graph.predecessors(begin) if place in knot]:
            graph.remove_edge(place, begin)
            graph.add_edge(place, station)
        graph.add_edges_from([(station, begin), (station, flow.exit)])
        stations[station] = begin
    return graph, stations


@given(programs())
@settings(max_examples=300, deadline=None)
def test_meeting_points_are_the_immediate_post_dominators_of_networkx(made):
    flow, (graph, stations) = Flow(made[0]), with_stations(Flow(made[0]), made[1])
    found = networkx.immediate_dominators(graph.reverse(), flow.exit)
    for place in range(flow.exit):
        meet = stations.get(found[place], found[place])
        assert flow.reconvergence(place) == (NONE if meet == flow.exit else meet)


@given(programs())
@settings(max_examples=100, deadline=None)
def test_meeting_points_are_the_first_places_that_no_path_avoids(made):
    flow = Flow(made[0])
    graph, stations = with_stations(flow, made[1])

    def avoidable(place, without):
        rest = graph.subgraph(set(graph) - {without})
        return without == place or (without != flow.exit and networkx.has_path(rest, place, flow.exit))

    for place in range(flow.exit):
        certain = [other for other in graph if not avoidable(place, other)]
        first = [one for one in certain if all(one == other or not avoidable(one, other) for other in certain)]
        assert len(first) == 1
        meet = stations.get(first[0], first[0])
        assert flow.reconvergence(place) == (NONE if meet == flow.exit else meet)


@given(programs())
@settings(max_examples=200, deadline=None)
def test_blocks_edges_and_what_is_reached(made):
    source, graph = made
    flow = Flow(source)
    reached = {source.launch.entry} | networkx.descendants(graph, source.launch.entry)
    assert [place for block in flow.blocks for place in range(block.first, block.last + 1)] == list(range(flow.exit))
    assert set(flow.unreachable) == set(range(flow.exit)) - reached
    for place in range(flow.exit):
        assert set(flow.successors(place)) == set(graph[place])
        assert flow.blocks[flow.block_of(place)].first <= place <= flow.blocks[flow.block_of(place)].last
    for number, block in enumerate(flow.blocks):
        for place in range(block.first, block.last):
            assert flow.successors(place) == (place + 1,)
            assert set(graph.predecessors(place + 1)) == {place}
        firsts = [flow.blocks[other].first if other < len(flow.blocks) else flow.exit for other in block.successors]
        assert firsts == list(flow.successors(block.last))
        assert list(block.predecessors) == [before for before, other in enumerate(flow.blocks) if number in other.successors]
    for one, other in itertools.pairwise(flow.blocks):
        assert one.last + 1 == other.first


@given(programs())
@settings(max_examples=200, deadline=None)
def test_dominators_are_those_of_networkx(made):
    source, graph = made
    flow = Flow(source)
    found = networkx.immediate_dominators(graph, source.launch.entry)
    for number, block in enumerate(flow.blocks):
        above = flow.dominators[number]
        if block.first in flow.unreachable or block.first == source.launch.entry:
            assert above == NONE
        else:
            assert flow.blocks[above].last == found[block.first]


@given(programs())
@settings(max_examples=200, deadline=None)
def test_natural_loops_and_reducibility_follow_their_definitions(made):
    source, graph = made
    flow, entry = Flow(source), made[0].launch.entry
    reached = {entry} | networkx.descendants(graph, entry)
    live = graph.subgraph(reached).copy()
    back = {
        (one, other)
        for one, other in live.edges
        if one == other or other == entry or not networkx.has_path(without(live, other), entry, one)
    }
    assert {(source_of, loop.header) for loop in flow.loops for source_of in loop.back_edges} == back
    for loop in flow.loops:
        rest = without(live, loop.header)
        members = {loop.header}
        for tail in set(loop.back_edges) - {loop.header}:
            members |= {tail} | networkx.ancestors(rest, tail)
        assert sorted({flow.block_of(place) for place in members}) == list(loop.blocks)
    forward = live.copy()
    forward.remove_edges_from(back)
    assert (flow.irreducible == ()) == networkx.is_directed_acyclic_graph(forward)
    assert all(live.has_edge(*edge) and edge not in back for edge in flow.irreducible)


def without(graph, node):
    return graph.subgraph(set(graph) - {node})


@st.composite
def masked(draw):
    """Random programs over the mask stack."""
    size = draw(st.integers(2, 8))
    place = st.integers(0, size - 1)
    names = ["push_mask", "pop_mask", "mask_nonzero", "branch_push", "jump", "nop", "exit_warp"]
    return program(*[Uop(draw(st.sampled_from(names)), a=0, target=draw(place), reconverge=draw(place)) for _ in range(size)])


@given(masked(), st.lists(st.integers(0, 1), min_size=30, max_size=30))
@settings(max_examples=300, deadline=None)
def test_every_walk_of_a_lane_with_its_mask_stack_is_a_path_of_the_graph(source, choices):
    flow, place, stack = Flow(source), 0, []
    for choice in choices:
        row = source.uops[place]
        name, target, meet = u.OPERATIONS[row[u.OP]].name, int(row[u.TARGET]), int(row[u.RECONVERGE])
        after = place + 1
        if name == "push_mask":
            stack.append(target)
        elif name == "branch_push":
            stack.append(meet)
            after = target if choice else after
        elif name == "jump":
            after = target
        elif name == "exit_warp":
            after = flow.exit
        elif name == "pop_mask" or (name == "mask_nonzero" and choice):
            if not stack:  # a fault
                return
            after = stack.pop()
        assert after in flow.successors(place)
        if after == flow.exit:
            return
        place = after


@st.composite
def calling(draw):
    """Random programs of calls, returns and branches. A call through a register may say where it leads; a return does not."""
    size = draw(st.integers(2, 9))
    names = ["call", "call", "branch", "jump", "far call", "return", "nop", "exit"]
    target = st.integers(0, size - 1)

    def instruction(name):
        if name == "return":
            return Uop("jump_register", a=0)
        if name == "far call":
            return Uop("jump_register", dst=0, a=0, target=draw(target))
        return Uop(name, a=0, imm=1, target=draw(target))

    return program(*[instruction(draw(st.sampled_from(names))) for _ in range(size)])


@given(calling(), st.lists(st.integers(0, 1), min_size=40, max_size=40))
@settings(max_examples=300, deadline=None)
def test_every_walk_through_calls_and_returns_stays_in_the_graph(source, choices):
    flow, place, callers = Flow(source), 0, []
    for choice in choices:
        assert place not in flow.unreachable
        row = source.uops[place]
        name, target = u.OPERATIONS[row[u.OP]].name, int(row[u.TARGET])
        after = place + 1
        if name == "jump_register" and target != u.NONE:
            name = "call"
        if name == "call":
            callers.append(place)
            after = target
            assert after in flow.functions
        elif name == "jump_register":
            assert flow.exit in flow.successors(place)
            if not callers:
                return
            caller = callers.pop()
            after = caller + 1
            assert flow.successors(caller) == (after,)
        elif name == "exit":
            return
        elif name == "jump" or (name == "branch" and choice):
            after = target
        if name not in {"call", "jump_register"}:
            assert after in flow.successors(place)
        if after == flow.exit:
            return
        place = after
