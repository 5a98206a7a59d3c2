"""`warploom cost`: what the units of a machine cost in gates."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import UserError, json_option, print_json, say, stopped
from warploom.cli.terminal.screen import width
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from warploom.rtl.prices import Cost

MOST = {"warps": 64, "lanes": 64, "ways": 32}
HEADINGS = ("", "count", "transistors", "gates", "FF", "depth", "LUT4", "LUT depth")
OF_UNITS = "count: in the GPU; core and gpu hold the units above them. "
OF_MECHANISMS = "In brackets: warps, lanes of a warp, or ways or entries. "
REMARK = (
    "FF: flip-flops. LUT4: lookup tables of four inputs. The figures are of this description, by this script: they compare mechanisms with "
    "each other, and are never the area or the clock of a product."
)


@click.command()
@click.argument("units", metavar="[UNIT]...", nargs=-1)
@click.option("--gpu", default="tiny-original", metavar="PRESET|TOML", help="The machine they are of. [default: tiny-original]")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of the machine, as gpu.cores=4.")
@click.option("--warps", metavar="LIST", help="Of policies, scoreboard and barriers: warps. [default: 8,32]")
@click.option("--lanes", metavar="LIST", help="Of divergence mechanisms, coalescer and banks: lanes of a warp. [default: 8,32]")
@click.option("--ways", metavar="LIST", help="Of replacement and tags: ways of a set; of mshrs: entries. [default: 4,16]")
@click.option("--script", is_flag=True, help="Print the script of Yosys as well.")
@json_option
@click.pass_context
def command(ctx: click.Context, units: tuple[str, ...], **options: Any) -> None:
    """Show what each UNIT costs as hardware: transistors, flip-flops, lookup tables of four inputs, and depth.

    Without a name, all units of the machine except gpu and banks, which take a minute each: of tiny-gpu's kind its units; of one with
    warps, scheduling policies, scoreboard, barriers, divergence mechanisms, coalescer, replacement policies, tags and mshrs, in the sizes
    that the three options give. Only units that lockstep compares with the model have a price.
    Results of the synthesis are kept: the first time takes a minute or two for a machine with warps, the next none. It needs the extra
    rtl: pip install 'warploom[rtl]'.

    \b
    Examples:
      warploom cost
      warploom cost data_controller --set memory.data_channels=1
      warploom cost round_robin oldest --warps 8,16,32
      warploom cost stack minpc --lanes 8,32
      warploom cost lru plru --ways 4,8,16
      warploom cost alu --script
    """
    from warploom.cli.terminal.progress import Progress
    from warploom.gpu import GPU
    from warploom.machine.config.presets import parse_setting
    from warploom.rtl import prices

    sizes = {by: _sizes(by, options[by]) if options[by] is not None else usual for by, usual in prices.SIZES.items()}
    gpu = GPU(options["gpu"], set=dict(parse_setting(text) for text in options["changes"]))
    asked = prices.names_and_sizes(units, sizes, warps=gpu.config.has.warps)
    known = 0
    try:
        with Progress("synthesizing", len(asked), quiet=options["as_json"], unit="units") as progress:

            def count(units: int) -> None:
                nonlocal known
                known = units
                progress(units)

            found = prices.costs(asked, gpu, count)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how} after {known} of {len(asked)} units; those are kept", err=True)
        ctx.exit(status)
    gates, luts = prices.script()
    if options["as_json"]:
        print_json({"units": [prices.body(item) for item in found], "tool": prices.tool(), "script": {"gates": gates, "luts": luts}})
        return
    for line in _table(found):
        say(line)
    say()
    remark = OF_UNITS * any(not unit.by for unit, _ in asked) + OF_MECHANISMS * any(unit.by for unit, _ in asked) + REMARK
    for line in textwrap.wrap(remark, width()):
        say(line)
    if options["script"]:
        say(f"\n{prices.tool()}; transistors, gates, flip-flops, depth:\n  {gates}\nLUT4, depth:\n  {luts}")
    else:
        say(f"The script, for {prices.tool()}: --script.")


def _table(found: list[Cost]) -> list[str]:
    rows: list[tuple[str, ...]] = [HEADINGS]
    for item in found:
        counts = (item.transistors, item.gates, item.flip_flops, item.depth, item.luts, item.lut_depth)
        rows.append((item.name, str(item.count or "-"), *(grouped(number) for number in counts)))
    names, *numbers = (tuple(column) for column in zip(*rows, strict=True))
    left = [name.ljust(max(map(len, names))) for name in names]
    right = [[cell.rjust(max(map(len, column))) for cell in column] for column in numbers]
    return ["  ".join(cells) for cells in zip(left, *right, strict=True)]


def _sizes(by: str, text: str) -> tuple[int, ...]:
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or not all(1 <= number <= MOST[by] for number in found):
        raise UserError(f"--{by} {text}: write numbers from 1 to {MOST[by]}, as {MOST[by] // 8},{MOST[by] // 2}")
    return found
