"""Value change dumps: signals in scopes, for waveform viewers such as GTKWave and Surfer.

`gpu` holds the device, below it a scope a core, warp slot or thread, and unit. States, reasons and instructions are strings, which
both viewers show as they stand. A cycle is a nanosecond: the clock rises at its beginning, and the values hold until the next one.

A save file for GTKWave lies beside the dump: it shows the signals in groups from the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from warploom.machine.run.result import RunResult
from warploom.observe.text.needs import needed
from warploom.observe.traces.vcd.steps import signals_of_steps, write_steps
from warploom.observe.traces.vcd.warps import Courses, write_warps
from warploom.observe.traces.vcd.waves import Signal, Waves
from warploom.observe.traces.vocabulary import Percent, unheard
from warploom.observe.traces.windows import Source, source_of

ZOOM = -14.0  # GTKWave's, in powers of two: some eighty cycles are seen
MOST_OPEN = 16  # signals of a group that the save file opens


def write(result: RunResult, file: IO[str], progress: Percent = unheard, source: Source | None = None) -> None:
    """Write a run. progress: called with the percentage that is written. source: the events of cores with warps, where the run has none.

    Raises ValueError for a run on cores with warps without events, MissingPackage without pyvcd.
    """
    if result.has.steps:
        write_steps(result, Waves(result, file), progress)
    else:
        write_warps(result, source_of(result, source), Waves(result, file), progress)
    progress(100)


def write_save(result: RunResult, file: IO[str], dump: str) -> None:
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


def _signals(result: RunResult) -> list[Signal]:
    if result.has.steps:
        return signals_of_steps(result)
    return Courses(result.config, result.program).signals


def _groups(signals: list[Signal]) -> Iterator[tuple[tuple[str, ...], list[Signal]]]:
    """Signals by their scope, in the order in which the scopes come first."""
    found: dict[tuple[str, ...], list[Signal]] = {}
    for signal in signals:
        found.setdefault(signal.scope, []).append(signal)
    yield from found.items()
