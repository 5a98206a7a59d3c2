"""The path table, call by call: groups of lanes against a dictionary, and every row of the warp next to it untouched."""

import random

import numpy as np
import pytest

from warploom.machine.core.divergence.path_table import (
    AT_BARRIER,
    AT_RECONVERGENCE,
    FALL_THROUGH,
    READY,
    SMALLER,
    TAKEN,
    PathTable,
    all_arrive,
    call,
    clear,
    left_at_barrier,
    merge,
    note_diverged,
    put,
    remove,
    run_group,
    split_group,
    taken_first,
)
from warploom.machine.core.warps.barrier import WHOLE_WARP
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.unit import mirror, zeros

WARP = 3


def tables(rows=(), mask=0xF, pc=10):
    """A table with rows (mask, pc, state) of a warp, whose running group has this mask and PC."""
    (paths,), (warps,) = mirror(zeros(1, PathTable)), mirror(zeros(1, Warps))
    for index, (lanes, place, state) in enumerate(rows):
        paths.mask[WARP, index], paths.pc[WARP, index], paths.state[WARP, index] = lanes, place, state
        paths.reconvergence_pc[WARP, index] = 100 + index
    paths.count[WARP] = len(rows)
    warps.mask[WARP], warps.pc[WARP] = mask, pc
    return paths, warps


def rows_of(paths, warp=WARP):
    every = zip(paths.mask[warp], paths.pc[warp], paths.state[warp], strict=True)
    return [tuple(int(part) for part in row) for row, _ in zip(every, range(paths.count[warp]), strict=False)]


def test_groups_that_wait_for_the_same_at_the_same_place_are_one():
    paths, _ = tables()
    groups = [(1, 5, READY), (2, 6, READY), (4, 5, AT_BARRIER), (8, 5, READY), (16, 6, READY), (32, 5, AT_BARRIER)]
    for number, group in enumerate(groups):
        paths.reconvergence_pc[WARP, number] = 50
        put(paths, WARP, np.uint64(group[0]), *group[1:])
    assert rows_of(paths) == [(1 | 8, 5, READY), (2 | 16, 6, READY), (4 | 32, 5, AT_BARRIER)]
    assert paths.reconvergence_pc[WARP, :4].tolist() == [-1, -1, -1, 50]
    assert paths.peak == 3
    put(paths, WARP + 1, np.uint64(1), 5, READY)
    assert rows_of(paths, WARP + 1) == [(1, 5, READY)] and paths.peak == 3


@pytest.mark.parametrize("index", range(4))
def test_rows_after_one_that_is_removed_move_up(index):
    rows = [(1, 5, READY), (2, 6, AT_RECONVERGENCE), (4, 7, AT_BARRIER), (8, 8, AT_BARRIER + 3)]
    paths, _ = tables(rows)
    remove(paths, WARP, index)
    assert rows_of(paths) == rows[:index] + rows[index + 1 :]
    assert paths.reconvergence_pc[WARP, :3].tolist() == [100 + row for row in range(4) if row != index]


def test_a_group_runs_or_those_at_its_place_join_it():
    paths, warps = tables([(0x10, 10, READY), (0x20, 11, READY), (0x40, 10, AT_RECONVERGENCE), (0x80, 10, READY)])
    merge(paths, warps, WARP)
    assert warps.mask[WARP] == 0x9F and warps.pc[WARP] == 10
    assert rows_of(paths) == [(0x20, 11, READY), (0x40, 10, AT_RECONVERGENCE)]
    run_group(paths, warps, WARP, 0)
    assert warps.mask[WARP] == 0x20 and warps.pc[WARP] == 11
    assert rows_of(paths) == [(0x40, 10, AT_RECONVERGENCE)]


def test_rows_that_are_not_in_use_join_nobody():
    paths, warps = tables(mask=1, pc=0)  # where zeros would be a group that is ready
    paths.mask[WARP, [0, -1]] = 2
    merge(paths, warps, WARP)
    assert warps.mask[WARP] == 1 and paths.count[WARP] == 0


