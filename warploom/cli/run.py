"""`warploom run`: a program on a machine, and what came out."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import DONE, FAULT, UserError, diagnostic_json, json_option, keep_inputs, print_json, print_warnings, say, stopped
from warploom.cli.loading import is_script, with_isa, with_its_files
from warploom.cli.options import machine_options, renamed
from warploom.cli.running import complain, take_order
from warploom.cli.script import run_whole, wants_whole
from warploom.cli.traces import NAMES, TracedRun, TraceFile, open_traces, trace_files, trace_options
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from warploom.cli.terminal.output import OutputFile
    from warploom.isa.diagnostics import Diagnostic
    from warploom.isa.program import Program
    from warploom.machine.config.schema import Config
    from warploom.observe.text.log import Selection
    from warploom.result import Result

LONG = 60.0  # seconds of a run after which it is worth a word that its machine may be fitted


@click.command()
@click.argument("file", metavar="FILE")
@click.argument("program_arguments", metavar="[ARGUMENTS]...", nargs=-1, type=click.UNPROCESSED)
@machine_options
@click.option("--log", metavar="OUT", help="Write every core and thread in every cycle as text; - for standard output.")
@click.option("--log-cores", metavar="LIST", help="Only these cores in the log, as 0,2-3.")
@click.option("--log-threads", metavar="LIST", help="Only these threads in the log, numbered within their block.")
@click.option("--log-cycles", metavar="A:B", help="Only the cycles from A to B in the log.")
@click.option("--trace", metavar="OUT", help="Write every unit's state in every cycle as JSON lines; compressed for a name in .gz.")
@trace_options
@renamed(**{"--image": "--save"})
@click.option(
    "--save",
    "saves",
    multiple=True,
    metavar="NAME=FILE",
    help="Write a buffer after the run: .npy, .csv, .bin; of an image also .png. u0:f32, u0:u32 or u0:i32 says what words are.",
)
@click.option("--quiet", is_flag=True, help="Print only what the program itself prints, and show no progress.")
@json_option
@click.pass_context
def command(ctx: click.Context, file: str, **options: Any) -> None:
    """Run FILE on a simulated GPU, and show its memory before and after, and how the cycles were spent.

    A Python program runs to its end, with warploom in the place of numba.cuda; so does CUDA C++, whose host code is compiled too
    (extra cc). Such a program is executed with your rights. It gets the ARGUMENTS; those that begin with - stand after --.
    Further files of a CUDA program stand in front of them.

    The exit status is 0 when the kernel has ended, 1 after a fault, when it was still running after --max-cycles or when the program
    ends with another exit code than 0, and 2 when the input is wrong.

    \b
    Examples:
      warploom run matmul.asm                          memory, cycles, states
      warploom run matmul.asm --log - | less           every thread in every cycle
      warploom run matmul.asm --set gpu.cores=4        see `warploom presets`
      warploom run saxpy.asm --threads 16 --buffer memory=x.csv
      warploom run texture.guppy --save u0=out.png
      warploom run saxpy.guppy --perfetto out.pftrace  open it at ui.perfetto.dev
      warploom run saxpy.asm --gpu sm --scheduler mine.py:choose
      warploom run saxpy.c --threads 8 --arg a=2 --buffer x=x.csv --buffer y=y.csv
      warploom run matmul.py                           kernels of numba.cuda
      warploom run k.cubin --grid 8 --block 128 --arg n=1000 --buffer x=x.npy
      warploom run matmul.cu 64 64                     CUDA C++ with its main()
      warploom run main.cpp kernels.cu 64 64           and of several files
    """
    from warploom.cli.terminal.output import OutputFile
    from warploom.cli.terminal.progress import Progress

    file, options = with_its_files(file, options)
    options = with_isa(file, options)
    if is_script(file, options["isa"]) and Path(file).is_file() and wants_whole(options):
        from warploom.cli.script_files import LaunchFiles

        wanted = LaunchFiles(file, options["saves"], trace_files(options))
        _check_outputs(file, options, wanted.saves, wanted.traces)
        ctx.exit(run_whole(file, options, wanted))
    if options["program_arguments"] and not is_script(file, options["isa"]):
        raise UserError(f"{options['program_arguments'][0]!r}: only a program with its own main takes arguments, and {file} has none")
    order = take_order(file, options)
    program, warnings, config, limit = order.program, order.warnings, order.config, order.limit
    if not options["as_json"]:
        print_warnings(warnings, *program.sources)
    images = [_save(text, program) for text in options["saves"]]
    selection = _selection(options, config)
    traces = trace_files(options)
    _check_outputs(file, options, images, traces)
    quiet = options["quiet"]
    progress = Progress("running", limit, limit=True, quiet=quiet)
    try:
        with contextlib.ExitStack() as files:
            log, trace = _open(files, options["log"], options["trace"])
            pictures = [files.enter_context(OutputFile(path, binary=True)) for _, path in images]
            outputs = open_traces(files, traces)
            with progress:
                traced = TracedRun(program, config, traces, outputs, files)
                result = order.run(progress, tracing=bool(traces), **traced.options())
            if log is not None and selection is not None:
                _write_log(result, log, selection, quiet)
            if trace is not None:
                _write_trace(result, trace, quiet)
            for (name, _), picture in zip(images, pictures, strict=True):
                from warploom.cli.saving import save

                save(result, name, picture)
            traced.write(result, quiet)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how} after {grouped(progress.done)} cycles; no file was written", err=True)
        ctx.exit(status)
    _show(result, warnings, options, file)
    if not quiet:
        for path in (options["log"], options["trace"], *(path for _, path in images), *(trace.path for trace in traces)):
            if path not in (None, "-"):
                say(f"{path} is written{_launch_of(program)}", err=True)
    ctx.exit(DONE if result.status == "done" and not result.exit_code else FAULT)


# ---------------------------------------------------------------------------------------------------------
# What was asked


def _save(text: str, program: Program) -> tuple[str, str]:
    """(buffer, path) of `u0=out.png`."""
    from warploom.cli.loading import named
    from warploom.cli.saving import check_save

    name, path = named("--save", text, "u0=out.png")
    check_save(program, name, path)
    return name, path


def _selection(options: dict[str, Any], config: Config) -> Selection | None:
    """What a log is to show; None where there is none."""
    given = [f"--{name.replace('_', '-')}" for name in ("log_cores", "log_threads", "log_cycles") if options[name] is not None]
    if given and options["log"] is None:
        raise UserError(f"{given[0]} says what a log shows, and there is none: write --log - or --log FILE too")
    if not config.has.steps and (options["log"] is not None or options["trace"] is not None):
        name = "--log" if options["log"] is not None else "--trace"
        raise UserError(f"{name} shows cores that run one instruction at a time, as the preset tiny has them; {config.name!r} has warps")
    if options["log"] is None:
        return None
    from warploom.cli.ranges import numbers, span
    from warploom.observe.text.log import Selection

    first, last = span(options["log_cycles"], "--log-cycles")
    cores = numbers(options["log_cores"], "--log-cores", config.gpu.cores, "core")
    threads = numbers(options["log_threads"], "--log-threads", config.core.threads_per_block, "thread in a block")
    return Selection(cores, threads, first, last)


def _check_outputs(file: str, options: dict[str, Any], images: list[tuple[str, str]], traces: list[TraceFile]) -> None:
    """No output takes the place of an input or of another output."""
    outputs = [("--log", options["log"]), ("--trace", options["trace"]), *(("--save", path) for _, path in images)]
    outputs += [(trace.option, trace.path) for trace in traces]
    inputs = [path for path in (file, options["gpu"], *(text.partition("=")[2] for text in options["buffers"])) if path]
    seen: dict[str, str] = {"-": "--json"} if options["as_json"] else {}
    for option, path in outputs:
        if path is None:
            continue
        if option == "--save" and path == "-":
            raise UserError("--save writes a file: bytes on standard output would be of no use in a terminal")
        place = path if path == "-" else str(Path(path).absolute())
        if place in seen and path != "/dev/null":
            where = "standard output" if path == "-" else path
            raise UserError(f"{seen[place]} and {option} would both be written to {where}: name a file for one of them")
        seen[place] = option
        keep_inputs(option, path, inputs)


# ---------------------------------------------------------------------------------------------------------
# The run and its files


def _open(files: contextlib.ExitStack, *paths: str | None) -> list[OutputFile | None]:
    from warploom.cli.terminal.output import OutputFile

    return [None if path is None else files.enter_context(OutputFile(path)) for path in paths]


def _write_log(result: Result, out: OutputFile, selection: Selection, quiet: bool) -> None:
    from warploom.cli.terminal import screen
    from warploom.cli.terminal.progress import Progress
    from warploom.observe.text.log import WIDTH, log

    width = screen.width() if out.place is None else WIDTH
    last = result.cycles if selection.last is None else min(selection.last + 1, result.cycles)
    with Progress("writing the log", last, quiet=quiet or out.place is None) as progress:
        for cycle, text in log(result, selection, width):
            out.write(text)
            progress(cycle + 1)


def _write_trace(result: Result, out: OutputFile, quiet: bool) -> None:
    from warploom.cli.terminal.progress import Progress

    with Progress("writing the trace", result.cycles, quiet=quiet or out.place is None) as progress:
        for line in result.trace():
            out.write(json.dumps(line, separators=(",", ":")) + "\n")
            progress(line["cycle"] + 1)


# ---------------------------------------------------------------------------------------------------------
# What is shown


def _show(result: Result, warnings: list[Diagnostic], options: dict[str, Any], file: str) -> None:
    from warploom.cli.terminal import screen

    if options["as_json"]:
        from warploom.observe.text.report import report

        print_json(report(result) | {"warnings": [diagnostic_json(item) for item in warnings]})
        return
    if "-" in [options[name] for name in ("trace", *NAMES)]:
        pass  # what is written there has the screen to itself
    elif options["quiet"]:
        for line in result.console:
            say(line)
    else:
        from warploom.observe.text.summary import summary

        columns = screen.width()
        lines = list(summary(result, width=columns, unicode=screen.unicode(), memory=options["log"] != "-"))
        screen.show([*lines, *_hints(options, result)])
    complain(result, file=file)


def _launch_of(program: Program) -> str:
    """Which of a Python program's launches a file is about."""
    number = getattr(program, "number", None)
    return "" if number is None else f": launch {number}, {program.name}"


