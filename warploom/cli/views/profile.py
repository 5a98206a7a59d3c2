"""`warploom profile`: what each line of a program costs, and what to try."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import DONE, FAULT, UserError, diagnostic_json, json_option, keep_inputs, print_json, print_warnings, say, stopped
from warploom.cli.options import machine_options, renamed
from warploom.cli.running import complain, take_order
from warploom.cli.views.launches import chosen, launch_lines, launches_of, launches_option
from warploom.cli.views.what_if import what_if_option, with_trials

if TYPE_CHECKING:
    from warploom.cli.running import Order
    from warploom.result import Result

MOST_CYCLES = 100_000  # of a machine without warps, where nothing else is said: its run is repeated in plain Python

WHOLE = 400  # columns that --wide makes room for

# The keys of `observe.profile_table.SORTS`, which is not loaded for --help; a test compares them.
SORTS = ("line", "cycles", "issues", "lanes", "transactions", "conflicts", "misses")


@click.command()
@click.argument("file", metavar="FILE")
@machine_options
@click.option("--sort", type=click.Choice(SORTS), default="line", show_default=True, help="What lines are ordered by.")
@click.option("--top", type=int, metavar="N", help="Show only N lines; in the order of the source, those with most cycles.")
@click.option("-o", "--output", metavar="OUT", help="Write the profile as one .html page that needs nothing else; nothing is printed.")
@renamed(**{"--html": "-o"})
@click.option("--check", is_flag=True, help="Run it with checks, and mark the lines that they find (warploom check).")
@what_if_option
@launches_option
@click.option("--wide", is_flag=True, help="Show all columns, however wide the terminal is.")
@click.option("--quiet", is_flag=True, help="Print no profile and show no progress.")
@json_option
@click.pass_context
def command(ctx: click.Context, file: str, **options: Any) -> None:
    """Run FILE, and show what each of its lines cost, why, and what to try.

    \b
    heat, cycles  warp-cycles: a warp issues the line, or waits at it
    issues        how often a warp executed it
    lanes         active lanes per issue
    diverged      branches at which the lanes of a warp disagreed
    access        32/2: transactions per access, and how many would do
                  (not of textures)
                  8/1 s: passes of shared memory, and how many would do
    hits          transactions that found their line in the first cache
    lost to       what most of the line's cycles went to, beside issuing

    It opens with what limits the run, in sentences, the true limiter first, each with the line to change. In the table below them a
    wait is on the account of the line that waits. The exit status is that of `warploom run`; a machine without warps stops after
    100 000 cycles unless --max-cycles says otherwise.

    \b
    Examples:
      warploom profile load_strided.guppy --set core.warps=8
      warploom profile load_strided.guppy --what-if
      warploom profile raymarch.guppy --sort cycles --top 10
      warploom profile matmul.asm --gpu tiny-simt -o matmul.html
    """
    from warploom.cli.terminal.progress import Progress

    if options["top"] is not None and options["top"] < 1:
        raise UserError(f"--top {options['top']}: show at least 1 line")
    if options["as_json"] and options["output"] is not None:
        raise UserError("--json and -o are two forms of one profile: ask for one of them")
    order = take_order(file, options)
    if not order.config.has.profile and options["max_cycles"] is None:
        order = replace(order, limit=MOST_CYCLES)
    if not options["as_json"]:
        print_warnings(order.warnings, *order.program.sources)
    if options["output"] is not None:
        _check_page(
            options["output"], [path for path in (file, *(text.partition("=")[2] for text in options["buffers"]), options["gpu"]) if path]
        )
    try:
        launches = launches_of(file, options) if options["launches"] else []
        with Progress("running", order.limit, limit=True, quiet=options["quiet"] or options["as_json"]) as progress:
            result = order.run(progress)
        _show(order, result, [diagnostic_json(item) for item in order.warnings], launches, options)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how}; no file was written", err=True)
        ctx.exit(status)
    complain(result, "the profile is that of these cycles, --max-cycles allows more", where=False)
    ctx.exit(DONE if result.status == "done" else FAULT)


def _check_page(path: str, inputs: list[str]) -> None:
    if path == "-":
        raise UserError("-o writes a file: name one, as in -o profile.html")
    keep_inputs("-o", path, inputs)
    if not Path(path).is_dir() and not path.lower().endswith((".html", ".htm")):
        raise UserError(f"-o {path}: a profile is written as an .html page; name a file that ends in .html")


def _show(order: Order, result: Result, warnings: list[dict[str, Any]], launches: list[dict[str, Any]], options: dict[str, Any]) -> None:
    from warploom.cli.common import write_file
    from warploom.cli.terminal import screen
    from warploom.cli.terminal.progress import Progress
    from warploom.observe.diagnosis.diagnosis import diagnose, findings_report
    from warploom.observe.profile import profile, profile_report
    from warploom.observe.profile_report.table import ordered, profile_table

    with Progress("looking at every cycle", result.cycles, quiet=options["quiet"] or options["as_json"]) as progress:
        found = profile(result, progress=progress)
    findings = diagnose(found)
    if options["what_if"]:
        findings = with_trials(order, findings, result.cycles, quiet=options["quiet"] or options["as_json"])
    listed = launch_lines(launches, chosen(launches, options["launch"])) if launches else []
    lines = ordered(found.lines(), options["sort"], options["top"])
    if options["as_json"]:
        from warploom.observe.diagnosis.light import answer_report

        body = answer_report(found) | profile_report(found, lines) | {"diagnosis": findings_report(found, findings)}
        print_json(body | {"fault": result.fault or None, "warnings": warnings} | ({"launches": launches} if launches else {}))
    elif options["output"] is not None:
        from warploom.observe.profile_report.page import profile_page

        write_file(options["output"], profile_page(found, lines, findings, launches="\n".join(listed)))
        if not options["quiet"]:
            say(f"{options['output']} is written", err=True)
    elif not options["quiet"]:
        for line in (*listed, "") if listed else ():
            say(line)
        screen.show(profile_table(found, lines, findings, width=WHOLE if options["wide"] else screen.width(), unicode=screen.unicode()))
