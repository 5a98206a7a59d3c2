"""Source files: their text, or what is wrong with them."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path

from warploom.isa.diagnostics import Diagnostics, SourceError, nearest
from warploom.isa.program import Position, Source

MOST_BYTES = 16 << 20  # of a source file

ELF_MAGIC = b"\x7fELF"  # 32 or 64 bits, byte order and version 1 follow in a byte each
BEGINNINGS = {
    ELF_MAGIC: "an ELF file",
    b"\x93NUMPY": "an array of NumPy",
    b"\x89PNG": "a PNG image",
    b"PK\3\4": "a zip archive",
    b"\x1f\x8b": "a file compressed by gzip",
    b"!<arch>\n": "a library of object files",
    b"BC\xc0\xde": "LLVM bitcode",
    b"MZ": "a program for Windows",
}

WRITER_SECONDS = 1.0  # how long somebody who writes to a named pipe is waited for


def bytes_of(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """The bytes of a file, which may be a pipe or a device. Raises OSError: also for more than `most`, and for a pipe nobody writes to."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    with open(handle, "rb") as file:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        first = _first_of_pipe(handle) if stat.S_ISFIFO(os.fstat(handle).st_mode) else b""
        if hasattr(os, "set_blocking"):
            os.set_blocking(handle, True)
        data = first + file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MiB", os.fspath(path))
    return data


def regular_text(path: str | os.PathLike[str]) -> str | None:
    """The text of a regular file, which something that was read has named; None for a pipe, a device, a large one, or none at all."""
    try:
        file = Path(path)
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return None
        return file.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return None


def _first_of_pipe(handle: int) -> bytes:
    """The first byte of a pipe, b"" where one that writes has not done so yet. Raises OSError when nobody writes to it."""
    end = time.monotonic() + WRITER_SECONDS
    while True:
        try:
            if first := os.read(handle, 1):
                return first
        except BlockingIOError:
            return b""
        if time.monotonic() > end:
            raise OSError(errno.EPIPE, "it is a pipe that nobody writes to")
        time.sleep(0.01)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file. Raises SourceError when it cannot be read or is larger than 16 MiB."""
    try:
        return bytes_of(path)
    except IsADirectoryError:
        raise error(path, "this is a directory, not a file", "name a file in it") from None
    except FileNotFoundError:
        raise error(path, "there is no such file", _neighbour(Path(path))) from None
    except (OSError, ValueError) as found:
        if isinstance(found, OSError) and found.errno == errno.EFBIG:
            raise error(path, f"this file is larger than {MOST_BYTES >> 20} MiB, which no program is", "") from None
        reason = found.strerror if isinstance(found, OSError) and found.strerror else str(found)
        raise error(path, f"this file cannot be read: {reason}", "") from None


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, UTF-8. Raises SourceError when it cannot be read, is not text, or is larger than 16 MiB."""
    return decoded(read_bytes(path), path)


def text_of(source: Path | bytes, path: str) -> str:
    """The text of a source that is a file or bytes; `path` is what messages call it. Raises SourceError."""
    return decoded(source, path) if isinstance(source, bytes) else read_text(source)


def decoded(data: bytes, path: str | os.PathLike[str]) -> str:
    """Bytes as text, UTF-8. Raises SourceError."""
    if b"\0" in data:
        looks = f"; it looks like {known}" if (known := kind_of(data)) else ""
        raise error(path, f"this is a binary file, not source text: byte {data.index(0)} is zero{looks}", "")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as found:
        raise error(path, f"this is not text in UTF-8: byte {found.start} is 0x{data[found.start]:02x}", "save the file as UTF-8") from None


def kind_of(data: bytes) -> str:
    """What bytes that are not text look like, with its article; "" where nothing is known of them."""
    for start, name in BEGINNINGS.items():
        if data.startswith(start):
            return name
    damaged = data[4:5] in (b"\1", b"\2") and data[5:6] in (b"\1", b"\2") and data[6:7] == b"\1"
    return "an ELF file whose first four bytes are damaged" if damaged else ""


def error(path: str | os.PathLike[str], message: str, fix: str) -> SourceError:
    """A SourceError about a file as a whole."""
    diagnostics = Diagnostics(Source("", os.fspath(path)))
    diagnostics.error(Position(), message, fix=fix)
    return SourceError(diagnostics.items, diagnostics.source)


def _neighbour(path: Path) -> str:
    """What a file that is not there may have been meant to be."""
    try:
        near = nearest(path.name, [other.name for other in path.parent.iterdir()])
    except OSError:
        return ""
    return f"look again at the name{near}" if near else ""
