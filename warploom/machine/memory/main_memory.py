"""Main memory, below all caches: which unit serves a line, and what happens when that is done.

Memory channels answer a store as they answer a load, and a kernel has ended when its last store has its answer, as on tiny-gpu. DRAM
reports when it has taken a store, for senders that need to know.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import inlined
from warploom.machine.memory.channels import request as channel_request
from warploom.machine.memory.dram import request as dram_request
from warploom.machine.memory.dram_controller import submit
from warploom.machine.memory.event_wheel import schedule
from warploom.machine.memory.transactions import EXTRA_SHIFT, NOTHING, TURNS_BITS

UNKNOWN, NO_PLACE = -1, -2


@inlined
def serve(gpu, address, size, write, finished, now):
    """Read or write `size` bytes at a byte address. `finished` is the request that continues when that is done; NOTHING: none does.

    It continues later by the cycles in its tag, which an atomic takes. Returns the cycle at whose end it is done; UNKNOWN: not known yet;
    NO_PLACE: the same, and a write waits outside of its channel's queue until a request of kind TAKEN says that it has a place.
    """
    extra = finished.tag >> EXTRA_SHIFT & TURNS_BITS
    if gpu.has_dram == 0:
        done = np.int64(channel_request(gpu.data_channels, size, now))
        if write != 0:
            gpu.written = max(np.int64(gpu.written), done)
    elif gpu.dram.banks > 0:
        return np.int64(UNKNOWN if submit(gpu, gpu.dram, address, size, write, finished, now) != 0 else NO_PLACE)
    else:
        done = np.int64(dram_request(gpu.dram, address, size, write, now) - 1)
    if finished.kind != NOTHING:
        schedule(gpu.wheel, done + extra, finished)
    return done + extra
