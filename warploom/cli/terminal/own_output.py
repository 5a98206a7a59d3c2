"""What a Python program prints, kept apart from what a command prints: so JSON on standard output is one object and nothing else."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from types import TracebackType

STANDARD_OUTPUT = 1


class OwnOutput:
    """A context manager: what is printed in it, by Python, by a library or by a child process, is in `lines` afterwards."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> OwnOutput:
        import tempfile  # most commands keep nothing apart

        with contextlib.ExitStack() as stack:
            file = stack.enter_context(tempfile.TemporaryFile())
            stack.callback(self._read, file)
            stack.enter_context(_descriptor_to(file.fileno()))
            text = io.TextIOWrapper(io.FileIO(os.dup(file.fileno()), "w"), encoding="utf-8", errors="backslashreplace", write_through=True)
            stack.enter_context(text)
            stack.enter_context(contextlib.redirect_stdout(text))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def _read(self, file: io.BufferedRandom) -> None:
        file.seek(0)
        self.lines = file.read().decode("utf-8", "backslashreplace").splitlines()


@contextlib.contextmanager
def on_standard_error(apart: bool = True) -> Iterator[None]:
    """What is printed meanwhile, by Python, by a library or by a child process, goes to standard error. apart: else nothing changes."""
    if not apart:
        yield
        return
    try:
        file = sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):
        file = STANDARD_OUTPUT
    with _descriptor_to(file), contextlib.redirect_stdout(sys.stderr):
        yield


@contextlib.contextmanager
def _descriptor_to(file: int) -> Iterator[None]:
    """What this process and its children write to standard output goes to a file; nothing where there is none, or Python's is elsewhere."""
    try:
        sys.stdout.flush()
        is_standard = sys.stdout.fileno() == STANDARD_OUTPUT
    except (OSError, ValueError, AttributeError):  # closed, or a stand-in in memory
        is_standard = False
    if not is_standard:
        yield
        return
    kept = os.dup(STANDARD_OUTPUT)
    try:
        os.dup2(file, STANDARD_OUTPUT)
        yield
    finally:
        os.dup2(kept, STANDARD_OUTPUT)
        os.close(kept)
