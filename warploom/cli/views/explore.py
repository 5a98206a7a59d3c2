"""`warploom explore`: a run as one page, to be walked through cycle by cycle in a browser."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from warploom.cli.common import DONE, FAULT, UserError, json_option, keep_inputs, print_json, print_warnings, say, stopped
from warploom.cli.options import machine_options
from warploom.cli.running import take_order
from warploom.cli.views.against import LAUNCH, beside, other_run
from warploom.cli.views.launches import chosen, launches_of, launches_option
from warploom.cli.views.what_if import what_if_option, with_trials
from warploom.observe.text.styled import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warploom.cli.running import Order
    from warploom.cli.terminal.output import OutputFile
    from warploom.cli.terminal.progress import Progress
    from warploom.machine.run.recording import Selection
    from warploom.machine.run.result import RunResult
    from warploom.observe.diagnosis.finding import Finding
    from warploom.observe.explorer.data import Part
    from warploom.result import Result


@click.command()
@click.argument("kernel", metavar="FILE")
@click.option("-o", "--output", metavar="PAGE", help="Where the page goes; - for standard output. [default: FILE's name, .html]")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser when it is written.")
@click.option(
    "--against",
    multiple=True,
    metavar="OTHER",
    help="A second run beside it: with NAME=VALUE changed, of launch=N, of a second file, or on a second machine.",
)
@click.option("--cycles", metavar="A:B", help="Only the cycles from A to B.")
@click.option("--cores", metavar="LIST", help="Only these cores, as 0,2-3 (machines with warps).")
@click.option("--warps", metavar="LIST", help="Only these warp slots of each core, as 0,2-3 (machines with warps).")
@click.option("--check", is_flag=True, help="Run it with checks, and mark the lines that they find (warploom check).")
@click.option("--profile", "profile_page", metavar="PAGE", help="Write the profile of the same run as a page too; each leads to the other.")
@what_if_option
@launches_option
@machine_options
@click.option("--quiet", is_flag=True, help="Show no progress and say nothing at the end.")
@json_option
@click.pass_context
def command(ctx: click.Context, kernel: str, **options: Any) -> None:
    """Run FILE and write one HTML page that steps through the run, forwards and backwards.

    The page holds everything: source, micro-ops, what every lane did in every cycle, registers, memory, caches, and why each warp
    waited. It is opened from its file in any recent browser, needs no network, and can be passed on. Press ? in it.

    A long run is written in pieces, and the page unpacks the piece that is shown. Size and time are printed beforehand; --cycles, --cores
    and --warps reduce both. Of a run that would make a page of more than 60 MB it has the first cycles, and says so, unless --cycles asks
    for others.

    The exit status is 0 when the kernel has ended, 1 after a fault or when it was still running after --max-cycles (the page shows
    the run up to there), and 2 when the input is wrong.

    \b
    Examples:
      warploom explore matmul.asm                  writes matmul.html
      warploom explore matmul.asm --open           and opens it in a browser
      warploom explore diverge.asm --gpu tiny-simt -o lanes.html
      warploom explore diverge.asm --gpu sm --against divergence.first=taken
      warploom explore before.cu --against after.cu
      warploom explore saxpy.py --gpu v100 --against h100
      warploom explore load_strided.guppy --what-if
      warploom explore saxpy.cu --profile saxpy.profile.html
      warploom explore raymarch.guppy --grid 1
      warploom explore raymarch.guppy --cycles 100000:200000 --warps 0-3
    """
    from warploom.cli.terminal.output import OutputFile
    from warploom.cli.terminal.progress import Progress

    orders, names = _orders(kernel, options)
    path = options["output"] or f"{Path(kernel).stem}.html"
    _check_output(kernel, path, options)
    if options["profile_page"] is not None:
        _check_profile(path, kernel, options)
    if not options["as_json"]:
        print_warnings(orders[0].warnings, *orders[0].program.sources)
    launches = _launches(kernel, options)
    progress = Progress("running", orders[0].limit, limit=True, quiet=options["quiet"])
    part = _part(orders, options)
    try:
        with contextlib.ExitStack() as files:
            out = files.enter_context(OutputFile(path))
            with progress:
                results = [order.run(progress) for order in orders]
            stretch = _shown(results, part, options)
            trials, quiet = _trials(orders, results, options), options["quiet"]
            characters = _write(out, results, names, stretch, part.selection, quiet, trials, options["profile_page"], launches)
            if options["profile_page"] is not None:
                _write_profile(options["profile_page"], path, results[0])
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how} after {grouped(progress.done)} cycles; no file was written", err=True)
        ctx.exit(status)
    _tell(path, characters, results, names, stretch, options)
    ctx.exit(DONE if all(result.status == "done" for result in results) else FAULT)


class _Part(NamedTuple):
    """What is asked for of the runs. cycles: first and last, both included; None for the last is the end."""

    cycles: tuple[int, int | None]
    selection: Selection | None


def _part(orders: list[Order], options: dict[str, Any]) -> _Part:
    from warploom.cli.ranges import numbers, span
    from warploom.machine.run.recording import Selection

    config = orders[0].config
    cycles = span(options["cycles"], "--cycles")
    if options["cores"] is None and options["warps"] is None:
        return _Part(cycles, None)
    if not config.has.warps:
        raise UserError(f"--cores and --warps are for machines with warps; {config.name!r} runs one instruction at a time, add --gpu sm")
    cores = numbers(options["cores"], "--cores", config.gpu.cores, "core")
    return _Part(cycles, Selection(cores, numbers(options["warps"], "--warps", config.core.warps, "warp slot")))


def _stretch(results: list[Result], part: _Part) -> tuple[int, int]:
    """The cycles that the page has, the second number not included. Raises UserError for cycles that no run has."""
    first, last = part.cycles
    most = max(result.cycles for result in results)
    if any(not result.instructions for result in results):
        raise UserError(f"{results[0].program.source.path}: no warp has run, so there is nothing to walk through")
    if first >= min(result.cycles for result in results):
        raise UserError(f"--cycles: there is no cycle {first}: the run has {most} cycles, numbered from 0")
    return first, most if last is None else min(last + 1, most)


def _shown(results: list[Result], part: _Part, options: dict[str, Any]) -> tuple[int, int]:
    """The cycles that the page has: those that are asked for, or as many from the first on as make a page that a browser is fit for."""
    from warploom.cli.views.page_size import LARGEST, part_of, size_of, told, told_of_part

    stretch = _stretch(results, part)
    silent = options["quiet"] or options["as_json"]
    asked = options["cycles"] is not None
    if silent and asked:
        return stretch
    size = size_of(results, stretch, part.selection)
    if size is None:
        return stretch
    if asked or size.characters <= LARGEST:
        said = "" if silent else told(size)
    else:
        whole, stretch = stretch, part_of(size, stretch)
        said = "" if options["quiet"] else told_of_part(size, stretch, whole[1])
    if said:
        say(said, err=True)
    return stretch


def _orders(kernel: str, options: dict[str, Any]) -> tuple[list[Order], list[str]]:
    """The run, and the one beside it if there is one; and what they are called."""
    order = take_order(kernel, options)
    if (found := other_run(kernel, order, options)) is not None:
        return found
    return beside(order, options["against"]) if options["against"] else ([order], [order.config.name])


def _launches(kernel: str, options: dict[str, Any]) -> dict[str, Any] | None:
    """All launches of the program, and the numbers of those in the page; None where nobody asks."""
    if not options["launches"]:
        return None
    rows = launches_of(kernel, options)
    wanted = [options["launch"], *(text.removeprefix(LAUNCH) for text in options["against"] if text.startswith(LAUNCH))]
    return {"rows": rows, "shown": [chosen(rows, one) for one in wanted]}


def _trials(orders: list[Order], results: list[Result], options: dict[str, Any]) -> list[Callable[[list[Finding]], list[Finding]]]:
    """Of each run what adds to its findings how changes of the machine turned out; [] where nobody asks."""
    if not options["what_if"]:
        return []
    silent = options["quiet"] or options["as_json"]
    return [partial(_tried, order, result.cycles, silent) for order, result in zip(orders, results, strict=True)]


def _tried(order: Order, cycles: int, quiet: bool, findings: list[Finding]) -> list[Finding]:
    return with_trials(order, findings, cycles, quiet=quiet)


def _write(
    out: OutputFile,
    results: list[Result],
    names: list[str],
    stretch: tuple[int, int],
    selection: Selection | None,
    quiet: bool,
    trials: list[Callable[[list[Finding]], list[Finding]]],
    profile_page: str | None,
    launches: dict[str, Any] | None,
) -> int:
    """Write the page, piece by piece. Returns its characters."""
    from warploom.cli.terminal.progress import Progress
    from warploom.observe.explorer.page import page_parts

    characters = 0
    link = "" if profile_page is None else _address(profile_page, out.path)
    with Progress("writing the page", stretch[1], quiet=quiet) as progress:
        runs = [_pieces(result, stretch, selection, progress) for result in results]
        for text in page_parts(results, runs, names=names, progress=progress, trials=trials, profile=link, launches=launches):
            out.write(text)
            characters += len(text)
    return characters


def _address(page: str, beside: str) -> str:
    """The address of a page as a link from another one has it."""
    from urllib.parse import quote

    return quote(os.path.relpath(os.path.abspath(page), os.path.dirname(os.path.abspath(beside))).replace(os.sep, "/"))


def _write_profile(path: str, explorer: str, result: Result) -> None:
    """The profile of a run, whose lines lead to the explorer's page."""
    from warploom.cli.common import write_file
    from warploom.observe.diagnosis.diagnosis import diagnose
    from warploom.observe.profile import profile
    from warploom.observe.profile_report.page import profile_page
    from warploom.observe.profile_report.table import ordered

    found = profile(result)
    write_file(path, profile_page(found, ordered(found.lines(), "line", None), diagnose(found), _address(explorer, path)))


