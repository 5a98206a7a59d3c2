"""`warploom.check`: a program, or every launch of a Python file, with checks.

report = warploom.check(warploom.load("histogram.asm"))
print(report)                                  # what was found, with lines and carets
assert report.clean
reports = warploom.check("kernel.py")          # one a launch
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from warploom.checks.check import Report, run_checked
from warploom.gpu import GPU
from warploom.isa.frontends import FRONT_ENDS, load
from warploom.isa.program import Program
from warploom.kernel.device.context import CURRENT, OWN
from warploom.kernel.frontend import Captured
from warploom.kernel.launch.launch import KernelError
from warploom.kernel.programs import kind_of
from warploom.kernel.script import run_script
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config


def check(program: Program | str | Path, gpu: Any = None, *, set: Mapping[str, Any] | None = None, **options: Any) -> Report | list[Report]:
    """Run a program with checks, or every launch of a Python file; a list of reports then, one a launch.

    gpu: a GPU, a preset's name or a Config; None: `sm` for Python, else the program's usual machine with warps. set: changes by name.
    A launch that `warploom.load` has made of a Python file is compiled once more, for checks; the file is run up to it for that.
    options: max_cycles, progress, notice, engine, schedule. Raises SourceError, LaunchError, ConfigError.
    """
    if isinstance(program, str | Path):
        if kind_of(program) is not None:
            return check_script(program, gpu=gpu, set=set, **options)
        loaded = load(program)
        assert isinstance(loaded, Program)
        program = loaded
    if isinstance(program, Captured):
        program = program.for_checks()
    config, engine, units = _machine(program, gpu, set)
    return run_checked(config, program, units=units, **({"engine": engine} | options))


def _machine(program: Program, gpu: Any, changes: Mapping[str, Any] | None) -> tuple[Config, str, Any]:
    if hasattr(gpu, "config"):
        return load_config(gpu.config, changes), gpu.engine, gpu.units
    if gpu is None:
        rows = [row for row in FRONT_ENDS if row.name == program.isa]
        gpu = (rows[0].warps_gpu or rows[0].gpu) if rows else "sm"
    return load_config(gpu, changes), "auto", None


def check_script(
    path: str | Path,
    arguments: Sequence[str] = (),
    *,
    words: Sequence[str] = (),
    gpu: Any = None,
    set: Mapping[str, Any] | None = None,
    engine: str = "auto",
    wanted: str | None = None,
    begins: Callable[[int, str], dict[str, Any]] | None = None,
    heard: Callable[[Report], None] | None = None,
    passed: Callable[[int, str], None] | None = None,
    compiler: str = OWN,
    **options: Any,
) -> list[Report]:
    """Run a Python file with checks in every launch, or in the one of a number or of a kernel's name.

    words: for the compiler of CUDA C++, as nvcc takes them. compiler: of kernels in Python.
    begins: is asked for further options before each of these launches, by its
    number and name. heard: is handed each report.
    passed: is told of each launch that is not wanted. Raises whatever the program raises, but for KernelError: that is a finding of the
    last report.
    """
    found: list[Report] = []
    one = gpu if isinstance(gpu, GPU) else GPU(load_config(gpu if gpu is not None else "sm", set), engine=engine)
    count = 0

    def listen(name: str) -> dict[str, Any] | None:
        nonlocal count
        number, count = count, count + 1
        if wanted is not None and wanted not in (str(number), name):
            if passed is not None:
                passed(number, name)
            return None
        return options | (begins(number, name) if begins is not None else {})

    def take(report: Report) -> None:
        found.append(report)
        if heard is not None:
            heard(report)

    saved = CURRENT.check, CURRENT.checked
    CURRENT.check, CURRENT.checked = listen, take
    try:
        run_script(path, arguments, gpu=one, words=words, compiler=compiler)
    except KernelError:
        pass  # the last report says so
    finally:
        CURRENT.check, CURRENT.checked = saved
    return found
