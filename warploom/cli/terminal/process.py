"""The process that a command runs in: its standard streams, and the signals that ask it to end."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from types import FrameType

from warploom.cli.common import BAD_INPUT, Stopped

ENDING = ("SIGTERM", "SIGHUP")
GRACE = 3.0  # seconds between such a signal and the end of a program that goes on


def prepared() -> None:
    """Give the process all three standard streams, and let signals that end it clean up as Ctrl-C does.

    Where standard output is closed nothing could be shown, and a file that is opened would get its number: that is a mistake.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        sys.stderr.write("error: standard output is closed, so nothing can be shown: send it to /dev/null where it is not wanted\n")
        sys.exit(BAD_INPUT)
    if threading.current_thread() is not threading.main_thread():
        return
    for name in ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores one, and a parent may
            signal.signal(number, _stop)


def drop_unwritten() -> None:
    """Forget what standard output could not take: the interpreter would try again at its end, and complain in words of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _stop(number: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C does, with time to clean up; a program that catches everything ends without."""
    last = threading.Timer(GRACE, _end, (number,))
    last.daemon = True
    last.start()
    raise Stopped(number)


def _end(number: int) -> None:
    """The end of the process, whatever runs in it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.write(f"stopped by {signal.Signals(number).name}\n")
        sys.stderr.flush()
    os._exit(128 + number)
