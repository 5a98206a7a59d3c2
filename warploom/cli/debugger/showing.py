"""Commands that show: warps, lanes, registers, memory and source."""

from __future__ import annotations

import numpy as np

from warploom.cli.common import UserError
from warploom.cli.debugger import memory as memory_view
from warploom.cli.debugger import registers as register_view
from warploom.cli.debugger import source as source_view
from warploom.cli.debugger import variables
from warploom.cli.debugger import warps as warp_view
from warploom.cli.debugger.changes import named
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.moving import nothing, plain_lines
from warploom.cli.debugger.places import Cell, address, instruction
from warploom.cli.debugger.places import warp as warp_named
from warploom.cli.debugger.values import FORMATS, number, shown_as
from warploom.isa.diagnostics import nearest
from warploom.observe.text.styled import Line

AROUND = 5  # lines of source above and below
ROWS = 8  # of memory


def _width() -> int:
    from warploom.cli.terminal import screen

    return screen.width()


def warp(debugger: Debugger, text: str) -> list[Line]:
    """Choose a warp."""
    if text:
        debugger.choose(*warp_named(text, len(debugger.machine.cores), debugger.machine.inspection.slots))
    return plain_lines([debugger.status()])


def lane(debugger: Debugger, text: str) -> list[Line]:
    """Choose a lane."""
    if text:
        debugger.pick_lane(number(text, "a lane"))
    return plain_lines([f"lane {debugger.lane} of warp {debugger.name()}"])


def where(debugger: Debugger, text: str) -> list[Line]:
    """Where the run is."""
    nothing(text, "where")
    return [*plain_lines([debugger.status()]), *warp_view.lane_lines(debugger)]


def warps(debugger: Debugger, text: str) -> list[Line]:
    """All warps."""
    nothing(text, "warps")
    return warp_view.lines(debugger, _width())


def registers(debugger: Debugger, text: str) -> list[Line]:
    """Registers of the chosen warp."""
    only = None
    if text:
        cells = [named(debugger, word) for word in text.split()]
        if any(cell.kind != "register" for cell in cells):
            raise UserError(f"registers {text}: name registers of lanes; `print` shows everything else")
        only = [cell.register for cell in cells]
    return register_view.lines(debugger, _width(), only)


def memory(debugger: Debugger, text: str) -> list[Line]:
    """Data memory from an address on."""
    words = text.split()
    if words:
        debugger.address = address(debugger.program, words[0], debugger.space)
    return memory_view.lines(debugger, _width(), _rows(words))


def _rows(words: list[str]) -> int:
    count = number(words[1], "a number of rows") if len(words) > 1 else ROWS
    if not 1 <= count <= 1000 or len(words) > 2:
        raise UserError("an address and 1 to 1000 rows, as in `memory 64 4`")
    return count


def shared(debugger: Debugger, text: str) -> list[Line]:
    """Shared memory."""
    words = text.split()
    start = number(words[0], "an address") if words else 0
    if start < 0:
        raise UserError(f"there is no shared memory at address {start}")
    return memory_view.shared_lines(debugger, _width(), start, _rows(words))


def source(debugger: Debugger, text: str) -> list[Line]:
    """The source around a place."""
    state = debugger.warp()
    pc = instruction(debugger.program, text) if text else state.pc if state is not None else 0
    first = max(source_view.row_of(debugger.program, pc) - AROUND, 0)
    return source_view.lines(debugger, first, 2 * AROUND + 1, _width())


def _values(debugger: Debugger, found: Cell) -> tuple[list[int], int]:
    """(values, bits of each) of what was named."""
    state = debugger.warp()
    if found.kind == "cycle":
        return [debugger.session.cycle], 32
    if found.kind in ("pc", "mask"):
        if state is None:
            raise UserError(f"no warp is in slot {debugger.name()}: it has no {found.kind}")
        return ([state.pc], 32) if found.kind == "pc" else ([state.mask], 64)
    if found.kind == "memory":
        return [int(value) for value in debugger.memory[found.address : found.address + found.count]], 8
    if found.kind == "shared":
        words = np.asarray(debugger.machine.inspection.shared_memory(debugger.core, debugger.slot), np.uint32)
        return [int(value) for value in words.view(np.uint8)[found.address : found.address + found.count]], 8
    row = variables.values(debugger.machine, debugger.core, debugger.slot, found)
    bits = 32 * found.words if found.words > 1 or found.kind == "scalar" else debugger.bits
    return (row if found.lane is None or found.kind == "scalar" else [row[found.lane]]), bits


def cell(debugger: Debugger, text: str) -> tuple[list[int], int]:
    """The values of a text; memory without a count is one cell of this machine."""
    found = named(debugger, text)
    if found.item:
        values, _ = _values(debugger, found)
        return [int.from_bytes(bytes(values), "little")], 8 * found.count
    size = memory_view.cell_bytes(debugger)
    if found.kind == "memory" and ":" not in text and size > 1 and found.address + size <= debugger.space.bytes:
        return [int.from_bytes(debugger.memory[found.address : found.address + size].tobytes(), "little")], 8 * size
    return _values(debugger, found)


def print_(debugger: Debugger, text: str) -> list[Line]:
    """One thing."""
    if not text:
        raise UserError(
            "print what? A variable or an element where the source has such names, a register, as R3 or R3[2], memory, as mem[8] or "
            "mem[8:4], pc, mask or cycle"
        )
    found = named(debugger, text)
    values, bits = cell(debugger, text)
    form = "hex" if text.strip() == "mask" else debugger.form
    said = " ".join(shown_as(value, bits, form, found.form) for value in values)
    where = f"  ({variables.register_text(debugger, found)})" if found.name in variables.names(debugger) and not found.item else ""
    return plain_lines([f"{text.strip()} = {said}{where}"])


def format_(debugger: Debugger, text: str) -> list[Line]:
    """How values are written."""
    if text and text not in FORMATS:
        raise UserError(f"there is no format {text!r}{nearest(text, FORMATS)}; they are {', '.join(FORMATS)}")
    debugger.form = text or debugger.form
    return plain_lines([f"{debugger.form}: {FORMATS[debugger.form]}"])
