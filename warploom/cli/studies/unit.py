"""`warploom unit check`: what a unit of a user's own promises, and whether it keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import UserError, json_option, print_json, say
from warploom.cli.terminal import screen

if TYPE_CHECKING:
    from warploom.contracts import Verdict


@click.command()
@click.argument("action", type=click.Choice(["check"]))
@click.argument("unit", metavar="FILE.py:NAME")
@click.option("--slot", metavar="SLOT", help="The slot that it is for, as replacement.")
@json_option
@click.pass_context
def command(ctx: click.Context, action: str, unit: str, slot: str | None, as_json: bool) -> None:
    """Ask a unit of your own what its slot promises, in both engines.

    For a promise that is broken, the smallest program or trace that shows it is named, and the exit status is 1. The slots are scheduler,
    replacement, prefetcher, coalescer, set_hash, channel_hash and divergence. Instead of FILE.py:NAME, a name of ours is checked too where
    it comes in like a user's, as next_line. The file is executed with your rights.

    \b
    Examples:
      warploom unit check mine.py:lfu --slot replacement
      warploom unit check next_line --slot prefetcher
    """
    from warploom.contracts import check_unit
    from warploom.machine.slots import SLOTS, slot_named
    from warploom.units import load_unit

    if slot is None:
        raise UserError(f"say for which slot it is: --slot NAME, of {', '.join(SLOTS)}")
    row = slot_named(slot)
    loaded: Any = row.door().units[unit] if unit in row.door().units else load_unit(unit)
    verdicts = check_unit(loaded, slot, lambda verdict: None if as_json else _show(verdict))
    broken = [verdict for verdict in verdicts if verdict.broken]
    if as_json:
        rows = [{"promise": verdict.promise.name, "kept": not verdict.broken, "example": verdict.broken} for verdict in verdicts]
        print_json({"unit": unit, "slot": slot, "promises": rows})
    elif not broken:
        say(f"{unit} keeps the contract of the slot {slot}")
    ctx.exit(1 if broken else 0)


def _show(verdict: Verdict) -> None:
    said = "broken" if verdict.broken else "kept"
    say(screen.wrapped(f"{said:6}  {verdict.promise.name}: {verdict.promise.meaning}", "", "        "))
    if verdict.broken:
        say(screen.wrapped(verdict.broken, "        ", "        "))
