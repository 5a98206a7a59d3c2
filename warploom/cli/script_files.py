"""The files that `warploom run script.py` writes about one launch of the program: traces and buffers. The program goes on to its end."""

from __future__ import annotations

import contextlib
from types import TracebackType
from typing import TYPE_CHECKING, Any

from warploom.cli.common import UserError, say
from warploom.cli.loading import named
from warploom.cli.terminal.output import OutputFile
from warploom.cli.traces import TracedRun, TraceFile, open_traces

if TYPE_CHECKING:
    from warploom.isa.program import Program
    from warploom.machine.config.schema import Config
    from warploom.result import Result


class LaunchFiles:
    """A context manager: the files are there when it ends well, and none of them where it does not.

    `before` is asked when the first launch begins, `write` writes about it when the program has ended.
    """

    def __init__(self, file: str, saves: list[str], traces: list[TraceFile]) -> None:
        self.file = file
        self.saves = [named("--save", text, "u0=out.png") for text in saves]
        self.traces = traces
        self._stack = contextlib.ExitStack()
        self._pictures: list[OutputFile] = []
        self._outputs: list[OutputFile] = []
        self._traced: TracedRun | None = None

    @property
    def paths(self) -> list[str]:
        """Where they go."""
        return [*(path for _, path in self.saves), *(trace.path for trace in self.traces)]

    def __enter__(self) -> LaunchFiles:
        with contextlib.ExitStack() as stack:
            self._pictures = [stack.enter_context(OutputFile(path, binary=True)) for _, path in self.saves]
            self._outputs = open_traces(stack, self.traces)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.__exit__(kind, error, trace)

    def before(self, program: Program, config: Config) -> dict[str, Any]:
        """What the run of a launch has to know, as options of `Device.run`. Raises UserError for a buffer that it does not have."""
        from warploom.cli.saving import check_save

        if not self.paths:
            return {}
        for name, path in self.saves:
            check_save(program, name, path)
        if not self.traces:
            return {"snapshot": True}
        self._traced = TracedRun(program, config, self.traces, self._outputs, self._stack)
        return {"tracing": True, **self._traced.options()}

    def write(self, results: list[Result], quiet: bool) -> None:
        """Write what is asked of the first launch. Raises UserError where the program has launched nothing."""
        from warploom.cli.saving import save

        if not self.paths:
            return
        if not results:
            raise UserError(f"{self.file}: the program launches no kernel, so there is nothing to write to {self.paths[0]}")
        for (name, _), picture in zip(self.saves, self._pictures, strict=True):
            save(results[0], name, picture)
        if self._traced is not None:
            self._traced.write(results[0], quiet)

    def told(self, results: list[Result]) -> None:
        """Say which launch the files are about, where that can be asked."""
        for path in self.paths:
            if path != "-":
                say(f"{path} is written", err=True)
        if self.paths and len(results) > 1:
            which = f"launch 0, {results[0].program.name}, of {len(results)}"
            say(f"written is {which}; --launch N or NAME chooses a different one", err=True)
