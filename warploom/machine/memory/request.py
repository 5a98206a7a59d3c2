"""Request: what travels between a core, the second-level cache and memory, and back.

In hardware: one entry of the queues and links on the way. It asks for one line, or some sectors of it, and carries what the answer
needs to find its way home: the core, and a tag that the core alone understands.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.machine.engine.unit import inlined


class Request(NamedTuple):
    """Natively five words that are passed side by side: it costs what its fields would cost as arguments."""

    kind: Any  # i8: where it is on its way: LOAD ... ANSWER of transactions.py
    core: Any  # i8: number of the core that asks; -1 if none does
    line: Any  # i8: line number, in lines of the unit that it is on its way to
    sectors: Any  # u8: bit s = sector s of the line
    tag: Any  # i8: the sender's own (transactions.py)


@inlined
def request(kind, core, line, sectors, tag):
    """A request of these fields."""
    return Request(np.int64(kind), np.int64(core), np.int64(line), np.uint64(sectors), np.int64(tag))


@inlined
def hold(pool, asked):
    """A request begins to wait in a unit; returns its index. pool: a record with the fields of requests, and a stack of free indices."""
    if pool.freed > 0:
        pool.freed = pool.freed - 1
        index = np.int64(pool.free[pool.freed])
    else:
        index = np.int64(pool.fresh)
        pool.fresh = index + 1
    pool.waiting = pool.waiting + 1
    pool.kind[index] = asked.kind
    pool.core[index] = asked.core
    pool.line[index] = asked.line
    pool.sectors[index] = asked.sectors
    pool.tag[index] = asked.tag
    pool.next[index] = 0
    return index


@inlined
def held(pool, index):
    """The request that waits with an index."""
    return request(pool.kind[index], pool.core[index], pool.line[index], pool.sectors[index], pool.tag[index])


@inlined
def let_go(pool, index):
    """A request waits no longer: its index is free."""
    pool.free[pool.freed] = index
    pool.freed = pool.freed + 1
    pool.waiting = pool.waiting - 1
