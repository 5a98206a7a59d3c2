"""The law of serialisation: k paths of s cycles take s k cycles, with 1/k of the lanes active."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.config.presets import load_config
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, checked
from warploom.study.experiments.mechanisms import FAST, mechanisms
from warploom.study.figure import Figure, Panel, Series
from warploom.study.kernels import FREE, LANE, Kernel
from warploom.study.sweep import Task
from warploom.study.table import Column, Table

LANES = 32
PATHS = (1, 2, 4, 8, 16, 32)
STEPS = 96  # instructions of a path


def kernel(paths: int) -> Kernel:
    """Lane l takes path l modulo `paths`: a chain of comparisons, as a compiler makes of a small switch."""
    k = Kernel()
    way, chosen, total = FREE, FREE + 1, FREE + 2
    k.op("remu", way, LANE, imm=paths)
    for path in range(paths - 1):
        k.op("seq", chosen, way, imm=path)
        k.branch(chosen, f"PATH{path}")
    k.jump(f"PATH{paths - 1}")
    for path in range(paths):
        k.label(f"PATH{path}")
        for _ in range(STEPS):
            k.op("add", total, total, imm=path + 1)
        k.jump("DONE")
    k.label("DONE")
    k.exit()
    return k


def measure(run: Runner) -> Findings:
    """Cycles and active lanes by the number of paths, for each mechanism; one warp."""
    names = mechanisms()
    points = [(name, paths) for name in names for paths in PATHS]
    tasks = [
        Task(kernel(paths).program(f"{paths}-paths", threads=LANES, block=LANES), load_config("sm", FAST | {"core.divergence": name}))
        for name, paths in points
    ]
    found = dict(zip(points, checked(points, run(tasks)), strict=True))
    rows = []
    for paths in PATHS:
        row: dict[str, Any] = {"paths": paths}
        for name in names:
            outcome = found[name, paths]
            row[f"{name}_cycles"], row[f"{name}_lanes"] = outcome.cycles, outcome.metrics["active_lanes"]
        row["law"] = LANES / paths
        rows.append(row)
    columns = [Column("paths", "paths")]
    for name in names:
        columns += [Column(f"{name}_cycles", f"{name}: cycles"), Column(f"{name}_lanes", "lanes", 1)]
    table = Table(rows, (*columns, Column("law", "32 / paths")))
    panels = (
        Panel(
            "time", "paths that the lanes of a warp take", "cycles",
            (
                *(Series(name, PATHS, tuple(table[f"{name}_cycles"])) for name in names),
                Series(f"the law: {STEPS} cycles per path", PATHS, tuple(float(STEPS * paths) for paths in PATHS), published=True),
            ),
            ticks=PATHS,
        ),
        Panel(
            "work", "paths that the lanes of a warp take", "active lanes per instruction",
            (
                *(Series(name, PATHS, tuple(table[f"{name}_lanes"])) for name in names),
                Series("the law: 32 / paths", PATHS, tuple(table["law"]), published=True),
            ),
            log_x=True, log_y=True, ticks=PATHS,
        ),
    )  # fmt: skip
    lines = {name: _line(PATHS, table[f"{name}_cycles"]) for name in names}
    claims = (
        Claim(
            "time is a straight line in the number of paths",
            f"R² near 1; {STEPS} cycles per path",
            "; ".join(f"{name}: R² = {fit:.4f}, {slope:.1f} cycles per path" for name, (slope, fit) in lines.items()),
            "a path has its jump at the end and a comparison with its branch in front, which the law leaves out",
        ),
        Claim(
            "lanes active with 8 paths",
            "4 of 32",
            "; ".join(f"{name}: {table[f'{name}_lanes'][PATHS.index(8)]:.2f} of 32" for name in names),
            "the comparisons run with more lanes, so a little more than the law says",
        ),
    )
    return Findings(table, Figure("k paths take k times as long", panels), claims)


def _line(x: tuple[int, ...], y: list[Any]) -> tuple[float, float]:
    """Slope and R² of the straight line that fits best."""
    slope, start = np.polyfit(x, y, 1)
    values = np.array(y, float)
    rest = values - (slope * np.array(x) + start)
    return float(slope), float(1 - (rest**2).sum() / ((values - values.mean()) ** 2).sum())


EXPERIMENT = Experiment(
    "serialisation",
    "The law of serialisation",
    "What does it cost when the lanes of a warp take k different paths?",
    '"Characterizing Warp Divergence from Pascal to Blackwell", arXiv:2607.23402, 2026: '
    "time is s k, and 32 / k lanes are active, on all of them",
    f"One warp takes a switch of 1 to 32 paths of {STEPS} instructions, on the preset sm with every latency one cycle.",
    measure,
)
