"""A run as one JSON object, for other programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.views import FORMATS, VIEW_BASE, VIEW_BYTES, VIEW_FORMAT, VIEW_HEIGHT, VIEW_WIDTH
from warploom.machine.run.result import RunResult

WHOLE = 1 << 16  # bytes of memory that are always listed


def report(result: RunResult) -> dict[str, Any]:
    """A Result as plain numbers, strings, lists and dicts.

    status: "done", "timeout" or "error". config: every setting by its full name. units: by slot, what stands in it instead of what its
    setting says. memory.data: the bytes after the run, from address 0; after the first 64 KiB the zeros at the end are left out, and
    memory.bytes says how many there are. memory.views: where the program's buffers and images lie in it; type: of a buffer's elements,
    as NumPy calls it, or null where nothing says it. memory.regions: of a program with regions, whose bytes follow one another: the
    address of each and its first byte in memory.data. counters: see `machine.counters`. fault: a sentence, or null. seconds: wall time.
    """
    program = result.program
    body: dict[str, Any] = {
        "isa": program.isa,
        "program": program.name,
        "file": program.source.path,
        "threads": program.launch.threads,
        "gpu": result.config.name,
        "config": result.config.flat(),
        "units": dict(result.units),
        "status": result.status,
        "cycles": result.cycles,
        "instructions": result.instructions,
        "memory": {"bytes": len(result.memory), "data": result.memory[: _end(result.memory)].tolist()},
        "counters": result.counters,
        "fault": result.fault or None,
        "running": list(result.running),
        "remarks": list(result.remarks),
        "console": list(result.console),
        "exit_code": result.exit_code,
        "engine": result.engine,
        "seconds": round(result.seconds, 6),
    }
    if program.regions:
        space = result.space
        body["memory"]["regions"] = {
            region.name: {"address": region.base, "bytes": region.bytes, "first": start}
            for region, start in zip(space.regions, space.starts, strict=True)
        }
    if program.view_names:
        columns = {"address": VIEW_BASE, "bytes": VIEW_BYTES, "width": VIEW_WIDTH, "height": VIEW_HEIGHT}
        body["memory"]["views"] = {
            name: {key: int(view[column]) & 0xFFFFFFFF for key, column in columns.items()}
            | {"format": FORMATS[int(view[VIEW_FORMAT])].name, "type": dtype.name if (dtype := program.element_type(name)) else None}
            for name, view in zip(program.view_names, program.views, strict=False)
        }
    return body


def _end(memory: np.ndarray) -> int:
    """Where the bytes end that are listed: a memory of 64 MiB that holds a hundred numbers would be a long list of zeros."""
    beyond = np.flatnonzero(memory[WHOLE:])
    return min(len(memory), WHOLE + (int(beyond[-1]) + 1 if len(beyond) else 0))
