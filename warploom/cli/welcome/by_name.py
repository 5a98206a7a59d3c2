"""Programs that ship are found by their names: `warploom run matmul`, from any folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

PROGRAMS = ("FILE", "[FILE]", "SCENE")  # how a program's or a scene's argument is called in the commands' help


def with_shipped(command: click.Command) -> click.Command:
    """The command, whose program may be named as `warploom examples` lists it."""
    for param in command.params:
        if isinstance(param, click.Argument) and param.metavar in PROGRAMS and param.nargs == 1 and param.callback is None:
            param.callback = _found
    return command


def _found(ctx: click.Context, _param: click.Parameter, value: Any) -> Any:
    """The name as it is, or the path of the example that it names, said on standard error. A file of the user's always wins."""
    if not isinstance(value, str) or ctx.resilient_parsing or ctx.command.name == "new" or Path(value).exists():
        return value
    from warploom.cli.common import say
    from warploom.cli.welcome.shipped import find, folder

    places, root = find(value), folder("examples")
    if not places or root is None:
        return value
    names = [place.relative_to(root).as_posix() for place in places]
    others = f"; {', '.join(names[1:])} {'has' if len(names) == 2 else 'have'} this name too" if names[1:] else ""
    say(f"{value}: the example {names[0]} that ships with warploom{others}", err=True)
    return str(places[0])
