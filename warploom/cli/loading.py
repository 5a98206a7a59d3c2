"""From the command line to a Program: the source file, and what the user says of its data, threads and bindings."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warploom.cli.common import UserError

if TYPE_CHECKING:
    from warploom.isa.diagnostics import Diagnostic
    from warploom.isa.program import Program

MOST_THREADS = (1 << 31) - 1


@dataclass(frozen=True)
class Launching:
    """What is said on the command line about how a program starts; None and () where nothing is said."""

    isa: str | None = None
    threads: int | None = None
    data: str | None = None
    bindings: tuple[str, ...] = ()
    group_size: int | None = None
    groups: int | None = None
    if_convert: int | None = None

    @classmethod
    def of(cls, options: dict[str, Any]) -> Launching:
        """What the options of a command say; those that it does not have are None and ()."""
        return cls(**{field.name: options[field.name] for field in fields(cls) if field.name in options})


def load_program(file: str, said: Launching) -> tuple[Program, list[Diagnostic]]:
    """The program and the warnings about its text. Raises SourceError, BindingError, UserError."""
    from warploom.isa.frontends import front_end, load_with_warnings, read_text

    if Path(file).is_dir() or not Path(file).exists():
        read_text(file)  # says so, before anything is said about the name's ending
    if said.threads is not None and not 0 <= said.threads <= MOST_THREADS:
        raise UserError(f"--threads {said.threads}: a program is started with 0 to {MOST_THREADS} threads")
    if front_end(file, said.isa).name == "guppy":
        program, warnings = _load_guppy(file, said)
    else:
        options = (("--bind", said.bindings), ("--group-size", said.group_size), ("--groups", said.groups))
        given = next((name for name, value in options if value not in (None, ())), None)
        if given:
            raise UserError(f"{given} is for programs of guppy, and {file} is none")
        program, warnings = load_with_warnings(file, said.isa)
    if said.data is not None:
        if program.view_names:
            raise UserError(f"--data is for programs without buffers: {file} gets its data with --bind, as in --bind 'buffer t0 256 iota'")
        from warploom.cli.data import read_data

        program = program.with_data(read_data(said.data))
    if said.threads is not None:
        program = program.with_launch(threads=said.threads)
    if said.if_convert is not None:
        if said.if_convert < 0:
            raise UserError(f"--if-convert {said.if_convert}: write how many instructions a branch may skip, 0 or more")
        from warploom.isa.analysis.if_conversion import if_convert

        program = if_convert(program, said.if_convert)
    return program, warnings


def _load_guppy(file: str, said: Launching) -> tuple[Program, list[Diagnostic]]:
    from warploom.isa import guppy
    from warploom.isa.frontends import read_text
    from warploom.isa.guppy.assemble import assemble_with_warnings

    if said.threads is not None and said.groups is not None:
        raise UserError("--threads and --groups say the same thing: leave one of them out")
    if said.threads == 0:
        raise UserError("--threads 0: a program of guppy is started with at least 1 thread")
    text = read_text(file)
    bindings = []
    for line in said.bindings:
        try:
            bindings.append(guppy.binding(line))
        except guppy.BindingError as error:
            raise UserError(f"--bind {line!r}: {error}") from None
    program, warnings = assemble_with_warnings(text, file, bindings, said.group_size, said.groups)
    if program.launch.threads > MOST_THREADS:
        raise UserError(f"{program.launch.threads} threads, groups x group size: a launch has at most {MOST_THREADS}")
    return program, warnings
