"""A host whose NumPy has integers of 32 bits, as one in a browser: `python -m tests.narrow --narrow` runs kernels on it.

NumPy's default integer cannot be chosen. So its functions are replaced, for the package's own modules alone: those that make integers of
the default width, or indices, give 32 bits where nothing has asked for 64, and those that take only such refuse others. Arithmetic between
such arrays is then NumPy's own. What array methods make (`x.sum()`) is as on this host. Prints, as JSON, what each run gave.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

OF_THE_DEFAULT_WIDTH = ("arange", "array", "asarray", "full", "cumsum", "prod", "sum", "diff", "ones", "zeros", "empty", "fromiter")
INDICES = ("flatnonzero", "argsort", "lexsort", "searchsorted", "argmax", "argmin", "nonzero", "argwhere", "unique", "bincount")
NARROW = {np.dtype(np.int64): np.int32, np.dtype(np.uint64): np.uint32}


def _ours() -> bool:
    return str(sys._getframe(2).f_globals.get("__name__", "")).startswith(("warploom", "tests.narrow", "__main__"))


def _wide(value: Any) -> bool:
    """Whether something has integers of 64 bits because somebody wanted them."""
    if isinstance(value, list | tuple):
        return any(_wide(one) for one in value)
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "iu" and value.dtype.itemsize == 8


def _smaller(made: Any) -> Any:
    """Integers of 64 bits that fit into 32, in 32; what does not fit is an int64 on such a host, too."""
    if isinstance(made, tuple):
        return tuple(_smaller(one) for one in made)
    if not isinstance(made, np.ndarray | np.generic) or made.dtype not in NARROW:
        return made
    limits = np.iinfo(NARROW[made.dtype])
    fits = made.size == 0 or (int(made.min()) >= limits.min and int(made.max()) <= limits.max)
    return made.astype(NARROW[made.dtype]) if fits else made


def _maker(real: Callable[..., Any], places: int) -> Callable[..., Any]:
    @functools.wraps(real)
    def narrow(*given: Any, **named: Any) -> Any:
        made = real(*given, **named)
        asked = named.get("dtype") is not None or len(given) > places or any(map(_wide, given))
        return made if asked or not _ours() else _smaller(made)

    return narrow


def _finder(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def narrow(*given: Any, **named: Any) -> Any:
        if not _ours():
            return real(*given, **named)
        if name == "bincount":
            _refuse(given[0])
        made = real(*given, **named)
        if name == "unique" and isinstance(made, tuple):
            return made[0], *_smaller(made[1:])
        return made if name == "unique" or (made.__class__ is np.ndarray and made.dtype.kind == "f") else _smaller(made)

    return narrow


def _refuse(counts: Any) -> None:
    """Raises TypeError where a host of 32 bits does."""
    if isinstance(counts, np.ndarray) and not np.can_cast(counts.dtype, np.int32, "safe"):
        raise TypeError(f"Cannot cast array data from {counts.dtype!r} to dtype('int32') according to the rule 'safe'")


def narrow_numpy() -> None:
    """From here on NumPy's default integer has 32 bits for the modules of the package."""
    places = {"arange": 3, "array": 1, "asarray": 1, "full": 2, "cumsum": 2, "prod": 2, "sum": 2, "diff": 9, "ones": 1, "zeros": 1,
              "empty": 1, "fromiter": 1}  # fmt: skip
    for name in OF_THE_DEFAULT_WIDTH:
        setattr(np, name, _maker(getattr(np, name), places[name]))
    for name in INDICES:
        setattr(np, name, _finder(name, getattr(np, name)))
    repeat = np.repeat

    @functools.wraps(repeat)
    def narrow_repeat(values: Any, repeats: Any, axis: int | None = None) -> Any:
        if _ours():
            _refuse(repeats)
        return repeat(values, repeats, axis)

    np.repeat = narrow_repeat  # type: ignore[assignment]
    np.intp = np.int32  # type: ignore[misc]


def _runs() -> dict[str, Any]:
    """Cycles, instructions and memory of runs of every front end that needs no further package."""
    import warploom
    from warploom import cuda

    found: dict[str, Any] = {}

    def kept(name: str, result: Any) -> None:
        memory = hashlib.sha256(np.ascontiguousarray(result.memory).tobytes()).hexdigest()
        found[name] = [result.status, result.cycles, result.instructions, memory, dict(sorted(result.counters.items()))]

    for preset, path in (
        ("tiny", "tiny/matmul.asm"), ("tiny-simt", "tiny/matmul.asm"), ("guppy", "guppy/saxpy.guppy"), ("sm", "guppy/saxpy.guppy"),
        ("gcn", "gcn/saxpy.gcn"), ("a100", "gcn/saxpy.gcn"),
    ):  # fmt: skip
        gpu = warploom.GPU(preset, engine="python")
        kept(f"{path} on {preset}", gpu.run(warploom.load(f"examples/{path}"), tracing=preset == "sm"))

    @cuda.jit
    def sums(a: Any, out: Any) -> None:
        part = cuda.shared.array(32, np.int64)
        i = cuda.threadIdx.x
        part[i] = a[cuda.grid(1)] << 33
        cuda.syncthreads()
        for step in range(1, 32):
            if i == 0:
                part[0] += part[step]
        if i == 0:
            out[cuda.blockIdx.x] = part[0]

    out = np.zeros(2, np.int64)
    sums[2, 32](numbers_of(64), out)
    found["a kernel in Python"] = [out.tolist(), sums.result.cycles, sums.result.instructions]
    return found


def numbers_of(count: int) -> Any:
    """int64[count]: what the user's own program would hand over."""
    return np.arange(count, dtype=np.int64)


def _faults() -> list[str]:
    """A shift that loses on such a host, a repeat and a count that it refuses."""
    tries: tuple[Callable[[], Any], ...] = (
        _shifted,
        lambda: np.repeat(np.arange(2), np.array([1, 2], np.int64)),
        lambda: np.bincount(np.array([1, 2], np.int64)),
    )
    said = []
    for one in tries:
        try:
            said.append(str(one().tolist()))
        except TypeError as error:
            said.append(str(error))
    return said


def _shifted() -> Any:
    made = np.arange(3)
    with np.errstate(all="ignore"):
        return np.left_shift(made, made.dtype.type(32))


if __name__ == "__main__":
    if "--narrow" in sys.argv:
        narrow_numpy()
    print(json.dumps({"integer": str(np.arange(1).dtype), "faults": _faults(), "runs": _runs()}))
