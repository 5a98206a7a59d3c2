"""Buffers and arguments of a Vortex program: where they lie, and what the program finds at its arguments' address.

A program takes its arguments from memory, a word each, in the order in which they are given: whole numbers, floats, addresses of buffers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from warploom.isa.c.buffers import given, placed, pointers_of, region_of, shapes_of, unused, values_of, views_of
from warploom.isa.c.launch_block import extents_of, launch_block, words_of
from warploom.isa.c.parameters import CKernel, chosen, layout
from warploom.isa.diagnostics import Diagnostic
from warploom.isa.frontend import Options
from warploom.isa.image import Image
from warploom.isa.launch import Parameter
from warploom.isa.launching import BufferError
from warploom.isa.regions import Region
from warploom.isa.views import ViewShape
from warploom.isa.vortex.generation import Generation
from warploom.isa.vortex.memory_map import ARGUMENT_BYTES, argument_address

ARGUMENT = "argument"  # a buffer of this name takes the place of single arguments
DCR = "dcr"  # and one of this name is written to device configuration registers


class Placed(NamedTuple):
    """argument: the address of the arguments. regions: the buffers. parameters, values: what is written there, by name. kernel: that is
    called, by name; or "". block_threads: of a block of that kernel. shapes: what buffers hold, by name. warnings: about them."""

    argument: int
    regions: tuple[Region, ...]
    parameters: tuple[Parameter, ...]
    values: Mapping[str, Any]
    kernel: str = ""
    block_threads: int = 0
    shapes: Mapping[str, ViewShape | None] = {}
    warnings: Sequence[Diagnostic] = ()

    def views(self) -> dict[str, Any]:
        """The buffers as fields of a Program."""
        return views_of((region for region in self.regions if region.base != self.argument), self.shapes)


def launched_with(image: Image, generation: Generation, options: Options, kernels: Sequence[CKernel] = ()) -> Placed:
    """Where buffers and arguments of a program lie. kernels: those that are called by name. Raises BufferError."""
    argument = argument_address(generation)
    kernel = chosen(kernels, options.more.get("launch"), image.path) if kernels else None
    regions: list[Region] = []
    buffers = []
    contents = {name: data for name, data in options.buffers.items() if name != DCR}
    for one in given(contents, image.path, pointers_of(kernel, options.arguments) if kernel else {}):
        if one.name == ARGUMENT:
            argument = argument if one.address is None else one.address
            regions.append(region_of(ARGUMENT, argument, one.data, ARGUMENT_BYTES))
        else:
            buffers.append(one)
    taken = [(segment.address, segment.address + segment.size) for segment in image.segments]
    taken += [(region.base, region.end) for region in regions]
    regions += placed(buffers, taken)
    names = {region.name for region in regions}
    shapes = shapes_of(buffers)
    if kernel:
        call = _kernel_call(kernel, image.path, argument, regions, options)
        return call._replace(shapes=shapes, warnings=unused(buffers, regions, call.values, call.parameters, kernel.name))
    for what in ("threads", "block", "grid"):
        if getattr(options, what) is not None:
            raise BufferError(
                f"{image.path}: a program for Vortex starts its threads itself; only kernels in C are told how many: leave --{what} out"
            )
    parameters = words_of(options.arguments, names, ARGUMENT_BYTES)
    found_otherwise = ARGUMENT in names or DCR in options.buffers  # addresses are in there
    warnings = [] if found_otherwise else unused(buffers, regions, options.arguments, parameters)
    return Placed(argument, tuple(regions), parameters, options.arguments, shapes=shapes, warnings=warnings)


def _kernel_call(kernel: CKernel, path: str, argument: int, regions: list[Region], options: Options) -> Placed:
    """The launch block of a kernel: a pointer without an argument is the buffer of its name."""
    parameters = layout(kernel, path)
    values = values_of(kernel.name, path, parameters, (region.name for region in regions), options.arguments)
    grid, block = extents_of(path, options)
    own = [region for region in regions if region.name == ARGUMENT]
    regions = [region for region in regions if region.name != ARGUMENT]
    if own:
        raise BufferError(f"{path}: the arguments of the kernel {kernel.name!r} are given by name, not as the buffer {ARGUMENT!r}")
    arguments_region = Region("arguments", argument, ARGUMENT_BYTES, data=launch_block(kernel, grid, block))
    return Placed(argument, (*regions, arguments_region), parameters, values, kernel.name, prod(block))
