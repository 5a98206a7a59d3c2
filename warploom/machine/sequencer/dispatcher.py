"""Dispatcher: cuts the threads of a launch into blocks and hands each free core the next one.

In hardware: two counters (blocks handed out, blocks done) and three lines to every core: start and reset, and done on the way back.
A core that has ended its block is reset for one cycle and started again; from the end of a block to the next one's first
fetch it takes 3 cycles. Lower cores get lower block numbers, because the counter moves on within a cycle.

The device control register is the one register that the host writes before it starts the GPU: how many threads there
are, 8 bits. Nothing else can be said to tiny-gpu: no grid of several dimensions, no arguments.

Source: tiny-gpu, src/dispatch.sv and src/dcr.sv.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, lowest, popcount, rest
from warploom.machine.engine.unit import inlined, record, unit

Dispatcher = record(
    launch=dict(
        threads="i8",             # threads of the launch: the device control register
        total="i8",               # blocks of the launch
    ),
    inputs=dict(
        finished="u8",            # done lines of the cores, bit c = core c
    ),
    state=dict(
        started="i8",             # 1: the host has said go
        done="i8",                # 1: every block has ended; stays up
        dispatched="i8",          # blocks handed out
        ended="i8",               # blocks done
        start="u8",               # start lines, bit c = core c
        reset="u8",               # reset lines, bit c = core c
    ),
)  # fmt: skip


@inlined
def clock_edge(gpu, cores, finished):
    """One clock edge. finished: the cores' done lines before it. Returns 1 when something has changed."""
    d = gpu.dispatcher
    if d.started == 0:
        d.started = 1
        return 1
    moved = np.int64(0)
    if d.ended == d.total and d.done == 0:
        d.done = 1
        moved = np.int64(1)
    ending = d.start & finished
    if d.reset != EMPTY:
        hand_out(gpu, cores)
        moved = np.int64(1)
    if ending != EMPTY:
        d.ended = d.ended + popcount(ending)
        d.reset = d.reset | ending
        d.start = d.start & ~ending
        moved = np.int64(1)
    return moved


@unit
def hand_out(gpu, cores):
    """Every core that has just been reset gets the next block, the last one with as many threads as are left."""
    d = gpu.dispatcher
    left = d.reset
    d.reset = EMPTY
    while left != EMPTY:
        number = lowest(left)
        left = rest(left)
        if d.dispatched < d.total:
            core = cores[number]
            core.block = d.dispatched
            core.threads = min(d.threads - d.dispatched * gpu.threads_per_block, gpu.threads_per_block)
            core.enabled = ~EMPTY >> np.uint64(64 - core.threads)
            d.start = d.start | bit(number)
            d.dispatched = d.dispatched + 1
