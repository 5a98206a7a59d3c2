"""Buffers and arguments of a Vortex program: where they lie, and what the program finds at its arguments' address.

A program takes its arguments from memory, a word each, in the order in which they are given: whole numbers, floats, addresses of buffers.
A buffer is a region of its own, from the address that its name ends with (`out@0x100000`) or from the next free one on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.c.contents import bytes_of
from warploom.isa.c.parameters import BLOCK as BLOCK_AT
from warploom.isa.c.parameters import BLOCK_BYTES, CALL, DIMENSION, GRID, CKernel, chosen, layout
from warploom.isa.diagnostics import nearest
from warploom.isa.frontend import Options
from warploom.isa.image import Image
from warploom.isa.launch import Launch, Parameter
from warploom.isa.launching import POINTER, BufferError
from warploom.isa.regions import Region
from warploom.isa.views import F_WORD, VIEW_BASE, VIEW_BYTES, VIEW_COLUMNS, VIEW_FORMAT, VIEW_WRITABLE
from warploom.isa.vortex.generation import Generation
from warploom.isa.vortex.memory_map import ARGUMENT_BYTES, BUFFER_UNIT, FIRST_BUFFER, argument_address

ARGUMENT = "argument"  # a buffer of this name takes the place of single arguments
_PLACED = re.compile(r"(?P<name>[^@]+)@(?P<address>0[xX][0-9a-fA-F]{1,8}|[0-9]{1,10})")


class Placed(NamedTuple):
    """argument: the address of the arguments. regions: the buffers. parameters, values: what is written there, by name."""

    argument: int
    regions: tuple[Region, ...]
    parameters: tuple[Parameter, ...]
    values: Mapping[str, Any]

    def views(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """(the table of views, their names): each buffer is words that can be written."""
        shown = [region for region in self.regions if region.base != self.argument]
        table = np.zeros((len(shown), VIEW_COLUMNS), np.int32)
        for row, region in zip(table, shown, strict=True):
            row[VIEW_BASE] = (region.base + (1 << 31)) % (1 << 32) - (1 << 31)
            row[[VIEW_BYTES, VIEW_FORMAT, VIEW_WRITABLE]] = region.bytes, F_WORD, 1
        return table, tuple(region.name for region in shown)


def launched_with(image: Image, generation: Generation, options: Options, kernels: Sequence[CKernel] = ()) -> Placed:
    """Where buffers and arguments of a program lie. kernels: those that are called by name. Raises BufferError."""
    regions: list[Region] = []
    argument = argument_address(generation)
    waiting: list[tuple[str, np.ndarray]] = []
    kernel = chosen(kernels, options.more.get("launch"), image.path) if kernels else None
    pointers = _pointers(kernel, options.arguments) if kernel else {}
    for text, contents in options.buffers.items():
        found = _PLACED.fullmatch(text)
        name = found["name"] if found else text
        data = bytes_of(name, contents, *pointers.get(name, ()))
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
    if kernel:
        return _kernel_call(kernel, image.path, argument, regions, options)
    for what in ("threads", "block", "grid"):
        if getattr(options, what) is not None:
            raise BufferError(
                f"{image.path}: a program for Vortex starts its threads itself; only kernels in C are told how many: leave --{what} out"
            )
    parameters = tuple(Parameter(name, 4 * index, _type_of(value, names)) for index, (name, value) in enumerate(options.arguments.items()))
    return Placed(argument, tuple(regions), parameters, options.arguments)


def _pointers(kernel: CKernel, arguments: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """By buffer: the first parameter that points to it, and the type of what that points to."""
    found: dict[str, tuple[str, str]] = {}
    for name, element in kernel.elements.items():
        found.setdefault(str(arguments.get(name, name)), (name, element))
    return found


def _kernel_call(kernel: CKernel, path: str, argument: int, regions: list[Region], options: Options) -> Placed:
    """The launch block of a kernel: a pointer without an argument is the buffer of its name."""
    parameters = layout(kernel, path)
    buffers = {region.name for region in regions}
    values = dict(options.arguments)
    known = [parameter.name for parameter in parameters]
    for parameter in parameters:
        if parameter.name not in values and parameter.dtype == POINTER and parameter.name in buffers:
            values[parameter.name] = parameter.name
        value = values.get(parameter.name)
        if value is None:
            what = f"--buffer {parameter.name}=FILE" if parameter.dtype == POINTER else f"--arg {parameter.name}=VALUE"
            raise BufferError(f"{path}: the argument {parameter.name!r} of the kernel {kernel.name!r} has no value: add {what}")
        if isinstance(value, str) and value not in buffers:
            raise BufferError(
                f"{path}: {parameter.name} = {value!r}: there is no such buffer; there are {', '.join(sorted(buffers)) or 'none'}"
            )
        if parameter.dtype == "float32":
            values[parameter.name] = float(value)
    for name in values:
        if name not in known:
            raise BufferError(
                f"{path}: the kernel {kernel.name!r} has no parameter {name!r}{nearest(name, known)}; it has {', '.join(known)}"
            )
    grid, block = _extents(path, options)
    words = np.zeros(BLOCK_BYTES // 4, "<u4")
    words[[CALL // 4, DIMENSION // 4]] = kernel.address, 3
    words[GRID // 4 : GRID // 4 + 3], words[BLOCK_AT // 4 : BLOCK_AT // 4 + 3] = grid, block
    own = [region for region in regions if region.name == ARGUMENT]
    regions = [region for region in regions if region.name != ARGUMENT]
    if own:
        raise BufferError(f"{path}: the arguments of the kernel {kernel.name!r} are given by name, not as the buffer {ARGUMENT!r}")
    return Placed(argument, (*regions, Region("arguments", argument, ARGUMENT_BYTES, data=words.view(np.uint8))), parameters, values)


def _extents(path: str, options: Options) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """(blocks of the grid, threads a block) in three dimensions."""
    try:
        if options.grid is not None:
            launch = Launch(block=options.block or 1, grid=options.grid)
            return launch.grid_dims, launch.block_dims
        threads, block = options.threads if options.threads is not None else 1, options.block or 1
        launch = Launch(threads=threads, block=block)
    except ValueError as error:
        raise BufferError(f"{path}: {error}") from None
    if threads % launch.block_threads:
        raise BufferError(f"{path}: {threads} threads are no whole number of blocks of {launch.block_threads}")
    return (threads // launch.block_threads, 1, 1), (launch.block_threads, 1, 1)


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
