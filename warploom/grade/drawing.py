"""The inputs of a case, drawn from a seed, and the values of a task's expressions."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from typing import Any

import numpy as np

from warploom.grade.lines import line_of
from warploom.grade.task import Task, TaskError


def ceil(value: int, size: int) -> int:
    """How many pieces of a size hold a value: `ceil(n, 32)` blocks for n threads."""
    return -(-value // size)


class Values:
    """The names that expressions of one case can use: `np`, `ceil`, `rng`, the teacher's functions, inputs, outputs."""

    def __init__(self, task: Task, seed: int, case: int) -> None:
        self.task = task
        self.names: dict[str, Any] = {"np": np, "ceil": ceil, "rng": np.random.default_rng([seed, case])}
        if task.functions:
            self.names = _functions(task) | self.names
        self.inputs: dict[str, Any] = {}
        for name, given in task.inputs.items():
            self.inputs[name] = self.names[name] = self.of("inputs", name, given)

    def of(self, table: str, key: str, given: Any, more: Mapping[str, Any] | None = None) -> Any:
        """A value of the task file: itself, or what its expression gives. Raises TaskError with its place."""
        if isinstance(given, list):
            return tuple(self.of(table, key, one, more) for one in given)
        if not isinstance(given, str):
            return given
        try:
            return eval(given, dict(self.names) | dict(more or {}))  # the teacher's own expression, in the judge
        except Exception as error:
            line = line_of(self.task.file.read_text(encoding="utf-8"), table, key)
            raise TaskError(
                f"{self.task.file}:{line}: {key} = {given!r} cannot be evaluated: {type(error).__name__}: {error}; "
                f"it can use np, ceil, rng, {', '.join(self.names.keys() - {'np', 'ceil', 'rng'}) or 'and inputs above it'}"
            ) from None

    def array(self, table: str, key: str, given: Any, more: Mapping[str, Any] | None = None) -> np.ndarray:
        """The same as an array."""
        return np.asarray(self.of(table, key, given, more))

    def whole(self, table: str, key: str, given: Any) -> int | tuple[int, ...]:
        """A number, or one per dimension: an extent of a launch. Raises TaskError."""
        found = self.of(table, key, given)
        sizes = found if isinstance(found, tuple) else (found,)
        if not sizes or not all(isinstance(one, int | np.integer) and not isinstance(one, bool) and one >= 0 for one in sizes):
            line = line_of(self.task.file.read_text(encoding="utf-8"), table, key)
            raise TaskError(f"{self.task.file}:{line}: {key} = {given!r} gives {found!r}: it is a whole number, or one per dimension")
        whole = tuple(int(one) for one in sizes)
        return whole if len(whole) > 1 else whole[0]

    def described(self) -> str:
        """The small inputs, for a message: `n = 41, a = 2`."""
        small = (f"{name} = {value}" for name, value in self.inputs.items() if np.ndim(value) == 0)
        return ", ".join(small)


def _functions(task: Task) -> dict[str, Any]:
    path = task.folder / task.functions
    try:
        found = runpy.run_path(str(path))
    except Exception as error:
        raise TaskError(f"{path}: {type(error).__name__}: {error}; mend the file that `functions` names") from None
    return {name: value for name, value in found.items() if not name.startswith("__")}
