"""The options of `warploom run` that write a run for other people's viewers, and the writing of those files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from warploom.cli.common import UserError

if TYPE_CHECKING:
    import numpy as np

    from warploom.cli.terminal.output import OutputFile
    from warploom.isa.program import Program
    from warploom.machine.config.schema import Config
    from warploom.observe.traces import Format
    from warploom.observe.traces.spool import Spool
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
    from warploom.cli.terminal.output import OutputFile

    return [stack.enter_context(OutputFile(file.path, binary=file.form.binary and not file.beside)) for file in files]


class GrowingFile:
    """A trace that is written into its file while the run goes. Raises UserError when it cannot be written."""

    def __init__(self, program: Program, config: Config, file: TraceFile, output: OutputFile) -> None:
        self._output = output
        with output.stream() as stream:
            self._trace = file.form.begun(program, config, stream)

    def add(self, events: np.ndarray) -> None:
        """Write events."""
        with self._output.stream():
            self._trace.add(events)

    def close(self) -> None:
        """The run has ended: write what is left."""
        with self._output.stream():
            self._trace.close()


class TracedRun:
    """The trace files of one run, from before its first cycle on.

    On cores with warps its events are not kept in memory: tables grow as they come, and for the other formats they wait on disk, beside the
    first file, until the run has ended. Cores that run one instruction at a time write none down: they are run again.
    """

    def __init__(
        self, program: Program, config: Config, files: list[TraceFile], outputs: list[OutputFile], stack: contextlib.ExitStack
    ) -> None:
        self._files, self._outputs = files, outputs
        self._growing: dict[int, GrowingFile] = {}
        self._spool: Spool | None = None
        self._place = next((output.place for output in outputs if output.place is not None), None)
        if not config.has.events:
            return
        for number, (file, output) in enumerate(zip(files, outputs, strict=True)):
            if file.form.growing:
                self._growing[number] = GrowingFile(program, config, file, output)
        if len(self._growing) < len(files):
            from warploom.observe.traces.spool import Spool

            with self._on_disk():
                self._spool = stack.enter_context(contextlib.closing(Spool(self._place.parent if self._place is not None else None)))

    def options(self) -> dict[str, Any]:
        """What the run has to know: who takes its events."""
        return {"listener": self._listen} if self._growing or self._spool is not None else {}

    def _listen(self, events: np.ndarray) -> None:
        for file in self._growing.values():
            file.add(events)
        if self._spool is not None:
            with self._on_disk():
                self._spool.add(events)

    @contextlib.contextmanager
    def _on_disk(self) -> Iterator[None]:
        """Raises UserError when the events cannot be kept there."""
        try:
            yield
        except OSError as error:
            beside = f"beside {self._outputs[0].path}" if self._place is not None else "in the folder of temporary files"
            raise UserError(f"the events of the run cannot be kept {beside} until it has ended: {error.strerror or error}") from None

    def write(self, result: Result, quiet: bool) -> None:
        """The run has ended: write what is left, one file after the other. Raises NoEvents where there is nothing to show."""
        from warploom.cli.terminal.progress import Progress

        for number, (file, output) in enumerate(zip(self._files, self._outputs, strict=True)):
            if number in self._growing:
                self._growing[number].close()
                continue
            silent = quiet or output.place is None
            with Progress(f"writing {file.path}", WHOLE, quiet=silent, unit="%") as progress, output.stream() as stream:
                if file.beside:
                    file.form.write_save(result, stream, file.beside)
                else:
                    file.form.write(result, stream, progress, self._spool)
