"""What a host program says to the device: `runtime/protocol.h` in Python.

A request is a kind, four numbers and bytes; a reply is a status (a cudaError), a number and bytes.
"""

from __future__ import annotations

import socket
import struct
import time
from enum import IntEnum
from typing import NamedTuple

VERSION = 1
DEVICE = "WARPLOOM_DEVICE"  # the environment variable that names the descriptor
REQUEST = struct.Struct("<IIQQQQQ")
REPLY = struct.Struct("<iIQQ")
LAUNCH = struct.Struct("<3I3III")
COOPERATIVE = 1
MOST_BYTES = 1 << 32  # of a request
SOON = 1e-3  # seconds: what is already there can be read


class Kind(IntEnum):
    """What is asked for; `protocol.h` says with which numbers."""

    HELLO = 1
    MODULE = 2
    SYMBOL = 3
    FUNCTION = 4
    ALLOCATE = 5
    FREE = 6
    WRITE = 7
    READ = 8
    FILL = 9
    COPY = 10
    LAUNCH = 11
    TIME = 12
    MEMORY = 13
    MESSAGE = 14
    FAULT = 15
    OCCUPANCY = 16
    LARGEST = 17
    RESET = 18
    ELAPSE = 19
    LIBRARY = 20


class Request(NamedTuple):
    """One request."""

    kind: int
    a: int
    b: int
    c: int
    d: int
    data: bytearray


class Reply(NamedTuple):
    """One reply. status: a cudaError, 0 for success."""

    status: int = 0
    value: int = 0
    data: bytes | memoryview = b""


class Status(IntEnum):
    """The errors that the device answers with (CUDA Runtime API, enum cudaError)."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    INVALID_CONFIGURATION = 9
    INVALID_SYMBOL = 13
    INVALID_FUNCTION = 98
    INVALID_PTX = 218
    ILLEGAL_ADDRESS = 700
    OUT_OF_RESOURCES = 701
    TIMEOUT = 702
    ASSERT = 710
    STACK = 714
    ILLEGAL_INSTRUCTION = 715
    MISALIGNED = 716
    LAUNCH_FAILURE = 719
    NOT_SUPPORTED = 801
    COOPERATIVE_TOO_LARGE = 720


class Closed(Exception):
    """The other side has gone."""


def receive(wire: socket.socket, most: int = MOST_BYTES, seconds: float | None = None) -> Request:
    """The next request. most: bytes that it may have. seconds: for all of it, once it has begun; None for as long as it takes.

    Raises Closed where the program has ended, or says what is not a request.
    """
    end = None if seconds is None else time.monotonic() + seconds
    kind, _, a, b, c, d, size = REQUEST.unpack(_exactly(wire, REQUEST.size, end))
    if size > most:
        raise Closed
    return Request(kind, a, b, c, d, _exactly(wire, size, end))


def reply(wire: socket.socket, answer: Reply) -> None:
    """Send a reply. Raises Closed."""
    try:
        wire.sendall(REPLY.pack(answer.status, 0, answer.value, len(answer.data)))
        if len(answer.data):
            wire.sendall(answer.data)
    except OSError:
        raise Closed from None


def _exactly(wire: socket.socket, size: int, end: float | None) -> bytearray:
    found = bytearray(size)
    view, done = memoryview(found), 0
    while done < size:
        try:
            if end is not None:
                wire.settimeout(max(end - time.monotonic(), SOON))
            count = wire.recv_into(view[done:])
        except OSError:  # it has gone, or takes too long for the rest
            count = 0
        if not count:
            raise Closed
        done += count
    return found
