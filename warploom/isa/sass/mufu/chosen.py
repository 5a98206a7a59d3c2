"""Which tables a kernel looks up: those of its functions, from the file that a user names, or that lies in the cache directory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from warploom.isa.host.user_cache import user_cache
from warploom.isa.launching import BufferError
from warploom.isa.sass.instruction import Instruction
from warploom.isa.sass.mufu.exact import TABLE_OF
from warploom.isa.sass.mufu.tables import FILE_NAME, MufuError, Recorded

WITHOUT = "approximate functions (MUFU) are within the published errors, not bit by bit the hardware's: --mufu FILE gives those"


class Chosen(NamedTuple):
    """first: where the table of each function begins, in words. words: the tables (uint32). remarks: what the run says."""

    first: Mapping[str, int]
    words: np.ndarray
    remarks: tuple[str, ...]


def chosen(instructions: Iterable[Instruction], path: str | None) -> Chosen:
    """The tables that instructions look up. path: the file; None: the one in the cache directory, if there is one. Raises BufferError."""
    functions = sorted({TABLE_OF[one.at(74, 4)] for one in instructions if one.name == "MUFU" and one.at(74, 4) in TABLE_OF})
    if not functions:
        return Chosen({}, np.zeros(0, np.uint32), ())
    try:
        recorded = _opened(path)
        if recorded is None:
            return Chosen({}, np.zeros(0, np.uint32), (WITHOUT,))
        tables = [recorded.table(name) for name in functions]
    except MufuError as failure:
        raise BufferError(f"--mufu: {failure}" if path else str(failure)) from None
    starts = np.cumsum([0, *map(len, tables)], dtype=np.int64).tolist()
    said = f"approximate functions (MUFU) give the bits that an H100 gave, from {recorded.path}"
    return Chosen(dict(zip(functions, starts, strict=False)), np.concatenate(tables), (said,))


def _opened(path: str | None) -> Recorded | None:
    if path:
        place = Path(path)
    else:
        try:
            place = user_cache() / FILE_NAME
        except RuntimeError:
            return None
        if not place.exists():
            return None
    try:
        return _read(place, place.stat().st_mtime_ns)
    except OSError as failure:
        raise MufuError(f"{place}: {(failure.strerror or str(failure)).lower()}") from None


@lru_cache(maxsize=2)
def _read(place: Path, _changed: int) -> Recorded:
    return Recorded(place)
