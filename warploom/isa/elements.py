"""Elements: a byte of memory in the words of who wrote the kernel, as `out[12]`: the one rule of names for arrays."""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.isa.views import VIEW_BASE, VIEW_BYTES, ViewShape


def start_of(program: Program, view: int) -> int:
    """The place of a view's first byte."""
    base = int(program.views[view][VIEW_BASE]) & 0xFFFFFFFF
    return program.address_space().place(base) if program.regions else base


def shape_of(program: Program, view: int) -> ViewShape | None:
    """What array a view is, where the front end says it."""
    return program.view_shapes[view] if view < len(program.view_shapes) else None


def name_of(program: Program, view: int) -> str:
    """The name of a view: that of a parameter or of an allocation."""
    return program.view_names[view] if view < len(program.view_names) else f"view {view}"


def view_at(program: Program, address: int, view: int = u.NONE) -> int:
    """The row of the view that a place of global memory lies in, or NONE. view: the only one that it may be."""
    for number in [view] if view >= 0 else range(len(program.views)):
        start = start_of(program, number)
        if start <= address < start + (int(program.views[number][VIEW_BYTES]) & 0xFFFFFFFF):
            return number
    return u.NONE


def element_at(program: Program, address: int, view: int = u.NONE) -> str:
    """The element at a place of global memory: `out[12]`, `tile[3, 7]`, `byte 5 of in`; "" where no array is known. view: see `view_at`."""
    number = view_at(program, address, view)
    if number == u.NONE:
        return ""
    shape, byte = shape_of(program, number), address - start_of(program, number)
    return f"{name_of(program, number)}{shape.element(byte)}" if shape is not None else f"byte {byte} of {name_of(program, number)}"


def views_of(program: Program, instruction: int) -> list[int]:
    """The rows of the views that an instruction's accesses to global memory are said to be of."""
    first, count = (int(program.code[instruction, column]) for column in (u.FIRST_UOP, u.COUNT))
    rows = program.uops[first : first + count]
    rows = rows[np.isin(rows[:, u.UNIT], (u.MEMORY, u.TEXTURE)) & (rows[:, u.SPACE] == u.GLOBAL_SPACE)]
    return [int(view) for view in dict.fromkeys(rows[:, u.VIEW].tolist()) if view >= 0]
