"""What every mechanism that runs any branches must do with control flow that no `if` and no loop has written: the same memory.

A program is a graph. Every block adds its number to what a thread has seen of its path; a bit of the thread's own value decides
where it goes on. A thread that has gone through `FUEL` blocks leaves.
"""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.programs import BLOCK, FREE, GLOBAL, LANE, THREAD, WARP, Assembly, issues, run, words
from warploom.isa.analysis.control_flow import Flow
from warploom.isa.uop import ADDRESS, NONE, SHARED_SPACE
from warploom.machine.accounting import reasons as r
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.divergence.thread_pool import HEURISTICS
from warploom.machine.run import livelock

SEEN, BITS, LEFT, A, B, C = range(FREE, FREE + 6)
FUEL = 12
LEAVE = -1


class Way(NamedTuple):
    """A mechanism with its settings."""

    mechanism: str
    setting: str = ""

    @property
    def changes(self):
        settings_of = {"dwf": "divergence.heuristic", "stack": "divergence.first"}
        chosen = {settings_of[self.mechanism].replace(".", "__"): self.setting} if self.setting else {}
        return {"core__divergence": self.mechanism, "core__stack_depth": 128, **chosen}


WAYS = (
    Way("stack"), Way("stack", "smaller"), Way("minpc"), Way("its"), *(Way("dwf", heuristic) for heuristic in HEURISTICS),
)  # fmt: skip
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(filter(None, way)))
LANE_BY_LANE = [way for way in WAYS if way.mechanism != "stack"]


def test_every_mechanism_that_manages_branches_is_here():
    assert {way.mechanism for way in WAYS} == set(MECHANISMS) - {"uniform", "masks"}


# Each block: where a thread goes on when its next bit is 0, and when it is 1. `LEAVE`: it ends.
Graph = list[tuple[int, int]]

# The article's figure 4, which is that of the usual texts on control-flow graphs: what each is for.
FIGURE_4: dict[str, Graph] = {
    "if-then-else": [(1, 2), (3, 3), (3, 3), (LEAVE, LEAVE)],
    "while": [(1, 1), (2, 3), (1, 1), (LEAVE, LEAVE)],
    "loop with two exits": [(1, 1), (2, 4), (3, 4), (1, 1), (LEAVE, LEAVE)],
    "loop with two entries": [(1, 2), (2, 2), (1, 3), (LEAVE, LEAVE)],
}
OTHERS: dict[str, Graph] = {
    "nested loops with break and continue": [(1, 1), (2, 8), (3, 6), (4, 6), (2, 5), (2, 8), (1, 7), (1, 1), (LEAVE, LEAVE)],
    "a side that jumps into the other": [(1, 3), (2, 4), (5, 5), (4, 5), (5, 5), (LEAVE, LEAVE)],
    "divergent exits": [(1, 2), (LEAVE, 3), (3, LEAVE), (LEAVE, 4), (LEAVE, LEAVE)],
}


def kernel(graph: Graph, *, threads: int, block: int):
    """Blocks in the order of their numbers; each is one place, so a jump to the next block is written out too."""
    code = Assembly()
    code.op("mul", BITS, GLOBAL, imm=0x9E3779B1)
    code.op("xor", BITS, BITS, imm=0x3C6EF372)
    code.mov(LEFT, FUEL)
    for number, (otherwise, taken) in enumerate(graph):
        code.label(f"B{number}")
        code.op("mad", SEEN, SEEN, imm=31, c=SEEN)
        code.op("add", SEEN, SEEN, imm=number + 1)
        code.op("sub", LEFT, LEFT, imm=1)
        code.branch(LEFT, "leave", negate=True)
        code.op("and", A, BITS, imm=1)
        code.op("shr", BITS, BITS, imm=1)
        if taken != otherwise:
            code.branch(A, _label(taken))
        code("jump", target=_label(otherwise))
    code.label("leave")
    code.op("shl", A, GLOBAL, imm=2)
    code.store(A, SEEN)
    code("exit")
    return code.program(threads=threads, block=block)


def _label(number):
    return "leave" if number == LEAVE else f"B{number}"


def seen(graph: Graph, thread: int) -> int:
    """What a thread has seen at its end."""
    bits, number, found = thread * 0x9E3779B1 & 0xFFFFFFFF ^ 0x3C6EF372, 0, 0
    for left in range(FUEL, -1, -1):
        if number == LEAVE or left == 0:
            break
        found = (found * 31 + found + number + 1) & 0xFFFFFFFF
        number, bits = graph[number][bits & 1], bits >> 1
    return found


