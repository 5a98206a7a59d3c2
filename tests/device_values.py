"""What a real H100 answered to 150 expressions over edge values and random ones, and what a kernel of ours answers.

The recording: `tests/golden/h100/values.json` (expression, and which arrays are its operands and results) and `values.npz` (the arrays, a
result for each lane), measured with numba-cuda 0.30.4 and ptxas 13.0.

    python -m tests.device_values [CASE]...    print what is not the same bits
"""

from __future__ import annotations

import json
import linecache
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tests.places import GOLDEN
from warploom.gpu import GPU

RECORDING = GOLDEN / "h100"
PRESET = "h100"
CORES = 4  # of the multiprocessors: values do not depend on how many there are
BLOCK = 128
TEXT = """
import math
import numpy as np
from warploom import cuda
from numba import float32, float64, int32, uint32, int64

@cuda.jit
def k(x, y, z, out):
    i = cuda.grid(1)
    if i < out.size:
        x = x[i]
        y = y[i]
        z = z[i]
        out[i] = {}
"""


@dataclass(frozen=True)
class Case:
    """One expression, its operands, and the device's results."""

    name: str
    expression: str
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    device: np.ndarray


@dataclass(frozen=True)
class Difference:
    """How our results differ from the device's. nan: other bits of a NaN alone. edge: lanes where one is a NaN, an infinity, or a zero of
    the other sign. ulp: the largest distance of the others, in steps of the type; for integers the number of lanes that differ."""

    lanes: int
    nan: int
    edge: int
    ulp: int
    first: int  # a lane that differs most

    @property
    def none(self) -> bool:
        """Whether all bits are the device's."""
        return self.lanes == 0


@lru_cache(maxsize=1)
def cases() -> dict[str, Case]:
    """All of them, by name."""
    pool = np.load(RECORDING / "values.npz")
    rows = json.loads((RECORDING / "values.json").read_text(encoding="utf-8"))
    return {row["case"]: Case(row["case"], row["expression"], *(pool[row[key]] for key in ("x", "y", "z", "out"))) for row in rows}


def results(case: Case, engine: str = "native", most: int | None = None) -> np.ndarray:
    """What a kernel of ours gives for the operands, or for the first `most` of them."""
    x, y, z = (values[:most] for values in (case.x, case.y, case.z))
    out = np.zeros(x.size, case.device.dtype)
    kernel = _kernel(case.expression).on(GPU(PRESET, engine=engine, set={"gpu.cores": CORES}))
    kernel[-(-x.size // BLOCK), BLOCK](x, y, z, out)
    return out


def _kernel(expression: str) -> Any:
    """The kernel of an expression; its text is kept where Python looks for that of a function."""
    text = TEXT.format(expression)
    path = f"<{expression}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names: dict[str, Any] = {}
    exec(compile(text, path, "exec"), names)
    return names["k"]


def difference(ours: np.ndarray, device: np.ndarray) -> Difference:
    """How two arrays of results differ."""
    bits = f"u{device.itemsize}"
    other = ours.view(bits) != device.view(bits)
    if device.dtype.kind != "f":
        return Difference(int(other.sum()), 0, 0, int(other.sum()), int(np.argmax(other)))
    nan = other & np.isnan(ours) & np.isnan(device)
    edge = (
        other & ~nan & ((np.isfinite(ours) != np.isfinite(device)) | ((ours == 0) & (device == 0)) | (np.isnan(ours) != np.isnan(device)))
    )
    steps = np.array([abs(a - b) for a, b in zip(_steps(ours), _steps(device), strict=True)], object)
    steps[~other | nan | edge] = 0
    worst = np.argmax(edge) if edge.any() else np.argmax(steps) if steps.any() else np.argmax(nan)
    return Difference(int(other.sum()), int(nan.sum()), int(edge.sum()), int(max(steps, default=0)), int(worst))


def _steps(values: np.ndarray) -> list[int]:
    """Floats as numbers of steps from zero."""
    sign = 1 << (8 * values.itemsize - 1)
    return [-(value - sign) if value >= sign else value for value in values.view(f"u{values.itemsize}").tolist()]


def main(names: Iterable[str]) -> None:
    """Print every case, or those that are named, that is not the same bits."""
    for case in cases().values():
        if names and case.name not in names:
            continue
        try:
            ours = results(case)
        except Exception as error:  # a line of the table that is printed
            print(f"{case.name:18} {type(error).__name__}: {str(error).splitlines()[-1]}", flush=True)
            continue
        found = difference(ours, case.device)
        if not found.none:
            lane = found.first
            print(
                f"{case.name:18} {found.lanes} of {ours.size}: NaN bits {found.nan}, edges {found.edge}, to {found.ulp}; {case.expression} "
                f"x={case.x[lane]!r} y={case.y[lane]!r} z={case.z[lane]!r}: H100 {case.device[lane]!r}, ours {ours[lane]!r}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
