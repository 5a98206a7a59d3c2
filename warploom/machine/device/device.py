# mypy: disable-error-code="no-untyped-def"
"""The device: every core is stepped through each cycle, and time jumps over the cycles in which nothing can happen.

The order of a cycle: dispatcher (block_dispatcher.py), cores in order (issue, then load/store), memory system (memory_system.py). Every
part says when it next has something to do, and the cycles up to then are skipped. If no part ever has, and warps are left, the
kernel is deadlocked.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import MEMORY_ROWS_A_CYCLE, ROWS_A_CYCLE
from warploom.machine.accounting.faults import FAULT_NUMBER, Fault, raise_fault
from warploom.machine.accounting.status import DONE, EVENTS_FULL, LIMIT
from warploom.machine.accounting.status import FAULT as FAULTED
from warploom.machine.core.fetch.shared_instruction_cache import SharedFetch
from warploom.machine.core.warps.barrier import open_grid_barrier
from warploom.machine.core.warps.core_barrier import CoreBarriers, open_core_barriers
from warploom.machine.device.block_dispatcher import SPLIT, Grid, dispatch
from warploom.machine.engine.bits import EMPTY, lowest, ones, rest
from warploom.machine.engine.comparators import PLACES, not_after
from warploom.machine.engine.sizes import MAX_CORES
from warploom.machine.engine.unit import FOREVER, inlined, native_form_of, record, unit
from warploom.machine.memory.channels import Channels
from warploom.machine.memory.crossbar import Crossbar
from warploom.machine.memory.dram import Dram
from warploom.machine.memory.event_wheel import Wheel, events_waiting, may_happen, next_time
from warploom.machine.memory.l2 import L2
from warploom.machine.memory.partial_stores import PartialStores

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
        written="i8",                              # memory channels: cycle at whose end the last store is done
        fault=Fault,
        log=Log,
        grid=Grid,
        wake=("i8", MAX_CORES),                    # by core: next cycle in which it has something to do
        unfinished="i8",                           # stores on their way that a core or a slice waits for
        wheel=Wheel,
        crossbar=Crossbar,
        partial_stores=PartialStores,
        l2=L2,
        dram=Dram,
        data_channels=Channels,
        program_channels=Channels,
        shared_fetch=SharedFetch,
        core_barriers=CoreBarriers,
        halted="i8",                               # 1: the program has stopped the device
        stop="i8",                                 # how the run ends, when that is certain: a stop code; LIMIT: it is not
        end="i8",                                  # ... and the cycle in which it does, which may lie ahead
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
        if gpu.grid.low < gpu.grid.high and _may_dispatch(gpu, now):
            dispatch(gpu, cores, tables, now)
        soonest = _step_cores(gpu, cores, tables, units, now)
        if gpu.grid.waiting != 0 and gpu.grid.waiting == gpu.live and gpu.grid.low >= gpu.grid.high:
            open_grid_barrier(gpu, cores, now)
        if gpu.core_barriers.opening != EMPTY:
            open_core_barriers(gpu, cores, now)
        if may_happen(gpu.wheel, now):
            units.memory_system(gpu, cores, tables, now)
        if gpu.fault.kind != 0:
            return _end(gpu, FAULTED, now + 1, limit)
        if gpu.halted != 0:
            return _end(gpu, DONE, now + 1, limit)
        if gpu.live == 0 and gpu.grid.low >= gpu.grid.high and _memory_is_done(gpu):
            return _end(gpu, DONE, max(np.int64(now), np.int64(gpu.written)) + 1, limit)
        if soonest > now + 1:
            soonest = min(_next_core(gpu), next_time(gpu.wheel, now))
        if gpu.grid.low < gpu.grid.high:
            soonest = now + 1 if gpu.room_since >= now or gpu.grid.order == SPLIT else min(soonest, np.int64(gpu.grid.resumes))
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


@inlined
def _may_dispatch(gpu, now):
    """Whether there may be room for a block that there was not when the dispatcher last looked."""
    return gpu.room_since >= now - 1 or gpu.grid.resumes <= now or gpu.grid.order == SPLIT


@inlined
def _step_cores(gpu, cores, tables, units, now):
    """The cores that have something to do in this cycle are stepped, in order. Returns the next cycle in which one of those has.

    What they wake of each other is stepped in a later one.
    """
    soonest = np.int64(FOREVER)
    for number in range(gpu.cores):
        soonest = min(soonest, _step_if_due(gpu, cores, number, tables, units, now))
    return soonest


@native_form_of(_step_cores)
@inlined
def _step_cores_due(gpu, cores, tables, units, now):
    """A host guesses badly which cores have something to do, so the mask of them is made without a branch."""
    soonest = np.int64(FOREVER)
    if gpu.cores == 1 or gpu.every_cycle != 0:
        for number in range(gpu.cores):
            soonest = min(soonest, _step_if_due(gpu, cores, number, tables, units, now))
        return soonest
    for first in range(0, gpu.cores, PLACES):
        left = not_after(gpu.wake, np.int64(first), now) & ones(min(gpu.cores - first, PLACES))
        while left != EMPTY:
            number = first + lowest(left)
            left = rest(left)
            wake = np.int64(units.step(gpu, cores[number], tables, units, now))
            gpu.wake[number] = wake
            soonest = min(soonest, wake)
    return soonest


@inlined
def _step_if_due(gpu, cores, number, tables, units, now):
    """A core is stepped if it has something to do; where its policy runs in every cycle, as long as it has warps.

    Returns the next cycle in which it has something to do.
    """
    if gpu.wake[number] <= now or (gpu.every_cycle != 0 and cores[number].warps.active != EMPTY):
        gpu.wake[number] = units.step(gpu, cores[number], tables, units, now)
    return np.int64(gpu.wake[number])


@inlined
def _next_core(gpu):
    """The next cycle in which a core has something to do; FOREVER when none ever has."""
    soonest = np.int64(FOREVER)
    for number in range(gpu.cores):
        soonest = min(soonest, np.int64(gpu.wake[number]))
    return soonest


@inlined
def _memory_is_done(gpu):
    """Whether a kernel without warps has ended: its stores have arrived where somebody waits for that, as memory channels always do."""
    return gpu.unfinished == 0 if gpu.has_dram != 0 else events_waiting(gpu.wheel) == 0


@unit
def _report_deadlock(gpu, cores, now):
    """A fault for the lowest warp of each core: of several the first is kept."""
    for number in range(gpu.cores):
        if cores[number].warps.active != EMPTY:
            warp = lowest(cores[number].warps.active)
            warps = cores[number].warps
            raise_fault(gpu.fault, DEADLOCK, number, warp, warps.pc[warp], warps.mask[warp], 0, 0, now)
