"""A group of commands whose files are imported when they are used, and the one place where users' mistakes end."""

from __future__ import annotations

import errno
import importlib
import re
import shlex
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from warploom.cli.common import BAD_INPUT, FAULT, mistakes, report, say, stopped
from warploom.cli.completion import with_completion
from warploom.cli.docstrings import with_help
from warploom.cli.terminal.printable import printable
from warploom.cli.terminal.process import drop_unwritten, prepared
from warploom.cli.welcome.by_name import with_shipped

LINE = "warploom.line"  # the words of the command line


class LazyGroup(click.Group):
    """Commands by name: attribute `command` of the module that `modules` names. summaries: one line per command, for the help."""

    def __init__(self, *args: Any, modules: dict[str, str], summaries: dict[str, str], **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.modules = modules
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order in which the help shows them."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name; None when there is none."""
        if cmd_name not in self.summaries:
            return None
        command: click.Command = importlib.import_module(self.modules[cmd_name]).command
        return with_shipped(with_completion(with_help(command)))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with; a program's file in its place is run."""
        if args and args[0] not in self.summaries and not args[0].startswith("-"):
            from warploom.cli.welcome.guesses import answer, is_program

            if not is_program(args[0]):
                raise click.UsageError(answer(args, self.summaries))
            args = ["run", *args]
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help of the program itself."""
        with_help(self)
        super().format_help(ctx, formatter)

    def main(self, *args: Any, **more: Any) -> Any:
        """Run the command line. What standard output cannot take ends in a sentence, also the help."""
        if not more.get("standalone_mode", True):
            return super().main(*args, **more)
        prepared()
        try:
            return super().main(*args, **more)
        except OSError as error:
            say(f"error: {error.strerror or error}", err=True)
            drop_unwritten()
            sys.exit(BAD_INPUT)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The options before the command's name; with nothing at all, the start page."""
        if not args and not ctx.resilient_parsing:
            _show_start_page()
            ctx.exit()
        ctx.meta[LINE] = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(printable(_explained(error, args)), error.ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A user's mistake ends here, as a message and exit status 2."""
        as_json = "--json" in ctx.args
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _say_warning
                return super().invoke(ctx)
        except click.UsageError as error:
            explained = click.UsageError(printable(_explained(error, ctx.meta[LINE])), error.ctx)
            if not as_json:
                raise explained from None
            report(explained, as_json)
        except KeyboardInterrupt as signal:
            how, status = stopped(signal)
            say(how, err=True)
            ctx.exit(status)
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever reads the output has seen enough: click ends quietly
                raise
            if shown_as_its_own(error, as_json):
                drop_unwritten()
                ctx.exit(FAULT)
            if error.errno is None:
                raise
            say(f"error: {error.strerror or error}", err=True)
            drop_unwritten()
        except Exception as error:
            if not isinstance(error, mistakes()):
                if shown_as_its_own(error, as_json):
                    ctx.exit(FAULT)
                raise
            _end_with_last_words(error)
            script = sys.modules.get("warploom.kernel.script")
            report((script.misuse(error) if script is not None else None) or error, as_json)
        ctx.exit(BAD_INPUT)


def _show_start_page() -> None:
    from warploom.cli.terminal import screen
    from warploom.cli.welcome.start import start_page

    screen.show([[line] for line in start_page()])


def _explained(error: click.UsageError, line: Sequence[str]) -> str:
    """What click says of the command line; where something is another tool's, what is here in its place. line: its words."""
    said, ctx = error.format_message(), error.ctx
    of_a_command = ctx is not None and ctx.parent is not None
    path = " ".join(["warploom", *(ctx.command_path.split()[1:] if ctx is not None else ())])
    if isinstance(error, click.NoSuchOption):
        from warploom.cli.welcome.other_options import answer_option

        option = error.option_name
        if (found := answer_option(option, ctx, line)) is not None:
            return f"there is no option {option}{' here' if of_a_command else ''}; {found}"
        if ctx is not None and ctx.info_name == "run":
            own = f"`warploom run FILE -- {shlex.quote(option)}`"
            return f"there is no option {option} here; options of the program itself stand after --: {own}"
        return f"there is no option {option} here; all there are: `{path} --help`"
    if ctx is not None and (isinstance(error, click.MissingParameter) or said.startswith("Got unexpected extra argument")):
        example = first_example(ctx.command.help or "", f"{path} ")
        return f"{said.rstrip('.')}, as in `{example}`" if example else said
    return said


def first_example(text: str, command: str) -> str:
    """The first line of a help's examples, without its remark; "" where there is none."""
    lines = (line.strip() for line in text.splitlines())
    return next((re.split("  +", line)[0] for line in lines if line.startswith(command)), "")


def _end_with_last_words(error: Exception) -> None:
    """Raise SystemExit where a Python program has ended itself so, before any launch: Python prints them."""
    frontend = sys.modules.get("warploom.kernel.frontend")
    if frontend is not None and isinstance(error, frontend.Ended):
        raise SystemExit(error.words) from None


def shown_as_its_own(error: Exception, as_json: bool) -> bool:
    """Show what a Python program raised as Python does, from the program's first line on; false where no program raised it."""
    script = sys.modules.get("warploom.kernel.script")
    begin = script.own_traceback(error) if script is not None else None
    if begin is None:
        return False
    from warploom.cli.welcome.foreign import foreign_import

    if (known := foreign_import(error) or (script.misuse(error) if script is not None else None)) is not None:
        report(known, as_json)
        return True
    import traceback

    say("".join(traceback.format_exception(type(error), error.with_traceback(begin), begin)).rstrip(), err=True)
    if as_json:
        report(RuntimeError(f"{type(error).__name__}: {error}"), as_json)
    return True


def _say_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
    """A warning as a line on standard error, without the place in this program that it comes from."""
    text = str(message)
    say(text.lstrip("\n") if text.startswith("\n") else f"warning: {text}", err=True)  # of a kernel: it has places and says what it is
