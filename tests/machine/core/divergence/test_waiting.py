"""The one reader of the path tables: every lane is found once, whatever mechanism put it there."""

import numpy as np
import pytest

from tests.machine.programs import FREE, LANE, Assembly, machine
from warploom.machine.core.core import Core
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.divergence.path_table import AT_BARRIER, AT_RECONVERGENCE, READY, STACKED, PathTable, left_at_barrier
from warploom.machine.core.divergence.waiting import WaitingPath, next_paths, state_bytes, waiting_paths
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.run import livelock
from warploom.machine.run.driver import drive

A, B, WARP = FREE, FREE + 1, 3
APART = [name for name in MECHANISMS if name not in ("uniform", "masks")]


def nested():
    """Two conditions inside a loop whose number of iterations differs from lane to lane."""
    code = Assembly()
    code.op("and", A, LANE, imm=7)
    code.label("loop")
    for bit in (1, 2):
        code.op("and", B, A, imm=bit)
        code.branch(B, f"skip {bit}")
        code.op("add", FREE + 2, FREE + 2, imm=bit)
        code.label(f"skip {bit}")
    code.op("sub", A, A, imm=1)
    code.op("slt", B, A, imm=1)
    code.branch(B, "loop", negate=True)
    code("exit")
    return code.program(threads=8)


@pytest.mark.parametrize("mechanism", APART)
def test_in_every_cycle_each_lane_runs_or_goes_on_somewhere_once(mechanism):
    made = machine(nested(), core__divergence=mechanism, core__lanes=8)
    most = 0
    for cycle in range(1, 4000):
        if drive(made, engine="python", max_cycles=cycle).status == "done":
            break
        core = made.cores[0]
        threads, running = int(core["warps"]["threads"][0]), int(core["warps"]["mask"][0])
        waiting = next_paths(core, 0, threads & ~running)
        most = max(most, len(waiting))
        found = running
        for lanes, path in waiting:
            assert not found & lanes, (cycle, waiting)
            assert 0 <= path.pc < len(made.program)
            found |= lanes
        assert found & threads == threads, (cycle, waiting)
    assert most >= 2


def tables(**rows):
    """A core of which warp WARP has these rows: (lanes, pc, state, reconvergence_pc)."""
    core = zeros((), Core)
    for name, paths in rows.items():
        core[name]["count"][WARP] = len(paths)
        for number, path in enumerate(paths):
            for field, value in zip(("mask", "pc", "state", "reconvergence_pc"), path, strict=True):
                core[name][field][WARP, number] = value
    return core


def test_a_mechanism_that_nobody_has_written_yet_shows_its_paths():
    core = tables(
        path_table=[(0xFF, 9, STACKED, 20), (0x0F, 5, READY, -1), (0x30, 7, AT_BARRIER + 2, -1)], mask_stack=[(0xC0, 3, STACKED, -1)]
    )
    assert waiting_paths(core, WARP) == [
        WaitingPath("path_table", 0xFF, 9, STACKED, 20),
        WaitingPath("path_table", 0x0F, 5, READY, -1),
        WaitingPath("path_table", 0x30, 7, AT_BARRIER + 2, -1),
        WaitingPath("mask_stack", 0xC0, 3, STACKED, -1),
    ]
    assert [path.barrier for path in waiting_paths(core, WARP)] == [-1, -1, 2, -1]
    assert [(lanes, path.pc) for lanes, path in next_paths(core, WARP, 0xFE)] == [(0xC0, 3), (0x30, 7), (0x0E, 5)]
    assert waiting_paths(core, WARP - 1) == []


@pytest.mark.parametrize(
    "field, value", [("mask", 0x3F), ("pc", 6), ("state", AT_RECONVERGENCE), ("reconvergence_pc", 8), ("count", 2), ("rejoins_at", 4)]
)
def test_all_that_decides_which_path_runs_next_is_in_the_state(field, value):
    before = tables(path_table=[(0x0F, 5, READY, -1)])
    after = before.copy()
    after["path_table"][field][(WARP, 0) if after["path_table"][field].ndim == 2 else WARP] = value
    assert state_bytes(before, WARP) != state_bytes(after, WARP)
    assert state_bytes(before, WARP - 1) == state_bytes(after, WARP - 1)


@pytest.mark.parametrize(
    ("place", "matters"),
    [
        (("pc", 0), True), (("members", 0), True), (("pc", 1), False), (("members", 1), False), (("count",), True),
        (("backward_jumps",), True), (("syncing",), True), (("named", 2), True), (("named", 3), False),
    ],
)  # fmt: skip
def test_so_are_its_convergence_barriers_and_syncs_as_far_as_they_are_in_use(place, matters):
    """Of a warp with one barrier and one lane, the third, that waits for those that it names."""
    before = tables(path_table=[(0x0F, 5, READY, -1)])
    before["convergence_barriers"]["count"][WARP], before["convergence_barriers"]["syncing"][WARP] = 1, 0b100
    after = before.copy()
    name, *index = place
    after["convergence_barriers"][name][(WARP, *index)] += 1
    assert (state_bytes(before, WARP) != state_bytes(after, WARP)) == matters
    assert state_bytes(before, WARP - 1) == state_bytes(after, WARP - 1)


def lock_held():
    """Lane 0 takes a lock and never gives it back; the others try until they have it."""
    code = Assembly()
    code.mov(A, 1)
    code.mov(FREE + 2, 64)
    code.label("try")
    code("atomic_exchange", dst=B, a=FREE + 2, b=A, size=4)
    code.branch(B, "try")
    code.label("hold")
    code.branch(A, "hold")
    return code.program(threads=4)


@pytest.mark.parametrize("mechanism", ["dwf", "minpc", "stack"])
def test_a_livelock_names_the_lanes_that_spin(mechanism, monkeypatch):
    """Of four lanes one comes past the lock; which loop spins, the mechanism decides, but its lanes are those in that loop."""
    monkeypatch.setattr(livelock, "QUIET", 300)
    monkeypatch.setattr(livelock, "SPACING", 50)
    made = machine(lock_held(), core__divergence=mechanism, core__lanes=4)
    assert drive(made, engine="python", max_cycles=50_000).status == "error"
    ((instruction, lanes),) = made.detector.spinning.values()
    assert (instruction, lanes.bit_count()) in ((2, 3), (4, 1))
    text = made.inspection.fault_text()
    assert ("lanes" in text.split(")")[0]) == (lanes.bit_count() > 1), text


def test_a_warp_that_has_no_group_left_stands_at_no_barrier_whatever_its_rows_held():
    (paths,) = mirror(np.zeros(1, PathTable))
    paths.state[WARP, 0] = AT_BARRIER + 2
    assert left_at_barrier(paths, WARP) == -1
    paths.count[WARP] = 1
    assert left_at_barrier(paths, WARP) == 0
    paths.state[WARP, 0] = READY
    assert left_at_barrier(paths, WARP) == -1
