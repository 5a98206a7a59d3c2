"""Completion in the shell: names of presets, settings with their values, instruction sets, and files, by what an option's help calls it.

click writes the shell's part; `warploom completion` installs it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import UserError, say, write_file

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _item(*words: Any, **more: Any) -> CompletionItem:
    """A completion; only a shell that asks for some imports what makes them."""
    from click.shell_completion import CompletionItem

    return CompletionItem(*words, **more)


def complete_files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files, which the shell itself knows."""
    return [_item(incomplete, type="file")]


def complete_presets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Machines by name, or a TOML file."""
    from warploom.machine.config.presets import about, preset_names

    found = [_item(name, help=about(name)) for name in preset_names() if name.startswith(incomplete)]
    return found or complete_files(ctx, param, incomplete)


def complete_settings(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """`gpu.cores=`, and after the sign the values of a setting that has names for them."""
    from warploom.machine.config.schema import settings

    name, equals, value = incomplete.partition("=")
    if not equals:
        return [_item(f"{setting.name}=", help=setting.meaning) for setting in settings() if setting.name.startswith(name)]
    values = next((setting.range.split(" | ") for setting in settings() if setting.name == name and " | " in setting.range), [])
    return [_item(f"{name}={word}") for word in values if word.startswith(value)]


def complete_isas(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Instruction sets."""
    from warploom.isa.frontends import known

    return [_item(row.name, help=row.about) for row in known() if row.name.startswith(incomplete)]


def complete_pictures(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Kinds of pictures."""
    from warploom.observe.pictures.picture import KINDS

    return [_item(name, help=kind.title) for name, kind in KINDS.items() if name.startswith(incomplete)]


BY_OPTION: dict[str, Completer] = {"--set": complete_settings, "--gpu": complete_presets, "--isa": complete_isas}
BY_METAVAR: dict[str, Completer] = {"PRESET|TOML": complete_presets, "PRESET": complete_presets, "KIND": complete_pictures}
FILES = ("FILE", "OUT", "SCRIPT", "OTHER", "TOML")


def with_completion(command: click.Command) -> click.Command:
    """The command, whose options and arguments complete what they take; those that have a completion of their own keep it."""
    for param in command.params:
        completer = _completer(param.opts, param.metavar or "")
        if completer is not None and param._custom_shell_complete is None and not isinstance(param.type, click.Choice):
            param._custom_shell_complete = completer
    return command


def _completer(names: Iterable[str], metavar: str) -> Completer | None:
    for name in names:
        if name in BY_OPTION:
            return BY_OPTION[name]
    if metavar in BY_METAVAR:
        return BY_METAVAR[metavar]
    return complete_files if metavar in FILES else None


# ---------------------------------------------------------------------------------------------------------
# The command

MARK = "# completion of warploom"
SHELLS = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/completions/warploom.fish"}


@click.command()
@click.argument("shell", metavar="[SHELL]", required=False, type=click.Choice(list(SHELLS)))
@click.option("--show", is_flag=True, help="Print the script, and install nothing.")
@click.pass_context
def command(ctx: click.Context, shell: str | None, show: bool) -> None:
    """Install completion in the shell: commands, options, presets, settings, files. For bash, zsh and fish; SHELL is yours otherwise.

    The script is kept beside the shell's own files, and one line in its start-up file reads it. Running this again changes nothing twice.

    \b
    Examples:
      warploom completion
      warploom completion zsh
      warploom completion fish --show
    """
    chosen = shell or Path(os.environ.get("SHELL", "")).name
    if chosen not in SHELLS:
        raise UserError(f"the shell {chosen or 'is not known'!r}: name one of {', '.join(SHELLS)}, as in `warploom completion bash`")
    group = ctx.find_root().command
    from click.shell_completion import get_completion_class

    script = get_completion_class(chosen)(group, {}, "warploom", "_WARPLOOM_COMPLETE").source()  # type: ignore[misc]
    if show:
        say(script)
        return
    start = Path.home() / SHELLS[chosen]
    if chosen == "fish":
        start.parent.mkdir(parents=True, exist_ok=True)
        write_file(start, script)
        say(f"{start} is written; new shells complete `warploom`")
        return
    kept = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "warploom" / f"completion.{chosen}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_file(kept, script)
    text = start.read_text(encoding="utf-8") if start.exists() else ""
    if MARK not in text:
        write_file(start, f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}source {shlex.quote(str(kept))}  {MARK}\n")
    say(f"{kept} is written and {start} reads it; new shells complete `warploom`")
