"""Names of the source in the debugger: variables in whatever registers they are, elements of arrays, and conditions on both."""

from __future__ import annotations

import operator
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.cli.common import UserError
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.places import OWN, Cell
from warploom.cli.debugger.values import number, shown_as
from warploom.isa import uop as u
from warploom.isa.diagnostics import nearest
from warploom.isa.elements import start_of
from warploom.isa.program import Program
from warploom.isa.variables import Place
from warploom.isa.views import ViewShape
from warploom.machine.debug.stops import Breakpoint, MemoryWatch
from warploom.machine.run.protocol import Machine, Places
from warploom.observe.facts.variables import held

NAME = re.compile(r"(?P<name>[^\[\]\s=]+)\s*(?:\[\s*(?P<lane>[^\[\]:\s]+)\s*\])?")
ELEMENT = re.compile(r"(?P<name>[^\[\]\s=]+)\s*(?P<indices>(?:\[[^\[\]:]+\]\s*)+)")
TEST = re.compile(r"(?P<cell>[^\s=!<>]+)\s*(?P<how>==|!=|<=|>=|=|<|>)\s*(?P<value>\S+)")
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
OF_WARP = ("warp", "block", "lane")  # what a breakpoint's other conditions are about


def names(debugger: Debugger) -> tuple[str, ...]:
    """All variables that the program has."""
    return held(debugger.program).names


def name_in(text: str) -> str:
    """The name in `total`, `total[3]`."""
    match = NAME.fullmatch(text.strip())
    return match["name"] if match else ""


def named(debugger: Debugger, text: str) -> Cell | None:
    """The variable, as the chosen warp has it now, or the element of an array that a text names; None for anything else.

    Raises UserError.
    """
    text, known = text.strip(), names(debugger)
    if text in known:
        return _variable(debugger, text, None)
    if (element := _element(debugger.program, text)) is not None:
        return element
    match = NAME.fullmatch(text)
    if match is None or not known:
        return None
    name = match["name"]
    if name in known:
        lane = None if match["lane"] is None else number(match["lane"], "a lane")
        if lane is not None and not 0 <= lane < debugger.lanes:
            raise UserError(f"there is no lane {lane}: a warp has lanes 0 to {debugger.lanes - 1}")
        return _variable(debugger, name, lane)
    registers = [one for one in (*debugger.program.register_names, *debugger.program.scalar_names) if one]
    if name.lower() not in {one.lower() for one in registers} and name not in (*OWN, "mem", "memory"):
        raise UserError(f"there is no variable and no register {name!r}{nearest(name, [*known, *registers])}")
    return None


def _variable(debugger: Debugger, name: str, lane: int | None) -> Cell:
    state = debugger.warp()
    if state is None:
        raise UserError(f"no warp is in slot {debugger.name()}: it has no {name}")
    one = held(debugger.program).at(state.pc).get(name)
    if one is None:
        where = debugger.where(state.pc)
        raise UserError(f"{name} is in no register at {where}: it is not computed yet, its register holds something else by then, or it "
                        "is a number that the compiler knows")  # fmt: skip
    return cell_of(one, lane)


def cell_of(one: Place, lane: int | None) -> Cell:
    """A variable's register."""
    scalar = one.register >= u.SCALAR
    register = one.register - u.SCALAR if scalar else one.register
    return Cell("scalar" if scalar else "register", one.name, register, None if scalar else lane, words=one.words, form=one.kind)


def register_text(debugger: Debugger, found: Cell) -> str:
    """The registers that hold a variable: `v4`, `v4 and v5`."""
    known = debugger.program.scalar_names if found.kind == "scalar" else debugger.program.register_names
    return " and ".join(known[found.register : found.register + found.words])


def values(machine: Machine, core: int, slot: int, found: Cell) -> list[int]:
    """The bits of a variable or a register: one of a scalar, else one for each lane."""
    rows = machine.inspection.scalars(core, slot) if found.kind == "scalar" else machine.inspection.registers(core, slot)
    low = np.atleast_1d(np.asarray(rows[found.register], np.uint64))
    if found.words > 1:
        low = low | np.atleast_1d(np.asarray(rows[found.register + 1], np.uint64)) << np.uint64(32)
    return [int(value) for value in low]


