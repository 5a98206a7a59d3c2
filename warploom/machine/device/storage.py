"""Where the bytes of all memory lie that a program uses: regions, pages that may appear, local memory of all warp slots, constants.

This is the host's side: one array. The hardware's side of it is `core/load_store/address_space.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.isa.regions import (
    KINDS,
    PAGE_BYTES,
    REGION_BASE,
    REGION_COLUMNS,
    REGION_END,
    REGION_MOVED,
    REGION_OFFSET,
    REGION_STRIDE,
    ROW,
    AddressSpace,
    Region,
    RegionError,
)
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.schema import Config
from warploom.machine.device.held import Held
from warploom.machine.engine.layout import new_bytes


class Storage:
    """The layout of a run's memory. pages: how many may appear. Raises LaunchError when local memory finds no room in the address space."""

    def __init__(self, config: Config, program: Program, space: AddressSpace, pages: int = 0) -> None:
        self.program, self.space, self.pages = program, space, pages
        self.local_bytes = -(-program.launch.local_bytes // 4) * 4 if program.uses(u.LOCAL_SPACE) else 0
        core, self.cores = config.core, config.gpu.cores
        self.local_total = self.local_bytes * config.gpu.cores * core.warps * core.lanes
        self.pages_place = _up(space.bytes)
        self.bytes = self.pages_place + pages * PAGE_BYTES if pages else space.bytes  # of regions and pages
        self.local_place = _up(self.bytes)
        self.constant_place = _up(self.local_place + self.local_total)
        tables, self.end = space.of_cores(config.gpu.cores, _up(self.constant_place + len(program.constants)))
        self.tables = np.concatenate([tables, _empty_pages(pages, self.pages_place)])
        self.translates = bool(program.regions) or program.uses(u.LOCAL_SPACE) or program.uses(u.CONSTANT_SPACE)
        try:
            self.local_base = space.gap(self.local_total) if self.local_total else 0
        except RegionError as error:
            raise LaunchError(f"{program.source.path}: {self.local_bytes} bytes of local memory a thread: {error}") from None

    def mapped(self) -> AddressSpace:
        """Where memory is by now: the regions, and the pages that have appeared."""
        touched = self.touched()[:, [REGION_BASE, REGION_END, REGION_OFFSET]].tolist()
        pages = {Region(f"page {base:#x}", base, end - base): base + offset for base, end, offset in touched}
        return AddressSpace(self.space.regions, pages) if pages else self.space

    def touched(self) -> np.ndarray:
        """int64[n, REGION_COLUMNS]: the pages that have appeared, in that order."""
        pages = self.tables[len(self.tables) - self.pages :]
        return pages[pages[:, REGION_END] != 0]

    def added_to(self, held: Held) -> np.ndarray:
        """uint32[words]: memory that is held, with this program's constants and room for local memory after it."""
        constants = self.program.constants if self.translates else np.zeros(0, np.uint8)
        if not (self.local_total or len(constants)):
            return held.words
        memory = held.room((self.constant_place + len(constants) + 3) // 4)
        memory.view(np.uint8)[self.constant_place : self.constant_place + len(constants)] = constants
        return memory

    def filled(self) -> np.ndarray:
        """uint32[words]: memory before the first cycle."""
        constants = self.program.constants if self.translates else np.zeros(0, np.uint8)
        extra = self.local_total or len(constants)
        size = self.constant_place + len(constants) if extra else self.bytes
        size = max(size, self.end if self.tables[:, REGION_STRIDE].any() else 0)
        memory = new_bytes((size + 3) // 4 * 4, huge=True).view(np.uint32)  # a stream of accesses takes a twentieth less time so
        held = memory.view(np.uint8)
        for region, start in zip(self.space.regions, self.space.starts, strict=True):
            held[start : start + len(region.data)] = region.data
        held[: len(self.program.data)] = self.program.data
        for row, region in zip(self.tables, self.space.regions, strict=False):  # pages begin as zero
            for core in range(1, self.cores if row[REGION_STRIDE] else 1):
                start = int(region.base + row[REGION_OFFSET] + row[REGION_MOVED] + core * row[REGION_STRIDE])
                held[start : start + len(region.data)] = region.data
        if len(constants):
            held[self.constant_place : self.constant_place + len(constants)] = constants
        return memory


def spare_pages(config: Config, program: Program) -> int:
    """How many pages may appear: what the program allows, as far as the machine's memory goes."""
    return min(program.spare_pages, max(config.memory.bytes // PAGE_BYTES, 1))


def set_up_spaces(core: Any, config: Config, program: Program, storage: Storage) -> None:
    """What a core (its mirror) knows of address spaces before the first cycle."""
    spaces = core.spaces
    spaces.used, spaces.regions = int(storage.translates), len(program.regions)
    spaces.local_bytes, spaces.local_base, spaces.local_place = storage.local_bytes, storage.local_base, storage.local_place
    spaces.constant_bytes, spaces.constant_place = len(program.constants), storage.constant_place
    core.access.cached = 1
    c = config.constant
    core.constants.memory_latency = c.memory_latency
    for level, size, line, ways, latency in (
        (core.constants.first, c.bytes, c.line, c.ways, c.latency),
        (core.constants.second, c.next_bytes, c.next_line, c.next_ways, c.next_latency),
    ):
        level.sets, level.ways, level.line_shift, level.latency = size // (line * ways), ways, line.bit_length() - 1, latency


def _empty_pages(count: int, place: int) -> np.ndarray:
    """int64[count, REGION_COLUMNS]: rows of pages that nothing has touched; their bytes follow each other from a place on."""
    rows = [(0, 0, place + number * PAGE_BYTES, 1, 1, 0, 0, KINDS.index("memory"), -1, 0, 0) for number in range(count)]
    return np.array(rows, np.int64).reshape(-1, REGION_COLUMNS)


def _up(place: int) -> int:
    return -(-place // ROW) * ROW
