"""`warploom check`: races, bounds, barriers, initialisation, lanes: what no order of a kernel's threads makes right."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import DONE, FAULT, UserError, diagnostic_json, json_option, mistakes, print_json, print_warnings, say, stopped
from warploom.cli.drawing.programs import is_scene
from warploom.cli.loading import is_script, with_isa
from warploom.cli.options import machine_options
from warploom.cli.script import check_script_options, left_with
from warploom.cli.terminal.own_output import on_standard_error

if TYPE_CHECKING:
    from warploom.checks.check import Report


@click.command()
@click.argument("file", metavar="FILE")
@machine_options
@click.option("--no-schedule", is_flag=True, help="Do not look for a machine on which a race shows.")
@click.option("--quiet", is_flag=True, help="Print findings only, and show no progress.")
@json_option
@click.option("--sarif", is_flag=True, help="Print the findings as SARIF 2.1.0, as editors and code hosts read them.")
@click.pass_context
def command(ctx: click.Context, file: str, **options: Any) -> None:
    """Run FILE, and say what is wrong with its kernels whatever order their threads run in.

    \b
    race           two threads, one writes, and nothing says which is first
    lost-update    x[i] += 1 by several threads without an atomic
    lockstep       right only as long as a warp's lanes run in step
    bounds         an index outside of its array, or of one axis of it
    uninitialised  memory, a register or a variable is read before it is set
    barrier        threads at different barriers, or that never come
    division       a whole number is divided by zero
    syncwarp, mask, shuffle   lanes that are named and never come

    A Python program is run to its end with every launch checked, or with the one of --launch. Nothing is said of what was not
    run: other paths, other inputs. What hardware of today does as it is meant, and the manual does not promise, is a warning. A
    program whose findings are races is run a few times more on machines that differ in one setting, to show one on which memory
    ends up different. The exit status is 1 when something was found, or a kernel did not end.

    \b
    Examples:
      warploom check kernel.py
      warploom check kernel.py --launch histogram --json
      warploom check kernel.py --sarif > found.sarif
      warploom check reduction_shared.asm --threads 64
    """
    sarif = options.pop("sarif")
    if sarif and options["as_json"]:
        raise UserError("--sarif and --json are two forms of one report: ask for one of them")
    options["as_json"] = options["as_json"] or sarif
    options = with_isa(file, options)
    with on_standard_error(options["as_json"]):
        status, reports, more = _script(file, options) if is_script(file, options["isa"]) else _program(file, options)
    if sarif:
        print_json(_sarif(reports))
    elif options["as_json"]:
        print_json({"clean": all(one.clean for one in reports), "launches": [one.as_dict() for one in reports], "warnings": []} | more)
    elif not options["quiet"] and reports:
        say(_summary(reports), err=True)
    if any(not one.clean or not one.complete for one in reports):
        status = status or FAULT
    ctx.exit(status)


def _sarif(reports: list[Report]) -> dict[str, Any]:
    from importlib.metadata import version

    from warploom.checks.report.sarif import sarif

    return sarif([(one.program, one.findings) for one in reports], version("warploom"))


def _script(file: str, options: dict[str, Any]) -> tuple[int, list[Report], dict[str, Any]]:
    """Every launch of a Python program: the exit status, the reports, and what JSON has beside them."""
    from warploom.cli.group import shown_as_its_own
    from warploom.cli.loading import PYTHON, compiler_words, own_arguments, there_is
    from warploom.cli.running import limit_of, machine_of
    from warploom.cli.terminal.progress import Progress
    from warploom.gpu import GPU
    from warploom.isa.diagnostics import nearest
    from warploom.kernel.checking import check_script

    check_script_options(file, options)
    there_is(file)
    config, units = machine_of(file, options, PYTHON)
    gpu = GPU(config, units=units, engine=options["engine"])
    reports: list[Report] = []
    status, limit = DONE, limit_of(options["max_cycles"], whole=True)
    shown = contextlib.ExitStack()  # the progress of the launch that is being checked

    def begins(number: int, name: str) -> dict[str, Any]:
        shown.close()
        quiet = options["quiet"] or options["as_json"]
        progress = shown.enter_context(Progress(f"checking launch {number}, {name}", limit, limit=True, quiet=quiet))
        return {"progress": progress, "notice": progress.notice}

    def heard(report: Report) -> None:
        shown.close()
        reports.append(report)
        _show(report, len(reports) - 1, options)

    more: dict[str, Any] = {}
    others: list[str] = []
    left = False  # the program has ended itself after launches that were not asked for
    try:
        with shown:
            check_script(
                file, own_arguments(options), words=compiler_words(options), compiler=options["compiler"],
                gpu=gpu, wanted=options["launch"],
                begins=begins, heard=heard, max_cycles=limit,
                passed=lambda number, name: others.append(f"{number} {name}"),
                schedule=not options["no_schedule"],
            )  # fmt: skip
    except SystemExit as leaving:
        status, left = left_with(leaving), bool(others)
    except Exception as error:
        if not reports or isinstance(error, mistakes()) or not shown_as_its_own(error, as_json=False):
            raise
        status, more = FAULT, {"error": f"{type(error).__name__}: {error}"}
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(how, err=True)
    if not reports and options["launch"] is not None and (left or not status):
        there = f"there are {', '.join(others[:12])}{', ...' * (len(others) > 12)}" if others else "the program launches no kernel"
        near = nearest(options["launch"], {word for other in others for word in other.split(" ", 1)})
        raise UserError(f"{file}: there is no launch {options['launch']!r}{near}; {there}")
    return status, reports, more


def _program(file: str, options: dict[str, Any]) -> tuple[int, list[Report], dict[str, Any]]:
    """One launch of a program in a different language."""
    from warploom.checks.check import run_checked
    from warploom.cli.loading import there_is
    from warploom.cli.running import refusal, take_order
    from warploom.cli.terminal.progress import Progress
    from warploom.isa.frontends import front_end

    there_is(file)
    if options["gpu"] is None and not is_scene(file, options["isa"]):
        options = options | {"gpu": front_end(file, options["isa"]).warps_gpu or None}
    order = take_order(file, options)
    if not options["as_json"]:
        print_warnings(order.warnings, *order.program.sources)
    try:
        with Progress("checking", order.limit, limit=True, quiet=options["quiet"] or options["as_json"]) as progress:
            report = run_checked(
                order.config, order.program, engine=order.engine, units=order.units, max_cycles=order.limit, progress=progress,
                notice=progress.notice, schedule=not options["no_schedule"],
            )  # fmt: skip
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(how, err=True)
        return status, [], {}
    _show(report, 0, options)
    more: dict[str, Any] = {"warnings": [diagnostic_json(item) for item in order.warnings]}
    if refused := refusal(report.result):  # nothing or not all of it ran, and so not all was checked
        say(f"error: {refused}", err=True)
        more["error"] = refused
    return FAULT if refused else DONE, [report], more


def _show(report: Report, number: int, options: dict[str, Any]) -> None:
    """The findings of one launch, on standard output."""
    shown = (*report.findings, *report.warnings)
    if options["as_json"] or not shown:
        return
    from warploom.checks.report.findings import render

    if not options["quiet"]:
        say(f"launch {number}, {report.program.name}:", err=True)
    say(render(shown, report.program))


def _summary(reports: list[Report]) -> str:
    """One line about all launches."""
    found, launches = sum(len(one.findings) for one in reports), len(reports)
    open_ended = sum(not one.complete for one in reports)
    end = f"; {open_ended} did not end" if open_ended else ""
    what = "nothing found" if not found else f"{found} finding{'s' * (found != 1)}"
    warned = sum(len(one.warnings) for one in reports)
    also = f", {warned} warning{'s' * (warned != 1)}" if warned else ""
    return f"{what}{also} in {launches} launch{'es' * (launches != 1)}{end}"
