"""Output files that are whole or not there: written beside their target, which they replace when everything is written."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from warploom.cli.common import UserError
from warploom.observe.text.whole_file import beside

STANDARD_OUTPUT = "-"


class OutputFile:
    """A file that is being written; a context manager that puts it in place at the end, or leaves nothing behind after an exception.

    path: `-` is standard output; what is not an ordinary file (a pipe, /dev/null) is written to as it stands; a name that ends in .gz is
    compressed. binary: bytes are written, not text. Raises UserError when it cannot be written, as a rule at once and not after a long run.
    """

    def __init__(self, path: str, *, binary: bool = False) -> None:
        self.path, self.target, self.binary = path, Path(path), binary
        self.place: Path | None = None  # where it is written: beside the target, or the target itself
        self._file: IO[Any] | None = None
        self._raw: IO[bytes] | None = None  # below a compressed file, which does not close it
        if path == STANDARD_OUTPUT:
            self._file = sys.stdout.buffer if binary else sys.stdout
            return
        try:
            self.target = self.target.resolve()
            if self.target.is_dir():
                raise UserError(f"{path} is a directory: name a file in it")
            self.place = self.target
            if not self.target.exists() or self.target.is_file():
                self.place = beside(self.target)
            self._file = self._opened(self.place)
        except (OSError, ValueError, RuntimeError) as error:
            raise self._cannot(error) from None

    def _opened(self, place: Path) -> IO[Any]:
        if self.target.suffix != ".gz":
            return place.open("wb") if self.binary else place.open("w", encoding="utf-8")
        self._raw = place.open("wb")
        # Level 1: a trace shrinks thirtyfold even so. Neither name nor time in it, so that the same run gives the same file.
        import gzip

        packed: Any = gzip.GzipFile("", "wb", 1, self._raw, mtime=0)
        return packed if self.binary else io.TextIOWrapper(packed, encoding="utf-8")

    @contextlib.contextmanager
    def stream(self) -> Iterator[IO[Any]]:
        """The open file, for a library that writes to one; as `write`, it raises UserError when it cannot be written."""
        assert self._file is not None
        try:
            yield self._file
        except OSError as error:
            if self.place is None:
                raise
            raise self._cannot(error) from None

    def write(self, text: str) -> None:
        """Add to the file. Raises UserError, but for standard output the error of the system: a closed pipe is nobody's mistake."""
        assert self._file is not None
        if self.place is None:
            self._file.write(text)
            return
        try:
            self._file.write(text)
        except OSError as error:
            raise self._cannot(error) from None

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.place is None:
            if kind is None:
                sys.stdout.flush()
            return
        try:
            self._close(keep=kind is None)
        except OSError as failure:
            if kind is None:
                raise self._cannot(failure) from None

    def _close(self, *, keep: bool) -> None:
        assert self._file is not None and self.place is not None
        try:
            self._file.close()
            if self._raw is not None:
                self._raw.close()
            if keep and self.place != self.target:
                if self.target.exists():
                    self.place.chmod(self.target.stat().st_mode & 0o777)
                self.place.replace(self.target)
        finally:
            if self.place != self.target:
                with contextlib.suppress(OSError):
                    self.place.unlink(missing_ok=True)

    def _cannot(self, error: Exception) -> UserError:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return UserError(f"{self.path} cannot be written: {reason}")
