"""A file that is whole or not there: written beside its target under a hidden name, and put in its place when everything is written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any


def beside(target: Path) -> Path:
    """A hidden name beside a file, which nobody knows beforehand."""
    return target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}")


def _packed(place: Path, mode: dict[str, str]) -> Any:
    import gzip  # which few runs need

    return gzip.open(place, **mode)  # type: ignore[call-overload]


@contextlib.contextmanager
def whole_file(path: str | Path, *, binary: bool) -> Iterator[IO[Any]]:
    """An open file that takes its place when everything is written. A name that ends in .gz is compressed; text is UTF-8.

    What is not an ordinary file (a pipe, /dev/null) is written to as it stands. Raises OSError, which names the target.
    """
    target = Path(path).resolve()
    ordinary = not target.exists() or target.is_file()
    place = beside(target) if ordinary else target
    mode = {"mode": "wb"} if binary else {"mode": "wt", "encoding": "utf-8", "newline": ""}
    try:
        with _packed(place, mode) if target.suffix == ".gz" else place.open(**mode) as file:  # type: ignore[call-overload]
            yield file
        if ordinary:
            if target.exists():
                place.chmod(target.stat().st_mode & 0o777)
            place.replace(target)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    finally:
        if ordinary:
            place.unlink(missing_ok=True)
