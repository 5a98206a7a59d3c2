"""Warps that a program starts itself (Vortex): what puts them in order.

* A barrier is for as many warps as its instruction says. When it opens, those that have come know what each of them did, and what each of
  them knew. One that nobody else is waited for at changes nothing between warps. A barrier across cores counts when as many cores have
  come as are expected; then all cores are in order, those that were not expected too.
* A start of warps: those that begin know what the one that starts them did and knew. Until 2022 the instruction also ends or restarts the
  warps that run, so it knows what they did. From 2023 on it waits until all others have ended, and knows what they did then.
* A read of the mask of active warps: what the warps that are not in it did is over, and known from then on.

Nothing follows from an end of a warp as such, and nothing from a plain word that a program polls.

Who has come to a barrier is asked of the machine, which counts. Where lanes of a warp come one after the other, each of them is taken as
the last: so an order may be noted too early, but what the later lanes did until they came is noted with them.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.order import share_with_block
from warploom.checks.shadow import (
    ANY_WORD,
    ASKED,
    ASKS,
    BLOCK_ACQUIRED,
    BLOCK_ACQUIRED_AT,
    GRID_OPENED,
    LEARNED,
    OPENED,
    OPENED_SHARED,
    tick,
)
from warploom.checks.watch import watch
from warploom.isa.uop import ALU, CONTROL, IMM, NUMBER, OP, SPECIAL_NUMBER, UNIT, A, B
from warploom.machine.core.divergence.split_join import operand
from warploom.machine.core.warp_control import ACROSS_CORES
from warploom.machine.engine.bits import EMPTY, ONE, bit, has, lowest, ones, popcount, rest
from warploom.machine.engine.unit import out_of_line, unit

CORE_BARRIER, SPAWN, SPAWN_ALONE, READ_SPECIAL = (NUMBER[name] for name in ("core_barrier", "spawn", "spawn_alone", "special"))
ACTIVE_WARPS = SPECIAL_NUMBER["core_warps"]


@unit
def watch_warps(gpu, core, warp, pc, tables, k, now):
    """As `watch`, in a program that starts its warps itself."""
    executes = tables.uops[k, UNIT]
    op = tables.uops[k, OP]
    if executes == ALU:
        if op == READ_SPECIAL and tables.uops[k, IMM] == ACTIVE_WARPS:
            _note_ends(core, warp, tables)
    elif tables.findings[0, ASKS] != 0 and core.spawn.waiting == EMPTY:
        _note_alone(core, warp, tables)
    if executes == CONTROL:
        if op == CORE_BARRIER:
            _note_barrier(gpu, core, warp, tables, k)
        elif op == SPAWN:
            _note_start(core, warp, tables)
        elif op == SPAWN_ALONE:
            _note_ask(core, tables)
    watch(gpu, core, warp, pc, tables, k, now)


@out_of_line
def _note_ends(core, warp, tables):
    """A warp learns which warps of its core have ended."""
    ended = ones(core.warps.slots) & ~core.blocks.alive[core.warps.block[warp]]
    _learn(core, warp, tables, bit(warp), ended, tick(tables))


@out_of_line
def _note_ask(core, tables):
    """A warp asks to be alone."""
    if tables.warps[core.number * core.warps.slots, ASKED] == 0:
        tables.warps[core.number * core.warps.slots, ASKED] = 1
        tables.findings[0, ASKS] += 1


@out_of_line
def _note_alone(core, warp, tables):
    """No warp of the core waits to be alone: where one did, its order has just been carried out."""
    if tables.warps[core.number * core.warps.slots, ASKED] != 0:
        tables.warps[core.number * core.warps.slots, ASKED] = 0
        tables.findings[0, ASKS] -= 1
        every = ones(core.warps.slots)
        _learn(core, warp, tables, every, every, tick(tables))


@out_of_line
def _note_start(core, warp, tables):
    """A warp starts others at once. Warp 0, which no warp starts and none ends, goes on by itself where a different one says so."""
    taking_part = ones(core.warps.slots)
    if warp != 0 and has(core.blocks.alive[core.warps.block[warp]], 0):
        taking_part = taking_part & ~ONE
    _learn(core, warp, tables, taking_part, taking_part, tick(tables))


@out_of_line
def _note_barrier(gpu, core, warp, tables, k):
    """A warp comes to a barrier, and may be the last one."""
    slot = np.int64(core.warps.block[warp])
    number = np.int64(operand(core, warp, tables, k, A, 0))
    expected = np.int64(operand(core, warp, tables, k, B, 1))
    across = number & ACROSS_CORES != 0 and expected >= tables.uops[k, IMM]
    number = number & (ACROSS_CORES - 1)
    came = bit(warp)
    time = tick(tables)
    if number >= core.barriers.count:  # a fault, or nobody is waited for
        across = False
    elif across and core.blocks.alive[slot] & ~core.barriers.at_grid & ~came == EMPTY:
        across = popcount(gpu.core_barriers.cores[number] | bit(core.number)) >= expected
    elif across or expected <= 1:
        across = False
    elif popcount(came | core.barriers.arrived[slot, number]) >= expected:
        came = came | core.barriers.arrived[slot, number]
    if across:
        _open_across(tables, time)
    elif came != bit(warp) or tables.findings[0, LEARNED] != 0:
        _learn(core, warp, tables, came, came, time)
    else:
        row = np.int64(core.blocks.number[slot]) * core.warps.slots + warp
        tables.known[row, warp] = time


@unit
def _open_across(tables, time):
    """A barrier across cores opens: all threads know what all did."""
    tables.findings[0, GRID_OPENED] = time
    for row in range(tables.blocks.shape[0]):
        tables.blocks[row, OPENED] = time
        tables.blocks[row, OPENED_SHARED] = time


@unit
def _learn(core, warp, tables, learners, told, time):
    """Warps `learners` know from now on what they and the warps `told` did and knew until `time`. warp: one of their core."""
    slots = np.int64(core.warps.slots)
    first = np.int64(core.blocks.number[core.warps.block[warp]]) * slots
    both = learners | told
    if tables.findings[0, LEARNED] != 0:
        _learn_of_words(core, tables, learners, both, first)
    known_of_all = time
    for other in range(slots):
        latest = time
        left = both
        if not has(both, other):
            latest = np.int64(0)
            while left != EMPTY:
                latest = max(latest, np.int64(tables.known[first + lowest(left), other]))
                left = rest(left)
        left = learners
        while left != EMPTY:
            tables.known[first + lowest(left), other] = latest
            left = rest(left)
        known_of_all = min(known_of_all, latest)
    while learners != EMPTY:
        row = tables.blocks[first + lowest(learners)]
        row[OPENED] = max(np.int64(row[OPENED]), known_of_all)
        row[OPENED_SHARED] = row[OPENED]
        learners = rest(learners)


@out_of_line
def _learn_of_words(core, tables, learners, both, first):
    """The same of the words that they have met. first: the row of the core's first warp."""
    word = np.int64(0)
    word_at = np.int64(0)
    while both != EMPTY:
        one = first + lowest(both)
        both = rest(both)
        for lane in range(core.warps.lanes):
            share_with_block(tables, one, one * core.warps.lanes + lane)
        row = tables.blocks[one]
        if row[BLOCK_ACQUIRED] != 0:
            word = np.int64(row[BLOCK_ACQUIRED] if word == 0 or word == row[BLOCK_ACQUIRED] else ANY_WORD)
            word_at = max(word_at, np.int64(row[BLOCK_ACQUIRED_AT]))
    while learners != EMPTY:
        row = tables.blocks[first + lowest(learners)]
        row[BLOCK_ACQUIRED] = word
        row[BLOCK_ACQUIRED_AT] = word_at
        learners = rest(learners)