def check(graph, way, *, threads=19, block=10, lanes=4):
    """The last warps and blocks are not full."""
    program = kernel(graph, threads=threads, block=block)
    result = run(program, core__lanes=lanes, core__warps=8, core__blocks=8, max_cycles=50_000, **way.changes)
    assert result.status == "done", result.fault
    assert words(result)[:threads].tolist() == [seen(graph, thread) for thread in range(threads)]
    return result


@pytest.mark.every(3)
@every_way
@pytest.mark.parametrize("name", [*FIGURE_4, *OTHERS])
def test_graphs_that_a_compiler_meets(name, way):
    check((FIGURE_4 | OTHERS)[name], way)


def test_one_of_the_articles_graphs_is_irreducible_and_the_others_are_not():
    found = {name: bool(Flow(kernel(graph, threads=4, block=4)).irreducible) for name, graph in FIGURE_4.items()}
    assert found == {"if-then-else": False, "while": False, "loop with two exits": False, "loop with two entries": True}


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 6))
    target = st.integers(LEAVE, size - 1)
    return draw(st.lists(st.tuples(target, target), min_size=size, max_size=size))


@pytest.mark.every(2)
@every_way
def test_any_graph(way):
    @settings(max_examples=12, deadline=None)
    @given(graphs(), st.integers(1, 12), st.integers(1, 6), st.integers(1, 5))
    def one(graph, threads, block, lanes):
        check(graph, way, threads=threads, block=block, lanes=lanes)

    one()


@every_way
def test_lanes_that_jump_through_a_register_each_go_where_theirs_says(way):
    """A table of jumps: thread t goes to case t % 3, and notes where it would return to."""
    code = Assembly()
    code.op("remu", A, THREAD, imm=3)
    code.op("mul", A, A, imm=4 * 2)  # two instructions of four bytes a case
    code("jump_register", dst=B, a=A, imm=4 * 4)
    code("exit")
    for case in range(3):
        code.mov(SEEN, 100 + case)
        code("jump", target="end")
    code.label("end")
    code.op("shl", A, THREAD, imm=3)
    code.store(A, SEEN)
    code.store(A, B, 4)
    code("exit")
    program = code.program(threads=7, block=7)
    program.code[:, ADDRESS] = 4 * np.arange(len(program))
    result = run(program, core__lanes=4, core__warps=2, **way.changes)
    assert result.status == "done", result.fault
    assert words(result)[:14].reshape(7, 2).tolist() == [[100 + thread % 3, 4 * 3] for thread in range(7)]


# ---------------------------------------------------------------------------------------------------------
# Where lanes meet again


def short_circuit():
    """if (a or b or c) work: three ways into the work, whose common end lies behind it."""
    code = Assembly()
    for bit in (1, 2, 4):
        code.op("and", A, LANE, imm=bit)
        code.branch(A, "work")
    code("jump", target="end")
    code.label("work")
    work = len(code.instructions)
    code.op("add", B, LANE, imm=100)
    code.label("end")
    code.op("shl", C, LANE, imm=2)
    code.store(C, B)
    code("exit")
    return code.program(threads=8, block=8), work


@pytest.mark.parametrize(("way", "times"), [(Way("stack"), 3), (Way("minpc"), 1), (Way("dwf", "pc"), 1)])
def test_lanes_meet_in_a_short_circuit_at_once_by_their_pc_and_only_behind_it_on_a_stack(way, times):
    program, work = short_circuit()
    result = run(program, core__lanes=8, **way.changes)
    assert words(result)[:8].tolist() == [0, *range(101, 108)]
    assert tuple(result.detail.profile[work, [r.SELECTED, r.LANES]]) == (times, 7)


