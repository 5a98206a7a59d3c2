"""Shared instruction cache: one for all cores, between their own and program memory.

In hardware: an SRAM beside the program memory controller. Cores that run the same kernel need the same instructions soon after each
other; the first one requests a line, the others find it there or in flight, so program memory serves one request for all of them. It may
also fetch *ahead*: whenever a line is requested, the next ones are requested too, so that program memory works while the cores execute. A
wrong guess costs the time of a channel, and a jump waits until that is over.

Direct-mapped: line n lies in place n modulo the number of lines. A lookup takes the `fetch.latency` of the cores' own caches.

Sources: instruction caches that several multiprocessors share, Wong et al., "Demystifying GPU microarchitecture through
microbenchmarking", ISPASS 2010; the next line fetched ahead, Smith, "Cache memories", ACM Computing Surveys 1982.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.sizes import MAX_SHARED_FETCH_LINES
from warploom.machine.engine.unit import record, unit
from warploom.machine.memory.channels import request

SharedFetch = record(
    settings=dict(
        lines="i8",                             # lines of the cache; 0: there is none
        ahead="i8",                             # lines that are brought ahead of one that is requested
    ),
    state=dict(
        tag=("i8", MAX_SHARED_FETCH_LINES),     # line number + 1; 0: none
        ready=("i8", MAX_SHARED_FETCH_LINES),   # cycle at whose end a line is there
    ),
    counters=dict(
        hits="i8",                              # requested lines that were there or in flight
        misses="i8",                            # requested lines that were not
    ),
)  # fmt: skip


@unit
def bring(gpu, fetch, line, rows, now):
    """A core requests a line of a program of `rows` instructions; returns the cycle at whose end it has it."""
    shared = gpu.shared_fetch
    place = line % shared.lines
    if shared.tag[place] == line + 1:
        shared.hits = shared.hits + 1
    else:
        shared.misses = shared.misses + 1
        _request_line(gpu, fetch, line, place, now + fetch.latency - 1)
    done = max(now + fetch.latency - 1, np.int64(shared.ready[place]))
    for following in range(line + 1, line + 1 + shared.ahead):
        there = following % shared.lines
        if following * fetch.line < rows and shared.tag[there] != following + 1:
            _request_line(gpu, fetch, following, there, now + fetch.latency - 1)
    return done


@unit
def _request_line(gpu, fetch, line, place, now):
    gpu.shared_fetch.tag[place] = line + 1
    gpu.shared_fetch.ready[place] = program_memory(gpu, fetch, fetch.line, now)


@unit
def program_memory(gpu, fetch, instructions, now):
    """Request some instructions from program memory; returns the cycle at whose end they are all there."""
    if fetch.channels != 0:
        return request(gpu.program_channels, instructions, now)
    return np.int64(now + fetch.miss_latency - 1)
