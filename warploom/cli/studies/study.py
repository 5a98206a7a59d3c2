"""`warploom study`: a published result made again, its figure, its table, and where ours differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import FAULT, UserError, check_targets, json_option, print_json, report, say, stopped, write_file
from warploom.observe.text.styled import in_lines

if TYPE_CHECKING:
    from warploom.study.experiments.experiment import Experiment, Findings
    from warploom.study.sweep import Outcome, Task


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@click.option("-o", "--output", metavar="OUT", help="Draw the figure into a .png, .svg or .pdf file.")
@click.option(
    "--unit",
    "units",
    multiple=True,
    metavar="SLOT=FILE.py:NAME",
    help="A unit of your own beside those that the study compares. The file is executed with your rights.",
)
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processes. [default: one per processor]")
@click.option("--dask", metavar="ADDRESS", help="Spread the runs over a Dask cluster instead, as tcp://host:8786.")
@click.option("--wide", is_flag=True, help="Show all columns, however wide the terminal is.")
@click.option("--quiet", is_flag=True, help="Print nothing and show no progress.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    name: str | None,
    output: str | None,
    units: tuple[str, ...],
    jobs: int | None,
    dask: str | None,
    wide: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Reproduce a published result, with kernels of our own; without NAME, list the studies.

    A study prints a table, and for each published claim the published value, the value of this machine, and why they differ. -o draws
    a figure with the published points. The studies divergence-mechanisms, two-level and replacement compare the units of a slot, and
    --unit puts one of your own beside them.

    \b
    Examples:
      warploom study                                   what there is
      warploom study two-level                         table and comparison
      warploom study coalescing -o coalescing.svg      the figure
      warploom study replacement --json
      warploom study replacement --unit replacement=mine.py:mru -o mru.svg
    """
    from warploom.cli.terminal.progress import Busy, Progress
    from warploom.study.experiments import NAMES, find
    from warploom.study.experiments.experiment import Failed
    from warploom.study.figure import drawn, form_of
    from warploom.study.needs import StudyError, needed
    from warploom.study.sweep import measure, spread

    try:
        if name is None:
            if output:
                raise UserError(f"-o {output}: a figure is of one study: name it, as in `warploom study {next(iter(NAMES))} -o {output}`")
            if units:
                raise UserError(f"--unit {units[0]}: name the study that it is for, as in `warploom study replacement --unit {units[0]}`")
            _list([find(known) for known in NAMES], as_json)
            return
        chosen = find(name)
        own = _units(chosen, units)
        if output:
            form_of(output)
            needed("matplotlib", "-o", "")
            check_targets({"-o": output})
        with Progress(name, 1, quiet=quiet, unit="runs") as progress:

            def run(tasks: list[Task]) -> list[Outcome]:
                progress.total = len(tasks)
                say = progress.notice
                return spread(measure, tasks, jobs=jobs, dask=dask, progress=lambda done, total: progress(done), notice=say)

            findings = chosen.measure(run, own) if own else chosen.measure(run)
        if output:
            with Busy("drawing the figure", quiet=quiet):
                write_file(output, drawn(findings.figure, form_of(output)))
    except StudyError as error:
        raise UserError(str(error)) from None
    except Failed as error:
        report(error, as_json)
        ctx.exit(FAULT)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how}; no file was written", err=True)
        ctx.exit(status)
    if as_json:
        print_json(_body(chosen, findings))
    elif not quiet:
        from warploom.cli.terminal.screen import width

        say("\n".join(_shown(chosen, findings, width(), wide)))
        with_units = "".join(f" --unit {text}" for text in units)
        hint = f"{output} is written" if output else f"the figure: warploom study {name}{with_units} -o {name}.png"
        say(hint, err=bool(output))


def _units(chosen: Experiment, texts: tuple[str, ...]) -> dict[str, str]:
    """Units of a user's that a study takes, by the name that it has for them. Raises UserError."""
    from warploom.machine.slots import slot_named
    from warploom.units import load_unit

    found = {}
    for text in texts:
        slot, equals, unit = text.partition("=")
        if not equals or not chosen.slot or slot != chosen.slot:
            takes = f"compares units of the slot {chosen.slot!r}: write {chosen.slot}=mine.py:NAME" if chosen.slot else "compares no units"
            raise UserError(f"--unit {text}: the study {chosen.name!r} {takes}")
        if unit in slot_named(slot).ours:
            raise UserError(f"--unit {text}: {unit} is a unit of ours; --unit puts one of your own beside ours, as {slot}=mine.py:NAME")
        slot_named(slot).checked(load_unit(unit))
        found[unit] = unit
    return found


def _list(experiments: list[Experiment], as_json: bool) -> None:
    if as_json:
        fields = ("name", "title", "question", "source", "setup")
        print_json({"studies": [{field: getattr(found, field) for field in fields} for found in experiments]})
        return
    from warploom.cli.terminal import screen

    longest = max(len(found.name) for found in experiments)
    for found in experiments:
        say(screen.wrapped(f"{found.name:<{longest}}  {found.title}", "", " " * (longest + 2)))
    say("\nto reproduce one: warploom study NAME\nwith its figure: warploom study NAME -o FILE.png")


def _shown(chosen: Experiment, findings: Findings, columns: int, wide: bool) -> Iterator[str]:
    """Everything of a study as text."""
    yield chosen.title
    yield ""
    yield from _pairs({"question": chosen.question, "published": chosen.source, "here": chosen.setup}, columns)
    yield ""
    yield from findings.table.lines(None if wide else columns - 1)
    for claim in findings.claims:
        yield ""
        yield from in_lines(claim.what, columns - 1)
        yield from _pairs({"  published": claim.published, "  here": claim.ours, "  why": claim.why}, columns)
    yield ""


def _pairs(pairs: dict[str, str], columns: int) -> Iterator[str]:
    """Names and texts, the texts in a column of their own."""
    indent = max(map(len, pairs)) + 2
    for name, text in pairs.items():
        yield from in_lines(text, columns - 1, f"{name:<{indent}}", " " * indent)


def _body(chosen: Experiment, findings: Findings) -> dict[str, Any]:
    claims = [{"what": claim.what, "published": claim.published, "ours": claim.ours, "why": claim.why} for claim in findings.claims]
    described = {"name": chosen.name, "title": chosen.title, "question": chosen.question, "source": chosen.source, "setup": chosen.setup}
    return described | {"rows": findings.table.rows, "notes": list(findings.table.notes), "claims": claims}
