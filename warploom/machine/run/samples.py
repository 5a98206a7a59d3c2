"""Samples: a few short stretches of a run, written down as its pieces are, to know what all of it would take.

Not hardware. The run is repeated once, at full speed between the stretches.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from warploom.machine.run.compile import entry_call
from warploom.machine.run.pieces import LEAD, Piece, record_piece, run_up_to
from warploom.machine.run.recording import Selection
from warploom.machine.run.result import RunResult


class Stretch(NamedTuple):
    """Where a sample begins, and how many cycles it has."""

    first: int
    cycles: int


def samples(result: RunResult, stretches: Sequence[Stretch], selection: Selection | None = None) -> Iterator[tuple[Piece, float]]:
    """The stretches of a run of cores with warps, and the seconds that each has taken. They follow one another and do not overlap.

    A piece covers its cycles and no more on either side: what is on its way there has no beginning, or no end.
    """
    assert result.rebuild is not None
    machine: Any = result.rebuild(tracing=True, recording=True)
    with np.errstate(all="ignore"):
        call = entry_call(machine, "native" if "native" in result.engine else "python")
        for first, cycles in stretches:
            machine.recorder = None
            run_up_to(machine, call, first, None)
            begun = time.process_time()
            piece = record_piece(machine, call, result, machine.cycle, first + cycles - LEAD, selection)
            yield piece, time.process_time() - begun
