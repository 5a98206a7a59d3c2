"""Coalescer: turns the addresses of a warp's lanes into as few memory transactions as possible.

In hardware: a row of comparators between the load/store unit and the first-level cache. It takes the byte addresses
of one warp instruction, finds the lines that they fall into, and sends each line once, with a mask of the *sectors*
(pieces of a line that are moved separately) that some lane wants. A warp that reads 32 consecutive words of 4 bytes needs one line of 128
bytes; a warp that strides by a line needs 32. Without it (`merge` 0) every lane is a separate transaction.

A transaction leaves the unit in each cycle and port, so the number of transactions is what an uncoalesced access costs.

`coalesce` is the specification, and is what plain Python runs. Native code tries the commonest patterns first: lanes side by side, lanes in
one line; only then one lane after the other.

Source: NVIDIA CUDA C++ Programming Guide, "Device Memory Accesses" of compute capability 5.x and later (lines of
128 bytes in sectors of 32).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.core.load_store.address_pattern import address_range, is_run
from warploom.machine.engine.bits import EMPTY, ONE, bit
from warploom.machine.engine.unit import inlined, native_form_of, out_of_line, unit

GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)  # times 2^-64: the high bits of a product with it are a good hash
HASH_BITS = np.uint64(6)


@unit
def coalesce(lsu, addresses, active, size, lanes, lines, sectors):
    """Write the transactions of one access to `lines` and `sectors`; returns how many there are.

    lsu: a record with line_shift and sector_shift, log2 of the bytes of a line and a sector (a line has at most 64 sectors), and merge,
    1: lanes that touch a line share its transaction; 0: every lane has its own.
    addresses: u4[lanes], bytes. active: u4[lanes], non-zero in the lanes that take part. size: bytes per lane.
    lines: i8[...], line numbers (address >> line_shift), in the order of the first lane that touches each.
    sectors: u8[...], bit s = sector s of the line is touched.
    Both have room for 2 * lanes: an access may straddle two lines (more if lines are shorter than an access).
    """
    count = np.int64(0)
    for lane in range(lanes):
        if active[lane] == 0:
            continue
        first = np.int64(addresses[lane])
        last = first + size - 1
        for line in range(first >> lsu.line_shift, (last >> lsu.line_shift) + 1):
            place = _place(lines, count, line) if lsu.merge != 0 else count
            if place == count:
                lines[count] = line
                sectors[count] = EMPTY
                count += 1
            sectors[place] |= _piece(first, last, line, lsu.line_shift, lsu.sector_shift)
    return count


@unit
def _place(lines, count, line):
    """Where a line stands among the first `count`; `count` when it is not there."""
    for place in range(count):
        if lines[place] == line:
            return np.int64(place)
    return np.int64(count)


@native_form_of(coalesce)
@inlined
def coalesce_by_pattern(lsu, addresses, active, size, lanes, lines, sectors):
    """The commonest patterns first."""
    if lsu.merge == 0:
        return _lane_by_lane(lsu, addresses, active, size, lanes, lines, sectors)
    first, last = address_range(addresses, active, lanes)
    if last < 0:
        return np.int64(0)
    last += size - 1
    if last - first == lanes * size - 1 and is_run(addresses, active, size, lanes):
        return coalesce_run(first, last, lsu.line_shift, lsu.sector_shift, lines, sectors)
    if first >> lsu.line_shift == last >> lsu.line_shift:
        lines[0] = first >> lsu.line_shift
        sectors[0] = _one_line(lsu, addresses, active, size, lanes)
        return np.int64(1)
    return coalesce_by_lane(lsu, addresses, active, size, lanes, lines, sectors)


@unit
def _lane_by_lane(lsu, addresses, active, size, lanes, lines, sectors):
    """No merging: a transaction a lane, two if it straddles lines."""
    count = np.int64(0)
    for lane in range(lanes):
        if active[lane] == 0:
            continue
        first = np.int64(addresses[lane])
        last = first + size - 1
        for line in range(first >> lsu.line_shift, (last >> lsu.line_shift) + 1):
            lines[count] = line
            sectors[count] = _piece(first, last, line, lsu.line_shift, lsu.sector_shift)
            count += 1
    return count


@unit
def _one_line(lsu, addresses, active, size, lanes):
    """All lanes fall into one line: the sectors that they touch."""
    inside = (np.int64(1) << lsu.line_shift) - 1
    wanted = EMPTY
    for lane in range(lanes):
        on = np.uint64(active[lane] == 0) - np.uint64(1)
        offset = np.int64(addresses[lane]) & inside
        last = min(offset + size - 1, inside)  # an inactive lane's address is arbitrary
        wanted |= on & ones(offset >> lsu.sector_shift, last >> lsu.sector_shift)
    return wanted


@unit
def coalesce_scattered(lsu, addresses, active, size, lanes, lines, sectors):
    """`coalesce`, merging, of lanes known to be neither side by side nor in one line. Same arguments, same result."""
    return coalesce(lsu, addresses, active, size, lanes, lines, sectors)


@native_form_of(coalesce_scattered)
@inlined
def coalesce_by_lane(lsu, addresses, active, size, lanes, lines, sectors):
    """One lane after the other. Most new lines are known to be new by a hash of their number, without a search."""
    count = np.int64(0)
    seen = EMPTY  # bit h = a line with hash h is there
    for lane in range(lanes):
        if active[lane] == 0:
            continue
        first = np.int64(addresses[lane])
        last = first + size - 1
        for line in range(first >> lsu.line_shift, (last >> lsu.line_shift) + 1):
            hashed = bit(np.uint64(np.uint64(line) * GOLDEN_RATIO) >> (np.uint64(64) - HASH_BITS))
            place = np.int64(count)
            if seen & hashed != EMPTY:
                place = count - 1 if lines[count - 1] == line else _place_without_branches(lines, count, line)
            if place == count:
                seen |= hashed
                lines[count] = line
                sectors[count] = EMPTY
                count += 1
            sectors[place] |= _piece(first, last, line, lsu.line_shift, lsu.sector_shift)
    return count


@out_of_line
def _place_without_branches(lines, count, line):
    """`_place`: all are compared to the end, several together."""
    found = np.int64(count)
    for place in range(count):
        found = np.int64(place) if lines[place] == line else found
    return found


@unit
def ones(first, last):
    """The 64-bit mask with ones from bit `first` to bit `last`."""
    return (np.uint64(0xFFFFFFFFFFFFFFFF) << np.uint64(first)) & (np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(63 - last))


@inlined
def coalesce_run(first, last, line_shift, sector_shift, lines, sectors):
    """`coalesce` of an access that wants every byte from `first` to `last`: its lines follow one another."""
    line = first >> line_shift
    if line != last >> line_shift:
        return _lines_of_run(first, last, line_shift, sector_shift, lines, sectors)
    lines[0] = line
    sectors[0] = _piece(first, last, line, line_shift, sector_shift)
    return np.int64(1)


@out_of_line
def _lines_of_run(first, last, line_shift, sector_shift, lines, sectors):
    """A run that one line does not hold."""
    count = np.int64(0)
    for line in range(first >> line_shift, (last >> line_shift) + 1):
        lines[count] = line
        sectors[count] = _piece(first, last, line, line_shift, sector_shift)
        count += 1
    return count


@unit
def _piece(first, last, line, line_shift, sector_shift):
    """The sectors of one line that the bytes from `first` to `last` touch."""
    if line_shift == sector_shift:  # a line is one sector
        return ONE
    begin = line << (line_shift - sector_shift)
    end = begin + (np.int64(1) << (line_shift - sector_shift)) - 1
    return ones(max(first >> sector_shift, begin) - begin, min(last >> sector_shift, end) - begin)


@unit
def sectors_needed(size, sector_shift):
    """The least number of sectors that hold `size` bytes: what an access of active lanes x bytes per lane could cost.

    Sectors moved divided by this is the overfetch that reports show; lanes that read the same bytes can push it
    below 1.
    """
    return (np.int64(size) + (np.int64(1) << sector_shift) - 1) >> sector_shift
