"""Messages between a judge and the guest that runs a program: a length, and JSON."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

from warploom.grade.runs import Stopped

LENGTH = struct.Struct("<Q")
MOST_BYTES = 128 << 20  # of a message
SOON = 1e-3  # seconds: what is already there can be read


class Ended(Exception):
    """The process has closed its end."""


def send(wire: socket.socket, body: Any) -> None:
    """Send a message. Raises Ended."""
    data = json.dumps(body).encode()
    try:
        wire.sendall(LENGTH.pack(len(data)) + data)
    except OSError:
        raise Ended from None


def receive(wire: socket.socket, seconds: float | None = None) -> Any:
    """The next message. seconds: for all of it; None for as long as it takes. Raises Ended, and Stopped for one that is not a message."""
    end = None if seconds is None else time.monotonic() + seconds
    (size,) = LENGTH.unpack(_exactly(wire, LENGTH.size, end))
    if size > MOST_BYTES:
        raise Stopped(f"it sent {size} bytes to the judge: {MOST_BYTES} are the most, of all arrays of a launch")
    try:
        return json.loads(_exactly(wire, size, end))
    except (ValueError, RecursionError):
        raise Stopped("it wrote to the judge's pipe") from None


def _exactly(wire: socket.socket, size: int, end: float | None) -> bytes:
    found = bytearray()
    while len(found) < size:
        try:
            if end is not None:
                wire.settimeout(max(end - time.monotonic(), SOON))
            data = wire.recv(min(size - len(found), 1 << 20))
        except OSError:
            data = b""
        if not data:
            raise Ended
        found += data
    return bytes(found)
