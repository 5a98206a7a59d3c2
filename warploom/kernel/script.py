"""Running a program with its kernels on a simulated GPU: a Python file, a notebook, CUDA C++ (`programs.py`)."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from warploom.device import Device
from warploom.gpu import GPU
from warploom.isa.diagnostics import Diagnostics, Source, SourceError
from warploom.isa.program import Position, Program
from warploom.kernel import notebook, python_program
from warploom.kernel.device.context import CURRENT, OWN
from warploom.kernel.programs import PYTHON, kind_of
from warploom.result import Result

PACKAGE = Path(__file__).parents[1]
LIBRARIES = (str(Path(traceback.__file__).parent), str(Path(np.__file__).parent))  # which this package calls
Before = Callable[[Program, Device], dict[str, Any]]
Watch = Callable[[Result], None]


class Enough(BaseException):
    """The launch that was wanted has been seen: the program need not go on."""


def run_script(
    path: str | Path,
    arguments: Sequence[str] = (),
    *,
    gpu: GPU | None = None,
    before: Before | None = None,
    watch: Watch | None = None,
    words: Sequence[str] = (),
    started: Any = None,
    compiler: str = OWN,
) -> None:
    """Run a program: a Python file, a notebook, or CUDA C++.

    before: is asked for further options of `Device.run` before every launch; watch: is handed every result. words: what the compiler of
    CUDA C++ is told, as nvcc is. started: of CUDA C++, the process that has begun already.
    compiler: of kernels in Python, "own" or "nvidia".

    Raises whatever the program raises, SystemExit where it ends itself, and SourceError where it cannot be run.
    """
    kind = kind_of(path) or PYTHON
    CURRENT.use(gpu, 0 if CURRENT.check is not None else kind.memory_bytes)  # checks keep tables as large as memory
    saved = CURRENT.before, CURRENT.watch, CURRENT.compiler
    CURRENT.before, CURRENT.watch, CURRENT.compiler = before, watch, compiler
    try:
        kind.run(path, arguments, words, *([started] if started is not None else ()))
    except Enough:
        pass
    finally:
        CURRENT.before, CURRENT.watch, CURRENT.compiler = saved
        CURRENT.use(None)


def own_traceback(error: BaseException) -> TracebackType | None:
    """The part of an exception's traceback from the program's own first line on, if a program in `run_script` raised it; else None."""
    step, inside = error.__traceback__, False
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        if name in (__file__, notebook.__file__, python_program.__file__):
            inside = True
        elif inside and not name.startswith("<frozen "):
            return step
        step = step.tb_next
    return None


def misuse(error: BaseException) -> SourceError | None:
    """A mistake in how a program uses kernels and arrays, with the place in the program; None for any other exception.

    It is one that this package has raised, or NumPy for it, called directly from a line of the program: a launch without a grid, too many
    threads.
    """
    begin = own_traceback(error)
    if begin is None or isinstance(error, SourceError) or not isinstance(error, TypeError | ValueError | NotImplementedError):
        return None  # a SourceError has its place already
    frames = traceback.extract_tb(begin)
    theirs = [place for place, frame in enumerate(frames) if not frame.filename.startswith((str(PACKAGE), *LIBRARIES))]
    if not theirs or not any(frame.filename.startswith(str(PACKAGE)) for frame in frames[theirs[-1] + 1 :][:1]):
        return None
    last = frames[theirs[-1]]
    if last.lineno is None or last.colno is None:
        return None
    source = Source("".join(linecache.getlines(last.filename)), last.filename)
    length = (last.end_colno or 0) - last.colno if last.end_lineno == last.lineno else 1
    said = Diagnostics(source)
    said.error(Position(last.lineno, last.colno + 1), str(error), max(length, 1))
    return SourceError(said.items, source)
