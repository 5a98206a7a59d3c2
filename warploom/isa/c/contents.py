"""What a buffer holds, in the type of the pointer that a kernel's parameter is: `float *x` is given floats, whatever a file's numbers are.

Numbers of a text, and Python's own, have no width: they become the parameter's type, where they fit it. Words and bytes without a sign (raw
files, `uint32`, `uint8`) are bits, and stay as they are. An array with a type of its own has to have the parameter's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.launching import BufferError
from warploom.isa.views import ViewShape

WORD = 4
WITHOUT_WIDTH = ("int64", "float64", "bool")
BITS = ("uint32", "uint8")


class Untyped(np.ndarray):
    """Numbers of a text, which have a value and no width. Any other array has the type that it has."""


def of_own_type(contents: Any) -> str:
    """The type of an array that has one, also where that is 64 bits wide; "" of numbers without a width."""
    wide = isinstance(contents, np.ndarray) and not isinstance(contents, Untyped) and contents.dtype.name in ("int64", "float64")
    return str(contents.dtype.name) if wide else ""


def bytes_of(name: str, contents: Any, parameter: str = "", element: str = "") -> np.ndarray:
    """A buffer's bytes, whatever array it is given as: uint8[a multiple of 4]. Raises BufferError.

    parameter, element: the kernel's parameter that points to it, and the type of what it points to; "" where that is not known.
    """
    values = np.asarray(contents)
    if values.dtype.kind not in "iufb":
        raise BufferError(f"{name} holds {values.dtype}: a buffer takes whole numbers and floats")
    values = _of_type(values, name, parameter, np.dtype(element)) if element else _of_words(values)
    raw = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
    return np.concatenate([raw, np.zeros(-len(raw) % WORD, np.uint8)])


def shape_of(contents: Any, element: str = "") -> ViewShape | None:
    """What a buffer's words stand for: the parameter's type, or else that of an array which has one. None where neither says it.

    element: the type of what the kernel's parameter points to; "" where that is not known.
    """
    values = np.asarray(contents)
    if not element and values.dtype.name in (*WITHOUT_WIDTH, *BITS) and values.dtype != np.float64:
        return None
    dtype = np.dtype(element) if element else np.dtype(np.float32) if values.dtype == np.float64 else values.dtype
    of_bits = element and values.dtype.name in BITS
    size = values.size * values.dtype.itemsize // dtype.itemsize if of_bits else values.size
    return shape_as(size, dtype)


def shape_as(size: int, dtype: np.dtype[Any]) -> ViewShape:
    """So many numbers of a type."""
    return ViewShape((size,), dtype.itemsize, floats=dtype.kind == "f", whole=dtype.kind in "iu", signed=dtype.kind == "i")


def _of_words(values: np.ndarray) -> np.ndarray:
    if values.dtype in {np.dtype(np.int64), np.dtype(np.float64)}:
        return values.astype(np.float32) if values.dtype.kind == "f" else values.astype(np.uint32)
    return values


def _of_type(values: np.ndarray, name: str, parameter: str, element: np.dtype[Any]) -> np.ndarray:
    """The numbers in the type of what a parameter points to."""
    if values.dtype.name in WITHOUT_WIDTH or not values.size:
        return _converted(values, name, parameter, element)
    same = values.dtype.itemsize == element.itemsize and (values.dtype.kind == "f") == (element.kind == "f")
    if same or values.dtype.name in BITS:
        return values
    raise BufferError(
        f"{name} holds {values.dtype}, and the kernel's parameter {parameter} points to {element}: "
        f"give an array of {element}, or its bits as {BITS[0]}"
    )


def _converted(values: np.ndarray, name: str, parameter: str, element: np.dtype[Any]) -> np.ndarray:
    if element.kind == "f":
        return values.astype(element)
    bits = 8 * element.itemsize
    low, high = -(1 << bits - 1), (1 << bits) - 1  # with or without a sign: the kernel decides how it reads them
    whole = values.astype(np.int64) if values.dtype.kind != "f" else values
    fits = (whole >= float(low)) & (whole <= float(high)) & (whole == np.trunc(whole))
    wrong = np.flatnonzero(~fits)
    if wrong.size:
        value = values.ravel()[wrong[0]]
        raise BufferError(f"{name}[{wrong[0]}] = {value}: the kernel's parameter {parameter} points to {element}")
    return whole.astype(np.int64).astype(element)
