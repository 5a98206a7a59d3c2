"""Divergence mechanisms beside the model: every divergent branch, and every choice of the path that runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warploom.rtl.beside.recorder import Tap, Unit, Watch, Watcher
from warploom.rtl.beside.steps import Step
from warploom.rtl.core.divergence.minpc import MinimumPc
from warploom.rtl.core.divergence.split_join import SplitJoin
from warploom.rtl.core.divergence.stack import ReconvergenceStack
from warploom.rtl.model import NUMBER, OP, Config, Program, minpc, path_table, split_join, stack

MASK_OPERATIONS = ("push_mask", "pop_mask", "mask_nonzero", "branch_push", "split", "join", "set_mask", "predicate", "write_mask")
DEEPEST = 16  # entries that are simulated where the configuration has more


def _uses(program: Program, names: tuple[str, ...]) -> bool:
    """Whether a program has one of these operations."""
    return bool({NUMBER[name] for name in names} & {int(operation) for operation in program.uops[:, OP]})


class PathWatcher(Watcher):
    """What the mechanisms share: a unit of hardware per warp."""

    def __init__(self, config: Config, program: Program, most: int) -> None:
        super().__init__(config, program, most)
        self.starting: set[str] = set()

    @property
    def pc_bits(self) -> int:
        """Bits of a PC; that of all ones is none."""
        return (len(self.program) + 1).bit_length()

    def where(self, table: Any, warp: Any) -> str:
        """Which warp it is."""
        return f"core {self.number_of(table)}, warp {int(warp)}"

    def clear(self, table: Any, warp: Any) -> Watch:
        """A warp starts or ends."""
        self.starting.add(self.where(table, warp))
        yield

    def start(self, where: str, warps: Any, warp: Any) -> None:
        """The first that is heard of a warp since it started."""
        if where in self.starting:
            self.starting.discard(where)
            self.note(where, Step(self.now, {"start": 1} | self.place(warps, warp)))

    def place(self, warps: Any, warp: Any) -> dict[str, int]:
        """A warp's threads and its PC."""
        return {"threads": int(warps.threads[warp]), "next_pc": int(warps.pc[warp])}


class StackWatcher(PathWatcher):
    """The reconvergence stack."""

    name = "stack"
    takes_longer = "paths that end together are popped one per cycle"

    @classmethod
    def used_by(cls, config: Config, program: Program) -> bool:
        """Whether lanes reconverge by a stack."""
        return config.has.warps and config.core.divergence == "stack" and not _uses(program, MASK_OPERATIONS)

    def taps(self) -> Mapping[Unit, Tap]:
        """Branches, jumps at which lanes part, the choice of a path, and the start of a warp."""
        taps: dict[Unit, Tap] = {stack.branch: self.branch, stack.select_path: self.select_path, stack.jump_apart: self.jump_apart}
        return {**taps, path_table.clear: self.clear}

    def branch(self, table: Any, warps: Any, warp: Any, *rest: Any) -> Watch:
        """Lanes disagree."""
        taken, target, reconvergence_pc = (int(value) for value in rest)
        drive = {"next_pc": int(warps.pc[warp]) + 1, "taken": taken, "target": target, "reconvergence_pc": reconvergence_pc}
        yield from self.part(table, warps, warp, drive)

    def jump_apart(self, table: Any, warps: Any, warp: Any, *rest: Any) -> Watch:
        """Lanes go to different places through a register: the others wait at this jump."""
        (others, reconvergence_pc), here = (int(value) for value in rest), int(warps.pc[warp])
        drive = {"apart": 1, "next_pc": here, "taken": others, "target": here, "reconvergence_pc": reconvergence_pc}
        yield from self.part(table, warps, warp, drive)

    def part(self, table: Any, warps: Any, warp: Any, drive: dict[str, int]) -> Watch:
        """Either of the two."""
        where = self.where(table, warp)
        if self.full:
            yield
            return
        self.start(where, warps, warp)
        drive = {"branch": 1, "threads": int(warps.threads[warp])} | drive
        room = yield
        self.note(where, Step(self.now, drive, {"overflow": int(room == 0)}, self.shown(table, warps, warp) if room else {}))

    def select_path(self, table: Any, warps: Any, warp: Any) -> Watch:
        """The running path has moved, or lanes have ended."""
        where = self.where(table, warp)
        if self.full:
            yield
            return
        self.start(where, warps, warp)
        drive = {"move": 1} | self.place(warps, warp)
        yield
        self.note(where, Step(self.now, drive, {}, self.shown(table, warps, warp), settles="settled"))

    def shown(self, table: Any, warps: Any, warp: Any) -> dict[str, int]:
        """The path that runs, and what is below it."""
        running = {"mask": int(warps.mask[warp]), "pc": int(warps.pc[warp]), "count": int(table.count[warp])}
        return running | {"rejoins_at": int(table.rejoins_at[warp])}

    def hardware(self) -> Any:
        """A stack of one warp."""
        core = self.config.core
        return ReconvergenceStack(core.lanes, min(core.stack_depth, DEEPEST), self.pc_bits, self.config.divergence.first)


