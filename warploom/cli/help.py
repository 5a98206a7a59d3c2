"""`warploom help`: the help of a command, as `--help` has it."""

from __future__ import annotations

import click

from warploom.cli.common import say


@click.command()
@click.argument("name", metavar="[COMMAND]", required=False)
@click.pass_context
def command(ctx: click.Context, name: str | None) -> None:
    """Show what COMMAND does and takes; without a name, the list of all commands.

    \b
    Examples:
      warploom help
      warploom help run
    """
    group = ctx.find_root().command
    assert isinstance(group, click.Group)
    root = ctx.find_root()
    if name is None:
        say(group.get_help(root))
        return
    _, found, _ = group.resolve_command(root, [name])
    assert found is not None
    say(found.get_help(click.Context(found, parent=root, info_name=name)))
