"""`warploom compare`: one program on many machines that differ in a few settings."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import DONE, FAULT, UserError, check_targets, json_option, print_json, print_warnings, say, stopped, write_file
from warploom.cli.loading import Launching, is_script, load_program, there_is, with_isa
from warploom.cli.options import program_options, renamed, unit_options
from warploom.cli.running import users_units

if TYPE_CHECKING:
    from warploom.study.compare import Plan
    from warploom.study.suite import Suite
    from warploom.study.table import Table

MACRO = "-D"  # before a macro's name, where --over varies one
SEED = "{seed}"  # in what is told to a program, the place of the seed
WITH_SEED = {"arguments": "--arg", "buffers": "--buffer", "own_arguments": "--args", "macros": "-D", "nvcc_words": "--nvcc"}


@click.command()
@click.argument("kernels", metavar="FILE...", nargs=-1, required=True)
@click.option("--over", "overs", multiple=True, metavar="NAME=VALUES", help="A setting and its values, as core.warps=1,2,4..16 or 1..64*2.")
@click.option("--gpu", metavar="PRESET|TOML", help="The machine that all runs start from. [default: that of the instruction set]")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of that machine, as gpu.cores=4.")
@click.option(
    "--seeds", metavar="VALUES", help="Run each once a seed, as 1..5: {seed} in --args, --arg, --buffer, -D or --nvcc is the seed."
)
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
@click.option("--relative", is_flag=True, help="Plot values relative to the first line or bar; several kernels always are.")
@click.option("--cost", is_flag=True, help="Show what the compared mechanisms cost in gates; with -o, draw cycles against it.")
@click.option("--csv", "csv_file", metavar="OUT", help="Write every row with all counters as CSV; - for standard output.")
@click.option("--parquet", "parquet_file", metavar="OUT", help="Write every row with all counters as Parquet.")
@click.option("--wide", is_flag=True, help="Show all columns, however wide the terminal is.")
@click.option("--quiet", is_flag=True, help="Print no table and show no progress.")
@json_option
@click.pass_context
def command(ctx: click.Context, kernels: tuple[str, ...], **options: Any) -> None:
    """Run FILE on every combination of some settings, and show what they change.

    --over takes any setting of `warploom presets --settings`. Values are words, numbers and ranges with commas between them: 1..8 is every
    number, 8..64:8 every eighth, 1..64*2 doubles. Several --over make all combinations. unit.SLOT, as unit.scheduler, takes built-in
    units by name and your own as FILE.py:NAME. The table has cycles, speed-up over the first
    run, instructions, instructions per cycle, active lanes, cache hits, transactions per access, and what warps mostly waited for.
    --csv, --parquet and --json have all counters too. A run that faults or takes too long is a row that says so.

    Several files are compared kernel by kernel, with the geometric mean of their speed-ups; without --over, with the first of them.
    --over gpu=a100,h100 compares machines. With --seeds every run is repeated with other
    input: the table has means and their intervals of 95 %, the plot error bars. Where lines of a plot lie on one another, a panel below
    shows them relative to the first.

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
      warploom compare mine.py theirs.py --gpu a100
      warploom compare saxpy.py --over gpu=v100,a100,h100
      warploom compare matmul.cu --over -DTILE=8..32*2 --gpu a100
      warploom compare sort.py scan.py --gpu a100 --over core.warps=8..64*2
      warploom compare bfs.py --args "{seed}" --seeds 1..5 --over gpu.cores=1,2
      warploom compare dot.asm --over unit.scheduler=oldest,mine.py:choose
      warploom compare dot.asm --over core.scheduler=round_robin,oldest --cost
    """
    from warploom.cli.terminal.progress import Progress
    from warploom.machine.run.driver import DEFAULT_MAX_CYCLES
    from warploom.study.needs import StudyError
    from warploom.study.suite import summary

    try:
        suite = _suite(kernels, options)
        _check_outputs(kernels, options)
        if options["cost"]:
            _check_cost(suite)
        with Progress("comparing", suite.runs, quiet=options["quiet"], unit="runs") as progress:
            table = suite.run(
                max_cycles=options["max_cycles"] or DEFAULT_MAX_CYCLES,
                engine=options["engine"],
                jobs=options["jobs"],
                dask=options["dask"],
                progress=lambda done, total: progress(done),
                notice=progress.notice,
            )
        if options["cost"]:
            from warploom.study.gates import with_cost

            with Progress("synthesizing", len(suite.first.points), quiet=options["quiet"], unit="machines") as progress:
                table = with_cost(suite.first, table, progress)
        together = None if suite.alone else summary(suite, table)
        _write(suite, table, options)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how}; no file was written", err=True)
        ctx.exit(status)
    except StudyError as error:
        raise UserError(str(error)) from None
    if options["as_json"]:
        print_json(_body(suite, table, together))
    elif not options["quiet"] and options["csv_file"] != "-":
        from warploom.cli.terminal.screen import width, wrapped

        head = wrapped(f"{suite.name} on {suite.first.where}, {_counted(len(table))}")
        say("\n".join([head, "", *(together or table).lines(None if options["wide"] else width())]))
    ctx.exit(DONE if "done" in table["status"] else FAULT)


def _suite(kernels: tuple[str, ...], options: dict[str, Any]) -> Suite:
    """All programs with all seeds. Raises UserError, StudyError, and what reading a program raises."""
    from warploom.study.comparing import suite_of

    told_over = _over(options, alone=len(kernels) == 1)
    over = {name: values for name, values in told_over.items() if not name.startswith(MACRO)}
    macros = _macros({name.removeprefix(MACRO): values for name, values in told_over.items() if name not in over})
    made: list[tuple[str, int | None, Plan]] = []
    for kernel, defined in itertools.product(kernels, macros):
        place = " ".join([kernel if len(kernels) > 1 or not defined else Path(kernel).name, *defined])
        varied = options | {"macros": (*options["macros"], *defined)}
        for number, seed in enumerate(_seeds(options)):
            told = dict(varied) if seed is None else {name: _with_seed(value, seed) for name, value in varied.items()}
            made.append((place, seed, _plan(kernel, over, told | {"quiet": options["quiet"] or number > 0})))
    return suite_of(made)


def _macros(values: dict[str, str]) -> list[tuple[str, ...]]:
    """All combinations of macros that vary, as definitions. Raises ConfigError."""
    from warploom.study.varied import values_of

    each = [[f"{name}={one}" for one in values_of(MACRO + name, text)] for name, text in values.items()]
    return list(itertools.product(*each))


def _seeds(options: dict[str, Any]) -> tuple[int | None, ...]:
    """The seeds that are asked for, (None,) for none. Raises UserError, StudyError, ConfigError."""
    from warploom.study.comparing import checked_seeds
    from warploom.study.varied import values_of

    places = [name for name in WITH_SEED if SEED in str(options[name])]
    if options["seeds"] is None:
        if places:
            raise UserError(f"{WITH_SEED[places[0]]} has {SEED}, and there are no seeds: add --seeds 1..5")
        return (None,)
    if not places:
        raise UserError(
            f"--seeds {options['seeds']}: no run would see it; write {SEED} where the program reads it, as --args '--seed {SEED}'"
        )
    return checked_seeds(values_of("--seeds", options["seeds"]))


def _with_seed(value: Any, seed: int) -> Any:
    """An option's value with the seed in its place."""
    if isinstance(value, tuple):
        return tuple(_with_seed(one, seed) for one in value)
    return value.replace(SEED, str(seed)) if isinstance(value, str) else value


