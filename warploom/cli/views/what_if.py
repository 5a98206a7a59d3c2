"""`--what-if`: the run once more with each change of the machine that bears on what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from warploom.cli.terminal.progress import Progress

if TYPE_CHECKING:
    from warploom.cli.running import Order
    from warploom.machine.config.schema import Config
    from warploom.observe.diagnosis.finding import Finding
    from warploom.result import Result

what_if_option = click.option(
    "--what-if", is_flag=True, help="Run it again with what each finding names changed, and say what that gives (8 runs at most)."
)


def with_trials(order: Order, findings: Sequence[Finding], cycles: int, *, quiet: bool) -> list[Finding]:
    """The findings, each with what its changes gave. cycles: of the run that they are about. A change that a user's unit stands for is left
    out."""
    from warploom.machine.accounting.status import LaunchError
    from warploom.machine.slots import SLOTS
    from warploom.observe.diagnosis.what_if import tried

    own = {setting for slot in order.units for setting in SLOTS[slot].settings}

    def run(config: Config, limit: int, change: str) -> Result | None:
        if change.partition("=")[0] in own:
            return None
        with Progress(f"what if {change}", limit, limit=True, quiet=quiet) as progress:
            try:
                return replace(order, config=config, limit=limit).run(progress)
            except LaunchError:  # the program has no room on that machine, or is made for another mechanism
                return None

    return tried(order.config, findings, cycles, run)
