"""A launch: how a program is started. Grid and block, arguments, the contents of its buffers. One program may have many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, NamedTuple

from warploom.isa.numbers import whole_number

Extent = int | tuple[int, ...]  # a number, or one a dimension: x, y, z
MOST_DIMENSIONS = 3


class Parameter(NamedTuple):
    """An argument that a program takes from memory.

    offset: bytes from the launch's `argument` on. dtype: a NumPy name, as "int32"; "pointer" for the address of a buffer, 4 bytes.
    """

    name: str
    offset: int
    dtype: str = "int32"


@dataclass(frozen=True)
class Launch:
    """How a program is started unless the user says otherwise.

    threads: threads of the whole grid. block: threads a block, or 0 when the machine decides (tiny-gpu: its threads per block).
    grid: blocks, instead of threads; it needs a block. grid and block may have up to three dimensions, as (16, 16); in one, a grid
    becomes its threads. entry: the instruction that it begins with. registers: (lane register, name in SPECIALS) pairs that
    the hardware writes before the first instruction. shared_bytes: of a block.
    local_bytes: of a thread. scalars: 32-bit words that the hardware writes into scalar registers 0, 1, ... of every warp.
    warp_scalars: scalar registers that a warp is given, of those that a core has; 0: they are not counted.
    whole_device: the program starts on every core, with one thread, and fills the core itself; threads, block and grid say nothing then.
    group_threads: of those, how many have to be on one core together, as a group with barriers; 0: any number.
    most_cores, most_lanes: how many cores, and lanes a warp, such a program can start; 0: any number.
    argument: what the special register of that name holds: where `arguments` lie, by name, see Program.parameters. buffers: contents
    by name, see `launching.py`. name: where a source has several launches. Raises ValueError for what is not a whole number and for a grid
    that cannot be.
    """

    threads: int = 1
    block: Extent = 0
    entry: int = 0
    registers: tuple[tuple[int, str], ...] = ()
    shared_bytes: int = 0
    argument: int = 0
    grid: Extent = 0
    arguments: Mapping[str, Any] = field(default_factory=dict)
    buffers: Mapping[str, Any] = field(default_factory=dict, compare=False)
    name: str = ""
    local_bytes: int = 0
    scalars: tuple[int, ...] = ()
    warp_scalars: int = 0
    whole_device: bool = False
    group_threads: int = 0
    most_cores: int = 0
    most_lanes: int = 0

    def __post_init__(self) -> None:
        block, grid = _extent("block", self.block), _extent("grid", self.grid)
        threads = whole_number("threads", self.threads)
        for name in ("entry", "shared_bytes", "argument"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        if grid != 0:
            if block == 0:
                raise ValueError("a grid is counted in blocks: say how many threads a block has")
            threads = _size(grid) * _size(block)
        elif isinstance(block, tuple):
            raise ValueError(f"block = {block}: a block of several dimensions needs a grid, as grid=(4, 4)")
        scalars = tuple(whole_number(f"scalars[{index}]", word) & 0xFFFFFFFF for index, word in enumerate(self.scalars))
        object.__setattr__(self, "scalars", scalars)
        if isinstance(grid, int) and isinstance(block, int):
            grid = 0
        for name, value in (("block", block), ("grid", grid), ("threads", threads)):
            object.__setattr__(self, name, value)

    @property
    def dimensions(self) -> int:
        """How many dimensions threads and blocks are numbered in."""
        return max(len(extent) if isinstance(extent, tuple) else 1 for extent in (self.grid, self.block))

    @property
    def block_dims(self) -> tuple[int, int, int]:
        """Threads a block in x, y and z; (0, 1, 1) when the machine decides."""
        return _in_three(self.block)

    @property
    def grid_dims(self) -> tuple[int, int, int]:
        """Blocks of the grid in x, y and z; (0, 1, 1) when the machine decides. The last block may have fewer threads than the others."""
        return _in_three(self.grid if self.grid != 0 else -(-self.threads // self.block_threads) if self.block_threads else 0)

    @property
    def block_threads(self) -> int:
        """Threads a block, of all dimensions; 0 when the machine decides."""
        return _size(self.block)

    def thread_text(self, block: int, inside: int) -> str:
        """A thread by its block's number in the grid and its own in the block: `thread 3 of block 2`, `thread (3,1) of block (2,0)`."""
        if not self.block:
            return f"thread {inside} of block {block}"
        return f"thread {_place_text(inside, self.block_dims)} of block {_place_text(block, self.grid_dims)}"

    def changed(self, **changes: Any) -> Launch:
        """The same launch with other fields; threads take the place of a grid, and a grid that of threads."""
        if "threads" in changes and "grid" not in changes and self.grid != 0:
            changes |= {"grid": 0, "block": changes.get("block", self.block_threads)}
        return replace(self, **changes)


def _place_text(number: int, extents: tuple[int, ...]) -> str:
    parts = []
    for extent in extents:
        number, part = divmod(number, max(extent, 1))
        parts.append(part)
    used = max((place for place, extent in enumerate(extents) if extent > 1), default=0) + 1
    return str(parts[0]) if used == 1 else f"({','.join(map(str, parts[:used]))})"


def _extent(name: str, value: Extent) -> Extent:
    """An extent without dimensions of 1 at its end; a number where one dimension is left."""
    refusal = f"{name} = {value!r}: write a number, or one for each of up to three dimensions, as (16, 16)"
    given = tuple(value) if isinstance(value, tuple | list) else (value,)
    try:
        sizes = tuple(whole_number(name, size, 0) for size in given)
    except ValueError:
        raise ValueError(refusal) from None
    if not 1 <= len(sizes) <= MOST_DIMENSIONS:
        raise ValueError(refusal)
    if len(sizes) > 1 and min(sizes) < 1:
        raise ValueError(f"{name} = {value!r}: no dimension is smaller than 1")
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return sizes[0] if len(sizes) == 1 else sizes


def _in_three(extent: Extent) -> tuple[int, int, int]:
    x, y, z, *_ = (*(extent if isinstance(extent, tuple) else (extent,)), 1, 1)
    return x, y, z


def _size(extent: Extent) -> int:
    return extent if isinstance(extent, int) else prod(extent)