def _check_profile(path: str, kernel: str, options: dict[str, Any]) -> None:
    if path == "-":
        raise UserError("--profile: the pages lead to each other, so both are files: name one with -o")
    if options["against"]:
        raise UserError("--profile shows one run, and --against makes two: leave one of them out")
    if os.path.abspath(options["profile_page"]) == os.path.abspath(path):
        raise UserError(f"--profile {options['profile_page']}: the explorer's page has this name; choose another")
    keep_inputs("--profile", options["profile_page"], [kernel])
    if Path(options["profile_page"]).suffix.lower() not in (".html", ".htm"):
        raise UserError(f"--profile {options['profile_page']}: a profile is a page; name a file that ends in .html")


def _pieces(result: Result, stretch: tuple[int, int], selection: Selection | None, progress: Progress) -> Iterator[tuple[RunResult, Part]]:
    """A run as its pieces; one that runs one instruction at a time is one piece."""
    from warploom.machine.run.pieces import pieces
    from warploom.observe.explorer.data import Part

    first, stop = stretch[0], min(stretch[1], result.cycles)
    if not result.has.events:
        yield result, Part(first, stop, first, stop)
        return
    before = None
    for piece in pieces(result, first, stop, selection=selection, progress=progress):
        yield piece.result, Part(piece.first, piece.stop, piece.begins, piece.ends, before, selection is not None)
        before = piece.result.initial_memory if before is None else before


