"""`warploom compare`: one program on many machines that differ in a few settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import DONE, FAULT, UserError, check_targets, json_option, print_json, print_warnings, say, stopped, write_file
from warploom.cli.loading import Launching, is_script, load_program, there_is
from warploom.cli.options import program_options, renamed, unit_options
from warploom.cli.running import users_units

if TYPE_CHECKING:
    from warploom.study.compare import Plan
    from warploom.study.table import Table


@click.command()
@click.argument("kernel", metavar="FILE")
@click.option("--over", "overs", multiple=True, metavar="NAME=VALUES", help="A setting and its values, as core.warps=1,2,4..16 or 1..64*2.")
@click.option("--gpu", metavar="PRESET|TOML", help="The machine that all runs start from. [default: that of the instruction set]")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of that machine, as gpu.cores=4.")
@unit_options
@program_options
@click.option("--if-convert", type=int, metavar="N", help="Turn branches over up to N instructions that only compute into predicates.")
@click.option("--max-cycles", type=click.IntRange(1), metavar="N", help="Stop a run that takes longer. [default: 10000000]")
@click.option("--engine", type=click.Choice(["auto", "python", "native"]), default="auto", help="[default: auto, native for long runs]")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processes. [default: one per processor]")
@click.option("--dask", metavar="ADDRESS", help="Spread the runs over a Dask cluster instead, as tcp://host:8786.")
@click.option("-o", "--output", metavar="OUT", help="Draw the comparison into a .png, .svg or .pdf file.")
@renamed(**{"--plot": "-o"})
@click.option("--metric", default="cycles", metavar="NAME", help="What the plot shows: a metric, as ipc. [default: cycles]")
@click.option("--cost", is_flag=True, help="Show what the compared mechanisms cost in gates; with -o, draw cycles against it.")
@click.option("--csv", "csv_file", metavar="OUT", help="Write every row with all counters as CSV; - for standard output.")
@click.option("--parquet", "parquet_file", metavar="OUT", help="Write every row with all counters as Parquet.")
@click.option("--wide", is_flag=True, help="Show all columns, however wide the terminal is.")
@click.option("--quiet", is_flag=True, help="Print no table and show no progress.")
@json_option
@click.pass_context
def command(ctx: click.Context, kernel: str, **options: Any) -> None:
    """Run FILE on every combination of some settings, and show what they change.

    --over takes any setting of `warploom presets --settings`. Values are words, numbers and ranges with commas between them: 1..8 is every
    number, 8..64:8 every eighth, 1..64*2 doubles. Several --over make all combinations. unit.SLOT, as unit.scheduler, takes built-in
    units by name and your own as FILE.py:NAME. The table has cycles, speed-up over the first
    run, instructions, instructions per cycle, active lanes, cache hits, transactions per access, and what warps mostly waited for.
    --csv, --parquet and --json have all counters too. A run that faults or takes too long is a row that says so.

    --cost shows transistors and depth of the mechanisms that the settings choose, beside the cycles, and marks the front: the machines
    that no other one beats in both. Schedulers, divergence mechanisms, replacement policies, channels of tiny-gpu, banks and
    coalescing have a price. It needs the extra rtl: pip install 'warploom[rtl]'.

    The exit status is 0 when at least one run has ended well, 1 when none has, 2 when the input is wrong.

    \b
    Examples:
      warploom compare diverge.asm --over core.divergence=uniform,stack
      warploom compare dot.asm --gpu sm --over gpu.cores=1,2 --over core.warps=4,8
      warploom compare saxpy.guppy --over core.warps=4..32:4 -o w.svg --metric ipc
      warploom compare texture.guppy --over l1.replacement=lru,fifo --csv runs.csv
      warploom compare dot.asm --over unit.scheduler=oldest,mine.py:choose
      warploom compare dot.asm --over core.scheduler=round_robin,oldest --cost
    """
    from warploom.cli.terminal.progress import Progress
    from warploom.machine.run.driver import DEFAULT_MAX_CYCLES
    from warploom.study.compare import run
    from warploom.study.needs import StudyError

    try:
        plan = _plan(kernel, options)
        _check_outputs(kernel, options)
        if options["cost"]:
            _check_cost(plan)
        with Progress("comparing", len(plan.points), quiet=options["quiet"], unit="runs") as progress:
            table = run(
                plan,
                max_cycles=options["max_cycles"] or DEFAULT_MAX_CYCLES,
                engine=options["engine"],
                jobs=options["jobs"],
                dask=options["dask"],
                progress=lambda done, total: progress(done),
                notice=progress.notice,
            )
        if options["cost"]:
            from warploom.study.gates import with_cost

            with Progress("synthesizing", len(plan.points), quiet=options["quiet"], unit="machines") as progress:
                table = with_cost(plan, table, progress)
        _write(plan, table, options)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how}; no file was written", err=True)
        ctx.exit(status)
    except StudyError as error:
        raise UserError(str(error)) from None
    if options["as_json"]:
        print_json(_body(plan, table))
    elif not options["quiet"] and options["csv_file"] != "-":
        from warploom.cli.terminal.screen import width, wrapped

        head = wrapped(f"{plan.program.name} on {plan.base.name}, {_counted(len(table))}")
        say("\n".join([head, "", *table.lines(None if options["wide"] else width())]))
    ctx.exit(DONE if "done" in table["status"] else FAULT)


def _plan(kernel: str, options: dict[str, Any]) -> Plan:
    from warploom.isa.frontends import front_end
    from warploom.machine.config.presets import parse_setting
    from warploom.study.compare import base_machine, plan

    over: dict[str, str] = {}
    for text in options["overs"]:
        name, equals, values = text.partition("=")
        name, values = name.strip(), values.strip()
        if not (equals and name and values):
            raise UserError(f"--over {text!r}: write a setting and its values, as core.warps=1,2,4..16")
        if name in over:
            raise UserError(f"--over {text!r}: {name} has values already; write them all with commas between them")
        over[name] = values
    if not over:
        raise UserError("nothing varies: add --over NAME=VALUES, as --over core.warps=1..32*2")
    machine: dict[str, Any] = {"set": dict(parse_setting(text) for text in options["changes"])}
    machine |= {"gpu": options["gpu"], "units": users_units(options)}
    there_is(kernel)
    script = is_script(kernel, options["isa"], options["compiler"])
    seen = base_machine(front_end(kernel, options["isa"]).gpu, over, **machine)[0] if script else None
    program, warnings = load_program(kernel, Launching.of(options, seen))
    if not options["as_json"] and not options["quiet"]:
        print_warnings(warnings, *program.sources)
    return plan(program, over, **machine)


def _check_outputs(kernel: str, options: dict[str, Any]) -> None:
    """Refuse, before a long sweep, what cannot be written after it."""
    from warploom.isa.diagnostics import nearest
    from warploom.study.figure import form_of
    from warploom.study.metrics import METRIC
    from warploom.study.needs import needed

    if options["metric"] not in METRIC:
        metric = options["metric"]
        raise UserError(f"--metric {metric!r}: there is no such metric{nearest(metric, METRIC)}; there are {', '.join(METRIC)}")
    if options["cost"] and options["metric"] != "cycles":
        raise UserError(f"--metric {options['metric']}: with --cost the picture shows cycles against transistors; leave one of the two out")
    if options["output"]:
        form_of(options["output"])
        needed("matplotlib", "-o", "")
    elif options["metric"] != "cycles":
        raise UserError("--metric says what a plot shows, and there is none: write -o FILE too")
    if options["parquet_file"]:
        needed("pyarrow", "--parquet")
    files = {"-o": options["output"], "--csv": options["csv_file"], "--parquet": options["parquet_file"]}
    option = next((option for option, path in files.items() if path == "-" and option != "--csv"), None)
    if option:
        raise UserError(f"{option} writes a file: name one")
    check_targets(files, [kernel], {"-": "--json"} if options["as_json"] else {})


def _check_cost(plan: Plan) -> None:
    """Refuse, before a long sweep, one whose settings change nothing that has a price."""
    from warploom.study.needs import needed

    for package in ("amaranth", "pyosys"):
        needed(package, "--cost", "rtl")
    from warploom.rtl.mechanisms import choices_of

    choices_of(list(plan.over))


def _write(plan: Plan, table: Table, options: dict[str, Any]) -> None:
    from warploom.cli.terminal.progress import Busy
    from warploom.study.chart import chart
    from warploom.study.figure import drawn, form_of
    from warploom.study.gates import cost_chart

    if options["output"]:
        with Busy("drawing the picture", quiet=options["quiet"]):
            figure = cost_chart(plan, table) if options["cost"] else chart(plan, table, options["metric"])
            write_file(options["output"], drawn(figure, form_of(options["output"])))
    if options["csv_file"] == "-":
        say(table.to_csv(), nl=False)
    elif options["csv_file"]:
        write_file(options["csv_file"], table.to_csv())
    if options["parquet_file"]:
        write_file(options["parquet_file"], table.to_parquet())
    for path in (options["output"], options["csv_file"], options["parquet_file"]):
        if path and path != "-" and not options["quiet"]:
            say(f"{path} is written", err=True)


def _body(plan: Plan, table: Table) -> dict[str, Any]:
    return {
        "program": plan.program.name,
        "isa": plan.program.isa,
        "gpu": plan.base.name,
        "config": plan.base.flat(),
        "over": {name: list(values) for name, values in plan.over.items()},
        "rows": table.rows,
        "notes": list(table.notes),
    }


def _counted(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"