def _over(options: dict[str, Any], alone: bool) -> dict[str, str]:
    """The settings that vary, with their values as text. alone: one kernel, with which something has to. Raises UserError."""
    over: dict[str, str] = {}
    for text in options["overs"]:
        name, equals, values = text.partition("=")
        name, values = name.strip(), values.strip()
        if not (equals and name and values):
            raise UserError(f"--over {text!r}: write a setting and its values, as core.warps=1,2,4..16")
        if name in over:
            raise UserError(f"--over {text!r}: {name} has values already; write them all with commas between them")
        over[name] = values
    if not over and alone:
        presets = options["gpu"] if "," in (options["gpu"] or "") else "a100,h100"
        raise UserError(
            "nothing varies: add --over NAME=VALUES, as --over core.warps=1..32*2; several machines are "
            f"--over gpu={presets}, and several kernels several files (the launches of one are lines of `warploom run`)"
        )
    return over


def _plan(kernel: str, over: dict[str, str], options: dict[str, Any]) -> Plan:
    from warploom.isa.frontends import front_end
    from warploom.machine.config.presets import parse_setting
    from warploom.study.compare import base_machine, plan

    machine: dict[str, Any] = {"set": dict(parse_setting(text) for text in options["changes"])}
    machine |= {"gpu": options["gpu"], "units": users_units(options)}
    there_is(kernel)
    options = with_isa(kernel, options)
    script = is_script(kernel, options["isa"])
    seen = base_machine(front_end(kernel, options["isa"]).gpu, over, **machine)[0] if script else None
    program, warnings = load_program(kernel, Launching.of(options, seen))
    if not options["as_json"] and not options["quiet"]:
        print_warnings(warnings, *program.sources)
    return plan(program, over, **machine)


