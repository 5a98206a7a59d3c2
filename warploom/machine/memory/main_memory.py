# mypy: disable-error-code="no-untyped-def"
"""Main memory, below all caches: who serves a line, and when that is done.

Memory channels answer a store as they answer a load, and a kernel has ended when its last store has its answer, as on tiny-gpu. DRAM
takes a store and says nothing.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit
from warploom.machine.memory.channels import request as channel_request
from warploom.machine.memory.dram import request as dram_request


@unit
def serve(gpu, address, size, write, now):
    """Read or write `size` bytes at a byte address; returns the cycle at whose end that is done."""
    if gpu.has_dram != 0:
        return np.int64(dram_request(gpu.dram, address, size, write, now) - 1)
    done = channel_request(gpu.data_channels, size, now)
    if write != 0:
        gpu.written = max(np.int64(gpu.written), done)
    return np.int64(done)
