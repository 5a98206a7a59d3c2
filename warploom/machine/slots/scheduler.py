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


def any_number(result: Any, s: Any, now: Any) -> bool:
    """A warp slot that is not there is a fault of the machine, which says so in the words of the run."""
    return True


def policy_socket(policy: Callable[..., int]) -> Socket:
    """A user's policy, as `units.policy`."""
    kinds = ((NUMBER, (Scheduler, NUMBER)),)
    return Socket("scheduler", policy, kinds, any_number, "a policy returns the number of a warp slot, or -1 for none")


def swaps(policy: Callable[..., int]) -> Swaps:
    """A policy of ours asks for none of the instructions; a user's may."""
    return ((show_instructions, show_instructions_of_warps),)


DOOR = Door(swaps)
