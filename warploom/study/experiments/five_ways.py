"""One kernel, five ways to choose the lanes: a mask language, Python, Vortex, GCN and AVX-512 on a machine that is otherwise the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from warploom.machine.config.presets import load_config
from warploom.study.experiments.experiment import Claim, Experiment, Failed, Findings, Runner, checked
from warploom.study.figure import Figure, Panel, Series
from warploom.study.five_ways.kernel import LANES, Kernel
from warploom.study.five_ways.notations import BRANCH, KERNELS, KINDS, MASK, NOTATIONS, TEST, WORK, Notation
from warploom.study.sweep import Issue, Outcome, Task
from warploom.study.table import Column, Table

# One core, one warp of 16 lanes (an AVX-512 register has no more), all instructions at hand, latencies of the preset: a result after four
# cycles, a branch a cycle later. A sub-partition's pipes are narrower than a warp on this preset; here each takes a warp per cycle.
MACHINE: dict[str, Any] = {
    "core.lanes": LANES, "core.warps": 1, "core.blocks": 1, "core.threads_per_block": LANES, "core.schedulers": 1,
    "core.scheduler": "greedy_oldest", "pipes.owner": "core", "alu.count": 4, "alu.width": 0, "fetch.buffer": 0,
}  # fmt: skip


def task_of(kernel: Kernel, notation: Notation) -> Task:
    """A kernel in a notation, on the machine with the notation's mechanism."""
    config = load_config("sm", MACHINE | {"core.divergence": notation.divergence})
    return Task(notation.program(kernel), config, watched=notation.results)


def tasks() -> dict[tuple[str, str], Task]:
    """Every kernel in every notation."""
    return {(kernel.name, notation.name): task_of(kernel, notation) for kernel in KERNELS.values() for notation in NOTATIONS.values()}


def measure(run: Runner) -> Findings:
    """What each body issues, how many of its lanes work, and how long it takes."""
    planned = tasks()
    found = dict(zip(planned, checked(list(planned), run(list(planned.values()))), strict=True))
    rows = []
    for (kernel, notation), outcome in found.items():
        _agrees(KERNELS[kernel], notation, outcome)
        body = NOTATIONS[notation].body(KERNELS[kernel], planned[kernel, notation].program)
        rows.append({"kernel": kernel, "notation": notation} | row_of(body, outcome.issues))
    return Findings(_table(rows), _figure(rows), _claims(rows))


def _agrees(kernel: Kernel, notation: str, outcome: Outcome) -> None:
    """Raises Failed where a program has not computed what the kernel means: then nothing of it is worth counting."""
    values = np.frombuffer(outcome.contents, "<i4")[:LANES].tolist()
    expected = [kernel.result(x) for x in range(LANES)]
    if values != expected:
        raise Failed(f"{kernel.name} in {notation} gives {values}, and means {expected}")


def row_of(body: dict[int, str], issues: tuple[Issue, ...]) -> dict[str, Any]:
    """The figures of a body: issues by kind, lanes active in its work, cycles from its first issue to its last."""
    inside = [issue for issue in issues if issue.pc in body]
    kinds = Counter(body[issue.pc] for issue in inside)
    work = [issue.lanes.bit_count() for issue in inside if body[issue.pc] == WORK]
    return {
        "issued": len(inside),
        **{kind: kinds[kind] for kind in KINDS},
        "lanes": sum(work) / len(work),
        "cycles": inside[-1].cycle - inside[0].cycle + 1,
    }


def _table(rows: list[dict[str, Any]]) -> Table:
    return Table(
        rows,
        (
            Column("kernel", "kernel"),
            Column("notation", "notation"),
            Column("issued", "issued"),
            Column(WORK, "work"),
            Column(TEST, "tests"),
            Column(MASK, "masks"),
            Column(BRANCH, "jumps"),
            Column("lanes", "lanes", 1),
            Column("cycles", "cycles"),
        ),
        (
            "issued: instructions of the body, of which work, tests, masks and jumps (branches too); lanes: active in its work, of 16; "
            "cycles: from its first issue to its last",
        ),
    )


def _figure(rows: list[dict[str, Any]]) -> Figure:
    kernels = tuple(KERNELS)

    def panel(name: str, label: str, *more: Series) -> Panel:
        values = {(row["kernel"], row["notation"]): row[name] for row in rows}
        series = [Series(notation, kernels, tuple(values[kernel, notation] for kernel in kernels)) for notation in NOTATIONS]
        return Panel("", "", label, (*series, *more), kind="bar")

    law = Series("the law of serialisation", kernels, tuple(kernel.law for kernel in KERNELS.values()), published=True)

    return Figure(
        "One kernel, five ways to choose its lanes",
        (
            panel("issued", "instructions issued"),
            panel(MASK, "of these mask instructions"),
            panel("lanes", "lanes active in its work (of 16)", law),
            panel("cycles", "cycles"),
        ),
        columns=2,
    )


def _claims(rows: list[dict[str, Any]]) -> tuple[Claim, ...]:
    found = {(row["kernel"], row["notation"]): row for row in rows}

    def each(kernel: str, name: str, digits: int = 0) -> str:
        return " / ".join(f"{found[kernel, notation][name]:.{digits}f}" for notation in NOTATIONS)

    return (
        Claim(
            "lanes active in if-else, in the order of the table",
            f"{KERNELS['if-else'].law:.1f}",
            each("if-else", "lanes", 1),
            "two sides, each with its own lanes: no way to choose lanes changes what they have to do",
        ),
        Claim(
            "lanes active in the loop",
            f"{KERNELS['loop'].law:.1f}",
            each("loop", "lanes", 1),
            "the law counts iterations; the copies before the loop run with all 16 lanes",
        ),
        Claim(
            "mask instructions of the loop's 16 iterations",
            "16 / 0 / 16 / 0 / 16",
            each("loop", MASK),
            "mask_nz, vx_pred and kortest are there in every iteration; v_cmpx writes EXEC by itself. The others stand before and after "
            "the loop: a program saves or copies the mask, and restores what every instruction obeys (EXEC)",
        ),
        Claim(
            "what Vortex issues around an if: a split, and a branch and a join for each side",
            "5",
            f"{found['if', 'Vortex'][MASK] + found['if', 'Vortex'][BRANCH]}",
            "a join that takes lanes from the stack sends them back to the branch, so that both are executed once more, although the "
            "second side is empty here",
        ),
    )


EXPERIMENT = Experiment(
    "five-ways",
    "One kernel, five ways to choose its lanes",
    "What does it cost to choose the lanes of a warp, and who does it: hardware, compiler or programmer?",
    'A. Kozlov, "What\'s up with my branch on GPU?", for the mask language, GCN and AVX-512; B. Tine et al., MICRO 2021, for split '
    "and join; the law of serialisation of arXiv:2607.23402",
    "Four small kernels in five notations, each with one warp of 16 lanes, on the preset sm with one scheduler and all instructions at "
    "hand; only the mechanism and the instruction set differ, and all results are equal.",
    measure,
)
