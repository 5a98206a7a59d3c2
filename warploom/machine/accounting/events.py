"""Events: what a traced run writes down.

One row per event, `int64[n, EVENT_COLUMNS]`, in a buffer that is allocated once. When it is nearly full the run stops between two cycles,
the driver takes the rows away, and the run continues. Without tracing an event costs one comparison.

What the kinds are and which fields they have stands in `event_kinds.py`. A unit writes one with the kind's `emit_`, whose arguments are
the kind's fields: `emit_launch(gpu.log, tables, now, core.number, warp, pc, lanes, block, rank)`. A view reads them by name:
`of_kind(rows, LAUNCH)["block"]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.machine.accounting.event_kinds import (
    CORE,
    EVENT_COLUMNS,  # noqa: F401  (views take it from here)
    EVENT_KINDS,
    FATES,
    KIND,
    MASK,
    NOT_SAID,
    OUTCOMES,
    PC,
    TIME,
    VISITS,
    WARP,
    layout_of,
)
from warploom.machine.engine.sizes import WHEEL_EVENTS
from warploom.machine.engine.unit import inlined, out_of_line

KINDS = tuple(kind.name for kind in EVENT_KINDS)
(ISSUE, STALL, LAUNCH, END, VISIT, PIPE, REQUEST, FILL, COMPLETE, L2, MEMORY, BARRIER, BLOCK,
 QUAD, FRAGMENT, DEPTH, COLOR) = range(len(KINDS))  # fmt: skip

WAITS, LACKS_UNIT, EMPTY_SLOT = range(len(VISITS))  # `outcome` of a visit
HIT, MISS, MERGED, STORE, PASSED_ON = range(len(OUTCOMES))  # `outcome` of a request, and of a lookup in the second-level cache
DRAWN, FAILED_STENCIL, FAILED_DEPTH = range(len(FATES))  # `fate` of a fragment
BLOCK_STARTS, BLOCK_ENDS = range(2)  # `ends` of a block

# Rows that one cycle can write at most. When fewer are left the run stops, and the driver empties the buffer.
# A core: 12 a scheduler, 3 a warp, 2 a transaction, 1 an access that completes and 3 a lane that draws. The memory system: 1 for each
# event of the wheel, and for what follows from it in the same cycle.
ROWS_A_CYCLE = 64 * 12 + 64 * 3 + (64 + 512) * 2 + 2 * 64 + 3 * 64
MEMORY_ROWS_A_CYCLE = 3 * WHEEL_EVENTS


@out_of_line
def append(log, tables, time, kind, core, warp, pc, mask, first, second):
    """Append one row. `log` is the record that counts the rows; the caller has checked `log.tracing`."""
    events = tables.events
    row = log.rows
    events[row, TIME] = time
    events[row, KIND] = kind
    events[row, CORE] = core
    events[row, WARP] = warp
    events[row, PC] = pc
    events[row, MASK] = np.int64(mask)
    events[row, MASK + 1] = first
    events[row, MASK + 2] = second
    log.rows = row + 1


def emitter(kind: int) -> Callable[..., None]:
    """The unit that writes an event of a kind: (log, tables, then the kind's fields in their order); the caller has checked `log.tracing`.

    Its text is written when this module is imported, so a kind costs what a call of `append` by hand does.
    """
    about = EVENT_KINDS[kind]
    name, fields = f"emit_{about.name}", {field.place: field.name for field in about.fields} | {KIND: str(kind)}
    row = ", ".join(fields.get(place, str(value)) for place, value in enumerate(NOT_SAID))
    parameters = ", ".join(["log", "tables", *(field.name for field in about.fields)])
    found: dict[str, Any] = {}
    exec(compile(f"def {name}({parameters}):\n    append(log, tables, {row})\n", f"<emit of {__name__}>", "exec"), globals(), found)
    made: Callable[..., None] = found[name]
    made.__doc__ = f"Write down: {about.meaning}."
    return inlined(made)


(
    emit_issue,
    emit_stall,
    emit_launch,
    emit_end,
    emit_visit,
    emit_pipe,
    emit_request,
    emit_fill,
    emit_complete,
    emit_l2,
    emit_memory,
    emit_barrier,
    emit_block,
    emit_quad,
    emit_fragment,
    emit_depth,
    emit_color,
) = (emitter(kind) for kind in range(len(KINDS)))


def row_of(kind: int, **fields: int) -> tuple[int, ...]:
    """An event as a row, from all of its fields. Raises KeyError for a field that the kind has not, ValueError when one is missing."""
    about = EVENT_KINDS[kind]
    places = {about.field(name).place: value for name, value in fields.items()} | {KIND: kind}
    if missing := [field.name for field in about.fields if field.place not in places]:
        raise ValueError(f"an event {about.name!r} lacks {', '.join(missing)}")
    return tuple(places.get(place, value) for place, value in enumerate(NOT_SAID))


def belonging_to(whom: str) -> list[int]:
    """The kinds whose events belong to a "warp", a "core" or the "device"."""
    return [number for number, kind in enumerate(EVENT_KINDS) if kind.of == whom]


def named(rows: np.ndarray, kind: int) -> np.ndarray:
    """Rows as records with the fields of a kind, each int64[n]: `named(rows, ISSUE)["after"]`. Nothing is copied; all rows are kept."""
    return np.ascontiguousarray(rows).view(layout_of(kind)).reshape(-1)


def of_kind(rows: np.ndarray, kind: int) -> np.ndarray:
    """The events of one kind among rows, as records with its fields."""
    return named(rows[rows[:, KIND] == kind], kind)
