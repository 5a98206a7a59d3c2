"""`warploom run script.py`: a Python program with its kernels, and a line about each launch."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from warploom.cli.common import DONE, FAULT, UserError, print_json, say, stopped
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from warploom.kernel.launch import KernelError
    from warploom.result import Result

ALONE = ("log", "trace", "saves")  # what is about one launch
OPTIONS = {"arguments": "arg", "buffers": "buffer"}  # by the names of their values
MOST_LINES = 40  # launches that are shown one by one


def wants_whole(options: dict[str, Any], traces: bool) -> bool:
    """Whether the program is to run to its end, and not one of its launches."""
    return options["launch"] is None and not traces and not any(options[name] for name in ALONE)


def run_whole(file: str, options: dict[str, Any]) -> int:
    """Run a program to its end; returns the exit status. Raises UserError, SourceError, ConfigError."""
    from warploom.cli.loading import PYTHON
    from warploom.cli.running import machine_of
    from warploom.gpu import GPU
    from warploom.kernel.launch import KernelError
    from warploom.kernel.script import run_script
    from warploom.machine.run.driver import DEFAULT_MAX_CYCLES

    check_script_options(file, options)
    config, units = machine_of(file, options, PYTHON)
    gpu = GPU(config, engine=options["engine"], units=units)
    limit = options["max_cycles"] or DEFAULT_MAX_CYCLES
    results: list[Result] = []
    status, ended = DONE, 0
    try:
        with contextlib.redirect_stdout(sys.stderr) if options["as_json"] else contextlib.nullcontext():
            run_script(file, gpu=gpu, before=lambda program, device: {"max_cycles": limit}, watch=results.append)
    except KernelError as error:
        if not options["as_json"]:
            say(fault_of(error), err=True)
        status = FAULT
    except SystemExit as leaving:
        ended = left_with(leaving)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(how, err=True)
    if options["as_json"]:
        print_json({"status": "done" if status == DONE else "error", "launches": [_row(number, one) for number, one in enumerate(results)]})
    elif not options["quiet"]:
        for line in _table(results, config.name):
            say(line, err=True)
    return status or ended


def check_script_options(file: str, options: dict[str, Any]) -> None:
    """Refuse what a Python program says itself, and what is said to a compiler of C. Raises UserError."""
    from warploom.cli.loading import check_compiler_options

    for name in ("threads", "block", "grid", "arguments", "buffers", "if_convert"):
        if options.get(name):
            option = OPTIONS.get(name, name).replace("_", "-")
            raise UserError(f"--{option}: a Python program says this itself; choose one of its launches with --launch")
    check_compiler_options(file, **{name: options[name] for name in ("optimise", "macros", "folders")})


def left_with(leaving: SystemExit) -> int:
    """The exit status of a program that has ended itself; anything but a number is its last words, as in Python."""
    if leaving.code is None or isinstance(leaving.code, int):
        return leaving.code or DONE
    say(str(leaving.code), err=True)
    return FAULT


def fault_of(error: KernelError) -> str:
    """Why a launch was stopped, with the line and a caret where the fault is about an instruction."""
    from warploom.checks.places import length_at
    from warploom.isa.diagnostics import Diagnostic, Severity, render_all

    result = error.result
    program, where = result.program, result.program.position(result.fault_at)
    place = f"{program.where(result.fault_at)}: "
    if not where.line or not result.fault.startswith(place):
        return f"error: {result.fault or str(error).splitlines()[0]}"
    said = Diagnostic(Severity.ERROR, result.fault.removeprefix(place), where, length_at(program, where))
    return render_all([said], *program.sources)


def _row(number: int, result: Result) -> dict[str, Any]:
    from warploom.study.metrics import held_up

    launch = result.program.launch
    return {
        "launch": number, "kernel": result.program.name, "grid": list(launch.grid_dims), "block": list(launch.block_dims),
        "status": result.status, "cycles": result.cycles, "instructions": result.instructions, "registers": result.program.registers,
        "waits_for": held_up(result), "seconds": result.seconds,
    }  # fmt: skip


def _table(results: list[Result], machine: str) -> list[str]:
    """A line a launch, and what to do next."""
    if not results:
        return [f"no kernel was launched on {machine}"]
    rows = [("launch", "kernel", "grid", "block", "cycles", "instr.", "registers", "mostly waits for")]
    for number, result in list(enumerate(results))[:MOST_LINES]:
        found = _row(number, result)
        counts = (grouped(found["cycles"]), grouped(found["instructions"]), str(found["registers"]))
        rows.append((str(number), found["kernel"], _extent(found["grid"]), _extent(found["block"]), *counts, found["waits_for"]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    left = (1, 2, 3, 7)
    lines = []
    for row in rows:
        cells = enumerate(zip(row, widths, strict=True))
        lines.append("  ".join(cell.ljust(width) if column in left else cell.rjust(width) for column, (cell, width) in cells))
    total = sum(result.cycles for result in results)
    more = len(results) - MOST_LINES
    lines += [f"... and {more} more launches"] if more > 0 else []
    plural = "launch" if len(results) == 1 else "launches"
    lines.append(f"{len(results)} {plural} on {machine}, {grouped(total)} cycles")
    lines.append("look closer: `warploom profile FILE --launch 0`, `warploom explore FILE`")
    return ["", *(line.rstrip() for line in lines)]


def _extent(sizes: list[int]) -> str:
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return "x".join(map(str, sizes))
