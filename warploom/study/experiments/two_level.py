"""Two-level against round-robin scheduling: do all warps reach the long latency together?"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from warploom.gpu import GPU
from warploom.machine.accounting.events import ISSUE, KIND, TIME
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.observe.facts.events import events_of
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, Units, checked
from warploom.study.figure import Figure, Panel, Series
from warploom.study.kernels import FREE, GLOBAL, Kernel
from warploom.study.sweep import Task
from warploom.study.table import Column, Table
from warploom.units import UserUnit

LANES, WORD = 32, 4
WARPS = 32  # Narasiman et al. simulate 32 warps a core
GROUPS = (4, 8, 16)  # warps of a fetch group; the paper's choice is 8
PAPER_GROUP = 8
TURNS, BETWEEN = 6, 24  # turns of the loop; instructions of a turn besides the load
LATENCY = 400  # cycles of a load: less than the 768 that 32 warps can compute meanwhile, so all of it could be hidden
WINDOW = 40  # cycles of a bar in the figure
PUBLISHED_GAIN = 1.191  # the paper's abstract: large warps and two-level scheduling together
MACHINE: dict[str, Any] = {
    "core.schedulers": 1, "core.warps": WARPS, "core.branch_latency": 1, "pipes.owner": "core", "alu.count": 4, "alu.width": 0,
    "fetch.buffer": 0,
    "latency.alu": 1, "l1.bytes": 0, "l1.latency": 1, "l1.mshrs": 256, "l2.bytes": 0, "lsu.queue": 64, "lsu.ports": 4,
    "memory.bytes": 1 << 16, "dram.latency": LATENCY - 1, "dram.bandwidth": 0, "dram.channels": 1, "dram.banks": 0, "dram.row": 0,
    "dram.clock": 0, "crossbar.core": 0, "crossbar.slice": 0, "lsu.stores": 0, "memory.hash": "modulo", "operands.banks": 0,
}  # fmt: skip


def kernel() -> Kernel:
    """Turns of arithmetic and then a load, whose word the next turn needs first."""
    k = Kernel()
    address, value, turns, total = FREE, FREE + 1, FREE + 2, FREE + 3
    k.op("mul", address, GLOBAL, imm=WORD)
    k.mov(turns, TURNS)
    k.label("TURN")
    k.op("add", total, total, value)
    for _ in range(BETWEEN - 3):
        k.op("add", total, total, imm=1)
    k.op("sub", turns, turns, imm=1)
    k.load(value, address)
    k.branch(turns, "TURN")
    k.exit()
    return k


def machines() -> dict[str, Config]:
    """The policies that are compared, by the name that the figure has for them."""
    found = {"round robin": load_config("sm", MACHINE | {"core.scheduler": "round_robin"})}
    for size in GROUPS:
        found[f"two-level, groups of {size}"] = load_config("sm", MACHINE | {"core.scheduler": "two_level", "core.fetch_group": size})
    found["greedy, then oldest"] = load_config("sm", MACHINE | {"core.scheduler": "greedy_oldest"})
    return found


def issue_rate(config: Config | None, unit: UserUnit | None = None) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Instructions a cycle in each window of a run, from its events: (first cycles, rates). unit: a scheduler in place of ours."""
    gpu = GPU(config) if config is not None else GPU("sm", set=MACHINE, units={"scheduler": unit})
    result = gpu.run(_program(), tracing=True)
    events = events_of(result, "the rate of issues")
    counts = [0] * (result.cycles // WINDOW + 1)
    for time in events[events[:, KIND] == ISSUE][:, TIME]:
        counts[int(time) // WINDOW] += 1
    return tuple(number * WINDOW for number in range(len(counts))), tuple(count / WINDOW for count in counts)


def _program() -> Any:
    return kernel().program("compute-then-load", threads=WARPS * LANES, block=LANES)


def measure(run: Runner, units: Units = MappingProxyType({})) -> Findings:
    """Cycles and idle issue slots of each policy, and when the slots of two of them are used."""
    policies = machines()
    tasks = [Task(_program(), config) for config in policies.values()]
    tasks += [Task(_program(), load_config("sm", MACHINE), units={"scheduler": unit}) for unit in units.values()]
    names = (*policies, *units)
    outcomes = checked(names, run(tasks))
    rows: list[dict[str, Any]] = []
    for name, outcome in zip(names, outcomes, strict=True):
        issued = outcome.counters["instructions"]
        rows.append(
            {
                "policy": name,
                "cycles": outcome.cycles,
                "idle": outcome.cycles - issued,
                "idle_share": 1 - issued / outcome.cycles,
                "speedup": outcomes[0].cycles / outcome.cycles,
            }
        )
    table = Table(
        rows,
        (
            Column("policy", "policy"),
            Column("cycles", "cycles"),
            Column("idle", "cycles without an issue"),
            Column("idle_share", "of all", percent=True),
            Column("speedup", "over round robin", 2),
        ),
    )
    paper = f"two-level, groups of {PAPER_GROUP}"
    panels = []
    for name in ("round robin", paper, *units):
        times, rates = issue_rate(policies.get(name), units.get(name))
        panels.append(Panel(name, "cycle", "instructions\na cycle", (Series(name, times, rates),), kind="area"))
    figure = Figure("All warps reach the load together, or in groups one after the other", tuple(panels), stacked=True)
    by_name = {row["policy"]: row for row in rows}
    robin, two = by_name["round robin"], by_name[paper]
    return Findings(
        table,
        figure,
        (
            Claim(
                "round robin leaves a gap at every long latency",
                "yes (the paper's figure 3)",
                f"{robin['idle']} of {robin['cycles']} cycles without an issue: {robin['idle'] / TURNS:.0f} per iteration of the loop",
                f"32 warps reach the load within {WARPS} cycles of each other, and it takes {LATENCY}: nothing is left to run",
            ),
            Claim(
                "two-level scheduling has fewer idle cycles",
                "yes",
                f"{two['idle']} instead of {robin['idle']}",
                "the groups come to their loads one after the other, and one computes while the others wait",
            ),
            Claim(
                "speed-up over round robin",
                f"{PUBLISHED_GAIN:.3f} on average",
                f"{two['speedup']:.3f}",
                "theirs is the average of whole applications, with large warps as well; ours is one loop that has nothing but the effect",
            ),
        ),
    )


EXPERIMENT = Experiment(
    "two-level",
    "Two-level against round-robin scheduling",
    "Do all warps reach the long latency together, and what does it cost?",
    'V. Narasiman et al., "Improving GPU performance via large warps and two-level warp scheduling", MICRO 2011',
    f"32 warps compute for {BETWEEN} instructions and load, {TURNS} times; the preset sm with one scheduler, a memory of {LATENCY} cycles.",
    measure,
    "scheduler",
)
