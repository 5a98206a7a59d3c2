"""Yosys, as the Python package pyosys has it: synthesis, Verilog, proofs. What it prints is kept from the terminal."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from amaranth.back import rtlil

from warploom.observe.text.needs import needed


def rtlil_text(component: Any, name: str) -> str:
    """A component as RTLIL, Yosys' own language, in which its ports are the top module's."""
    return str(rtlil.convert(component, name=name, emit_src=False))


def run(design: str, passes: Sequence[str]) -> list[str]:
    """Run passes over a design, and return what each has to report. design: RTLIL. Raises MissingPackage where there is no pyosys.

    In a pass `{folder}` stands for a folder for its files, in which the current one does not lie; it is gone afterwards.
    """
    with folder() as place:
        return run_in(place, design, passes)


def run_in(place: Path, design: str, passes: Sequence[str]) -> list[str]:
    """The same with a folder of the caller's."""
    yosys = needed("pyosys.libyosys", "synthesis", "rtl")
    source = place / "design.il"
    source.write_text(design)
    reports = []
    with _quiet():
        circuit = yosys.Design()
        yosys.run_pass(f"read_rtlil {source}", circuit)
        for command in passes:
            report = place / "report.txt"
            report.unlink(missing_ok=True)
            yosys.run_pass(f"tee -q -o {report} {command.format(folder=place)}", circuit)
            reports.append(report.read_text() if report.exists() else "")
    return reports


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for files between Yosys and us, for a while."""
    with tempfile.TemporaryDirectory(prefix="warploom-") as name:
        yield Path(name)


@contextmanager
def _quiet() -> Iterator[None]:
    """Standard output leads nowhere: Yosys writes to its file descriptor."""
    sys.stdout.flush()
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