@pytest.mark.parametrize(
    "first_side, taken, other, runs",
    [
        (FALL_THROUGH, 1, 6, 0), (FALL_THROUGH, 6, 1, 0), (TAKEN, 1, 6, 1), (TAKEN, 6, 1, 1),
        (SMALLER, 1, 6, 1), (SMALLER, 6, 1, 0), (SMALLER, 6, 9, 0),
    ],
)  # fmt: skip
def test_which_side_of_a_branch_runs_first(first_side, taken, other, runs):
    assert taken_first(first_side, np.uint64(taken), np.uint64(other)) == runs
    paths, warps = tables(mask=taken | other)
    paths.first_side = first_side
    split_group(paths, warps, WARP, np.uint64(taken), 44)
    sides = [(other, 11), (taken, 44)]
    assert (warps.mask[WARP], warps.pc[WARP]) == sides[runs]
    assert rows_of(paths) == [(*sides[1 - runs], READY)]


def test_a_warp_starts_without_paths():
    paths, _ = tables([(1, 5, READY)])
    paths.sides[WARP], paths.rejoins_at[WARP] = 2, 7
    clear(paths, WARP)
    assert (paths.count[WARP], paths.sides[WARP], paths.rejoins_at[WARP]) == (0, 0, -1)
    assert paths.rejoins_at[WARP - 1] == 0


def test_a_warp_has_diverged_as_long_as_a_path_waits():
    paths, warps = tables([(1, 5, READY)])
    warps.diverged = np.uint64(1 << 7)
    note_diverged(paths, warps, WARP)
    note_diverged(paths, warps, WARP)
    assert warps.diverged == 1 << 7 | 1 << WARP
    paths.count[WARP] = 0
    note_diverged(paths, warps, WARP)
    note_diverged(paths, warps, WARP)
    assert warps.diverged == 1 << 7


@pytest.mark.parametrize("number", [0, 1, 5])
def test_a_warp_arrives_at_a_barrier_when_all_of_its_groups_wait_there(number):
    later = WHOLE_WARP  # not waited for: such a group waits for the whole warp itself
    for states in ([], [number], [number, number], [number + 1], [number, number + 1], [number + 1, number], [later, number, later]):
        paths, _ = tables([(1 << index, 5, AT_BARRIER + state) for index, state in enumerate(states)])
        before, all_there = rows_of(paths), set(states) <= {number, later}
        assert all_arrive(paths, WARP, number) == int(all_there)
        opened = [(mask, pc, READY if state == AT_BARRIER + number else state) for mask, pc, state in before]
        assert rows_of(paths) == (opened if all_there else before)


def test_each_group_that_waited_for_the_whole_warp_executes_its_own_instruction():
    paths, _ = tables([(1, 5, AT_BARRIER + WHOLE_WARP), (6, 9, READY)])
    paths.called[WARP] = 8
    call(paths, WARP)
    assert rows_of(paths) == [(1, 4, READY), (6, 8, READY)] and paths.called[WARP] == 15


def test_where_all_groups_wait_when_none_runs():
    chosen = random.Random(1)
    for _ in range(300):
        known = [READY, AT_RECONVERGENCE, AT_BARRIER, AT_BARRIER + 1, AT_BARRIER + WHOLE_WARP, AT_BARRIER + WHOLE_WARP]
        states = [chosen.choice(known) for _ in range(chosen.randrange(4))]
        paths, _ = tables([(1 << index, 5, state) for index, state in enumerate(states)])
        paths.state[WARP, len(states)] = AT_BARRIER + 4
        first = sorted(set(states) - {AT_BARRIER + WHOLE_WARP}) or states[:1]
        same = len(first) == 1 and first[0] >= AT_BARRIER
        assert left_at_barrier(paths, WARP) == (states.index(first[0]) if same else -1), states
