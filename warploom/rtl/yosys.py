"""Yosys, as the Python package pyosys has it: synthesis, Verilog, proofs.

It runs in a process of its own. So what it prints stays from the terminal, and what it gives does not depend on what it did before: its
results follow from the numbers that it gives to new names, and it counts them for as long as it lives.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from amaranth.back import rtlil

from warploom.observe.text.needs import needed

_RUNNER = """import json, sys
from pyosys import libyosys
design = libyosys.Design()
for command in json.load(sys.stdin):
    libyosys.run_pass(command, design)"""


def rtlil_text(component: Any, name: str) -> str:
    """A component as RTLIL, Yosys' own language, in which its ports are the top module's."""
    return str(rtlil.convert(component, name=name, emit_src=False))


def run(design: str, passes: Sequence[str]) -> list[str]:
    """Run passes over a design, and return what each has to report. design: RTLIL. Raises MissingPackage where there is no pyosys.

    In a pass `{folder}` stands for a folder for its files, which is gone afterwards.
    """
    with folder() as place:
        return run_in(place, design, passes)


def run_in(place: Path, design: str, passes: Sequence[str]) -> list[str]:
    """The same with a folder of the caller's."""
    needed("pyosys", "synthesis", "rtl")
    (place / "design.il").write_text(design)
    reports = [place / f"report-{number}.txt" for number in range(len(passes))]
    commands = [f"read_rtlil {place / 'design.il'}"]
    commands += [f"tee -q -o {report} {command.format(folder=place)}" for report, command in zip(reports, passes, strict=True)]
    done = subprocess.run([sys.executable, "-c", _RUNNER], input=json.dumps(commands), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"Yosys has stopped: {(done.stderr or done.stdout).strip()[-1000:]}")
    return [report.read_text() if report.exists() else "" for report in reports]


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for files between Yosys and us, for a while."""
    with tempfile.TemporaryDirectory(prefix="warploom-") as name:
        yield Path(name)
