"""The scoreboard and the barriers beside the model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from warploom.rtl.beside.recorder import Tap, Unit, Watch, Watcher
from warploom.rtl.beside.steps import Step
from warploom.rtl.core.warps.barrier import BarrierTable
from warploom.rtl.core.warps.scoreboard import Scoreboard
from warploom.rtl.model import FOREVER, USE, USES, WRITES, Config, Program, barrier, scoreboard

WRITE_BACKS = 2  # results that the hardware takes per cycle


class ScoreboardWatcher(Watcher):
    """Every busy register of every warp, in each cycle that a core works in. A result whose time has come is written back."""

    name = "scoreboard"
    takes_longer = f"of results that come in one cycle, {WRITE_BACKS} are written back per cycle"

    def __init__(self, config: Config, program: Program, most: int) -> None:
        super().__init__(config, program, most)
        self.coming: dict[str, dict[tuple[int, int], int]] = defaultdict(dict)  # (warp, register): when its result is there
        self.code: Any = None

    @classmethod
    def used_by(cls, config: Config, program: Program) -> bool:
        """Whether it locks whole registers, and a result is there for all pipes at once."""
        whole = config.core.lock == "register" and config.latency.to_float == config.latency.to_integer == 0
        return config.has.warps and whole and config.core.divergence != "dwf"

    @cached_property
    def registers(self) -> dict[int, int]:
        """The registers that instructions of the program use, numbered from 0."""
        used = {int(group) for row in self.code for group in row[USE : USE + int(row[USES])]}
        return {group: number for number, group in enumerate(sorted(used))}

    def taps(self) -> Mapping[Unit, Tap]:
        """Issue and write-back, and the start of a warp."""
        return {scoreboard.mark_busy: self.mark_busy, scoreboard.clear: self.clear}

    def where(self, board: Any) -> str:
        """Which core's it is."""
        return f"scoreboard of core {self.number_of(board)}"

    def clear(self, board: Any, warp: Any, now: Any) -> Watch:
        """A warp starts."""
        where = self.where(board)
        if not self.full:
            coming = self.coming[where]
            self.coming[where] = {place: time for place, time in coming.items() if place[0] != warp}
            self.note(where, Step(self.now, {"clear": 1 << int(warp)}))
        yield

    def mark_busy(self, board: Any, code: Any, warp: Any, pc: Any, *rest: Any) -> Watch:
        """An instruction issues, or its load is answered."""
        until = int(rest[2])
        self.code = code
        if not self.full:
            where = self.where(board)
            groups = [int(group) for group in code[pc, USE : USE + int(code[pc, WRITES])]]
            numbers = [self.registers[group] for group in groups]
            coming = self.coming[where]
            if numbers and not all(coming.get((int(warp), number)) == FOREVER for number in numbers):
                drive = {"issue": (1 << len(numbers)) - 1, "issue_warp": int(warp), "issue_register": numbers}
                self.note(where, Step(self.now, drive))
            coming |= {(int(warp), number): until for number in numbers}
        yield

    def begin_cycle(self, core: Any, now: int) -> None:
        """Results that are there are written back; then all registers are compared, and what every warp's next instruction waits for."""
        if self.code is None or self.full:
            return
        where, board, warps = self.where(core.scoreboard), core.scoreboard, core.warps
        coming = self.coming[where]
        there = [place for place, time in coming.items() if time <= now]
        for at in range(0, len(there), WRITE_BACKS):
            part = there[at : at + WRITE_BACKS]
            drive = {"done": (1 << len(part)) - 1, "done_warp": [warp for warp, _ in part], "done_register": [reg for _, reg in part]}
            self.note(where, Step(now, drive))
        for ended in there:
            del coming[ended]
        before: dict[str, int] = {}
        used: dict[str, int] = {}
        valid = blocked = 0
        for warp in range(self.config.core.warps):
            busy = {number for group, number in self.registers.items() if board.ready[warp, group] > now}
            before[f"busy[{warp}]"] = sum(1 << number for number in busy)
            pc = int(warps.pc[warp])
            if int(warps.active) >> warp & 1 and 0 <= pc < len(self.code):
                next_ = [self.registers[int(group)] for group in self.code[pc, USE : USE + int(self.code[pc, USES])]]
                for place, number in enumerate(next_):
                    used[f"next[{warp * self.uses + place}]"] = number
                    valid |= 1 << (warp * self.uses + place)
                mask, lanes = warps.mask[warp], warps.lanes
                blocked |= (scoreboard.blocking_group(board, self.code, warp, pc, mask, lanes, now)[0] >= 0) << warp
        self.note(where, Step(now, used | {"next_valid": valid}, before | {"blocked": blocked}))

    @cached_property
    def uses(self) -> int:
        """The most registers that an instruction uses."""
        return max(1, *(int(row[USES]) for row in self.code))

    def hardware(self) -> Any:
        """A scoreboard for the program's registers."""
        writes = max(1, *(int(row[WRITES]) for row in self.code))
        return Scoreboard(self.config.core.warps, len(self.registers), self.uses, writes, WRITE_BACKS)


class BarrierWatcher(Watcher):
    """Every arrival at a barrier, every end of a warp, and what both leave in the table."""

    name = "barriers"
    takes_longer = "when a warp ends, the barriers of its block are asked one per cycle"

    def __init__(self, config: Config, program: Program, most: int) -> None:
        super().__init__(config, program, most)
        self.slots = self.numbers = 1
        self.inside = False

    def taps(self) -> Mapping[Unit, Tap]:
        """Arrivals, questions whether a barrier opens, and new blocks."""
        return {barrier.arrive: self.arrive, barrier.release: self.release, barrier.reset: self.reset}

    def where(self, table: Any) -> str:
        """Which core's it is."""
        return f"barriers of core {self.number_of(table)}"

    def reset(self, table: Any, block: Any) -> Watch:
        """A block takes the slot."""
        self.slots = max(self.slots, int(block) + 1)
        if not self.full:
            self.note(self.where(table), Step(self.now, {"reset_block": 1, "block": int(block)}))
        yield

    def arrive(self, table: Any, block: Any, number: Any, *rest: Any) -> Watch:
        """A warp arrives."""
        warp, wait, expected, alive = (int(value) for value in rest)
        self.slots, self.numbers = max(self.slots, int(block) + 1), max(self.numbers, int(number) + 1)
        self.inside = True
        freed = yield
        self.inside = False
        if not self.full:
            drive = {"arrive": 1, "block": int(block), "number": int(number), "alive": alive, "warp": warp}
            drive |= {"wait": wait, "expected": expected}
            self.note(self.where(table), Step(self.now, drive, {"freed": int(freed)}, self.row(table, int(block), int(number))))

    def release(self, table: Any, block: Any, number: Any, alive: Any) -> Watch:
        """Does a barrier open? Those at which nobody ever arrives are left out."""
        waited = int(table.arrived[block, number]) != 0
        freed = yield
        if not self.full and not self.inside and (waited or number < self.numbers):
            self.slots = max(self.slots, int(block) + 1)
            drive = {"check": 1, "block": int(block), "number": int(number), "alive": int(alive)}
            self.note(self.where(table), Step(self.now, drive, {"freed": int(freed)}, self.row(table, int(block), int(number))))

    def row(self, table: Any, block: int, number: int) -> dict[str, int]:
        """A barrier's masks."""
        return {f"{name}[{block}][{number}]": int(getattr(table, name)[block, number]) for name in ("arrived", "waiting")}

    def hardware(self) -> Any:
        """A table for the blocks that were resident, and the barriers that they used."""
        return BarrierTable(self.config.core.warps, self.slots, self.numbers)
