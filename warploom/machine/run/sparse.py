"""Memory as few bytes: the pages that differ from what they are compared with. A machine's memory is large, and nearly all of it zero."""

from __future__ import annotations

from typing import Any

import numpy as np

PAGE = 4096  # bytes


def only_changed(memory: np.ndarray, before: np.ndarray | None = None) -> dict[str, Any]:
    """The pages of memory, uint8[bytes], that differ from `before`, or that are not zero; `whole` is the way back."""
    if not len(memory):
        return {"bytes": 0, "pages": {}}
    starts = np.arange(0, len(memory), PAGE, dtype=np.int64)
    differ = np.add.reduceat(memory != (0 if before is None else before), starts, dtype=np.int64)
    return {"bytes": len(memory), "pages": {int(start): memory[start : start + PAGE].tobytes() for start in starts[differ > 0]}}


def whole(kept: dict[str, Any], before: np.ndarray | None = None) -> np.ndarray:
    """uint8[bytes]: the memory that `only_changed` was given, with the same `before`."""
    memory = np.zeros(kept["bytes"], np.uint8) if before is None else before.copy()
    for start, data in kept["pages"].items():
        memory[start : start + len(data)] = np.frombuffer(data, np.uint8)
    return memory
