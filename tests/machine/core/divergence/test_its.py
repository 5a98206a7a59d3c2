"""Independent threads: convergence barriers and turns, walked through by hand."""

import numpy as np
import pytest

from tests.machine.core.divergence.walking import END, NOP, WARP, YIELD, chosen, fork, go_on, jump, note, walk_through
from tests.machine.programs import FREE, LANE, Assembly, issues, machine, run, words
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.uop import NUMBER, Uop
from warploom.machine.core.divergence.its import _expected_by, backward_jump_or_yield, branch, clear, select_path
from warploom.machine.core.divergence.path_table import clear as clear_paths
from warploom.machine.engine.unit import mirror, unit

YIELDS = NUMBER["yield"]
ZERO, ONE, GOT, SUM = range(FREE, FREE + 4)


@unit
def walk(paths, convergence, tables, uops, values, trace):
    """Run a warp to its end, or until the trace is full. Rows: pc, mask of every issue. Returns how many there were."""
    waiting = paths[0]
    warps = tables[0]
    barriers = convergence[0]
    clear_paths(waiting, WARP)
    clear(barriers, WARP)
    issues = 0
    while warps.threads[WARP] != np.uint64(0) and issues < trace.shape[0]:
        pc = np.int64(warps.pc[WARP])
        issues = note(trace, issues, warps)
        taken = chosen(uops, values, warps)
        if go_on(uops, warps, taken) == 0:
            branch(waiting, barriers, warps, WARP, taken, uops[pc, u.TARGET], uops[pc, u.RECONVERGE])
        op = uops[pc, u.OP]
        if warps.mask[WARP] != np.uint64(0) and (op == YIELDS or warps.pc[WARP] <= pc):
            backward_jump_or_yield(waiting, barriers, warps, WARP, 1 if op == YIELDS else 0, uops[pc, u.FLAGS] & u.YIELDS)
        select_path(waiting, barriers, warps, WARP)
    return issues


def seen(instructions, values, **more):
    return walk_through(walk, instructions, values, **more)[0]


def test_both_sides_of_an_if_wait_for_each_other_at_its_end():
    sides = [fork(3), NOP, jump(4), NOP, END]
    assert seen(sides, [1, 1, 0, 0]) == [(0, 15), (1, 12), (2, 12), (3, 3), (4, 15)]
    assert seen(sides, [1, 1, 0, 0], first="taken") == [(0, 15), (3, 3), (1, 12), (2, 12), (4, 15)]
    assert seen(sides, [1, 0, 0, 0], first="smaller") == [(0, 15), (3, 1), (1, 14), (2, 14), (4, 15)]


def test_without_a_barrier_register_lanes_meet_only_where_they_happen_to():
    """The side that comes first goes on and ends; the other ends after it."""
    sides = [fork(3), NOP, jump(4), NOP, END]
    assert seen(sides, [1, 1, 0, 0], barriers=0) == [(0, 15), (1, 12), (2, 12), (4, 12), (3, 3), (4, 3)]


def test_a_warp_with_one_barrier_register_waits_at_the_outer_end_only():
    """Lanes 2 and 3 part again inside of the first side. Without a barrier there they meet as their PCs are equal, and do not wait."""
    nested = [fork(5, 0), fork(3, 1), NOP, NOP, jump(6), NOP, END]
    values = [1, 1, 2, 0]
    assert seen(nested, values) == [(0, 15), (1, 12), (2, 8), (5, 3), (3, 12), (4, 12), (6, 15)]
    assert seen(nested, values, barriers=1) == [(0, 15), (1, 12), (2, 8), (3, 12), (4, 12), (5, 3), (6, 15)]


def test_nobody_waits_where_a_side_may_end():
    """Lane 2 goes one way; of the others, lane 3 ends on its own. The paths meet nowhere for sure, so lane 2 waits for nobody."""
    code = [fork(2), jump(5), fork(4, 1), END, NOP, NOP, END]
    assert seen(code, [3, 3, 0, 1]) == [(0, 15), (1, 4), (5, 4), (6, 4), (2, 11), (3, 8), (4, 3), (5, 3), (6, 3)]


