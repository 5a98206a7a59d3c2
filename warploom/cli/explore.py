"""`warploom explore`: a run as one page, to be walked through cycle by cycle in a browser."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import DONE, FAULT, UserError, is_among, json_option, print_json, print_warnings, say, stopped
from warploom.cli.options import machine_options
from warploom.cli.running import take_order

if TYPE_CHECKING:
    from warploom.cli.running import Order
    from warploom.result import Result


@click.command()
@click.argument("kernel", metavar="FILE")
@click.option("-o", "--output", metavar="PAGE", help="Where the page goes; - for standard output. [default: FILE's name, .html]")
@click.option("--against", multiple=True, metavar="NAME=VALUE", help="A second run beside it, with this setting changed.")
@machine_options
@click.option("--quiet", is_flag=True, help="Show no progress and say nothing at the end.")
@json_option
@click.pass_context
def command(ctx: click.Context, kernel: str, **options: Any) -> None:
    """Run FILE and write one HTML page in which the run can be walked through, forwards and backwards.

    The page holds everything: source, micro-ops, what every lane did in every cycle, registers, memory, caches, and why each warp
    waited. It is opened from its file in any recent browser, needs no network, and can be handed on. Press ? in it.

    The exit status is 0 when the kernel has ended, 1 after a fault or when it was still running after --max-cycles (the page shows
    the run up to there), and 2 when the input is wrong.

    \b
    Examples:
      warploom explore matmul.asm                  writes matmul.html
      warploom explore diverge.asm --gpu tiny-simt -o lanes.html
      warploom explore diverge.asm --gpu sm --against divergence.first=taken
      warploom explore raymarch.guppy --grid 1
    """
    from warploom.cli.output import OutputFile
    from warploom.cli.progress import Progress

    orders, names = _orders(kernel, options)
    path = options["output"] or f"{Path(kernel).stem}.html"
    _check_output(kernel, path, options)
    if not options["as_json"]:
        print_warnings(orders[0].warnings, *orders[0].program.sources)
    progress = Progress("running", orders[0].limit, limit=True, quiet=options["quiet"])
    try:
        with contextlib.ExitStack() as files:
            out = files.enter_context(OutputFile(path))
            with progress:
                results = [_run(order, progress) for order in orders]
            text = _page(results, names, options["quiet"])
            out.write(text)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how} after {progress.done:,} cycles; no file was written".replace(",", " "), err=True)
        ctx.exit(status)
    _tell(path, text, results, names, options)
    ctx.exit(DONE if all(result.status == "done" for result in results) else FAULT)


def _orders(kernel: str, options: dict[str, Any]) -> tuple[list[Order], list[str]]:
    """The run, and the one beside it if there is one; and what they are called."""
    from warploom.machine.config.presets import load_config, parse_setting

    order = take_order(kernel, options)
    if not options["against"]:
        return [order], [order.config.name]
    changes = dict(parse_setting(text) for text in options["against"])
    other = replace(order, config=load_config(order.config, changes))
    same = [name for name in changes if other.config[name] == order.config[name]]
    if len(same) == len(changes):
        raise UserError(f"--against {same[0]}={order.config[same[0]]}: the first run has this value too; give another one")
    return [order, other], [_called(one, tuple(changes)) for one in (order, other)]


def _called(order: Order, settings: tuple[str, ...]) -> str:
    return ", ".join(f"{name}={str(order.config[name]).lower()}" for name in settings)


def _run(order: Order, progress: Any) -> Result:
    has_warps = order.config.core.control != "sequencer"
    return order.run(progress, tracing=has_warps, recording=has_warps)


def _page(results: list[Result], names: list[str], quiet: bool) -> str:
    from warploom.cli.progress import Progress
    from warploom.observe.explorer.page import page

    for result in results:
        if result.detail.events is not None and not len(result.detail.events):
            raise UserError(f"{result.program.source.path}: no warp has run, so there is nothing to walk through")
    with Progress("writing the page", max(result.cycles for result in results), quiet=quiet) as progress:
        return page(*results, names=names, progress=progress)


def _check_output(kernel: str, path: str, options: dict[str, Any]) -> None:
    if path == "-" and options["as_json"]:
        raise UserError("--json and the page would both be written to standard output: name a file with -o")
    inputs = [given for given in (kernel, *(text.partition("=")[2] for text in options["buffers"]), options["gpu"]) if given]
    if path != "-" and is_among(path, inputs):
        raise UserError(f"-o {path}: this file is an input of the run; name another one")


def _tell(path: str, text: str, results: list[Result], names: list[str], options: dict[str, Any]) -> None:
    from warploom.observe.explorer.page import LARGE

    covered = [result.cycles if result.detail.recording is None else int(result.detail.recording.until) for result in results]
    if options["as_json"]:
        runs = [
            {"name": name, "status": result.status, "cycles": result.cycles, "recorded": until, "fault": result.fault or None}
            for name, result, until in zip(names, results, covered, strict=True)
        ]
        print_json({"page": path, "characters": len(text), "runs": runs})
        return
    for result in results:
        for message in result.messages:
            say(f"error: {message}" if message == result.fault else message, err=True)
    for result, until in zip(results, covered, strict=True):
        if until < result.cycles:
            say(f"registers and memory are recorded for cycles 0 to {until - 1} of {result.cycles}: the recording was full", err=True)
    if len(text) > LARGE:
        say(f"the page has {len(text) // 1_000_000} million characters, and a browser takes its time for it: run fewer threads", err=True)
    if not options["quiet"] and path != "-":
        say(f"{path} is written: open it in a browser", err=True)
