"""What a run works on beside the state of the hardware, and with which units: two bundles that every part of a core is handed.

`Tables` are arrays that are made before the first cycle and stay where they are: the program, memory, and what is written down.
`Units` are functions that a run chooses: a scheduling policy of the user's, or a memory stage only where a program touches memory.
Native code is compiled for each of them alone, and calls them through pointers.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from warploom.isa.regions import REGION_COLUMNS
from warploom.isa.uop import CODE_COLUMNS, UOP_COLUMNS
from warploom.isa.views import SAMPLER_COLUMNS, VIEW_COLUMNS
from warploom.machine.accounting.events import EVENT_COLUMNS
from warploom.machine.accounting.notes import NOTE_COLUMNS
from warploom.machine.accounting.reasons import PROFILE_COLUMNS
from warploom.machine.engine.native.piece import Bundle
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS


class _Tables(NamedTuple):
    uops: np.ndarray | None = None  # int32[micro-ops, UOP_COLUMNS]
    code: np.ndarray | None = None  # int32[instructions, CODE_COLUMNS]
    views: np.ndarray | None = None  # int32[views, VIEW_COLUMNS]: buffers and images in memory
    samplers: np.ndarray | None = None  # int32[samplers, SAMPLER_COLUMNS]
    memory: np.ndarray | None = None  # uint32[words]: all memory, as the host keeps it
    regions: np.ndarray | None = None  # int64[regions, REGION_COLUMNS]: which addresses have memory, and where the host keeps it
    notes: np.ndarray | None = None  # int64[rows, NOTE_COLUMNS]: what the program writes on the log of its run
    profile: np.ndarray | None = None  # int64[instructions, PROFILE_COLUMNS]
    events: np.ndarray | None = None  # int64[rows, EVENT_COLUMNS]
    shadow: np.ndarray | None = None  # of a run with checks, as the rest: warploom/checks/shadow.py says what they hold
    runs: np.ndarray | None = None
    seen: np.ndarray | None = None
    warps: np.ndarray | None = None
    threads: np.ndarray | None = None
    blocks: np.ndarray | None = None
    known: np.ndarray | None = None
    gathered: np.ndarray | None = None
    chains: np.ndarray | None = None
    readers: np.ndarray | None = None
    findings: np.ndarray | None = None
    uses: np.ndarray | None = None  # of one that may read registers which nobody has written: warploom/checks/registers.py
    written: np.ndarray | None = None
    orders: np.ndarray | None = None  # of a run with checks: warploom/checks/atomic_orders.py
    functions: np.ndarray | None = None  # uint32[words]: tables of the special function unit
    signals: np.ndarray | None = None  # of a core that runs one instruction at a time: sequencer/decoder.py


class Tables(_Tables, Bundle):
    """The arrays of a run; None for those that a machine has no use for."""

    __slots__ = ()
    layout: ClassVar[Mapping[str, tuple[Any, int]]] = {
        "uops": (np.int32, UOP_COLUMNS),
        "code": (np.int32, CODE_COLUMNS),
        "views": (np.int32, VIEW_COLUMNS),
        "samplers": (np.int32, SAMPLER_COLUMNS),
        "memory": (np.uint32, 0),
        "regions": (np.int64, REGION_COLUMNS),
        "notes": (np.int64, NOTE_COLUMNS),
        "profile": (np.int64, PROFILE_COLUMNS),
        "events": (np.int64, EVENT_COLUMNS),
        "shadow": (np.int64, 8),
        "runs": (np.int64, 8),
        "seen": (np.int64, MAX_LANES),
        "warps": (np.int64, 8 + 2 * MAX_LANES),
        "threads": (np.int64, 20),
        "blocks": (np.int64, 20),
        "known": (np.int64, MAX_WARPS),
        "gathered": (np.int64, MAX_WARPS + 6),
        "chains": (np.int64, 0),
        "readers": (np.int64, 4),
        "findings": (np.int64, 20),
        "uses": (np.int64, 15),
        "written": (np.int64, 0),
        "orders": (np.int64, 0),
        "functions": (np.uint32, 0),
        "signals": (np.int32, 12),
    }  # fmt: skip


class _Units(NamedTuple):
    execute: Any = None  # datapath/alu.py
    policy: Any = None  # core/scheduling/scheduler.py
    control: Any = None  # core/control.py
    access: Any = None  # core/units/memory_stage.py
    sampler: Any = None  # core/units/texture_access.py
    translate: Any = None  # core/load_store/address_space.py
    wide: Any = None  # core/load_store/wide_access.py
    step: Any = None  # core/cycle.py
    watch: Any = None  # warploom/checks/watch.py


class Units(_Units, Bundle):
    """The units of a run that are handed over by pointer; None for those that a machine has no use for."""

    __slots__ = ()


def units_with(names: Iterable[str]) -> Any:
    """A class of `Units` that has further members: functions that rows of units name."""
    more = tuple(names)
    fields = (*_Units._fields, *more)
    name = "_".join(("Units", *more))  # native code tells bundles apart by the names of their classes
    base: Any = namedtuple(name, fields, defaults=(None,) * len(fields))  # type: ignore[misc]
    return type(name, (base, Bundle), {"__slots__": (), "__module__": __name__})
