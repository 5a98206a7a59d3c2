"""Events: what a traced run writes down.

One row per event, `int64[n, EVENT_COLUMNS]`, in a buffer that is allocated once. When it is nearly full the run
stops between two cycles, the driver takes the rows away, and the run continues. Without tracing an event costs one comparison.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.sizes import WHEEL_EVENTS
from warploom.machine.engine.unit import out_of_line

# Columns.
TIME, KIND, CORE, WARP, PC, MASK, A, B = range(8)
EVENT_COLUMNS = 8

# Kinds, each with the meaning of its columns A and B.
KINDS = (
    "issue",        # MASK = lanes that execute; A = mask after the instruction; B = first cycle in which the result can be used
    "stall",        # a span that ends at TIME (not included): A = reason, B = its first cycle
    "launch",       # MASK = lanes with a thread; A = block, B = warp in the block
    "end",          # the warp has ended
    "visit",        # the scheduler picked a warp that cannot issue: A = a number of VISITS
    "pipe",         # an ALU took an instruction: A = pipe, B = first cycle in which its slot 0 is empty again
    "request",      # a transaction leaves the load/store unit: A = line, B = outcome
    "fill",         # a line arrives at a core: A = line, B = 1 for the texture cache
    "complete",     # the last transaction of an access is done at B: A = cycle of its issue
    "l2",           # a lookup of the second cache: A = line, B = outcome, but not passed on
    "memory",       # memory serves a line: A = line, B = cycle in which it is done
    "barrier",      # a warp arrives: A = barrier, B = 1 when that opens it
    "block",        # a block starts or ends: A = block, B = BLOCK_STARTS or BLOCK_ENDS
)  # fmt: skip
(ISSUE, STALL, LAUNCH, END, VISIT, PIPE, REQUEST, FILL, COMPLETE, L2, MEMORY, BARRIER, BLOCK) = range(len(KINDS))

# Why a visited warp cannot issue: column A of a visit.
VISITS = ("waits", "lacks a unit", "empty slot")
WAITS, LACKS_UNIT, EMPTY_SLOT = range(len(VISITS))

BLOCK_STARTS, BLOCK_ENDS = range(2)  # column B of a block

# The result of a lookup: column B of a request, and of a lookup of the second cache.
OUTCOMES = ("hit", "miss", "merged", "store", "passed on")
HIT, MISS, MERGED, STORE, PASSED_ON = range(len(OUTCOMES))

# Rows that one cycle can write at most. When fewer are left the run stops, and the driver empties the buffer.
# A core: 12 a scheduler, 3 a warp, 2 a transaction and 1 an access that completes. The memory system: 1 for each event of the wheel,
# and for what follows from it in the same cycle.
ROWS_A_CYCLE = 64 * 12 + 64 * 3 + (64 + 512) * 2 + 2 * 64
MEMORY_ROWS_A_CYCLE = 3 * WHEEL_EVENTS


@out_of_line
def emit(log, tables, time, kind, core, warp, pc, mask, a, b):
    """Append one row. `log` is the record that counts the rows; the caller has checked `log.tracing`."""
    events = tables.events
    row = log.rows
    events[row, TIME] = time
    events[row, KIND] = kind
    events[row, CORE] = core
    events[row, WARP] = warp
    events[row, PC] = pc
    events[row, MASK] = np.int64(mask)
    events[row, A] = a
    events[row, B] = b
    log.rows = row + 1
