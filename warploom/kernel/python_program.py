"""Running a Python program with its kernels on a simulated GPU: `numba.cuda` is warploom's there.

The program runs in this process, with its own `sys.argv` and directory. What it asks of `numba.cuda` and of `warploom.cuda` is the
same module (place.py); texts that it gives to `exec` are kept, so that kernels made from them have a source.
"""

from __future__ import annotations

import builtins
import gc
import itertools
import linecache
import runpy
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from warploom.isa.diagnostics import Diagnostics, Source, SourceError
from warploom.isa.program import Position
from warploom.isa.reading import decoded, read_bytes
from warploom.isa.reading import error as reading_error
from warploom.kernel import notebook
from warploom.kernel.place import in_numbas_place


def run(path: str | Path, arguments: Sequence[str], words: Sequence[str]) -> None:
    """Run a Python file or a notebook. words: for a compiler, which is not there.

    Raises whatever the program raises, SystemExit where it ends itself, and SourceError where it is not Python.
    """
    if not notebook.is_notebook(path):
        _parse(path)
    argv, directory = sys.argv, str(Path(path).resolve().parent)
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, directory)
    gc.freeze()  # what is there now lives to the end: whoever looks for what the program has left need not look through it
    try:
        with in_numbas_place(), _kept_texts():
            if notebook.is_notebook(path):
                notebook.run_cells(path)
            else:
                runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.argv = argv
        if directory in sys.path:
            sys.path.remove(directory)


def _parse(path: str | Path) -> None:
    """Raise SourceError, with its place, where a file does not parse; what a pipe holds can be read once only."""
    if not Path(path).is_file():
        return
    data = read_bytes(path)
    if b"\0" in data:
        decoded(data, path)  # says so
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are shown when the program is compiled to be run
            compile(data, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        found = Diagnostics(Source(data.decode("utf-8", "replace"), str(path)))
        length = (error.end_offset or 0) - (error.offset or 0) if error.end_lineno == error.lineno else 1
        found.error(Position(error.lineno or 0, error.offset or 0), f"this is not Python: {error.msg}", max(length, 1))
        raise SourceError(found.items, found.source) from None
    except RecursionError:
        raise reading_error(path, "an expression is nested too deeply for Python", "write parts of it one after the other") from None


def keeping_texts(run: Callable[..., None]) -> Callable[..., None]:
    """`exec` that keeps a text in `linecache`, where a kernel's source is looked for. run: the plain one."""
    numbers = itertools.count(1)

    def execute(source: Any, *args: Any, **named: Any) -> None:
        if not args and not named:
            frame = sys._getframe(1)
            args = (frame.f_globals, frame.f_locals)
        if isinstance(source, str):
            path = f"<text {next(numbers)}>"
            linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
            source = compile(source, path, "exec")
        run(source, *args, **named)

    return execute


@contextmanager
def _kept_texts() -> Iterator[None]:
    plain = builtins.exec
    builtins.exec = keeping_texts(plain)
    try:
        yield
    finally:
        builtins.exec = plain
