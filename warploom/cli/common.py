"""What commands share: options, JSON on standard output, warnings and errors on standard error, output files."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.terminal.printable import printable
from warploom.observe.text.whole_file import beside

if TYPE_CHECKING:
    from warploom.isa.diagnostics import Diagnostic
    from warploom.isa.program import Source

# Exit statuses.
DONE = 0
FAULT = 1  # the kernel stopped with a fault, or took more cycles than it was given
BAD_INPUT = 2  # a file, a setting or the command line is wrong
INTERRUPTED = 130  # Ctrl-C, as shells have it; another signal: 128 and its number

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")


class UserError(Exception):
    """A mistake of the user's that is about no source text. The message is one sentence, and says what to do."""


# Exceptions that are a user's mistake, not this program's: module and name.
MISTAKES = (
    ("warploom.cli.common", "UserError"),
    ("warploom.grade.task", "TaskError"),
    ("warploom.graphics.state", "GraphicsError"),
    ("warploom.isa.diagnostics", "SourceError"),
    ("warploom.isa.guppy.bindings", "BindingError"),
    ("warploom.isa.pictures", "PictureError"),
    ("warploom.isa.launching", "BufferError"),
    ("warploom.isa.table_check", "ProgramError"),
    ("warploom.kernel.launch.signature", "ArgumentError"),
    ("warploom.kernel.syntax.tree", "NoSource"),
    ("warploom.machine.engine.sizes", "ConfigError"),
    ("warploom.machine.engine.users", "UnitError"),
    ("warploom.machine.accounting.status", "LaunchError"),
    ("warploom.machine.accounting.status", "TooManyEvents"),
    ("warploom.observe.facts.events", "NoEvents"),
    ("warploom.observe.pictures.view", "DrawingError"),
    ("warploom.observe.text.needs", "MissingPackage"),
    ("warploom.rtl.hardware", "NoHardware"),
    ("warploom.rtl.testbench", "NoReplay"),
)


class Stopped(KeyboardInterrupt):
    """A signal asks the process to end: what is half done is taken away, as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def stopped(by: KeyboardInterrupt) -> tuple[str, int]:
    """What is said of an interruption, and the exit status: ("stopped by Ctrl-C", 130)."""
    if isinstance(by, Stopped):
        return f"stopped by {signal.Signals(by.number).name}", 128 + by.number
    return "stopped by Ctrl-C", INTERRUPTED


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text. What is a command to a terminal, as a file's name may hold it, is shown as `?`."""
    click.echo(printable(text), err=err, nl=nl)


def mistakes() -> tuple[type[Exception], ...]:
    """The exceptions of MISTAKES whose modules are loaded: no other one can have been raised."""
    return tuple(getattr(sys.modules[module], name) for module, name in MISTAKES if module in sys.modules)


def report(error: Exception, as_json: bool) -> None:
    """Print a mistake: on standard error for a person, or as one JSON object on standard output."""
    from warploom.isa.diagnostics import SourceError

    found = error.diagnostics if isinstance(error, SourceError) else ()
    message = error.format_message() if isinstance(error, click.ClickException) else str(error)
    if as_json:
        print_json({"status": "error", "error": message, "diagnostics": [diagnostic_json(item) for item in found]})
    elif found:
        say(message, err=True)
    else:
        say(f"error: {message}", err=True)


def print_json(body: dict[str, Any]) -> None:
    """One object on standard output, on one line."""
    click.echo(json.dumps(body))


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as a JSON object. line is 0 where it is about the file as a whole."""
    return {
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "line": diagnostic.position.line,
        "column": diagnostic.position.column,
        "length": diagnostic.length,
        "fix": diagnostic.fix,
    }


def print_warnings(warnings: Iterable[Diagnostic], source: Source, *others: Source) -> None:
    """Warnings about a source text, on standard error."""
    from warploom.isa.diagnostics import render_all

    found = list(warnings)
    if found:
        say(render_all(found, source, *others), err=True)


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a whole file or nothing: into a new file beside it, which then takes its place. Text is UTF-8.

    A path that is not an ordinary file (a pipe, /dev/null) is written to as it stands. Raises UserError.
    """
    data = content.encode() if isinstance(content, str) else content
    target = Path(path)
    try:
        target = target.resolve()
        if target.is_dir():
            raise UserError(f"{path} is a directory: name a file in it")
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        _replace(target, data)
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UserError(f"{path} cannot be written: {reason}") from None


def _is_among(path: str, files: Iterable[str]) -> bool:
    """Whether a path leads to one of these files, whatever it is called. What is not there is none of them."""
    return Path(path).exists() and any(Path(file).exists() and Path(path).samefile(file) for file in files)


def keep_inputs(option: str, path: str | None, inputs: Iterable[str]) -> None:
    """Raise UserError where the file that an option would write is one of the inputs. path: `-` and None write none."""
    if path and path != "-" and _is_among(path, inputs):
        raise UserError(f"{option} {path}: this file is an input; name a different one")


def check_targets(files: Mapping[str, str | None], inputs: Iterable[str] = (), taken: Mapping[str, str] | None = None) -> None:
    """Refuse, before a long run, files that could not be written after it, or that would overwrite one another or an input.

    files: option and path, None where the option was not given. taken: path and what is written there already, as `-` and `--json`.
    Raises UserError.
    """
    seen = dict(taken or {})
    for option, path in files.items():
        if path is None:
            continue
        place = path if path == "-" else str(Path(path).absolute())
        if place in seen:
            raise UserError(f"{seen[place]} and {option} would both be written to {path}: name another file for one of them")
        seen[place] = option
        if path == "-":
            continue
        target = Path(path)
        if target.is_dir():
            raise UserError(f"{path} is a directory: name a file in it")
        if not target.absolute().parent.is_dir():
            raise UserError(f"{path} cannot be written: {os.strerror(errno.ENOENT)}")
        keep_inputs(option, path, inputs)


def _replace(target: Path, data: bytes) -> None:
    place = beside(target)
    try:
        with place.open("xb") as file:
            file.write(data)
        if target.exists():
            place.chmod(target.stat().st_mode & 0o777)
        place.replace(target)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
