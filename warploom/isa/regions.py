"""Regions: which of a program's 4 GiB of addresses there is memory at, and what kind.

In hardware: the memory map of a device, as its address decoder or page tables hold it: program images, heaps, stacks, windows through
which a host or a device is reached, and gaps that nobody answers. A program that declares no region has one flat memory from address 0
on, as large as the machine's. One that declares some has those and nothing else: an access between them is a fault that names its
address and the nearest region. Where a machine has memory at every address, a program may have pages besides: one appears at an address
between regions that is used, as an operating system maps memory when it is first touched.

A host keeps the bytes of all regions one after another, so a region at 0x80000000 takes no more room than its size. `AddressSpace` knows
where: an *address* is what the program uses, a *place* is an index into those bytes. In a flat memory they are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

SPACE_BYTES = 1 << 32
ROW = 256  # bytes: a place and its address are equal modulo this, so that rows of a table begin at round addresses

# Columns of the table that the hardware has of them.
# OFFSET: from an address to its place.
# STRIDE: of a region of which each core has its own, from one core's place to the next core's; else 0.
# MOVED: what is added to such a place for all cores but the first.
# KIND: a number of KINDS.
# UOP, ADDRESS: of a page, the access that made it appear; until then its END is 0 and its OFFSET is its place. Pages are the last rows.
# SLOT: of the rows of pages, a hash table of them: the number of a row that is looked for here, see `address_space.py`; 0 where none is.
(REGION_BASE, REGION_END, REGION_OFFSET, REGION_WRITABLE, REGION_CACHED, REGION_STRIDE, REGION_MOVED, REGION_KIND) = range(8)
REGION_UOP, REGION_ADDRESS, REGION_SLOT = range(8, 11)
REGION_COLUMNS = 11
PAGE_BYTES = 1 << 20  # a heap of many MiB is a few rows of the table; a host gives out memory for what is touched of it
KINDS = ("memory", "scratchpad", "console")  # what answers: memory; the core's shared memory; a device that prints what is stored to it
SCRATCHPAD, CONSOLE = KINDS.index("scratchpad"), KINDS.index("console")


class RegionError(ValueError):
    """Regions that cannot be, or an address at which there is none. One sentence."""


@dataclass(frozen=True, eq=False)
class Region:
    """A piece of memory.

    name: what a user calls it: a buffer of this name is its contents. base, bytes: its first address and its size, multiples of 4.
    writable: a store elsewhere than in a writable one is a fault. cached: whether first-level caches keep its lines; a window to a
    device is not cached. of_core: each core has its own, of which the first core's is seen from outside. thread_bytes: it has so many
    bytes for each thread that the machine (of_core: a core) holds, below its end; `bytes` is what there is at least. of_launch: the threads
    are those of the launch, and `bytes` is room for them all. kind: of KINDS; a
    byte that is stored to a console is written on the run's log. data: its first bytes before the first cycle (uint8); the rest is zero.
    """

    name: str
    base: int
    bytes: int
    writable: bool = True
    cached: bool = True
    of_core: bool = False
    thread_bytes: int = 0
    of_launch: bool = False
    kind: str = KINDS[0]
    data: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint8))

    @property
    def end(self) -> int:
        """The first address after it."""
        return self.base + self.bytes

    def __str__(self) -> str:
        return f"{self.name!r} ({self.base:#x} to {self.end - 1:#x})"


class AddressSpace:
    """Where the bytes of some regions are: by address, those of regions that touch without a gap.

    regions: in any order. pages: those that have appeared between them, each with the place of its first byte, beyond the regions' places.
    Raises RegionError.
    """

    def __init__(self, regions: Sequence[Region], pages: Mapping[Region, int] | None = None) -> None:
        pages = pages or {}
        self.regions = tuple(sorted([*regions, *pages], key=lambda region: region.base))
        self._check()
        self.starts: list[int] = []  # by region: the place of its first byte
        end = 0
        for region in self.regions:
            start = pages[region] if region in pages else end + (region.base - end) % ROW
            self.starts.append(start)
            end = end if region in pages else start + region.bytes
        self.bytes = max([end, *(start + page.bytes for page, start in pages.items())])  # places that there are

    @property
    def flat(self) -> bool:
        """Whether every place is its own address."""
        return len(self.regions) == 1 and self.regions[0].base == 0

    def place(self, address: int, size: int = 1) -> int:
        """The place of `size` bytes from an address on. Raises RegionError where they do not lie in one region."""
        for region, start in zip(self.regions, self.starts, strict=True):
            if region.base <= address and address + size <= region.end:
                return start + address - region.base
        raise RegionError(f"there is no memory at address {self.text(address)}{self.nearest(address)}")

    def address(self, place: int) -> int:
        """The address of a place."""
        return int(self.addresses(np.array([place], np.int64))[0])

    def addresses(self, places: np.ndarray) -> np.ndarray:
        """int64: the addresses of places; of one between two regions, which nothing uses, as if the region before it went on."""
        starts, order = np.array(self.starts, np.int64), np.argsort(self.starts, kind="stable")
        index = np.searchsorted(starts[order], places, side="right") - 1
        offsets = np.array([region.base for region in self.regions], np.int64) - starts
        found: np.ndarray = np.asarray(places, np.int64) + offsets[order][np.maximum(index, 0)]
        return found

    def slice_of(self, region: Region) -> slice:
        """The places of a region."""
        start = self.starts[self.regions.index(region)]
        return slice(start, start + region.bytes)

    def named(self, name: str) -> Region | None:
        """The region of a name, if there is one."""
        return next((region for region in self.regions if region.name == name), None)

    def nearest(self, address: int) -> str:
        """A clause about the region nearest to an address: `; the nearest region is 'image' (0x80000000 to 0x8000ffff)`."""
        if self.flat:
            return f": it has {self.regions[0].bytes} bytes"
        near = min(self.regions, key=lambda region: max(region.base - address, address - region.end + 1, 0))
        return f"; the nearest region is {near}"

    def text(self, address: int) -> str:
        """An address as a person reads it: a small memory's in decimal."""
        return str(address) if self.flat else f"{address:#x}"

    def initial(self) -> np.ndarray:
        """uint8[bytes]: what there is before the first cycle, by place."""
        found = np.zeros(self.bytes, np.uint8)
        for region, start in zip(self.regions, self.starts, strict=True):
            found[start : start + len(region.data)] = region.data
        return found

    @cached_property
    def table(self) -> np.ndarray:
        """int64[regions, REGION_COLUMNS]: what the hardware has of them."""
        rows = [
            (region.base, region.end, start - region.base, region.writable, region.cached, 0, 0, KINDS.index(region.kind), -1, 0, 0)
            for region, start in zip(self.regions, self.starts, strict=True)
        ]
        return np.array(rows, np.int64).reshape(-1, REGION_COLUMNS)

    def of_cores(self, cores: int, place: int) -> tuple[np.ndarray, int]:
        """(`table` for so many cores, the place after all memory). place: where the other cores' own regions begin."""
        table = self.table.copy()
        for row, region in zip(table, self.regions, strict=True):
            if region.of_core and cores > 1:
                place += (region.base - place) % ROW
                row[REGION_STRIDE] = -(-region.bytes // ROW) * ROW
                row[REGION_MOVED] = place - row[REGION_STRIDE] - (row[REGION_OFFSET] + region.base)
                place += int(row[REGION_STRIDE]) * (cores - 1)
        return table, place

    def gap(self, size: int) -> int:
        """The lowest address above all regions, or in the first gap, from which on `size` bytes are free. Raises RegionError."""
        unit = 1 << 16
        tops = [0, *(region.end for region in self.regions)]
        for top in [tops[-1], *tops[:-1]]:
            base = -(-top // unit) * unit
            if base + size <= SPACE_BYTES and not any(region.base < base + size and base < region.end for region in self.regions):
                return base
        raise RegionError(f"there is no gap of {size} bytes between the regions")

    def _check(self) -> None:
        names: set[str] = set()
        before: Region | None = None
        for region in self.regions:
            odd = region.bytes % 4 and not self.flat
            if region.base % 4 or odd or region.bytes < 0 or not 0 <= region.base <= region.end <= SPACE_BYTES:
                raise RegionError(f"region {region}: it begins at a multiple of 4, has a multiple of 4 bytes, and ends below 2^32")
            if not isinstance(region.data, np.ndarray) or region.data.dtype != np.uint8 or len(region.data) > region.bytes:
                raise RegionError(f"region {region}: its data are uint8, at most its {region.bytes} bytes")
            if region.name in names:
                raise RegionError(f"two regions are called {region.name!r}")
            if before is not None and region.base < before.end:
                raise RegionError(f"regions {before} and {region} overlap")
            names.add(region.name)
            before = region


def for_machine(regions: Sequence[Region], cores: int, core_threads: int) -> tuple[Region, ...]:
    """Regions that have room for each thread, as a machine of so many cores needs them. Raises RegionError where they would overlap."""
    found = []
    for region in regions:
        threads = 0 if region.of_launch else core_threads if region.of_core else cores * core_threads
        size = max(region.bytes, region.thread_bytes * threads)
        if region.end - size < 0:
            raise RegionError(f"region {region}: {threads} threads of {region.thread_bytes} bytes do not fit below its end")
        found.append(replace(region, base=region.end - size, bytes=size) if size != region.bytes else region)
    AddressSpace(found)
    return tuple(found)


def flat_memory(size: int) -> AddressSpace:
    """One memory of `size` bytes from address 0 on."""
    return AddressSpace([Region("memory", 0, size)])