@pytest.mark.parametrize(("way", "times"), [(Way("stack"), 2), (Way("minpc"), 1), (Way("dwf", "pc"), 1)])
def test_a_goto_into_the_other_side_is_where_lanes_meet_by_their_pc_but_not_on_a_stack(way, times):
    code = Assembly()
    code.op("and", A, LANE, imm=1)
    code.branch(A, "odd")
    code.op("and", A, LANE, imm=2)
    code.branch(A, "shared")
    code("jump", target="end")
    code.label("odd")
    code.op("and", A, LANE, imm=4)
    code.branch(A, "end")
    code.label("shared")
    work = len(code.instructions)
    code.op("add", B, B, imm=1)
    code.label("end")
    code("exit")
    result = run(code.program(threads=8, block=8), core__lanes=8, **way.changes)
    # Lanes 2 and 6 come from the even side, 1 and 3 from the odd one.
    assert tuple(result.detail.profile[work, [r.SELECTED, r.LANES]]) == (times, 4)


@pytest.mark.parametrize("way", [Way("stack"), Way("stack", "smaller"), Way("its")], ids=lambda way: "-".join(filter(None, way)))
def test_lanes_meet_at_the_first_instruction_of_a_program_too(way):
    """The head of the loop in which they have parted."""
    code = Assembly()
    code.label("top")
    code.branch(A, "end")
    code.op("and", B, LANE, imm=1)
    code.branch(B, "odd")
    code.mov(A, 1)
    code("jump", target="top")
    code.label("odd")
    code.mov(A, 2)
    code("jump", target="top")
    code.label("end")
    code("exit")
    result = run(code.program(threads=4, block=4), core__lanes=4, **way.changes)
    assert tuple(result.detail.profile[0, [r.SELECTED, r.LANES]]) == (2, 8)


@pytest.mark.parametrize("way", [Way("stack"), Way("minpc"), Way("its")], ids=lambda way: way.mechanism)
def test_lanes_that_leave_a_loop_one_by_one_are_together_behind_it(way):
    code = Assembly()
    code.label("top")
    code.branch(A, "behind", negate=True)  # every lane leaves in the turn of its number
    code.op("sub", A, A, imm=1)
    code("jump", target="top")
    code.label("behind")
    behind = len(code.instructions)
    code.op("add", B, B, imm=1)
    code("exit")
    code.instructions[0:0] = [[{"name": "mov", "dst": A, "a": LANE}]]
    code.labels = {name: number + 1 for name, number in code.labels.items()}
    result = run(code.program(threads=8, block=8), core__lanes=8, **way.changes)
    assert tuple(result.detail.profile[behind + 1, [r.SELECTED, r.LANES]]) == (1, 8)


# ---------------------------------------------------------------------------------------------------------
# Threads that wait for each other


def lock():
    """Every thread takes a lock, adds one to a counter, and gives the lock back. Word 0: the lock. Word 1: the counter."""
    code = Assembly()
    code.mov(C, 1)
    code.label("try")
    code("atomic_exchange", dst=A, a=SEEN, b=C)
    code.branch(A, "try")
    code.load(B, SEEN, 4)
    code.op("add", B, B, imm=1)
    code.store(SEEN, B, 4)
    code.store(SEEN, SEEN)
    code("exit")
    return code.program(threads=8, block=8)


FAIR = (Way("its"), Way("dwf", "time_stamp"))


@pytest.mark.parametrize("way", FAIR, ids=lambda way: way.mechanism)
def test_a_lock_between_the_lanes_of_a_warp_is_given_back_where_no_thread_starves(way):
    result = run(lock(), core__lanes=4, core__warps=2, divergence__patience=4, **way.changes)
    assert result.status == "done", result.fault
    assert words(result)[:2].tolist() == [0, 8]


@pytest.mark.parametrize("way", [way for way in WAYS if way not in FAIR], ids=lambda way: "-".join(filter(None, way)))
def test_a_lock_that_a_waiting_lane_holds_is_reported_elsewhere(way, monkeypatch):
    monkeypatch.setattr(livelock, "QUIET", 400)
    monkeypatch.setattr(livelock, "SPACING", 100)
    result = run(lock(), core__lanes=4, core__warps=2, **way.changes)
    assert result.status == "error"
    assert result.fault.startswith("the kernel runs forever: nothing that its threads read can change any more: warp 0 of block 0")
    assert "spins at instruction 1 (atomic_exchange" in result.fault
    assert "lane 0 of it waits" in result.fault
    assert "with core.divergence=its, as on Volta and later, no lane waits forever for another lane of its warp" in result.fault


