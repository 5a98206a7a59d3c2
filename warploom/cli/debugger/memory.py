"""Data memory, from an address on: bytes for a machine of bytes, words for one of 32 bits; in a buffer of 32- or 64-bit numbers those."""

from __future__ import annotations

import numpy as np

from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.values import shown, shown_wide
from warploom.isa.views import VIEW_BASE, VIEW_BYTES, ViewShape
from warploom.observe.text.styled import CHANGED, QUIET, Line

WRITTEN = "cyan"  # changed since before the run
WORD, WIDE = 4, 8  # bytes of an item


def cell_bytes(debugger: Debugger) -> int:
    """Bytes of a cell."""
    return 1 if debugger.bits == 8 else 4


def cell_width(debugger: Debugger) -> int:
    """Characters that a cell takes, with its mark."""
    if cell_bytes(debugger) == 4:
        return 12
    return 5 if debugger.form == "signed" else 4


def row_bytes(debugger: Debugger, width: int) -> int:
    """Bytes in a row of so many characters: a power of two."""
    cells = 1
    while 2 * cells * cell_width(debugger) + len(_label(debugger, 0)) <= width and cells < 16:
        cells *= 2
    return cells * cell_bytes(debugger)


def lines(debugger: Debugger, width: int, count: int) -> list[Line]:
    """Rows of memory from the chosen address on. * marks what the last move has changed; a colour, what the run has."""
    size, row = cell_bytes(debugger), row_bytes(debugger, width)
    there = debugger.space.bytes  # pages that may still appear are not shown
    memory, before, initial = debugger.memory[:there], debugger.memory_before, debugger.machine.initial_memory
    start = debugger.address // row * row
    found: list[Line] = []
    for address in range(start, min(start + row * count, len(memory)), row):
        line: Line = [(_label(debugger, address), QUIET)]
        cell, end = address, min(address + row, len(memory) - size + 1)
        while cell < end:
            wide = item_at(debugger, cell, WIDE) if cell + WIDE <= end else None
            taken = size if wide is None else WIDE
            now, last, first = (_value(array, cell, taken) for array in (memory, before, initial))
            style = CHANGED if now != last else WRITTEN if now != first else "" if now else QUIET
            if wide is None:
                text = shown(now, 8 * size, _form(debugger, cell))
            else:
                text = shown_wide(now, debugger.form, floats=wide.floats, signed=wide.signed)
            line.append((f"{text:>{taken // size * cell_width(debugger) - 1}}{'*' if now != last else ' '}", style))
            cell += taken
        found.append(line)
    return found


def _form(debugger: Debugger, address: int) -> str:
    """How a cell is written: in its array's type, where the user leaves it open and the array has one."""
    if cell_bytes(debugger) == 1 and debugger.form == "float":
        return "unsigned"
    item = item_at(debugger, address, WORD) if debugger.form == "auto" else None
    return debugger.form if item is None else "float" if item.floats else "signed" if item.signed else "unsigned"


def item_at(debugger: Debugger, address: int, size: int) -> ViewShape | None:
    """The array of which an item of so many bytes begins at an address; None where none does."""
    program, space = debugger.program, debugger.space
    if cell_bytes(debugger) != 4:
        return None
    for shape, row in zip(program.view_shapes, program.views, strict=False):
        if shape is None or shape.item_bytes != size or not (shape.floats or shape.whole):
            continue
        into = address - space.place(int(row[VIEW_BASE]) & 0xFFFFFFFF, int(row[VIEW_BYTES]))
        if 0 <= into < int(row[VIEW_BYTES]) and into % size == 0:
            return shape
    return None


def _value(memory: np.ndarray, address: int, size: int) -> int:
    return int.from_bytes(memory[address : address + size].tobytes(), "little")


def _label(debugger: Debugger, address: int) -> str:
    space = debugger.space
    digits = max(3, len(space.text(space.address(space.bytes - 1))))
    return f"{space.text(space.address(address)):>{digits}}:"


def buffer_at(debugger: Debugger, address: int) -> str:
    """The buffer or image that an address lies in, as `t0+16`; "" where it lies in none."""
    program, space = debugger.program, debugger.space
    for name, row in zip(program.view_names, program.views, strict=False):
        base, size = space.place(int(row[VIEW_BASE]) & 0xFFFFFFFF, int(row[VIEW_BYTES])), int(row[VIEW_BYTES])
        if base <= address < base + size:
            return f"{name}+{address - base}"
    return ""


def shared_lines(debugger: Debugger, width: int, start: int, count: int) -> list[Line]:
    """Words of the chosen warp's shared memory, from byte `start` on."""
    words = debugger.machine.inspection.shared_memory(debugger.core, debugger.slot)
    row = max(1 << ((max(width - 8, 12) // 12).bit_length() - 1), 1)
    found: list[Line] = []
    for first in range(start // 4 // row * row, min(start // 4 + row * count, len(words)), row):
        cells = "".join(f"{shown(int(word), 32, debugger.form):>12}" for word in words[first : first + row])
        found.append([(f"{first * 4:>6}:", QUIET), (cells, "")])
    return found or [[("the block has no shared memory", QUIET)]]
