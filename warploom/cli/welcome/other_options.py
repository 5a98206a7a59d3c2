"""Options that a command does not have: of other tools, of other commands, and settings of the machine, with what is here in their place.

An option that stands in no row is looked for as an option of this command under a like name, as a command, as a word of another tool, as a
setting of the machine, and as an option of other commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import click

from warploom.cli.welcome.guesses import meant, slip_of

MOST = 3  # names that are given

OPTIONS = {
    "-g": "lines and names are always kept; to step through a run: `warploom debug FILE`",
    "-G": "lines and names are always kept; to step through a run: `warploom debug FILE`",
    "--debug": "to step through a run: `warploom debug FILE`",
    "--verbose": "for every thread in every cycle: `warploom run FILE --log -`",
    "-v": "for every thread in every cycle: `warploom run FILE --log -`; the version: `warploom --version`",
    "-V": "the version: `warploom --version`",
    "--list": "the commands: `warploom --help`; the machines: `warploom presets`; the examples: `warploom examples`",
    "--list-gpus": "the machines: `warploom presets`",
    "--gpus": "the machines: `warploom presets`",
    "--gpu": "an option of a command: `warploom run FILE --gpu NAME`; the machines: `warploom presets`",
    "--set": "an option of a command: `warploom run FILE --set NAME=VALUE`; the settings: `warploom presets --settings`",
    "--device": "the machine is --gpu NAME; all of them: `warploom presets`",
    "-arch": "the machine is --gpu NAME; all of them: `warploom presets`",
    "--arch": "the machine is --gpu NAME; all of them: `warploom presets`",
    "--metrics": "counters of a run: `warploom profile FILE --json`",
    "--section": "counters of a run: `warploom profile FILE --json`",
    "--trace": "a trace for other viewers: `warploom run FILE --perfetto OUT`, --vcd, --konata",
    "--csv": "the numbers of a run: `warploom profile FILE --json`; of several runs: `warploom compare FILE --over NAME=VALUES --csv OUT`",
    "--race": "races, bounds, barriers: `warploom check FILE`",
    "--stats": "what each line costs: `warploom profile FILE`",
    "--timeline": "`warploom picture timeline FILE`",
    "--plot": "`warploom picture KIND FILE`",
    "--tool": "races, bounds, barriers: `warploom check FILE`",
    "--gui": "`warploom explore FILE --open`",
    "--repeat": "other input for each run: `warploom compare FILE --seeds 1..5 --args {seed}`",
    "--repeats": "other input for each run: `warploom compare FILE --seeds 1..5 --args {seed}`",
    "--runs": "other input for each run: `warploom compare FILE --seeds 1..5 --args {seed}`",
    "--normalize": "a plot relative to its first line: `warploom compare FILE --relative -o OUT`",
    "--normalise": "a plot relative to its first line: `warploom compare FILE --relative -o OUT`",
    "--baseline": "speed-ups are over the first value: `warploom compare FILE --over SETTING=BASELINE,OTHER`",
    "--threads-per-block": "threads per block: --block N",
    "--blocks": "blocks of the launch: --grid N",
    "--cores": "`--set gpu.cores=N`",
    "--verilog": "the machine as hardware: `warploom build`",
    "--batch": "commands of the debugger: `warploom debug FILE -x COMMAND`, --commands LIST or a pipe",
    "--ex": "commands of the debugger: `warploom debug FILE -x COMMAND`",
    "-e": "commands of the debugger: `warploom debug FILE -x COMMAND`",
    "--eval-command": "commands of the debugger: `warploom debug FILE -x COMMAND`",
    "-b": "a breakpoint: `warploom debug FILE -x 'break LINE' -x continue`",
    "--break": "a breakpoint: `warploom debug FILE -x 'break LINE' -x continue`",
    "-k": "which launch: --launch N or --launch KERNEL",
    "--timeout": "how many cycles a run may take: --max-cycles N",
    "--leak-check": "races, bounds, barriers: `warploom check FILE`",
    "--page": "all counters: `warploom profile FILE --json`",
    "--export": "a page: `warploom profile FILE -o OUT.html`; the numbers: --json",
    "-o": "what a run leaves: `warploom run FILE --save BUFFER=OUT`, --json; a picture: `warploom picture KIND FILE -o OUT`",
    "--output": "what a run leaves: `warploom run FILE --save BUFFER=OUT`, --json; a picture: `warploom picture KIND FILE -o OUT`",
    "--seed": "other input for each run: `warploom compare FILE --seeds 1..5 --args {seed}`",
    "--class": "a folder of submissions: `warploom grade TASK SUBMISSIONS/`",
}


def answer_option(option: str, ctx: click.Context | None, line: Sequence[str] = ()) -> str | None:
    """What is said of an option that a command does not have: a sentence's end; None where it is like nothing that is known.

    ctx: of the command. line: the words of the command line, for a file's name in the answer.
    """
    option = option.partition("=")[0]
    if option in OPTIONS:
        return re.sub(r"\bFILE\b", lambda _: _file(line), OPTIONS[option])
    word = option.lstrip("-").lower()
    command = ctx.command if ctx is not None and ctx.parent is not None else None
    settings = _settings(word) if command is not None and any("--set" in one.opts for one in command.params) else ""
    if command is not None and (own := settings or _like(word, command)):
        return own
    group = ctx.find_root().command if ctx is not None else None
    commands: dict[str, str] = getattr(group, "summaries", {})
    if word in commands:
        return (
            f"a command of its own: `warploom {word} {_file(line)}`"
            if _takes_a_file(word, group)
            else f"a command of its own: `warploom {word} --help`"
        )
    if len(word) > 2 and (said := meant(word, line)):
        return said
    others = list(_others(option, group)) if command is not None and len(word) > 1 else []
    if others:
        return f"{_listed([f'`warploom {name}`' for name in others])} {'has' if len(others) == 1 else 'have'} it"
    return None


def _like(word: str, command: click.Command) -> str:
    """An option of the command that was probably meant: a slip of its name, or one that this one begins with, as --launch-skip does."""
    names = {name[2:]: one for one in command.params for name in one.opts if name.startswith("--") and isinstance(one, click.Option)}
    begun = [name for name in names if word.startswith(f"{name}-") or (len(word) > 2 and name.startswith(word))]
    close = min(begun, key=len, default="") or slip_of(word, names)
    if not close:
        return ""
    value = "" if names[close].is_flag else f" {names[close].make_metavar(click.Context(command))}"
    return f"did you mean `--{close}{value}`: {first_sentence(names[close].help or '')}".rstrip(": ")


def first_sentence(text: str) -> str:
    """The first sentence of an option's help, as the end of a sentence."""
    found = re.split(r"(?<=[a-z0-9)])[.:;] |[.]$|, as ", text)[0]
    return found[:1].lower() + found[1:]


