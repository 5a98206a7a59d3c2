"""What a command is told of a run, and the run itself: shared by all commands that run a program and look at it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import UserError, say
from warploom.cli.drawing.programs import ISA as SCENE_ISA
from warploom.cli.drawing.programs import is_scene, scene_program
from warploom.cli.loading import PROGRAM_GPU, PYTHON, Launching, is_script, load_program, named, there_is, with_isa
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from warploom.cli.terminal.progress import Progress
    from warploom.isa.diagnostics import Diagnostic
    from warploom.isa.program import Program
    from warploom.machine.config.schema import Config
    from warploom.result import Result

CHECK = "`warploom check`"  # as remarks of a run name the command
CHECKED = "accesses ", " barrier "  # in sentences about faults of which a check says more
SHIFTS = {"": 0, "K": 10, "M": 20, "G": 30}


@dataclass(frozen=True, eq=False)
class Order:
    """A run that was asked for: the program with the warnings about its text, the machine, how far it may go, and whether with checks."""

    program: Program
    warnings: list[Diagnostic]
    config: Config
    units: dict[str, Callable[..., int]]
    engine: str
    limit: int
    checks: bool = False

    def run(self, progress: Progress, *, tracing: bool = False, recording: bool = False, **more: Any) -> Result:
        """Run it. more: of `GPU.run`, what a command wants of it. Raises LaunchError, TooManyEvents."""
        from warploom.gpu import GPU

        if self.checks:
            from warploom.checks.check import run_checked

            return run_checked(
                self.config, self.program, engine=self.engine, units=self.units, max_cycles=self.limit, progress=progress,
                notice=progress.notice, schedule=False, tracing=tracing, recording=recording,
            ).result  # fmt: skip
        gpu = GPU(self.config, engine=self.engine, units=self.units)
        return gpu.run(
            self.program, max_cycles=self.limit, progress=progress, blocks=progress.blocks, notice=progress.notice,
            tracing=tracing, recording=recording, **more,
        )  # fmt: skip


def take_order(file: str, options: dict[str, Any]) -> Order:
    """What the options of `options.py` ask for. Raises SourceError, BindingError, ConfigError, UserError."""
    options = with_isa(file, options)
    if is_scene(file, options["isa"]):
        there_is(file)
        config, units = machine_of(file, options, SCENE_ISA)
        program, warnings = scene_program(file, options, config)
        return Order(
            program, warnings, config, units, options["engine"], limit_of(options["max_cycles"], whole=True), bool(options.get("check"))
        )
    script = is_script(file, options["isa"])
    limit = limit_of(options["max_cycles"], whole=script)
    there_is(file)
    machine = machine_of(file, options, PYTHON) if script else None  # which a Python program sees
    program, warnings = load_program(file, Launching.of(options, machine[0] if machine else None))
    config, units = machine or machine_of(file, options, program.isa)
    config = _with_slots(config, options, program)
    return Order(program, warnings, config, units, options["engine"], limit, bool(options.get("check")))


def with_file(remark: str, file: str) -> str:
    """A remark that names a command, with the file that it is about."""
    return remark.replace(CHECK, f"`warploom check {shlex.quote(file)}`") if file else remark


def complain(result: Result, cut: str = "--max-cycles allows more", *, where: bool = True, file: str = "") -> None:
    """A fault or a timeout, and remarks: on standard error. cut: what is said of a timeout; where: and where the cores were then.

    file: what the user runs.
    """
    from warploom.cli.terminal import screen

    if result.status == "error":
        say(f"error: {result.fault}", err=True)
        if file and result.config.has.checks and any(word in result.fault for word in CHECKED):
            say(f"why, and what to write instead: `warploom check {shlex.quote(file)}`, with the same options", err=True)
    elif result.status == "timeout":
        cycles = grouped(result.cycles)
        say(f"error: still running after {cycles} cycles; {cut}", err=True)
        for line in result.running if where else ():
            say(screen.wrapped(line, "  ", "    "), err=True)
    if refused := refusal(result):
        say(f"error: {refused}", err=True)
    for remark in result.remarks:
        say(f"note: {with_file(remark, file)}", err=True)


def refusal(result: Result) -> str:
    """What a program says by ending with an exit code other than 0; "" where it does not."""
    ended = result.status == "done" and result.exit_code
    return f"the program ended with exit code {result.exit_code}{_refused_group(result)}" if ended else ""


def _refused_group(result: Result) -> str:
    """What a program in C with vx_spawn_threads says by ending with its -1."""
    if result.exit_code != -1 or not any("vx_spawn_threads" in source.text for source in result.program.sources):
        return ""
    core = result.config.core
    return f"; vx_spawn_threads returns -1 for a group that a core has no room for: a core here has {core.warps * core.lanes} threads"


def limit_of(cycles: int | None, *, whole: bool = False) -> int:
    """The cycles that a run may take, or (whole) a launch of a program that ends by itself. Raises UserError."""
    from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, MOST_CYCLES, PROGRAM_MAX_CYCLES

    if cycles is not None and not 1 <= cycles <= MOST_CYCLES:
        raise UserError(f"--max-cycles {cycles}: a run may take 1 to {MOST_CYCLES} cycles")
    return (PROGRAM_MAX_CYCLES if whole else DEFAULT_MAX_CYCLES) if cycles is None else cycles


def machine_of(file: str, options: dict[str, Any], isa: str) -> tuple[Config, dict[str, Callable[..., int]]]:
    """The machine that was asked for, and the user's own units for it. isa: of the program. Raises ConfigError, UnitError, UserError."""
    from warploom.isa.frontends import front_end, named
    from warploom.machine.config.check import check_used
    from warploom.machine.config.presets import load_config, parse_setting

    changes = dict(parse_setting(text) for text in options["changes"])
    row = None if isa == PYTHON else named(isa) or front_end(file, options["isa"])
    config = load_config(options["gpu"] or (PROGRAM_GPU if row is None else row.gpu), changes)
    if options.get("memory") is not None:
        _give_memory(options["memory"], isa)
    with_warps = "" if config.has.warps or row is None else row.warps_gpu
    check_used(config, changes, before="--set ", add=f"add --gpu {with_warps or '{}'}")
    return _taken(options, config)


