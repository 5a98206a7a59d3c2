"""How a run ends: the stop codes of an entry, the outcome, and the refusal to begin."""

from __future__ import annotations

from dataclasses import dataclass

LIMIT, DONE, FAULT, EVENTS_FULL = range(4)  # what an entry returns: why it stopped
STATUS = {LIMIT: "timeout", DONE: "done", FAULT: "error"}


class LaunchError(ValueError):
    """This machine cannot start this program, or not like this. The message says why and what to change."""


@dataclass(frozen=True)
class Outcome:
    """How a run went. status: done, timeout or error. engine: python, native, or "python, native". seconds: wall time."""

    status: str
    engine: str
    seconds: float
