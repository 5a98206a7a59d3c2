"""Units that are several functions: one class a slot, with a field for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Replacement(NamedTuple):
    """A replacement policy. s: the policy's record of a cache, see docs/replacement.md.

    hit: `hit(s, set, way, now)`, a line that is there is used. fill: `fill(s, set, way, now)`, a new line is put into a way.
    victim: `victim(s, set) -> way`, the way of a full set whose line goes.
    """

    hit: Callable[..., Any]
    fill: Callable[..., Any]
    victim: Callable[..., int]


class Mechanism(NamedTuple):
    """A divergence mechanism. paths, warps: the records of a core, see docs/mechanism.md.

    select: `select(paths, warps, warp)`, after each instruction of a warp whose lanes have diverged: which path runs.
    branch: `branch(paths, warps, warp, taken, target, reconvergence_pc)`, lanes disagree at a branch; None: one side runs, the other is
    ready. backward: `backward(paths, warps, warp, yields, waits)`, the lanes that run have jumped back, or yield; None: they continue.
    """

    select: Callable[..., Any]
    branch: Callable[..., Any] | None = None
    backward: Callable[..., Any] | None = None