def _check_outputs(kernels: tuple[str, ...], options: dict[str, Any]) -> None:
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
    elif options["relative"]:
        raise UserError("--relative says how a plot is drawn, and there is none: write -o FILE too")
    elif options["metric"] != "cycles":
        raise UserError("--metric says what a plot shows, and there is none: write -o FILE too")
    if options["parquet_file"]:
        needed("pyarrow", "--parquet")
    files = {"-o": options["output"], "--csv": options["csv_file"], "--parquet": options["parquet_file"]}
    option = next((option for option, path in files.items() if path == "-" and option != "--csv"), None)
    if option:
        raise UserError(f"{option} writes a file: name one")
    check_targets(files, list(kernels), {"-": "--json"} if options["as_json"] else {})


def _check_cost(suite: Suite) -> None:
    """Refuse, before a long sweep, one whose settings change nothing that has a price, or more than one kernel."""
    from warploom.study.needs import needed

    for package in ("amaranth", "pyosys"):
        needed(package, "--cost", "rtl")
    from warploom.rtl.mechanisms import choices_of

    choices_of(list(suite.first.over))
    if not suite.alone:
        raise UserError("--cost prices the machines of one kernel that runs once on each: name one file, without --seeds")


def _write(suite: Suite, table: Table, options: dict[str, Any]) -> None:
    from warploom.cli.terminal.progress import Busy
    from warploom.study.chart import chart
    from warploom.study.figure import drawn, form_of
    from warploom.study.gates import cost_chart

    if options["output"]:
        with Busy("drawing the picture", quiet=options["quiet"]):
            figure = (
                cost_chart(suite.first, table) if options["cost"] else chart(suite, table, options["metric"], relative=options["relative"])
            )
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


def _body(suite: Suite, table: Table, together: Table | None) -> dict[str, Any]:
    plan = suite.first
    programs = list(dict.fromkeys((member.kernel, member.plan.program.isa) for member in suite.members))
    return {
        "program": ", ".join(name for name, _ in programs),
        "isa": ", ".join(dict.fromkeys(isa for _, isa in programs)),
        "gpu": plan.base.name,
        "config": plan.base.flat(),
        "over": {name: list(values) for name, values in plan.over.items()},
        "seeds": list(suite.seeds),
        "rows": table.rows,
        "summary": together.rows if together is not None else [],
        "notes": list((together or table).notes),
    }


def _counted(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"
