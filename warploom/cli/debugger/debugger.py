"""The debugger: a session, what the user has chosen to see, and the stops that were set."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from warploom.cli.common import UserError
from warploom.cli.debugger.places import own_file
from warploom.isa.regions import AddressSpace
from warploom.machine.debug.session import Session
from warploom.machine.debug.stops import Breakpoint, NextIssue, PixelBreak, Stop
from warploom.machine.run.protocol import WarpState
from warploom.observe.text.styled import counted, grouped

Found = list[tuple[int, str]]


@dataclass(frozen=True)
class Mark:
    """A breakpoint or a watchpoint, with the words it was set with."""

    text: str
    stop: Stop


class Debugger:
    """All that the commands and the panels work on.

    core, slot, lane: what is chosen. marks: breakpoints and watchpoints by number. form: one of `values.FORMATS`. address: where
    the view of memory begins. cancel: set to stop a long run; starting the next one clears it.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.machine, self.program = session.machine, session.machine.program
        self.core = self.slot = self.lane = 0
        self.marks: dict[int, Mark] = {}
        self.form = "auto"
        self.address = 0
        self.quitting = False
        self.cancel = threading.Event()
        self.memory_before = self.machine.inspection.memory.copy()
        self._registers_before = self._all_registers()
        self._change: tuple[int | None] | None = None

    # ---- what there is

    @property
    def lanes(self) -> int:
        """Lanes per warp."""
        return self.machine.inspection.lanes

    @property
    def memory(self) -> np.ndarray:
        """uint8[bytes]."""
        return self.machine.inspection.memory

    @property
    def space(self) -> AddressSpace:
        """Where in `memory` the byte of an address is now."""
        return self.machine.inspection.space

    @property
    def bits(self) -> int:
        """Of a register's value."""
        return min(self.program.value_bits, 32)

    def warps(self) -> list[WarpState]:
        """Every warp that runs."""
        return self.machine.inspection.warp_states()

    def warp(self) -> WarpState | None:
        """The chosen warp; None when no warp is in its slot."""
        return next((state for state in self.warps() if (state.core, state.slot) == (self.core, self.slot)), None)

    def registers(self) -> np.ndarray:
        """uint32[registers, lanes] of the chosen warp slot."""
        return self.machine.inspection.registers(self.core, self.slot)

    def registers_before(self) -> np.ndarray:
        """The same before the last move."""
        return self._registers_before[self.core * self.machine.inspection.slots + self.slot]

    def last_change(self) -> int | None:
        """The address of the first byte that the last move has changed; None when it has changed none."""
        if self._change is None:
            changed = self.memory != self.memory_before
            self._change = (int(changed.argmax()) if changed.any() else None,)
        return self._change[0]

    def breakpoints(self) -> set[int]:
        """The instructions with a breakpoint."""
        return {mark.stop.instruction for mark in self.marks.values() if isinstance(mark.stop, Breakpoint)}

    def name(self, core: int | None = None, slot: int | None = None) -> str:
        """A warp's name, as 0:3; of the chosen one by default."""
        return f"{self.core if core is None else core}:{self.slot if slot is None else slot}"

    def status(self) -> str:
        """Where the run is, in one sentence."""
        session = self.session
        if session.status == "done":
            return f"cycle {grouped(session.cycle)}: the kernel has ended"
        if session.status == "error":
            return f"cycle {grouped(session.cycle)}: {session.fault}"
        state = self.warp()
        if state is None:
            return f"cycle {grouped(session.cycle)}: no warp in slot {self.name()}"
        return f"cycle {grouped(session.cycle)}: warp {self.name()} at {self.where(state.pc)}, {self.activity(state)}"

    @staticmethod
    def activity(state: WarpState) -> str:
        """What a warp is about to do, in a word."""
        return "eligible" if state.activity == "not_selected" else state.activity

    def where(self, pc: int) -> str:
        """An instruction, by its line when it has one."""
        if not 0 <= pc < len(self.program):
            return f"instruction {pc}, past the end of the program"
        position, text = self.program.position(pc), self.program.text[pc]
        if not position.line:
            return f"@{pc} ({text})"
        file = self.program.source_of(position).path.rpartition("/")[2]
        return f"line {position.line} ({text})" if position.file == own_file(self.program) else f"{file}:{position.line} ({text})"

    # ---- moving

    def move(self, action: Callable[[], Found | bool | None]) -> list[str]:
        """Go somewhere, and say where that is and why it was halted there."""
        self.memory_before = self.memory.copy()
        self._registers_before = self._all_registers()
        self._change = None
        start, ended = self.session.cycle, self.session.ended
        found = action()
        self._follow()
        lines = [text for _, text in found] if isinstance(found, list) else []
        if self.cancel.is_set():
            lines.append("stopped before that")
        elif not self.session.ended and self.session.cycle >= self.session.limit > start:
            lines.append(f"still running after {grouped(self.session.limit)} cycles; --max-cycles allows more, `goto` goes further")
        elif (start, ended) == (self.session.cycle, self.session.ended):
            lines.append("nothing comes after the end" if ended else "nothing comes before cycle 0" if start == 0 else "already there")
        return [*lines, self.status()]

    def run(self, *, back: bool = False) -> Found:
        """To the next breakpoint or watchpoint, or the last one before."""
        numbers = list(self.marks)
        found = self._run([mark.stop for mark in self.marks.values()], back)
        for index, _ in found:
            self._choose_stopped(numbers[index])
        return [(index, f"{self._kind(numbers[index])} {numbers[index]}: {text}") for index, text in found]

    def issue(self, count: int, *, chosen: bool, back: bool) -> Found:
        """To the next issue, `count` times: of the chosen warp, or of any."""
        stop = NextIssue(self.core, self.slot) if chosen else NextIssue()
        found: Found = []
        for _ in range(count):
            found = self._run([stop], back)
            if not found:
                break
        return found

    def _run(self, stops: list[Stop], back: bool) -> Found:
        run = self.session.run_back if back else self.session.run
        return run(stops, self.cancel.is_set)

    def _kind(self, number: int) -> str:
        return "breakpoint" if isinstance(self.marks[number].stop, Breakpoint | PixelBreak) else "watchpoint"

    def _choose_stopped(self, number: int) -> None:
        """Choose a warp that has come to a breakpoint, unless the chosen one stands there too."""
        stop = self.marks[number].stop
        state = self.warp()
        if not isinstance(stop, Breakpoint) or (state is not None and state.pc == stop.instruction):
            return
        for state in self.warps():
            if state.pc == stop.instruction and stop.core in (None, state.core) and stop.slot in (None, state.slot):
                self.core, self.slot = state.core, state.slot
                self.lane = min(self.lane, self.lanes - 1)
                return

    def _follow(self) -> None:
        """Where the chosen slot is empty and another is not, choose that."""
        states = self.warps()
        if states and not any((state.core, state.slot) == (self.core, self.slot) for state in states):
            self.core, self.slot = states[0].core, states[0].slot

    def _all_registers(self) -> list[np.ndarray]:
        cores, slots = len(self.machine.cores), self.machine.inspection.slots
        return [self.machine.inspection.registers(core, slot).copy() for core in range(cores) for slot in range(slots)]

    # ---- marks

    def mark(self, text: str, stop: Stop) -> int:
        """Set a breakpoint or watchpoint; its number."""
        number = max(self.marks, default=0) + 1
        self.marks[number] = Mark(text, stop)
        return number

    def unmark(self, number: int) -> Mark:
        """Take one away. Raises UserError."""
        if number not in self.marks:
            there = f"there are {', '.join(map(str, self.marks))}" if self.marks else "none is set"
            raise UserError(f"there is no breakpoint or watchpoint {number}: {there}")
        return self.marks.pop(number)

    def toggle(self, pc: int) -> str:
        """Set a plain breakpoint at an instruction, or take all of its breakpoints away."""
        numbers = [number for number, mark in self.marks.items() if isinstance(mark.stop, Breakpoint) and mark.stop.instruction == pc]
        for number in numbers:
            del self.marks[number]
        if numbers:
            return f"no breakpoint at {self.where(pc)} any more"
        return f"breakpoint {self.mark(self.where(pc), Breakpoint(pc))} at {self.where(pc)}"

    def choose(self, core: int, slot: int) -> None:
        """Choose a warp slot."""
        self.core, self.slot = core, slot

    def turn(self, step: int) -> None:
        """Choose the next warp that runs, or the one before (step -1)."""
        there = [(state.core, state.slot) for state in self.warps()]
        if not there:
            return
        if (self.core, self.slot) in there:
            self.core, self.slot = there[(there.index((self.core, self.slot)) + step) % len(there)]
        else:
            self.core, self.slot = there[0]

    def pick_lane(self, lane: int) -> None:
        """Choose a lane. Raises UserError."""
        if not 0 <= lane < self.lanes:
            raise UserError(f"there is no lane {lane}: a warp has {counted(self.lanes, 'lane')}, from 0")
        self.lane = lane
