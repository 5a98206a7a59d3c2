"""The memory system beyond the cores: every request on its way is handed on when its time has come.

In hardware: the network between the cores and the second-level cache, that cache, and memory. Here all that travels lies on the event
wheel; each cycle the events that are due are taken off it and handed to the unit that they reach.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.accounting.events import emit_memory
from warploom.machine.config.derived import sector_shift
from warploom.machine.config.schema import Config
from warploom.machine.core.load_store.l1_access import answer
from warploom.machine.engine.bits import popcount
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line, take_settings, unit
from warploom.machine.memory import dram, l2
from warploom.machine.memory.address_hash import channel_place
from warploom.machine.memory.channels import DATA_ANSWER, DATA_HOLD, PROGRAM_ANSWER, PROGRAM_HOLD
from warploom.machine.memory.client import tell_client
from warploom.machine.memory.crossbar import Crossbar
from warploom.machine.memory.dram_controller import serve_channel
from warploom.machine.memory.event_wheel import events_waiting, give_back, may_happen, next_time, request_at, schedule, take
from warploom.machine.memory.l2 import arrive, serve_slice, waiting_room
from warploom.machine.memory.l2_memory import accept_fill, end_write, read_memory, take_write, time_to_cross, write_memory
from warploom.machine.memory.main_memory import UNKNOWN, serve
from warploom.machine.memory.partial_stores import remove_partial
from warploom.machine.memory.request import request
from warploom.machine.memory.transactions import (
    ANSWER,
    ATOMIC,
    CHANNEL_TURN,
    CLIENT_TAG,
    DELIVERED,
    EXTRA_SHIFT,
    L2_FILL,
    NOTHING,
    SLICE_TURN,
    STORE,
    TAKEN,
    TEXTURE_TAG,
    TO_MEMORY,
    TRACKED_TAG,
    WRITE_MEMORY,
    without_extra,
)


@inlined
def step_memory(gpu, cores, tables, units, now):
    """Events are served in a cycle that has some."""
    if may_happen(gpu.wheel, now):
        units.memory_system(gpu, cores, tables, now)
    return np.int64(FOREVER)


@inlined
def next_memory_event(gpu, now):
    """The next cycle that has events; FOREVER when nothing is on its way."""
    return np.int64(next_time(gpu.wheel, now))


@inlined
def memory_is_done(gpu):
    """Whether a kernel without warps has ended: its stores have arrived where somebody waits for that, as memory channels always do."""
    return gpu.unfinished == 0 if gpu.has_dram != 0 else events_waiting(gpu.wheel) == 0


@unit
def serve_events(gpu, cores, tables, now):
    """Everything of the memory system whose time has come."""
    while True:
        index = take(gpu.wheel, now)
        if index < 0:
            return
        asked = request_at(gpu.wheel, index)
        give_back(gpu.wheel, index)
        if asked.kind <= ATOMIC:
            if gpu.l2.present == 0:
                _serve_from_memory(gpu, tables, asked, now)
            elif waiting_room(gpu.l2) > 0:
                arrive(gpu, gpu.l2, tables, asked, now)
            else:
                _wait_outside(gpu, asked, now)
        elif asked.kind == ANSWER or asked.kind == DELIVERED:
            if asked.kind == DELIVERED or _crosses_at_once(gpu, asked, now):
                if asked.tag & CLIENT_TAG != 0:
                    tell_client(gpu.clients, asked.tag)
                    continue
                core = cores[asked.core]
                answer(gpu, core, core.texture if asked.tag & TEXTURE_TAG != 0 else core.lsu, tables, asked, now)
        elif asked.kind == TO_MEMORY:
            read_memory(gpu, gpu.l2, asked, now)
        elif asked.kind == WRITE_MEMORY:
            write_memory(gpu, gpu.l2, asked, now)
        elif asked.kind == L2_FILL:
            accept_fill(gpu, gpu.l2, asked, now)
        elif asked.kind == SLICE_TURN:
            serve_slice(gpu, gpu.l2, tables, asked.line, now)
        elif asked.kind == CHANNEL_TURN:
            serve_channel(gpu, gpu.dram, asked.line, now)
        elif asked.kind == TAKEN:
            take_write(gpu, gpu.l2, asked, now)
        else:
            end_write(gpu, gpu.l2, asked, now)


@inlined
def _crosses_at_once(gpu, asked, now):
    """An answer goes through the crossbar. Returns whether its core has it in this cycle; else it is delivered later."""
    slice = channel_place(gpu.l2.cache.slices, asked.line >> gpu.l2.ratio_shift)
    time = time_to_cross(gpu, slice, asked, now)
    if time > now:
        schedule(gpu.wheel, time, request(DELIVERED, asked.core, asked.line, asked.sectors, asked.tag))
    return time <= now


@out_of_line
def _wait_outside(gpu, asked, now):
    """The second-level cache takes nothing more in this cycle."""
    schedule(gpu.wheel, now + 1, asked)


@unit
def no_events(gpu, cores, tables, now):
    """Stands in for `serve_events` in a program without memory accesses."""


@inlined
def _serve_from_memory(gpu, tables, asked, now):
    """Without a second-level cache a transaction goes straight to memory."""
    writes = 1 if asked.kind == STORE else 0
    told = asked.kind != STORE or asked.tag & TRACKED_TAG != 0
    tag = asked.tag
    if asked.kind == STORE:
        if tag >> EXTRA_SHIFT > 0:
            remove_partial(gpu.partial_stores, (tag >> EXTRA_SHIFT) - 1)
        tag = without_extra(tag)
    size = popcount(asked.sectors) << gpu.sector_shift
    finished = request(ANSWER if told else NOTHING, asked.core, asked.line, asked.sectors, tag)
    done = serve(gpu, asked.line << gpu.line_shift, size, writes, finished, now)
    if gpu.log.tracing != 0:
        emit_memory(gpu.log, tables, now, asked.core, asked.sectors, asked.line, max(done, UNKNOWN))


def tracks_bytes(config: Config) -> bool:
    """Whether some cache keeps stores that may write parts of sectors."""
    return any(cache.bytes and (cache.write == "back" or cache.allocate) for cache in (config.l1, config.l2))


def set_up_memory(gpu: Any, config: Config, program: Any) -> None:
    """Everything behind the cores' first-level caches."""
    l1, memory = config.l1, config.memory
    gpu.line_shift = (l1.line - 1).bit_length()
    gpu.sector_shift = sector_shift(config)
    l2.configure(gpu.l2, config.l2, memory, l1.line, int(gpu.sector_shift), config.l2.write_buffer > 0 or config.lsu.stores > 0)
    gpu.has_dram = int(memory.kind == "dram")
    if gpu.has_dram:
        dram.configure(gpu.dram, config.dram, max(l1.line, config.l2.line if config.l2.bytes else 1), memory.hash, config.gpu.clock)
    gpu.crossbar.core_bytes, gpu.crossbar.slice_bytes = config.crossbar.core, config.crossbar.slice
    take_settings(gpu.crossbar, Crossbar, config.crossbar)
    gpu.partial_stores.tracked = int(tracks_bytes(config))
    for channels, count, width, hold, after in (
        (gpu.data_channels, memory.data_channels, memory.channel_bytes, DATA_HOLD, DATA_ANSWER),
        (gpu.program_channels, memory.program_channels, 1, PROGRAM_HOLD, PROGRAM_ANSWER),
    ):
        channels.count, channels.width, channels.hold, channels.answer = count, width, hold, after
