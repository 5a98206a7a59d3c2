"""What NumPy's functions do with an array of a device: they copy it to the host, as Numba's do, and reductions say so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

# Functions and methods that make few numbers of a whole array, and what cuda.reduce does in their place; "" for none.
REDUCING = {
    **dict.fromkeys(("sum", "nansum", "mean"), "a + b"), "prod": "a * b",
    **dict.fromkeys(("max", "amax", "nanmax"), "max(a, b)"), **dict.fromkeys(("min", "amin", "nanmin"), "min(a, b)"),
    **dict.fromkeys(("all", "any", "argmax", "argmin", "average", "count_nonzero", "dot", "ptp", "std", "var", "vdot"), ""),
}  # fmt: skip


class KernelWarning(UserWarning):
    """What is allowed in a kernel or with a device's arrays, and most likely not meant."""


def _reduces(name: str) -> str:
    functor = REDUCING.get(name)
    return f"; cuda.reduce(lambda a, b: {functor}) works on the device" if functor else ""


class OnTheHost:
    """An array that the host's functions get a copy of. size, dtype: as NumPy's."""

    size: int
    dtype: np.dtype[Any]

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's function, as it is without this."""
        name = function.__name__
        if name in REDUCING:
            copied = self.size * self.dtype.itemsize
            said = f"numpy.{name} copies {copied} bytes of a device array to the host, and works there{_reduces(name)}"
            warnings.warn(said, KernelWarning, stacklevel=2)
        return function._implementation(*args, **kwargs)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise AttributeError(f"a device array has no {name}: copy_to_host().{name} is the host's{_reduces(name)}")
