"""The host program: a process of its own, what it prints, and how it ends.

Its standard input, output and error are this process's own. Where this process's standard output is not the real one (a notebook, a test,
`--json`), what the program prints comes through a pipe, in order with what kernels print.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from warploom.cuda_cpp.protocol import DEVICE

CHUNK = 1 << 16
GRACE_SECONDS = 2.0  # between asking a program to end and ending it


class Host:
    """A context manager: the program runs, and has ended afterwards, whatever happens.

    wire: the socket that it speaks through. `status`: its exit status when it has ended; 128 + n after signal n, as in a shell.
    """

    def __init__(self, program: Path, arguments: Sequence[str]) -> None:
        self.wire, theirs = socket.socketpair()
        self._piped = not _is_real(sys.stdout, 1)
        sys.stdout.flush()
        environment = dict(os.environ) | {DEVICE: str(theirs.fileno())}
        try:
            self.process = subprocess.Popen(
                arguments, executable=str(program), env=environment, pass_fds=(theirs.fileno(),),
                stdout=subprocess.PIPE if self._piped else None,
            )  # fmt: skip
        except BaseException:
            self.wire.close()
            raise
        finally:
            theirs.close()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.wire, selectors.EVENT_READ)
        self._output = self.process.stdout
        if self._output is not None:
            os.set_blocking(self._output.fileno(), False)
            self._selector.register(self._output, selectors.EVENT_READ)

    def __enter__(self) -> Host:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.wire.close()
        if self.process.poll() is None and kind is not None:
            self.process.terminate()
            try:
                self.process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._drain(to_the_end=kind is None)
        self.process.wait()
        self._selector.close()
        if self._output is not None:
            self._output.close()

    def wait_for_request(self) -> bool:
        """Until the program asks for something; false when it has closed its end. What it has printed by then is printed."""
        while True:
            ready = {key.fileobj for key, _ in self._selector.select()}
            self._drain()
            if self.wire in ready:
                return bool(self.wire.recv(1, socket.MSG_PEEK))

    def _drain(self, to_the_end: bool = False) -> None:
        """Print what the program has printed. to_the_end: all of it, until it closes its output."""
        if self._output is None or self._output.closed:
            return
        if to_the_end:
            os.set_blocking(self._output.fileno(), True)
        while data := self._output.read(CHUNK):
            sys.stdout.write(data.decode("utf-8", "replace"))
        sys.stdout.flush()
        if data == b"" and not to_the_end and self._output in self._selector.get_map():
            self._selector.unregister(self._output)

    def wait(self) -> int:
        """The program's exit status, once it has ended."""
        self._drain(to_the_end=True)
        code = self.process.wait()
        return code if code >= 0 else 128 - code

    @property
    def ending(self) -> str:
        """How it has ended where that was not by itself: "" or "by signal 11, a segmentation fault"."""
        code = self.process.returncode
        if code is None or code >= 0:
            return ""
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = ""
        meaning = signal.strsignal(-code) or name
        return f"signal {-code} ({name}: {meaning.lower()})"


def _is_real(stream: object, number: int) -> bool:
    """Whether a stream is the process's own of a number."""
    try:
        return stream.fileno() == number  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return False
