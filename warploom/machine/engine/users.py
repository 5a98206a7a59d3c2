"""Units of a user's own: what they raise or give back, said in one sentence with the file and the line.

Not hardware. A user's unit is a plain function. It is called as it is in plain Python, and compiled with Numba's own rules natively
(native/compiler.py); in both a mistake of the user's ends as a `UnitError`, which is a sentence and not a stack trace of the simulator.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

MAY_USE = "a unit may use numbers, loops, branches, the fields of its record, and functions marked with `@unit`"


class UnitError(Exception):
    """A unit of a user's own does what it may not. The message is one sentence that names the file and the line."""


def guarded(function: Callable[..., int], problem: Callable[..., str]) -> Callable[..., int]:
    """A user's unit for plain Python, whose exceptions and wrong results are UnitErrors.

    problem: called with the result and the arguments; says in half a sentence why that is no result, "" where it is one.
    """

    @wraps(function)
    def checked(*arguments: Any) -> int:
        try:
            result = function(*arguments)
        except UnitError:
            raise
        except Exception as error:  # whatever a user's function raises is the user's mistake
            raise UnitError(f"{_place_of(error, function)}: {type(error).__name__}: {error}") from error
        if wrong := problem(result, *arguments):
            raise UnitError(f"{place(function)}: {unit_name(function)} {wrong}")
        return result

    return checked


def unit_name(function: Callable[..., Any]) -> str:
    """What a user calls a unit."""
    return getattr(function, "__name__", type(function).__name__)


def place(function: Callable[..., Any], line: int | None = None) -> str:
    """A function's file and line, as text; its name where it has none. line: another one of the same file."""
    code = getattr(function, "__code__", None)
    return f"{_shown(code.co_filename)}:{line or code.co_firstlineno}" if code is not None else unit_name(function)


def _shown(file: str) -> str:
    """A file as a user would write it: from the working directory where it lies in that."""
    path = Path(file)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _place_of(error: BaseException, function: Callable[..., Any]) -> str:
    """The last line of the user's own file that an exception came through."""
    code = getattr(function, "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    frame = (own or frames)[-1]
    return f"{_shown(frame.filename)}:{frame.lineno}"
