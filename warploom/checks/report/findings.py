"""Findings: the rows that the watch has written, in words: what is wrong, with which element, by which threads, at which lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from warploom.checks import shadow as s
from warploom.checks.bounds import QUESTIONS, Indexed
from warploom.checks.report.fixes import fix_of_index, fix_of_lockstep, fix_of_race, fix_of_update
from warploom.checks.report.places import (
    Names,
    element_text,
    in_loop,
    length_at,
    local_text,
    position_of,
    runtime_text,
    thread_text,
)
from warploom.isa import uop as u
from warploom.isa.c.endings import OF_C
from warploom.isa.diagnostics import Diagnostic, Severity, render_all
from warploom.isa.program import Position, Program

DID = {s.READ: "reads", s.WRITE: "writes", s.ATOMIC: "atomically updates"}
KINDS = (
    "race", "lost-update", "lockstep", "bounds", "uninitialised", "barrier", "syncwarp", "mask", "shuffle", "division",
    "deadlock", "forward-progress", "fault", "early-read",
)  # fmt: skip


NUMBERED = ("python", "ptx", "sass-")  # languages of GPUs that know a barrier by its number
OUTSIDE = ("view_out_of_range", "address_out_of_range", "shared_out_of_range", "local_out_of_range", "unmapped", "constant_out_of_range")


NOWHERE = Position()


class Fault(NamedTuple):
    """Why a machine has stopped a kernel: the name of a row of FAULTS, the instruction, and the sentence.

    called_from: of an instruction of the run-time, the user's that has called it; else -1.
    """

    name: str
    pc: int
    called_from: int
    text: str


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    kind: one of KINDS. message: a sentence; fix: what to do. instruction, other: where, and where the other access was (-1: there is
    none). threads: who. element: of which array, "" where it is about none. times: how often; lost: updates that are gone. order: which
    access came first in this run, or which machine gives another result.
    """

    kind: str
    message: str
    fix: str
    instruction: int
    other: int = -1
    threads: tuple[str, ...] = ()
    element: str = ""
    address: int = -1
    space: int = -1
    times: int = 1
    lost: int = 0
    order: str = ""
    position: Position = NOWHERE
    length: int = 1
    other_position: Position = NOWHERE
    other_length: int = 1
    other_message: str = ""
    runs_today: bool = False  # hardware of today does what is meant, and the manual does not promise it

    def diagnostics(self) -> list[Diagnostic]:
        """As messages that point at the source: the finding, and where the other access is, when that is a different place."""
        severity = Severity.WARNING if self.runs_today else Severity.ERROR
        found = [Diagnostic(severity, f"{self.message} [{self.kind}]", self.position, self.length, self.fix)]
        if self.other_message:
            found.append(Diagnostic(Severity.NOTE, self.other_message, self.other_position, self.other_length))
        return found

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "kind": self.kind, "message": self.message, "fix": self.fix, "line": self.position.line, "column": self.position.column,
            "length": self.length, "other_line": self.other_position.line or None, "instruction": self.instruction,
            "threads": list(self.threads), "element": self.element or None, "times": self.times, "lost": self.lost, "order": self.order,
        }  # fmt: skip


def render(findings: Iterable[Finding], program: Program) -> str:
    """Findings as text, each with its line, a caret and what to do."""
    shown = []
    for one in findings:
        first, *rest = one.diagnostics()
        parts = [render_all([first], *program.sources)]
        parts += [render_all(rest, *program.sources)] if rest else []
        parts += [f"    {one.order}"] if one.order else []
        shown.append("\n".join(parts))
    return "\n".join(shown)


def findings_of(
    table: np.ndarray, program: Program, names: Names, fault: Fault | None = None, core: tuple[int, int] = (1, 1)
) -> list[Finding]:  # fmt: skip
    """The findings of a run. table: of `shadow`. fault: why the machine stopped the kernel. core: warps of a core, lanes of a warp."""
    rows: list[list[int]] = table[1 : 1 + int(table[0, s.COUNT])].tolist()
    found: dict[Any, Finding] = {}
    writer = _Writer(program, names, core)
    lines = {_lines(program, row) for row in rows if row[s.KIND] == s.RACE}
    for row in rows:
        if row[s.KIND] == s.IN_STEP and _lines(program, row) in lines:
            continue  # said already
        if row[s.KIND] == s.BARRIER and writer.is_one_by_number(row) and writer.is_written_in_ptx(row):
            continue
        one = writer.finding(row)
        key = (one.kind, *_places(one), one.element.split("[")[0])
        found[key] = one if key not in found else _joined(found[key], one)
    there = sorted(_without_echoes(found.values()), key=lambda one: (one.position.file, one.position.line, one.position.column))
    if fault is not None:
        there += writer.fault(fault, there)
    return there


