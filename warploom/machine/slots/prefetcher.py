"""The slot of the prefetcher, beside the first-level cache of each core; and the prefetchers that come with the machine.

A prefetcher is called for every line that a load looks up, and may name one more line. That is requested like a miss, in an MSHR without
waiters, if it is neither there nor in flight; it is dropped if no MSHR is free: a prefetch is never worth a stall. It takes no port of the
cache, whose tags are read twice for it.

Sources: next line, Smith, "Cache memories", ACM Computing Surveys 1982; strides by instruction, Chen and Baer, "Effective
hardware-based data prefetching for high-performance processors", IEEE Trans. Computers 1995, here without its confidence bits and with
one table for all warps; for GPUs, Lee, Lakshminarayana, Kim and Vuduc, "Many-thread aware prefetching mechanisms for GPGPU
applications", MICRO 2010.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.accounting.events import HIT, MERGED
from warploom.machine.core.load_store.l1_access import NOBODY, see_answer, see_lookup
from warploom.machine.core.load_store.prefetcher import Prefetcher
from warploom.machine.engine.bits import EMPTY, ones
from warploom.machine.engine.swaps import Socket, Swaps
from warploom.machine.engine.unit import unit
from warploom.machine.memory.block import block_of
from warploom.machine.memory.cache import contains, set_of
from warploom.machine.memory.mshr import allocate_for_nobody, find, may_allocate, merge, merge_or_begin
from warploom.machine.memory.tag_match import find_way
from warploom.machine.memory.transactions import LOAD, send, tag_of, transaction_room
from warploom.machine.slots.slot import Door

NUMBER = np.dtype(np.int64)
MOST = 1 << 32  # a line's number is smaller: addresses have 32 bits
ROWS = 64  # of the stride table


@unit
def users_prefetcher(p, line, pc, warp, missed):
    """A user's function stands in this place."""
    return np.int64(-1)


@unit
def see_lookup_and_prefetch(gpu, core, lsu, access, line, outcome, now):
    """`see_lookup` of a machine with a prefetcher."""
    if lsu.texture != 0:
        return
    missed = np.int64(0 if outcome == HIT else 1)
    _count_useful(lsu, line, outcome)
    wanted = np.int64(users_prefetcher(lsu.prefetcher, line, np.int64(lsu.pc[access]), np.int64(lsu.warp[access]), missed))
    if wanted >= 0:
        _prefetch(gpu, core, lsu, wanted, now)


@unit
def _count_useful(lsu, line, outcome):
    """Count a line that was requested before a load needed it, when the first load does: it is there, or in flight."""
    if outcome == HIT:
        block = _block_with(lsu.cache, line)
        if lsu.prefetcher.ahead[block] == line + 1:
            lsu.prefetcher.ahead[block] = 0
            lsu.prefetcher.useful += 1
    elif outcome == MERGED and lsu.misses.count[find(lsu.misses, line)] == 1:  # none has waited before
        lsu.prefetcher.useful += 1


@unit
def note_answer(lsu, line, waiter):
    """`see_answer` of a machine with a prefetcher."""
    if lsu.texture == 0 and waiter == 0:
        lsu.prefetcher.ahead[_block_with(lsu.cache, line)] = line + 1


@unit
def _block_with(cache, line):
    """The block of a line that is there."""
    set = set_of(cache, line)
    return block_of(cache, set, find_way(cache, set, line))


@unit
def _prefetch(gpu, core, lsu, line, now):
    """Request a line without a waiter."""
    missing = ones(np.int64(1) << (lsu.line_shift - lsu.sector_shift)) & ~contains(lsu.cache, line)
    if missing == EMPTY or find(lsu.misses, line) >= 0:
        return
    if line << lsu.line_shift >= gpu.memory_bytes or not may_allocate(lsu.misses) or transaction_room(gpu) < 2:
        lsu.prefetcher.dropped += 1
        return
    allocate_for_nobody(lsu.misses, line, missing)
    send(gpu, core, LOAD, line, missing, tag_of(np.int64(NOBODY), lsu.texture, 1, 0), np.int64(lsu.forward), now)
    lsu.prefetcher.sent += 1


def is_a_line(result: Any, p: Any, line: Any, pc: Any, warp: Any, missed: Any) -> bool:
    """Whether a result names a line, or none."""
    return bool(-1 <= result < MOST)


def swaps(prefetcher: Any) -> Swaps:
    """A miss may find an MSHR without a waiter."""
    kinds = ((NUMBER, (Prefetcher, NUMBER, NUMBER, NUMBER, NUMBER)),)
    expected = "a prefetcher returns the number of a line, or -1 for none"
    return (
        (see_lookup, see_lookup_and_prefetch),
        (see_answer, note_answer),
        (merge, merge_or_begin),
        (users_prefetcher, Socket("prefetcher", prefetcher, kinds, is_a_line, expected)),
    )


def next_line(p, line, pc, warp, missed):
    """The line after one that was missed."""
    return line + 1 if missed != 0 else -1


def stride(p, line, pc, warp, missed):
    """A load instruction that twice went on by the same number of lines will do so again. A row an instruction: pc + 1, line, stride."""
    row = 3 * (pc % ROWS)
    before = p.memory[row + 1] if p.memory[row] == pc + 1 else line
    known = p.memory[row + 2] if p.memory[row] == pc + 1 else 0
    step = line - before
    p.memory[row] = pc + 1
    p.memory[row + 1] = line
    p.memory[row + 2] = step
    return max(line + step, -1) if step == known and step != 0 else -1


DOOR = Door(swaps, units={"next_line": next_line, "stride": stride})
