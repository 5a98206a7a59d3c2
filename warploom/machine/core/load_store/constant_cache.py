"""Constant cache: a small cache, and a larger one after it, for data that no thread writes and all lanes of a warp mostly read together.

In hardware: 2 KiB beside the pipelines of a multiprocessor, and some 64 KiB after it. It gives one word a pass, to all lanes that want
that word, so a warp that reads the same constant everywhere takes one pass, and one whose lanes read 32 different words takes 32. It costs
little, because it has one port and no stores.

Waiting for a load that hits is accounted like waiting for shared memory; for one that misses, to `imc_miss`. A line in flight is not
requested again. A word in neither level comes from memory after a fixed time, and uses no bandwidth there.

Sources: sizes, lines and latencies are those of microbenchmarks, see the presets; one word a pass: CUDA C++ Programming Guide,
"Constant Memory".
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.reasons import IMC_MISS, SHORT_SCOREBOARD
from warploom.machine.engine.unit import record, unit

MAX_CONSTANT_LINES = 1024

ConstantLevel = record(
    side_by_side=(MAX_CONSTANT_LINES,),
    settings=dict(
        sets="i8",                           # 0: there is none
        ways="i8",
        line_shift="i8",                     # log2 of the bytes of a line
        latency="i8",                        # cycles from the issue to the first cycle in which a word that is here can be used
    ),
    state=dict(                              # [set * ways + way]
        tag=("i8", MAX_CONSTANT_LINES),      # line number + 1; 0: empty
        here=("i8", MAX_CONSTANT_LINES),     # first cycle in which a lookup finds the line; before, it is in flight
        used=("i8", MAX_CONSTANT_LINES),     # number of its last lookup: the lowest one of a set leaves
        lookups="i8",
    ),
    counters=dict(
        hits="i8",
        misses="i8",
    ),
)  # fmt: skip

ConstantCache = record(
    settings=dict(
        memory_latency="i8",                 # cycles from the issue to the use of a word that is in no level
    ),
    state=dict(
        first=ConstantLevel,
        second=ConstantLevel,
        ready="i8",                          # of the bundle that issues: first cycle in which what it reads can be used; 0: it reads none
        reason="i8",                         # what a warp that waits for it is accounted to
    ),
)  # fmt: skip


@unit
def access_constants(core, registers, lanes, words, now):
    """Look up what is at `access.address` of the active lanes, one after the other; writes `ready` and `reason`.

    words: that a lane wants there, 1 or 2, in a pass each; two lie in one line.
    """
    constants = core.constants
    access = core.access
    passes = np.int64(0)
    until = np.int64(now + 1)
    for lane in range(lanes):
        if registers.active[lane] != 0 and not _wanted_before(access.address, registers.active, lane):
            passes += words
            until = max(until, _look_up(constants, np.int64(access.address[lane]), now) + passes - 1)
    constants.ready = max(np.int64(constants.ready), until)


@unit
def _wanted_before(addresses, active, lane):
    """Whether a lane before this one wants the same word."""
    found = False
    for other in range(lane):
        found |= active[other] != 0 and addresses[other] >> np.uint32(2) == addresses[lane] >> np.uint32(2)
    return found


@unit
def _look_up(constants, address, now):
    """The first cycle in which the word at an address can be used. Brings its line into both levels."""
    first, second = constants.first, constants.second
    way = _find(first, address)
    if way >= 0:
        if first.here[way] <= now:
            first.hits = first.hits + 1
            return np.int64(now + first.latency)
        constants.reason = IMC_MISS
        first.misses = first.misses + 1
        return max(np.int64(first.here[way]), np.int64(now + first.latency))
    first.misses = first.misses + 1
    constants.reason = IMC_MISS
    way = _find(second, address)
    done = np.int64(now + constants.memory_latency)
    if way >= 0:
        done = max(np.int64(now + second.latency), np.int64(second.here[way]))
        second.hits = second.hits + 1
    else:
        second.misses = second.misses + 1
        _bring(second, address, done)
    _bring(first, address, done)
    return done


@unit
def _find(level, address):
    """The index of the line that holds an address; -1 when it is not there."""
    line = address >> level.line_shift
    level.lookups = level.lookups + 1
    if level.sets == 0:
        return np.int64(-1)
    begin = line % level.sets * level.ways
    for way in range(begin, begin + level.ways):
        if level.tag[way] == line + 1:
            level.used[way] = level.lookups
            return np.int64(way)
    return np.int64(-1)


@unit
def _bring(level, address, here):
    """A line comes; the least recently used one of its set leaves."""
    if level.sets == 0:
        return
    line = address >> level.line_shift
    begin = line % level.sets * level.ways
    victim = begin
    for way in range(begin, begin + level.ways):
        if level.used[way] < level.used[victim]:
            victim = way
    level.tag[victim] = line + 1
    level.here[victim] = here
    level.used[victim] = level.lookups


@unit
def begin_bundle(constants):
    """A bundle issues: it has read no constant yet."""
    constants.ready = 0
    constants.reason = SHORT_SCOREBOARD
