"""Prefetcher of a core's first-level cache: what it keeps.

In hardware: a small table beside the cache, which sees the lines that loads request, and requests others before they are needed. A machine
has none unless one is put in (`slots/prefetcher.py`).
"""

from __future__ import annotations

from warploom.machine.engine.unit import record
from warploom.machine.memory.block import LINES

MEMORY = 256

Prefetcher = record(
    state=dict(
        memory=("i8", MEMORY),  # free for the prefetcher; zero at first
        ahead=("u4", LINES),    # by block of the cache: number + 1 of a line that came before any load wanted it
    ),
    counters=dict(
        sent="i8",              # lines that it asked for
        useful="i8",            # ... and that a load found there, or in flight
        dropped="i8",           # ... and that found no MSHR or no place on the way, or are not in memory
    ),
)  # fmt: skip
