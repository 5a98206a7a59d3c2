"""Runs one function on both engines."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from warploom.machine.engine.layout import Records, has_rooms
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.pages import contents
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.run.tables import Tables


def both(function: Callable[..., Any], *arguments: Any) -> tuple[Any, list[Any]]:
    """Run `function` in plain Python and natively, on copies of the arrays, and insist that they agree byte for byte.

    Returns its answer and the arguments as it left them. A structured array reaches the function as records.
    """
    plain, fast = [_copy(argument) for argument in arguments], [_copy(argument) for argument in arguments]
    with np.errstate(all="ignore"):
        said = function(*[mirror(a) if isinstance(a, np.ndarray) and a.dtype.names else a for a in plain])
    entry = native().entry(function, arguments)
    told = entry(*[native().place(argument) for argument in fast])
    assert said == told
    for one, other in zip(_arrays(plain), _arrays(fast), strict=True):
        assert contents(one) == contents(other)
    return said, plain


def _arrays(arguments: Iterable[Any]) -> list[np.ndarray]:
    """All arrays, with those of the tables."""
    found = []
    for argument in arguments:
        found += _arrays(argument) if isinstance(argument, Tables) else [argument] if isinstance(argument, np.ndarray) else []
    return found


def _copy(argument: Any) -> Any:
    """A copy of all bytes: NumPy's own leaves those between the fields of a record undefined."""
    if isinstance(argument, Tables):
        return Tables(*[_copy(array) for array in argument])
    if not isinstance(argument, np.ndarray):
        return argument
    array = argument
    if array.dtype.names and has_rooms(array.dtype):
        return array.view(Records).copy()
    copy = zeros(array.shape, array.dtype)
    copy.reshape(-1).view(np.uint8)[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return copy
