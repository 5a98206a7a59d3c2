"""A group of commands whose files are imported when they are used, and the one place where users' mistakes end."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import warnings
from typing import Any

import click

from warploom.cli.common import BAD_INPUT, INTERRUPTED, mistakes, report


class LazyGroup(click.Group):
    """Commands by name: module `package.name`, attribute `command`. summaries: one line a command, for the help."""

    def __init__(self, *args: Any, package: str, summaries: dict[str, str], **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.package = package
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order in which the help shows them."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name; None when there is none."""
        if cmd_name not in self.summaries:
            return None
        return importlib.import_module(f"{self.package}.{cmd_name}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with."""
        if args and args[0] not in self.summaries and not args[0].startswith("-"):
            from warploom.isa.diagnostics import nearest

            raise click.UsageError(f"there is no command {args[0]!r}{nearest(args[0], self.summaries)}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A user's mistake ends here, as a message and exit status 2."""
        as_json = "--json" in ctx.args
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _say_warning
                return super().invoke(ctx)
        except click.UsageError as error:
            if not as_json:
                raise
            report(error, as_json)
        except KeyboardInterrupt:
            click.echo("stopped by Ctrl-C", err=True)
            ctx.exit(INTERRUPTED)
        except OSError as error:
            if error.errno in (None, errno.EPIPE):  # whoever reads the output has seen enough: click ends quietly
                raise
            click.echo(f"error: {error.strerror or error}", err=True)
            _drop_unwritten()
        except Exception as error:
            if not isinstance(error, mistakes()):
                raise
            report(error, as_json)
        ctx.exit(BAD_INPUT)


def _say_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
    """A warning as a line on standard error, without the place in this program that it comes from."""
    click.echo(f"warning: {message}", err=True)


def _drop_unwritten() -> None:
    """Forget what standard output could not take: the interpreter would try again at its end, and complain in words of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
