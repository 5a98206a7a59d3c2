"""The command `warploom` as a process: it begins and ends quickly.

A short run makes a few hundred thousand objects that live to its end. To look for garbage among them, and to take each apart when the
process ends, would take a quarter of its time. So garbage is looked for less often, and a process ends as soon as its output is written.
Where a Python program of the user's has run, what it has made is taken apart first, and files that it has left open are written; one with
threads, or with classes in other files that want to see the end, has an ordinary end.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
import sysconfig
import threading
from typing import Any

from warploom.cli import main

OBJECTS = 200_000  # made between two looks for garbage, more than a short run makes; Python's own 700 are for programs that live long
PROGRAMS = "warploom.kernel.script"  # the module that runs what a user has written


def run() -> None:
    """Run the command line, and end the process."""
    gc.set_threshold(OBJECTS, 20, 20)
    try:
        main(prog_name="warploom")
    except SystemExit as leaving:
        if isinstance(leaving.code, int | None) and threading.active_count() == 1 and _left_in_order():
            _leave(leaving.code or 0)
        raise


def nvcc() -> None:
    """`warploom-nvcc`: `warploom nvcc` under a name of one word, as CMake's CMAKE_CUDA_COMPILER wants it."""
    sys.argv[1:1] = ["nvcc"]
    run()


def _left_in_order() -> bool:
    """Take apart what a user's program has left, and write its files; False where only an ordinary end does that in full."""
    if PROGRAMS not in sys.modules:
        return True
    gc.collect()  # what was there before the program began is not looked at: `script.run_script` has put it aside
    objects = [(one, type(one)) for one in gc.get_objects()]  # a weak proxy says that it is something else, or raises
    if any(issubclass(kind, type) and "__del__" in vars(one) and _is_the_users(one.__module__) for one, kind in objects):
        return False
    for base in (io.TextIOBase, io.IOBase):  # a text has its bytes in a file below it
        for one, kind in objects:
            if issubclass(kind, base) and one is not sys.stdout and one is not sys.stderr:
                _flush(one)
    return True


def _is_the_users(module: str) -> bool:
    """Whether a module is neither Python's own nor of an installed package."""
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    packages = [place for place in sys.path if os.path.basename(place) in ("site-packages", "dist-packages")]
    return bool(file) and not file.startswith((*python, *packages, os.path.dirname(os.path.dirname(__file__))))


def _flush(file: Any) -> None:
    try:
        if not file.closed:
            file.flush()
    except (OSError, ValueError):
        return  # as an ordinary end does with a file that cannot be written any more


def _leave(status: int) -> None:
    """End the process: what was registered for its end is done, and what is written is passed on."""
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # as after >&- in a shell
                stream.flush()
    except (OSError, ValueError):
        return  # the ordinary end says what it has to say about this
    os._exit(status)
