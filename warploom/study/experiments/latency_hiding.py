"""Warps that are needed to hide the latency of memory: Little's law."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.numbers import percentage
from warploom.machine.config.presets import load_config
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, checked
from warploom.study.figure import Figure, Panel, Series
from warploom.study.kernels import FREE, GLOBAL, Kernel
from warploom.study.sweep import Task
from warploom.study.table import Column, Table

LANES, WORD = 32, 4
WARPS = (1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64)
BETWEEN = (6, 14, 30)  # instructions of a turn besides the load
CYCLES = 12_000  # of the endless loop that are counted
CONTRAST = 14  # shown with round robin too
POLICIES = ("greedy_oldest", "round_robin")
LATENCY = 200  # cycles from the issue of a load to that of the instruction that needs it
FULL = 0.95  # of the issue slots: where memory counts as hidden
# One scheduler, everything else fast, a memory that always takes the same time: only warps can hide it.
MACHINE: dict[str, Any] = {
    "core.schedulers": 1, "core.blocks": 64, "core.branch_latency": 1, "pipes.owner": "core", "alu.count": 4, "alu.width": 0,
    "fetch.buffer": 0,
    "latency.alu": 1, "l1.bytes": 0, "l1.latency": 1, "l1.mshrs": 256, "l2.bytes": 0, "lsu.queue": 64, "lsu.ports": 4,
    "memory.bytes": 1 << 16, "dram.latency": LATENCY - 1, "dram.bandwidth": 0, "dram.channels": 1, "dram.banks": 0, "dram.row": 0,
    "dram.clock": 0, "crossbar.core": 0, "crossbar.slice": 0, "lsu.stores": 0, "memory.hash": "modulo", "operands.banks": 0,
}  # fmt: skip


def kernel(between: int) -> Kernel:
    """An endless loop: a load, `between` instructions (the loop's own among them), the first of which needs the loaded word."""
    k = Kernel()
    address, value, total = FREE, FREE + 1, FREE + 2
    k.op("mul", address, GLOBAL, imm=WORD)
    k.label("TURN")
    k.load(value, address)
    k.op("add", total, total, value)
    for _ in range(between - 2):
        k.op("add", total, total, imm=1)
    k.jump("TURN")
    return k


def law(warps: int, between: int, latency: float) -> float:
    """Little's law: a warp issues between + 1 instructions and waits until the load is `latency` old, others fill the gap."""
    return min(1.0, warps * (between + 1) / (between + latency))


def measure(run: Runner) -> Findings:
    """Instructions a cycle by the number of warps, for three kernels."""
    points = [(policy, between, warps) for policy in POLICIES for between in BETWEEN for warps in WARPS]
    tasks = [
        Task(
            kernel(between).program(f"{between}-between", threads=warps * LANES, block=LANES),
            load_config("sm", MACHINE | {"core.scheduler": policy}),
            max_cycles=CYCLES,
        )
        for policy, between, warps in points
    ]
    outcomes = checked(points, run(tasks), status="timeout")
    found = {point: outcome.metrics["ipc"] for point, outcome in zip(points, outcomes, strict=True)}
    drifting, lockstep = ({(b, w): found[policy, b, w] for b in BETWEEN for w in WARPS} for policy in POLICIES)
    latency = _latency({between: drifting[between, 1] for between in BETWEEN})
    rows = []
    for warps in WARPS:
        row: dict[str, Any] = {"warps": warps}
        for between in BETWEEN:
            row[f"ipc_{between}"], row[f"law_{between}"] = drifting[between, warps], law(warps, between, latency)
        row["round_robin"] = lockstep[CONTRAST, warps]
        rows.append(row)
    columns = [Column("warps", "warps")]
    for between in BETWEEN:
        columns += [Column(f"ipc_{between}", f"{between} between: IPC", 2), Column(f"law_{between}", "the law", 2)]
    columns.append(Column("round_robin", f"{CONTRAST}, round robin", 2))
    table = Table(rows, tuple(columns), (f"between: instructions from a load to the next one; a load takes {latency:.0f} cycles",))
    series = [Series(f"{between} instructions between loads", WARPS, tuple(table[f"ipc_{between}"])) for between in BETWEEN]
    series.append(Series(f"{CONTRAST}, round robin: all warps wait at once", WARPS, tuple(table["round_robin"])))
    series += [Series(f"Little's law, {between}", WARPS, tuple(table[f"law_{between}"]), published=True) for between in BETWEEN]
    axes = Panel("", "warps on the core", "instructions per cycle (at most 1)", tuple(series), ticks=(1, 8, 16, 24, 32, 40, 48, 56, 64))
    figure = Figure(f"Warps that hide a memory latency of {latency:.0f} cycles", (axes,), wide=True)
    return Findings(table, figure, _claims(drifting, lockstep, latency))


def _latency(alone: dict[int, float]) -> float:
    """The latency that one warp by itself shows: cycles of a turn, less the instructions after the load."""
    return float(np.mean([(between + 1) / rate - between for between, rate in alone.items()]))


def _claims(drifting: dict[tuple[int, int], float], lockstep: dict[tuple[int, int], float], latency: float) -> tuple[Claim, ...]:
    claims = []
    for between in BETWEEN:
        needed = (between + latency) / (between + 1)
        knee = next((warps for warps in WARPS if drifting[between, warps] >= FULL), None)
        claims.append(
            Claim(
                f"warps needed with {between} instructions between loads",
                f"{needed:.1f}",
                f"{knee}, the first number tried that fills {percentage(FULL)} of the issue slots" if knee else f"more than {WARPS[-1]}",
                "the law: latency divided by the instructions of an iteration; only some numbers of warps were tried",
            )
        )
    distance = max(abs(drifting[between, warps] - law(warps, between, latency)) for between in BETWEEN for warps in WARPS)
    hidden = law(16, CONTRAST, latency)
    return (
        *claims,
        Claim(
            "largest distance of a point from the law",
            "0",
            f"{distance:.2f} instructions per cycle",
            "the law speaks of averages, and the first iterations of all warps still fall close together",
        ),
        Claim(
            f"16 warps, {CONTRAST} instructions between, round robin",
            f"{hidden:.2f} instructions per cycle",
            f"{lockstep[CONTRAST, 16]:.2f} instructions per cycle",
            "the law needs warps that wait at different times; round robin keeps them together: see the study two-level",
        ),
    )


EXPERIMENT = Experiment(
    "latency-hiding",
    "Warps needed to hide latency",
    "How many warps must a core hold so that it never waits for memory?",
    'J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 1961; V. Volkov\'s GPU studies use it so',
    f"Each warp repeats a load and 6, 14 or 30 instructions without end; the preset sm "
    f"with one scheduler (greedy_oldest) and a memory that takes {LATENCY} cycles.",
    measure,
)
