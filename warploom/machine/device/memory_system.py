"""The memory system beyond the cores: whatever is on its way there or back happens when its time has come.

In hardware: the network between the cores and the second-level cache, that cache, and memory. Here all that travels lies on the event
wheel; each cycle the events that are due are taken off it and handed to the unit that they reach.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import MEMORY, emit
from warploom.machine.core.load_store.lsu import answer
from warploom.machine.engine.bits import popcount
from warploom.machine.engine.unit import rare, unit
from warploom.machine.memory.event_wheel import give_back, schedule, take
from warploom.machine.memory.l2 import arrive, filled, pool_room, to_memory, write_memory
from warploom.machine.memory.main_memory import serve
from warploom.machine.memory.transactions import ANSWER, EXTRA_SHIFT, L2_FILL, STORE_ARRIVES, TEXTURE_TAG, TO_MEMORY, WRITE_MEMORY


@unit
def serve_events(gpu, cores, tables, now):
    """Everything of the memory system whose time has come."""
    while True:
        index = take(gpu.wheel, now)
        if index < 0:
            return
        kind = np.int64(gpu.wheel.kind[index])
        core = np.int64(gpu.wheel.core[index])
        line = np.int64(gpu.wheel.line[index])
        sectors = gpu.wheel.sectors[index]
        tag = np.int64(gpu.wheel.tag[index])
        give_back(gpu.wheel, index)
        if kind == ANSWER:
            lsu = cores[core].texture if tag & TEXTURE_TAG != 0 else cores[core].lsu
            answer(gpu, cores[core], lsu, tables, line, sectors, tag, now)
        elif kind == TO_MEMORY:
            to_memory(gpu, gpu.l2, line, sectors, now)
        elif kind == WRITE_MEMORY:
            write_memory(gpu, gpu.l2, line, sectors, now)
        elif kind == L2_FILL:
            filled(gpu, gpu.l2, line, sectors, now)
        elif gpu.l2.present == 0:
            _to_memory(gpu, tables, kind, core, line, sectors, tag, now)
        elif pool_room(gpu.l2) > 0:
            arrive(gpu, gpu.l2, tables, kind, core, line, sectors, tag, now)
        else:
            _wait_outside(gpu, kind, core, line, sectors, tag, now)


@rare
def _wait_outside(gpu, kind, core, line, sectors, tag, now):
    """The second-level cache takes nothing more in this cycle."""
    schedule(gpu.wheel, now + 1, kind, core, line, sectors, tag)


@unit
def no_events(gpu, cores, tables, now):
    """Stands in for `serve_events` in a program without memory accesses."""


@unit
def _to_memory(gpu, tables, kind, core, line, sectors, tag, now):
    """Without a second-level cache a transaction goes straight to memory."""
    writes = 1 if kind == STORE_ARRIVES else 0
    done = serve(gpu, line << gpu.line_shift, popcount(sectors) << gpu.sector_shift, writes, now) + (tag >> EXTRA_SHIFT)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, MEMORY, core, -1, -1, sectors, line, done)
    if kind != STORE_ARRIVES:
        schedule(gpu.wheel, done, ANSWER, core, line, sectors, tag)
