"""Shared memory: a scratchpad of a block, in banks that work side by side.

In hardware: an SRAM cut into banks (32 of 4 bytes on NVIDIA's and AMD's cores), words dealt out to them in turn: word
w lies in bank w % banks. Each bank gives one word per pass. Lanes that want words of different banks are served
together, and so are lanes that want the same word (it is broadcast); lanes that want different words of one bank are
served in one pass after the other. An n-way bank conflict is an access of n passes: with a stride of s words, n is
gcd(s, banks).

An access of more than a bank's word is done in parts, as NVIDIA's guide has it: 8 bytes per lane in two half warps,
16 in four quarters (with banks of 4 bytes), each part with its own passes; a part without active lanes
takes none. Each lane then wants several words at once.

An atomic operation reads, changes and writes a word, so lanes with the same word cannot share a pass: they count as
different words do.

Source: NVIDIA CUDA C++ Programming Guide, "Shared Memory" of compute capability 2.x to 5.x.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import IMM, OP, PREDICATE, SIZE, A
from warploom.machine.core.load_store.address_pattern import address_range, is_run
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.unit import native_form_of, out_of_line, unit

WIDEST = 16  # bytes per lane of one access


@unit
def bank_of(address, banks, bank_bytes):
    """The bank of a byte address; takes whole arrays too (for pictures)."""
    return address // bank_bytes % banks


@unit
def conflicts(addresses, active, size, lanes, banks, bank_bytes, atomic):
    """How many passes the access of a warp takes: 1 without a conflict, 0 without an active lane.

    addresses: u4[lanes], bytes; active: u4[lanes], non-zero in the lanes that take part; size: bytes per lane;
    banks: 1 to 64; bank_bytes: a power of two; atomic: 1 when lanes may not share a word.
    """
    shift = np.int64(0)  # of a bank's word
    while (np.int64(1) << shift) < bank_bytes:
        shift += 1
    if size <= bank_bytes:
        return _passes(addresses, active, size, lanes, banks, shift, atomic)
    parts = np.int64(size) >> shift
    group = max(np.int64(1), (lanes + parts - 1) // parts)
    passes = np.int64(0)
    for begin in range(0, lanes, group):
        end = min(begin + group, np.int64(lanes))
        passes += _passes(addresses[begin:end], active[begin:end], size, end - begin, banks, shift, atomic)
    return passes


@unit
def _passes(addresses, active, size, lanes, banks, shift, atomic):
    """Passes of the lanes that are served together."""
    low, high = address_range(addresses, active, lanes)
    if high < 0:
        return np.int64(0)
    span = ((high + size - 1) >> shift) - (low >> shift)
    if atomic == 0 and span < banks:
        return np.int64(1)  # all within one row of the banks: no two of its words share a bank
    if lanes > 1:
        step = np.int64(addresses[1]) - np.int64(addresses[0])
        words = abs(step) >> shift
        if span == words * (lanes - 1) and is_run(addresses, active, step, lanes):  # one word per lane
            return np.int64(lanes) if words == 0 else _stride_passes(words, lanes, banks)
    return _fullest_bank(addresses, active, size, lanes, banks, shift, atomic)


@unit
def _stride_passes(words, lanes, banks):
    """Passes of lanes that lie `words` words apart: after banks / gcd(words, banks) lanes the banks repeat."""
    a = np.int64(banks)
    b = np.int64(words)
    while b != 0:
        a, b = b, a % b
    period = banks // a
    return np.int64((lanes + period - 1) // period)


@unit
def _fullest_bank(addresses, active, size, lanes, banks, shift, atomic):
    """The most words that one bank must give: different ones, unless `atomic`."""
    most = np.int64(0)
    for bank in range(banks):
        words = np.int64(0)
        for lane in range(lanes):
            if active[lane] != 0:
                first = np.int64(addresses[lane])
                for word in range(first >> shift, ((first + size - 1) >> shift) + 1):
                    if word % banks == bank and (atomic != 0 or not _wanted_before(addresses, active, size, lane, shift, word)):
                        words += 1
        most = max(most, words)
    return most


@unit
def _wanted_before(addresses, active, size, lane, shift, word):
    """Whether a lane before this one wants the same word."""
    for other in range(lane):
        first = np.int64(addresses[other])
        if active[other] != 0 and first >> shift <= word <= (first + size - 1) >> shift:
            return True
    return False


@native_form_of(_fullest_bank)
@unit
def fullest_bank_by_planes(addresses, active, size, lanes, banks, shift, atomic):
    """A counter for each of 64 banks, written upright: bit b of plane p is bit p of bank b's counter.

    Counting is a carry that runs through the planes.
    """
    plane0 = plane1 = plane2 = plane3 = plane4 = plane5 = plane6 = plane7 = EMPTY
    wanted = EMPTY  # banks that have anything to give
    for lane in range(lanes):
        if active[lane] == 0:
            continue
        first = np.int64(addresses[lane])
        for word in range(first >> shift, ((first + size - 1) >> shift) + 1):
            bank = word & (banks - 1) if banks & (banks - 1) == 0 else word % banks
            mark = bit(bank)
            if atomic == 0 and wanted & mark != EMPTY and _wanted_before(addresses, active, size, lane, shift, word):
                continue
            wanted |= mark
            plane0, carry = plane0 ^ mark, plane0 & mark
            plane1, carry = plane1 ^ carry, plane1 & carry
            plane2, carry = plane2 ^ carry, plane2 & carry
            plane3, carry = plane3 ^ carry, plane3 & carry
            plane4, carry = plane4 ^ carry, plane4 & carry
            plane5, carry = plane5 ^ carry, plane5 & carry
            plane6, carry = plane6 ^ carry, plane6 & carry
            plane7 ^= carry
    most = np.int64(0)
    fullest = wanted
    for plane in (plane7, plane6, plane5, plane4, plane3, plane2, plane1, plane0):
        most *= 2
        if fullest & plane != EMPTY:
            fullest &= plane
            most += 1
    return most


@native_form_of(_wanted_before)
@unit
def _wanted_before_without_branches(addresses, active, size, lane, shift, word):
    """All lanes before are compared, several together."""
    found = False
    for other in range(lane):
        first = np.int64(addresses[other])
        found |= (active[other] != 0) & (first >> shift <= word) & (word <= (first + size - 1) >> shift)
    return found


@out_of_line
def served_together(uops, start, end, k):
    """Bytes per lane with which shared memory serves micro-op `k`, a load or store: its own, or those of neighbours as one access.

    start, end: its bundle's micro-ops. Those of one instruction that follow one another in memory, and are 8 or 16 bytes, are one access
    of that size, which the first of them stands for; then 0 for the others.
    """
    size = np.int64(uops[k, SIZE])
    first, last = np.int64(k), np.int64(k)
    while first > start and _follows(uops, first - 1, first):
        first -= 1
    while last + 1 < end and _follows(uops, last, last + 1):
        last += 1
    together = (last - first + 1) * size
    if together != WIDEST and 2 * together != WIDEST:
        return size
    return together if k == first else np.int64(0)


@unit
def _follows(uops, one, other):
    """Whether micro-op `other` accesses, in the same lanes and way, what lies after the bytes of `one`."""
    same = uops[one, OP] == uops[other, OP] and uops[one, SIZE] == uops[other, SIZE] and uops[one, PREDICATE] == uops[other, PREDICATE]
    return same and uops[one, A] == uops[other, A] and np.int64(uops[one, IMM]) + uops[one, SIZE] == np.int64(uops[other, IMM])
