"""The user's cache directory: what one run leaves there for the next, and whom to trust with it.

Not hardware. What lies there runs, as native code or as part of a program, so it is used only where nobody else can have put it there. A
directory or file that does not belong to the user, or to root, or that others may write to, is left alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

FORGET_SECONDS = 30 * 86400  # after which what nobody has used is deleted


class Untrusted(PermissionError):
    """place: what somebody else may have changed. why: as a few words."""

    def __init__(self, place: Path, why: str) -> None:
        super().__init__(errno.EACCES, why, str(place))
        self.place, self.why = place, why


def user_cache() -> Path:
    """The directory below which everything is kept: `$WARPLOOM_CACHE`, else one in the user's cache directory.

    Raises RuntimeError where the user has no home."""
    home = os.environ.get("WARPLOOM_CACHE")
    return Path(home) if home else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "warploom"


def check_trusted(directory: Path) -> None:
    """Raise Untrusted unless a directory, as far as there is one, and the one above are the user's, and others cannot write to it."""
    for place in (directory.parent, directory):
        try:
            wrong = (_wrong if place == directory else _owned)(place.stat(), stat.S_ISDIR)
        except FileNotFoundError:
            continue
        except OSError as error:
            wrong = error.strerror or str(error)
        if wrong:
            raise Untrusted(place, wrong)


def read(path: Path) -> bytes:
    """What a file of the cache holds. Raises OSError, also for one that somebody else owns or may write."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        if wrong := _wrong(os.fstat(handle), stat.S_ISREG):
            raise PermissionError(wrong)
        return file.read()


def keep(path: Path, data: bytes) -> None:
    """Write a file at once, so that no other process ever reads half of it, under a name that nobody knows beforehand. Raises OSError."""
    make_directory(path.parent)
    check_trusted(path.parent)
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def make_directory(path: Path) -> None:
    """A directory that only the user can read and write, with those above it. Raises OSError."""
    if not path.is_dir():
        make_directory(path.parent)
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def _wrong(found: os.stat_result, kind: Callable[[int], bool]) -> str:
    """Why what is there may hold somebody else's code, or ""."""
    if wrong := _owned(found, kind):
        return wrong
    return "others may write to it (chmod go-w)" if hasattr(os, "geteuid") and found.st_mode & 0o022 else ""


def _owned(found: os.stat_result, kind: Callable[[int], bool]) -> str:
    if not kind(found.st_mode):
        return "it is something else"
    return "it belongs to somebody else" if hasattr(os, "geteuid") and found.st_uid not in (os.geteuid(), 0) else ""
