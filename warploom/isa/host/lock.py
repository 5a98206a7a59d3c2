"""A lock of a file, which one process holds at a time and which the system takes back when that process ends, however it ends.

Not hardware. A lock says who does a piece of work that several processes could do. A system without locks of files, as a browser, has
one process, which holds every lock.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from warploom.isa.host.user_cache import make_directory

HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK, errno.EWOULDBLOCK)  # what a system answers for a lock that another process holds


@contextlib.contextmanager
def lock(path: Path) -> Iterator[bool]:
    """Hold the lock of a file, which is created, for the body. False: another process holds it. Where no lock can be had, the body runs
    as if it had it: the work is then done twice and not never."""
    try:
        make_directory(path.parent)
        file = path.open("ab")
    except OSError:
        yield True
        return
    with file:
        yield _take(file)  # closing it gives it back


def _take(file: IO[bytes]) -> bool:
    try:
        try:
            import fcntl
        except ImportError:
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return True
    except OSError as error:
        return error.errno not in HELD
    return True
