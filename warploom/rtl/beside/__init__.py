"""Units of the modern core beside the running model: they are given what its units are given, and must answer as they do.

A whole core with warps has no hardware here; its units have, one by one. A program runs on the model, in plain Python. What each
unit is given is written down (`recorder.py`), and played to the hardware (`steps.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from warploom.isa.numbers import grouped
from warploom.rtl.beside.divergence import MinimumPcWatcher, SplitJoinWatcher, StackWatcher
from warploom.rtl.beside.load_store import BankWatcher, CoalescerWatcher
from warploom.rtl.beside.memory import MshrWatcher, TagsWatcher
from warploom.rtl.beside.recorder import Watcher, probes_of
from warploom.rtl.beside.schedulers import SchedulerWatcher
from warploom.rtl.beside.steps import Mismatch, play
from warploom.rtl.beside.warps import BarrierWatcher, ScoreboardWatcher
from warploom.rtl.hardware import NoHardware
from warploom.rtl.model import GPU, Program, drive, nearest

MOST_STEPS = 4000  # of a unit
MOST_CYCLES = 100_000
WATCHERS: dict[str, type[Watcher]] = {
    watcher.name: watcher
    for watcher in (
        SchedulerWatcher,
        ScoreboardWatcher,
        StackWatcher,
        MinimumPcWatcher,
        SplitJoinWatcher,
        BarrierWatcher,
        CoalescerWatcher,
        BankWatcher,
        TagsWatcher,
        MshrWatcher,
    )
}


@dataclass(frozen=True)
class UnitLockstep:
    """One unit beside the model. hardware: its class. steps: that were played; 0: the program has not used it. clocks: of the hardware.

    values: compared. difference: the first, or None. takes_longer: what takes the hardware more than the model's one cycle, or "".
    """

    unit: str
    hardware: str
    steps: int
    clocks: int
    values: int
    difference: Mismatch | None
    takes_longer: str
    seconds: float

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None

    def __str__(self) -> str:
        if self.difference is not None:
            return f"{self.unit}: {self.difference}"
        if not self.steps:
            return f"{self.unit}: the program does not use it"
        counts = ((self.values, "value"), (self.clocks, "clock"))
        values, clocks = (f"{grouped(count)} {noun}{'' if count == 1 else 's'}" for count, noun in counts)
        return f"{self.unit}: agrees in {values} of {clocks}"


def lockstep_units(
    program: Program, gpu: GPU, units: Iterable[str] = (), *, max_cycles: int = MOST_CYCLES, most_steps: int = MOST_STEPS
) -> list[UnitLockstep]:
    """Run a program on the model, and play what each unit is given to its hardware.

    units: by the names of `WATCHERS`; none: all that the machine has. most_steps: that are written down of each. Raises NoHardware for
    a unit that the machine does not have, or that is unknown.
    """
    names = list(units)
    config = gpu.config
    unknown = next((name for name in names if name not in WATCHERS), None)
    if unknown is not None:
        raise NoHardware(f"there is no unit {unknown!r} beside the model{nearest(unknown, WATCHERS)}; there are {', '.join(WATCHERS)}")
    if not config.has.warps:
        raise NoHardware(f"core.control = {config.core.control!r}: these units are of cores with warps; lockstep runs this machine whole")
    absent = next((name for name in names if not WATCHERS[name].used_by(config, program)), None)
    if absent is not None:
        raise NoHardware(f"{config.name} has no {absent} that hardware can stand beside; it needs: {WHY[absent]}")
    chosen = [WATCHERS[name] for name in names] or [watcher for watcher in WATCHERS.values() if watcher.used_by(config, program)]
    watchers = [watcher(config, program, most_steps) for watcher in chosen]
    machine = gpu.machine(program)
    machine.probes.extend(probes_of(watchers))
    drive(machine, engine="python", max_cycles=max_cycles)
    return [_played(watcher) for watcher in watchers]


def _played(watcher: Watcher) -> UnitLockstep:
    begin = time.perf_counter()
    if not watcher.traces:
        return UnitLockstep(watcher.name, "", 0, 0, 0, None, watcher.takes_longer, 0.0)
    hardware = watcher.hardware()
    found = play(hardware, watcher.traces)
    seconds = time.perf_counter() - begin
    kind = type(hardware).__name__
    return UnitLockstep(watcher.name, kind, found.steps, found.clocks, found.values, found.mismatch, watcher.takes_longer, seconds)


WHY = {
    "scheduler": "core.scheduler is round_robin, oldest, greedy_oldest, two_level or vortex, and core.divergence is not dwf",
    "scoreboard": "core.lock is register, latency.to_float and latency.to_integer are 0, and core.divergence is not dwf",
    "stack": "core.divergence is stack, and the program does not manage masks itself",
    "minpc": "core.divergence is minpc, and the program does not manage masks itself",
    "split_join": "a program that splits and joins, as Vortex's do",
    "barriers": "cores with warps",
    "coalescer": "cores with warps",
    "banks": "shared.banks is a power of two, and shared.bytes is not 0",
    "tags": "l1 has 1 to 256 lines, a power of two of sets, l1.hash = modulo, l1.write = through and l1.allocate = false",
    "mshrs": "l1.bytes is not 0, and l1.mshrs is at most 32",
}