class MinimumPcWatcher(PathWatcher):
    """Lowest PC first."""

    name = "minpc"

    def __init__(self, config: Config, program: Program, most: int) -> None:
        super().__init__(config, program, most)
        self.told: dict[str, dict[str, int]] = {}  # the lanes that had not ended, and that waited at a barrier, when it was told last

    @classmethod
    def used_by(cls, config: Config, program: Program) -> bool:
        """Whether the lowest PC runs first."""
        return config.has.warps and config.core.divergence == "minpc" and not _uses(program, MASK_OPERATIONS)

    def taps(self) -> Mapping[Unit, Tap]:
        """Branches, the choice of a path, and the start of a warp."""
        return {path_table.split_group: self.split, minpc.select_path: self.select_path, path_table.clear: self.clear}

    def clear(self, table: Any, warp: Any) -> Watch:
        """A warp starts or ends."""
        self.told.pop(self.where(table, warp), None)
        yield from super().clear(table, warp)

    def split(self, table: Any, warps: Any, warp: Any, taken: Any, target: Any) -> Watch:
        """Lanes disagree."""
        where = self.where(table, warp)
        if not self.full:
            self.start(where, warps, warp)
            pc = int(warps.pc[warp])
            self.note(where, Step(self.now, {"move": 1, "next_pc": pc} | self.before(where, warps, warp)))
            outside = self.before(where, warps, warp) | {"threads": int(warps.threads[warp])}
            drive = {"branch": 1, "taken": int(taken), "target": int(target), "next_pc": pc + 1}
            self.note(where, Step(self.now, drive | outside, {"mask": int(warps.mask[warp]), "pc": pc}))
        yield

    def select_path(self, table: Any, warps: Any, warp: Any) -> Watch:
        """The lanes that run have moved, have ended, or wait at a barrier; or others no longer wait there."""
        where = self.where(table, warp)
        if self.full:
            yield
            return
        self.start(where, warps, warp)
        just_split = bool(self.traces[where][-1].drive.get("branch"))
        if not just_split:
            self.note(where, Step(self.now, {"move": 1, "next_pc": int(warps.pc[warp])} | self.before(where, warps, warp)))
        rows = range(int(table.count[warp]))
        held = sum(int(table.mask[warp, row]) for row in rows if table.state[warp, row] != path_table.READY)
        yield
        outside = self.told[where] = {"threads": int(warps.threads[warp]), "held": held}
        shown = {"mask": int(warps.mask[warp])} | ({"pc": int(warps.pc[warp])} if warps.mask[warp] else {})
        self.note(where, Step(self.now, outside, shown))

    def before(self, where: str, warps: Any, warp: Any) -> dict[str, int]:
        """What other units held up when the running lanes were chosen last: those lanes have moved since, even if they have ended."""
        return self.told.get(where, {"threads": int(warps.threads[warp]), "held": 0})

    def hardware(self) -> Any:
        """The PCs of one warp."""
        return MinimumPc(self.config.core.lanes, self.pc_bits)


class SplitJoinWatcher(PathWatcher):
    """Split and join, in programs that manage masks so."""

    name = "split_join"

    @classmethod
    def used_by(cls, config: Config, program: Program) -> bool:
        """Whether the program splits and joins."""
        return config.has.warps and _uses(program, ("split", "join"))

    def taps(self) -> Mapping[Unit, Tap]:
        """The two instructions, and the start of a warp."""
        return {split_join.split: self.split, split_join.join: self.join, path_table.clear: self.clear}

    def split(self, table: Any, warps: Any, warp: Any, chosen: Any) -> Watch:
        """The chosen lanes run first."""
        yield from self.change(table, warps, warp, {"split": 1, "chosen": int(chosen)})

    def join(self, table: Any, warps: Any, warp: Any) -> Watch:
        """One side has ended."""
        yield from self.change(table, warps, warp, {"join": 1})

    def change(self, table: Any, warps: Any, warp: Any, drive: dict[str, int]) -> Watch:
        """Either of the two."""
        if self.full:
            yield
            return
        where = self.where(table, warp)
        self.start(where, warps, warp)
        drive = drive | {"mask": int(warps.mask[warp]), "threads": int(warps.threads[warp]), "next_pc": int(warps.pc[warp]) + 1}
        fault = yield
        before = {"fault": int(fault != 0)}
        after: dict[str, int] = {}
        if fault == 0:
            before |= {"next_mask": int(warps.mask[warp]), "to_pc": int(warps.pc[warp])}
            after["count"] = int(table.count[warp])
        self.note(where, Step(self.now, drive, before, after))

    def place(self, warps: Any, warp: Any) -> dict[str, int]:
        """Nothing: the masks are the warp table's."""
        return {}

    def hardware(self) -> Any:
        """A stack of one warp."""
        return SplitJoin(self.config.core.lanes, min(self.config.core.stack_depth, DEEPEST), self.pc_bits)
