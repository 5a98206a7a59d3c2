"""The slot of the divergence mechanism: a user's minpc is ours, a mechanism of one's own runs every program, and no lane gets lost."""

from __future__ import annotations

import numpy as np
import pytest

from tests.machine.programs import FREE, LANE, Assembly
from tests.machine.slots.running import ran, same_in_both
from warploom import GPU, load_config
from warploom.machine.core.divergence.minpc import select_path
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
