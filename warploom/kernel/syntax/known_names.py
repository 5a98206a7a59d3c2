"""The names that kernels know: one table, from which calls are translated and the reference is made.

A row is made where the name is translated, by `function` or `constant` above the code. Names are dotted paths: those of numba.cuda begin
with `cuda`, those of the standard library and NumPy with their modules' names. What a name stands for in the user's program may be an
object of ours, of Numba's or of Python's: `path_of` knows them all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from warploom.kernel.types import types as ty


class Name(NamedTuple):
    """One row. arguments: as the reference shows them. translate: (translator, node, arguments, named) -> value."""

    path: str
    arguments: str
    meaning: str
    translate: Callable[..., Any]
    called: bool = True


NAMES: dict[str, Name] = {}
NUMBA = "numba.cuda"
FOREIGN: dict[int, tuple[Any, str]] = {}  # objects of other packages, by id, and the names that they stand for


@dataclass(frozen=True)
class Dotted:
    """A name of the table, or the beginning of one: `cuda`, `cuda.atomic`, `cuda.atomic.add`."""

    path: str


def function(path: str, arguments: str, meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A row for what is called. Several paths are separated by spaces."""

    def add(translate: Callable[..., Any]) -> Callable[..., Any]:
        for one in path.split():
            NAMES[one] = Name(one, arguments, meaning, translate)
        return translate

    return add


def constant(path: str, meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A row for what is not called."""

    def add(translate: Callable[..., Any]) -> Callable[..., Any]:
        for one in path.split():
            NAMES[one] = Name(one, "", meaning, translate, called=False)
        return translate

    return add


def starts(path: str) -> bool:
    """Whether a path is a name, or leads to some."""
    return path in NAMES or any(name.startswith(path + ".") for name in NAMES)


def inside(path: str) -> list[str]:
    """The names that follow a path."""
    return sorted({name[len(path) + 1 :].partition(".")[0] for name in NAMES if name.startswith(path + ".")})


def path_of(thing: Any) -> str | None:
    """The name of an object of the host; None for one that kernels do not know."""
    own = getattr(thing, "kernel_name", None)
    if isinstance(own, str):
        return own
    if id(thing) in FOREIGN and FOREIGN[id(thing)][0] is thing:
        return FOREIGN[id(thing)][1]
    if isinstance(thing, ModuleType) or type(thing).__name__ == "FakeCUDAModule":
        name = getattr(thing, "__name__", NUMBA)
        if name == NUMBA or type(thing).__name__ == "FakeCUDAModule":
            return "cuda"
        return {"math": "math", "numpy": "numpy", "operator": "operator", "cmath": "cmath"}.get(name)
    if isinstance(thing, np.ufunc):
        return f"numpy.{thing.__name__}"
    if inspect.isbuiltin(thing) or (isinstance(thing, type) and thing.__module__ == "builtins"):
        module = getattr(thing, "__module__", "") or ""
        path = f"{module.lstrip('_')}.{thing.__name__}"
        return path if path in NAMES else None
    if inspect.isfunction(thing) and str(thing.__module__).startswith("numpy"):
        path = f"numpy.{thing.__name__}"
        return path if path in NAMES else None
    return None


def type_of(thing: Any) -> ty.Type | np.dtype[Any] | None:
    """The type that an object of the host names: np.float32, numba's float32, "float32", float; a dtype where it is of records."""
    if isinstance(thing, ty.Type):
        return thing
    if thing in BUILTIN_TYPES:
        return BUILTIN_TYPES[thing]
    if isinstance(thing, str):
        return ty.BY_NAME.get(thing)
    if (isinstance(thing, type) and issubclass(thing, np.generic)) or isinstance(thing, np.dtype):
        dtype = np.dtype(thing)
        return dtype if dtype.names is not None or dtype.subdtype is not None else ty.of_dtype(dtype)
    if type(thing).__module__.startswith("numba"):
        inner = getattr(thing, "dtype", None)
        if isinstance(inner, np.dtype) and inner.names is not None:
            return inner
        name = getattr(thing, "name", None)
        if isinstance(name, str) and name in ty.BY_NAME:
            return ty.BY_NAME[name]
        if hasattr(thing, "fields") and hasattr(thing, "dtype"):
            return np.dtype(thing.dtype)
        return _record_of(thing)
    return None


BUILTIN_TYPES: dict[Any, ty.Type] = {float: ty.FLOAT64, int: ty.INT64, bool: ty.BOOL, complex: ty.COMPLEX128}


def _record_of(thing: Any) -> np.dtype[Any] | None:
    """The dtype of one of numba's record types."""
    if type(thing).__name__ != "Record":
        return None
    from numba.np.numpy_support import as_dtype

    return np.dtype(as_dtype(thing))
