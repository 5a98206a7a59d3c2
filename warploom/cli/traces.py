"""The options of `warploom run` that write a run for other people's viewers, and the writing of those files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from warploom.cli.common import UserError

if TYPE_CHECKING:
    import numpy as np

    from warploom.cli.output import OutputFile
    from warploom.cli.running import Order
    from warploom.observe.traces import Format
    from warploom.result import Result

F = TypeVar("F", bound=Callable[..., Any])

NAMES = ("perfetto", "konata", "vcd", "csv", "parquet")
_OPTIONS = (
    click.option("--perfetto", metavar="OUT", help="Write tracks of instructions and waits for ui.perfetto.dev."),
    click.option("--konata", metavar="OUT", help="Write every instruction's stages and stalls for Konata; - for standard output."),
    click.option("--vcd", metavar="OUT", help="Write signals as a value change dump, and a .gtkw save file beside it."),
    click.option("--csv", metavar="OUT", help="Write every event as comma-separated values; - for standard output."),
    click.option("--parquet", metavar="OUT", help="Write every event as a Parquet table."),
)
WHOLE = 100  # percent


class TraceFile(NamedTuple):
    """One file that was asked for. option: how. path: where. beside: the name of the trace beside which it lies as a save file, or ""."""

    option: str
    path: str
    form: Format
    beside: str = ""


def trace_options(command: F) -> F:
    """The options that ask for trace files."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def trace_files(options: dict[str, Any]) -> list[TraceFile]:
    """The files that were asked for. Raises UserError for bytes on standard output, MissingPackage."""
    if not any(options[name] is not None for name in NAMES):
        return []
    from warploom.observe.traces import FORMAT, save_path

    found = []
    for name in NAMES:
        path, form = options[name], FORMAT[name]
        if path is None:
            continue
        if path == "-" and form.binary:
            raise UserError(f"--{name} writes a file: it would be of no use on standard output")
        form.check()
        found.append(TraceFile(f"--{name}", path, form))
        if form.save and path not in ("-", "/dev/null"):
            found.append(TraceFile(f"the save file of --{name}", save_path(path), form, beside=Path(path).name))
    return found


def open_traces(stack: contextlib.ExitStack, files: list[TraceFile]) -> list[OutputFile]:
    """The files, to be written or to be taken away when the stack ends."""
    from warploom.cli.output import OutputFile

    return [stack.enter_context(OutputFile(file.path, binary=file.form.binary and not file.beside)) for file in files]


class GrowingFile:
    """A trace that is written into its file while the run goes. Raises UserError when it cannot be written."""

    def __init__(self, order: Order, file: TraceFile, output: OutputFile) -> None:
        self._output = output
        with output.stream() as stream:
            self._trace = file.form.begun(order.program, order.config, stream)

    def add(self, events: np.ndarray) -> None:
        """Write events."""
        with self._output.stream():
            self._trace.add(events)

    def close(self) -> None:
        """The run has ended: write what is left."""
        with self._output.stream():
            self._trace.close()


def begin_traces(order: Order, files: list[TraceFile], outputs: list[OutputFile]) -> list[GrowingFile]:
    """The files that are written while the run goes: all of them, where none has to know the whole run; else none."""
    if order.config.core.control == "sequencer" or not all(file.form.growing for file in files):
        return []
    return [GrowingFile(order, file, output) for file, output in zip(files, outputs, strict=True)]


def trace_run(files: list[TraceFile], growing: list[GrowingFile]) -> dict[str, Any]:
    """What a run has to know of its trace files: who takes its events, or how many may be kept for them."""
    if growing:

        def listen(events: np.ndarray) -> None:
            for file in growing:
                file.add(events)

        return {"listener": listen}
    from warploom.observe.traces import MOST_EVENTS

    return {} if all(file.form.growing for file in files) else {"most_events": MOST_EVENTS}


def end_traces(growing: list[GrowingFile]) -> None:
    """The run has ended: what is left is written."""
    for file in growing:
        file.close()


def write_traces(result: Result, files: list[TraceFile], outputs: list[OutputFile], quiet: bool) -> None:
    """Write the run into all of them, one after the other."""
    from warploom.cli.progress import Progress

    for file, output in zip(files, outputs, strict=True):
        silent = quiet or output.place is None
        with Progress(f"writing {file.path}", WHOLE, quiet=silent, unit="%") as progress, output.stream() as stream:
            if file.beside:
                file.form.write_save(result, stream, file.beside)
            else:
                file.form.write(result, stream, progress)
