"""Where native code is kept on disk, and which source files it depends on.

Not hardware.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import time
from functools import lru_cache
from pathlib import Path

FORGET_SECONDS = 30 * 86400  # after which native code of another version that nobody has used is deleted


def cache_directory() -> Path:
    """Where native code is kept: below `$WARPLOOM_CACHE`, else the user's cache directory; one directory for each version."""
    home = os.environ.get("WARPLOOM_CACHE")
    base = Path(home) if home else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "warploom"
    return base / _cache_key()


@lru_cache(maxsize=1)
def _cache_key() -> str:
    from importlib.metadata import version

    package = MACHINE.parent
    digest = hashlib.sha256("|".join([sys.version, *(version(name) for name in ("numpy", "numba", "llvmlite"))]).encode())
    for path in files_of_units():
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


MACHINE = Path(__file__).parents[2]
MARKS = "unit|inlined|lanewise|out_of_line|record|native_twin"
MAKES_UNITS = re.compile(rf"^from warploom\.machine\.engine\.unit import (?:\([^)]*|.*)\b(?:{MARKS})\b", re.MULTILINE)
IMPORTS = re.compile(r"^from (warploom[\w.]*) import (\([^)]*|.*)", re.MULTILINE)


def files_of_units() -> list[Path]:
    """The files on which native code depends: those of units, those that they take constants from, and the compiler's.

    A change of any other file, a report's or a preset's, leaves what is compiled as it is.
    """
    root, engine = MACHINE.parents[1], Path(__file__).parent
    waiting = [path for path in MACHINE.glob("**/*.py") if path.parent == engine or MAKES_UNITS.search(path.read_text())]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for module, names in IMPORTS.findall(path.read_text()):
            place = root.joinpath(*module.split("."))
            inside = [place / f"{name}.py" for name in re.findall(r"\w+", names)] if place.is_dir() else []
            waiting += [file for file in (place.with_suffix(".py"), place / "__init__.py", *inside) if file.exists()]
    return sorted(found)


def forget_old_caches() -> None:
    """Delete native code of other versions of this package that no run has asked for in a month."""
    current = cache_directory()
    if current.parent.is_dir():
        for path in current.parent.iterdir():
            of_a_version = path.is_dir() and path != current and len(path.name) == len(current.name)
            if of_a_version and time.time() - path.stat().st_mtime > FORGET_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def _touch(directory: Path) -> None:
    """Note that a cache is in use. Where nothing can be written there is nothing to forget either."""
    with contextlib.suppress(OSError):
        os.utime(directory)


def _write(path: Path, data: bytes) -> None:
    """Write a file at once, so that no other process ever reads half of it. Where nothing can be written, the next run compiles again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(data)
        part.replace(path)
