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
CHUNK = 1 << 20  # items that are compared at a time
PRINTED = 1e-4  # relative: of a number that a program prints, six digits are usual


@dataclass
class Launches:
    """All of one run. most_cycles: of all launches together. left: by array what launches that changed it have left, the last one last."""

    most_cycles: int
    count: int = 0
    figures: dict[str, float] = field(default_factory=dict)
    left: dict[Any, list[tuple[np.ndarray, np.dtype[Any] | None]]] = field(default_factory=dict)
    kept: int = 0  # bytes in `left`
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
                self.left.setdefault(name, []).append((after, dtype))
                self.kept += len(after)
        while self.kept > MOST_KEPT:
            self._forget()

    def _forget(self) -> None:
        """Forget one state: the oldest of the array that has most, so that the last of each stays as long as it can."""
        name = max(self.left, key=lambda one: len(self.left[one]))  # the first of equals
        data, _ = self.left[name].pop(0)
        self.kept -= len(data)
        if not self.left[name]:
            del self.left[name]

    def hold(self, values: np.ndarray, tolerance: float = 0.0) -> bool:
        """Whether a launch has left these values one after the other somewhere. Those that are all the same may have stood there before.

        tolerance: of the output, relative and absolute.
        """
        wanted = values.reshape(-1)
        if not len(wanted) or ((wanted == wanted[0]).all() and len(wanted) > 1):
            return self.count > 0
        states = [one for array in self.left.values() for one in reversed(array)]
        types = _types(wanted)
        return any(
            _stands_in(wanted, data.view(np.uint8), one, tolerance) for data, dtype in states for one in ([dtype] if dtype else types)
        )


def _types(wanted: np.ndarray) -> list[np.dtype[Any]]:
    """As what values may stand in memory of which nobody says the type: a program prints a float as a double, and an int as a long.

    A single value is not looked for in one or two bytes, where it would be found by chance.
    """
    if wanted.dtype.kind not in "iufb":
        return []
    small = len(wanted) > 1
    floats = [np.dtype(one) for one in ("f4", "f8", *(["f2"] if small else []))]
    with np.errstate(all="ignore"):
        if wanted.dtype.kind == "f" and not (np.isfinite(wanted) & (wanted == np.rint(wanted))).all():
            return floats
        most = int(wanted.max())
    whole = [np.dtype(f"{'u' if most >> (8 * size - 1) > 0 else 'i'}{size}") for size in (4, 8, *((2, 1) if small else ()))]
    return floats + whole if wanted.dtype.kind == "f" else whole + floats


def _stands_in(wanted: np.ndarray, data: np.ndarray, dtype: np.dtype[Any], tolerance: float) -> bool:
    if dtype.kind not in "iufb":
        return False
    kept = data[: len(data) // dtype.itemsize * dtype.itemsize].view(dtype)
    relative = max(tolerance, PRINTED if dtype.kind == "f" or wanted.dtype.kind == "f" else 0.0)
    absolute = max(tolerance, 1e-6)
    last, tried = len(kept) - len(wanted) + 1, 0
    with np.errstate(all="ignore"):
        for first in range(0, last, CHUNK):
            places = first + np.flatnonzero(
                np.isclose(kept[first : min(first + CHUNK, last)], wanted[0], relative, absolute, equal_nan=True)
            )
            for place in places[: MOST_PLACES - tried]:
                if np.isclose(kept[place : place + len(wanted)], wanted, relative, absolute, equal_nan=True).all():
                    return True
            tried += len(places)
            if tried >= MOST_PLACES:
                break
    return False
