"""Commands that set breakpoints and watchpoints, and those that change registers and memory."""

from __future__ import annotations

import re
from typing import Any

from warploom.cli.common import UserError
from warploom.cli.debugger import memory, variables
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.moving import nothing, plain_lines
from warploom.cli.debugger.places import OWN, Cell, cell, instruction
from warploom.cli.debugger.places import warp as warp_named
from warploom.cli.debugger.values import number, parsed, shown
from warploom.isa.needs import draws
from warploom.machine.debug.session import MEMORY, REGISTER, Edit
from warploom.machine.debug.stops import Breakpoint, MemoryWatch, PixelBreak, RegisterWatch, Stop
from warploom.observe.text.styled import QUIET, Line

LANE = re.compile(r"(?P<cell>.+?)\s+(?:if\s+)?lane\s*(?:==?)?\s*(?P<lane>\w+)")

MOST_PIXEL = 0x7FFF


def break_(debugger: Debugger, text: str) -> list[Line]:
    """Set a breakpoint."""
    words = text.split()
    if not words:
        raise UserError("break where? A line, FILE:LINE, @ and an instruction's number, a label, or pixel X,Y")
    if words[0] == "pixel" and "pixel" not in debugger.program.labels:
        return _break_pixel(debugger, "".join(words[1:]))
    pc = instruction(debugger.program, words[0])
    words, tests = variables.tests_in(debugger, words)
    pc = variables.where_held(debugger, pc, tests)
    conditions = _conditions(debugger, words[1:])
    said = " ".join([debugger.where(pc), *words[1:], *(["if"] if tests else []), " and ".join(test.text for test in tests)]).rstrip()
    found = debugger.mark(said, variables.breakpoint_at(pc, tests, **conditions))
    return plain_lines([f"breakpoint {found} at {debugger.marks[found].text}"])


def _break_pixel(debugger: Debugger, text: str) -> list[Line]:
    """Set a breakpoint on the fragments of a pixel."""
    parts = text.split(",")
    if len(parts) != 2:
        raise UserError("break pixel X,Y: the column and the row of a pixel, as in `break pixel 17,40`")
    x, y = number(parts[0], "a column"), number(parts[1], "a row")
    if not (0 <= x <= MOST_PIXEL and 0 <= y <= MOST_PIXEL):
        raise UserError(f"there is no pixel {x},{y}: columns and rows are 0 to {MOST_PIXEL}")
    if not draws(debugger.program):
        raise UserError("the program hands no fragments to an output merger, so there are no pixels to stop at")
    return plain_lines([f"breakpoint {debugger.mark(f'pixel {x},{y}', PixelBreak(x, y))} at pixel {x},{y}"])


def _conditions(debugger: Debugger, words: list[str]) -> dict[str, Any]:
    """`warp 0:1 lane 3 block 2`; an `if` in front does no harm."""
    words = words[1:] if words[:1] == ["if"] else words
    found: dict[str, Any] = {}
    for name, value in zip(words[::2], [*words[1::2], ""], strict=False):
        if name not in ("warp", "block", "lane") or not value:
            raise UserError(f"{' '.join(words)!r}: the conditions of a breakpoint are as in `warp 0:1`, `block 2`, `lane 3`")
        if name == "warp":
            found["core"], found["slot"] = warp_named(value, len(debugger.machine.cores), debugger.machine.inspection.slots)
        else:
            found[name] = number(value, f"a {name}")
            if found[name] < 0 or (name == "lane" and found[name] >= debugger.lanes):
                raise UserError(f"there is no {name} {value}")
    return found


def named(debugger: Debugger, text: str) -> Cell:
    """The variable, the element, the register or the memory that a text names. Raises UserError."""
    if (found := variables.named(debugger, text)) is not None:
        return found
    return cell(debugger.program, text, debugger.lanes, debugger.space)


def watch(debugger: Debugger, text: str) -> list[Line]:
    """Set a watchpoint."""
    if not text:
        raise UserError("watch what? A register, as R3 or R3[2], or memory, as mem[8] or mem[8:4]")
    text, lane = _lane_of(debugger, text)
    found = named(debugger, text)
    stop: Stop
    name = variables.name_in(text)
    if name in variables.names(debugger) and found.kind in ("register", "scalar"):
        lane = found.lane if lane is None else lane
        stop = variables.VariableWatch(debugger.core, debugger.slot, name, lane)
        name = f"{name}{'' if lane is None else f'[{lane}]'} of warp {debugger.name()}"
    elif found.kind == "memory":
        size = found.count if ":" in text or found.item else memory.cell_bytes(debugger)
        space = debugger.space
        where = space.text(space.address(found.address))
        stop, name = MemoryWatch(found.address, size), f"mem[{where}:{size}]" if size > 1 else f"mem[{where}]"
        if found.item:
            stop, name = variables.ElementWatch(found.address, size, found.name, found.form), f"{found.name}, {name}"
    elif found.kind == "register":
        lane = found.lane if lane is None else lane
        stop = RegisterWatch(debugger.core, debugger.slot, found.register, lane)
        name = f"{found.name}{'' if lane is None else f'[{lane}]'} of warp {debugger.name()}"
    else:
        raise UserError(f"{found.name} cannot be watched: registers of lanes, variables and memory can")
    return plain_lines([f"watchpoint {debugger.mark(name, stop)} on {name}"])