def _may_be_fitted(result: Result) -> bool:
    from warploom.machine.engine.native.loader import native
    from warploom.machine.run.compile import is_fitted

    if "native" not in result.engine or result.rebuild is None or native().untrusted:
        return False
    return not is_fitted(result.rebuild())


def _hints(options: dict[str, Any], result: Result) -> list[Any]:
    from warploom.isa.views import VIEW_WIDTH, VIEW_WRITABLE
    from warploom.observe.text.styled import QUIET

    hints = []
    program = result.program
    pictures = [name for name, row in zip(program.view_names, program.views, strict=False) if row[VIEW_WIDTH] and row[VIEW_WRITABLE]]
    if pictures and not options["saves"]:
        hints.append(f"see the picture: --save {pictures[0]}={pictures[0]}.png")
    if result.has.steps and options["log"] is None and options["trace"] is None:
        first, last = (0, 40) if result.status == "done" else (max(result.cycles - 40, 0), result.cycles)
        hints.append(f"look closer: --log - --log-cycles {first}:{last} (every thread), --trace FILE (every unit)")
    plain = not any(options[name] for name in ("log", "trace", *NAMES))
    if result.seconds > LONG and plain and _may_be_fitted(result):
        hints.append("up to a fifth faster: `warploom fit` with this file and these options")
    hints.append("other machines: `warploom presets`, and `warploom presets --settings` for --set")
    return [[(hint, QUIET)] for hint in hints]
