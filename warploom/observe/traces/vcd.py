"""Value change dumps: signals in scopes, for waveform viewers such as GTKWave and Surfer.

`gpu` holds the device, below it a scope a core, warp slot or thread, and unit. States, reasons and instructions are strings, which
both viewers show as they stand. A cycle is a nanosecond: the clock rises at its beginning, and the values hold until the next one.

A save file for GTKWave lies beside the dump: it shows the signals in groups from the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from warploom.machine.result import Result
from warploom.observe.needs import needed
from warploom.observe.traces.vocabulary import Percent, device_name, unheard

TIMESCALE = "100 ps"
CYCLE = 10  # of them
STRING = 0  # size of a signal that is a string
ZOOM = -14.0  # GTKWave's, in powers of two: some eighty cycles are seen
MOST_OPEN = 16  # signals of a group that the save file opens
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

    def __init__(self, result: Result, file: IO[str]) -> None:
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


def write(result: Result, file: IO[str], progress: Percent = unheard) -> None:
    """Write a run. progress: called with the percentage that is written.

    Raises ValueError for a run on cores with warps without events, MissingPackage without pyvcd.
    """
    if result.config.core.control == "sequencer":
        from warploom.observe.traces.vcd_steps import write_steps

        write_steps(result, Waves(result, file), progress)
    else:
        from warploom.observe.traces.vcd_warps import write_warps

        write_warps(result, Waves(result, file), progress)
    progress(100)


def write_save(result: Result, file: IO[str], dump: str) -> None:
    """Write the save file. dump: the name of the value change dump that lies beside it."""
    save = needed("vcd.gtkw", "a save file", "traces").GTKWSave(file)
    save.dumpfile(dump, abspath=False)
    save.timestart(0)
    save.zoom_markers(ZOOM)
    save.size(1600, 900)
    save.signals_width(260)
    save.treeopen("gpu")
    save.trace("gpu.clk")
    for scope, signals in _groups(_signals(result)):
        with save.group(".".join(scope[1:]) or scope[0], closed=len(signals) > MOST_OPEN):
            for signal in signals:
                bits = f"[{signal.size - 1}:0]" if signal.size > 1 else ""
                save.trace(".".join((*scope, signal.name)) + bits, alias=f"{scope[-1]} {signal.name}", datafmt=signal.base)


def _signals(result: Result) -> list[Signal]:
    if result.config.core.control == "sequencer":
        from warploom.observe.traces.vcd_steps import signals_of_steps

        return signals_of_steps(result)
    from warploom.observe.traces.vcd_warps import signals_of_warps

    return signals_of_warps(result)


def _groups(signals: list[Signal]) -> Iterator[tuple[tuple[str, ...], list[Signal]]]:
    """Signals by their scope, in the order in which the scopes come first."""
    found: dict[tuple[str, ...], list[Signal]] = {}
    for signal in signals:
        found.setdefault(signal.scope, []).append(signal)
    yield from found.items()
