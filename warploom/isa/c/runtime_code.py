"""The runtime of programs in C: one object file for each target and level of optimisation, compiled once and kept in the user's cache.

What a kernel is linked with is the same for all kernels, and takes several times as long to compile as a kernel. The object's name is made
from all that it depends on: the texts of the runtime and of its headers, the command, the compiler. Where nothing can be kept, or nothing
that is kept can be trusted, it is compiled each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from warploom.isa.host.user_cache import FORGET_SECONDS, check_trusted, keep, read, user_cache

FOLDER = "cc"  # below the user's cache
SUFFIX = ".o"
MAGIC = b"\x7fELF"
DIGEST = hashlib.sha256().digest_size  # bytes that lie before an object, of its contents: a damaged one is compiled again
USED_SECONDS = 86400  # so often its use is noted


def runtime_object(to: Path, key: str, compiled: Callable[[], object]) -> None:
    """Puts the object at `to`. key: of `key_of`. compiled: makes it there where none is kept."""
    try:
        kept = user_cache() / FOLDER / f"{key}{SUFFIX}"
    except RuntimeError:  # the user has no home
        compiled()
        return
    if (known := _known(kept)) is not None:
        to.write_bytes(known)
        return
    compiled()
    made = to.read_bytes()
    with contextlib.suppress(OSError):
        keep(kept, hashlib.sha256(made).digest() + made)
        _forget(kept.parent)


def key_of(command: Sequence[str], texts: Sequence[Path], compiler: Path) -> str:
    """What an object depends on. command: how it is made, without places of this machine. compiler: its file."""
    digest = hashlib.sha256("\0".join(command).encode())
    for path in texts:
        digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    about = compiler.stat()
    digest.update(f"\0{compiler} {about.st_size} {about.st_mtime_ns}".encode())
    return digest.hexdigest()[:32]


def _known(kept: Path) -> bytes | None:
    try:
        check_trusted(kept.parent)
        data = read(kept)
    except OSError:
        return None
    found = data[DIGEST:]
    if not found.startswith(MAGIC) or hashlib.sha256(found).digest() != data[:DIGEST]:
        return None
    with contextlib.suppress(OSError):
        if time.time() - kept.stat().st_mtime > USED_SECONDS:
            os.utime(kept)
    return found


def _forget(folder: Path) -> None:
    """Delete objects that no run has asked for in a month."""
    for path in folder.glob(f"*{SUFFIX}"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > FORGET_SECONDS:
                path.unlink()
