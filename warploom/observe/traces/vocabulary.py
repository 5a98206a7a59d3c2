"""Names for what the machine writes down as numbers, and the few things that all trace files say in the same way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warploom.isa.program import Program
from warploom.machine.controller import IDLE as CHANNEL_IDLE
from warploom.machine.controller import READ_RELAY, READ_WAIT, WRITE_RELAY, WRITE_WAIT
from warploom.machine.result import Result

# Called with the percentage that is written.
Percent = Callable[[int], None]

# Column B of a request, and of a lookup of the second cache.
OUTCOMES = ("hit", "miss", "merged", "store", "passed on")
HIT, MISS, MERGED, STORE, PASSED_ON = range(len(OUTCOMES))

CHANNEL_STATES = {
    CHANNEL_IDLE: "idle",
    READ_WAIT: "read: memory works",
    WRITE_WAIT: "write: memory works",
    READ_RELAY: "read: hands over",
    WRITE_RELAY: "write: hands over",
}
FETCHER_STATES = ("idle", "fetching", "fetched", "looking up")
LSU_STATES = ("idle", "requesting", "waiting", "done")


def unheard(percent: int) -> None:
    """Progress that nobody looks at."""


def instruction(program: Program, pc: int) -> str:
    """The canonical text of an instruction; where there is none, its number."""
    return program.text[pc] if 0 <= pc < len(program.text) else f"instruction {pc}"


def device_name(result: Result) -> str:
    """The program and the machine, for a heading."""
    return f"{result.program.name} on {result.config.name}"


def events_of(result: Result) -> np.ndarray:
    """The events of a run on cores with warps: int64[n, EVENT_COLUMNS]. Raises ValueError when it has written down none."""
    rows = result.detail.get("events")
    if rows is None or not len(rows):
        raise ValueError("a trace file needs the events of the run: run it with tracing=True")
    return rows


def lanes(mask: int) -> str:
    """A mask as hexadecimal digits."""
    return f"0x{mask & (1 << 64) - 1:x}"
