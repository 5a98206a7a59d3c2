"""What kernels have printed: the notes of a run as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from warploom.isa.c.printf import written
from warploom.kernel.launch.notes import in_dimensions
from warploom.ptx.notes import Printed, Stopped
from warploom.result import Result


def printed(result: Result, table: Sequence[Any], string: Callable[[int], str]) -> str:
    """The text of all printf calls, in the order of cycles. string: the text at an address of the device's memory."""
    made = []
    for note in result.notes:
        row = table[note.number]
        if isinstance(row, Stopped):
            launch = result.program.launch
            block, thread = in_dimensions(note.block, launch.grid_dims), in_dimensions(note.thread, launch.block_dims)
            made.append(f"{row.text}: block {list(block)}, thread {list(thread)}\n")
        elif isinstance(row, Printed):
            made.append(_line(row, list(note.values), string))
    if result.notes_lost:
        made.append(f"... and {result.notes_lost} more values that were printed are lost: the log was full\n")
    return "".join(made)


def _line(row: Printed, words: list[int], string: Callable[[int], str]) -> str:
    values: list[Any] = []
    for kind in row.kinds:
        low, high = words.pop(0), words.pop(0)
        bits = np.array([high << 32 | low], np.uint64)
        if kind == "f64":
            values.append(float(bits.view(np.float64)[0]))
        else:
            values.append(string(int(low)) if kind == "text" else int(bits.view(np.int64)[0]))
    return written(row.format, iter(values))
