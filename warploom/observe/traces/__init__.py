"""Trace files: a run in the formats that other people's viewers read.

Perfetto's for ui.perfetto.dev, Kanata logs for Konata, value change dumps for GTKWave and Surfer, tables for anything. Each is
written as it is made, and a run of any length takes the same memory. A table needs no more than the events that come next, so it grows
while the run goes. The others put what a warp did in order of time, or draw arrows back to where a wait began: the events lie on disk
until the run has ended (spool.py), and are read window by window (windows.py).
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

import numpy as np

from warploom.isa.program import Program
from warploom.machine.config.schema import Config
from warploom.machine.run.result import RunResult
from warploom.observe.text.needs import needed
from warploom.observe.text.whole_file import whole_file
from warploom.observe.traces.vocabulary import Percent, unheard
from warploom.observe.traces.windows import Source


class Growing(Protocol):
    """A file that is written while a run goes."""

    def add(self, events: np.ndarray) -> None:
        """Write events: int64[n, EVENT_COLUMNS], in their order."""

    def close(self) -> None:
        """The run has ended."""


class Format(NamedTuple):
    """A format. module, function: what writes it, in this package. binary: it is bytes, not text. package: that it needs, or "".

    save: the function that writes a file beside it, which says how a viewer shows it; its name is that of the trace with SAVE_ENDING.
    growing: the class that writes it while a run on cores with warps goes, or "" where it is written from a Source when the run has ended.
    """

    name: str
    endings: tuple[str, ...]
    module: str
    function: str
    binary: bool
    package: str
    save: str = ""
    growing: str = ""

    def check(self) -> None:
        """Raises MissingPackage when it cannot be written here."""
        if self.package:
            needed(self.package, f"the format {self.name}", "traces")

    def write(self, result: RunResult, file: IO[Any], progress: Percent = unheard, source: Source | None = None) -> None:
        """Write a run to an open file. source: its events, where it has not kept them. Raises ValueError, MissingPackage."""
        more = {} if source is None else {"source": source}
        getattr(importlib.import_module(f"warploom.observe.traces.{self.module}"), self.function)(result, file, progress, **more)

    def begun(self, program: Program, config: Config, file: IO[Any]) -> Growing:
        """The file of a run that begins now. Raises MissingPackage."""
        made: Growing = getattr(importlib.import_module(f"warploom.observe.traces.{self.module}"), self.growing)(program, config, file)
        return made

    def write_save(self, result: RunResult, file: IO[str], trace: str) -> None:
        """Write the file beside the trace whose name is `trace`."""
        getattr(importlib.import_module(f"warploom.observe.traces.{self.module}"), self.save)(result, file, trace)


SAVE_ENDING = ".gtkw"
FORMATS = (
    Format("perfetto", (".perfetto-trace", ".pftrace"), "perfetto.perfetto", "write", True, "perfetto"),
    Format("konata", (".konata", ".kanata"), "konata.konata", "write", False, ""),
    Format("vcd", (".vcd",), "vcd.vcd", "write", False, "vcd", "write_save"),
    Format("csv", (".csv",), "table", "write_csv", False, "", growing="GrowingCsv"),
    Format("parquet", (".parquet",), "table", "write_parquet", True, "pyarrow", growing="GrowingParquet"),
)
FORMAT = {form.name: form for form in FORMATS}


def format_of(path: str | Path) -> Format:
    """The format that a file's name asks for, `.gz` left out. Raises ValueError for a name that asks for none."""
    name = Path(path).name.removesuffix(".gz")
    for form in FORMATS:
        if name.endswith(form.endings):
            return form
    endings = ", ".join(ending for form in FORMATS for ending in form.endings)
    raise ValueError(f"{path}: the ending of the name says which format is written, one of {endings}")


def write_trace(result: RunResult, path: str | Path, progress: Percent = unheard) -> None:
    """Write a run in the format that the name of the file asks for; the file is whole or not there.

    A name that ends in .gz too is compressed; beside a value change dump a save file for GTKWave is written.
    Raises ValueError for a name without a known ending, and for a run on cores with warps without events; OSError when the file
    cannot be written; MissingPackage.
    """
    form = format_of(path)
    with whole_file(path, binary=form.binary) as file:
        form.write(result, file, progress)
        if form.save:
            with whole_file(save_path(path), binary=False) as save:
                form.write_save(result, save, Path(path).name)


def save_path(path: str | Path) -> str:
    """Where the file beside a trace lies."""
    return str(Path(str(path).removesuffix(".gz")).with_suffix(SAVE_ENDING))
