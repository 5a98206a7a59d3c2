"""The options of `warploom run` that write a run for other people's viewers, and the writing of those files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from warploom.cli.common import UserError

if TYPE_CHECKING:
    from warploom.cli.output import OutputFile
    from warploom.machine.result import Result
    from warploom.observe.traces import Format

F = TypeVar("F", bound=Callable[..., Any])

NAMES = ("perfetto", "csv", "parquet")
_OPTIONS = (
    click.option("--perfetto", metavar="OUT", help="Write tracks of instructions and waits for ui.perfetto.dev."),
    click.option("--csv", metavar="OUT", help="Write every event as comma-separated values; - for standard output."),
    click.option("--parquet", metavar="OUT", help="Write every event as a Parquet table."),
)
WHOLE = 100  # percent


class TraceFile(NamedTuple):
    """One file that was asked for. option: how. path: where. text: whether it may go to standard output."""

    option: str
    path: str
    form: Format

    @property
    def text(self) -> bool:
        """Whether it may be written to standard output."""
        return not self.form.binary


def trace_options(command: F) -> F:
    """The options that ask for trace files."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def trace_files(options: dict[str, Any]) -> list[TraceFile]:
    """The files that were asked for. Raises UserError for bytes on standard output, MissingPackage."""
    if not any(options[name] is not None for name in NAMES):
        return []
    from warploom.observe.traces import FORMAT

    found = [TraceFile(f"--{name}", options[name], FORMAT[name]) for name in NAMES if options[name] is not None]
    for file in found:
        if file.path == "-" and not file.text:
            raise UserError(f"{file.option} writes a file: it would be of no use on standard output")
        file.form.check()
    return found


def open_traces(stack: contextlib.ExitStack, files: list[TraceFile]) -> list[OutputFile]:
    """The files, to be written or to be taken away when the stack ends."""
    from warploom.cli.output import OutputFile

    return [stack.enter_context(OutputFile(file.path, binary=file.form.binary)) for file in files]


def write_traces(result: Result, files: list[TraceFile], outputs: list[OutputFile], quiet: bool) -> None:
    """Write the run into all of them, one after the other."""
    from warploom.cli.progress import Progress

    for file, output in zip(files, outputs, strict=True):
        silent = quiet or output.place is None
        with Progress(f"writing {file.path}", WHOLE, quiet=silent, unit="%") as progress, output.stream() as stream:
            file.form.write(result, stream, progress)
