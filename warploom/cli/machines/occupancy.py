"""`warploom occupancy`: how full a multiprocessor of a real GPU, or a core of a machine here, can be with a kernel, and what limits it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import FAULT, UserError, json_option, print_json, say
from warploom.isa.numbers import grouped, percentage

if TYPE_CHECKING:
    from rich.text import Text

    from warploom.machine.occupancy.calculator import Occupancy

ROWS = 8  # height of the chart
STEPS = " ▁▂▃▄▅▆▇█"  # a character cell, filled in eighths
NAMES = {
    "warps": "warps", "blocks": "block slots", "threads": "threads", "registers": "registers", "scalars": "scalar registers",
    "shared": "shared memory, bytes",
}  # fmt: skip


@click.command()
@click.option("--cc", metavar="X.Y", help="Of a real GPU: its compute capability, as 8.6 or sm_86.")
@click.option("--gpu", metavar="PRESET|TOML", help="Of a machine here, instead of --cc.")
@click.option("--threads", type=int, help="Threads per block. With --gpu it may be left out: one warp.")
@click.option("--registers", "--vgprs", type=int, default=0, help="Registers per thread. 0, the default: not counted.")
@click.option("--sgprs", "scalars", type=int, default=0, help="Scalar registers per warp, where a machine counts them (gcn). [default: 0]")
@click.option("--shared", type=int, default=0, help="Bytes of static shared memory per block. [default: 0]")
@click.option("--dynamic-shared", type=int, default=0, help="Bytes of dynamic shared memory per block. [default: 0]")
@click.option("--carveout", type=int, help="Percent of the shared memory that the kernel asks for, from 7.0 on. [default: all there is]")
@click.option("--curve", "whole", is_flag=True, help="Show every block size in a row of its own; with --json, add them.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    cc: str | None,
    gpu: str | None,
    threads: int | None,
    registers: int,
    scalars: int,
    shared: int,
    dynamic_shared: int,
    carveout: int | None,
    whole: bool,
    as_json: bool,
) -> None:
    """Show how many blocks and warps of a kernel a multiprocessor holds at a time, and what limits it.

    Either --cc or --gpu says of what. Registers and shared memory are what `nvcc -Xptxas -v` prints. Occupancy is warps held, of those
    that there is room for: a percentage in the table, a fraction from 0 to 1 in JSON, which has blocks, warps, occupancy, limits
    (blocks that each resource would allow by itself, null for any number), limiting (the names of the lowest limits) and reason (why
    not even one block fits).

    The exit status is 1 when not even one block fits.

    \b
    Examples:
      warploom occupancy --cc 8.6 --threads 256 --registers 40 --shared 8192
      warploom occupancy --cc sm_90 --threads 192 --registers 33 --curve
      warploom occupancy --cc 8.0 --threads 128 --json
      warploom occupancy --gpu gcn --vgprs 40 --sgprs 100
    """
    from warploom.machine.config.presets import load_config
    from warploom.machine.occupancy.calculator import capability, curve, limits_of, machine_curve, machine_occupancy, occupancy

    if cc is not None and gpu is not None:
        raise UserError("--cc and --gpu each say of what: leave one of them out")
    if cc is None and gpu is None:
        raise UserError("say of what: --cc 8.6 for a real GPU of NVIDIA's, or --gpu gcn for a machine here")
    if gpu is not None:
        if carveout is not None:
            raise UserError("--carveout is of real GPUs: use it with --cc, or set shared.carveout in the machine's TOML file")
        config = load_config(gpu)
        name, of = config.name, "gpu"
        threads = limits_of(config).lanes if threads is None else threads
        found = machine_occupancy(config, threads, registers, shared + dynamic_shared, scalars)
        points = machine_curve(config, registers, shared + dynamic_shared, scalars)
    elif scalars:
        raise UserError("--sgprs is of machines that count scalar registers: use it with --gpu gcn")
    elif threads is None:
        raise UserError("say how many --threads a block has")
    else:
        name, of = capability(str(cc)), "cc"
        found = occupancy(name, threads, registers, shared, dynamic_shared, carveout)
        points = curve(name, registers, shared, dynamic_shared, carveout)
    if as_json:
        asked = {of: name, "threads": threads, "registers": registers, "shared": shared, "dynamic_shared": dynamic_shared}
        if gpu is not None:
            asked["scalars"] = scalars
        body = asked | {"carveout": carveout} | _body(found) | {"needs": found.needs, "room": found.room}
        if whole:
            body["curve"] = [{"threads": size} | _body(point) for size, point in points.items()]
        print_json(body)
        if found.reason:
            ctx.exit(FAULT)
        return
    from rich.console import Console

    from warploom.cli.terminal import screen

    console = Console(highlight=False, width=screen.width())
    once = f" and {scalars} per warp" if scalars else ""
    block = f"{grouped(threads)} threads, {registers} registers per thread{once}, {grouped(shared + dynamic_shared)} bytes of shared memory"
    say(screen.wrapped(f"{'compute capability ' if gpu is None else ''}{name}, blocks of {block}"))
    if found.reason:
        console.print(f"\n{screen.wrapped(f'no block fits: {found.reason}')}", style="bold", soft_wrap=True)
    else:
        console.print(f"\n{screen.wrapped(f'{_of(found)}; limited by {_listed(found)}')}", style="bold", soft_wrap=True)
    console.print()
    console.print(_resources(found))
    console.print()
    if whole:
        console.print(_sizes(points, threads))
    else:
        console.print("occupancy by threads per block")
        console.print(_chart(points, threads, unicode=console.encoding.startswith("utf")))
    if found.reason:
        ctx.exit(FAULT)


def _body(found: Occupancy) -> dict[str, Any]:
    return {
        "blocks": found.blocks,
        "warps": found.warps,
        "occupancy": found.occupancy,
        "limits": found.limits,
        "limiting": list(found.limiting),
        "reason": found.reason,
    }


def _of(found: Occupancy) -> str:
    blocks = "1 block" if found.blocks == 1 else f"{found.blocks} blocks"
    return f"{blocks}, {found.warps} of {found.room['warps']} warps, occupancy {percentage(found.occupancy, 1)}"


def _listed(found: Occupancy) -> str:
    *names, last = (NAMES[name].partition(",")[0] for name in found.limiting)
    return f"{', '.join(names)} and {last}" if names else last


def _resources(found: Occupancy) -> Any:
    """A row a resource: what a block needs, what there is, how many blocks that makes."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    table.add_column("resource")
    for heading in ("a block needs", "there are", "blocks"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for name, count in found.limits.items():
        shown = "any" if count is None else grouped(count)
        limiting = name in found.limiting
        table.add_row(
            NAMES[name],
            grouped(found.needs[name]),
            grouped(found.room[name]),
            shown,
            "<- limits" if limiting else "",
            style="bold" if limiting else "",
        )
    return table


def _sizes(points: dict[int, Occupancy], threads: int) -> Any:
    """A row per block size."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    for heading in ("threads", "blocks", "warps", "occupancy"):
        table.add_column(heading, justify="right")
    table.add_column("limited by")
    for size, point in points.items():
        shown = (grouped(size), str(point.blocks), str(point.warps), f"{percentage(point.occupancy, 1)}", _listed(point))
        table.add_row(*shown, style="bold" if size == _column(points, threads) else "")
    return table


def _column(points: dict[int, Occupancy], threads: int) -> int:
    """The block size of the curve in which a block of `threads` lies; 0 when it is larger than all."""
    return next((size for size in points if size >= threads), 0)


def _chart(points: dict[int, Occupancy], threads: int, *, unicode: bool) -> Text:
    """The curve as columns of characters, two a block size; below, where the asked size is, and the sizes."""
    from rich.text import Text

    text = Text()
    here = _column(points, threads)
    for row in reversed(range(ROWS)):
        label = {ROWS - 1: percentage(1.0), ROWS // 2 - 1: percentage(0.5)}.get(row, "")
        text.append(f"{label:>5} |")
        for size, point in points.items():
            filled = min(max(round((point.occupancy * ROWS - row) * 8), 0), 8)
            cell = STEPS[filled] if unicode else " #"[filled >= 4]
            text.append(f"{cell} ", style="bold" if size == here else "dim")
        text.append("\n")
    text.append(f"{'':5s} +{'--' * len(points)}\n")
    text.append(f"{'':7s}{''.join('^ ' if size == here else '  ' for size in points).rstrip()}\n")
    marks = [f"{grouped(size):>8}" for size in points if size % 128 == 0]
    text.append(f"{'':6s}{''.join(marks)}")
    return text
