"""Waves: signals of a VCD file and their changes, whatever they show."""

from __future__ import annotations

from typing import IO, Any, NamedTuple

from warploom.machine.run.result import RunResult
from warploom.observe.text.needs import needed
from warploom.observe.traces.vocabulary import device_name

TIMESCALE = "100 ps"
CYCLE = 10  # of them
STRING = 0  # size of a signal that is a string
NOBODY = ""  # the state of a warp slot without a warp


class Signal(NamedTuple):
    """A signal. size: its bits, or STRING. base: how a viewer shows it: "hex", "dec" or "ascii"."""

    scope: tuple[str, ...]
    name: str
    size: int
    base: str = "hex"


def string(scope: tuple[str, ...], name: str) -> Signal:
    """A signal whose values are words."""
    return Signal(scope, name, STRING, "ascii")


class Waves:
    """Writes signals as they change. Times are cycles, and never go back; a value that is the signal's value already is left out."""

    def __init__(self, result: RunResult, file: IO[str]) -> None:
        self._library: Any = needed("vcd.writer", "a value change dump", "traces")
        self._writer = self._library.VCDWriter(
            file, timescale=TIMESCALE, date="", comment=device_name(result), version="warploom", check_values=False
        )
        self._variables: list[Any] = []
        self._clock = self._writer.register_var(("gpu",), "clk", "wire", 1, init=0)

    def add(self, signal: Signal) -> int:
        """A new signal, 0 or "" at first; returns its number. All are added before the first change."""
        if signal.size == STRING:
            variable = self._writer.register_var(signal.scope, signal.name, "string", init="")
        else:
            variable = self._writer.register_var(signal.scope, signal.name, "wire", signal.size, init=0)
        self._variables.append(variable)
        return len(self._variables) - 1

    def rise(self, cycle: int) -> None:
        """A cycle begins."""
        self._writer.change(self._clock, cycle * CYCLE, 1)

    def change(self, number: int, cycle: int, value: int | str) -> None:
        """A signal has this value from `cycle` on."""
        self._writer.change(self._variables[number], cycle * CYCLE, value)

    def fall(self, cycle: int) -> None:
        """Half of a cycle is over: all its changes are written."""
        self._writer.change(self._clock, cycle * CYCLE + CYCLE // 2, 0)

    def close(self, cycle: int) -> None:
        """The run has ended at the beginning of this cycle."""
        self._writer.close(cycle * CYCLE)
