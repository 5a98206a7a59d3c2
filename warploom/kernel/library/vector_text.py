"""What `vectorize` and `guvectorize` for a GPU have in common: a kernel of one thread for each call of a function, made as a text.

The text stays in `linecache`, where kernels' sources are looked for.
"""

from __future__ import annotations

import hashlib
import inspect
import linecache
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from warploom.kernel.device.arrays import DeviceArray
from warploom.kernel.library.stubs import Intrinsic


def made(text: str, core: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a text defines, in which `__core__` and `__cuda__` are known: nobody calls a function of his own so."""
    of = f"{core.__module__}.{core.__qualname__} {text}"
    path = f"<{core.__name__} {hashlib.sha256(of.encode()).hexdigest()[:8]}>"  # the same text has the same place
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names: dict[str, Any] = {"__core__": core, "__cuda__": Intrinsic("cuda")}
    before = set(names)
    exec(compile(text, path, "exec"), names)
    return next(value for name, value in names.items() if name not in before and name != "__builtins__")


def kernel_name(core: Callable[..., Any]) -> str:
    """The function's own, or a plain one for a lambda."""
    return core.__name__ if core.__name__.isidentifier() else "vectorized"


def dtype_of(kind: Any) -> np.dtype[Any]:
    """NumPy's type of Numba's: of an array that of its items."""
    return np.dtype(str(getattr(kind, "dtype", kind)).replace("boolean", "bool"))


def refuse_options(decorator: str, cache: bool, options: dict[str, Any]) -> None:
    """Raises TypeError for an option that means something and that GPUs do not have."""
    left = [name for name in options if name != "nopython"] + (["cache"] if cache else [])
    if left:
        raise TypeError(f'{decorator}(target="cuda") has no option {left[0]!r}')


def check_count(function: Callable[..., Any], sig: Any, count: int) -> None:
    """Raises TypeError where a function can't be called with so many arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError as error:
        raise TypeError(f"{function.__name__}: the signature {sig} has {count} arguments: {error}") from None


def check_outs(name: str, outs: list[Any], count: int) -> None:
    """Raises TypeError unless there are so many places for results, arrays or None each."""
    if len(outs) != count:
        raise TypeError(f"{name}: out has {len(outs)} arrays, there are {count} results")
    wrong = next((one for one in outs if one is not None and not isinstance(one, np.ndarray | DeviceArray)), None)
    if wrong is not None:
        raise TypeError(f"{name}: out is an array of the host or of the device, and not {type(wrong).__name__}")


def check_place(name: str, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raises ValueError unless an array is one for results of a shape and a type."""
    if tuple(out.shape) != shape or out.dtype != dtype:
        raise ValueError(f"{name}: out is {out.dtype} of shape {tuple(out.shape)}; the results are {dtype} of shape {shape}")


def said(dtypes: Iterable[Any]) -> str:
    """Types in words."""
    return ", ".join(str(one) for one in dtypes)


def one_for_all(array: DeviceArray, count: int) -> DeviceArray:
    """The first item along the first dimension, `count` times at its one place."""
    return DeviceArray(array.allocation, array.offset, (count, *array.shape[1:]), (0, *array.strides[1:]), array.dtype)


def on_device(array: Any, shape: tuple[int, ...], rows: tuple[int, ...]) -> DeviceArray:
    """An array broadcast to a shape and then seen in another one, without gaps; a device array that is that already stays where it is."""
    if isinstance(array, DeviceArray):
        if array.shape == shape and array.is_c_contiguous():
            return array.reshape(rows)
        array = array.host_view
    items = np.ascontiguousarray(np.broadcast_to(array, shape)).reshape(rows)
    found = DeviceArray.like(items)
    found.copy_to_device(items)
    return found
