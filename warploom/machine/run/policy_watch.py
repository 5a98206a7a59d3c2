"""A scheduling policy of a user's that never picks a warp: nothing is issued although a warp could be, for ever.

Not hardware: a select tree always picks one of its requests. How it is found: at two checks some thousand cycles apart a warp can issue,
and nothing has been issued in between, by any warp. No machine makes a warp wait so long that can issue; a policy that does has no use.
Machines whose policy is one of ours are not watched.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from warploom.machine.accounting import reasons as r
from warploom.machine.engine.unit import FOREVER
from warploom.machine.run.livelock import LivelockDetector, Watched

SLOT = "scheduler"
SPAN = 1 << 12  # cycles between two checks


class Scheduled(Watched, Protocol):
    """What is read of a machine besides."""

    profile: np.ndarray

    @property
    def users_units(self) -> Mapping[str, Callable[..., Any]]:
        """A user's own units by their slots."""


def detector_of(machine: Scheduled) -> LivelockDetector:
    """What finds out that a machine's run can never end."""
    return PolicyWatch(machine) if SLOT in machine.users_units else LivelockDetector(machine)


class PolicyWatch(LivelockDetector):
    """The livelock detector, which looks at the policy of a user's too. The next check is the earlier one of the two."""

    def __init__(self, machine: Scheduled) -> None:
        self._of_livelock, self._of_policy = FOREVER, SPAN
        self._issued, self._could = -1, np.zeros(0, np.uint64)
        super().__init__(machine)
        self._scheduled = weakref.proxy(machine)

    @property
    def next_check(self) -> int:
        """The cycle before which `check` need not be called again."""
        return min(self._of_livelock, self._of_policy)

    @next_check.setter
    def next_check(self, cycle: int) -> None:
        self._of_livelock = cycle

    def check(self) -> bool:
        """Examine the machine, in a cycle from `next_check` on. True: it never ends, which is now its fault."""
        now = self.machine.cycle
        if now >= self._of_policy and self._picks_none(now):
            return True
        return now >= self._of_livelock and super().check()

    def snapshot(self) -> tuple[Any, ...]:
        """What it has seen so far, for `restore`."""
        return super().snapshot(), self._of_livelock, self._of_policy, self._issued, self._could.copy()

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to what it had seen when the snapshot was taken."""
        inner, self._of_livelock, self._of_policy, self._issued, could = snapshot
        due = self._of_livelock
        super().restore(inner)
        self._of_livelock, self._could = due, could.copy()

    def _picks_none(self, now: int) -> bool:
        """Whether a warp could issue now and at the last check, and nothing has been issued since."""
        issued = int(self._scheduled.profile[:, r.ISSUES].sum())
        warps = self.machine.cores["warps"]
        runs = warps["active"] & warps["awake"] & ~warps["draining"]  # what a scheduler was shown last may be old: it sleeps when they do
        can = self.machine.cores["schedulers"]["eligible"] & runs[:, None]
        left = can & self._could if issued == self._issued else np.zeros(0, np.uint64)
        if left.any():
            self._stop_for(left, now)
            return True
        self._issued, self._could, self._of_policy = issued, can, now + SPAN
        return False

    def _stop_for(self, left: np.ndarray, now: int) -> None:
        core, scheduler = (int(place[0]) for place in left.nonzero())
        mask = int(left[core, scheduler])
        warp = (mask & -mask).bit_length() - 1
        warps = self.machine.cores["warps"]
        self.end("no_pick", (core, warp), warps["pc"][core, warp], warps["mask"][core, warp], SPAN, now)
