"""What kernels print and raise: the notes of a run, put into words when it has ended."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from warploom.kernel.types.types import Type
from warploom.result import Result

WORD = 0xFFFFFFFF


def deliver(result: Result, table: Sequence[Any]) -> Exception | None:
    """Print what the kernel has printed, in the order of cycles; returns the first error that it has raised, or None."""
    error: Exception | None = None
    for note in result.notes:
        kind, name, parts, types = table[note.number]
        values = decoded(note.values, types)
        if kind == "print":
            print(line(parts, values))
        elif error is None:
            error = _raised(result, name, parts, values, note)
    if result.notes_lost:
        print(f"... and {result.notes_lost} more values that were printed are lost: the log was full")
    return error


def line(parts: Sequence[Any], values: Sequence[Any]) -> str:
    """What one `print` prints."""
    numbers = iter(values)
    return " ".join(part if isinstance(part, str) else str(next(numbers)) for part in parts)


def decoded(words: Sequence[int], types: Sequence[Type]) -> list[Any]:
    """Numbers from the words of a note: a 32-bit float has one, everything else two."""
    rest = list(words)
    found: list[Any] = []
    for kind in types:
        if kind.kind == "f" and kind.bits <= 32:
            found.append(float(np.array([rest.pop(0)], np.uint32).view(np.float32)[0]))
            continue
        low, high = rest.pop(0), rest.pop(0)
        bits = np.array([high << 32 | low], np.uint64)
        if kind.kind == "f":
            found.append(float(bits.view(np.float64)[0]))
        elif kind.kind == "b":
            found.append(bool(bits[0]))
        else:
            found.append(int(bits.view(np.int64)[0]) if kind.kind == "i" else int(bits[0]))
    return found


def _raised(result: Result, name: Any, texts: Sequence[Any], values: Sequence[Any], note: Any) -> Exception:
    """The exception of the host, with the thread that raised it."""
    kind = name if isinstance(name, type) else getattr(builtins, name, RuntimeError)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = RuntimeError
    launch = result.program.launch
    thread, block = in_dimensions(note.thread, launch.block_dims), in_dimensions(note.block, launch.grid_dims)
    numbers = iter(values)
    said = ", ".join(str(text if text is not None else next(numbers, "")) for text in texts)
    return kind(f"tid={list(thread)} ctaid={list(block)}: {said}")


def in_dimensions(number: int, extents: tuple[int, int, int]) -> tuple[int, int, int]:
    """The place in x, y and z of a thread in its block, or of a block in its grid, by its number."""
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)
