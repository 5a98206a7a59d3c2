"""What a launch's pointers point to, as arrays with the names that the kernel's text gives them: `a[37]` in place of an address."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from warploom.cuda_cpp.allocations import Allocations
from warploom.isa.c.buffers import views_of
from warploom.isa.c.contents import shape_as
from warploom.isa.c.kernel_head import NUMPY_NAMES, Declared, declared_in
from warploom.isa.program import Program
from warploom.isa.views import ViewShape
from warploom.ptx.module import Parameter

POINTER = struct.Struct("<Q")
LOW = 0xFFFF_FFFF  # an address of the device among all addresses


class _Array(NamedTuple):
    """What a pointer of a launch points to: from where on, and how many bytes from there to the end of its allocation."""

    name: str
    base: int
    bytes: int


def arrays_of(program: Program, parameters: Sequence[Parameter], values: bytes, allocations: Allocations) -> dict[str, Any]:
    """`views`, `view_names` and `view_shapes` of a launch's Program, whose name is the kernel's.

    parameters: of the kernel's PTX; values: their bytes. A parameter without a name in the text has that of its allocation. What lies in
    no allocation is left out.
    """
    texts = (declared_in(source.text, program.name, len(parameters)) for source in program.sources)
    said = next(filter(None, texts), [Declared("", "", 0)] * len(parameters))
    arrays: list[_Array] = []
    shapes: dict[str, ViewShape | None] = {}
    for number, (parameter, declared) in enumerate(zip(parameters, said, strict=True)):
        if parameter.size != POINTER.size or not (declared.pointers or parameter.pointer):
            continue
        address = POINTER.unpack_from(values, parameter.offset)[0] & LOW
        one = allocations.around(address)
        name = declared.name or (one.name if one is not None else "") or f"argument {number + 1}"
        if one is not None and address < one.address + one.size and name not in shapes:
            arrays.append(_Array(name, address, one.address + one.size - address))
            item = np.dtype(NUMPY_NAMES[declared.type]) if declared.pointers == 1 and declared.type in NUMPY_NAMES else None
            shapes[name] = shape_as(arrays[-1].bytes // item.itemsize, item) if item is not None else None
    return views_of(arrays, shapes)
