"""What a person names: an instruction by its line or label, a warp, a register, a piece of memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from warploom.cli.common import UserError
from warploom.cli.debugger.values import number
from warploom.isa.diagnostics import nearest
from warploom.isa.program import Program
from warploom.isa.regions import AddressSpace, RegionError
from warploom.isa.views import VIEW_BASE

CELL = re.compile(r"(?P<name>[^\[\]\s=]+)\s*(?:\[\s*(?P<first>[^\[\]:\s]+)\s*(?::\s*(?P<count>[^\[\]:\s]+)\s*)?\])?")
OWN = {"pc": "instruction number", "mask": "lanes that run", "cycle": "cycles so far"}  # what can be read and not set


@dataclass(frozen=True)
class Cell:
    """What `R8[2]` or `mem[4:8]` names. kind: register, scalar, memory, shared, or a name in OWN.

    register: its number, of a variable of two words the first. lane: None for all lanes. address, count: bytes of memory, or of shared
    memory. item: the bytes are one number. form: how a variable or an element is read: "i", "u", "f" or "b", "" where that is not known.
    """

    kind: str
    name: str
    register: int = 0
    lane: int | None = None
    address: int = 0
    count: int = 1
    words: int = 1
    item: bool = False
    form: str = ""


def has_lines(program: Program) -> bool:
    """Whether the program was made from a text whose lines are known."""
    return any(source.text.strip() for source in program.sources) and any(program.position(pc).line for pc in range(len(program)))


def instruction(program: Program, text: str) -> int:
    """The instruction that a line, FILE:LINE, @number or a label names; of a line without one, the first that follows. Raises UserError."""
    if text in program.labels:
        return min(program.labels[text], len(program) - 1)
    if text.startswith("@") or (text.isdigit() and not has_lines(program)):
        pc = number(text.removeprefix("@"), "an instruction")
        if not 0 <= pc < len(program):
            raise UserError(f"there is no instruction {pc}: they are numbered 0 to {len(program) - 1}")
        return pc
    path, colon, line = text.rpartition(":")
    if not line.isdigit() or (colon and not path):
        raise UserError(f"{text!r} is not a line, @instruction or label{nearest(text, program.labels)}")
    if int(line) < 1:
        raise UserError(f"there is no line {text}: they are numbered from 1")
    files = _files(program, path) if colon else {own_file(program)}
    found = [pc for pc in range(len(program)) if program.position(pc).line >= int(line) and program.position(pc).file in files]
    if not found:
        raise UserError(f"there is no instruction in line {text} or after it")
    return min(found, key=lambda pc: (program.position(pc).line, pc))


def _files(program: Program, path: str) -> set[int]:
    """The texts of a program that a path, or the end of one, names. Raises UserError."""
    paths = [source.path for source in program.sources]
    found = {number for number, one in enumerate(paths) if one == path or one.endswith(f"/{path}")}
    if not found:
        raise UserError(f"no instruction comes from {path!r}{nearest(path, [one.rpartition('/')[2] for one in paths])}")
    return found


def own_file(program: Program) -> int:
    """The text that a line alone is of: of several the kernel's, or that of `main`, or of the first instruction with a text."""
    starts = [program.labels[name] for name in (program.launch.name, "main") if name in program.labels]
    there = [program.position(pc) for pc in (*starts, *range(len(program)))]
    return next((one.file for one in there if one.line and program.sources[one.file].text.strip()), 0)


def cell(program: Program, text: str, lanes: int, space: AddressSpace) -> Cell:
    """What a text names: a register with or without a lane, a scalar register, memory, or one of OWN. Raises UserError."""
    match = CELL.fullmatch(text.strip())
    if match is None:
        raise UserError(f"{text!r}: name a register, as R3 or R3[2] for lane 2, or memory, as mem[8] or mem[8:4] for 4 bytes")
    name, first, count = match["name"], match["first"], match["count"]
    if name in ("mem", "memory"):
        return _memory(program, text, first, count, space)
    if name in OWN and first is None:
        return Cell(name, name)
    registers = _numbers(program.register_names)
    scalars = _numbers(program.scalar_names)
    key = name.lower()
    if key in scalars and first is None:
        return Cell("scalar", program.scalar_names[scalars[key]], scalars[key])
    if key not in registers:
        raise UserError(f"there is no register {name!r}{nearest(name, [name for name in program.register_names if name])}")
    if count is not None:
        raise UserError(f"{text!r}: a register has one lane in brackets, as {name}[2], or none for all")
    lane = None if first is None else number(first, "a lane")
    if lane is not None and not 0 <= lane < lanes:
        raise UserError(f"there is no lane {lane}: a warp has lanes 0 to {lanes - 1}")
    return Cell("register", program.register_names[registers[key]], registers[key], lane)


def _numbers(names: Sequence[str]) -> dict[str, int]:
    return {name.lower(): register for register, name in enumerate(names) if name}


def _memory(program: Program, text: str, first: str | None, count: str | None, space: AddressSpace) -> Cell:
    if first is None:
        raise UserError(f"{text!r}: name an address, as in mem[8], or bytes from it on, as in mem[8:4]")
    start = address(program, first, space)
    size = 1 if count is None else number(count, "a count of bytes")
    if size < 1 or start + size > space.bytes:
        raise UserError(f"{text!r}: memory has {space.bytes} bytes, and at least 1 is named")
    try:
        space.place(space.address(start), size)
    except RegionError as error:
        raise UserError(f"{text!r}: {error}") from None
    return Cell("memory", "mem", address=start, count=size)


def address(program: Program, text: str, space: AddressSpace) -> int:
    """The place of a byte (in one flat memory, its address): a number, or the name of a buffer, image or region. Raises UserError."""
    region = space.named(text) if program.regions else None
    if text in program.view_names:
        return space.place(int(program.views[program.view_names.index(text)][VIEW_BASE]) & 0xFFFFFFFF)
    try:
        return space.place(region.base if region is not None else number(text, "an address"))
    except RegionError as error:
        raise UserError(str(error)) from None


def warp(text: str, cores: int, slots: int) -> tuple[int, int]:
    """(core, slot) of `1:3`, or of `3` on core 0. Raises UserError."""
    core_text, colon, slot_text = text.rpartition(":")
    core, slot = number(core_text, "a core") if colon else 0, number(slot_text, "a warp slot")
    if not (0 <= core < cores and 0 <= slot < slots):
        raise UserError(f"there is no warp slot {core}:{slot}: cores are 0 to {cores - 1}, their slots 0 to {slots - 1}")
    return core, slot
