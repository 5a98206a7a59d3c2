"""DRAM: memory outside of the chip, as channels that each serve one request after the other.

In hardware: a channel is a separate bus with its own devices. Consecutive lines go to consecutive channels, in an order that a hash may
change (address_hash.py), so that a stream keeps all of them busy. Within a channel the lines that are its own lie side by side in rows; a
row must be opened before it is read, and stays open until a different one is needed.

Here are the channels, and the simple ones (`dram.banks` 0), which have one row buffer at most. A channel with banks, and with a
controller that may reorder, is in dram_controller.py.

What a request costs in a simple channel, in memory clocks, which are cycles unless `dram.clock` says otherwise. It starts when it
arrives, or when the channel has finished with the requests before it, whichever is later:

    start    = max(now, busy_until)
    opening  = row_miss, unless its row is open (a channel has one row buffer; at first nothing is open)
    transfer = bytes / bandwidth, rounded up; 0 without a limit
    busy_until = start + opening + transfer
    answer     = start + opening + latency + max(transfer, 1) - 1

so `latency` is what a request of one transfer cycle to an open row of an idle channel takes, and the further cycles
of a long transfer come on top. Latency is overlapped: it keeps the channel busy for no time.

A queue is not stepped, and need not be. Requests leave a channel in the order in which they come, and what one of
them costs depends on the one before it and on none that comes later. So when a request arrives, everything that it
will wait for is known: the recursion above is Lindley's for a FIFO server ("The theory of queues with a single
server", 1952), and gives the cycles that stepping the queue gives. A controller that reorders (FR-FCFS) could not be
computed in this way.

Source: channels, rows and open-page policy as in Jacob, Ng and Wang, "Memory Systems", 2007; banks within a
channel, refresh and the turn-around between reads and writes are left out.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import inlined, record, take_settings, unit
from warploom.machine.memory import address_hash as hashes
from warploom.machine.memory.address_hash import AddressHash, channel_place, group_of

CHANNELS = 64
BANKS = 64
REFRESHED = -1
ACTIVATES = 4  # of tFAW
REQUESTS = 1 << 17  # that wait for a channel with banks

Dram = record(
    side_by_side=(CHANNELS, (CHANNELS, 2), (CHANNELS, BANKS), (CHANNELS, ACTIVATES)),
    rooms={"requests": REQUESTS},
    apart=("free",),
    settings=dict(
        lines=AddressHash,               # which channel a line belongs to
        rows=AddressHash,                # which bank a row of a channel belongs to
        channels="i8",
        interleave_shift="i8",           # log2 of the bytes that lie in one channel before the next one's begin: a line
        core_clock="i8",                 # core cycles that take as long ...
        memory_clock="i8",               # ... as so many memory clocks
        latency="i8",                    # cycles
        bandwidth="i8",                  # bytes a memory clock and channel; 0: no limit
        row="i8",                        # bytes; 0: no row buffers
        row_shift="i8",                  # log2 of the lines of a row; -1 if that is not a power of two
        row_miss="i8",                   # simple: memory clocks that opening a row takes
        banks="i8",                      # banks of a channel; 0: simple channels
        window="i8",                     # reads that the controller chooses from
        most_overtakes="i8",             # younger requests that may be served before the oldest of a queue; 0: any number
        write_high="i8",                 # writes that wait before they are written although there are reads
        rcd="i8",                        # memory clocks: from opening a row to its first access
        rp="i8",                         # ... closing a row
        ras="i8",                        # ... a row stays open at least
        rrd="i8",                        # ... between the opening of rows of two banks
        cl="i8",                         # ... from a read to its data
        wl="i8",                         # ... from a write to its data
        wtr="i8",                        # ... from a write's last data to a read
        wr="i8",                         # ... from a write's last data to closing the row
        activate_window="i8",            # ... in which a channel opens four rows at most; 0: no limit
        refresh_interval="i8",           # ... from a refresh of the channel to the next; 0: none
        refresh_time="i8",               # ... that a refresh takes
        refresh_commands="i8",           # refreshes of a channel after which all banks have had one: 1 where each is of all
    ),
    state=dict(
        busy_until=("i8", CHANNELS),     # by channel: first memory clock in which its bus is free
        open_row=("i8", CHANNELS),       # simple, by channel: row number + 1; 0: none is open
        turn=("i8", CHANNELS),           # by channel: 1 while its turn lies on the wheel
        draining=("i8", CHANNELS),       # by channel: 1 while it writes although there are reads
        opens_after=("i8", CHANNELS),    # by channel: first clock in which it may open a row
        opened_at=("i8", (CHANNELS, ACTIVATES)),  # by channel, in turn: when it opened its last rows, if there is a window for them
        opened_rows=("i8", CHANNELS),    # by channel: how many those were
        read_after=("i8", CHANNELS),     # by channel: first clock in which a read may follow the last write
        refresh_due=("i8", CHANNELS),    # by channel: clock in which its next refresh is due
        refresh_bank=("i4", CHANNELS),   # by channel: whose bank it is, if a refresh is of one
        bank_row=("i8", (CHANNELS, BANKS)),     # by bank: row number + 1; 0: none is open; REFRESHED: none, for it was closed for a refresh
        bank_opened=("i8", (CHANNELS, BANKS)),  # by bank: clock in which its row was opened
        bank_closes=("i8", (CHANNELS, BANKS)),  # by bank: first clock in which a write lets its row be closed; REFRESHED: a row be opened
        first=("i4", (CHANNELS, 2)),     # by channel, of its reads and its writes: index + 1 of the oldest that waits; 0 for none
        last=("i4", (CHANNELS, 2)),      # ... of the newest
        count=("i4", (CHANNELS, 2)),     # ... how many
        overtaken=("i4", (CHANNELS, 2)), # by channel, of its reads and its writes: younger ones that were served before the oldest
        outside=("i4", CHANNELS),        # by channel: index + 1 of the oldest write for which its queue has no place; 0 for none
        waiting="i8",                    # how many of all channels
        kind=("i4", "requests"),         # by index: what continues when it is done, as in `Request`
        core=("i4", "requests"),
        line=("i8", "requests"),
        sectors=("u8", "requests"),
        tag=("i8", "requests"),
        bank=("i4", "requests"),         # by index: its bank
        bank_row_wanted=("i8", "requests"),# by index: its row number + 1
        size=("i4", "requests"),         # by index: bytes
        next=("i4", "requests"),         # by index: index + 1 of the next younger one; 0 for none
        free=("i4", "requests"),         # stack of indices given back
        freed="i8",                      # how many those are
        fresh="i8",                      # indices never given out start here
    ),
    counters=dict(
        requests=("i8", CHANNELS),       # by channel: requests
        row_hits=("i8", CHANNELS),       # ... that found their row open
        row_misses=("i8", CHANNELS),     # ... that had to open it
        busy=("i8", CHANNELS),           # ... memory clocks in which the channel was opening or transferring (with banks: transferring)
        bytes_read=("i8", CHANNELS),     # ... bytes that left it
        bytes_written=("i8", CHANNELS),  # ... bytes that went in
        refreshes=("i8", CHANNELS),      # ... refreshes, as far as one of them could have kept a request waiting
    ),
)  # fmt: skip


def configure(dram: Any, settings: Any, interleave: int, hash: str, core_clock: int) -> None:
    """Set up an all-zero `Dram` through its mirror.

    settings: the section `dram`. interleave: bytes, a power of two (the line). hash: of `address_hash.HASHES`. core_clock: MHz.
    Raises ConfigError.
    """
    if not 1 <= settings.channels <= CHANNELS:
        raise ConfigError(f"dram.channels = {settings.channels}: there is room for 1 to {CHANNELS}")
    if interleave < 1 or interleave & (interleave - 1):
        raise ConfigError(f"a DRAM interleave of {interleave} bytes: it is a line, a power of two")
    if settings.row % interleave:
        raise ConfigError(f"dram.row = {settings.row}: a row holds whole lines, so it is a multiple of {interleave}")
    if settings.banks and not (settings.row and settings.bandwidth):
        raise ConfigError(f"dram.banks = {settings.banks}: banks have rows and a bus; set dram.row and dram.bandwidth")
    if settings.refresh_interval and settings.refresh_time >= settings.refresh_interval:
        raise ConfigError(
            f"dram.refresh_time = {settings.refresh_time}: a refresh ends before the next one begins, so it is less than "
            f"dram.refresh_interval = {settings.refresh_interval}"
        )
    take_settings(dram, Dram, settings)
    dram.refresh_commands = settings.banks if settings.refresh_of == "bank" else 1
    dram.refresh_due[:] = settings.refresh_interval
    dram.refresh_bank[:] = 1 % max(dram.refresh_commands, 1)  # a launch finds bank 0, where its memory begins, refreshed
    dram.interleave_shift = interleave.bit_length() - 1
    lines = settings.row // interleave
    dram.row_shift = lines.bit_length() - 1 if lines and lines & (lines - 1) == 0 else -1
    dram.most_overtakes = settings.overtakes
    dram.window, dram.write_high = settings.queue, settings.write_queue
    related = core_clock > 0 and settings.clock > 0
    dram.core_clock, dram.memory_clock = (core_clock, settings.clock) if related else (1, 1)
    hashes.configure(dram.lines, settings.channels, hash)
    hashes.configure(dram.rows, max(settings.banks, 1), hash)


@inlined
def begins_before(dram, clock, cycle):
    """Whether a memory clock begins before a core cycle does."""
    if dram.core_clock == dram.memory_clock:
        return clock < cycle
    return clock * dram.core_clock < cycle * dram.memory_clock


@inlined
def clock_of(dram, cycle):
    """The first memory clock that does not begin before a core cycle."""
    if dram.core_clock == dram.memory_clock:
        return np.int64(cycle)
    return np.int64((cycle * dram.memory_clock + dram.core_clock - 1) // dram.core_clock)


@inlined
def cycle_of(dram, clock):
    """The first core cycle that does not begin before a memory clock."""
    if dram.core_clock == dram.memory_clock:
        return np.int64(clock)
    return np.int64((clock * dram.core_clock + dram.memory_clock - 1) // dram.memory_clock)


@inlined
def last_cycle_of(dram, clock):
    """The last core cycle that does not begin after a memory clock."""
    if dram.core_clock == dram.memory_clock:
        return np.int64(clock)
    return np.int64(clock * dram.core_clock // dram.memory_clock)


@inlined
def transfer_clocks(dram, size):
    """Memory clocks that some bytes keep a channel's bus; 0 without a limit."""
    if dram.bandwidth == 0:
        return np.int64(0)
    return np.int64(1) if size <= dram.bandwidth else np.int64((size + dram.bandwidth - 1) // dram.bandwidth)


@inlined
def count_bytes(dram, channel, size, write):
    """A channel moves some bytes."""
    dram.requests[channel] += 1
    if write != 0:
        dram.bytes_written[channel] += size
    else:
        dram.bytes_read[channel] += size


@unit
def channel_of(dram, address):
    """The channel in which a byte lies."""
    return channel_place(dram.lines, np.int64(address >> dram.interleave_shift))


@unit
def row_of(dram, address):
    """The row of its channel in which a byte lies."""
    stripe = group_of(dram.lines, np.int64(address >> dram.interleave_shift))
    if dram.row_shift >= 0:
        return np.int64(stripe >> dram.row_shift)
    return np.int64((stripe << dram.interleave_shift) // dram.row)


@inlined
def request(dram, address, bytes, write, now):
    """Ask a simple channel in cycle `now` for `bytes` (1 or more) from a byte address on; returns the cycle in which they are there.

    They lie in one line. write: 1 for a store, whose answer is the cycle in which it is done. Calls come in
    the order of their arrival: `now` never falls.
    """
    channel = channel_of(dram, address)
    start = max(clock_of(dram, now), np.int64(dram.busy_until[channel]))
    opening = np.int64(0)
    if dram.row > 0:
        row = row_of(dram, address) + 1
        if dram.open_row[channel] == row:
            dram.row_hits[channel] += 1
        else:
            dram.row_misses[channel] += 1
            dram.open_row[channel] = row
            opening = np.int64(dram.row_miss)
    transfer = transfer_clocks(dram, bytes)
    count_bytes(dram, channel, bytes, write)
    dram.busy[channel] += opening + transfer
    dram.busy_until[channel] = start + opening + transfer
    return np.int64(cycle_of(dram, start + opening + max(transfer, np.int64(1)) - 1) + dram.latency)
