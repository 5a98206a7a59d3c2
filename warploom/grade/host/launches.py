"""What the launches of a program cost, what they leave in memory, and whether a printed result stands there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from warploom.checks.report.findings import Finding
from warploom.grade.runs import Stopped, figures_of
from warploom.result import Result

PEAKS = ("shared_bytes", "registers", "occupancy")
MOST_LAUNCHES = 1000
MOST_KEPT = 256 << 20  # bytes of memory that launches have left
MOST_PLACES = 1000  # at which a result is looked for in an array
PRINTED = 1e-4  # relative: of a number that a program prints, six digits are usual


@dataclass
class Launches:
    """All of one run. most_cycles: of all launches together. left: by array the bytes that the last launch that changed it has left."""

    most_cycles: int
    count: int = 0
    figures: dict[str, float] = field(default_factory=dict)
    left: dict[Any, tuple[np.ndarray, np.dtype[Any] | None]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def cycles_left(self) -> int:
        """Cycles that the next launch may take. Raises Stopped for none, and after too many launches."""
        left = self.most_cycles - int(self.figures.get("cycles", 0))
        if left <= 0:
            raise Stopped(f"its launches took more than {self.most_cycles} cycles together")
        if self.count >= MOST_LAUNCHES:
            raise Stopped(f"it launches more than {MOST_LAUNCHES} kernels")
        return left

    def ran(self, result: Result) -> None:
        """A launch has ended."""
        self.count += 1
        for name, figure in figures_of(result, result.program).items():
            known = self.figures.get(name, 0)
            self.figures[name] = max(known, figure) if name in PEAKS else known + figure

    def found(self, findings: Iterable[Finding]) -> None:
        """What a check of a launch has found; what an earlier launch had too is there once."""
        known = {(one.kind, one.message) for one in self.findings}
        self.findings += [one for one in findings if (one.kind, one.message) not in known]

    def note(self, arrays: Iterable[tuple[Any, np.ndarray, np.ndarray, np.dtype[Any] | None]]) -> None:
        """What a launch has changed: a name for each array, its bytes before and after, and the type of its items where that is known."""
        for name, before, after, dtype in arrays:
            if not np.array_equal(before, after):
                self.left[name] = after, dtype
        while sum(len(data) for data, _ in self.left.values()) > MOST_KEPT:
            del self.left[next(iter(self.left))]

    def hold(self, values: np.ndarray) -> bool:
        """Whether a launch has left these values one after the other somewhere. Those that are all the same may have stood there before."""
        wanted = values.reshape(-1)
        if not len(wanted) or ((wanted == wanted[0]).all() and len(wanted) > 1):
            return self.count > 0
        return any(_stands_in(wanted, data.view(np.uint8), dtype or wanted.dtype) for data, dtype in self.left.values())


def _stands_in(wanted: np.ndarray, data: np.ndarray, dtype: np.dtype[Any]) -> bool:
    if dtype.kind not in "iufb":
        return False
    kept = data[: len(data) // dtype.itemsize * dtype.itemsize].view(dtype)
    with np.errstate(all="ignore"):
        tolerance = PRINTED if dtype.kind == "f" or wanted.dtype.kind == "f" else 0.0
        places = np.flatnonzero(np.isclose(kept[: max(len(kept) - len(wanted) + 1, 0)], wanted[0], tolerance, 1e-6, equal_nan=True))
        return any(
            bool(np.isclose(kept[place : place + len(wanted)], wanted, tolerance, 1e-6, equal_nan=True).all())
            for place in places[:MOST_PLACES]
        )
