"""What is shown while something takes long: a bar on standard error, only on a terminal and only after a second."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

import click

from warploom.cli.common import say
from warploom.cli.terminal.printable import printable
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

PATIENCE = 1.0  # seconds before anything is shown


class Busy:
    """Says what is being done where nobody can tell how far it is: on a terminal, after a second, and gone at the end."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what, self._shown = printable(what), False
        self._shows = not quiet and sys.stderr.isatty()
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True

    def _show(self) -> None:
        self._shown = True
        click.echo(f"\r\033[K{self._what} ...", err=True, nl=False)

    def __enter__(self) -> Busy:
        if self._shows:
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        if self._shows:
            self._timer.join()
        if self._shown:
            click.echo("\r\033[K", err=True, nl=False)


class Progress:
    """Counts cycles, or something else, towards a total. Use as a context manager; `done` is the last count, shown or not.

    Of a run it also shows how many of its blocks have ended, where `blocks` is told, and cycles a second.

    what: a word in front of the bar. total: cycles, or whatever `unit` says. limit: the total is only the most that there can be,
    so no time to the end is told. quiet: shows nothing.
    """

    def __init__(self, what: str, total: int, *, limit: bool = False, quiet: bool = False, unit: str = "cycles") -> None:
        self.what, self.total, self.limit, self.unit = printable(what), total, limit, unit
        self.shows = not quiet and sys.stderr.isatty()
        self.done = 0
        self._blocks = (0, 0)  # that have ended, and all
        self._start = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int) -> None:
        """So many cycles are done."""
        self.done = done
        if self._bar is None and self.shows and time.monotonic() - self._start > PATIENCE:
            self._begin()
        if self._bar is not None and self._task is not None:
            ended, blocks = self._blocks
            share = max(done / self.total, ended / blocks) if blocks > 1 else done / self.total
            self._bar.update(self._task, completed=share * self.total, done=self._text())

    def blocks(self, ended: int, blocks: int) -> None:
        """So many of so many blocks have ended; shown with the cycles that are told next."""
        self._blocks = ended, blocks

    def _text(self) -> str:
        """What has been done, in words."""
        ended, blocks = self._blocks
        parts = [f"{grouped(self.done)} of {'at most ' if self.limit else ''}{grouped(self.total)} {self.unit}"]
        parts += [f"{grouped(ended)} of {grouped(blocks)} blocks"] if blocks > 1 else []
        if self.limit and (seconds := time.monotonic() - self._start) > 0:
            parts.append(f"{grouped(round(self.done / seconds))} {self.unit}/s")
        return ", ".join(parts)

    def notice(self, text: str) -> None:
        """A sentence about what takes long now, on a line of its own."""
        if self._bar is not None:
            self._bar.console.print(printable(text), highlight=False, markup=False)
        elif self.shows:
            say(text, err=True)

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        counts = TextColumn("{task.fields[done]}", markup=False)
        times = [TimeElapsedColumn()] if self.limit else [TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        bar = Progress(TextColumn(self.what, markup=False), BarColumn(), counts, *times, console=Console(stderr=True), transient=True)
        task = bar.add_task(self.what, total=self.total, done=self._text())
        try:
            bar.start()
        except BaseException:  # Ctrl-C in the middle of it: what has been set up of the bar is taken down again
            with contextlib.suppress(Exception):
                bar.stop()
            raise
        self._bar, self._task = bar, task

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
