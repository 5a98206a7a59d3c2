# mypy: disable-error-code="no-untyped-def"
"""Coalescer: turns the addresses of a warp's lanes into as few memory transactions as will do.

In hardware: a row of comparators between the load/store unit and the first-level cache. It takes the byte addresses
of one warp instruction, finds the lines that they fall into, and sends each line once, with a mask of the *sectors*
(pieces of a line that are moved on their own) that some lane wants. A warp that reads 32 consecutive words of 4
bytes needs one line of 128 bytes; a warp that strides by a line needs 32. Without it (`merge` 0) every lane is a
transaction of its own.

A transaction leaves the unit in each cycle and port, so the number of transactions is what an uncoalesced access costs.

Source: NVIDIA CUDA C++ Programming Guide, "Device Memory Accesses" of compute capability 5.x and later (lines of
128 bytes in sectors of 32).
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import part, rare, unit


@unit
def coalesce(addresses, active, size, lanes, merge, line_shift, sector_shift, lines, sectors):
    """Write the transactions of one access to `lines` and `sectors`; returns how many there are.

    addresses: u4[lanes], bytes; active: u4[lanes], non-zero in the lanes that take part; size: bytes a lane. A line
    has at most 64 sectors (sector_shift <= line_shift <= sector_shift + 6).
    lines: i8[...], line numbers (address >> line_shift), in the order of the first lane that touches each.
    sectors: u8[...], bit s = sector s of the line is touched.
    Both have room for 2 * lanes: an access may straddle two lines (more where lines are shorter than an access).
    merge: 1: lanes that touch a line share its transaction; 0: every lane has its own.
    """
    if merge == 0:
        return _lane_by_lane(addresses, active, size, lanes, line_shift, sector_shift, lines, sectors)
    lowest = np.uint32(0xFFFFFFFF)
    highest = np.uint32(0)
    for lane in range(lanes):  # masks instead of branches, so that it vectorises
        off = np.uint32(np.uint32(active[lane] != 0) - np.uint32(1))
        on = np.uint32(np.uint32(active[lane] == 0) - np.uint32(1))
        lowest = min(lowest, np.uint32(addresses[lane] | off))
        highest = max(highest, np.uint32(addresses[lane] & on))
    if lowest > highest:
        return np.int64(0)
    first = np.int64(lowest)
    last = np.int64(highest) + size - 1
    if last - first == lanes * size - 1 and irregularity(addresses, active, size, lanes) == 0:
        return coalesce_run(first, last, line_shift, sector_shift, lines, sectors)
    if first >> line_shift == last >> line_shift:
        lines[0] = first >> line_shift
        sectors[0] = _one_line(addresses, active, size, lanes, line_shift, sector_shift)
        return np.int64(1)
    return _any_pattern(addresses, active, size, lanes, line_shift, sector_shift, lines, sectors)


@unit
def irregularity(addresses, active, stride, lanes):
    """0 when every lane is active and lies `stride` bytes behind the lane before it, modulo 2**32; else something else."""
    start = addresses[0]
    step = np.uint32(stride & 0xFFFFFFFF)
    found = np.uint32(0)
    for lane in range(lanes):
        expected = np.uint32(start + np.uint32(np.uint32(lane) * step))
        found = np.uint32(found | np.uint32(active[lane] == 0) | np.uint32(addresses[lane] - expected))
    return found


@unit
def ones(first, last):
    """The 64-bit mask with ones from bit `first` to bit `last`."""
    return (np.uint64(0xFFFFFFFFFFFFFFFF) << np.uint64(first)) & (np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(63 - last))


@part
def coalesce_run(first, last, line_shift, sector_shift, lines, sectors):
    """`coalesce` of an access that wants every byte from `first` to `last`: its lines follow one another."""
    line = first >> line_shift
    if line != last >> line_shift:
        return _lines_of_run(first, last, line_shift, sector_shift, lines, sectors)
    lines[0] = line
    sectors[0] = _piece(first, last, line, line_shift, sector_shift)
    return np.int64(1)


@rare
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
    begin = line << (line_shift - sector_shift)
    end = begin + (np.int64(1) << (line_shift - sector_shift)) - 1
    return ones(max(first >> sector_shift, begin) - begin, min(last >> sector_shift, end) - begin)


@unit
def _one_line(addresses, active, size, lanes, line_shift, sector_shift):
    """All lanes fall into one line: the sectors that they touch."""
    inside = (np.int64(1) << line_shift) - 1
    wanted = np.uint64(0)
    for lane in range(lanes):
        on = np.uint64(active[lane] == 0) - np.uint64(1)
        offset = np.int64(addresses[lane]) & inside
        last = min(offset + size - 1, inside)  # an inactive lane's address may lie anywhere
        wanted |= on & ones(offset >> sector_shift, last >> sector_shift)
    return wanted


@unit
def _any_pattern(addresses, active, size, lanes, line_shift, sector_shift, lines, sectors):
    """One lane after the other: find its line among those already there, or add it."""
    count = np.int64(0)
    seen = np.uint64(0)  # bit = hash of a line number: most new lines are known to be new without a search
    for lane in range(lanes):
        if active[lane] == 0:
            continue
        first = np.int64(addresses[lane])
        last = first + size - 1
        for line in range(first >> line_shift, (last >> line_shift) + 1):
            mark = np.uint64(1) << (np.uint64(np.uint64(line) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58))
            place = _place(lines, count, line) if seen & mark != np.uint64(0) else count
            if place == count:
                seen |= mark
                lines[count] = line
                sectors[count] = np.uint64(0)
                count += 1
            sectors[place] |= _piece(first, last, line, line_shift, sector_shift)
    return count


@unit
def _place(lines, count, line):
    """Where a line stands among the first `count`; `count` when it is not there."""
    if lines[count - 1] == line:
        return np.int64(count - 1)
    found = np.int64(count)
    for place in range(count):  # without a way out, so that it vectorises
        found = np.int64(place) if lines[place] == line else found
    return found


@unit
def _lane_by_lane(addresses, active, size, lanes, line_shift, sector_shift, lines, sectors):
    """No merging: a transaction a lane, two where it straddles lines."""
    count = np.int64(0)
    for lane in range(lanes):
        if active[lane] == 0:
            continue
        first = np.int64(addresses[lane])
        last = first + size - 1
        for line in range(first >> line_shift, (last >> line_shift) + 1):
            lines[count] = line
            sectors[count] = _piece(first, last, line, line_shift, sector_shift)
            count += 1
    return count


@unit
def sectors_needed(size, sector_shift):
    """The least number of sectors that hold `size` bytes: what an access of active lanes x bytes a lane could cost.

    Sectors moved divided by this is the overfetch that reports show; lanes that read the same bytes can push it
    below 1.
    """
    return (np.int64(size) + (np.int64(1) << sector_shift) - 1) >> sector_shift
