"""Starts a guest, reads what it says, and ends it: the judge's side of the pipe."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warploom.grade.described import MOST_BYTES

START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from warploom.grade.guest import main; main(int(sys.argv[2]))"
STARTING = 20  # seconds more, for the imports of a guest on a busy machine
PUZZLES = Path(__file__).parent / "puzzles"


@dataclass(frozen=True)
class Delivery:
    """What came of a guest. locked: names of PROTECTIONS; None where it never came so far. found: its answer, or {"error": ...}.

    printed: the end of what the submission has printed.
    """

    locked: tuple[str, ...] | None
    found: dict[str, Any]
    printed: str


def ask_guest(
    source: str, path: str, kernel: str, *, seconds: int, memory: int, output: int, hidden: Sequence[Path] = (), unit: bool = False
) -> Delivery:
    """Have a submission executed by a guest. seconds; memory: MiB; output: KiB that it may print."""
    order = {
        "source": source, "path": path, "kernel": kernel, "seconds": seconds, "memory": memory, "unit": unit,
        "hidden": [str(one) for one in (PUZZLES, *hidden)],
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="warploom-guest-") as folder:
        read, write = os.pipe()
        try:
            child = subprocess.Popen(
                [sys.executable, "-I", "-c", START, json.dumps([one for one in sys.path if one]), str(write)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=(write,), cwd=folder,
                env=environment(folder), start_new_session=True,
            )  # fmt: skip
        finally:
            os.close(write)
        try:
            return _listen(child, read, json.dumps(order).encode(), seconds, output)
        finally:
            os.close(read)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()


def environment(folder: str) -> dict[str, str]:
    """What a guest sees of the environment: nothing that the command was given."""
    return {"PATH": os.defpath, "HOME": folder, "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def _listen(child: subprocess.Popen[bytes], pipe: int, order: bytes, seconds: int, output: int) -> Delivery:
    assert child.stdin is not None and child.stdout is not None
    with suppress(BrokenPipeError):
        child.stdin.write(order)
        child.stdin.close()
    said, printed, count, error = b"", b"", 0, ""
    deadline = time.monotonic() + seconds + STARTING
    with selectors.DefaultSelector() as streams:
        streams.register(pipe, selectors.EVENT_READ, "said")
        streams.register(child.stdout, selectors.EVENT_READ, "printed")
        while streams.get_map() and not error and said.count(b"\n") < 2:
            left = deadline - time.monotonic()
            if left <= 0:
                error = f"it was still running after {seconds} seconds"
                break
            for key, _ in streams.select(left):
                data = os.read(key.fd, 1 << 16)
                if not data:
                    streams.unregister(key.fileobj)
                elif key.data == "said":
                    said += data
                    if len(said) > 2 * MOST_BYTES:
                        error = "it wrote to the judge's pipe"
                else:
                    count += len(data)
                    printed = (printed + data)[-2000:]
                    if count > output << 10:
                        error = f"it printed more than {output} KiB"
            if b"\n" in said and deadline > (later := time.monotonic() + seconds):
                deadline = later  # its own code runs from here on
    return _read(child, said, printed, error, seconds)


def _read(child: subprocess.Popen[bytes], said: bytes, printed: bytes, error: str, seconds: int) -> Delivery:
    lines = said.split(b"\n")
    locked = None
    text = printed.decode("utf-8", "replace")
    with suppress(ValueError, KeyError, TypeError):
        locked = tuple(map(str, json.loads(lines[0])["locked"]))
    if not error and len(lines) >= 3:
        try:
            found = json.loads(lines[1])
            if isinstance(found, dict) and ("functions" in found or isinstance(found.get("error"), str)):
                return Delivery(locked, found, text)
        except (ValueError, RecursionError):
            pass
        error = "it wrote to the judge's pipe"
    if not error:
        with suppress(subprocess.TimeoutExpired):
            child.wait(1)
        status = child.poll()
        error = "its process ended before its kernels were ready"
        if status is not None and status < 0:
            number = -status
            if number in (signal.SIGXCPU, signal.SIGKILL):
                error = f"it was stopped: it took more than {seconds} seconds of processor time, or more memory than there is"
            else:
                error = f"its process was ended by {signal.Signals(number).name}"
        elif status:
            error = f"{error}, with exit status {status}"
    return Delivery(locked, {"error": error}, text)
