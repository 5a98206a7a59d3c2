"""Rays through a tree of boxes: three loops and few warps that stay, against a ray unit; rays side by side and rays apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warploom.isa.frontend import Options
from warploom.isa.frontends import load
from warploom.isa.program import Program
from warploom.machine.config.presets import load_config
from warploom.study import programs
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, checked
from warploom.study.figure import Figure, Panel, Series
from warploom.study.sweep import Outcome, Task
from warploom.study.table import Column, Table

SCRIPT = Path(programs.__file__).parent / "ray_loops.py"
LOOPS = ("branching", "nested", "speculative", "persistent", "unit")
KINDS = ("primary", "diffuse", "sorted")
MECHANISMS = ("its", "dwf")  # besides the stack, for diffuse rays by the loops in which lanes may go apart
MACHINE: dict[str, Any] = {"rays.cores": 1}
POINTS = (
    *((kind, loop, "stack") for kind in KINDS for loop in LOOPS if kind != "sorted" or loop in ("nested", "unit")),
    *(("diffuse", loop, mechanism) for mechanism in MECHANISMS for loop in ("branching", "nested")),
)


def task_of(kind: str, loop: str, mechanism: str) -> Task:
    """The launch that the program makes with these arguments."""
    config = load_config("sm", MACHINE | {"core.divergence": mechanism})
    program = load(SCRIPT, options=Options(machine=config, more={"arguments": (loop, kind)}))
    assert isinstance(program, Program)
    return Task(program, config)


def measure(run: Runner) -> Findings:
    """Cycles, instructions and lanes of every loop."""
    outcomes = dict(zip(POINTS, checked(POINTS, run([task_of(*point) for point in POINTS])), strict=True))
    rows = [_row(*point, outcome) for point, outcome in outcomes.items()]
    columns = (
        Column("rays", "rays"), Column("loop", "loop"), Column("mechanism", "mechanism"), Column("cycles", "cycles"),
        Column("instructions", "warp instr."), Column("lanes", "lanes", 1), Column("hits", "L1 hits", percent=True),
    )  # fmt: skip
    notes = (
        "256 rays in 784 triangles; primary: one a pixel; diffuse: from where those ended, in all directions; sorted: by octant",
        "lanes: that an instruction of a warp works for, and for the unit that walk when one of them makes a step",
    )
    return Findings(Table(rows, columns, notes), _figure(outcomes), _claims(outcomes))


def _row(kind: str, loop: str, mechanism: str, outcome: Outcome) -> dict[str, Any]:
    lanes = outcome.metrics["active_lanes"]
    if loop == "unit":
        lanes = outcome.counters["ray_lanes"] / outcome.counters["ray_steps"]
    return {
        "rays": kind, "loop": loop, "mechanism": mechanism, "cycles": outcome.cycles, "instructions": outcome.metrics["instructions"],
        "lanes": lanes, "hits": outcome.metrics["l1_hit_rate"] if loop != "unit" else None,
    }  # fmt: skip


def _figure(outcomes: dict[tuple[str, str, str], Outcome]) -> Figure:
    series = [Series(kind, LOOPS, tuple(outcomes[kind, loop, "stack"].cycles / 1000 for loop in LOOPS)) for kind in KINDS[:2]]
    panel = Panel("256 rays", "", "thousand cycles", tuple(series), kind="bar")
    return Figure("Rays through a tree: loops of a program, and a unit for them", (panel,))


def _claims(outcomes: dict[tuple[str, str, str], Outcome]) -> tuple[Claim, ...]:
    cycles = {point: outcome.cycles for point, outcome in outcomes.items()}
    stay = {kind: cycles[kind, "nested", "stack"] / cycles[kind, "persistent", "stack"] for kind in KINDS[:2]}
    lanes = {kind: outcomes[kind, "nested", "stack"].metrics["active_lanes"] for kind in KINDS[:2]}
    unit = {kind: min(cycles[kind, loop, "stack"] for loop in LOOPS[:4]) / cycles[kind, "unit", "stack"] for kind in KINDS[:2]}
    return (
        Claim(
            "known loops are off from the optimum, since hardware hands work out badly; warps that stay and fetch rays close most of that",
            "1.5 to 2.5 times",
            f"warps that stay: {stay['primary']:.2f} times as fast with primary rays, {stay['diffuse']:.2f} with diffuse ones",
            "the paper blames the units of its GPUs that distribute work, made for blocks that take equally long; here a block that ends "
            "is replaced in the same cycle, so that there is nothing to gain by fetching rays",
        ),
        Claim(
            "rays that are apart make warps go apart",
            "primary rays are faster than diffuse ones, by every kernel",
            f"of 32 lanes {lanes['primary']:.1f} work with primary and {lanes['diffuse']:.1f} with diffuse rays (nested)",
            "rays side by side visit the same nodes in the same order for longer; a loop loses lanes that have ended or do the other step",
        ),
        Claim(
            "a unit for rays",
            "not of that paper: GPUs have had one since 2018",
            f"{unit['primary']:.1f} times as fast as the best loop with primary rays, {unit['diffuse']:.1f} with diffuse ones",
            "the boxes of a node are one step of the unit; its latencies are a model of Vortex's, and not measured",
        ),
    )


EXPERIMENT = Experiment(
    name="ray-loops",
    title="Rays through a tree of boxes",
    question="What do loops of a program lose in which each ray goes its own way, and what does a unit for rays gain?",
    source='T. Aila and S. Laine, "Understanding the Efficiency of Ray Traversal on GPUs", HPG 2009',
    setup=(
        "The same rays through the same tree by three loops of a program, by one whose warps stay and fetch rays, and by a ray unit, on "
        "preset sm with a unit; every one finds the same hits, bit for bit."
    ),
    measure=measure,
)
