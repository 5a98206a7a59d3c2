"""The events of a run on disk, from where they are read again: 64 bytes each, in a file without a name that is gone when it is closed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from warploom.machine.accounting.events import EVENT_COLUMNS

ROW_BYTES = 8 * EVENT_COLUMNS


class Spool:
    """Takes events as they come. folder: on whose disk. Raises OSError when they cannot be written."""

    def __init__(self, folder: Path | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def add(self, events: np.ndarray) -> None:
        """Append rows: int64[n, EVENT_COLUMNS]."""
        left = memoryview(np.ascontiguousarray(events).tobytes())
        while left:
            left = left[self._file.write(left) :]
        self._rows += len(events)

    def part(self, start: int, stop: int) -> np.ndarray:
        """Rows `start` to `stop` (not included)."""
        self._file.seek(start * ROW_BYTES)
        wanted = max(min(stop, self._rows) - start, 0) * ROW_BYTES
        pieces = bytearray()
        while len(pieces) < wanted:
            pieces += self._file.read(wanted - len(pieces))
        return np.frombuffer(pieces, np.int64).reshape(-1, EVENT_COLUMNS)

    def close(self) -> None:
        """Its file is gone."""
        self._file.close()