# ---- elements


def _element(program: Program, text: str) -> Cell | None:
    """`x[37]`, `tile[3, 7]`, `tile[3][7]`."""
    match = ELEMENT.fullmatch(text.strip())
    if match is None:
        return None
    name = match["name"]
    words = [word for part in re.findall(r"\[([^\]]+)\]", match["indices"]) for word in part.split(",")]
    for view, known in enumerate(program.view_names):
        shape = program.view_shapes[view] if view < len(program.view_shapes) else None
        if known == name and shape is not None:
            return _item("memory", text.strip(), start_of(program, view), shape, words)
    for known, begin, shape in program.shared_arrays:
        if known == name:
            return _item("shared", text.strip(), begin, shape, words)
    return None


def _item(kind: str, text: str, begin: int, shape: ViewShape, words: Sequence[str]) -> Cell:
    indices = [number(word.strip(), "an index") for word in words]
    if len(indices) != len(shape.shape):
        raise UserError(f"{text}: the array has {len(shape.shape)} dimensions, {shape.shape}, and {len(indices)} indices are given")
    flat = 0
    for index, extent in zip(indices, shape.shape, strict=True):
        if not 0 <= index < extent:
            raise UserError(f"{text}: there is no element {index} of {extent}; the array's shape is {shape.shape}")
        flat = flat * extent + index
    form = "f" if shape.floats else "i" if shape.signed else "u" if shape.whole else ""
    if shape.floats and shape.item_bytes == 2:
        form = ""
    return Cell(kind, text, address=begin + flat * shape.item_bytes, count=shape.item_bytes, item=True, form=form)


# ---- stops


@dataclass(frozen=True)
class Test:
    """A condition on a variable: `i == 1000`. value: of the variable's own kind, which is known where the breakpoint is."""

    text: str
    name: str
    lane: int | None
    how: str
    value: str


def tests_in(debugger: Debugger, words: list[str]) -> tuple[list[str], list[Test]]:
    """(the words without them, conditions on variables) of `20 if i == 1000 and lane == 3`. Raises UserError."""
    text = " ".join(words)
    place, condition, rest = text.partition(" if ")
    if not condition:
        return words, []
    left, found = [place], []
    for part in re.split(r"\s+and\s+", rest.strip()):
        match = TEST.fullmatch(part.strip())
        if match is None:
            left += part.split()
        elif match["cell"] in OF_WARP:
            if match["how"] not in ("=", "=="):
                raise UserError(f"{part!r}: a breakpoint is for one {match['cell']}: write {match['cell']} == {match['value']}")
            left += [match["cell"], match["value"]]
        else:
            found.append(_test(debugger, part.strip(), match))
    return " ".join(left).split(), found


def _test(debugger: Debugger, text: str, match: re.Match[str]) -> Test:
    cell = NAME.fullmatch(match["cell"])
    known = names(debugger)
    if cell is None or cell["name"] not in known:
        there = f"; the program has {', '.join(known)}" if known else "; the program says nothing of variables"
        raise UserError(f"{text!r}: there is no variable {match['cell']!r}{there}")
    try:
        float(match["value"]) if not match["value"].startswith("0x") else int(match["value"], 16)
    except ValueError:
        raise UserError(f"{text!r}: {match['value']!r} is not a number") from None
    return Test(text, cell["name"], None if cell["lane"] is None else number(cell["lane"], "a lane"), match["how"], match["value"])


def where_held(debugger: Debugger, pc: int, tests: Sequence[Test]) -> int:
    """Of the line of an instruction the first one at which the variables of all tests are there: a compiler moves parts of a line.

    Raises UserError.
    """
    program, place = debugger.program, debugger.program.position(pc)
    line = [one for one in range(len(program)) if place.line and _line(program, one) == (place.file, place.line)] or [pc]
    there = [one for one in line if all(test.name in held(program).at(one) for test in tests)]
    if there:
        return there[0]
    lost = next((test.name for test in tests if all(test.name not in held(program).at(one) for one in line)), tests[0].name)
    raise UserError(f"{lost} is in no register at {debugger.where(pc)}: give a line at which it has a value")


