"""A program as it lies in memory: what an assembler or a linker leaves, and what a loader reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from warploom.isa.program import Position, Source
from warploom.isa.regions import Region


class Segment(NamedTuple):
    """A piece of memory. data: its first bytes; the rest of `size` is zero. code: the (start, end) spans in which instructions lie.
    thread_bytes: it has so many bytes for each thread of the launch, the first thread's last."""

    name: str
    address: int
    data: bytes
    size: int
    writable: bool = True
    code: tuple[tuple[int, int], ...] = ()
    thread_bytes: int = 0

    def region(self) -> Region:
        """The memory that it becomes."""
        data = np.frombuffer(self.data, np.uint8)
        each = self.thread_bytes
        return Region(self.name, self.address, self.size, self.writable, thread_bytes=each, of_launch=bool(each), data=data)


@dataclass(frozen=True)
class Image:
    """entry: address of the first instruction. symbols: addresses by name. starts: addresses at which an instruction begins for certain.
    lines: positions in the sources by instruction address."""

    path: str
    segments: Sequence[Segment]
    entry: int
    symbols: Mapping[str, int] = field(default_factory=dict)
    starts: frozenset[int] = frozenset()
    sources: tuple[Source, ...] = ()
    lines: Mapping[int, Position] = field(default_factory=dict)

    def names(self) -> dict[int, str]:
        """By address, what lies there. If there are several names, it is the source's, not the linker's, as `__kernels_begin`."""
        return {address: name for name, address in sorted(self.symbols.items(), key=lambda one: not one[0].startswith("__"))}


class Sized(Protocol):
    """What a decoder finds at an address. size: bytes that it takes."""

    @property
    def size(self) -> int:
        """Bytes."""


Found = TypeVar("Found", bound=Sized)


def sweep(image: Image, decode: Callable[[bytes, int, int], Found], cut: Callable[[Found, int], Found], step: int) -> list[Found]:
    """The instructions of an image, by address, where their lengths differ. Where one begins for certain one begins, whatever comes before.

    decode: of (a segment's bytes, place in them, address). cut: what is left of an instruction that runs into such a beginning, which
    is at an address. step: instructions are multiples of so many bytes.
    """
    found: list[Found] = []
    for segment in sorted(image.segments, key=lambda one: one.address):
        for start, end in segment.code:
            data, address = segment.data[: end - segment.address], start
            while address < end:
                one = decode(data, address - segment.address, address)
                middle = next((place for place in range(address + step, address + one.size, step) if place in image.starts), None)
                if middle is not None:
                    one = cut(one, middle)
                found.append(one)
                address += one.size
    return found
