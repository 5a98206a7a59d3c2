# mypy: disable-error-code="no-untyped-def"
"""DRAM: memory outside of the chip, as channels that each serve one request after the other.

In hardware: a channel is a bus of its own with its own devices. Consecutive lines go to consecutive channels
(`address / interleave % channels`), so that a stream keeps all of them busy. Within a channel the lines that are its
own lie side by side in rows; a row must be opened before it is read, and stays open until a different one is needed.

What a request costs, in cycles. It starts when it arrives, or when the channel has finished with the requests
before it, whichever is later:

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

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import record, unit

CHANNELS = 64

Dram = record(
    settings=dict(
        channels="i8",
        interleave_shift="i8",           # log2 of the bytes that lie in one channel before the next one's begin
        latency="i8",                    # cycles
        bandwidth="i8",                  # bytes per cycle and channel; 0: no limit
        row="i8",                        # bytes; 0: no row buffers
        row_miss="i8",                   # cycles that opening a row takes
    ),
    state=dict(
        busy_until=("i8", CHANNELS),     # by channel: first cycle in which it can begin the next request
        open_row=("i8", CHANNELS),       # by channel: row number + 1; 0: none is open
    ),
    counters=dict(
        requests=("i8", CHANNELS),       # by channel: requests
        row_hits=("i8", CHANNELS),       # ... that found their row open
        row_misses=("i8", CHANNELS),     # ... that had to open it
        busy=("i8", CHANNELS),           # ... cycles in which the channel was opening or transferring
        bytes_read=("i8", CHANNELS),     # ... bytes that left it
        bytes_written=("i8", CHANNELS),  # ... bytes that went in
    ),
)  # fmt: skip


def configure(dram: Any, channels: int, interleave: int, latency: int, bandwidth: int, row: int, row_miss: int) -> None:
    """Set up an all-zero `Dram` through its mirror. interleave: bytes, a power of two (the line). Raises ConfigError."""
    if not 1 <= channels <= CHANNELS:
        raise ConfigError(f"dram.channels = {channels}: there is room for 1 to {CHANNELS}")
    if interleave < 1 or interleave & (interleave - 1):
        raise ConfigError(f"a DRAM interleave of {interleave} bytes: it is a line, a power of two")
    if row % interleave:
        raise ConfigError(f"dram.row = {row}: a row holds whole lines, so it is a multiple of {interleave}")
    dram.channels = channels
    dram.interleave_shift = interleave.bit_length() - 1
    dram.latency = latency
    dram.bandwidth = bandwidth
    dram.row = row
    dram.row_miss = row_miss


@unit
def channel_of(dram, address):
    """The channel in which a byte lies."""
    return np.int64((address >> dram.interleave_shift) % dram.channels)


@unit
def row_of(dram, address):
    """The row of its channel in which a byte lies."""
    stripe = (address >> dram.interleave_shift) // dram.channels
    return np.int64((stripe << dram.interleave_shift) // dram.row)


@unit
def request(dram, address, bytes, write, now):
    """Ask in cycle `now` for `bytes` (1 or more) from a byte address on; returns the cycle in which they are there.

    They lie in one line. write: 1 for a store, whose answer is the cycle in which it is done. Calls come in
    the order of their arrival: `now` never falls.
    """
    channel = channel_of(dram, address)
    start = max(np.int64(now), np.int64(dram.busy_until[channel]))
    opening = np.int64(0)
    if dram.row > 0:
        row = row_of(dram, address) + 1
        if dram.open_row[channel] == row:
            dram.row_hits[channel] += 1
        else:
            dram.row_misses[channel] += 1
            dram.open_row[channel] = row
            opening = np.int64(dram.row_miss)
    transfer = np.int64(0)
    if dram.bandwidth > 0:
        transfer = np.int64(1) if bytes <= dram.bandwidth else np.int64((bytes + dram.bandwidth - 1) // dram.bandwidth)
    dram.requests[channel] += 1
    dram.busy[channel] += opening + transfer
    dram.busy_until[channel] = start + opening + transfer
    if write != 0:
        dram.bytes_written[channel] += bytes
    else:
        dram.bytes_read[channel] += bytes
    return np.int64(start + opening + dram.latency + max(transfer, np.int64(1)) - 1)
