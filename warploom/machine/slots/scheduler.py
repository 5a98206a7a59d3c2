"""The slot of the warp scheduler's policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.machine.core.cycle import show_instructions, show_instructions_of_warps
from warploom.machine.core.scheduling.scheduler import Scheduler
from warploom.machine.engine.swaps import Socket, Swaps
from warploom.machine.slots.slot import Door

NUMBER = np.dtype(np.int64)


def is_a_slot(result: Any, s: Any, now: Any) -> bool:
    """Whether a result is a warp slot of the core, or -1 for none. A warp that cannot issue may be named: it wastes the issue slot."""
    return bool(-1 <= result < s.warps)


def policy_socket(policy: Callable[..., int]) -> Socket:
    """A user's policy, as `units.policy`."""
    kinds = ((NUMBER, (Scheduler, NUMBER)),)
    return Socket("scheduler", policy, kinds, is_a_slot, "a policy returns the number of a warp slot, 0 to s.warps - 1, or -1 for none")


def swaps(policy: Callable[..., int]) -> Swaps:
    """A built-in policy does not read the instructions; a user's may."""
    return ((show_instructions, show_instructions_of_warps),)


DOOR = Door(swaps)
