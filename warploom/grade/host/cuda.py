"""The judge's side of a program in CUDA C++: compiled with few files to read, run locked in, answered by the judge's device."""

from __future__ import annotations

import contextlib
import io
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from warploom.cuda_cpp.allocations import Allocations
from warploom.cuda_cpp.build import build, home_folder
from warploom.cuda_cpp.compiler import INCLUDE
from warploom.cuda_cpp.places import Places
from warploom.cuda_cpp.protocol import DEVICE, Closed, Kind, Reply, Request, reply
from warploom.cuda_cpp.protocol import receive as receive_request
from warploom.cuda_cpp.runner import launch
from warploom.cuda_cpp.server import Server
from warploom.cuda_cpp.words import Words
from warploom.gpu import GPU
from warploom.grade.compiling import compiled
from warploom.grade.guard import PUZZLES, STARTING
from warploom.grade.host.child import WIRE_SECONDS, Child, Limits
from warploom.grade.host.launches import Launches
from warploom.grade.host.wire import Ended, receive, send
from warploom.grade.runs import Stopped
from warploom.grade.submission import Submission
from warploom.grade.task import Task
from warploom.isa.diagnostics import SourceError
from warploom.isa.program import Program
from warploom.isa.reading import regular_text
from warploom.kernel.device.context import CURRENT
from warploom.result import Result

MEMORY_BYTES = 1 << 28
MOST_TOLD = 1 << 16  # characters of sentences for the user
COMPILED = (Kind.MODULE, Kind.FUNCTION, Kind.RESET)  # requests that the judge compiles for, which takes none of the program's time
MOST_COMPILED = 1000


class CudaProgram:
    """A submission in CUDA C++. locked: of its last process. Raises Stopped where it does not compile."""

    def __init__(self, task: Task, submission: Submission, engine: str) -> None:
        self.task, self.name = task, submission.path.name
        self.gpu = GPU(task.machine.gpu or "sm", set=dict(task.machine.set), engine=engine)
        self.locked: tuple[str, ...] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="warploom-judge-")
        self.copy = Path(self._folder.name).resolve() / self.name
        self.copy.write_bytes(submission.data)
        words = Words()
        words.sources = [str(self.copy)]
        home_folder()  # is there before the compiler may write to it alone
        try:
            built = compiled(lambda: build(words), task, Path(self._folder.name))
        except SourceError as error:
            raise Stopped(self._said(str(error))) from None
        self.program = Path(self._folder.name) / "program"
        shutil.move(built.program, self.program)
        shutil.rmtree(built.program.parent, ignore_errors=True)  # nobody else's, and not to be found by the next one

    def _said(self, text: str) -> str:
        return text.replace(f"{self.copy.parent}/", "").replace(f"{self._folder.name}/", "")

    def run(self, text: str, arguments: list[str], limits: Limits, launches: Launches, *, checked: bool) -> tuple[str, str]:
        """Run it on an input: what it prints on standard output and on standard error. Raises Stopped."""
        told: list[str] = []

        def tell(line: str) -> None:
            if (left := MOST_TOLD - sum(map(len, told))) > 0:
                told.append(self._said(line[:left]))

        CURRENT.use(self.gpu, MEMORY_BYTES)
        saved = CURRENT.before, CURRENT.watch, CURRENT.check, CURRENT.checked
        CURRENT.before, CURRENT.watch = (lambda program, device: {"max_cycles": launches.cycles_left}), None
        if checked:
            CURRENT.check = lambda name: {"schedule": False, "max_cycles": launches.cycles_left}
            CURRENT.checked = lambda report: launches.found(report.findings)
        server = Server(
            CURRENT.context.device, lambda program, memory: self._launched(program, memory, launches), Places(self.program).line,
            tell, checked, own_sources(self.copy),
        )  # fmt: skip
        from_kernels = io.StringIO()
        try:
            with Child("become", text, limits) as child, contextlib.redirect_stdout(from_kernels):
                send(child.wire, {
                    "program": str(self.program), "name": self.name, "arguments": arguments, "seconds": limits.seconds,
                    "memory": limits.memory, "variable": DEVICE,
                    "hidden": [str(PUZZLES), str(self.task.folder.resolve())],
                })  # fmt: skip
                self.locked = tuple(map(str, receive(child.wire, STARTING)["locked"]))

                asked = 0

                def answer(request: Request) -> Reply:
                    nonlocal asked
                    asked += request.kind in COMPILED
                    if asked > MOST_COMPILED:
                        raise Stopped(f"it has more than {MOST_COMPILED} kernels compiled")
                    found = self._answer(request, server)
                    if from_kernels.tell() > limits.output << 10:
                        raise Stopped(f"its kernels printed more than {limits.output} KiB")
                    return found

                child.serve(lambda: _taken(child.wire), answer, lambda found: _given(child.wire, found))
        except Ended:
            raise Stopped("its process ended before the program began") from None
        except Stopped as error:
            raise Stopped(self._said(str(error))) from None
        finally:
            CURRENT.before, CURRENT.watch, CURRENT.check, CURRENT.checked = saved
            CURRENT.use(None)
        if child.status:
            last = child.told.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise Stopped("\n".join([f"it ended with exit status {child.status}", *told[:1], *map(self._said, last)]))
        out = child.printed.decode("utf-8", "replace")
        return out, "".join([from_kernels.getvalue(), child.told.decode("utf-8", "replace"), *told])

    def _answer(self, request: Request, server: Server) -> Reply:
        try:
            return server.answer(request)
        except Stopped:
            raise
        except SourceError as error:
            raise Stopped(self._said(str(error))) from None
        except Exception as error:  # the bytes are a stranger's: whatever they lead to is not the judge's fault
            raise Stopped(f"it asked the device for what the runtime does not ask for: {type(error).__name__}") from None

    def _launched(self, program: Program, memory: Allocations, launches: Launches) -> Result:
        """Run a launch, and see what it leaves."""
        before = self._bytes(memory)
        result = launch(program, memory)
        launches.ran(result)
        if result.status != "done" and CURRENT.check is None:
            raise Stopped("\n".join([self._said(result.summary()), *map(self._said, result.messages)]))
        after = self._bytes(memory)
        launches.note((memory.held[address].number, before[address], after[address], None) for address in before)
        sys.stdout.flush()
        return result

    def _bytes(self, memory: Allocations) -> dict[Any, np.ndarray]:
        device = CURRENT.context.device
        return {address: device.read(address, one.size) for address, one in memory.held.items()}


def own_sources(copy: Path) -> Callable[[str], str | None]:
    """Reads the submission and our headers, whatever other files its text names: messages quote what is read."""
    headers = INCLUDE.resolve()

    def read(path: str) -> str | None:
        try:
            place = (copy.parent / path).resolve()
        except (OSError, ValueError, RuntimeError):
            return None
        return regular_text(place) if place == copy or place.is_relative_to(headers) else None

    return read


def _taken(wire: socket.socket) -> Request:
    try:
        return receive_request(wire, MEMORY_BYTES, WIRE_SECONDS)
    except Closed:
        raise Ended from None


def _given(wire: socket.socket, found: Reply) -> None:
    try:
        reply(wire, found)
    except Closed:
        raise Ended from None
