"""Memory channels, as a core with warps sees them: tiny-gpu's controller as a server.

tiny-gpu's controller takes a request into the first idle channel; the handshakes on both sides keep that channel for 7 cycles
(data; 5 for program memory, which has no pass-through registers), and the answer is there 8 (6) cycles after the
request. `sequencer/controller.py` steps those handshakes one by one; here are the same numbers, as a first-come server.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import inlined, record, unit

MAX_CHANNELS = 64
DATA_HOLD, DATA_ANSWER = 7, 8  # cycles: a channel is kept; request to use of the answer. tiny-gpu, measured
PROGRAM_HOLD, PROGRAM_ANSWER = 5, 6  # the same for program memory: fetch without contention. tiny-gpu, measured

Channels = record(
    settings=dict(
        count="i8",
        width="i8",                  # bytes that one request moves
        hold="i8",                   # cycles that a request keeps its channel
        answer="i8",                 # cycles from the request to the first cycle in which its answer can be used
    ),
    state=dict(
        free=("i8", MAX_CHANNELS),   # by channel: first cycle in which it takes a request
    ),
    counters=dict(
        busy=("i8", MAX_CHANNELS),   # by channel: cycles kept
        requests="i8",
    ),
)  # fmt: skip


@unit
def request(channels, bytes_wanted, now):
    """Ask for some bytes in cycle `now`; returns the cycle at whose end all of them are there."""
    done = np.int64(now)
    left = np.int64(bytes_wanted)
    while left > 0:
        channel = _first_free(channels, now)
        start = max(np.int64(now), np.int64(channels.free[channel]))
        channels.free[channel] = start + channels.hold
        channels.busy[channel] += channels.hold
        channels.requests = channels.requests + 1
        done = max(done, start + channels.answer - 1)
        left -= channels.width
    return done


@inlined
def _first_free(channels, now):
    """The lowest free channel; if none is free, the one that will be first."""
    soonest = np.int64(0)
    for channel in range(channels.count):
        if channels.free[channel] <= now:
            return np.int64(channel)
        if channels.free[channel] < channels.free[soonest]:
            soonest = np.int64(channel)
    return soonest
