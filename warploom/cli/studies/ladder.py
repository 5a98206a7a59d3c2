"""`warploom ladder`: one kernel on every machine from tiny-gpu's to a modern core, or from a bare core to a V100, one switch at a time."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import (
    DONE,
    FAULT,
    UserError,
    check_targets,
    json_option,
    print_json,
    print_warnings,
    report,
    say,
    stopped,
    write_file,
)
from warploom.cli.loading import Launching, is_script, load_program, with_isa
from warploom.cli.options import program_options, renamed, unit_options
from warploom.cli.running import users_units
from warploom.cli.studies import ladder_script
from warploom.cli.studies.ladder_table import body, explanations, table, wrapped
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from warploom.isa.program import Program
    from warploom.study.ladder import Ladder

DRAWN, PAGE = (".png", ".svg"), ".html"


@click.command()
@click.argument("kernel", metavar="FILE")
@click.option(
    "--gpu",
    metavar="PRESET|TOML",
    help="The machine of the first rung, or of the last where it has warps. [default: the instruction set's own; Python: v100]",
)
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change it, as gpu.cores=4, or a rung, as l1.replacement=fifo.")
@unit_options
@program_options
@click.option("--shared-variant", metavar="OTHER", help="The kernel with shared memory: what the last rung runs in place of FILE.")
@click.option("--max-cycles", type=click.IntRange(1), metavar="N", help="Stop a run that takes longer. [default: 10000000]")
@click.option("--cost", is_flag=True, help="Show what each rung adds in transistors, of what there is as hardware.")
@click.option("--explain", is_flag=True, help="Say for each rung what it is in hardware, what it costs, and its settings.")
@click.option("-o", "--output", "outputs", multiple=True, metavar="OUT", help="Draw it into a .png or .svg file, or write an .html page.")
@renamed(**{"--plot": "-o", "--html": "-o"})
@click.option("--quiet", is_flag=True, help="Print no table and show no progress.")
@json_option
@click.pass_context
def command(ctx: click.Context, kernel: str, **options: Any) -> None:
    """Run FILE on every machine from tiny-gpu's to a modern core, and show what each step gains.

    The first rung has the timing of the original tiny-gpu. Each further rung adds one thing: caches, pipelining, channels,
    coalescing, warps, a scheduler, divergence, shared memory. A --set of a setting that belongs to a rung changes that rung; any other
    changes the machine of the first rung. All rungs must leave the same values in memory; a warning says when one does not.

    A kernel in Python needs warps: its ladder begins with one bare core, lane by lane to memory, without caches, and ends with a V100.
    All launches of the program climb it, in one table, or the one of --launch in more detail. --gpu is the machine of the last rung
    then, and --set changes that one. So it is for every instruction set but tiny's: its ladder ends with its own machine.

    The exit status is 0 when all rungs have run, 1 when the kernel has a fault or does not end, 2 when the input is wrong.

    \b
    Examples:
      warploom ladder matmul.asm
      warploom ladder matmul.asm --explain
      warploom ladder matmul.asm --set gpu.cores=4 --set l1.replacement=fifo
      warploom ladder reduction.asm --shared-variant reduction_shared.asm
      warploom ladder matmul.asm --unit scheduler=mine.py:choose
      warploom ladder matmul.asm --cost
      warploom ladder kernel.py
      warploom ladder kernel.py --launch tiled --explain
      warploom ladder matmul.asm -o ladder.svg -o ladder.html
    """
    from warploom.machine.config.presets import parse_setting
    from warploom.machine.run.driver import DEFAULT_MAX_CYCLES
    from warploom.study.ladder import KernelError, climb, has_warps, last_machine, usual_machine

    options = with_isa(kernel, options)
    script = is_script(kernel, options["isa"])
    whole = script and options["launch"] is None
    if script:
        ladder_script.check_options(kernel, options)
    changes = dict(parse_setting(text) for text in options["changes"])
    program = None if whole else _load(kernel, options, changes)
    gpu = options["gpu"] or (ladder_script.GPU if program is None or script else usual_machine(program))
    if options["shared_variant"] and has_warps(gpu):
        raise UserError(f"--shared-variant: a rung of tiny's ladder runs it, and the one up to {gpu} has none of that kind; leave it out")
    if options["cost"] and has_warps(gpu):
        raise UserError(f"--cost: the hardware beside the model is priced for tiny's rungs only; leave it out for the ladder up to {gpu}")
    _check_outputs(kernel, options)
    progress = _Progress(quiet=options["quiet"] or options["as_json"])
    units, limit = users_units(options), options["max_cycles"] or DEFAULT_MAX_CYCLES
    variant = _load(options["shared_variant"], options, changes) if options["shared_variant"] else None

    def climbed(program: Program, name: str = "") -> Ladder:
        progress.name = name
        found = climb(
            program, gpu, changes, variant=variant, units=units, max_cycles=limit,
            progress=progress, cycles=progress.cycles, notice=progress.notice,
        )  # fmt: skip
        progress.end()
        return found

    status, launches = DONE, None
    try:
        if program is None:
            launches = ladder_script.climb_all(kernel, options, climbed, body, last_machine(gpu, changes, units=units))
            status = launches.status
        else:
            ladder = climbed(program)
    except KernelError as error:
        progress.end()
        report(error, options["as_json"])
        ctx.exit(FAULT)
    except KeyboardInterrupt as signal:
        progress.end()
        how, status = stopped(signal)
        say(f"{how}; no file was written", err=True)
        ctx.exit(status)
    if launches is not None:
        if launches.ladder is None:
            ctx.exit(status)
        ladder = launches.ladder
    costs = _costs(ladder, options) if options["cost"] else None
    _write(ladder, options)
    if options["as_json"] and launches is not None:
        print_json({"kernel": kernel, "launches": launches.bodies})
        ctx.exit(status)
    if options["as_json"]:
        found = body(ladder)
        if costs is not None:
            found["rungs"] = [{**rung, "transistors": cost} for rung, cost in zip(found["rungs"], costs, strict=True)]
        print_json(found)
        return
    if options["quiet"]:
        ctx.exit(status)
    several = launches is not None and len(launches.names) > 1
    say("\n".join(ladder_script.table(launches, wrapped) if several and launches is not None else table(ladder, costs)))
    if options["explain"]:
        say("\n".join(explanations(ladder)))
    for path in options["outputs"]:
        say(f"{path} is written", err=True)
    ctx.exit(status)


def _load(file: str, options: dict[str, Any], changes: Mapping[str, Any]) -> Program:
    """A Python program sees the machine of the last rung."""
    from warploom.study.ladder import last_machine

    seen = None
    if is_script(file, options["isa"]):
        seen = last_machine(options["gpu"] or ladder_script.GPU, changes, units=users_units(options)).config
    program, warnings = load_program(file, Launching.of(options, seen))
    if not options["as_json"]:
        print_warnings(warnings, *program.sources)
    return program


def _costs(ladder: Ladder, options: dict[str, Any]) -> list[int | None]:
    """What each rung adds in transistors."""
    from warploom.cli.terminal.progress import Progress
    from warploom.study.gates import rung_costs

    with Progress("synthesizing", len(ladder.steps), quiet=options["quiet"] or options["as_json"], unit="rungs") as progress:
        return rung_costs(ladder, progress)


def _check_outputs(kernel: str, options: dict[str, Any]) -> None:
    """Refuse, before a long run, what cannot be drawn or written after it."""
    from warploom.study.needs import StudyError, needed

    inputs = [kernel, *filter(None, [options["shared_variant"]]), *(text.partition("=")[2] for text in options["buffers"])]
    seen: set[str] = set()
    if options["cost"]:
        from warploom.observe.text.needs import needed as there

        for package in ("amaranth", "pyosys"):
            there(package, "--cost", "rtl")
    for path in options["outputs"]:
        if not path.lower().endswith((*DRAWN, PAGE)):
            raise UserError(f"-o {path}: a ladder is drawn into a file that ends in .png or .svg, or written as an .html page")
        if path in seen:
            raise UserError(f"-o {path}: this file is named twice")
        seen.add(path)
        check_targets({"-o": path}, inputs)
    if any(path.lower().endswith(DRAWN) for path in options["outputs"]):
        try:
            needed("matplotlib", "-o", "")
        except StudyError as error:
            raise UserError(str(error)) from None


def _write(ladder: Ladder, options: dict[str, Any]) -> None:
    from warploom.cli.terminal.progress import Busy
    from warploom.study import ladder_page

    for path in options["outputs"]:
        page = path.lower().endswith(PAGE)
        with Busy(f"drawing {path}", quiet=options["quiet"] or options["as_json"]):
            write_file(path, ladder_page.page(ladder) if page else ladder_page.picture(ladder, path.lower().rpartition(".")[2]))


class _Progress:
    """One line on standard error that says which rung is being run, and how far; on a terminal only, and gone at the end."""

    def __init__(self, *, quiet: bool) -> None:
        self.shows = not quiet and sys.stderr.isatty()
        self._rung = ""
        self.name = ""  # of the launch, with a comma

    def __call__(self, done: int, total: int, name: str) -> None:
        """A rung begins."""
        self._rung = f"{self.name}rung {done + 1} of {total}: {name}"
        self._show(self._rung)

    def cycles(self, done: int) -> None:
        """Its run is in this cycle."""
        self._show(f"{self._rung}, cycle {grouped(done)}")

    def notice(self, text: str) -> None:
        """What takes long now."""
        self._show(f"{self._rung}; {text}")

    def _show(self, text: str) -> None:
        if self.shows:
            click.echo(f"\r\033[K{text}", err=True, nl=False)

    def end(self) -> None:
        """Take the line away."""
        if self.shows:
            click.echo("\r\033[K", err=True, nl=False)
