"""The slot of the coalescer, between a warp's addresses and the transactions of the load/store unit; the texture unit's too.

A user's coalescer sees every access; the built-in one is not called for lanes side by side, whose lines follow one another, nor for lanes
within one line that is a single sector.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.uop import SIZE
from warploom.machine.core.load_store.bundle_transactions import append, collect
from warploom.machine.core.load_store.coalescer import coalesce
from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.engine.native.piece import Array
from warploom.machine.engine.swaps import Socket, Swaps
from warploom.machine.engine.unit import unit
from warploom.machine.slots.slot import Door

NUMBER = np.dtype(np.int64)
ADDRESSES, LINES, SECTORS = (Array(np.dtype(kind), order="A", aligned=False) for kind in (np.uint32, np.int64, np.uint64))


@unit
def collect_users(core, registers, tables, k, lanes, transactions):
    """`collect` in a machine with a user's coalescer."""
    return append(core.lsu, core.access.address, registers.active, np.int64(tables.uops[k, SIZE]), lanes, transactions)


def are_transactions(result: Any, lsu: Any, addresses: Any, active: Any, size: Any, lanes: Any, lines: Any, sectors: Any) -> bool:
    """Whether so many transactions have been written, each with a line that an address can have, and some of its sectors."""
    if result < 0 or result > len(lines):
        return False
    unused = np.int64(64) - (np.int64(1) << (lsu.line_shift - lsu.sector_shift))
    for index in range(result):
        if lines[index] < 0 or lines[index] >> (32 - lsu.line_shift) != 0:
            return False
        if sectors[index] == 0 or (unused > 0 and sectors[index] >> np.uint64(64 - unused) != 0):
            return False
    return True


def swaps(unit: Any) -> Swaps:
    """No access bypasses it."""
    kinds = ((NUMBER, (Lsu, ADDRESSES, ADDRESSES, NUMBER, NUMBER, LINES, SECTORS)),)
    expected = "a coalescer returns how many transactions it has written, each with a line of memory and some of its sectors"
    return (collect, collect_users), (coalesce, Socket("coalescer", unit, kinds, are_transactions, expected))


def half_warp(lsu, addresses, active, size, lanes, lines, sectors):
    """Half a warp at a time, as NVIDIA's GPUs before Fermi: lanes of the two halves that touch one line send it twice.

    Source: NVIDIA CUDA C Programming Guide, "Global Memory" of compute capability 1.x.
    """
    half = lanes // 2
    first = coalesce(lsu, addresses[:half], active[:half], size, half, lines, sectors)
    return first + coalesce(lsu, addresses[half:], active[half:], size, lanes - half, lines[first:], sectors[first:])


DOOR = Door(swaps, units={"half_warp": half_warp})
