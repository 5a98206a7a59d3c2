"""Runs one function on both engines."""

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.machine.engine import mirror, zeros
from warploom.machine.native import native


def both(function: Callable[..., Any], *arguments: Any) -> tuple[Any, list[Any]]:
    """Run `function` in plain Python and natively, on copies of the arrays, and insist that they agree byte for byte.

    Returns its answer and the arguments as it left them. A structured array reaches the function as records.
    """
    plain = [_copy(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments]
    fast = [_copy(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments]
    with np.errstate(all="ignore"):
        said = function(*[mirror(a) if isinstance(a, np.ndarray) and a.dtype.names else a for a in plain])
    told = native().entry(function, arguments)(*fast)
    assert said == told
    for one, other in zip(plain, fast, strict=True):
        if isinstance(one, np.ndarray):
            assert one.tobytes() == other.tobytes()
    return said, plain


def _copy(array: np.ndarray) -> np.ndarray:
    """A copy of all bytes: NumPy's own leaves those between the fields of a record undefined."""
    copy = zeros(array.shape, array.dtype)
    copy.reshape(-1).view(np.uint8)[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return copy
