# mypy: disable-error-code="no-untyped-def"
"""Fences that take a time of their own: the way to the level that they are for, and back, whatever the warp has on its way.

In hardware: a fence is sent down the memory system behind the warp's accesses, and the warp waits for its answer. Where a preset says
what that takes (`core.fence_device`, `core.fence_block`), the time begins when the warp comes to its fence.
"""

from __future__ import annotations

from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import inlined, record

Fences = record(
    state=dict(
        at=("i4", MAX_WARPS),     # [warp] instruction number + 1 of the fence that it is at
        until=("i8", MAX_WARPS),  # [warp] first cycle in which that may issue
    ),
)  # fmt: skip


@inlined
def begin_fence(fences, warp, pc, until):
    """A warp comes to the fence at `pc`, or is asked about it again."""
    if fences.at[warp] != pc + 1:
        fences.at[warp], fences.until[warp] = pc + 1, until


@inlined
def leave_fence(fences, warp):
    """The warp is at no fence: it has passed, or begins."""
    fences.at[warp] = 0
