"""A script of debugger commands: each one and what it says, as plain text. For lessons, for tests, and for pipes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from warploom.cli.common import UserError
from warploom.cli.debugger.commands import execute
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.expecting import Unmet
from warploom.observe.text.styled import Line

PROMPT = "> "


class Order(NamedTuple):
    """One line of a script. place: where it stands, for messages."""

    place: str
    text: str


class Said(NamedTuple):
    """A command and what it said."""

    command: str
    lines: list[Line]


def carry_out(debugger: Debugger, orders: Iterable[Order], show: Callable[[Said], None]) -> None:
    """Do one command after the other, until one says quit. Raises UserError at the first that is wrong, with its place."""
    for order in orders:
        text = order.text.strip()
        if not text or text.startswith("#"):
            continue
        try:
            said = Said(text, execute(debugger, text))
        except UserError as error:
            raise type(error)(f"{order.place}: {error}") from None
        show(said)
        if debugger.quitting:
            return


__all__ = ["PROMPT", "Order", "Said", "Unmet", "carry_out"]
