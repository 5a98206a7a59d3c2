"""Session: a machine that is stepped, forwards and backwards, halted, changed and run on. Without any screen.

Not hardware: what a debugger is made of. A machine is deterministic. So a step back is a run from an earlier checkpoint, and the state
at a cycle does not depend on how it was reached: it is that of a straight run, with the edits that the user has made.

An edit is part of the run: after going back before it and forward again, it is made again in its cycle.
A new edit gives up the edits of later cycles, which belong to a run that will not happen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.isa.numbers import whole_number
from warploom.machine.accounting.status import DONE, FAULT, STATUS
from warploom.machine.debug.checkpoints import Checkpoints
from warploom.machine.debug.stops import Stop
from warploom.machine.run.compile import entry_call, is_compiled
from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, PATIENCE_READY, advance, cycle_limit
from warploom.machine.run.protocol import Machine

SLICE_SECONDS = 0.05  # of a run in which nobody can interrupt it
LEAST_PATIENCE, MOST_PATIENCE = 32, 4096  # cycles
REGISTER, SCALAR, MEMORY = "register", "scalar", "memory"

Interrupted = Callable[[], bool]


class EditError(ValueError):
    """A change that cannot be made. One sentence, which says why."""


@dataclass(frozen=True)
class Edit:
    """A change that was made by hand. space: REGISTER, SCALAR or MEMORY.

    index: (core, slot, register, lane), without the lane for a scalar; or (address, bytes). number: what was changed at once shares it.
    """

    number: int
    cycle: int
    space: str
    index: tuple[int, ...]
    before: int
    value: int


class Session:
    """Steps a machine that has not begun. A position is a cycle, or the end: then `status` is done or error.

    machine: of `GPU.machine`. engine: "python", "native", or "auto": plain Python, and native code for runs that take longer where it is
    compiled already. limit: the cycle beyond which `run` does not go by itself. leaps: look for stops over many cycles at
    once, where that is possible; it pays natively.
    """

    def __init__(self, machine: Machine, *, engine: str = "auto", limit: int = DEFAULT_MAX_CYCLES) -> None:
        self.machine, self.engine, self.limit = machine, engine, cycle_limit(limit)
        self.status = "running"
        self.edits: list[Edit] = []
        self.checkpoints = Checkpoints(machine)
        self._native = self.leaps = engine == "native"
        self._waited = 0.0  # seconds in plain Python since it was last asked whether native code is there
        self._patience = LEAST_PATIENCE  # cycles that are stepped singly before a leap
        self._call = entry_call(machine, "native" if self._native else "python")

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""
        return self.machine.cycle

    @property
    def ended(self) -> bool:
        """Whether the kernel has ended, or stopped with a fault."""
        return self.status != "running"

    @property
    def fault(self) -> str:
        """The fault as a sentence with its place; "" when there is none."""
        return self.machine.inspection.fault_text() if self.status == "error" else ""

    # ---- moving

    def goto(self, cycle: int, interrupted: Interrupted | None = None) -> bool:
        """Go to a cycle, forwards or backwards, or to the end when that comes first. False when it was interrupted on the way."""
        cycle = max(whole_number("cycle", cycle), 0)
        if cycle < self.cycle or (self.ended and cycle <= self.cycle):
            self._restore(cycle)
        return self._run(cycle, interrupted)

    def step(self, cycles: int = 1, interrupted: Interrupted | None = None) -> bool:
        """Advance by some cycles. False when it was interrupted."""
        return self._run(self.cycle + whole_number("cycles", cycles), interrupted)

    def back(self, cycles: int = 1, interrupted: Interrupted | None = None) -> bool:
        """Go back by some cycles; from the end to the last cycle before it. False when it was interrupted."""
        if self.ended and cycles > 0:
            self._before_end()
            cycles -= 1
        return self.goto(self.cycle - cycles, interrupted)

    def run(self, stops: Sequence[Stop] = (), interrupted: Interrupted | None = None) -> list[tuple[int, str]]:
        """Run until one of `stops` has something to say, the end, the limit, or an interruption.

        Returns (number of the stop, what it says) of all that have; nothing when it came to an end without.
        """
        if not stops:
            self._run(self.limit, interrupted)
            return []
        before, steps = self._observations(stops), 0
        while not self.ended and self.cycle < self.limit:
            if steps >= self._patience and self._leap(stops, interrupted):
                before, steps = self._observations(stops), 0
                continue
            steps = steps + 1 if steps < self._patience else 0
            self._run(self.cycle + 1)
            now = self._observations(stops)
            found = self._reasons(stops, before, now)
            if found or (interrupted is not None and interrupted()):
                return found
            before = now
        return []

    def _leap(self, stops: Sequence[Stop], interrupted: Interrupted | None) -> bool:
        """Natively, advance by many cycles at once while none of `stops` can have had anything to say. False when nothing came of it.

        Where something may have happened on the way, this goes back to where that leap began; the next ones come later.
        """
        cycles, leapt = self._patience, False
        while self.leaps and not self.ended and self.cycle < self.limit:
            start, before = self.cycle, [stop.trail(self.machine) for stop in stops]
            target = min(start + cycles, self.limit)
            if None in before or any(start < edit.cycle <= target for edit in self.edits):
                return leapt
            whole = self._run(target, interrupted)
            if [stop.trail(self.machine) for stop in stops] != before:
                self.goto(start)
                self._patience = min(2 * self._patience, MOST_PATIENCE)
                return leapt
            cycles, leapt, self._patience = 2 * cycles, True, LEAST_PATIENCE
            if not whole:
                return True
        return leapt

    def run_back(self, stops: Sequence[Stop] = (), interrupted: Interrupted | None = None) -> list[tuple[int, str]]:
        """Go back to the last cycle before this one in which one of `stops` had something to say; to the start when there is none.

        Returns what `run` would have returned there. An interruption leaves everything where it was.
        """
        origin, ended = self.cycle, self.ended
        last = origin if ended else origin - 1
        for start in [cycle for cycle in reversed(self.checkpoints.cycles) if cycle <= last] if stops else []:
            found: tuple[int, list[tuple[int, str]]] | None = None
            self._restore(start)
            self._run(start)
            before = self._observations(stops)
            while self.cycle < last:
                self._run(self.cycle + 1)
                if self.ended:
                    break
                now = self._observations(stops)
                reasons = self._reasons(stops, before, now)
                found = (self.cycle, reasons) if reasons else found
                before = now
                if interrupted is not None and interrupted():
                    self.goto(origin + ended)
                    return []
            if found is not None:
                self.goto(found[0])
                return found[1]
            last = start
        self.goto(0)
        return []

    # ---- changing

    def set_register(self, core: int, slot: int, register: int, lanes: Sequence[int], value: int) -> list[Edit]:
        """Change a register in some lanes. Raises EditError."""
        most = (1 << self.machine.program.value_bits) - 1
        return self._edit(REGISTER, [(core, slot, register, lane) for lane in lanes], value, most)

    def set_scalar(self, core: int, slot: int, register: int, value: int) -> list[Edit]:
        """Change a scalar register of a warp. Raises EditError."""
        return self._edit(SCALAR, [(core, slot, register)], value, 0xFFFFFFFF)

    def set_memory(self, address: int, value: int, size: int = 1) -> list[Edit]:
        """Change `size` bytes of memory from a place on (in one flat memory: an address), the lowest first. Raises EditError."""
        return self._edit(MEMORY, [(address, size)], value, (1 << 8 * size) - 1)

    def undo(self) -> list[Edit]:
        """Go back to the last change that was made before now, and take it back, with all that came later. Nothing where there is none."""
        made = [edit for edit in self.edits if edit.cycle <= self.cycle]
        last = [edit for edit in made if edit.number == made[-1].number]
        if last:
            self.edits = made[: -len(last)]
            self.checkpoints.forget_after(last[0].cycle)
            self._restore(last[0].cycle)
            self._run(last[0].cycle)
        return last

    def restart(self) -> list[Edit]:
        """Go back to cycle 0, without any of the changes that were made. Returns those."""
        taken, self.edits = self.edits, []
        if taken:
            self.checkpoints.forget_after(min(edit.cycle for edit in taken))
        self._restore(0)
        return taken

    def _edit(self, space: str, places: Sequence[tuple[int, ...]], value: int, most: int) -> list[Edit]:
        if self.ended:
            raise EditError("the run has ended, and nothing would come of a change: go back first")
        if not -(most + 1) // 2 <= value <= most:
            raise EditError(f"{value} does not fit: a value here is 0 to {most}")
        for index in places:
            self._check(space, index)
        kept = [edit for edit in self.edits if edit.cycle <= self.cycle]
        number = kept[-1].number + 1 if kept else 1
        made = [Edit(number, self.cycle, space, index, self._value(space, index), value & most) for index in places]
        self.edits = kept + made
        self.checkpoints.forget_after(self.cycle)
        for edit in made:
            self._apply(edit)
        return made

    def _check(self, space: str, index: tuple[int, ...]) -> None:
        """Raises EditError where there is no such cell."""
        if space == MEMORY:
            address, size = index
            there = self.machine.inspection.space.bytes
            if not 0 <= address <= there - size:
                raise EditError(f"there is no memory at address {address}: it has {there} bytes")
            return
        core, slot, *at = index
        if not (0 <= core < len(self.machine.cores) and 0 <= slot < self.machine.inspection.slots):
            raise EditError(f"there is no warp slot {core}:{slot}")
        rows = self._rows(space, core, slot)
        if any(not 0 <= number < size for number, size in zip(at, rows.shape, strict=True)):
            raise EditError(f"there is no {space} {', '.join(map(str, at))}: there are {' x '.join(map(str, rows.shape))}")

    def _rows(self, space: str, core: int, slot: int) -> np.ndarray:
        inspection = self.machine.inspection
        return inspection.registers(core, slot) if space == REGISTER else inspection.scalars(core, slot)

    def _value(self, space: str, index: tuple[int, ...]) -> int:
        if space == MEMORY:
            address, size = index
            return int.from_bytes(self.machine.inspection.memory[address : address + size].tobytes(), "little")
        core, slot, *at = index
        return int(self._rows(space, core, slot)[tuple(at)])

    def _apply(self, edit: Edit) -> None:
        if edit.space == MEMORY:
            address, size = edit.index
            self.machine.inspection.memory[address : address + size] = np.frombuffer(edit.value.to_bytes(size, "little"), np.uint8)
        else:
            core, slot, *at = edit.index
            self._rows(edit.space, core, slot)[tuple(at)] = edit.value
        self.machine.inspection.edited()

    # ---- the machine

    def _observations(self, stops: Sequence[Stop]) -> list[Any]:
        return [stop.observe(self.machine) for stop in stops]

    def _reasons(self, stops: Sequence[Stop], before: list[Any], now: list[Any]) -> list[tuple[int, str]]:
        said = [stop.reason(self.machine, one, other) for stop, one, other in zip(stops, before, now, strict=True)]
        return [(number, reason) for number, reason in enumerate(said) if reason]

    def _restore(self, cycle: int) -> None:
        """To the last checkpoint at or before a cycle; a checkpoint is taken before the edits of its cycle."""
        self.checkpoints.restore(cycle)
        self.status = "running"
        self._apply_edits()

    def _apply_edits(self) -> None:
        for edit in self.edits:
            if edit.cycle == self.cycle:
                self._apply(edit)

    def _run(self, target: int, interrupted: Interrupted | None = None) -> bool:
        """Forwards to a cycle, or to the end. False when it was interrupted."""
        cycles = 64
        while not self.ended and self.cycle < target:
            edited = [edit.cycle for edit in self.edits if edit.cycle > self.cycle]
            until, before = min([target, self.cycle + cycles, *edited]), time.perf_counter()
            with np.errstate(all="ignore"):
                code = advance(self.machine, self._call, until)
            if code in (DONE, FAULT):
                self.status = STATUS[code]
                return True
            if self.checkpoints.due:
                self.checkpoints.take()
            self._apply_edits()
            now = time.perf_counter()
            cycles = cycles * 2 if now - before < SLICE_SECONDS else max(cycles // 2, 1)
            if interrupted is not None and interrupted():
                return False
            self._consider_native(now - before)
        return True

    def _consider_native(self, seconds: float) -> None:
        """After a long wait the session continues natively, where that needs no compiling."""
        if self.engine != "auto" or self._native:
            return
        self._waited += seconds
        if self._waited > PATIENCE_READY:
            self._waited = 0.0
            if is_compiled(self.machine):
                self._native = self.leaps = True
                self._call = entry_call(self.machine, "native")

    def _before_end(self) -> None:
        """From the end to the last cycle that can be seen before it: that of a deadlock has the same number."""
        end = self.cycle
        self.goto(end)
        if self.ended:
            self.goto(end - 1)
