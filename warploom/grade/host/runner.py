"""Runs of a program with its own host code: inputs as text on standard input, outputs as numbers on standard output."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.checks.report.findings import Finding
from warploom.grade.drawing import Values
from warploom.grade.host.child import Limits
from warploom.grade.host.launches import Launches
from warploom.grade.host.python import PythonProgram
from warploom.grade.runs import Ran, Stopped
from warploom.grade.submission import Submission, check_inside
from warploom.grade.task import HOST_PROGRAMS, Task

MOST_SHOWN = 40  # characters of a word that is not a number
MOST_TOLD = 2000  # characters of what it prints beside its results


class HostRunner:
    """A program with its own host code. locked, printed: of its last run."""

    def __init__(self, task: Task, submission: Submission, engine: str) -> None:
        assert task.program is not None and submission.suffix in HOST_PROGRAMS
        self.task, self.asked = task, task.program
        self.program = _program(task, submission, engine)
        self.printed = ""

    @property
    def locked(self) -> tuple[str, ...] | None:
        """What its process was locked by."""
        found: tuple[str, ...] | None = self.program.locked
        return found

    def run(self, values: Values) -> Ran:
        """Run it. Raises Stopped."""
        launches, out = self._run(values, checked=False)
        if not launches.count:
            raise Stopped("it launches no kernel")
        outputs = self._outputs(values, out)
        if self.asked.on_device:
            for name, found in outputs.items():
                if not launches.hold(found, self.task.outputs[name].tolerance):
                    raise Stopped(f"{name} does not stand in the device's memory as a launch has left it: let a kernel compute it")
        return Ran(outputs, launches.figures)

    def check(self, values: Values) -> list[Finding]:
        """Check all its launches. Raises the same."""
        return self._run(values, checked=True)[0].findings

    def _run(self, values: Values, *, checked: bool) -> tuple[Launches, str]:
        box, launches = self.task.sandbox, Launches(self.task.machine.max_cycles)
        lines = [_line(values.array("program", "input", one)) for one in self.asked.input]
        words = [word for one in self.asked.arguments for word in _line(values.array("program", "arguments", one)).split(" ")]
        limits = Limits(box.seconds, box.memory, box.output)
        out, told = self.program.run("".join(f"{line}\n" for line in lines), words, limits, launches, checked=checked)
        self.printed = told[-MOST_TOLD:]
        return launches, out

    def _outputs(self, values: Values, out: str) -> dict[str, np.ndarray]:
        """What it prints, as arrays. Raises Stopped where that is too little, too much, or not a number."""
        words, found = out.split(), {}
        for name, output in self.task.outputs.items():
            table = f"outputs.{name}"
            shape: Any = (values.whole(table, "count", output.count),) if output.count is not None else None
            kind = np.dtype(output.type) if output.type else None
            if output.expected is not None:
                expected = values.array(table, "expected", output.expected)
                shape, kind = expected.shape, kind or expected.dtype
            kind = kind or np.dtype(np.float64)
            count = int(np.prod(shape, dtype=np.int64))
            taken, words = words[:count], words[count:]
            if len(taken) < count:
                raise Stopped(f"it prints {len(taken)} numbers of {name}, and there are {count}: print them with spaces or lines between")
            found[name] = np.array([_number(word, name, place, kind) for place, word in enumerate(taken)], kind).reshape(shape)
        if words:
            raise Stopped(f"it prints more than the outputs: {words[0][:MOST_SHOWN]!r} after {', '.join(self.task.outputs)}; leave it out")
        return found


def _program(task: Task, submission: Submission, engine: str) -> Any:
    if submission.suffix == ".py":
        return PythonProgram(task, submission, engine)
    check_inside(submission)
    from warploom.grade.host.cuda import CudaProgram  # what is compiled with clang

    return CudaProgram(task, submission, engine)


def _line(values: np.ndarray) -> str:
    """Numbers with spaces between them, as they are written in the type that they have."""
    plain = values.reshape(-1)
    return " ".join(str(int(one)) if plain.dtype.kind == "b" else str(one) for one in plain)


def _number(word: str, name: str, place: int, kind: np.dtype[Any]) -> Any:
    try:
        number = int(word) if kind.kind in "iub" else float(word)
        if kind.kind in "iu":
            limits = np.iinfo(kind)
            if not limits.min <= number <= limits.max:
                raise ValueError
    except ValueError:
        whole = "a whole number" if kind.kind in "iub" else "a number"
        raise Stopped(f"it prints {word[:MOST_SHOWN]!r} where {name}[{place}] is asked for, {whole} of type {kind}") from None
    return number