@pytest.mark.parametrize("way", LANE_BY_LANE, ids=lambda way: "-".join(filter(None, way)))
def test_a_barrier_is_met_thread_by_thread_even_when_each_side_has_one_of_its_own(way):
    """Threads come to the barrier on two paths of different length; then each reads what its neighbour wrote before."""
    threads = 10
    code = Assembly()
    code.op("shl", C, THREAD, imm=2)
    code.op("add", A, LANE, WARP)
    code.op("and", A, A, imm=1)
    code.branch(A, "odd")
    code.op("add", SEEN, THREAD, imm=1000)
    code("store", a=C, b=SEEN, space=SHARED_SPACE)
    code("barrier", a=NONE)
    code("jump", target="read")
    code.label("odd")
    code.op("add", SEEN, THREAD, imm=500)
    for _ in range(5):
        code.op("add", SEEN, SEEN, imm=100)
    code("store", a=C, b=SEEN, space=SHARED_SPACE)
    code("barrier", a=NONE)
    code.label("read")
    code.op("add", B, THREAD, imm=1)
    code.op("remu", B, B, imm=threads)
    code.op("shl", B, B, imm=2)
    code("load", dst=A, a=B, space=SHARED_SPACE)
    code.op("shl", B, GLOBAL, imm=2)
    code.store(B, A)
    code("exit")
    program = code.program(threads=2 * threads, block=threads, shared_bytes=4 * threads)
    result = run(program, core__lanes=4, core__warps=8, **way.changes)
    assert result.status == "done", result.fault
    assert words(result)[: 2 * threads].tolist() == [1000 + (thread + 1) % threads for thread in range(threads)] * 2


@pytest.mark.parametrize("first", ["fall_through", "taken"])
@pytest.mark.parametrize("way", LANE_BY_LANE, ids=lambda way: "-".join(filter(None, way)))
def test_lanes_where_others_are_to_meet_them_pass_on_to_the_barrier_at_which_those_wait(way, first):
    """Lanes 2 and 3 come to the barrier before the two sides meet, lanes 0 and 1 after that."""
    code = Assembly()
    code.op("sltu", A, LANE, imm=2)
    code.op("shl", C, LANE, imm=2)
    code.branch(A, "meet")
    code("store", a=C, b=LANE, space=SHARED_SPACE)
    code("barrier", a=NONE)
    code.label("meet")
    code.branch(A, "late")
    code("jump", target="end")
    code.label("late")
    code("barrier", a=NONE)
    code("load", dst=B, a=C, imm=8, space=SHARED_SPACE)
    code.label("end")
    code.store(C, B)
    code("exit")
    program = code.program(threads=4, block=4, shared_bytes=32)
    result = run(program, core__lanes=4, **{"divergence__first": first, **way.changes})
    assert result.status == "done", result.fault
    assert words(result)[:4].tolist() == [2, 3, 0, 0]


@every_way
def test_threads_that_end_early_are_not_waited_for_at_a_barrier(way):
    code = Assembly()
    code.op("and", A, LANE, imm=1)
    code.branch(A, "stay")
    code("exit")
    code.label("stay")
    code("barrier", a=NONE)
    code.op("shl", A, GLOBAL, imm=2)
    code.op("add", B, BLOCK, imm=7)
    code.store(A, B)
    code("exit")
    result = run(code.program(threads=12, block=6), core__lanes=2, core__warps=8, **way.changes)
    assert result.status == "done", result.fault
    assert words(result)[:12].tolist() == [0, 7] * 3 + [0, 8] * 3


@every_way
def test_reasons_of_a_run_that_diverges_add_up_to_the_cycles_of_its_warps(way):
    """From the launch of each slot's warp to its end, whether it ends by itself or its threads have all joined others."""
    from warploom.machine.accounting import events as e

    program = kernel(OTHERS["nested loops with break and continue"], threads=24, block=24)
    result = run(program, core__lanes=4, core__warps=6, tracing=True, max_cycles=50_000, **way.changes)
    rows = result.detail.events
    begin = {int(row[e.WARP]): int(row[e.TIME]) for row in rows[rows[:, e.KIND] == e.LAUNCH]}
    ends = {int(row[e.WARP]): int(row[e.TIME]) for row in rows[rows[:, e.KIND] == e.END]}
    assert sorted(begin) == sorted(ends) == list(range(6))
    profile = result.detail.profile
    assert profile[:, : len(r.REASONS)].sum() == sum(ends[warp] - begin[warp] for warp in ends)
    assert profile[:, r.SELECTED].sum() == len(issues(result))