def test_lanes_that_jump_back_take_turns_with_those_that_are_ready():
    """Lanes 0 and 1 go back to 0, while the others are ready behind: after each jump back the others run."""
    trace = seen([NOP, fork(0, 0), NOP, NOP, END], [1, 1, 0, 0], barriers=0)
    assert trace[:3] == [(0, 15), (1, 15), (2, 12)]
    assert (0, 3) in trace
    # Without barriers the others end without them.
    assert trace.index((4, 12)) < trace.index((4, 3))


def test_lanes_that_wait_for_others_go_on_when_those_have_jumped_back_too_often():
    """Lanes 0 and 1 leave a loop that the others never leave, and wait for them behind it, for so many jumps back."""
    loop = [fork(2), jump(0), NOP, END]
    for patience in (1, 2, 5):
        trace = seen(loop, [1, 1, 0, 0], patience=patience, limit=30)
        # The first jump back is the one at which they come to the place where they wait.
        assert trace[: 2 * patience + 3] == [(0, 15), (1, 12)] + [(0, 12), (1, 12)] * patience + [(2, 3)]
        assert (3, 3) in trace
    assert (2, 3) not in seen(loop, [1, 1, 0, 0], patience=256, limit=200)


def test_a_yield_lets_those_that_are_ready_run_and_else_those_that_wait():
    """At its first yield the others of lane 3 come to 4, where they wait for it; at the second they go on without it."""
    code = [fork(4), YIELD, YIELD, NOP, NOP, END]
    assert seen(code, [1, 1, 1, 0]) == [(0, 15), (1, 8), (2, 8), (4, 7), (5, 7), (3, 8), (4, 8), (5, 8)]


def test_no_lane_starves_beside_one_that_spins():
    """Lanes 2 and 3 jump to themselves for ever; the others come to their end all the same."""
    trace = seen([fork(2), jump(1), NOP, END], [1, 1, 0, 0], limit=20)
    assert trace[:5] == [(0, 15), (1, 12), (2, 3), (3, 3), (1, 12)]
    assert len(trace) == 20


def test_a_convergence_barrier_is_free_again_when_all_have_come():
    """A loop of ifs: with two registers, one for the loop's end and one for the if's, it never runs out of them."""
    loop = [fork(2, 6), NOP, NOP] + [fork(0, number) for number in range(4)] + [NOP, END]
    trace, (paths, convergence) = walk_through(walk, loop, [0b0001111, 0b1001111, 0b0000011, 0], barriers=16)
    assert trace[-2:] == [(7, 15), (8, 15)]
    assert convergence["count"][WARP] == 0
    assert paths["count"][WARP] == 0


def naive_lock(threads):
    """Each thread takes a lock with `while (cas)`, adds one to a counter and gives the lock back. Word 0: the lock. Word 1: the counter."""
    code = Assembly()
    code.mov(ONE, 1)
    code.label("try")
    code("atomic_cas", dst=GOT, a=ZERO, b=ZERO, c=ONE)
    code.branch(GOT, "try")
    code.load(SUM, ZERO, 4)
    code.op("add", SUM, SUM, imm=1)
    code.store(ZERO, SUM, 4)
    code("fence")
    code("atomic_exchange", dst=GOT, a=ZERO, b=ZERO)
    code("exit")
    return code.program(threads=threads, block=threads)


def lock_cycles(threads, engine, **settings):
    gpu = GPU("sm", set={"core.divergence": "its", "memory.bytes": 1 << 16} | settings, engine=engine)
    result = gpu.run(naive_lock(threads))
    assert result.status == "done" and result.memory.view(np.uint32)[:2].tolist() == [0, threads]
    return result.cycles


