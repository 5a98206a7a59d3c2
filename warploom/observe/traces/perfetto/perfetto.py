"""Perfetto's own trace format: tracks of slices, counters and arrows, for ui.perfetto.dev and its SQL.

A track a device, core, scheduler and warp, each below the one that it belongs to. 1 cycle is 1 microsecond. Slices are what a
warp did: a block around its instructions and its waits. Arrows lead from a load to the fill that it waited for.

The message definitions are those of the package `perfetto`, made by Perfetto's authors; only its protobuf classes are used.
"""

from __future__ import annotations

from typing import IO

from warploom.machine.run.result import RunResult
from warploom.observe.traces.perfetto.steps import write_steps
from warploom.observe.traces.perfetto.tracks import Tracks
from warploom.observe.traces.perfetto.warps import write_warps
from warploom.observe.traces.vocabulary import Percent, device_name, unheard
from warploom.observe.traces.windows import Source, source_of


def write(result: RunResult, file: IO[bytes], progress: Percent = unheard, source: Source | None = None) -> None:
    """Write a run. progress: called with the percentage that is written. source: the events of cores with warps, where the run has none.

    Raises ValueError for a run on cores with warps without events, MissingPackage without the package perfetto.
    """
    tracks = Tracks(file)
    tracks.device(device_name(result))
    if result.has.steps:
        write_steps(result, tracks, progress)
    else:
        write_warps(result, source_of(result, source), tracks, progress)
    tracks.flush()
