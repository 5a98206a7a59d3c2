"""A locked process of a program with its own host code: started, listened to, answered, ended."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from warploom.grade.guard import STARTING, environment
from warploom.grade.host.wire import Ended
from warploom.grade.runs import Stopped

START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from warploom.grade.host.guest import {0}; {0}(int(sys.argv[2]))"
WIRE_SECONDS = 10.0  # for a message that has begun
MOST_TOLD = 2000  # characters of standard error

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Limits:
    """seconds of processor time; memory: MiB; output: KiB on standard output."""

    seconds: int
    memory: int
    output: int


class Child:
    """A context manager: a process with a wire, a text as its standard input. It has ended afterwards, whatever happens.

    printed, told: what came on standard output, and the end of what came on standard error.
    """

    def __init__(self, entry: str, text: str, limits: Limits) -> None:
        self.limits, self.printed, self.told, self.status = limits, b"", b"", 0
        self.folder = tempfile.TemporaryDirectory(prefix="warploom-guest-")
        self.wire, theirs = socket.socketpair()
        self.wire.settimeout(WIRE_SECONDS)
        with tempfile.TemporaryFile() as given:
            given.write(text.encode())
            given.seek(0)
            try:
                self.process = subprocess.Popen(
                    [sys.executable, "-I", "-c", START.format(entry), json.dumps([one for one in sys.path if one]), str(theirs.fileno())],
                    stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=(theirs.fileno(),), cwd=self.folder.name,
                    env=environment(self.folder.name), start_new_session=True,
                )  # fmt: skip
            finally:
                theirs.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.wire.close()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        self.folder.cleanup()

    def serve(self, take: Callable[[], T], answer: Callable[[T], R | None], give: Callable[[R], None]) -> None:
        """Listen until the process ends. take: reads a message from the wire; answer: the reply to it, None for none; give: sends a reply.

        take and give raise Ended. Time that an answer takes is not the process's; how long it sends and receives is.
        Raises Stopped for what passes the limits, and for an end by a signal.
        """
        out, told = self.process.stdout, self.process.stderr
        assert out is not None and told is not None
        deadline = time.monotonic() + self.limits.seconds + STARTING
        with selectors.DefaultSelector() as streams:
            for stream in (self.wire, out, told):
                streams.register(stream, selectors.EVENT_READ)
            while streams.get_map():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Stopped(f"it was still running after {self.limits.seconds} seconds")
                for key, _ in streams.select(left):
                    if key.fileobj is self.wire:
                        try:
                            message = take()
                            begin = time.monotonic()
                            reply = answer(message)
                            deadline += time.monotonic() - begin
                            self.wire.settimeout(WIRE_SECONDS)
                            if reply is not None:
                                give(reply)
                        except Ended:
                            streams.unregister(self.wire)
                        continue
                    data = os.read(key.fd, 1 << 16)
                    if not data:
                        streams.unregister(key.fileobj)
                    elif key.fileobj is out:
                        self.printed += data
                        if len(self.printed) > self.limits.output << 10:
                            raise Stopped(f"it printed more than {self.limits.output} KiB")
                    else:
                        self.told = (self.told + data)[-MOST_TOLD:]
        try:
            self.status = self.process.wait(max(deadline - time.monotonic(), 1))
        except subprocess.TimeoutExpired:
            raise Stopped(f"it was still running after {self.limits.seconds} seconds") from None
        if self.status < 0:
            raise Stopped(self._signal(-self.status))

    def _signal(self, number: int) -> str:
        if number in (signal.SIGXCPU, signal.SIGKILL):
            return f"it was stopped: it took more than {self.limits.seconds} seconds of processor time, or more memory than there is"
        said = self.told.decode("utf-8", "replace").strip().splitlines()
        last = f"; its last words: {said[-1]}" if said else ""
        with suppress(ValueError):
            return f"its process was ended by {signal.Signals(number).name}{last}"
        return f"its process was ended by signal {number}{last}"