def _lane_of(debugger: Debugger, text: str) -> tuple[str, int | None]:
    """(what is watched, the lane) of `total if lane == 3`, or `total lane 3`. Raises UserError."""
    match = LANE.fullmatch(text.strip())
    if match is None:
        return text, None
    lane = number(match["lane"], "a lane")
    if not 0 <= lane < debugger.lanes:
        raise UserError(f"there is no lane {lane}: a warp has lanes 0 to {debugger.lanes - 1}")
    return match["cell"], lane


def delete(debugger: Debugger, text: str) -> list[Line]:
    """Delete a breakpoint or watchpoint."""
    if text == "all":
        count = len(debugger.marks)
        debugger.marks.clear()
        return plain_lines([f"{count} taken away"])
    if not text:
        raise UserError("delete which? Its number, as `stops` shows it, or all")
    mark = debugger.unmark(number(text, "a breakpoint or watchpoint"))
    return plain_lines([f"no stop at {mark.text} any more"])


def stops(debugger: Debugger, text: str) -> list[Line]:
    """List breakpoints and watchpoints."""
    nothing(text, "stops")
    if not debugger.marks:
        return [[("no breakpoint or watchpoint is set", QUIET)]]
    return [
        [(f"{number:>3} ", "bold"), (f"{'break' if isinstance(mark.stop, Breakpoint | PixelBreak) else 'watch'} {mark.text}", "")]
        for number, mark in debugger.marks.items()
    ]


def set_(debugger: Debugger, text: str) -> list[Line]:
    """Change a register or memory."""
    left, equals, right = text.partition("=")
    if not equals or not left.strip() or not right.strip():
        raise UserError("write what is set and its value, as in `set R3[2] = 5` or `set mem[8] = 1`")
    found = named(debugger, left)
    if found.kind in OWN or found.kind == "shared":
        raise UserError(f"{found.name} ({OWN.get(found.kind, 'shared memory')}) cannot be set: registers and memory can")
    debugger.move(lambda: None)  # what is marked as changed from now on is this change
    made = _change(debugger, found, right.strip(), found.count if ":" in left or found.item else memory.cell_bytes(debugger))
    return plain_lines([_edits_text(debugger, made)])


def _change(debugger: Debugger, found: Cell, value: str, size: int) -> list[Edit]:
    session, core, slot = debugger.session, debugger.core, debugger.slot
    if found.kind == "memory":
        if found.item and found.form == "f" and size == 8:
            raise UserError(
                f"{found.name}: a float of 64 bits is set by its bytes, as in `set mem[{found.address}:8] = 0x3ff0000000000000`"
            )
        if size > 8:
            raise UserError(f"{size} bytes at once: a change is of 1 to 8 bytes")
        return session.set_memory(found.address, parsed(value, 8 * size), size)
    state = debugger.warp()
    if state is None:
        raise UserError(f"no warp is in slot {debugger.name()}: there is no register to set")
    if found.words > 1:
        raise UserError(f"{found.name} takes two registers: set them one by one, {debugger.program.register_names[found.register]} first")
    if found.kind == "scalar":
        return session.set_scalar(core, slot, found.register, parsed(value, 32))
    lanes = [found.lane] if found.lane is not None else [lane for lane in range(debugger.lanes) if state.mask >> lane & 1]
    if not lanes:
        raise UserError(f"no lane of warp {debugger.name()} runs: name one, as in {found.name}[0]")
    return session.set_register(core, slot, found.register, lanes, parsed(value, debugger.bits))


def _edits_text(debugger: Debugger, made: list[Edit]) -> str:
    """A change in several lanes is told of the first."""
    return f"{edit_text(debugger, made[0])}{f', and so in {len(made) - 1} more' if len(made) > 1 else ''}"


def edit_text(debugger: Debugger, edit: Edit) -> str:
    """A change, in words."""
    bits, program = debugger.bits, debugger.program
    if edit.space == MEMORY:
        name, bits = f"mem[{edit.index[0]}]", 8 * edit.index[1]
    elif edit.space == REGISTER:
        name = f"{program.register_names[edit.index[2]]}[{edit.index[3]}] of warp {debugger.name(*edit.index[:2])}"
    else:
        name, bits = f"{program.scalar_names[edit.index[2]]} of warp {debugger.name(*edit.index[:2])}", 32
    return f"cycle {edit.cycle}: {name} was {shown(edit.before, bits, debugger.form)} and is {shown(edit.value, bits, debugger.form)}"


def undo(debugger: Debugger, text: str) -> list[Line]:
    """Take the last change back."""
    nothing(text, "undo")
    taken: list[Edit] = []
    lines = debugger.move(lambda: taken.extend(debugger.session.undo()))
    if not taken:
        return plain_lines(["no change was made before this cycle"])
    return plain_lines([f"taken back: {_edits_text(debugger, taken)}", lines[-1]])


def edits(debugger: Debugger, text: str) -> list[Line]:
    """List the changes."""
    nothing(text, "edits")
    made = [edit_text(debugger, edit) for edit in debugger.session.edits]
    return plain_lines(made) if made else [[("nothing was changed by hand", QUIET)]]