def _settings(word: str) -> str:
    """What is said of a name that a setting has, or whose first part is that of settings: `warps` is core.warps, `l2-size` is about l2."""
    from warploom.machine.config.schema import settings

    plain = word.replace("-", "_")
    names = [setting.name for setting in settings()]
    found = [name for name in names if name.replace(".", "_") == plain] or [name for name in names if name.rpartition(".")[2] == plain]
    if found:
        return f"a setting of the machine: {' or '.join(f'`--set {name}=VALUE`' for name in found[:MOST])}"
    part = plain.partition("_")[0]
    if any(name.startswith(f"{part}.") for name in names):
        return f"settings of {part} are given as `--set {part}.NAME=VALUE`: `warploom presets --settings`"
    return ""


def _takes_a_file(name: str, group: click.Command | None) -> bool:
    command = group.get_command(click.Context(group), name) if isinstance(group, click.Group) else None
    return command is not None and any(isinstance(one, click.Argument) for one in command.params)


def _others(option: str, group: click.Command | None) -> Iterator[str]:
    """The commands that have an option."""
    if not isinstance(group, click.Group):
        return
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None and any(option in one.opts for one in command.params):
            yield name


def _listed(names: Sequence[str]) -> str:
    shown = [*names[:MOST], *(["others"] if len(names) > MOST else [])]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _file(line: Sequence[str]) -> str:
    from shlex import quote

    from warploom.cli.welcome.guesses import is_file

    return quote(next(filter(is_file, line), "FILE"))
