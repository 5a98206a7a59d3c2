"""A program as it lies in memory: what an assembler or a linker leaves, and what a loader reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from warploom.isa.program import Position, Source


class Segment(NamedTuple):
    """A piece of memory. data: its first bytes; the rest of `size` is zero. code: the (start, end) spans in which instructions lie."""

    name: str
    address: int
    data: bytes
    size: int
    writable: bool = True
    code: tuple[tuple[int, int], ...] = ()


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
