"""The slot of the divergence mechanism: a user's minpc is ours, a mechanism of one's own runs every program, and no lane gets lost."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.programs import FREE, LANE, Assembly
from tests.machine.slots.running import ran, same_in_both
from warploom import GPU, load_config
from warploom.machine.core.divergence.minpc import select_path
from warploom.machine.core.divergence.path_table import AT_BARRIER, MAX_PATHS, PathTable
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.slots import divergence
from warploom.units import EMPTY, READY, Mechanism, UnitError, bit, lowest, merge, popcount, put_aside, run_group

MACHINE = {"core.warps": 16}
ROUNDS, LEFT = FREE, FREE + 1


def lowest_pc(paths, warps, warp):
    select_path(paths, warps, warp)


def majority(paths, warps, warp):
    """The largest group runs. It counts how often it is asked, in a memory of its own."""
    paths.memory[warp, 0] += 1
    best = -1
    for row in range(paths.count[warp]):
        if paths.state[warp, row] == READY and (best < 0 or popcount(paths.mask[warp, row]) > popcount(paths.mask[warp, best])):
            best = row
    if best >= 0:
        if warps.mask[warp] == EMPTY:
            run_group(paths, warps, warp, best)
        elif popcount(paths.mask[warp, best]) > popcount(warps.mask[warp]):
            put_aside(paths, warps, warp, READY)
            run_group(paths, warps, warp, best)
        merge(paths, warps, warp)


def loses_a_lane(paths, warps, warp):
    warps.mask[warp] &= ~bit(lowest(warps.mask[warp]))


def runs_nobody(paths, warps, warp):
    put_aside(paths, warps, warp, READY)


def jumps_away(paths, warps, warp):
    warps.pc[warp] = 1 << 20


def tiny(units, engine="python"):
    return ran(units, engine, program="tiny/diverge.asm", machine=MACHINE)


def test_a_user_s_minpc_is_ours():
    _, ours = tiny({"divergence": "minpc"})
    _, theirs = tiny({"divergence": Mechanism(lowest_pc)})
    assert ours.counters == theirs.counters and ours.counters["diverged_branches"] > 0
    assert (ours.memory == theirs.memory).all()


def test_a_mechanism_with_a_memory_of_its_own_agrees_in_both_engines():
    machine, result = same_in_both({"divergence": Mechanism(majority)}, program="tiny/diverge.asm", machine=MACHINE)
    assert machine.cores["path_table"]["memory"].sum() > 0
    plain = ran({}, program="tiny/diverge.asm", machine=MACHINE)[1]
    assert np.array_equal(result.memory, plain.memory)


def test_programs_that_manage_masks_keep_theirs():
    result = same_in_both({"divergence": Mechanism(majority)}, program="guppy/iterations_random.guppy", machine=MACHINE)[1]
    plain = ran({}, program="guppy/iterations_random.guppy", machine=MACHINE)[1]
    assert np.array_equal(result.memory, plain.memory)


def leaves_an_empty_row(paths, warps, warp):
    paths.mask[warp, paths.count[warp]] = EMPTY
    paths.count[warp] += 1


def counts_rows_that_are_not_there(paths, warps, warp):
    paths.count[warp] = 1000


STOPPED = {
    loses_a_lane: "leaves lanes of a warp on no path, or on two: each live lane is on the path that runs, or on one that waits",
    runs_nobody: "lets no path run, and one is ready: `run_group` makes it the running one",
    jumps_away: "leaves a path at a PC that is not in the program",
    leaves_an_empty_row: "leaves a row in use that has no lanes: a path that ends is taken out of the rows, as run_group does",
    counts_rows_that_are_not_there: "leaves paths.count[warp] at a number of rows that the table does not have",
}


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("select", STOPPED)
def test_a_mechanism_that_loses_lanes_or_breaks_the_table_is_stopped(select, engine):
    with pytest.raises(UnitError) as stopped:
        tiny({"divergence": Mechanism(select)}, engine)
    assert str(stopped.value).endswith(f"test_divergence.py:{select.__code__.co_firstlineno}: {select.__name__} {STOPPED[select]}")


@pytest.mark.parametrize("engine", ["python", "native"])
def test_what_a_branch_and_a_jump_back_leave_is_looked_at_too(engine):
    def wrong_branch(paths, warps, warp, taken, target, reconvergence_pc):
        warps.mask[warp] = taken

    with pytest.raises(UnitError, match="wrong_branch leaves lanes of a warp on no path, or on two"):
        tiny({"divergence": Mechanism(lowest_pc, wrong_branch)}, engine)


def test_a_path_may_be_at_the_first_instruction():
    """The program's first instruction is the head of its loop."""
    code = Assembly()
    code.label("top")
    code.op("add", ROUNDS, ROUNDS, imm=1)
    code.op("sltu", LEFT, ROUNDS, LANE)
    code.branch(LEFT, "top")
    code("exit")
    machine = load_config("sm", {"core.lanes": 4})
    result = GPU(machine, units={"divergence": Mechanism(majority)}, engine="python").run(code.program(threads=4, block=4), max_cycles=5000)
    assert result.status == "done", result.fault


def test_only_the_first_verb_is_needed():
    with pytest.raises(UnitError, match=r"^select of Mechanism is None, and a Mechanism takes functions: Mechanism\(select"):
        tiny({"divergence": Mechanism(None)})


ROWS_OF_CODE, WARP = 20, 2


