"""The device: its units work in each cycle, one after the other, and time jumps over the cycles in which nothing can happen.

The units and their order are rows of `units.py`: the dispatcher, the cores (issue, then load/store), barriers across cores, the memory
system. Each says when it next has something to do, and the cycles up to then are skipped. If none ever has, and something of the launch is
left, the kernel is deadlocked.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import MEMORY_ROWS_A_CYCLE, ROWS_A_CYCLE
from warploom.machine.accounting.faults import FAULT_NUMBER, Fault, raise_fault
from warploom.machine.accounting.status import DONE, EVENTS_FULL, LIMIT
from warploom.machine.accounting.status import FAULT as FAULTED
from warploom.machine.device.units import DEVICE_UNITS, is_done, next_event, step_units
from warploom.machine.engine.bits import EMPTY, lowest
from warploom.machine.engine.unit import FOREVER, inlined, record, unit

DEADLOCK = FAULT_NUMBER["deadlock"]

Log = record(
    settings=dict(
        tracing="i8",                              # 1: events are written down
    ),
    state=dict(
        rows="i8",                                 # events in the buffer
    ),
)  # fmt: skip

Gpu = record(
    settings=dict(
        cores="i8",
        every_cycle="i8",                          # 1: the scheduling policy runs in every cycle
        has_dram="i8",                             # 1: memory is DRAM; 0: channels
        line_shift="i8",                           # log2 of the bytes of a core's line
        sector_shift="i8",                         # log2 of the bytes of a sector
    ),
    launch=dict(
        memory_bytes="i8",
    ),
    state=dict(
        now="i8",                                  # cycles since the start
        live="i8",                                 # warps that run or drain
        progress="i8",                             # last cycle in which memory changed, a warp ended or a barrier opened
        room_since="i8",                           # last cycle in which a warp slot became free
        fault=Fault,
        log=Log,
        halted="i8",                               # 1: the program has stopped the device
        stop="i8",                                 # how the run ends, when that is certain: a stop code; LIMIT: it is not
        end="i8",                                  # ... and the cycle in which it does, which may lie ahead
        **{name: kind for row in DEVICE_UNITS for name, kind in row.state.items()},
    ),
)  # fmt: skip


@unit
def run(gpu, cores, tables, units, limit):
    """Simulate until cycle `limit`, the end, a fault, or a full event buffer; returns a stop code of `accounting/status.py`.

    No cycle from `limit` on is simulated. A run that has ended stays as it is, and gives the same code again.
    """
    if gpu.stop != LIMIT:
        return _go_to_end(gpu, limit)
    capacity = tables.events.shape[0] - ROWS_A_CYCLE * gpu.cores - MEMORY_ROWS_A_CYCLE
    if gpu.now < gpu.grid.launch_latency:
        gpu.now = max(np.int64(gpu.now), min(np.int64(gpu.grid.launch_latency), np.int64(limit)))
    while gpu.now < limit:
        now = gpu.now
        if gpu.log.tracing != 0 and gpu.log.rows > capacity:
            return EVENTS_FULL
        soonest = step_units(gpu, cores, tables, units, now)
        if gpu.fault.kind != 0:
            return _end(gpu, FAULTED, now + 1, limit)
        if gpu.halted != 0:
            return _end(gpu, DONE, now + 1, limit)
        if is_done(gpu):
            return _end(gpu, DONE, max(np.int64(now), np.int64(gpu.written)) + 1, limit)
        if soonest > now + 1:
            soonest = next_event(gpu, now)
        if soonest == FOREVER:
            _report_deadlock(gpu, cores, now)
            return _end(gpu, FAULTED, now, limit)
        if gpu.every_cycle != 0:
            soonest = now + 1
        gpu.now = min(max(soonest, now + 1), limit)
    return LIMIT


@inlined
def _end(gpu, code, cycle, limit):
    """It is certain now that the run ends, how, and in which cycle. Returns the stop code for a `limit`."""
    gpu.stop = code
    gpu.end = cycle
    return _go_to_end(gpu, limit)


@unit
def _go_to_end(gpu, limit):
    """The clock goes on to the end of the run, on whose way only stores are left, or to `limit`. Returns the stop code."""
    gpu.now = max(np.int64(gpu.now), min(np.int64(gpu.end), np.int64(limit)))
    return np.int64(gpu.stop) if gpu.now >= gpu.end else np.int64(LIMIT)


@unit
def _report_deadlock(gpu, cores, now):
    """A fault for the lowest warp of each core: of several the first is kept."""
    for number in range(gpu.cores):
        if cores[number].warps.active != EMPTY:
            warp = lowest(cores[number].warps.active)
            warps = cores[number].warps
            raise_fault(gpu.fault, DEADLOCK, number, warp, warps.pc[warp], warps.mask[warp], 0, 0, now)