def _check_output(kernel: str, path: str, options: dict[str, Any]) -> None:
    if path == "-" and options["open_page"]:
        raise UserError("--open needs a file: name one with -o")
    if path == "-" and options["as_json"]:
        raise UserError("--json and the page would both be written to standard output: name a file with -o")
    inputs = [given for given in (kernel, *(text.partition("=")[2] for text in options["buffers"]), options["gpu"]) if given]
    keep_inputs("-o", path, inputs)
    special = Path(path).exists() and not Path(path).is_file()  # a folder is refused elsewhere; a pipe takes anything
    if path != "-" and not special and Path(path).suffix.lower() not in (".html", ".htm"):
        raise UserError(f"-o {path}: the explorer is a page; name a file that ends in .html. `warploom picture` draws pictures")


def _tell(path: str, characters: int, results: list[Result], names: list[str], stretch: tuple[int, int], options: dict[str, Any]) -> None:
    if options["as_json"]:
        runs = [
            {"name": name, "status": result.status, "cycles": result.cycles, "fault": result.fault or None}
            for name, result in zip(names, results, strict=True)
        ]
        print_json({"page": path, "characters": characters, "first_cycle": stretch[0], "last_cycle": stretch[1] - 1, "runs": runs})
        return
    for result in results:
        for message in result.messages:
            say(f"error: {message}" if message == result.fault else message, err=True)
    if options["open_page"]:
        from warploom.cli.welcome.browser import opened

        open_in = "open in a browser now" if opened(Path(path)) else "no browser was found here: open it in one"
    else:
        open_in = "open it in a browser"
    if not options["quiet"] and path != "-":
        from warploom.cli.views.page_size import LARGE

        size = f", {characters / 1e6:.0f} MB" if characters > LARGE else ""
        say(f"{path} is written{size}: {open_in}", err=True)
