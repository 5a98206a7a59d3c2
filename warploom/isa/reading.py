"""Source files: their text, or what is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path

from warploom.isa.diagnostics import Diagnostics, SourceError, nearest
from warploom.isa.program import Position, Source

MOST_BYTES = 16 << 20  # of a source file


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file. Raises SourceError when it cannot be read or is larger than 16 MiB."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except IsADirectoryError:
        raise error(path, "this is a directory, not a file", "name a file in it") from None
    except FileNotFoundError:
        raise error(path, "there is no such file", _neighbour(Path(path))) from None
    except (OSError, ValueError) as found:
        reason = found.strerror if isinstance(found, OSError) and found.strerror else str(found)
        raise error(path, f"this file cannot be read: {reason}", "") from None
    if len(data) > MOST_BYTES:
        raise error(path, f"this file is larger than {MOST_BYTES >> 20} MiB, which no program is", "")
    return data


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, UTF-8. Raises SourceError when it cannot be read, is no text, or is larger than 16 MiB."""
    return decoded(read_bytes(path), path)


def text_of(source: Path | bytes, path: str) -> str:
    """The text of a source that is a file or bytes; `path` is what messages call it. Raises SourceError."""
    return decoded(source, path) if isinstance(source, bytes) else read_text(source)


def decoded(data: bytes, path: str | os.PathLike[str]) -> str:
    """Bytes as text, UTF-8. Raises SourceError."""
    if b"\0" in data:
        raise error(path, f"this is a binary file, not source text: byte {data.index(0)} is zero", "")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as found:
        raise error(path, f"this is not text in UTF-8: byte {found.start} is 0x{data[found.start]:02x}", "save the file as UTF-8") from None


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