def _lines(program: Program, row: list[int]) -> frozenset[Position]:
    return frozenset(replace(position_of(program, pc), column=1) for pc in (row[s.PC], row[s.OTHER_PC]))


def _places(one: Finding) -> list[tuple[int, int]]:
    """The lines that a finding is about, in either order; without a text its instruction."""
    lines = {(place.file, place.line) for place in (one.position, one.other_position) if place.line}
    return sorted(lines) or [(-1, one.instruction)]


def _joined(one: Finding, other: Finding) -> Finding:
    best = other if other.lost and not one.lost else one
    return replace(best, times=one.times + other.times, lost=one.lost + other.lost)


def _without_echoes(findings: Iterable[Finding]) -> list[Finding]:
    """Races beside a lost update at the same line of the same array are the same mistake."""
    there = list(findings)
    lost = {(one.position.line, one.element.split("[")[0]) for one in there if one.kind == "lost-update"}
    return [
        one
        for one in there
        if one.kind not in ("race", "lockstep")
        or (one.position.line, one.element.split("[")[0]) not in lost
        or one.other_position.line not in (0, one.position.line)
    ]


class _Writer:
    """Puts rows into words."""

    def __init__(self, program: Program, names: Names, core: tuple[int, int]) -> None:
        self.program, self.names, self.core = program, names, core

    def finding(self, row: list[int]) -> Finding:
        kind = s.KINDS[row[s.KIND]]
        position = position_of(self.program, row[s.PC])
        base = Finding(
            kind, "", "", row[s.PC], times=row[s.TIMES], position=position, length=length_at(self.program, position),
            threads=(self._thread(row[s.THREAD]),),
        )  # fmt: skip
        found: Finding = getattr(self, f"_{kind}")(base, row)
        return replace(found, message=f"{runtime_text(self.program, row[s.PC])}{found.message}")

    def _thread(self, thread: int) -> str:
        return thread_text(self.program, thread)

    def _element(self, row: list[int]) -> str:
        if row[s.SPACE] == u.LOCAL_SPACE:
            return local_text(self.program, self.names, self.program.position(row[s.PC]))
        return element_text(self.program, self.names, row[s.SPACE], row[s.ADDRESS], row[s.UOP])

    def _block(self, thread: int) -> tuple[int, int]:
        """Which block a thread is of. In a kernel in C for a machine whose programs start their warps: of which core, and where on it."""
        launch, (warps, lanes) = self.program.launch, self.core
        if not launch.whole_device:
            return thread // (launch.block_threads or 1), 0
        if not launch.group_threads:
            return 0, 0
        return thread // (warps * lanes), thread // lanes % warps // -(-launch.group_threads // lanes)

    def _race(self, base: Finding, row: list[int]) -> Finding:
        element, me, other = self._element(row), self._thread(row[s.THREAD]), self._thread(row[s.OTHER])
        did, before = DID[row[s.ACCESS]], DID[row[s.OTHER_ACCESS]]
        where = position_of(self.program, row[s.OTHER_PC])
        blocks = self._block(row[s.THREAD]) != self._block(row[s.OTHER])
        lost = row[s.LOST]
        same = (where.file, where.line) == (base.position.file, base.position.line)
        message = f"{me} {did} {element}, {other} {before} it, and nothing says which comes first"
        fix = fix_of_race(self.program, row, blocks, same, in_loop(self.program, where))
        kind = "race"
        if lost:
            kind = "lost-update"
            message = f"{me} writes {element} with what it has read before {other} wrote it: that update is lost"
            fix = fix_of_update(self.program, row, blocks)
        order = f"order: here {other} came first; nothing keeps it so"
        if row[s.ACCESS] == s.WRITE == row[s.OTHER_ACCESS] and row[s.PC] == row[s.OTHER_PC]:
            order = f"order: here {me} wrote last; any of them may"
        return replace(
            base, kind=kind, message=message, fix=fix, other=row[s.OTHER_PC], threads=(me, other), element=element, lost=lost,
            address=row[s.ADDRESS], space=row[s.SPACE], order=order, other_position=where, other_length=length_at(self.program, where),
            other_message="" if same else f"{other} {before} it here",
        )  # fmt: skip

    def _lockstep(self, base: Finding, row: list[int]) -> Finding:
        found = self._race(base, row)
        me, other = found.threads
        message = (
            f"{me} {DID[row[s.ACCESS]]} {found.element} after {other} {DID[row[s.OTHER_ACCESS]]} it only because lanes run in lockstep"
        )
        order = "order: since Volta each lane of a warp may run on its own (core.divergence=its)"
        where = position_of(self.program, row[s.OTHER_PC])
        same = (where.file, where.line) == (base.position.file, base.position.line)
        fix = fix_of_lockstep(self.program, row, self.core[1], same)
        return replace(found, kind="lockstep", message=message, fix=fix, order=order, lost=0)

    def _uninitialised(self, base: Finding, row: list[int]) -> Finding:
        element = self._element(row)
        fix = "write it first, before a barrier" if row[s.SPACE] == u.SHARED_SPACE else "write it first"
        message = f"{base.threads[0]} reads {element}, which nobody has written"
        return replace(base, message=message, fix=fix, element=element, address=row[s.ADDRESS], space=row[s.SPACE])

    def _variable(self, base: Finding, row: list[int]) -> Finding:
        name = self._asked(row, "a variable")
        message = f"{base.threads[0]} reads {name}, which has no value on the path that it took"
        return replace(base, kind="uninitialised", message=message, fix="give it a value before the branch or the loop", element=name)

    def _register(self, base: Finding, row: list[int]) -> Finding:
        code = row[s.A_VALUE]
        names, number = (self.program.scalar_names, code - u.SCALAR) if code >= u.SCALAR else (self.program.register_names, code)
        name = names[number]
        whose = "its warp" if code >= u.SCALAR else "it"
        message = f"{base.threads[0]} reads {name}, which {whose} has not written"
        fix = "write it first: at the start a register may hold anything"
        return replace(base, kind="uninitialised", message=message, fix=fix, element=name)

    def _asked(self, row: list[int], otherwise: Any) -> Any:
        """What a question of the program is about."""
        number = (-1 - int(self.program.uops[row[s.UOP], u.IMM])) // QUESTIONS
        return self.names.questions[number][1] if number < len(self.names.questions) else otherwise

    def _barrier(self, base: Finding, row: list[int]) -> Finding:
        where, other = position_of(self.program, row[s.OTHER_PC]), self._thread(row[s.OTHER])
        if row[s.OTHER_PC] < 0:
            message = f"{base.threads[0]} waits at this barrier, and {other}, of the same warp, never comes to it"
            fix = "let all threads of a block come to the barrier: move it out of the branch"
            return replace(base, message=message, fix=fix, threads=(base.threads[0], other))
        message = f"{base.threads[0]} waits at this barrier while {other} waits at a different one"
        runs_today = self.is_one_by_number(row)
        if runs_today:
            message += ": that runs on today's GPUs, and the manual calls it undefined"
        return replace(
            base, runs_today=runs_today,
            message=message, fix="let all threads of a block come to the same barrier: move it out of the branch",
            other=row[s.OTHER_PC], threads=(base.threads[0], other), other_position=where, other_length=length_at(self.program, where),
            other_message=f"{other} waits here",
        )  # fmt: skip

    def is_one_by_number(self, row: list[int]) -> bool:
        """Whether two warps wait at instructions that are one barrier to a GPU of NVIDIA's, which knows a barrier by its number."""
        if not self.program.isa.startswith(NUMBERED) or row[s.OTHER_PC] < 0:
            return False
        threads, lanes = self.program.launch.block_threads or 1, self.core[1]
        return row[s.THREAD] % threads // lanes != row[s.OTHER] % threads // lanes

    def is_written_in_ptx(self, row: list[int]) -> bool:
        """Whether both barriers are instructions in the text, and not functions of C++, which all threads of a block must call or none."""
        return all(self._is_instruction(position_of(self.program, pc)) for pc in (row[s.PC], row[s.OTHER_PC]))

    def _is_instruction(self, position: Position) -> bool:
        if not position.line or self.program.source_of(position).path.endswith(".ptx"):
            return True
        line = self.program.source_of(position).text.splitlines()[position.line - 1]
        return line[position.column - 1 :].lstrip().startswith(("asm", "__asm"))

    def _absent(self, base: Finding, row: list[int]) -> Finding:
        end = "ends before it has come here: that runs on today's GPUs, and the manual calls it undefined"
        return replace(self._without(base, row, "this barrier", end, "block"), runs_today=True)

    def _grid(self, base: Finding, row: list[int]) -> Finding:
        end = "ends, and no thread of its block comes to it: a GPU waits for ever"
        return self._without(base, row, "the barrier of the whole grid", end, "grid")

    def _without(self, base: Finding, row: list[int], barrier: str, end: str, whole: str) -> Finding:
        """Threads wait at a barrier to which others, which have ended, never come."""
        other = self._thread(row[s.OTHER])
        where = position_of(self.program, row[s.OTHER_PC])
        same = (where.file, where.line) == (base.position.file, base.position.line)
        fix = f"let all threads of the {whole} come to it: put what the others do in a branch, in the place of a return"
        return replace(
            base, kind="barrier", message=f"{base.threads[0]} waits at {barrier}, and {other} {end}", fix=fix, other=row[s.OTHER_PC],
            threads=(base.threads[0], other), other_position=where, other_length=length_at(self.program, where),
            other_message="" if same or not where.line else f"{other} ends here",
        )  # fmt: skip

    def _divisor(self, base: Finding, row: list[int]) -> Finding:
        text = self._asked(row, "")
        by = f"by {text}, which is 0" if text else "by 0"
        message = f"{base.threads[0]} divides a whole number {by}: Python raises an error, and a kernel continues with 0"
        return replace(base, kind="division", message=message, fix=f"guard it: if {text} != 0" if text else "guard it", element=text)

    def _syncwarp(self, base: Finding, row: list[int]) -> Finding:
        return self._lanes(base, row, "syncwarp")

    def _mask(self, base: Finding, row: list[int]) -> Finding:
        return self._lanes(base, row, self._asked(row, "this operation"))

    def _lanes(self, base: Finding, row: list[int], name: str) -> Finding:
        other = self._thread(row[s.OTHER])
        mask = f"{row[s.A_VALUE] & 0xFFFFFFFF:#x}"
        if row[s.THREAD] == row[s.OTHER]:
            message = f"{other} executes {name}, but the mask {mask} does not name its lane"
        else:
            message = f"the mask {mask} of {name} names {other}, which does not come here"
        fix = "name the lanes that execute it, or move it out of the branch"
        return replace(base, message=message, fix=fix, threads=(base.threads[0], other))

    def _shuffle(self, base: Finding, row: list[int]) -> Finding:
        other = self._thread(row[s.OTHER])
        message = f"{base.threads[0]} takes a value from the lane of {other}, which is not there: the value is undefined"
        return replace(base, message=message, fix="let that lane take part, or read one that does", threads=(base.threads[0], other))

    def _bounds(self, base: Finding, row: list[int]) -> Finding:
        asked = self._asked(row, Indexed("the array"))
        index, extent = row[s.A_VALUE], row[s.B_VALUE]
        where = f"axis {asked.axis} of {asked.array}" if asked.axes > 1 else asked.array
        shown = f"{asked.array}[{', '.join(str(index) if place == asked.axis else ':' for place in range(asked.axes))}]"
        message = f"{base.threads[0]}: the index {index} is outside of {where}, which has {extent} element{'s' * (extent != 1)}"
        return replace(base, message=message, fix=fix_of_index(asked, index, extent), element=shown)

    def _in_c(self, position: Position) -> bool:
        """Whether a place is in a text of C."""
        return bool(position.line) and self.program.source_of(position).path.endswith((*OF_C, ".h", ".hpp"))

    def fault(self, fault: Fault, there: list[Finding]) -> list[Finding]:
        """Why the machine has stopped the kernel, unless that is said already."""
        kind = "deadlock" if fault.name in ("deadlock", "livelock") else "bounds" if fault.name in OUTSIDE else "fault"
        position = self.program.position(fault.pc if fault.called_from < 0 else fault.called_from)
        if kind == "bounds" and any(one.kind == "bounds" and one.position.line == position.line for one in there):
            return []
        guard = self.program.language.guard or ("if (i < n)" if self._in_c(position) else "")
        fix = {"bounds": f"guard the access, as in: {guard}" if guard else "guard the access with a branch around it", "deadlock": ""}
        if "barrier" in fault.text:
            fix["deadlock"] = "let all threads of a block come to the same barrier: move it out of the branch"
        text = fault.text.removeprefix(f"{self.program.where(fault.pc, fault.called_from)}: ")
        if text != fault.text and self.program.in_runtime(fault.pc):
            text = f"{runtime_text(self.program, fault.pc, fault.called_from)}{text}"
        return [Finding(kind, text, fix.get(kind, ""), fault.pc, position=position, length=length_at(self.program, position))]
