"""Full units: which execution units take no instruction in a cycle, which warps need one of them, and until when.

In hardware: each unit, or the queue before it, signals to the schedulers whether it takes an instruction, and a warp whose instruction
needs a unit that does not is not eligible. These waits are counted by scheduler and unit, so that the cycles can be accounted to the warp
when it issues (`math_pipe_throttle`, `lg_throttle`, `mio_throttle`, `tex_throttle`, `dispatch_stall`).
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import ALU, MEMORY, SLOTS, SPECIAL, TEXTURE
from warploom.machine.core.partitions import find_full_ports, next_entry
from warploom.machine.core.pipes import find_idle_pipes
from warploom.machine.core.texture.lane_slots import warps_without_slots
from warploom.machine.core.units.table import MAY_BE_FULL, WITH_QUEUE, next_free_behind, unit_accepts
from warploom.machine.engine.bits import EMPTY, bit, has, lowest, rest
from warploom.machine.engine.rows import each_number
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line


@inlined
def find_full_units(core, now):
    """Find the units of the whole core that take no instruction in this cycle, and the warps that need one of those."""
    core.full_units = EMPTY
    core.warps_blocked = EMPTY
    if core.partitions.own == 0:
        if core.warps.awake & core.warps.wants[ALU] != EMPTY:
            find_idle_pipes(core.alus, now)
            note_if_full(core, ALU, now)
        if core.warps.awake & core.warps.wants[SPECIAL] != EMPTY:
            find_idle_pipes(core.specials, now)
            note_if_full(core, SPECIAL, now)
    if core.operands.latest > now:
        for number in range(core.scheduler_count):
            if core.operands.held[number] > now:
                core.warps_blocked = core.warps_blocked | core.schedulers[number].owned
    if core.warps.awake & _wanting_queues(core) != EMPTY:
        _note_full_queues(core, now)


@inlined
def note_full_ports(core, number, now):
    """Find the full pipes of scheduler `number`, and which of its warps need one of them."""
    find_full_ports(core.partitions, number, now)
    if core.lsu.share != 0 and core.lsu.held[number] >= core.lsu.share:
        core.partitions.full[number] |= bit(MEMORY)
    left = core.partitions.full[number]
    if has(left, SLOTS):
        core.warps_blocked = core.warps_blocked | core.schedulers[number].owned
        return
    while left != EMPTY:
        core.warps_blocked = core.warps_blocked | core.warps.wants[lowest(left)] & core.schedulers[number].owned
        left = rest(left)


@inlined
def note_if_full(core, port, now):
    """Note that a unit of the whole core is full, if it takes nothing more in this cycle and a warp that is awake needs it."""
    needing = core.warps.wants[port]
    if core.warps.awake & needing == EMPTY:
        return
    if port == TEXTURE and core.lane_slots.capacity != 0:
        _note_lane_slots(core, core.warps.awake & needing)
    if not unit_accepts(port, core, now):
        core.full_units = core.full_units | bit(port)
        core.warps_blocked = core.warps_blocked | needing


@inlined
def note_what_it_fills(core, port, now):
    """An instruction has been issued to a unit of the whole core: note it if the next one of this cycle finds it full."""
    if port == TEXTURE or not unit_accepts(port, core, now):
        note_if_full(core, port, now)


@out_of_line
def _note_lane_slots(core, asking):
    """Note which of the warps that want to sample have too many lanes for the places that a sampler of single lanes has left."""
    without = warps_without_slots(core, asking)
    if without != EMPTY:
        core.full_units = core.full_units | bit(TEXTURE)
        core.warps_blocked = core.warps_blocked | without


@inlined
def _wanting(port, core):
    """The warps whose next instruction goes to a port."""
    return core.warps.wants[port]


@each_number(WITH_QUEUE, _wanting, "union", globals())
def _wanting_queues(core):
    """The warps whose next instruction goes to a unit with a queue of the whole core."""


@inlined
def _note_full_queue(port, core, now):
    """`note_if_full` of such a unit."""
    note_if_full(core, port, now)


@each_number(WITH_QUEUE, _note_full_queue, "nothing", globals())
def _note_full_queues(core, now):
    """Note those of them that are full."""


@inlined
def count_full_units(core, number, awake, cycles, first):
    """Count cycles in which warps of scheduler `number` that are awake need a full unit, or it still reads operands of an earlier one.

    first: the first of those cycles. If instructions of a sequence have its issue slots, the others are not selected, which needs no
    count.
    """
    if has(core.partitions.full[number], SLOTS):
        return
    if core.operands.banks != 0 and core.operands.held[number] > first:
        if awake != EMPTY:
            core.operands.held_cycles[number] += cycles
        return
    left = core.full_units | core.partitions.full[number]
    while left != EMPTY:
        port = lowest(left)
        left = rest(left)
        if awake & core.warps.wants[port] != EMPTY:
            core.unit_full_cycles[number, port] += cycles


@inlined
def _next_entry(core, number):
    """The next cycle in which a port of scheduler `number` that is full may take an instruction; its share of the load/store unit is freed
    no sooner than the unit sends something, and is checked again then."""
    full = core.partitions.full[number]
    if core.lsu.share != 0 and core.lsu.held[number] >= core.lsu.share:
        full = full & ~bit(MEMORY)
    return next_entry(core.partitions, number, full)


@inlined
def next_free_unit(core, now):
    """The next cycle in which a full unit may take an instruction; FOREVER if that depends on an answer of the memory system."""
    soonest = np.int64(FOREVER)
    if core.partitions.own != 0:
        for number in range(core.scheduler_count):
            if core.warps.awake & core.schedulers[number].owned != EMPTY:
                soonest = min(soonest, _next_entry(core, number))
    if core.operands.latest > now:
        for number in range(core.scheduler_count):
            if core.operands.held[number] > now:
                soonest = min(soonest, np.int64(core.operands.held[number]))
    soonest = min(soonest, _first_of_full_units(core, now))
    return max(soonest, np.int64(now + 1))


@inlined
def _when_free(port, core, now):
    """The next cycle in which a unit of the whole core may take an instruction, if it is full; else FOREVER."""
    return np.int64(next_free_behind(port, core, now)) if has(core.full_units, port) else np.int64(FOREVER)


@each_number(MAY_BE_FULL, _when_free, "soonest", globals())
def _first_of_full_units(core, now):
    """The next cycle in which one of those that are full may take an instruction; or FOREVER."""
