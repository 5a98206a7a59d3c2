"""DRAM controller: what a channel with banks serves next, and when its data cross the bus.

In hardware: two queues before each channel, reads and writes, and the state of each bank. A bank is a separate array with one row open at
most; to read a different row it must close that one (precharge, tRP, not before tRAS after it was opened) and open the other (activate,
tRCD, not before tRRD after any other bank of the channel, and not as the fifth in tFAW, since each draws much current). Then its data come
tCL later, as many bytes a clock as the bus is wide. While one bank opens a row, others use the bus.

The controller picks a request as late as it can without leaving the bus idle: tRP + tRCD + tCL before the bus is free, in its own clock,
whatever the cores' is. Here it picks in the last core cycle before that, so it sees what had come by then. Of the requests that it sees
(`dram.queue`) it takes the oldest whose row is open, else the first whose row can be: first-ready, first-come first-served (Rixner, Dally,
Kapasi, Mattson and Owens, "Memory access scheduling", ISCA 2000). So that a stream of row hits does not keep a request waiting, and with it
all that its warp does, only so many younger ones may overtake the oldest (`dram.overtakes`; Mutlu and Moscibroda, "Stall-time fair memory
access scheduling", MICRO 2007: FR-FCFS with a cap).

Writes wait until there are no reads, or until there are `dram.write_queue` of them; then half of those are written at once, because the
bus loses tWTR whenever it turns from writing to reading. The queue takes no more than that: others wait in their senders' buffers, and the
senders are notified when there is a place. For them a write is done then.

Cells lose their charge, so each row is read and written back every so often: a refresh, due every `dram.refresh_interval`, closes what is
open and takes `dram.refresh_time`. It is of all banks of the channel, which then stands still, or of one after the other, while the rest of
them work (`dram.refresh_of`). One that falls due waits for what has been picked before, as standards let it. A channel that idles is
refreshed, too: the state that its refreshes have left is computed when a request comes.

Time is in memory clocks, converted where a request comes and goes. Left out: tRTP and bank groups.
Names as in JEDEC's standards (JESD235 for HBM).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line, unit
from warploom.machine.memory.address_hash import group_of, place_of
from warploom.machine.memory.dram import (
    ACTIVATES,
    REFRESHED,
    begins_before,
    channel_of,
    clock_of,
    count_bytes,
    cycle_of,
    last_cycle_of,
    row_of,
    transfer_clocks,
)
from warploom.machine.memory.event_wheel import schedule
from warploom.machine.memory.request import held, hold, let_go, request
from warploom.machine.memory.transactions import CHANNEL_TURN, EXTRA_SHIFT, NOTHING, TAKEN

READS, WRITES = range(2)


@unit
def submit(gpu, dram, address, size, write, finished, now):
    """Put a request for `size` bytes at an address into its channel's queue. `finished` continues when it is done.

    Returns 1, or 0 for a write if the queue is full: then a request of kind TAKEN goes back to the sender when there is a place.
    """
    channel = channel_of(dram, address)
    row = row_of(dram, address)
    index = hold(dram, finished)
    dram.bank[index] = place_of(dram.rows, row)
    dram.bank_row_wanted[index] = group_of(dram.rows, row) + 1
    dram.size[index] = size
    if dram.first[channel, write] == 0:
        dram.first[channel, write] = index + 1
    else:
        dram.next[dram.last[channel, write] - 1] = index + 1
    dram.last[channel, write] = index + 1
    dram.count[channel, write] += 1
    taken = np.int64(1)
    if write != 0 and dram.count[channel, WRITES] > dram.write_high:
        taken = np.int64(0)
        if dram.outside[channel] == 0:
            dram.outside[channel] = index + 1
    if dram.turn[channel] == 0:
        serve_channel(gpu, dram, channel, now)
    return taken


@unit
def serve_channel(gpu, dram, channel, now):
    """Serve as many requests as the bus can be planned for, and come back when it can be planned further."""
    dram.turn[channel] = 0
    ahead = dram.rp + dram.rcd + dram.cl
    while dram.count[channel, READS] + dram.count[channel, WRITES] > 0:
        clock = dram.busy_until[channel] - ahead
        if not begins_before(dram, clock, now + 1):
            dram.turn[channel] = 1
            schedule(gpu.wheel, last_cycle_of(dram, clock), request(CHANNEL_TURN, -1, channel, EMPTY, 0))
            return
        if begins_before(dram, clock, now):
            clock = clock_of(dram, now)
        if dram.refresh_interval != 0 and clock >= dram.refresh_due[channel]:
            _refresh(dram, channel, clock)
        write = _direction(dram, channel)
        _serve(gpu, dram, channel, write, _take(dram, channel, write, clock), clock, now)
        if write != 0 and dram.outside[channel] != 0:
            _take_in(gpu, dram, channel, now)


@out_of_line
def _refresh(dram, channel, clock):
    """Do the refreshes that have fallen due up to a clock. A bank can be refreshed when it could open a row."""
    due = np.int64(dram.refresh_due[channel])
    interval, commands = np.int64(dram.refresh_interval), np.int64(dram.refresh_commands)
    rounds = (clock - due) // (interval * commands) - 1  # while no request came: the last round leaves what those before it would have
    if rounds > 0:
        due += rounds * interval * commands
        dram.refreshes[channel] += rounds * commands
    while due <= clock:
        first, after = np.int64(0), np.int64(dram.banks)
        if commands > 1:
            first = np.int64(dram.refresh_bank[channel])
            after = first + 1
            dram.refresh_bank[channel] = after % commands
        start = due
        for bank in range(first, after):
            start = max(start, _can_open(dram, channel, bank, due))
        for bank in range(first, after):
            dram.bank_row[channel, bank] = REFRESHED
            dram.bank_closes[channel, bank] = start + dram.refresh_time
        dram.refreshes[channel] += 1
        due += interval
    dram.refresh_due[channel] = due


@inlined
def _take_in(gpu, dram, channel, now):
    """A write has been served, so the first that waits outside of the queue gets its place, and its sender is notified."""
    link = np.int64(dram.outside[channel])
    dram.outside[channel] = dram.next[link - 1]
    if dram.kind[link - 1] != NOTHING:
        sender = held(dram, link - 1)
        schedule(gpu.wheel, now + 1, request(TAKEN, sender.core, sender.line, np.uint64(sender.kind), 0))


@inlined
def _direction(dram, channel):
    """WRITES when a write is served next: there is no read, or too many writes wait."""
    writes = np.int64(dram.count[channel, WRITES])
    if writes >= dram.write_high:
        dram.draining[channel] = 1
    elif 2 * writes <= dram.write_high:
        dram.draining[channel] = 0
    if dram.count[channel, READS] == 0 or (dram.draining[channel] != 0 and writes > 0):
        return np.int64(WRITES)
    return np.int64(READS)


@unit
def _take(dram, channel, write, clock):
    """Take the request that is served next out of a queue; returns its index.

    The oldest, if it has been overtaken often enough; else the oldest whose row is open; else the one whose row can be opened first, so
    that the channel does not wait for busy banks; if there are several, the oldest.
    """
    before = np.int64(0)
    link = np.int64(dram.first[channel, write])
    if dram.most_overtakes != 0 and dram.overtaken[channel, write] >= dram.most_overtakes:
        return _unlink(dram, channel, write, before, link)
    first_before, first_link = before, link
    soonest = np.int64(FOREVER)
    for _ in range(dram.window if write == 0 else min(dram.window, dram.write_high)):
        bank = np.int64(dram.bank[link - 1])
        if dram.bank_row[channel, bank] == dram.bank_row_wanted[link - 1]:
            return _unlink(dram, channel, write, before, link)
        time = _can_open(dram, channel, bank, clock)
        if time < soonest:
            soonest, first_before, first_link = time, before, link
        before = link
        link = np.int64(dram.next[link - 1])
        if link == 0:
            break
    return _unlink(dram, channel, write, first_before, first_link)


@inlined
def _can_open(dram, channel, bank, clock):
    """The first clock in which a bank can open a different row than it has open, if any."""
    opened = np.int64(clock)
    row = np.int64(dram.bank_row[channel, bank])
    if row == REFRESHED:
        opened = max(opened, np.int64(dram.bank_closes[channel, bank]))
    elif row != 0:
        closed = max(opened, np.int64(dram.bank_opened[channel, bank]) + dram.ras, np.int64(dram.bank_closes[channel, bank]))
        opened = closed + dram.rp
    return max(opened, np.int64(dram.opens_after[channel]))


@inlined
def _count_activate(dram, channel, opened):
    """A row is opened: the next one is not before the window that began with the fourth last is over."""
    count = np.int64(dram.opened_rows[channel])
    dram.opened_at[channel, count % ACTIVATES] = opened
    dram.opened_rows[channel] = count + 1
    if count + 1 >= ACTIVATES:
        fourth_last = np.int64(dram.opened_at[channel, (count + 1) % ACTIVATES])
        dram.opens_after[channel] = max(np.int64(dram.opens_after[channel]), fourth_last + dram.activate_window)


@inlined
def _unlink(dram, channel, write, before, link):
    """Take a request out of its queue, where `before` (index + 1, or 0) is the next older one."""
    after = np.int64(dram.next[link - 1])
    if before == 0:
        dram.first[channel, write] = after
        dram.overtaken[channel, write] = 0
    else:
        dram.next[before - 1] = after
        dram.overtaken[channel, write] += 1
    if after == 0:
        dram.last[channel, write] = before
    dram.count[channel, write] -= 1
    return np.int64(link - 1)


@inlined
def _serve(gpu, dram, channel, write, index, clock, now):
    """Open the row of a request if need be, and let its data cross the bus."""
    bank = np.int64(dram.bank[index])
    column = np.int64(clock)
    if dram.bank_row[channel, bank] == dram.bank_row_wanted[index]:
        dram.row_hits[channel] += 1
        column = max(column, np.int64(dram.bank_opened[channel, bank]) + dram.rcd)
    else:
        dram.row_misses[channel] += 1
        opened = _can_open(dram, channel, bank, clock)
        dram.bank_row[channel, bank] = dram.bank_row_wanted[index]
        dram.bank_opened[channel, bank] = opened
        dram.opens_after[channel] = opened + dram.rrd
        if dram.activate_window != 0:
            _count_activate(dram, channel, opened)
        column = opened + dram.rcd
    if write == 0:
        column = max(column, np.int64(dram.read_after[channel]))
    start = max(column + (dram.wl if write != 0 else dram.cl), np.int64(dram.busy_until[channel]))
    transfer = transfer_clocks(dram, dram.size[index])
    end = start + transfer
    dram.busy_until[channel] = end
    dram.bank_closes[channel, bank] = max(np.int64(dram.bank_closes[channel, bank]), end + dram.wr if write != 0 else start)
    if write != 0:
        dram.read_after[channel] = end + dram.wtr
    dram.busy[channel] += transfer
    count_bytes(dram, channel, np.int64(dram.size[index]), write)
    if dram.kind[index] != NOTHING:
        finished = held(dram, index)
        time = cycle_of(dram, end - 1) + (dram.latency - 1 if write == 0 else 0) + (finished.tag >> EXTRA_SHIFT)
        schedule(gpu.wheel, max(time, np.int64(now + 1)), finished)
    let_go(dram, index)
