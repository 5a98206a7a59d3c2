"""Crossbar: the network between the cores and the slices of the second-level cache.

In hardware: a switch with a port for each core and each slice, and in every port a path for either direction, some bytes wide. A request
travels as one flit with its address, or as its data take; an answer likewise. Its cost grows with cores x slices, which is why ports are
narrower than a line: with 32 bytes per cycle the answer for a line of 128 takes four cycles.

A path takes what comes to it in order. Only the ports are counted, not the switch between them, whose buffers are as deep as the cores'
limits of what may be in flight (`l1.mshrs`, `lsu.stores`). A crossing takes at least one cycle; the latency of the wire is part of
`l2.latency`. Without a width there is no crossbar, and everything crosses immediately.

Source: GPGPU-Sim and Accel-Sim, a crossbar with flits of 40 bytes, 32 of them data.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.sizes import MAX_CORES, MAX_SLICES
from warploom.machine.engine.unit import inlined, record

Crossbar = record(
    side_by_side=(MAX_CORES,),
    settings=dict(
        core_bytes="i8",                   # a cycle and direction, of a core's port; 0: no limit
        slice_bytes="i8",                  # ... of a slice's port; 0: no limit
        pass_out="i8",                     # cycles that a pass of an atomic keeps the core's port; 0: as its sectors do
        pass_back="i8",                    # ... its result, on the way back
    ),
    state=dict(
        to_slices=("i8", MAX_CORES),       # by core: first cycle in which its port takes something to send
        to_cores=("i8", MAX_CORES),        # by core: ... in which something to receive
        out_of_slice=("i8", MAX_SLICES),   # by slice: first cycle in which its port takes an answer
    ),
)  # fmt: skip


@inlined
def cycles_for(size, width):
    """Cycles that something with `size` bytes of data keeps a path of a width; 1 without a limit."""
    return np.int64(1) if size <= width or width == 0 else np.int64((size + width - 1) // width)


@inlined
def leave_core(crossbar, core, size, least, now):
    """A request with `size` bytes of data wants to leave its core in cycle `now`, and takes `least` cycles. Returns when it has crossed.

    The slice's port is kept by what the slice is busy with: it takes data as it looks their lines up (l2.py).
    """
    if crossbar.core_bytes == 0:
        return np.int64(now)
    start = max(np.int64(now), np.int64(crossbar.to_slices[core]))
    taken = max(cycles_for(size, crossbar.core_bytes), np.int64(least))
    crossbar.to_slices[core] = start + taken
    return np.int64(start + max(np.int64(1), np.int64(least)))


@inlined
def cross_back(crossbar, slice, core, size, least, now):
    """An answer with `size` bytes of data is ready in cycle `now`, and keeps its core's port `least` cycles. Returns when that has it."""
    start = np.int64(now)
    taken = np.int64(1)
    if crossbar.slice_bytes > 0:
        start = max(start, np.int64(crossbar.out_of_slice[slice]))
        taken = cycles_for(size, crossbar.slice_bytes)
        crossbar.out_of_slice[slice] = start + taken
    if crossbar.core_bytes > 0:
        start = max(start, np.int64(crossbar.to_cores[core]))
        own = max(cycles_for(size, crossbar.core_bytes), np.int64(least))
        crossbar.to_cores[core] = start + own
        taken = max(taken, own)
    return np.int64(start + taken - 1)
