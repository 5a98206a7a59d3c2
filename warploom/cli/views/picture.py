"""`warploom picture`: what a run did, as a picture in a file or in the terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import DONE, FAULT, UserError, json_option, keep_inputs, print_json, print_warnings, say, stopped, write_file
from warploom.cli.options import machine_options
from warploom.cli.ranges import numbers, span
from warploom.cli.running import complain, take_order

if TYPE_CHECKING:
    from warploom.observe.pictures import Picture


@click.command()
@click.argument("kind", metavar="KIND")
@click.argument("file", metavar="FILE", required=False)
@click.option("-o", "--output", metavar="OUT", help="Draw into this .png, .svg or .pdf file. [default: show it in the terminal]")
@click.option("--cycles", metavar="A:B", help="Only the cycles from A to B.")
@click.option("--cores", metavar="LIST", help="Only these cores, as 0,2-3.")
@click.option("--warps", metavar="LIST", help="Only these warp slots of each core, as 0,2-3.")
@click.option("--width", type=click.IntRange(40, 6000), metavar="N", help="Points of a drawing, or characters in the terminal.")
@click.option("--dark", is_flag=True, help="Draw on a dark background.")
@click.option("--quiet", is_flag=True, help="Show no progress, and do not say that the file is written.")
@machine_options
@json_option
@click.pass_context
def command(ctx: click.Context, kind: str, file: str | None, output: str | None, as_json: bool, **options: Any) -> None:
    """Run FILE and draw what it did. KIND says which picture:

    \b
      masks      what every lane did in every cycle, and the ALUs and caches below
      timeline   when each warp issues, and what it waits for
      issue      how full the machine is, and how many issue slots are taken
      memory     transactions, hit rates, and accesses in flight
      banks      the passes that accesses to shared memory take
      roofline   what the kernel reaches of what the machine can do
      quads      how full the quads of a draw call are
      overdraw   how many fragments come to each pixel
      tiles      when the tiles of the picture are worked on
      pipeline   every instruction of one warp, from its wait to its result
      schedule   some cycles of a scheduler: issues, stall counts, counters, pipes

    Without -o, masks, timeline and schedule are shown in the terminal. The exit status is that of `warploom run`: 1 when the kernel did
    not end well; its run is drawn nevertheless.

    \b
    Examples:
      warploom picture masks diverge.asm --gpu tiny-simt           in the terminal
      warploom picture masks diverge.asm --gpu sm -o masks.svg
      warploom picture masks matmul.asm --cycles 100:200 --cores 0 -o part.png
      warploom picture roofline saxpy.asm --gpu sm -o roofline.pdf
    """
    from warploom.cli.terminal.progress import Busy, Progress
    from warploom.observe.pictures import picture

    kind, file = _kind_first(kind, file)
    _check(kind, file, output, options["width"], as_json)
    order = take_order(file, options)
    if not (options["quiet"] or as_json):
        print_warnings(order.warnings, *order.program.sources)
    has = order.config.has
    part = {
        "cycles": span(options["cycles"], "--cycles") if options["cycles"] else None,
        "cores": numbers(options["cores"], "--cores", order.config.gpu.cores, "core"),
        "warps": numbers(options["warps"], "--warps", order.config.core.warps if has.warps else 1, "warp slot"),
    }
    progress = Progress("running", order.limit, limit=True, quiet=options["quiet"])
    try:
        with progress:
            result = order.run(progress, tracing=has.events)
        quiet = options["quiet"] or as_json
        width = {} if options["width"] is None or output is None else {"width": options["width"]}
        with Busy("drawing the picture", quiet=quiet):
            drawn = picture(result, kind, dark=options["dark"], **part, **width)  # type: ignore[arg-type]
            if output is not None:
                write_file(output, drawn.drawn(_form(output)))
        if as_json:
            print_json(drawn.facts())
        elif output is None:
            _show(drawn, options["width"])
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how}; no file was written", err=True)
        ctx.exit(status)
    complain(result)
    if output is not None and not (options["quiet"] or as_json):
        say(f"{output} is written", err=True)
    ctx.exit(DONE if result.status == "done" else FAULT)


def _kind_first(kind: str, file: str | None) -> tuple[str, str]:
    """The kind and the program. Raises UserError where one is missing, or they change places."""
    from warploom.observe.pictures import KINDS

    if file is not None and (kind in KINDS or file not in KINDS):
        return kind, file
    if kind in KINDS:
        raise UserError(f"name the program that is to be drawn: `warploom picture {kind} FILE`")
    chosen = next(iter(KINDS)) if file is None else file
    raise UserError(f"say which picture, then the file: `warploom picture {chosen} {kind}`; there are {', '.join(KINDS)}")


def _check(kind: str, file: str, output: str | None, width: int | None, as_json: bool) -> None:
    """What can be known before a long run."""
    from warploom.isa.diagnostics import nearest
    from warploom.observe.pictures import KINDS, check_width
    from warploom.observe.pictures.sheet import drawing_library

    if kind not in KINDS:
        raise UserError(f"there is no picture {kind!r}{nearest(kind, KINDS)}; there are {', '.join(KINDS)}")
    if output is None:
        if not (KINDS[kind].text or as_json):
            raise UserError(f"the picture {kind} is drawn into a file: add -o {kind}.png, or .svg, or .pdf")
        return
    _form(output)
    if width is not None:
        check_width(width)
    drawing_library()
    keep_inputs("-o", output, [file])


def _form(output: str) -> str:
    from warploom.observe.pictures import form_of

    return form_of(output)


def _show(drawn: Picture, width: int | None) -> None:
    """The picture in letters, or in coloured blocks where the terminal has colours."""
    from warploom.cli.terminal import screen

    screen.show(drawn.lines(width or screen.width(), colours=_colours()))


def _colours() -> bool:
    """Whether standard output takes half blocks in a palette's colours: 256 of them at least, as all but the oldest terminals have."""
    from warploom.cli.terminal import screen

    if not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")) or os.environ.get("NO_COLOR") or not screen.unicode():
        return False
    from rich.console import Console

    return Console().color_system in ("256", "truecolor")
