"""What a run works on beside the state of the hardware, and with which units: two bundles that every part of a core is handed.

`Tables` are arrays that are made before the first cycle and stay where they are: the program, memory, and what is written down.
`Units` are functions that a run chooses: a scheduling policy of the user's, or a memory stage only where a program touches memory.
Native code is compiled for each of them alone, and calls them through pointers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.isa.program import SAMPLER_COLUMNS, VIEW_COLUMNS
from warploom.isa.uop import CODE_COLUMNS, UOP_COLUMNS
from warploom.machine.events import EVENT_COLUMNS
from warploom.machine.reasons import PROFILE_COLUMNS


class Tables(NamedTuple):
    """The arrays of a run; None for those that a machine has no use for."""

    uops: np.ndarray | None = None  # int32[micro-ops, UOP_COLUMNS]
    code: np.ndarray | None = None  # int32[instructions, CODE_COLUMNS]
    views: np.ndarray | None = None  # int32[views, VIEW_COLUMNS]: buffers and images in memory
    samplers: np.ndarray | None = None  # int32[samplers, SAMPLER_COLUMNS]
    memory: np.ndarray | None = None  # uint32[words]
    profile: np.ndarray | None = None  # int64[instructions, PROFILE_COLUMNS]
    events: np.ndarray | None = None  # int64[rows, EVENT_COLUMNS]


# Element type and columns of each table, in the order of the fields; no columns: a row of numbers.
LAYOUT: dict[str, tuple[Any, int]] = {
    "uops": (np.int32, UOP_COLUMNS),
    "code": (np.int32, CODE_COLUMNS),
    "views": (np.int32, VIEW_COLUMNS),
    "samplers": (np.int32, SAMPLER_COLUMNS),
    "memory": (np.uint32, 0),
    "profile": (np.int64, PROFILE_COLUMNS),
    "events": (np.int64, EVENT_COLUMNS),
}  # fmt: skip


class Units(NamedTuple):
    """The units of a run that are handed over by pointer; None for those that a machine has no use for."""

    execute: Any = None  # alu.py
    policy: Any = None  # scheduler.py
    control: Any = None  # control.py
    access: Any = None  # memory_stage.py
    sampler: Any = None  # memory_stage.py
    load_store: Any = None  # lsu.py
    memory_system: Any = None  # memory_system.py
    step: Any = None  # pipeline.py
