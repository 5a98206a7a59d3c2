"""The command `warploom` as a process: it begins and ends quickly.

A short run makes a few hundred thousand objects that live to its end. To look for garbage among them, and to take each apart when the
process ends, would take a quarter of its time. So garbage is looked for less often, and a process in which no program of a user's has run
ends as soon as its output is written. A Python program may have left files open, which only an ordinary end writes.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading

from warploom.cli import main

OBJECTS = 50_000  # made between two looks for garbage; Python's own 700 are for programs that live long and small
PROGRAMS = "warploom.kernel.script"  # the module that runs what a user has written


def run() -> None:
    """Run the command line, and end the process."""
    gc.set_threshold(OBJECTS, 20, 20)
    try:
        main(prog_name="warploom")
    except SystemExit as leaving:
        if isinstance(leaving.code, int | None) and PROGRAMS not in sys.modules and threading.active_count() == 1:
            _leave(leaving.code or 0)
        raise


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
