# mypy: disable-error-code="no-untyped-def"
"""The memory system beyond the cores: every request on its way is handed on when its time has come.

In hardware: the network between the cores and the second-level cache, that cache, and memory. Here all that travels lies on the event
wheel; each cycle the events that are due are taken off it and handed to the unit that they reach.
"""

from __future__ import annotations

from warploom.machine.accounting.events import MEMORY, emit
from warploom.machine.core.load_store.lsu import answer
from warploom.machine.engine.bits import popcount
from warploom.machine.engine.unit import out_of_line, unit
from warploom.machine.memory.event_wheel import give_back, request_at, schedule, take
from warploom.machine.memory.l2 import accept_fill, look_up, read_memory, waiting_room, write_memory
from warploom.machine.memory.main_memory import serve
from warploom.machine.memory.request import request
from warploom.machine.memory.transactions import ANSWER, EXTRA_SHIFT, L2_FILL, STORE, TEXTURE_TAG, TO_MEMORY, WRITE_MEMORY


@unit
def serve_events(gpu, cores, tables, now):
    """Everything of the memory system whose time has come."""
    while True:
        index = take(gpu.wheel, now)
        if index < 0:
            return
        asked = request_at(gpu.wheel, index)
        give_back(gpu.wheel, index)
        if asked.kind == ANSWER:
            core = cores[asked.core]
            answer(gpu, core, core.texture if asked.tag & TEXTURE_TAG != 0 else core.lsu, tables, asked, now)
        elif asked.kind == TO_MEMORY:
            read_memory(gpu, gpu.l2, asked, now)
        elif asked.kind == WRITE_MEMORY:
            write_memory(gpu, gpu.l2, asked, now)
        elif asked.kind == L2_FILL:
            accept_fill(gpu, gpu.l2, asked, now)
        elif gpu.l2.present == 0:
            _serve_from_memory(gpu, tables, asked, now)
        elif waiting_room(gpu.l2) > 0:
            look_up(gpu, gpu.l2, tables, asked, now)
        else:
            _wait_outside(gpu, asked, now)


@out_of_line
def _wait_outside(gpu, asked, now):
    """The second-level cache takes nothing more in this cycle."""
    schedule(gpu.wheel, now + 1, asked)


@unit
def no_events(gpu, cores, tables, now):
    """Stands in for `serve_events` in a program without memory accesses."""


@unit
def _serve_from_memory(gpu, tables, asked, now):
    """Without a second-level cache a transaction goes straight to memory."""
    writes = 1 if asked.kind == STORE else 0
    done = serve(gpu, asked.line << gpu.line_shift, popcount(asked.sectors) << gpu.sector_shift, writes, now) + (asked.tag >> EXTRA_SHIFT)
    if gpu.log.tracing != 0:
        emit(gpu.log, tables, now, MEMORY, asked.core, -1, -1, asked.sectors, asked.line, done)
    if asked.kind != STORE:
        schedule(gpu.wheel, done, request(ANSWER, asked.core, asked.line, asked.sectors, asked.tag))