def tables(running, pc, *paths):
    """(paths, warps): warp 2 runs some of its four lanes at a PC; `paths`: (lanes, PC, state) of those that wait."""
    (table,), (warps,) = mirror(zeros(1, PathTable)), mirror(zeros(1, Warps))
    table.code_rows, table.count[WARP], table.lanes[WARP] = ROWS_OF_CODE, len(paths), np.uint64(0b1111)
    warps.mask[WARP], warps.pc[WARP] = np.uint64(running), pc
    for row, (lanes, at, state) in enumerate(paths):
        table.mask[WARP, row], table.pc[WARP, row], table.state[WARP, row] = np.uint64(lanes), at, state
    return table, warps


WHOLE = [
    (0b1111, 0, []),
    (0b1111, ROWS_OF_CODE, []),
    (0b0011, 3, [(0b1100, 4, READY)]),
    (0, 3, [(0b1100, 0, READY), (0b0011, ROWS_OF_CODE, AT_BARRIER)]),
    (0b0001, 3, [(0b0010, 4, READY), (0b0100, 4, AT_BARRIER), (0b1000, 1, READY)]),
    (0, 3, [(0b1111, 4, AT_BARRIER)]),
]
NOWHERE, LOST, NOBODY = divergence.NOWHERE, divergence.LOST, divergence.NOBODY
BROKEN = [
    *((0b1111, -1, [], NOWHERE), (0b1111, ROWS_OF_CODE + 1, [], NOWHERE)),
    *((0b0111, 3, [], LOST), (0b11111, 3, [], LOST), (0, 3, [], LOST)),
    (0b0011, 3, [(0b1110, 4, READY)], LOST),
    (0b0011, 3, [(0b0100, 4, READY)], LOST),
    (0b1111, 3, [(0, 4, READY)], NOBODY),
    (0b0011, 3, [(0b1100, -1, READY)], NOWHERE),
    (0b0011, 3, [(0b1100, ROWS_OF_CODE + 1, READY)], NOWHERE),
    (0b0001, 3, [(0b0110, 4, READY), (0b1100, 4, READY)], LOST),
    (0b0011, 3, [(0b1100, 4, READY), (0b1100, 4, READY)], LOST),
]


@pytest.mark.parametrize(("running", "pc", "paths", "wrong"), [*((*case, 0) for case in WHOLE), *BROKEN])
def test_each_lane_is_on_one_path_somewhere_in_the_program(running, pc, paths, wrong):
    table, warps = tables(running, pc, *paths)
    assert divergence.wrong_with_paths(table, warps, WARP) == wrong
    assert divergence.wrong_after_branch(table, warps, WARP, 1, 2, 3) == wrong
    assert divergence.wrong_after_backward(table, warps, WARP, 0, 0) == wrong
    idle = running == 0 and any(state == READY for _, _, state in paths)
    assert divergence.wrong_after_select(table, warps, WARP) == (wrong or (divergence.IDLE if idle else 0))


@pytest.mark.parametrize("count", [-1, MAX_PATHS + 1])
def test_a_table_holds_so_many_paths(count):
    table, warps = tables(0b1111, 3)
    table.count[WARP] = count
    assert divergence.wrong_with_paths(table, warps, WARP) == divergence.TOO_MANY


def test_the_lanes_of_a_warp_are_those_of_all_of_its_paths():
    table, warps = tables(0b0001, 3, (0b0100, 4, READY), (0b1000, 4, AT_BARRIER))
    table.mask[WARP, 2] = 0b10000  # of a path that was
    assert divergence.lanes_of(table, warps, WARP) == 0b1101
    assert divergence.lanes_of(table, warps, WARP + 1) == 0


@pytest.mark.parametrize("verb", ["select", "branch", "backward"])
def test_a_user_s_verb_is_called_with_the_lanes_that_there_are_and_what_it_does_is_noted(monkeypatch, verb):
    table, warps = tables(0b0011, 3, (0b0100, 4, READY))
    core, calls = SimpleNamespace(path_table=table, warps=warps), []
    table.lanes[WARP] = 99
    monkeypatch.setattr(divergence, f"users_{verb}", lambda *given: calls.append((verb, int(table.lanes[WARP]), *given[2:])))
    monkeypatch.setattr(divergence, "note_diverged", lambda *given: calls.append(("noted", *given[2:])))
    if verb == "select":
        divergence.select_path_users(core, WARP)
    elif verb == "branch":
        assert divergence.diverge_users(None, core, WARP, 1, 9, 12) == 0
    else:
        divergence.backward_jump_or_yield_users(core, WARP, 1, 0)
    given = {"select": (), "branch": (1, 9, 12), "backward": (1, 0)}[verb]
    assert calls == [(verb, 0b0111, WARP, *given), ("noted", WARP)]


def test_verbs_that_a_mechanism_does_not_have_are_the_usual_ones():
    def branches(*given):
        return None

    def goes_back(*given):
        return None

    for mechanism, expected in (
        (Mechanism(lowest_pc), (lowest_pc, divergence.split, divergence.continues)),
        (Mechanism(lowest_pc, branches), (lowest_pc, branches, divergence.continues)),
        (Mechanism(lowest_pc, branches, goes_back), (lowest_pc, branches, goes_back)),
    ):
        sockets = [new for _, new in divergence.swaps(mechanism)[3:]]
        assert tuple(socket.function for socket in sockets) == expected
        assert [socket.name for socket in sockets] == ["divergence.select", "divergence.branch", "divergence.backward"]
