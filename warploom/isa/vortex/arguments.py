"""Buffers and arguments of a Vortex program: where they lie, and what the program finds at its arguments' address.

A program takes its arguments from memory, a word each, in the order in which they are given: whole numbers, floats, addresses of buffers.
A buffer is a region of its own, from the address that its name ends with (`out@0x100000`) or from the next free one on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.frontend import Options
from warploom.isa.launch import Parameter
from warploom.isa.launching import POINTER, BufferError
from warploom.isa.regions import Region
from warploom.isa.riscv.image import Image
from warploom.isa.vortex.generation import Generation
from warploom.isa.vortex.memory_map import ARGUMENT_BYTES, BUFFER_UNIT, FIRST_BUFFER, argument_address

ARGUMENT = "argument"  # a buffer of this name takes the place of single arguments
_PLACED = re.compile(r"(?P<name>[^@]+)@(?P<address>0[xX][0-9a-fA-F]{1,8}|[0-9]{1,10})")


class Placed(NamedTuple):
    """argument: the address of the arguments. regions: the buffers. parameters: what is written at that address, by name."""

    argument: int
    regions: tuple[Region, ...]
    parameters: tuple[Parameter, ...]


def launched_with(image: Image, generation: Generation, options: Options) -> Placed:
    """Where buffers and arguments of a program lie. Raises BufferError."""
    regions: list[Region] = []
    argument = argument_address(generation)
    waiting: list[tuple[str, np.ndarray]] = []
    for text, contents in options.buffers.items():
        found = _PLACED.fullmatch(text)
        data = bytes_of(text, contents)
        if found is None and text == ARGUMENT:
            found = _PLACED.fullmatch(f"{ARGUMENT}@{argument}")
        if found is None:
            waiting.append((text, data))
            continue
        address = int(found["address"], 0)
        if address % 4:
            raise BufferError(f"{image.path}: the buffer {text!r} begins at a multiple of 4")
        if found["name"] == ARGUMENT:
            argument = address
        regions.append(_region(found["name"], address, data, max(len(data), ARGUMENT_BYTES if found["name"] == ARGUMENT else 0)))
    taken = [(segment.address, segment.address + segment.size) for segment in image.segments]
    taken += [(region.base, region.end) for region in regions]
    for name, data in waiting:
        base = _free(len(data), taken)
        regions.append(_region(name, base, data, len(data)))
        taken.append((base, regions[-1].end))
    names = {region.name for region in regions}
    parameters = tuple(Parameter(name, 4 * index, _type_of(value, names)) for index, (name, value) in enumerate(options.arguments.items()))
    return Placed(argument, tuple(regions), parameters)


def bytes_of(name: str, contents: Any) -> np.ndarray:
    """A buffer's bytes, whatever array it is given as. Raises BufferError."""
    values = np.asarray(contents)
    if values.dtype.kind not in "iufb":
        raise BufferError(f"{name} holds {values.dtype}: a buffer takes whole numbers and floats")
    if values.dtype in {np.dtype(np.int64), np.dtype(np.float64)}:  # what plain text and Python's own numbers are
        values = values.astype(np.float32) if values.dtype.kind == "f" else values.astype(np.uint32)
    raw = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
    return np.concatenate([raw, np.zeros(-len(raw) % 4, np.uint8)])


def _region(name: str, base: int, data: np.ndarray, size: int) -> Region:
    return Region(name, base, max(-(-size // 4) * 4, 4), data=data)


def _free(size: int, taken: Sequence[tuple[int, int]]) -> int:
    """The lowest address from FIRST_BUFFER on with room for a buffer, and a gap after the one before, so that a step too far is noticed."""
    base = FIRST_BUFFER
    for start, end in sorted(taken):
        if start < base + size + BUFFER_UNIT and end > base:
            base = -(-(end + BUFFER_UNIT) // BUFFER_UNIT) * BUFFER_UNIT
    return base


def _type_of(value: Any, buffers: set[str]) -> str:
    """What an argument is in memory: 4 bytes of any kind."""
    if isinstance(value, str):
        if value not in buffers:
            raise BufferError(f"an argument is the buffer {value!r}, which is not there; there are {', '.join(sorted(buffers)) or 'none'}")
        return POINTER
    if isinstance(value, float | np.floating):
        return "float32"
    return "int32" if value < 0 else "uint32"
