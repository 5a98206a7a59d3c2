"""How a run ends: the stop codes of an entry, the outcome, and the refusal to begin."""

from __future__ import annotations

from dataclasses import dataclass

LIMIT, DONE, FAULT, EVENTS_FULL = range(4)  # what an entry returns: why it stopped
STATUS = {LIMIT: "timeout", DONE: "done", FAULT: "error"}


class LaunchError(ValueError):
    """This machine cannot run this program as launched. The message says why and what to change."""


class TooManyEvents(ValueError):
    """A traced run has written down more than is kept in memory. The message says how much that is and what to do."""


@dataclass(frozen=True)
class Outcome:
    """How a run went. status: done, timeout or error. engine: python, native, or "python, native". seconds: wall time."""

    status: str
    engine: str
    seconds: float
