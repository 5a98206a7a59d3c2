"""Names for what the machine writes down as numbers, and the few things that all trace files say in the same way."""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.program import Program
from warploom.machine.run.result import RunResult
from warploom.machine.sequencer.controller import IDLE as CHANNEL_IDLE
from warploom.machine.sequencer.controller import READ_RELAY, READ_WAIT, WRITE_RELAY, WRITE_WAIT

# Called with the percentage that is written.
Percent = Callable[[int], None]

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


def device_name(result: RunResult) -> str:
    """The program and the machine, for a heading."""
    return f"{result.program.name} on {result.config.name}"


def lanes(mask: int) -> str:
    """A mask as hexadecimal digits."""
    return f"0x{mask & (1 << 64) - 1:x}"
