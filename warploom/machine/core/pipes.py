"""Execution pipes: when an ALU can take an instruction, and when the result is there.

An ALU is a pipe of `depth` slots. An instruction enters slot 0; at the end of every cycle everything
moves by one slot, unless the last slot holds an operation that has not finished: then the whole pipe stalls.
So a divide of 4 cycles in a pipe of 1 slot blocks the ALU for 4 cycles. With depth 0 nothing ever stalls: the
usual fully pipelined unit. An ALU narrower than the warp takes a warp instruction in several passes, one per
cycle (the *chime* of vector machines). A dependent instruction follows pass by pass (*chaining*), so a result can be used as soon
as that of the first pass can.

All that can delay an instruction is older than it, so its finishing time is known when it enters: that is what
`accept` computes, without stepping the slots. Sources: the pipes of aschrein/guppy (`valu_clock`); chime and chaining: Russell, "The
CRAY-1 computer system", CACM 1978.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.bits import EMPTY, lowest, ones, rest
from warploom.machine.engine.comparators import PLACES, not_after
from warploom.machine.engine.unit import inlined, record, unit

MAX_PIPES = 64
RING = 32  # instructions that a pipe can hold

Pipes = record(
    side_by_side=((MAX_PIPES, RING),),
    settings=dict(
        count="i8",                           # pipes, at most MAX_PIPES
        depth="i8",                           # slots of a pipe; 0: no pipe ever stalls
        passes="i8",                          # cycles that a warp instruction takes to enter: lanes / width
    ),
    state=dict(
        idle="u8",                            # pipes that take an instruction in this cycle: bit p = pipe p
        free=("i8", MAX_PIPES),               # first cycle in which slot 0 is empty
        head=("i8", MAX_PIPES),               # youngest entry of the ring
        stop_from=("i8", (MAX_PIPES, RING)),  # an instruction waits unfinished in the last slot from this cycle ...
        stop_to=("i8", (MAX_PIPES, RING)),    # ... up to, not including, this one
    ),
    counters=dict(
        busy=("i8", MAX_PIPES),               # warp instructions taken
    ),
)  # fmt: skip


def configure(pipes: Any, count: int, width: int, depth: int, lanes: int) -> None:
    """Set up all-zero `Pipes` through their mirror. width: lanes that a pipe takes in a cycle, 0 for a whole warp of so many lanes."""
    pipes.count, pipes.depth, pipes.passes = count, depth, -(-lanes // (width or lanes))


@inlined
def find_idle_pipes(pipes, now):
    """Find the pipes that can take an instruction in cycle `now`."""
    idle = EMPTY
    for first in range(0, pipes.count, PLACES):
        idle = idle | not_after(pipes.free, first, now) << np.uint64(first)
    pipes.idle = idle & ones(pipes.count)


@unit
def next_free(pipes):
    """The first cycle in which some pipe is free."""
    soonest = pipes.free[0]
    for pipe in range(1, pipes.count):
        soonest = min(soonest, pipes.free[pipe])
    return np.int64(soonest)


@inlined
def accept(pipes, now, latency):
    """Put an instruction of `latency` cycles into the first idle pipe; returns the first cycle in which its result can be used."""
    pipe = lowest(pipes.idle)
    pipes.idle = rest(pipes.idle)
    pipes.busy[pipe] += 1
    if pipes.depth == 0:
        pipes.free[pipe] = now + pipes.passes
        until = np.int64(now + latency)
    else:
        until = _enter(pipes, pipe, now, latency)
    return until


@unit
def _enter(pipes, pipe, now, latency):
    """`accept` for a pipe that may stall. Returns the first cycle in which the result can be used."""
    stop = np.int64(now)  # first cycle of which it is not known that the pipe stalls
    last_slot = now + pipes.depth - 1
    head = pipes.head[pipe]
    for age in range(pipes.depth - 1, -1, -1):  # oldest first; no more than `depth` are in the pipe
        entry = (head - age) & (RING - 1)
        begin = max(pipes.stop_from[pipe, entry], now)
        end = pipes.stop_to[pipe, entry]
        if end > begin:
            last_slot += end - begin
            if begin <= stop:
                stop = max(stop, end)
    finished = max(last_slot, now + latency - 1)
    head = (head + 1) & (RING - 1)
    pipes.head[pipe] = head
    pipes.stop_from[pipe, head] = last_slot
    pipes.stop_to[pipe, head] = finished
    if last_slot <= stop:
        stop = max(stop, finished)
    pipes.free[pipe] = max(stop + 1, now + pipes.passes)
    return np.int64(finished + 1)
