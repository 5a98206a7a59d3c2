"""The events of a run and its profile, for the views that are made of them."""

from __future__ import annotations

import numpy as np

from warploom.machine.run.result import RunResult


class NoEvents(ValueError):
    """A view needs the events of a run that has written down none."""


def events_of(result: RunResult, purpose: str, run: str = "the run") -> np.ndarray:
    """The events of a run on cores with warps: int64[n, EVENT_COLUMNS], in the order in which they were written down.

    purpose: what needs them, as the beginning of a sentence. run: of what run. Raises NoEvents when it has written down none.
    """
    rows = result.detail.events
    if rows is None or (not len(rows) and result.instructions):
        raise NoEvents(f"{purpose} needs the events of {run}: run it with tracing=True")
    if not len(rows):
        raise NoEvents("no warp has run, so there is nothing to show")
    return rows


def profile_of(result: RunResult, purpose: str) -> np.ndarray:
    """What was counted by instruction: int64[instructions, PROFILE_COLUMNS].

    purpose: what needs it, as the beginning of a sentence. Raises ValueError for cores that run one instruction at a time.
    """
    if result.detail.profile is None:
        raise ValueError(f"{purpose} needs counts by instruction, which are kept by cores with warps: run it on one, as with --gpu sm")
    return result.detail.profile
