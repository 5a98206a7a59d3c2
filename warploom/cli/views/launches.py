"""`--launches`: all launches of a program with its own main, with their times, beside the one that a command looks at.

The program is run to its end for that: the launches before a chosen one warm the second-level cache, so its time here may be another than
that of the launch by itself.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import UserError
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from warploom.result import Result

MOST = 1000  # launches that a page lists

launches_option = click.option(
    "--launches", is_flag=True, help="Run the whole program first, and list its launches with their times (Python, CUDA C++)."
)


def launches_of(file: str, options: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each launch, in their order; `begins` counts the cycles of those before it. What the program prints is dropped.

    Raises UserError where it has no main of its own, and what running it raises.
    """
    from warploom.cli.loading import PYTHON, compiler_words, is_script, own_arguments, with_isa
    from warploom.cli.running import limit_of, machine_of
    from warploom.cli.script import row_of
    from warploom.cli.terminal.own_output import OwnOutput
    from warploom.cli.terminal.progress import Progress
    from warploom.gpu import GPU
    from warploom.kernel.launch.launch import KernelError
    from warploom.kernel.script import run_script

    options = with_isa(file, options)
    if not is_script(file, options["isa"]):
        raise UserError("--launches: only a program with its own main, in Python or CUDA C++, has several")
    config, units = machine_of(file, options, PYTHON)
    gpu = GPU(config, engine=options["engine"], units=units)
    limit = limit_of(options["max_cycles"], whole=True)
    results: list[Result] = []
    with OwnOutput(), contextlib.ExitStack() as shown, contextlib.suppress(KernelError, SystemExit):
        progress = shown.enter_context(Progress("all launches", limit, limit=True, quiet=options["quiet"] or options["as_json"]))

        def before(_: Any, __: Any) -> dict[str, Any]:
            return {"max_cycles": limit, "progress": lambda cycles: progress(sum(one.cycles for one in results) + cycles)}

        told = {"words": compiler_words(options), "compiler": options["compiler"]}
        run_script(file, own_arguments(options), gpu=gpu, before=before, watch=results.append, **told)
    rows, begins = [], 0
    for number, result in enumerate(results[:MOST]):
        rows.append(row_of(number, result) | {"begins": begins})
        begins += result.cycles
    return rows


def chosen(rows: list[dict[str, Any]], wanted: str | None) -> int:
    """The number of the launch that `--launch` names."""
    if wanted is None or wanted.isdigit():
        return int(wanted or 0)
    return next((row["launch"] for row in rows if row["kernel"] == wanted), -1)


def launch_lines(rows: list[dict[str, Any]], number: int) -> list[str]:
    """The list as text. number: of the launch that is marked."""
    from warploom.cli.script import extent, launch_columns

    whole = sum(row["cycles"] for row in rows) or 1
    table = [("launch", "kernel", "grid", "block", "begins", "cycles", "", "mostly waits for")]
    for row in rows:
        mark = "> " if row["launch"] == number else ""
        times = (grouped(row["begins"]), grouped(row["cycles"]), f"{100 * row['cycles'] / whole:.0f} %")
        table.append((f"{mark}{row['launch']}", row["kernel"], extent(row["grid"]), extent(row["block"]), *times, row["waits_for"]))
    return launch_columns(table)