def round_trip():
    """Cycles of an atomic operation that needs the one before it."""

    def cycles(count):
        code = Assembly()
        for _ in range(count):
            code("atomic_add", dst=ZERO, a=ZERO, b=ONE)
        code("exit")
        return GPU("sm", set={"memory.bytes": 1 << 16}, engine="python").run(code.program(threads=1, block=1)).cycles

    return (cycles(9) - cycles(5)) / 4


def test_a_lock_is_handed_over_in_a_few_memory_round_trips():
    """A load and a fence under the lock, its release, and tries beside that and after it; not 256 rounds of tries."""
    each = (lock_cycles(32, "python") - lock_cycles(16, "python")) / 16
    assert 2 * round_trip() < each < 6 * round_trip()


def test_a_thousand_threads_end_with_one_lock():
    """Within the cycles that a run has unless it is told otherwise."""
    lock_cycles(1024, "native")


def test_lanes_that_wait_go_on_at_once_when_those_that_they_wait_for_wait_themselves():
    """Lanes 0 and 1 leave a loop that waits, and the others turn in it for ever."""
    loop = [fork(2), Uop("jump", target=0, flags=u.YIELDS), NOP, END]
    trace = seen(loop, [1, 1, 0, 0], patience=256, limit=30)
    assert trace[:6] == [(0, 15), (1, 12), (0, 12), (1, 12), (2, 3), (3, 3)]


def syncing(*, first, second, threads=4):
    """Odd lanes write their word after some time, even lanes read the one beside it after a sync."""
    code = Assembly()
    code.op("and", ONE, 1, imm=1)
    code.op("shl", GOT, 1, imm=2)
    code.branch(ONE, "odd")
    code("sync_warp", a=u.NONE if first is None else u.IMMEDIATE, imm=first or 0)
    code.load(SUM, GOT, 4)
    code.store(GOT, SUM, 64)
    code("jump", target="end")
    code.label("odd")
    for _ in range(9):
        code.op("add", ZERO, ZERO, imm=1)
    code.store(GOT, ZERO)
    if second is not None:
        code("sync_warp", a=u.IMMEDIATE, imm=second)
    code.label("end")
    code("exit")
    return code.program(threads=threads)


def test_lanes_that_name_each_other_wait_wherever_they_are():
    for mask in (15, None):
        result = run(syncing(first=mask, second=15), core__divergence="its")
        assert result.fault == "" and words(result)[16:20].tolist() == [9, 0, 9, 0]


def test_lanes_that_are_not_named_are_not_waited_for():
    result = run(syncing(first=5, second=10), core__divergence="its")
    assert words(result)[16:20].tolist() == [0, 0, 0, 0]


def test_lanes_that_end_are_no_longer_waited_for():
    result = run(syncing(first=15, second=None), core__divergence="its")
    assert result.fault == "" and words(result)[16:20].tolist() == [9, 0, 9, 0]


def test_lanes_that_do_not_exist_are_not_waited_for():
    assert run(syncing(first=0xFFFFFFFF, second=0xFFFFFFFF, threads=3), core__divergence="its").status == "done"


def test_lanes_that_never_come_are_reported():
    code = Assembly()
    code.op("and", ONE, 1, imm=1)
    code.branch(ONE, "odd")
    code("sync_warp", a=u.IMMEDIATE, imm=15)
    code("exit")
    code.label("odd")
    code("barrier", b=u.IMMEDIATE, imm=2)  # of two warps, where there is one
    code("exit")
    said = run(code.program(threads=4), core__divergence="its").fault
    assert "lanes 0, 2 of it wait for the others at" in said and "lanes 1, 3 of it wait for the others at barrier 2" in said


def test_a_sync_of_lanes_that_run_together_is_one_instruction_and_nothing_elsewhere():
    for mechanism in ("uniform", "stack", "minpc", "its", "dwf"):
        code = Assembly()
        code("sync_warp", a=u.IMMEDIATE, imm=15)
        code("exit")
        assert run(code.program(), core__divergence=mechanism).instructions == 2
    assert run(syncing(first=15, second=15), core__divergence="stack").status == "done"


