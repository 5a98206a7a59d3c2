"""`warploom run script.py`: a Python program with its kernels, and a line about each launch."""

from __future__ import annotations

import contextlib
import shlex
import sys
from shlex import quote
from typing import TYPE_CHECKING, Any

from warploom.cli.common import DONE, FAULT, UserError, mistakes, print_json, say, stopped
from warploom.cli.terminal import screen
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from warploom.cli.script_files import LaunchFiles
    from warploom.cuda_cpp.start import Started
    from warploom.device import Device
    from warploom.isa.program import Program
    from warploom.kernel.launch.launch import KernelError
    from warploom.result import Result

ALONE = ("log", "trace")  # what is about one launch, on machines that no Python program runs on
OPTIONS = {"arguments": "arg", "buffers": "buffer"}  # by the names of their values
MOST_LINES = 40  # launches that are shown one by one
NAMES = (1, 2, 3, 7)  # columns of a table of launches: kernel, grid, block, what it waits for


def wants_whole(options: dict[str, Any]) -> bool:
    """Whether the program is to run to its end, and not one of its launches."""
    return options["launch"] is None and not any(options[name] for name in ALONE)


def run_whole(file: str, options: dict[str, Any], wanted: LaunchFiles) -> int:
    """Run a program to its end; returns the exit status. wanted: files about its first launch.

    Raises UserError, SourceError, ConfigError, and whatever the program raises; of that, JSON has the last line.
    """
    from warploom.cli.group import shown_as_its_own
    from warploom.cli.loading import PYTHON, compiler_words, own_arguments, program_isa
    from warploom.cli.running import CHECK, limit_of, machine_of, with_file

    check_script_options(file, options)
    config, units = machine_of(file, options, PYTHON)
    began = _began(file, options, wanted)  # before what is imported below

    from warploom.cli.terminal.own_output import OwnOutput
    from warploom.cli.terminal.progress import Progress
    from warploom.gpu import GPU
    from warploom.kernel.launch.launch import KernelError
    from warploom.kernel.script import run_script

    gpu = GPU(config, engine=options["engine"], units=units)
    limit, as_json = limit_of(options["max_cycles"], whole=True), options["as_json"]
    results: list[Result] = []
    begun = 0
    own, failed = OwnOutput(), ""
    shown = contextlib.ExitStack()  # the progress of the launch that runs

    def before(program: Program, device: Device) -> dict[str, Any]:
        nonlocal begun
        begun += 1
        shown.close()
        quiet = options["quiet"] or as_json
        progress = shown.enter_context(Progress(f"launch {begun - 1}, {program.name}", limit, limit=True, quiet=quiet))
        told = {"progress": progress, "blocks": progress.blocks, "notice": progress.notice}
        return {"max_cycles": limit, **told, **(wanted.before(program, device.config) if begun == 1 else {})}

    def heard(result: Result) -> None:
        shown.close()
        results.append(result)

    status, ended, written = DONE, 0, True
    try:
        with began.host if began is not None else contextlib.nullcontext(), wanted, shown:
            try:
                beside = (
                    contextlib.redirect_stdout(sys.stderr) if "-" in wanted.paths else contextlib.nullcontext()
                )  # of a trace that grows
                with own if as_json else beside:
                    told = {"words": compiler_words(options), "compiler": options["compiler"], "started": began}
                    run_script(file, own_arguments(options), gpu=gpu, before=before, watch=heard, **told)
            except KernelError as error:
                failed = fault_of(error)
                status, ended = (FAULT, 0) if error.ended is None else (DONE, error.ended)
                if not as_json:
                    say(failed, err=True)
                    if error.result.fault:
                        say(f"why, and what to write instead: `warploom check {shlex.quote(file)}`", err=True)
            except SystemExit as leaving:
                ended = left_with(leaving)
            except Exception as error:
                closed = isinstance(error, BrokenPipeError)  # whoever reads a trace on standard output has seen enough
                if closed or isinstance(error, mistakes()) or not shown_as_its_own(error, as_json=False):
                    raise
                status, failed = FAULT, f"{type(error).__name__}: {error}"
            wanted.write(results, options["quiet"])
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        failed, written = (f"{how}; no file was written" if wanted.paths else how), False
        say(failed, err=True)
    if as_json:
        about = {
            "isa": program_isa(file) or PYTHON,
            "file": file,
            "gpu": config.name,
            "config": config.flat(),
            "status": "error" if failed else "done",
        }
        launches = [row_of(number, one) | {"counters": one.counters} for number, one in enumerate(results)]
        print_json(about | {"error": failed or None, "launches": launches, "console": own.lines, "exit_code": status or ended})
    elif not options["quiet"] and (results or not failed):
        for line in launch_table(file, results, config.name):
            say(line, err=True)
        remarks = dict.fromkeys(text for one in results for text in (*(at for at in one.remarks if CHECK in at), *one.program.remarks))
        for remark in remarks:
            say(f"note: {with_file(remark, file)}", err=True)
        if written:
            wanted.told(results)
    return status or ended


