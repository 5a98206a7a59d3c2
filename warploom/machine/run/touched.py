"""Touched: the bytes of global memory that an instruction has accessed, by lane.

Not hardware: an observer. Values move at issue and address registers stay as they are, so what a warp has touched in the
last cycle is computed again from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.regions import AddressSpace, RegionError
from warploom.machine.config.schema import Config
from warploom.machine.core.load_store.lane_access import addresses
from warploom.machine.engine.unit import mirror
from warploom.machine.run.tables import Tables

NOWHERE = -8  # in place of an address: neither its word nor the next one is a word of memory
NO_LANE = -1
IMAGE_STORE = u.NUMBER["store_image"]
PIXEL_BYTES = 4


class Touch(NamedTuple):
    """lane: NO_LANE where it is not known. place: of the first byte (isa/regions.py). bytes: how many."""

    lane: int
    place: int
    bytes: int


class Touching(Protocol):
    """What is read of a machine of cores with warps."""

    config: Config
    gpu: np.ndarray
    cores: np.ndarray
    uops: np.ndarray
    code: np.ndarray
    views: np.ndarray

    @property
    def space(self) -> AddressSpace:
        """Where in `memory` the byte of an address is now."""


def touched(machine: Touching, core: int, warp: int, pc: int) -> Iterator[Touch]:
    """What the instruction at `pc`, which a warp has just issued, has accessed, lane 0 first. Images are left out."""
    first = int(machine.code[pc, u.FIRST_UOP])
    for k in range(first, first + int(machine.code[pc, u.COUNT])):
        if machine.uops[k, u.UNIT] == u.MERGER:
            yield from _drawn(machine, core, warp)
        elif machine.uops[k, u.UNIT] == u.MEMORY and machine.uops[k, u.SPACE] == u.GLOBAL_SPACE and machine.uops[k, u.OP] != IMAGE_STORE:
            yield from _accessed(machine, core, warp, k)


def _accessed(machine: Touching, core: int, warp: int, k: int) -> Iterator[Touch]:
    lanes, space = machine.config.core.lanes, machine.space
    registers = mirror(machine.cores["registers"][core, warp : warp + 1].reshape(()))
    access = mirror(machine.cores["access"][core : core + 1].copy().reshape(()))
    with np.errstate(over="ignore"):
        addresses(access, registers, Tables(uops=machine.uops, views=machine.views), k, lanes, int(machine.gpu["memory_bytes"]))
    for lane in np.flatnonzero(registers.active[:lanes]).tolist():
        yield Touch(lane, place_of(space, int(access.address[lane])), int(machine.uops[k, u.SIZE]))


def _drawn(machine: Touching, core: int, warp: int) -> Iterator[Touch]:
    """The pixels of a core's last fragments."""
    request, space = machine.cores["merger_request"][core], machine.space
    lanes = np.flatnonzero(machine.cores["registers"]["active"][core, warp][: machine.config.core.lanes]).tolist()
    for name in ("color", "depth"):
        for number, address in enumerate(request[name][: int(request["count"])]):
            yield Touch(lanes[number] if number < len(lanes) else NO_LANE, place_of(space, int(address)), PIXEL_BYTES)


def place_of(space: AddressSpace, address: int) -> int:
    """Where the byte of an address is; NOWHERE of a lane that its predicate leaves out."""
    try:
        return space.place(address)
    except RegionError:
        return NOWHERE
