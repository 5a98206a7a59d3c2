"""`warploom ladder script.py`: every launch of a Python program up the ladder, and one table of them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warploom.cli.common import DONE, UserError
from warploom.cli.script import check_script_options, left_with
from warploom.cli.terminal.own_output import on_standard_error
from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from warploom.device import Device
    from warploom.gpu import GPU as Machine
    from warploom.isa.program import Program
    from warploom.study.ladder import Ladder

GPU = "v100"  # the machine of the last rung
MOST_NAME = 14
ROOM = 36  # columns of 80 that are left for kernels
OTHERS = "(others)"  # no name of a kernel
LEGEND = "cycles: of all launches; gain, total: times as fast as the rung above, and as the first one."
KERNELS_LEGEND = " Then the cycles of each kernel's launches."


@dataclass
class Climbed:
    """The launches of a program, up the ladder.

    ladder: of the first one. names: of the kernels. cycles: a row a launch, a column a rung, None where it did not run. remarks: on
    rungs that were left out, once per kernel, and on memory that differs. bodies: of each as JSON.
    """

    ladder: Ladder | None = None
    names: list[str] = field(default_factory=list)
    cycles: list[list[int | None]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    status: int = DONE


def check_options(file: str, options: dict[str, Any]) -> None:
    """Refuse what says nothing of a Python program."""
    check_script_options(file, options)
    if options["shared_variant"]:
        raise UserError(f"--shared-variant: {file} launches its variants itself; climb one of its launches with --launch N or NAME")


def climb_all(
    file: str, options: dict[str, Any], climb: Callable[[Program, str], Ladder], body: Callable[[Ladder], Any], machine: Machine
) -> Climbed:
    """Run a program, and take each of its launches up the ladder.

    climb: one of them, by what is shown of it meanwhile. machine: what the program itself runs on. A program does not get to see a
    climb that fails, so that it cannot catch it.
    """
    from warploom.cli.loading import compiler_words, own_arguments, there_is
    from warploom.kernel.frontend import captured
    from warploom.kernel.script import Enough, run_script
    from warploom.study.remarks import left_out, on_memory

    there_is(file)
    found = Climbed()
    failures: list[Exception] = []

    def up(program: Program, device: Device) -> None:
        number = len(found.names)
        if number and options["outputs"]:
            raise UserError(f"-o: one launch is drawn, and {file} has several: choose one with --launch N or NAME")
        ladder = climb(captured(program, device), f"launch {number}, {program.name}, ")
        found.ladder = found.ladder or ladder
        found.names.append(program.name)
        found.cycles.append([step.cycles for step in ladder.steps])
        found.remarks += [said for one in left_out(ladder) if (said := f"{program.name}: {one}") not in found.remarks]
        found.remarks += [f"Launch {number}, {program.name}: {said}" for said in on_memory(ladder)]
        if options["as_json"]:
            found.bodies.append({"launch": number, "name": program.name, **body(ladder)})

    def before(program: Program, device: Device) -> dict[str, Any]:
        if not failures:
            try:
                up(program, device)
            except Exception as error:
                failures.append(error)
        if failures:
            raise Enough
        return {"max_cycles": options["max_cycles"]} if options["max_cycles"] else {}

    with on_standard_error(options["as_json"]):
        try:
            run_script(
                file, own_arguments(options), gpu=machine, before=before, words=compiler_words(options), compiler=options["compiler"]
            )
        except SystemExit as leaving:
            found.status = DONE if failures else left_with(leaving)
        except Exception:
            if not failures:
                raise
    if failures:
        raise failures[0]
    if found.ladder is None and not found.status:
        raise UserError(f"{file}: the program launches no kernel; write kernel[blocks, threads](...)")
    return found


def table(found: Climbed, wrapped: Callable[[str], list[str]]) -> list[str]:
    """All launches in one table, 80 columns wide. wrapped: a paragraph's lines."""
    assert found.ladder is not None
    rungs = [step.rung.name for step in found.ladder.steps]
    totals = [_sum(row[number] for row in found.cycles) for number in range(len(rungs))]
    columns = _columns(found, len(rungs))
    head = wrapped(f"{len(found.names)} launches from a bare {found.ladder.start.name} up")
    width = max(map(len, rungs))
    lines = [*head, "", _line("rung", ["cycles", "gain", "total", *map(_short, columns)], width, columns)]
    before: int | None = None
    first = next((total for total in totals if total), None)
    for number, rung in enumerate(rungs):
        ratios = [_ratio(before, totals[number]), _ratio(first, totals[number])]
        cells = [_shown(totals[number]), *ratios, *(_shown(cycles[number]) for cycles in columns.values())]
        lines.append(_line(rung, cells, width, columns))
        before = totals[number] or before
    return [*lines, *(line for said in (LEGEND + KERNELS_LEGEND * bool(columns), *found.remarks) for line in ["", *wrapped(said)])]


def _columns(found: Climbed, rungs: int) -> dict[str, list[int | None]]:
    """The kernels that have room, those that take longest first, and all others in one column; nothing of one kernel alone."""
    kernels = {
        name: [_sum(row[number] for one, row in zip(found.names, found.cycles, strict=True) if one == name) for number in range(rungs)]
        for name in found.names
    }
    if len(kernels) == 1:
        return {}
    longest = sorted(kernels, key=lambda name: -(kernels[name][0] or 0))
    shown = longest
    most = [_sum(row[number] for row in found.cycles) for number in range(rungs)]
    while sum(_wide(name, kernels[name]) for name in shown) + (_wide(OTHERS, most) if shown != longest else 0) > ROOM:
        shown = shown[:-1]
    columns = {name: kernels[name] for name in kernels if name in shown}
    if rest := [kernels[name] for name in longest if name not in shown]:
        columns[OTHERS] = [_sum(row[number] for row in rest) for number in range(rungs)]
    return columns


def _short(name: str) -> str:
    return name if len(name) <= MOST_NAME else f"{name[: MOST_NAME - 3]}..."


def _wide(name: str, cycles: list[int | None]) -> int:
    return max(len(text) for text in (_short(name), *map(_shown, cycles))) + 2


def _line(rung: str, cells: list[str], width: int, columns: dict[str, list[int | None]]) -> str:
    widths = [11, 7, 7, *(_wide(name, cycles) for name, cycles in columns.items())]
    return f"{rung:{width}}{''.join(cell.rjust(wide) for cell, wide in zip(cells, widths, strict=True))}".rstrip()


def _sum(cycles: Any) -> int | None:
    """Cycles of several launches; None where one of them did not run."""
    found = list(cycles)
    return None if None in found else sum(found)


def _shown(cycles: int | None) -> str:
    return "-" if cycles is None else grouped(cycles)


def _ratio(before: int | None, after: int | None) -> str:
    return f"{before / after:.2f}" if before and after else ""
