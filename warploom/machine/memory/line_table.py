"""Line table: finds the entry of a line number in a few steps, however many there are.

In hardware a small associative memory compares all entries in parallel. Here the entries hang in chains, one for each value of the line
number's low bits, so that a lookup takes a comparison or two. MSHRs of both cache levels are such tables.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.unit import inlined, record, unit

ENTRIES = 1 << 15

LineTable = record(
    rooms={"entries": ENTRIES, "chains": ENTRIES},
    apart=("free",),
    settings=dict(
        chain_mask="i8",          # how many chains there are, a power of two, less 1
    ),
    state=dict(
        used="i8",                # entries in use
        fresh="i8",               # entries from here up were never used
        freed="i8",               # entries that were given back: this many of `free`
        line=("i8", "entries"),   # by entry: its line number
        next=("i4", "entries"),   # by entry: next entry of its chain + 1; 0: the last
        free=("i4", "entries"),   # stack of entries given back
        chain=("i4", "chains"),    # by the line number's low bits: first entry of the chain + 1; 0: empty
    ),
)  # fmt: skip


def rooms_for(entries: int) -> dict[str, int]:
    """The rooms of a `LineTable` for up to so many lines at a time."""
    return {"entries": entries, "chains": min(max(256, 1 << (entries - 1).bit_length()), ENTRIES)}


def configure(table: Any, entries: int) -> None:
    """Set up an all-zero `LineTable` through its mirror for up to so many lines at a time."""
    table.chain_mask = rooms_for(entries)["chains"] - 1


@inlined
def chain_of(table, line):
    """The chain that a line is in: its low bits, mixed with higher ones, since lines that are in flight may lie a power of two apart."""
    return (line ^ (line >> 10)) & table.chain_mask


@inlined
def find_line(table, line):
    """The entry of a line, or -1."""
    link = np.int64(table.chain[chain_of(table, line)])
    while link != 0:
        if table.line[link - 1] == line:
            return np.int64(link - 1)
        link = np.int64(table.next[link - 1])
    return np.int64(-1)


@unit
def add_line(table, line):
    """A new entry for a line that has none; there must be fewer than ENTRIES. Its number is good until it is removed."""
    if table.freed > 0:
        table.freed = table.freed - 1
        entry = np.int64(table.free[table.freed])
    else:
        entry = np.int64(table.fresh)
        table.fresh = entry + 1
    table.used = table.used + 1
    slot = chain_of(table, line)
    table.line[entry] = line
    table.next[entry] = table.chain[slot]
    table.chain[slot] = entry + 1
    return entry


@unit
def remove_line(table, entry):
    """Give an entry back."""
    slot = chain_of(table, table.line[entry])
    link = np.int64(table.chain[slot])
    if link == entry + 1:
        table.chain[slot] = table.next[entry]
    else:
        while table.next[link - 1] != entry + 1:
            link = np.int64(table.next[link - 1])
        table.next[link - 1] = table.next[entry]
    table.free[table.freed] = entry
    table.freed = table.freed + 1
    table.used = table.used - 1
