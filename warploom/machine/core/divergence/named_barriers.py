"""Convergence barriers that a program names: its instructions alone determine where its lanes reconverge.

In hardware (NVIDIA since Volta): 16 registers per warp, B0 to B15, each a lane mask. BSSY writes the lanes that are active into one; BSYNC
waits until all of its lanes that have not ended are at one for the same register; BREAK takes lanes out of it; BMOV reads and writes it.
Lanes that have diverged run separately until then, even if they reach the same instruction: a side runs until it waits or ends, and the
side that was put aside last runs next. YIELD lets the side run that has waited longest; if none is ready, the lanes that wait for the
yielding ones continue, so a lane that holds a lock hands it over.

A machine whose program names its barriers, on `its`, has the functions of BY_NAME in place of those of `its.py`.

Source: which side runs, the lanes at each mark and the order in which locks are handed over on an H100 (tests/golden/h100/divergence.json);
the instructions: "Control Flow Management in Modern GPUs", arXiv:2407.02944; US 10,067,768.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import EMPTIES, NUMBER
from warploom.machine.core.divergence import its
from warploom.machine.core.divergence.its import NAMES, open_barriers
from warploom.machine.core.divergence.path_table import NAMED, READY, merge, note_diverged, put_aside, remove, run_group, split_group
from warploom.machine.engine.bits import EMPTY
from warploom.machine.engine.swaps import Swaps
from warploom.machine.engine.unit import out_of_line, unit

CONVERGE, AWAIT_LANES, LEAVE_LANES = (NUMBER[name] for name in ("converge", "await_lanes", "leave_lanes"))
READ_CONVERGING, WRITE_CONVERGING = NUMBER["read_converging"], NUMBER["write_converging"]


@out_of_line
def use_named_barrier(paths, barriers, warps, warp, part, op, number, value):
    """Lanes `part` execute an instruction of a barrier, which the PC is after. number: the instruction's. value: what WRITE_CONVERGING
    writes. Returns the lanes that the barrier had, or has."""
    empties = number & EMPTIES
    number = number % NAMES
    if op == CONVERGE:
        barriers.converging[warp, number] = part
    elif op == LEAVE_LANES:
        barriers.converging[warp, number] &= ~part
    elif op == READ_CONVERGING:
        named = np.uint64(barriers.converging[warp, number])
        if empties != 0:
            barriers.converging[warp, number] = EMPTY
        return named
    elif op == WRITE_CONVERGING:
        barriers.converging[warp, number] = value & warps.threads[warp]
    elif op == AWAIT_LANES:
        _await(paths, barriers, warps, warp, number)
    return np.uint64(barriers.converging[warp, number])


@unit
def _await(paths, barriers, warps, warp, number):
    """The running lanes wait for the others of a barrier; those that are not its lanes continue."""
    if warps.mask[warp] & barriers.converging[warp, number] == EMPTY:
        return
    if _missing(paths, barriers, warps, warp, number) & ~warps.mask[warp] != EMPTY:
        put_aside(paths, warps, warp, NAMED - number)
        return
    for index in range(np.int64(paths.count[warp]) - 1, -1, -1):
        if paths.state[warp, index] == NAMED - number:
            if paths.pc[warp, index] == warps.pc[warp]:
                warps.mask[warp] |= paths.mask[warp, index]
                remove(paths, warp, index)
            else:
                paths.state[warp, index] = READY
    barriers.converging[warp, number] = EMPTY


@unit
def _missing(paths, barriers, warps, warp, number):
    """The lanes of a barrier that have not ended and do not wait there."""
    missing = barriers.converging[warp, number] & warps.threads[warp]
    for index in range(np.int64(paths.count[warp])):
        if paths.state[warp, index] == NAMED - number:
            missing = missing & ~paths.mask[warp, index]
    return missing


@unit
def branch_by_name(paths, barriers, warps, warp, taken, target, reconvergence_pc):
    """Lanes `taken` go to `target`, the other active ones to the next instruction. They join no barrier; reconvergence_pc is ignored."""
    split_group(paths, warps, warp, taken, target)


@unit
def select_by_name(paths, barriers, warps, warp):
    """After a change of PC or of the live lanes: if no lanes run any more, the side that was put aside last does."""
    if warps.mask[warp] == EMPTY:
        _next(paths, barriers, warps, warp, 0)
        merge(paths, warps, warp)
    note_diverged(paths, warps, warp)


@unit
def yield_by_name(paths, barriers, warps, warp, yields, waits):
    """The running group yields, or has jumped back, which counts as a yield once in `patience` times. waits: ignored."""
    barriers.backward_jumps[warp] += 1
    if yields == 0 and barriers.backward_jumps[warp] < barriers.patience:
        return
    barriers.backward_jumps[warp] = 0
    if _may_run(paths, barriers, warps, warp, 1) >= 0:
        put_aside(paths, warps, warp, READY)
        _next(paths, barriers, warps, warp, 1)
        merge(paths, warps, warp)


BY_NAME: Swaps = ((its.branch, branch_by_name), (its.select_path, select_by_name), (its.backward_jump_or_yield, yield_by_name))


@unit
def _next(paths, barriers, warps, warp, oldest):
    """The path put aside last runs, or first with `oldest`; none if none may."""
    open_barriers(paths, barriers, warps, warp)  # lanes may have ended for which others wait
    row = _may_run(paths, barriers, warps, warp, oldest)
    if row >= 0:
        run_group(paths, warps, warp, row)


@out_of_line
def _may_run(paths, barriers, warps, warp, oldest):
    """The row of the path that runs next: if none is ready, those that wait at barriers continue. -1: there is none."""
    _open(paths, barriers, warps, warp)
    if _ready(paths, warp, oldest) < 0:
        _release(paths, barriers, warp)
    return _ready(paths, warp, oldest)


@unit
def _open(paths, barriers, warps, warp):
    """Lanes continue if those that they waited for have ended or left the barrier."""
    for index in range(np.int64(paths.count[warp])):
        if paths.state[warp, index] <= NAMED:
            number = NAMED - np.int64(paths.state[warp, index])
            if _missing(paths, barriers, warps, warp, number) == EMPTY:
                for other in range(np.int64(paths.count[warp])):
                    if paths.state[warp, other] == NAMED - number:
                        paths.state[warp, other] = READY
                barriers.converging[warp, number] = EMPTY


@unit
def _ready(paths, warp, oldest):
    """The row of the path that runs next: the one put aside last, or first; -1 when none is ready."""
    found = np.int64(-1)
    for index in range(np.int64(paths.count[warp])):
        if paths.state[warp, index] == READY and (found < 0 or oldest == 0):
            found = np.int64(index)
    return found


@unit
def _release(paths, barriers, warp):
    """Lanes that wait at barriers continue without the others, which need not wait for them either."""
    for index in range(np.int64(paths.count[warp])):
        if paths.state[warp, index] <= NAMED:
            barriers.converging[warp, NAMED - np.int64(paths.state[warp, index])] &= ~paths.mask[warp, index]
            paths.state[warp, index] = READY
