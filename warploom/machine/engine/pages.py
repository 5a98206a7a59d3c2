"""The host's pages of a large array: putting it back to what it was, at the price of what has been touched since; and larger pages.

Not hardware. Records have room for the largest machine, and a short run touches a hundredth of them. The operating system knows which
pages it has given out (`/proc/self/pagemap`); only those are written. Where it cannot be asked, all of the array is.

Records begin in small pages, of which a short run touches few. A device of 64 multiprocessors touches 30,000, in turns, and a processor
knows by heart where some 2,000 lie; so a long run asks for a few hundred huge ones in their place (`gather`).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.counts import numbers, positions
from warploom.machine.engine.layout import CACHE_LINE, bytes_of

PAGE = mmap.PAGESIZE
PAGEMAP = Path("/proc/self/pagemap")
MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")  # what a container may use, where one has a limit
ENTRY = 8  # bytes of it for each page
SWAPPED = 62  # bit of an entry: it is swapped out; the one above: it is in memory

HUGE = 1 << 21  # bytes of a huge page
MADV_COLLAPSE = 25  # Linux 6.1, madvise(2): these small pages become a huge one now
SHARE = 8  # of the memory that nobody uses, huge pages take one part in so many
WORTH_GATHERING = 1024  # touched pages of an array from which on a processor does not know them all by heart
WORTH_GIVING_BACK = 4096  # pages that are given back rather than written, and given out anew when they are touched
WORTH_A_HUGE_PAGE = HUGE // PAGE // 16  # touched pages of the memory of one


class Pages:
    """Remembers an array as it is now; `restore` makes it so again.

    array: of any type, one piece of memory. Pages that it has not touched yet must hold zeros, as those of `engine.unit.zeros` do.
    """

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        held = bytes_of(array)
        lead = -held.ctypes.data % PAGE
        count = max(len(held) - lead, 0) // PAGE
        self._pages = held[lead : lead + count * PAGE].reshape(count, PAGE)
        self._ends = held[:lead], held[lead + count * PAGE :]
        self._copies = [end.copy() for end in self._ends]
        there = _touched(self._pages)
        self._kept = there[self._pages[there].any(axis=1)]
        self._contents = self._pages[self._kept]

    def restore(self) -> None:
        """The array holds what it held when it was remembered."""
        stale = np.setdiff1d(_touched(self._pages), self._kept, assume_unique=True)
        if len(stale) < WORTH_GIVING_BACK or not self._give_back():
            self._pages[stale] = 0
        self._pages[self._kept] = self._contents
        for end, copy in zip(self._ends, self._copies, strict=True):
            end[:] = copy

    def _give_back(self) -> bool:
        """The host takes all pages back, huge ones too: they read as zeros. False where the array has no mapping of its own."""
        mapped = _mapping(self._array)
        if mapped is None:
            return False
        place = self._pages.ctypes.data - np.frombuffer(mapped, np.uint8).ctypes.data
        mapped.madvise(mmap.MADV_DONTNEED, place, self._pages.nbytes)
        return True


def repeat_first(array: np.ndarray) -> None:
    """All elements of an array of records become what the first one is: of it is copied what holds something.

    Pages that the array has not touched yet, and the other elements, must hold zeros.
    """
    held = bytes_of(array).reshape(len(array), -1)
    lines = held.reshape(len(array), -1, CACHE_LINE)
    lead = min(-held.ctypes.data % PAGE, held.shape[1])
    count = (held.shape[1] - lead) // PAGE
    touched = _touched(held[0, lead : lead + count * PAGE].reshape(count, PAGE))
    a_page = PAGE // CACHE_LINE
    first, last = lead // CACHE_LINE, lead // CACHE_LINE + count * a_page  # lines of whole pages
    asked = (first + touched.astype(np.int64)[:, None] * a_page + numbers(a_page)).reshape(-1)
    asked = np.concatenate([numbers(first), asked, last + numbers(lines.shape[1] - last)])
    asked = asked[lines[0].view(np.uint64)[asked].any(axis=1)]
    lines[1:, asked] = lines[0, asked]


class Parts(NamedTuple):
    """All memory of an array in parts as long as a page, from its first byte on: uint8[parts, PAGE], and the bytes after the last one.

    used: the numbers of the parts that hold something.
    """

    parts: np.ndarray
    rest: np.ndarray
    used: np.ndarray


def parts_of(array: np.ndarray) -> Parts:
    """array: of any type, one piece of memory. Pages that it has not touched yet must hold zeros."""
    held = bytes_of(array)
    count = len(held) // PAGE
    parts, rest = held[: count * PAGE].reshape(count, PAGE), held[count * PAGE :]
    lead = -held.ctypes.data % PAGE  # bytes before the first page: a part lies in two, and the ends of the array in pages with other things
    pages = max(len(held) - lead, 0) // PAGE
    begin = _touched(held[lead : lead + pages * PAGE].reshape(pages, PAGE)) * PAGE + lead
    asked = np.unique(np.concatenate([begin // PAGE, (begin + PAGE - 1) // PAGE, [0, count - 1]]).astype(np.int64))
    asked = asked[(asked >= 0) & (asked < count)]
    return Parts(parts, rest, asked[parts[asked].view(np.uint64).any(axis=1)])  # words are looked at faster than bytes


def contents(array: np.ndarray) -> bytes:
    """What an array holds, as bytes: its parts that hold something, and which they are. Equal for equal arrays. As for `parts_of`."""
    parts, rest, used = parts_of(array)
    size = parts.size + len(rest)
    return size.to_bytes(8, "little") + used.tobytes() + parts[used].tobytes() + rest.tobytes()


def in_use(array: np.ndarray) -> np.ndarray:
    """The part of an array up to the last of the host's pages that holds something: what comes after is zero, and need not take memory.

    array: all of one that has no mapping of its own, or of more dimensions than one.
    """
    mapped = array.ndim == 1 and _mapping(array) is not None
    held = array.view(np.uint8) if mapped else array
    entries = _entries(held.ctypes.data // PAGE, -(-len(held) // PAGE)) if mapped else None
    if entries is None:
        return array
    for number in positions(entries >> np.uint64(SWAPPED))[::-1].tolist():  # one that was read only has been given out too
        if held[number * PAGE : (number + 1) * PAGE].any():
            return array[: -(-(number + 1) * PAGE // array.itemsize)]
    return array[:0]


def gather(array: np.ndarray) -> Iterator[int]:
    """Asks the host to keep the busy parts of an array of `engine.unit.zeros` in huge pages; yields the first byte of each before it asks.

    The busiest come first. What the array holds stays as it is. Nothing is asked for where few pages have been touched, no more than a
    share of the memory that nobody uses, and no more once the host says no.
    """
    mapped = _mapping(array)
    if mapped is None:
        return
    held = np.frombuffer(mapped, np.uint8)
    lead = -held.ctypes.data % HUGE
    count = max(len(held) - lead, 0) // HUGE
    pages = held[lead : lead + count * HUGE].reshape(-1, PAGE)
    entries = _entries(pages.ctypes.data // PAGE, len(pages)) if count else None
    if entries is None:
        return
    touched = np.count_nonzero((entries >> np.uint64(SWAPPED)).reshape(count, -1), axis=1)
    if touched.sum() < WORTH_GATHERING:
        return
    busy = np.argsort(-touched, kind="stable")[: np.count_nonzero(touched >= WORTH_A_HUGE_PAGE)]
    for number in busy[: _unused_memory() // SHARE // HUGE].tolist():
        place = lead + number * HUGE
        yield place
        try:
            mapped.madvise(MADV_COLLAPSE, place, HUGE)
        except OSError:  # an older host, or one that has no memory to spare
            return


def _unused_memory() -> int:
    """Bytes that this process could still be given; 0 where the host does not say."""
    try:
        rows = dict(line.split(":", 1) for line in MEMINFO.read_text().splitlines())
        found = int(rows["MemAvailable"].split()[0]) << 10
    except (OSError, ValueError, KeyError):
        return 0
    try:
        limit, used = ((GROUP / name).read_text().strip() for name in ("memory.max", "memory.current"))
    except OSError:
        return found
    return max(min(found, int(limit) - int(used)), 0) if limit.isdecimal() and used.isdecimal() else found


def _mapping(array: np.ndarray) -> mmap.mmap | None:
    """The piece of the host's memory that is mapped for this array alone; None for an array that is small, or where hosts have no pages."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    owner = base.obj if isinstance(base, memoryview) else base
    return owner if isinstance(owner, mmap.mmap) and PAGEMAP.exists() else None


def _touched(pages: np.ndarray) -> np.ndarray:
    """The numbers of the pages that have been given out, in memory or swapped: all, where nobody knows."""
    entries = _entries(pages.ctypes.data // PAGE, len(pages)) if len(pages) else None
    return numbers(len(pages)) if entries is None else positions(entries >> np.uint64(SWAPPED))


def _entries(first: int, count: int) -> np.ndarray | None:
    """What Linux says of this process' pages, a word each (its document pagemap.rst); None, where it does not say it."""
    try:
        with PAGEMAP.open("rb", buffering=0) as file:  # opened anew: after a fork it is another process' map
            file.seek(first * ENTRY)
            words = file.read(count * ENTRY)
    except OSError:
        return None
    return np.frombuffer(words, np.uint64) if len(words) == count * ENTRY else None
