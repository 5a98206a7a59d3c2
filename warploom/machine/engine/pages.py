"""The host's pages of a large array: putting it back to what it was, at the price of what has been touched since.

Not hardware. Records have room for the largest machine, and a short run touches a hundredth of them. The operating system knows which
pages it has given out (`/proc/self/pagemap`); only those are written. Where it cannot be asked, all of the array is.
"""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np

PAGE = mmap.PAGESIZE
PAGEMAP = Path("/proc/self/pagemap")
ENTRY = 8  # bytes of it for each page
SWAPPED = 62  # bit of an entry: it is swapped out; the one above: it is in memory


class Pages:
    """Remembers an array as it is now; `restore` makes it so again.

    array: of any type, one piece of memory. Pages that it has not touched yet must hold zeros, as those of `engine.unit.zeros` do.
    """

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        held = array.reshape(-1).view(np.uint8)
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
        self._pages[np.setdiff1d(_touched(self._pages), self._kept, assume_unique=True)] = 0
        self._pages[self._kept] = self._contents
        for end, copy in zip(self._ends, self._copies, strict=True):
            end[:] = copy


def contents(array: np.ndarray) -> bytes:
    """What an array holds, as bytes: its parts of a page's size that hold something, and which they are. Equal for equal arrays.

    array: of any type, one piece of memory. Pages that it has not touched yet must hold zeros.
    """
    held = array.reshape(-1).view(np.uint8)
    count = len(held) // PAGE
    parts, rest = held[: count * PAGE].reshape(count, PAGE), held[count * PAGE :]
    lead = -held.ctypes.data % PAGE  # bytes before the first page: a part lies in two, and the ends of the array in pages with other things
    pages = max(len(held) - lead, 0) // PAGE
    begin = _touched(held[lead : lead + pages * PAGE].reshape(pages, PAGE)) * PAGE + lead
    asked = np.unique(np.concatenate([begin // PAGE, (begin + PAGE - 1) // PAGE, [0, count - 1]]).astype(np.int64))
    asked = asked[(asked >= 0) & (asked < count)]
    asked = asked[parts[asked].view(np.uint64).any(axis=1)]  # words are looked at faster than bytes
    return len(held).to_bytes(8, "little") + asked.tobytes() + parts[asked].tobytes() + rest.tobytes()


def _touched(pages: np.ndarray) -> np.ndarray:
    """The numbers of the pages that have been given out, in memory or swapped: all, where nobody knows."""
    entries = _entries(pages.ctypes.data // PAGE, len(pages)) if len(pages) else None
    return np.arange(len(pages)) if entries is None else np.flatnonzero(entries >> np.uint64(SWAPPED))


def _entries(first: int, count: int) -> np.ndarray | None:
    """What Linux says of this process' pages, a word each (its document pagemap.rst); None, where it does not say it."""
    try:
        with PAGEMAP.open("rb", buffering=0) as file:  # opened anew: after a fork it is another process' map
            file.seek(first * ENTRY)
            words = file.read(count * ENTRY)
    except OSError:
        return None
    return np.frombuffer(words, np.uint64) if len(words) == count * ENTRY else None
