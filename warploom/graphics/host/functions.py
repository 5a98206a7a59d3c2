"""Functions of shaders in Python, compiled for the host by Numba, whose types of numbers are those of kernels.

A shader calls functions of its own module and of `warploom.graphics`. Numba wants each of them compiled, so a function is copied with
the functions that it names replaced by compiled copies.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import numpy as np

from warploom.isa.diagnostics import SourceError
from warploom.isa.reading import error

INSTEAD = "or draw it on a machine: --gpu vortex-2024"


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that Numba compiles when it is first called, with all functions that it calls."""
    return _copy(function, {})


def _copy(function: Any, done: dict[int, Any]) -> Any:
    import numba

    if id(function) in done:
        return done[id(function)]
    names, made = dict(function.__globals__), [CellType() for _ in function.__closure__ or ()]
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, tuple(made))
    found = done[id(function)] = numba.njit(copy, error_model="numpy")
    for name in _names(function.__code__):
        if name in names:
            names[name] = _value(names[name], done)
    for cell, old in zip(made, function.__closure__ or (), strict=True):
        cell.cell_contents = _value(old.cell_contents, done)
    return found


def _names(code: Any) -> set[str]:
    inner = [one for one in code.co_consts if inspect.iscode(one)]
    return set(code.co_names).union(*(_names(one) for one in inner))


def _value(value: Any, done: dict[int, Any]) -> Any:
    """What stands in a compiled function's place for what it names."""
    plain = getattr(value, "py_func", value)  # a function of `cuda.jit(device=True)`
    return _copy(plain, done) if inspect.isfunction(plain) else value


def call(runs: Callable[..., Any], shader: Callable[..., Any], *arguments: Any) -> None:
    """Call a compiled function around a shader. Raises SourceError with the shader's place for what cannot be compiled."""
    import numba

    place = f"{shader.__code__.co_filename}:{shader.__code__.co_firstlineno}"
    try:
        with np.errstate(all="ignore"):
            runs(*arguments)
    except numba.core.errors.NumbaError as mistake:
        raise error(place, f"the host cannot compile {shader.__name__}(): {_said(mistake)}", INSTEAD) from None
    except (ZeroDivisionError, IndexError, ValueError) as mistake:
        raise error(place, f"{shader.__name__}() ends with {type(mistake).__name__}: {mistake}", "") from None


def _said(mistake: Any) -> str:
    """The last of the lines in which Numba says what is wrong, before where and how."""
    lines = [line.strip() for line in str(mistake).splitlines()]
    kept = [line for line in lines if line and not line.startswith(("During:", "File ", "-", "[", ">>>", "^", "<"))]
    return next((line for line in kept if not line.startswith(("Failed in", "No implementation", "There are", "- Of"))), str(mistake))


__all__ = ["SourceError", "call", "compiled"]
