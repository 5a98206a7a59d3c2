"""The judge's side of a Python program: its launches, of kernels that are compiled from the submission's text."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from warploom.gpu import GPU
from warploom.grade.described import MOST_BYTES, Maker, NotPlain
from warploom.grade.guard import PUZZLES
from warploom.grade.host.child import WIRE_SECONDS, Child, Limits
from warploom.grade.host.launches import Launches
from warploom.grade.host.wire import receive, send
from warploom.grade.runs import Stopped
from warploom.grade.submission import Submission
from warploom.grade.task import Task
from warploom.kernel.device.context import Context
from warploom.kernel.launch.launch import Kernel, KernelError, extents

MEMORY_BYTES = 1 << 27
MOST_NAME = 40  # characters of an array's name
MOST_KERNELS = 64  # that are kept compiled


class PythonProgram:
    """A submission in Python with its own host code. locked, printed: of its last process."""

    def __init__(self, task: Task, submission: Submission, engine: str) -> None:
        self.task, self.submission = task, submission
        self.gpu = GPU(task.machine.gpu or "sm", set=dict(task.machine.set), engine=engine)
        self.locked: tuple[str, ...] | None = None
        self._kernels: dict[str, tuple[Maker, Kernel]] = {}

    def run(self, text: str, arguments: list[str], limits: Limits, launches: Launches, *, checked: bool) -> tuple[str, str]:
        """Run it on an input: what it prints on standard output and on standard error. Raises Stopped."""
        context = Context(self.gpu, MEMORY_BYTES)
        self._kernels = {}
        ended: list[dict[str, Any]] = []
        with Child("main", text, limits) as child:
            send(child.wire, {
                "source": self.submission.text, "path": self.submission.path.name, "arguments": arguments, "seconds": limits.seconds,
                "memory": limits.memory, "gpu": self.task.machine.gpu or "sm", "set": dict(self.task.machine.set),
                "hidden": [str(PUZZLES), str(self.task.folder.resolve())],
            })  # fmt: skip

            def answer(body: Any) -> dict[str, Any] | None:
                if not isinstance(body, dict) or ended:
                    raise Stopped("it wrote to the judge's pipe")
                if self.locked is None and "locked" in body:
                    self.locked = tuple(map(str, body["locked"]))
                elif "functions" in body:
                    try:
                        return {"arrays": self._launched(body, context, launches, checked)}
                    except (AssertionError, AttributeError, ArithmeticError, LookupError) as error:  # of what a stranger has handed over
                        raise Stopped(f"what was handed over cannot be run: {type(error).__name__}") from None
                elif "locked" not in body:
                    ended.append(body)
                return None

            child.serve(lambda: receive(child.wire, WIRE_SECONDS), answer, lambda body: send(child.wire, body))
            out, told = child.printed.decode("utf-8", "replace"), child.told.decode("utf-8", "replace")
        if not ended:
            raise Stopped(f"its process ended before the end of the program{f', with exit status {child.status}' if child.status else ''}")
        if "error" in ended[0]:
            raise Stopped(str(ended[0]["error"])[:2000])
        return out, told

    def _launched(self, body: dict[str, Any], context: Context, launches: Launches, checked: bool) -> list[str]:
        """Run a launch that is asked for; the bytes that it leaves. Raises Stopped, NotPlain, and what compiling raises."""
        try:
            maker, kernel = self._kernel(body, context)
            grid, block, shared = extents(tuple(body["grid"]), "grid"), extents(tuple(body["block"]), "block"), int(body["shared"])
            arguments, arrays, names = _arguments(maker, body["arguments"])
        except (KeyError, AttributeError, IndexError, OverflowError) as error:
            raise NotPlain(f"what was handed over cannot be read: {type(error).__name__}") from None
        before = [one.copy() for one in arrays]
        most = launches.cycles_left
        try:
            if checked:
                report = kernel.launch_checked(grid, block, shared, arguments, schedule=False, max_cycles=most)
                launches.found(report.findings)
                launches.ran(report.result)
            else:
                launches.ran(kernel.launch(grid, block, shared, arguments, max_cycles=most))
        except KernelError as error:
            raise Stopped(str(error)) from None
        launches.note(
            (name, first.reshape(-1).view(np.uint8), after.reshape(-1).view(np.uint8), after.dtype)
            for name, first, after in zip(names, before, arrays, strict=True)
        )
        return [base64.b64encode(one.tobytes()).decode() for one in arrays]

    def _kernel(self, body: dict[str, Any], context: Context) -> tuple[Maker, Kernel]:
        key = json.dumps([body["functions"], body["first"]])
        if len(key) > MOST_BYTES:
            raise NotPlain(f"its kernel is handed over as {len(key)} characters, and {MOST_BYTES} are the most")
        if key not in self._kernels:
            if len(self._kernels) >= MOST_KERNELS:
                self._kernels.clear()
            maker = Maker(self.submission.text, self.submission.path.name, body["functions"])
            found = maker.function(body["first"], context, {"max_cycles": self.task.machine.max_cycles})
            if not isinstance(found, Kernel):
                raise NotPlain("what was handed over is not a kernel")
            self._kernels[key] = maker, found
        return self._kernels[key]


def _arguments(maker: Maker, given: list[dict[str, Any]]) -> tuple[list[Any], list[np.ndarray], list[Any]]:
    """Arguments, the arrays among them, and names by which the program tells arrays apart."""
    arguments: list[Any] = []
    arrays: list[np.ndarray] = []
    names: list[Any] = []
    for one in given:
        if "again" in one:
            arguments.append(arrays[one["again"]])
            continue
        arguments.append(maker.value(one))
        if "array" in one:
            arrays.append(arguments[-1])
            names.append(str(one.get("name"))[:MOST_NAME])
    return arguments, arrays, names
