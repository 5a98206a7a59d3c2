"""Where native code is kept on disk, and which source files it depends on.

Not hardware. What lies in the cache is run as the user's own program, so it is trusted only where nobody else can have put it there
(`isa/host/user_cache.py`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from glob import glob
from importlib.util import find_spec
from pathlib import Path

from warploom.isa.host import user_cache
from warploom.isa.host.user_cache import FORGET_SECONDS


def cache_directory() -> Path:
    """Where native code is kept: below `$WARPLOOM_CACHE`, else the user's cache directory; one directory for each version."""
    return user_cache.user_cache() / _cache_key()


@lru_cache(maxsize=1)
def _cache_key() -> str:
    """A digest of all that native code depends on. To read 200 files takes a tenth of a second, so it is noted, with their times."""
    versions = [Path(str(find_spec(file.partition("/")[0]).origin)).with_name(file.partition("/")[2]) for file in VERSIONS]  # type: ignore[union-attr]
    noted, state = user_cache.user_cache() / KEYS / hashlib.sha256(str(MACHINE).encode()).hexdigest()[:16], _state(versions)
    with contextlib.suppress(OSError, ValueError):
        before, key = user_cache.read(noted).decode().split()
        if before == state:
            return key
    key = _key_of(versions)
    if noted.parent.parent.is_dir():  # something is kept there already
        with contextlib.suppress(OSError):
            user_cache.keep(noted, f"{state} {key}\n".encode())
    return key


def _state(versions: list[Path]) -> str:
    """A digest of when the files on which native code may depend were changed last, and of how long they are."""
    digest = hashlib.sha256(sys.version.encode())
    files = [*map(str, versions), *(file for room in READ for file in _python_files(f"{MACHINE.parent}/{room}"))]
    for file in sorted(files):
        found = os.stat(file)
        digest.update(f"{file} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}\n".encode())
    return digest.hexdigest()


def _python_files(directory: str) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.path
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _python_files(entry.path)


def _key_of(versions: list[Path]) -> str:
    package = MACHINE.parent
    digest = hashlib.sha256(sys.version.encode())
    for path in versions:  # read, and not asked for: Numba takes half a second to import
        digest.update(path.read_bytes())
    for path, text in files_of_units().items():
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(text.encode())
    return digest.hexdigest()[:16]


MACHINE = Path(__file__).parents[2]
ROOMS = ("machine", "checks", "graphics")  # of the package: those with units
READ = (*ROOMS, "isa")  # those with a file on which native code depends
KEYS = "keys"  # of the user's cache: what `_cache_key` was for an installation
VERSIONS = ("numpy/version.py", "numba/_version.py", "llvmlite/_version.py")
MARKS = "unit|inlined|lanewise|out_of_line|record|native_twin"
MAKES_UNITS = re.compile(rf"^from warploom\.machine\.engine\.unit import (?:\([^)]*|.*)\b(?:{MARKS})\b", re.MULTILINE)
MAKES_BUNDLES = re.compile(r"^class \w+\(.*\bBundle\b", re.MULTILINE)  # native code knows how wide their tables are
IMPORTS = re.compile(r"^from (warploom[\w.]*) import (\([^)]*|.*)", re.MULTILINE)


def files_of_units() -> dict[Path, str]:
    """The files on which native code depends, with what they hold: those of units and of the tables that units are handed, those that they
    take constants from, the compiler's.

    A change of any other file, a report's or a preset's, leaves what is compiled as it is.
    """
    root, engine = MACHINE.parents[1], Path(__file__).parent
    texts = {Path(file): _text(file) for room in ROOMS for file in glob(f"{MACHINE.parent}/{room}/**/*.py", recursive=True)}
    waiting = [path for path, text in texts.items() if path.parent == engine or MAKES_UNITS.search(text) or MAKES_BUNDLES.search(text)]
    found: dict[Path, str] = {}
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found[path] = texts[path] if path in texts else _text(path)
        for module, names in IMPORTS.findall(found[path]):
            place = root.joinpath(*module.split("."))
            inside = [place / f"{name}.py" for name in re.findall(r"\w+", names)] if place.is_dir() else []
            waiting += [file for file in (place.with_suffix(".py"), place / "__init__.py", *inside) if file.exists()]
    return dict(sorted(found.items()))


def fits_directory() -> Path:
    """Where native code is kept that is fitted to one machine."""
    return cache_directory() / "fitted"


def has_fits() -> bool:
    """Whether any machine has been fitted: otherwise a run need not ask what its own settings are."""
    return fits_directory().is_dir()


def _text(file: Path | str) -> str:
    with open(file, encoding="utf-8", newline="") as opened:
        return opened.read()


def forget_old_caches() -> None:
    """Delete native code of other versions of this package that no run has asked for in a month."""
    import shutil  # whose import takes 2 ms of a short run

    current = cache_directory()
    if current.parent.is_dir():
        for path in current.parent.iterdir():
            of_a_version = path.is_dir() and path != current and len(path.name) == len(current.name)
            if of_a_version and time.time() - path.stat().st_mtime > FORGET_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def forget_old_fits() -> None:
    """Delete code that is fitted to machines which nobody has run in a month."""
    for path in fits_directory().glob("*.piece"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > FORGET_SECONDS:
                path.unlink()


def untrusted() -> str:
    """Why nothing is read from the cache or written to it, as a sentence; "" where it may be used.

    What lies there is run. So the directory of this version, and the one in it for single machines, must belong to the user, or to root,
    and nobody else may write to them.
    """
    try:
        for directory in (cache_directory(), fits_directory()):
            user_cache.check_trusted(directory)
    except user_cache.Untrusted as found:
        return _not_used(found)
    return ""


def keep(path: Path, data: bytes) -> str:
    """Keep a file. Returns why that was not possible, or "": then the next run compiles again."""
    try:
        user_cache.keep(path, data)
    except user_cache.Untrusted as found:
        return _not_used(found)
    except OSError as error:
        return f"native code cannot be kept in {path.parent}: {error.strerror or error}"
    return ""


def _not_used(found: user_cache.Untrusted) -> str:
    return f"the cache of native code, {found.place}, is not used: {found.why}"


def touch(path: Path | None = None) -> None:
    """Note that the cache, or a file in it, is in use. Where nothing can be written there is nothing to forget either."""
    with contextlib.suppress(OSError):
        os.utime(path or cache_directory())
