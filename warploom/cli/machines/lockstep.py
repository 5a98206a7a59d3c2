"""`warploom lockstep`: a program on the model and on the hardware, compared in every field of every cycle."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import (
    DONE,
    FAULT,
    UserError,
    check_targets,
    diagnostic_json,
    json_option,
    print_json,
    print_warnings,
    say,
    stopped,
)
from warploom.cli.loading import Launching, is_script, load_program, with_isa
from warploom.cli.options import program_options
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from warploom.gpu import GPU
    from warploom.isa.program import Program
    from warploom.rtl.beside import UnitLockstep
    from warploom.rtl.side_by_side import Difference, Lockstep

MOST_CYCLES = 100_000  # a kernel that takes more is left there, unless more are asked for


@click.command()
@click.argument("program", metavar="FILE")
@click.option("--gpu", default="tiny-original", metavar="PRESET|TOML", help="The machine. [default: tiny-original]")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of the machine, as gpu.cores=4.")
@program_options
@click.option("--max-cycles", type=click.IntRange(1), metavar="N", help="Compare no more cycles than this. [default: 100000]")
@click.option(
    "--simulator",
    type=click.Choice(["pysim", "verilator"]),
    default="pysim",
    help="Of the hardware: Amaranth's own, or Verilator, which needs a C++ compiler. [default: pysim]",
)
@click.option("--unit", "units", multiple=True, metavar="NAME", help="Of a machine with warps: only this unit, as scheduler or stack.")
@click.option("--vcd", metavar="OUT", help="Write the waveforms of all the hardware's signals for GTKWave or Surfer; pysim only.")
@json_option
@click.pass_context
def command(ctx: click.Context, program: str, **options: Any) -> None:
    """Run FILE on the model and on the hardware side by side, and compare every field of the trace in every cycle.

    The hardware is the same units, written in Amaranth; parts of a machine that have no hardware are refused by name. A difference is
    shown with its cycle, its field, both values, and the cycles around it.

    Of a machine with warps there are units, not the whole: scheduler, scoreboard, stack, minpc, split_join, barriers, coalescer, banks,
    tags, mshrs. Each is given what the model's unit is given in every cycle, and its answers are compared.

    The exit status is 0 when all values agree, whether the kernel has ended or not; 1 when some differ; 2 when the input is
    wrong. It needs the extra rtl: pip install 'warploom[rtl]'.

    \b
    Examples:
      warploom lockstep matmul.asm
      warploom lockstep matmul.asm --gpu tiny --set gpu.cores=4
      warploom lockstep matmul.asm --simulator verilator
      warploom lockstep matmul.asm --vcd matmul.vcd
      warploom lockstep matmul.asm --gpu tiny-simt --unit scheduler
    """
    from warploom import rtl
    from warploom.cli.terminal.progress import Progress
    from warploom.gpu import GPU
    from warploom.machine.config.presets import parse_setting

    compare = rtl.lockstep
    if options["vcd"] is not None and options["simulator"] != "pysim":
        raise UserError("--vcd writes what pysim simulates: leave --simulator out")
    buffers = (text.partition("=")[2] for text in options["buffers"])
    check_targets({"--vcd": options["vcd"]}, [file for file in (program, *buffers, options["gpu"]) if file])
    gpu = GPU(options["gpu"], set=dict(parse_setting(text) for text in options["changes"]))
    options = with_isa(program, options)
    seen = gpu.config if is_script(program, options["isa"]) and gpu.config.has.warps else None
    loaded, warnings = load_program(program, Launching.of(options, seen))
    if not options["as_json"]:
        print_warnings(warnings, loaded.source)
    limit = options["max_cycles"] or MOST_CYCLES
    if gpu.config.has.warps:
        _units(ctx, loaded, gpu, limit, options)
        return
    if options["units"]:
        raise UserError(f"--unit is for machines with warps; {gpu.config.name} runs one instruction at a time, and is compared whole")
    progress = Progress("comparing", limit, limit=True, quiet=options["as_json"])
    try:
        with progress:
            found = compare(
                loaded,
                gpu,
                max_cycles=limit,
                simulator=options["simulator"],
                vcd=options["vcd"],
                progress=progress,
                notice=progress.notice,
            )
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how} after {grouped(progress.done)} cycles, in which all agreed", err=True)
        ctx.exit(status)
    if options["as_json"]:
        print_json(_body(found) | {"warnings": [diagnostic_json(item) for item in warnings]})
    else:
        say(f"{loaded.name}: {len(loaded)} instructions, {loaded.launch.threads} threads")
        say(f"{gpu.config.name}: {found.hardware}")
        say(str(found))
        if found.agrees and found.fault:
            say(f"  {found.fault}")
        if options["vcd"] is not None:
            say(f"{options['vcd']} is written", err=True)
    ctx.exit(DONE if found.agrees else FAULT)


def _body(found: Lockstep) -> dict[str, Any]:
    return {
        "status": found.status,
        "agrees": found.agrees,
        "cycles": found.cycles,
        "fields": found.fields,
        "fault": found.fault,
        "simulator": found.simulator,
        "seconds": found.seconds,
        "hardware": found.hardware.settings(),
        "difference": None if found.difference is None else _difference(found.difference),
    }


def _difference(difference: Difference) -> dict[str, Any]:
    def named(values: Any) -> dict[str, int]:
        return dict(zip(difference.names, values.tolist(), strict=True))

    return {
        "cycle": difference.cycle,
        "field": difference.field,
        "model": difference.model,
        "hardware": difference.hardware,
        "fields": list(difference.fields),
        "place": difference.place,
        "around": [{"cycle": row.cycle, "model": named(row.model), "hardware": named(row.hardware)} for row in difference.around],
    }


def _units(ctx: click.Context, program: Program, gpu: GPU, limit: int, options: dict[str, Any]) -> None:
    """A machine with warps: its units, one by one."""
    from warploom import rtl
    from warploom.cli.terminal.progress import Busy

    whole = next((option for option in ("vcd", "simulator") if options[option] not in (None, "pysim")), None)
    if whole is not None:
        raise UserError(f"--{whole} is for machines that are compared whole; of {gpu.config.name} the units are, one by one")
    compare = rtl.lockstep_units
    with Busy("comparing", quiet=options["as_json"]):
        found = compare(program, gpu, options["units"], max_cycles=limit)
    if options["as_json"]:
        print_json({"agrees": all(unit.agrees for unit in found), "units": [_unit_body(unit) for unit in found]})
    else:
        say(f"{program.name}: {len(program)} instructions, {program.launch.threads} threads")
        say(f"{gpu.config.name}: {len(found)} units beside the model")
        for unit in found:
            say(f"  {unit}")
            if unit.steps and unit.takes_longer:
                say(f"    takes longer: {unit.takes_longer}")
    ctx.exit(DONE if all(unit.agrees for unit in found) else FAULT)


def _unit_body(unit: UnitLockstep) -> dict[str, Any]:
    difference = None if unit.difference is None else asdict(unit.difference)
    return asdict(unit) | {"agrees": unit.agrees, "difference": difference}