def _line(program: Program, instruction: int) -> tuple[int, int]:
    place = program.position(instruction)
    return place.file, place.line


def breakpoint_at(instruction: int, tests: Sequence[Test], **conditions: Any) -> Breakpoint:
    """A breakpoint, on variables too where there are tests."""
    return VariableBreakpoint(instruction, **conditions, tests=tuple(tests)) if tests else Breakpoint(instruction, **conditions)


@dataclass(frozen=True)
class VariableBreakpoint(Breakpoint):
    """A breakpoint at which a lane that runs has to fulfil all tests."""

    tests: tuple[Test, ...] = ()

    def _concerns(self, machine: Machine, now: Places, core: int, slot: int) -> bool:
        if not super()._concerns(machine, now, core, slot):
            return False
        mask, there = int(now.mask[core, slot]), held(machine.program).at(self.instruction)
        lanes = [self.lane] if self.lane is not None else [lane for lane in range(machine.inspection.lanes) if mask >> lane & 1]
        rows = {}
        for test in self.tests:
            if test.name not in there:
                return False
            found = cell_of(there[test.name], None)
            rows[test.name] = [_number(bits, found) for bits in values(machine, core, slot, found)]
        return any(all(_holds(test, rows[test.name], lane) for test in self.tests) for lane in lanes)


def _holds(test: Test, row: Sequence[float], lane: int) -> bool:
    where = test.lane if test.lane is not None else lane
    value = row[where] if len(row) > 1 else row[0]
    wanted = int(test.value, 16) if test.value.startswith("0x") else float(test.value) if isinstance(value, float) else _exact(test.value)
    return COMPARED[test.how](value, wanted)


def _exact(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _number(bits: int, found: Cell) -> int | float:
    """The number that a register's bits are, read as its variable is."""
    if found.form == "f":
        code, size = ("<d", "<Q") if found.words > 1 else ("<f", "<I")
        return float(struct.unpack(code, struct.pack(size, bits))[0])
    width = 32 * found.words
    return bits - (1 << width) if found.form in ("i", "") and bits >> (width - 1) & 1 else bits


@dataclass(frozen=True)
class VariableWatch:
    """A variable of a warp slot has changed, in whatever register it is; in one lane, or (None) in any."""

    core: int
    slot: int
    name: str
    lane: int | None = None

    def observe(self, machine: Machine) -> tuple[Cell, list[int]] | None:
        """Where it is, and its bits; None where no register holds it."""
        pc = int(machine.inspection.places().pc[self.core, self.slot])
        one = held(machine.program).at(pc).get(self.name)
        if one is None:
            return None
        found = cell_of(one, None)
        return found, values(machine, self.core, self.slot, found)

    def reason(self, machine: Machine, before: tuple[Cell, list[int]] | None, now: tuple[Cell, list[int]] | None) -> str:
        """In which lane it has changed. Where nothing held it, what it was before that is not known: its first value is no change."""
        if before is None or now is None or len(before[1]) != len(now[1]):
            return ""
        found, row = now
        changed = [lane for lane, (was, bits) in enumerate(zip(before[1], row, strict=True)) if was != bits and self.lane in (None, lane)]
        if not changed:
            return ""
        lane, bits = changed[0], 32 * found.words
        more = f", and {len(changed) - 1} more lane{'s' if len(changed) > 2 else ''}" if len(changed) > 1 else ""
        was, text = (shown_as(one[lane], bits, "auto", found.form) for one in (before[1], row))
        place = f"[{lane}]" if len(row) > 1 else ""
        return f"{self.name}{place} of warp {self.core}:{self.slot} was {was} and is {text}{more}"

    def trail(self, machine: Machine) -> None:
        """Registers change too often."""


@dataclass(frozen=True)
class ElementWatch(MemoryWatch):
    """An element of an array in global memory has changed. name: as the user wrote it; form: how it is read."""

    name: str = ""
    form: str = ""

    def change(self, machine: Machine, before: np.ndarray, now: np.ndarray) -> str:
        """The element's values."""
        was, text = (shown_as(int.from_bytes(one.tobytes(), "little"), 8 * len(one), "auto", self.form) for one in (before, now))
        return f"{self.name} was {was} and is {text}"
