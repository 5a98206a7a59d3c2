"""The slot of the divergence mechanism: which of a warp's paths runs, and how lanes that disagree at a branch part.

A machine with a user's mechanism has a PC a path (`core.divergence` is `minpc` to all other parts of it): lanes exit, jump through
registers and come to barriers path by path, as under every built-in mechanism whose paths run in any order. The mechanism decides only the
order.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.core.divergence.mechanism import backward_jump_or_yield, diverge, select_path
from warploom.machine.core.divergence.path_table import MAX_PATHS, READY, PathTable, note_diverged, split_group
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.swaps import Socket, Swaps
from warploom.machine.engine.unit import unit
from warploom.machine.slots.slot import Door
from warploom.machine.slots.verbs import Mechanism

NUMBER, MASK = np.dtype(np.int64), np.dtype(np.uint64)
SELECT = ((None, (PathTable, Warps, NUMBER)),)
BRANCH = ((None, (PathTable, Warps, NUMBER, MASK, NUMBER, NUMBER)),)
BACKWARD = ((None, (PathTable, Warps, NUMBER, NUMBER, NUMBER)),)


@unit
def users_select(paths, warps, warp):
    """A user's function stands in this place."""


@unit
def users_branch(paths, warps, warp, taken, target, reconvergence_pc):
    """A user's function stands in this place."""


@unit
def users_backward(paths, warps, warp, yields, waits):
    """A user's function stands in this place."""


@unit
def select_path_users(core, warp):
    """`select_path` in a machine with a user's mechanism."""
    core.path_table.lanes[warp] = lanes_of(core.path_table, core.warps, warp)
    users_select(core.path_table, core.warps, warp)
    note_diverged(core.path_table, core.warps, warp)


@unit
def diverge_users(gpu, core, warp, taken, target, reconvergence_pc):
    """`diverge` in a machine with a user's mechanism."""
    core.path_table.lanes[warp] = lanes_of(core.path_table, core.warps, warp)
    users_branch(core.path_table, core.warps, warp, taken, target, reconvergence_pc)
    note_diverged(core.path_table, core.warps, warp)
    return np.int64(0)


@unit
def backward_jump_or_yield_users(core, warp, yields, waits):
    """`backward_jump_or_yield` in a machine with a user's mechanism."""
    core.path_table.lanes[warp] = lanes_of(core.path_table, core.warps, warp)
    users_backward(core.path_table, core.warps, warp, yields, waits)
    note_diverged(core.path_table, core.warps, warp)


@unit
def lanes_of(paths, warps, warp):
    """The lanes of all paths of a warp. A program that manages masks keeps others on a separate stack."""
    found = warps.mask[warp]
    for row in range(paths.count[warp]):
        found |= paths.mask[warp, row]
    return np.uint64(found)


# What is wrong with the paths of a warp after a call, by number; 0 is nothing.
WRONG = (
    "",
    "leaves lanes of a warp on no path, or on two: each live lane is on the path that runs, or on one that waits",
    "leaves a path at a PC that is not in the program",
    "leaves a row in use that has no lanes: a path that ends is taken out of the rows, as run_group does",
    "leaves paths.count[warp] at a number of rows that the table does not have",
    "lets no path run, and one is ready: `run_group` makes it the running one",
)
LOST, NOWHERE, NOBODY, TOO_MANY, IDLE = range(1, len(WRONG))


@unit
def wrong_with_paths(paths, warps, warp):
    """Whether each lane is on one path as before, that runs or waits, and all paths are somewhere in the program: a number of `WRONG`."""
    count = paths.count[warp]
    if count < 0 or count > MAX_PATHS:
        return np.int64(TOO_MANY)
    if warps.pc[warp] < 0 or warps.pc[warp] > paths.code_rows:
        return np.int64(NOWHERE)
    seen = warps.mask[warp]
    for row in range(count):
        lanes = paths.mask[warp, row]
        if lanes == 0:
            return np.int64(NOBODY)
        if lanes & seen != 0:
            return np.int64(LOST)
        if paths.pc[warp, row] < 0 or paths.pc[warp, row] > paths.code_rows:
            return np.int64(NOWHERE)
        seen |= lanes
    return np.int64(0 if seen == paths.lanes[warp] else LOST)


@unit
def wrong_after_select(paths, warps, warp):
    """... and whether a path runs if one is ready."""
    wrong = wrong_with_paths(paths, warps, warp)
    if wrong != 0 or warps.mask[warp] != 0:
        return np.int64(wrong)
    for row in range(paths.count[warp]):
        if paths.state[warp, row] == READY:
            return np.int64(IDLE)
    return np.int64(0)


@unit
def wrong_after_branch(paths, warps, warp, taken, target, reconvergence_pc):
    """As `wrong_with_paths`."""
    return wrong_with_paths(paths, warps, warp)


@unit
def wrong_after_backward(paths, warps, warp, yields, waits):
    """As `wrong_with_paths`."""
    return wrong_with_paths(paths, warps, warp)


def swaps(mechanism: Mechanism) -> Swaps:
    """Three units, and three functions."""
    return (
        (select_path, select_path_users),
        (diverge, diverge_users),
        (backward_jump_or_yield, backward_jump_or_yield_users),
        (users_select, Socket("divergence.select", mechanism.select, SELECT, wrong=wrong_after_select, reasons=WRONG)),
        (users_branch, Socket("divergence.branch", mechanism.branch or split, BRANCH, wrong=wrong_after_branch, reasons=WRONG)),
        (
            users_backward,
            Socket("divergence.backward", mechanism.backward or continues, BACKWARD, wrong=wrong_after_backward, reasons=WRONG),
        ),
    )


def split(paths, warps, warp, taken, target, reconvergence_pc):
    """What a mechanism without a function for branches does at one: one side runs, the other is ready."""
    split_group(paths, warps, warp, taken, target)


def continues(paths, warps, warp, yields, waits):
    """What a mechanism without a function for jumps back does at one: the same path continues."""


def prepare(gpu: Any, cores: list[Any]) -> None:
    """The path table gets the length of the program."""
    for core in cores:
        core.path_table.code_rows = core.code_rows


DOOR = Door(swaps, prepare)