def _give_memory(text: str, isa: str) -> None:
    """The size of the memory that a Python program's device has, until the command ends. Raises UserError."""
    from warploom.device import FIRST, MOST_BYTES
    from warploom.kernel.device.context import CURRENT

    if isa != PYTHON:
        raise UserError("--memory: only the device of a Python program has a size of its own; this program says what it needs")
    found = re.fullmatch(r"(\d+)\s*(?:([KMG])(?:i?B)?|B)?", text.strip(), re.IGNORECASE)
    size = int(found[1]) << SHIFTS[(found[2] or "").upper()] if found else 0
    if not FIRST <= size <= MOST_BYTES:
        raise UserError(f"--memory {text}: give a size, as 512M or 2G; addresses have 32 bits, so it is at most {MOST_BYTES >> 20}M")
    before, CURRENT.memory_bytes = CURRENT.memory_bytes, size

    def as_before() -> None:
        CURRENT.memory_bytes = before

    click.get_current_context().call_on_close(as_before)


def _with_slots(config: Config, options: dict[str, Any], program: Program) -> Config:
    """A default machine whose warps lie anywhere gets as many slots as one group needs."""
    from warploom.machine.config.presets import load_config
    from warploom.machine.engine.sizes import MAX_WARPS

    changed = [text.partition("=")[0].strip() for text in options["changes"]]
    needed = -(-(program.launch.block_threads or 1) // config.core.lanes)
    slots = config.gpu.cores * config.core.warps
    if options["gpu"] is None and "core.warps" not in changed and config.gpu.dispatch == "split" and slots < needed <= MAX_WARPS:
        config = load_config(config, {"core.warps": -(-needed // config.gpu.cores)})
    return config


def users_units(options: dict[str, Any]) -> dict[str, str]:
    """What --unit and --scheduler say, by slot: a file and a function in it, or one of our names. Raises UserError, UnitError."""
    found: dict[str, str] = {}
    given = [named("--unit", text, "scheduler=mine.py:choose") for text in options["units"]]
    for slot, unit in [*given, *([("scheduler", options["scheduler"])] if options["scheduler"] is not None else [])]:
        if slot in found:
            raise UserError(f"the unit of the slot {slot!r} is given twice: leave one of them out")
        found[slot] = unit
    return found


def _taken(options: dict[str, Any], config: Config) -> tuple[Config, dict[str, Callable[..., int]]]:
    """The machine, and the user's own units for it."""
    if not options["units"] and options["scheduler"] is None:
        return config, {}
    from warploom.machine.slots import check_slots
    from warploom.units import take_units

    given = users_units(options)
    config, units = take_units(config, given, [text.partition("=")[0].strip() for text in options["changes"]])
    check_slots(config, given)
    return config, units