def test_the_lanes_of_an_inner_barrier_go_on_when_all_have_come_though_others_have_yielded_since():
    """Lane 3 waits for lane 2 at 5; lanes 0 and 1 yield, and so are ready after those two."""
    nested = [fork(7, 0), fork(4, 1), NOP, jump(5), NOP, NOP, jump(9), YIELD, NOP, END]
    trace = seen(nested, [1, 1, 2, 0])
    assert trace == [(0, 15), (1, 12), (2, 8), (3, 8), (7, 3), (4, 4), (5, 12), (6, 12), (8, 3), (9, 15)]


def test_lanes_wait_at_every_sync_and_not_only_at_their_first():
    """Odd lanes take their time before the second sync, and even lanes read then what those have written."""
    code = Assembly()
    code.op("and", ONE, 1, imm=1)
    code.op("shl", GOT, 1, imm=2)
    code.branch(ONE, "odd")
    code("sync_warp", a=u.IMMEDIATE, imm=15)
    code("sync_warp", a=u.IMMEDIATE, imm=15)
    code.load(SUM, GOT, 4)
    code.store(GOT, SUM, 64)
    code("jump", target="end")
    code.label("odd")
    code("sync_warp", a=u.IMMEDIATE, imm=15)
    for _ in range(9):
        code.op("add", ZERO, ZERO, imm=1)
    code("yield")
    code.store(GOT, ZERO)
    code("sync_warp", a=u.IMMEDIATE, imm=15)
    code.label("end")
    code("exit")
    result = run(code.program(threads=4), core__divergence="its")
    assert result.fault == "" and words(result)[16:20].tolist() == [9, 0, 9, 0]


def test_lanes_that_come_to_a_sync_are_progress_for_which_others_keep_waiting():
    """Lanes 2 and 3 meet at syncs in each turn of their loop, eight times; lanes 0 and 1 wait for them at its end."""
    code = Assembly()
    code.op("and", ONE, LANE, imm=1)
    code.op("sltu", GOT, LANE, imm=2)
    code.mov(SUM, 8)
    code.branch(GOT, "done")
    code.label("top")
    code.branch(ONE, "odd")
    code("sync_warp", a=u.IMMEDIATE, imm=0b1100)
    code("jump", target="next")
    code.label("odd")
    code("sync_warp", a=u.IMMEDIATE, imm=0b1100)
    code.label("next")
    code.op("sub", SUM, SUM, imm=1)
    code.branch(SUM, "top")
    code.label("done")
    done = len(code.instructions)
    code("exit")
    shape = {"core__divergence": "its", "divergence__barriers": 1, "tracing": True}
    ends = {
        patience: [mask for *_, pc, mask in issues(run(code.program(threads=4), divergence__patience=patience, **shape)) if pc == done]
        for patience in (1, 3)
    }
    assert ends[3] == [15]
    assert ends[1][0] == 3


@pytest.mark.parametrize(
    ("waits_at", "barriers", "running", "expected"),
    [
        (7, [(7, 0b0011)], 0b0001, 1),
        (7, [(7, 0b0010)], 0b0001, 0),  # of the lanes that come there none runs
        (7, [(8, 0b0011)], 0b0001, 0),  # it waits elsewhere
        (7, [(8, 0b0011), (7, 0b1000)], 0b0001, 0),
        (7, [(8, 0b0011), (7, 0b1001)], 0b0001, 1),
        (7, [], 0b0001, 0),
    ],
)
def test_a_group_is_held_up_by_lanes_that_run_and_come_to_its_barrier(waits_at, barriers, running, expected):
    code = Assembly()
    code("exit")
    core = mirror(machine(code.program(), core__divergence="its").cores)[0]
    core.path_table.pc[0, 2], core.warps.mask[0] = waits_at, running
    core.convergence_barriers.count[0] = len(barriers)
    for number, (pc, members) in enumerate(barriers):
        core.convergence_barriers.pc[0, number], core.convergence_barriers.members[0, number] = pc, members
    assert _expected_by(core.path_table, core.convergence_barriers, core.warps, 0, 2) == expected
