"""Scheduling policies beside the model: every pick of every scheduler."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from warploom.rtl.beside.recorder import Tap, Unit, Watch, Watcher
from warploom.rtl.beside.steps import Step
from warploom.rtl.core.scheduling.policies import GreedyOldest, Oldest, RoundRobin, TwoLevel, Vortex
from warploom.rtl.model import Config, Program, add_warp


class SchedulerWatcher(Watcher):
    """The configured policy. Warps that start are told to it one after the other, which is a cycle of the hardware for each."""

    name = "scheduler"
    HARDWARE: Mapping[str, Any] = {
        "round_robin": RoundRobin,
        "oldest": Oldest,
        "greedy_oldest": GreedyOldest,
        "two_level": TwoLevel,
        "vortex": Vortex,
    }

    def __init__(self, config: Config, program: Program, most: int) -> None:
        super().__init__(config, program, most)
        if self.ages:
            self.takes_longer = "warps that start at once enter the age matrix one per cycle"
        self.starting: dict[str, list[tuple[int, int]]] = defaultdict(list)  # (age, warp)

    @classmethod
    def used_by(cls, config: Config, program: Program) -> bool:
        """Whether the policy has hardware."""
        return config.has.warps and config.core.scheduler in cls.HARDWARE and config.core.divergence != "dwf"

    @property
    def ages(self) -> bool:
        """Whether the policy knows the warps' ages."""
        return self.config.core.scheduler in ("oldest", "greedy_oldest")

    def taps(self) -> Mapping[Unit, Tap]:
        """The start of a warp, and the policy that the machine was handed."""
        return {add_warp: self.start, "policy": self.policy}

    def start(self, s: Any, warp: Any, age: Any) -> Watch:
        """A warp starts in a slot."""
        if self.ages and not self.full:
            self.starting[self.where(s)].append((int(age), int(warp)))
        yield

    def enter(self, where: str) -> None:
        """The warps that have started since the last pick enter the matrix, the oldest first."""
        for _, warp in sorted(self.starting.pop(where, [])):
            self.note(where, Step(self.now, {"start": 1 << warp}))

    def where(self, s: Any) -> str:
        """Which scheduler this is."""
        return f"scheduler {self.number_of(s)}"

    def policy(self, s: Any, now: Any) -> Watch:
        """The policy picks."""
        given = {name: int(getattr(s, name)) for name in ("active", "awake", "eligible", "waiting_memory", "at_barrier")}
        pick = yield
        if not self.full:
            name = self.config.core.scheduler
            inputs = {"vortex": ("active", "awake", "at_barrier"), "two_level": ("active", "eligible", "waiting_memory")}
            drive = {port: given[port] for port in inputs.get(name, ("eligible",))}
            drive |= {} if name == "oldest" else {"issue": 1}
            self.enter(self.where(s))
            found = int(pick)
            before = {"valid": int(found >= 0), "pick": max(found, 0)}
            self.note(self.where(s), Step(int(now), drive, before, self.remembered(s, found)))

    def remembered(self, s: Any, pick: int) -> dict[str, int]:
        """What the policy remembers after its pick. Of the age matrix the picks tell: it has rows of warps that have long ended."""
        name = self.config.core.scheduler
        if name == "vortex":
            return {"visible": int(s.visible)}
        if name == "two_level":
            return {"last": pick, "group": int(s.memory[0])}
        if name == "greedy_oldest":
            return {"last": 1 << pick}
        return {"last": pick} if name == "round_robin" else {}

    def hardware(self) -> Any:
        """The policy for a core's warps."""
        core = self.config.core
        if core.scheduler == "two_level":
            return TwoLevel(core.warps, core.fetch_group, core.schedulers)
        return self.HARDWARE[core.scheduler](core.warps)