def _began(file: str, options: dict[str, Any], wanted: LaunchFiles) -> Started | None:
    """The process of a CUDA program that was built before, where its standard output is this one's; else None."""
    from warploom.cli.loading import compiler_words, own_arguments, program_isa

    if options["as_json"] or "-" in wanted.paths or program_isa(file) != "cuda":
        return None
    from warploom.cuda_cpp.start import begun

    return begun(file, own_arguments(options), compiler_words(options))


def check_script_options(file: str, options: dict[str, Any]) -> None:
    """Refuse what a Python program says itself, and what is said to a compiler of C. Raises UserError."""
    from warploom.cli.loading import check_compiler_options, program_isa

    language = "CUDA" if program_isa(file) == "cuda" else "Python"
    for name in ("threads", "block", "grid", "arguments", "buffers", "if_convert"):
        if options.get(name):
            option = OPTIONS.get(name, name).replace("_", "-")
            raise UserError(f"--{option}: a {language} program says this itself; choose one of its launches with --launch")
    check_compiler_options(file, **{name: options[name] for name in ("optimise", "macros", "folders")})


def left_with(leaving: SystemExit) -> int:
    """The exit status of a program that has ended itself; anything but a number is its last words, as in Python."""
    if leaving.code is None or isinstance(leaving.code, int):
        return leaving.code or DONE
    say(str(leaving.code), err=True)
    return FAULT


def fault_of(error: KernelError) -> str:
    """Why a launch was stopped, with the line and a caret where the fault is about an instruction."""
    from warploom.checks.report.places import length_at
    from warploom.isa.diagnostics import Diagnostic, Severity, render_all

    result = error.result
    program, where = result.program, result.program.position(result.fault_at)
    place = f"{program.where(result.fault_at)}: "
    if not where.line or not result.fault.startswith(place):
        return f"error: {result.fault or str(error).splitlines()[0]}"
    said = Diagnostic(Severity.ERROR, result.fault.removeprefix(place), where, length_at(program, where))
    return render_all([said], *program.sources)


def row_of(number: int, result: Result) -> dict[str, Any]:
    """What is said of a launch."""
    from warploom.study.bottleneck import held_up

    launch = result.program.launch
    return {
        "launch": number, "kernel": result.program.name, "grid": list(launch.grid_dims), "block": list(launch.block_dims),
        "status": result.status, "cycles": result.cycles, "instructions": result.instructions, "registers": result.program.registers,
        "waits_for": held_up(result), "fault": result.fault or None, "seconds": round(result.seconds, 6),
    }  # fmt: skip


def launch_table(file: str, results: list[Result], machine: str, *, hint: bool = True) -> list[str]:
    """A line a launch, and what to do next."""
    if not results:
        return [f"no kernel was launched on {machine}"]
    rows = [("launch", "kernel", "grid", "block", "cycles", "instr.", "registers", "mostly waits for")]
    for number, result in list(enumerate(results))[:MOST_LINES]:
        found = row_of(number, result)
        counts = (grouped(found["cycles"]), grouped(found["instructions"]), str(found["registers"]))
        rows.append((str(number), found["kernel"], extent(found["grid"]), extent(found["block"]), *counts, found["waits_for"]))
    lines = launch_columns(rows)
    total = sum(result.cycles for result in results)
    more = len(results) - MOST_LINES
    lines += [f"... and {more} more launches"] if more > 0 else []
    plural = "launch" if len(results) == 1 else "launches"
    lines.append(f"{len(results)} {plural} on {machine}, {grouped(total)} cycles")
    if hint:
        hints = f"look closer: `warploom profile {quote(file)} --launch 0`, `warploom explore {quote(file)}`"
        lines += [hints] if len(hints) <= screen.width() else hints.replace("`, `", "`,\n  `").splitlines()
    return ["", *lines]


def launch_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of launches as text: the cells of each row, its head first, in columns; names and sizes begin where their columns do."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place in NAMES else cell.rjust(width) for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def extent(sizes: list[int]) -> str:
    """Sizes without those of 1 at the end: `2x3`."""
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return "x".join(map(str, sizes))
