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
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from warploom.device import Device
from warploom.gpu import GPU
from warploom.isa.diagnostics import Diagnostics, Source, SourceError
from warploom.isa.program import Position, Program
from warploom.isa.reading import decoded, read_bytes
from warploom.isa.reading import error as reading_error
from warploom.kernel import notebook
from warploom.kernel.device.context import CURRENT
from warploom.kernel.place import in_numbas_place
from warploom.result import Result

PACKAGE = Path(__file__).parents[1]
STANDARD_LIBRARY = str(Path(traceback.__file__).parent)
Before = Callable[[Program, Device], dict[str, Any]]
Watch = Callable[[Result], None]


class Enough(BaseException):
    """The launch that was wanted has been seen: the program need not go on."""


def run_script(
    path: str | Path, arguments: Sequence[str] = (), *, gpu: GPU | None = None, before: Before | None = None, watch: Watch | None = None
) -> None:
    """Run a Python file or a notebook.

    before: is asked for further options of `Device.run` before every launch; watch: is handed every result.

    Raises whatever the program raises, SystemExit where it ends itself, and SourceError where it is no Python.
    """
    if not notebook.is_notebook(path):
        _parse(path)
    CURRENT.use(gpu)
    saved = CURRENT.before, CURRENT.watch
    CURRENT.before, CURRENT.watch = before, watch
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
    except Enough:
        pass
    finally:
        sys.argv = argv
        if directory in sys.path:
            sys.path.remove(directory)
        CURRENT.before, CURRENT.watch = saved
        CURRENT.use(None)


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


def own_traceback(error: BaseException) -> TracebackType | None:
    """Of an exception that a program raised in `run_script`, the part from the program's own first line on; None of any other."""
    step, inside = error.__traceback__, False
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        if name in (__file__, notebook.__file__):
            inside = True
        elif inside and not name.startswith("<frozen "):
            return step
        step = step.tb_next
    return None


def misuse(error: BaseException) -> SourceError | None:
    """A mistake in how a program uses kernels and arrays, with the place in the program; None for any other exception.

    It is one that this package has raised, called directly from a line of the program: a launch without a grid, too many threads.
    """
    begin = own_traceback(error)
    if begin is None or isinstance(error, SourceError) or not isinstance(error, TypeError | ValueError | NotImplementedError):
        return None  # a SourceError has its place already
    frames = traceback.extract_tb(begin)
    theirs = [place for place, frame in enumerate(frames) if not frame.filename.startswith((str(PACKAGE), STANDARD_LIBRARY))]
    if not theirs or theirs[-1] == len(frames) - 1:
        return None
    last = frames[theirs[-1]]
    if last.lineno is None or last.colno is None:
        return None
    source = Source("".join(linecache.getlines(last.filename)), last.filename)
    length = (last.end_colno or 0) - last.colno if last.end_lineno == last.lineno else 1
    said = Diagnostics(source)
    said.error(Position(last.lineno, last.colno + 1), str(error), max(length, 1))
    return SourceError(said.items, source)


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
