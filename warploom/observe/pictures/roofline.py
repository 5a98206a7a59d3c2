"""Roofline: what a kernel reaches of what its machine can do at most, by how much it computes for a byte of memory.

x = arithmetic intensity: lane-operations (an ALU's or special-function unit's instruction in one active lane) a byte that a level of
memory moves; y = lane-operations a cycle. The flat roof is what the ALUs take, or the schedulers issue if that is less. Every level of
memory, the first cache, the second one, and memory itself, has a slanting roof: what its bytes a cycle allow at that intensity. The kernel
has a point for each level that moves bytes for it, all at one height, and the lowest roof over its points is the one that holds it back.
Sources: Williams, Waterman and Patterson, "Roofline", CACM 2009; for the levels Yang, Kurth and Williams, "Hierarchical Roofline analysis
for GPUs", 2019.

A level's bytes are those of its lookups. The first cache moves the sectors that accesses touch, at most what its banks give per core and
cycle, or `lsu.ports` lines; the second one a line a lookup, one per bank and cycle. A level without a limit in the model has no roof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.uop import ALU, ISSUE_UNIT, SPECIAL, TEXTURE
from warploom.isa.uop import MEMORY as MEMORY_UNIT
from warploom.machine.accounting import reasons as r
from warploom.machine.config import pipes
from warploom.machine.config.derived import dram_bytes_a_cycle, l1_bytes_a_cycle, l2_bytes_a_cycle
from warploom.machine.config.schema import Config
from warploom.machine.memory.channels import DATA_HOLD
from warploom.machine.run.result import RunResult
from warploom.observe.facts.events import profile_of
from warploom.observe.pictures.raster import hex_of
from warploom.observe.pictures.sheet import LEFT, RIGHT, TOP, Page, Sheet
from warploom.observe.pictures.view import DrawingError, View
from warploom.observe.text.palette import REASONS, WARPS
from warploom.observe.text.styled import grouped, percent

HEIGHT = 430  # points of the axes
DECADES = 1.5  # of the axes on both sides of what they show


MEMORY = "memory"


class Level(NamedTuple):
    """A level of memory. bandwidth: bytes a cycle that it can move, None for no limit. intensity: lane-operations a byte of it."""

    name: str
    bandwidth: float | None
    intensity: float

    @property
    def allows(self) -> float:
        """Lane-operations a cycle at the kernel's intensity."""
        return float("inf") if self.bandwidth is None else self.bandwidth * self.intensity


@dataclass(frozen=True)
class Roofline:
    """The picture as data: a kernel on a machine.

    peak: lane-operations a cycle that the machine can do. levels: of memory, from the core outwards, those that move bytes for the kernel.
    active: part of the lanes that the kernel's instructions have. reached: lane-operations a cycle.
    """

    peak: float
    levels: tuple[Level, ...]
    active: float
    reached: float
    kernel: str

    @property
    def roof(self) -> float:
        """The most that the machine can do at the kernel's intensities."""
        return min([self.peak, *(level.allows for level in self.levels)])

    @property
    def bound(self) -> str:
        """What the roof is made of there: the name of a level, or "arithmetic"."""
        lowest = min(self.levels, key=lambda level: level.allows)
        return lowest.name if lowest.allows < self.peak else "arithmetic"


def peak(config: Config) -> float:
    """Lane-operations a cycle that a machine's pipes for integers and 32-bit floats take, or its schedulers issue if that is less."""
    if config.pipes.owner == "scheduler":
        both = pipes.scheduler_rate(config, "alu") + (0.0 if config.pipes.vector else pipes.scheduler_rate(config, "float"))
        rate = min(pipes.issue_slots(config) / config.core.schedulers, both)
        return config.gpu.cores * config.core.schedulers * config.core.lanes * rate
    width = min(config.alu.width or config.core.lanes, config.core.lanes)
    issued = config.core.schedulers * pipes.turn_rate(config)
    return config.gpu.cores * min(config.alu.count * width, issued * config.core.lanes)


def bandwidth(config: Config) -> float | None:
    """Bytes a cycle that its memory can move; None for no limit."""
    if config.memory.kind == "dram":
        return dram_bytes_a_cycle(config) or None
    return config.memory.data_channels * config.memory.channel_bytes / DATA_HOLD


def first_bandwidth(config: Config) -> float:
    """Bytes a cycle of the first caches of all cores: a pass over their banks, or a line a transaction, one transaction a port."""
    return float(config.gpu.cores * l1_bytes_a_cycle(config))


def second_bandwidth(config: Config) -> float | None:
    """Bytes a cycle of the second cache (`l2_bytes_a_cycle`); None for no limit."""
    return l2_bytes_a_cycle(config) or None


def data(result: RunResult, view: View, *, most_columns: int = 0) -> Roofline:
    """The roofline of a run. Raises DrawingError where there is no arithmetic, no traffic, or a machine that does one after the other."""
    config = result.config
    if not result.has.overlap:
        raise DrawingError(
            f"a roofline needs arithmetic and memory that work side by side, and a core of {config.name!r} does one thing at a time: "
            "the picture timeline shows where its cycles go, and --gpu sm is a machine with a roofline"
        )
    profile = profile_of(result, "a roofline")
    arithmetic = np.isin(result.program.code[:, ISSUE_UNIT], (ALU, SPECIAL))
    work = int(profile[arithmetic, r.LANES].sum())
    if not work:
        raise DrawingError("the kernel has no arithmetic, so it has no place under a roofline")
    moved = _moved(result, profile)
    if not moved:
        raise DrawingError("the kernel has no access to memory, so it has no arithmetic intensity")
    issues = int(profile[arithmetic, r.ISSUES].sum())
    levels = tuple(Level(name, limit, work / count) for name, limit, count in moved)
    return Roofline(peak(config), levels, work / (issues * config.core.lanes), work / result.cycles, result.program.name)


def _moved(result: RunResult, profile: np.ndarray) -> list[tuple[str, float | None, int]]:
    """(name, bytes a cycle at most, bytes moved) of every level that has moved any."""
    config, counters = result.config, result.counters
    of_memory = np.isin(result.program.code[:, ISSUE_UNIT], (MEMORY_UNIT, TEXTURE))
    levels: list[tuple[str, float | None, int]] = []
    if config.l1.bytes:
        levels.append(("L1", first_bandwidth(config), int(profile[of_memory, r.SECTORS].sum()) * config.lsu.sector))
    if config.l2.bytes:
        levels.append(("L2", second_bandwidth(config), (counters["l2_hits"] + counters["l2_misses"]) * config.l2.line))
    beyond = counters["dram_bytes"] if config.memory.kind == "dram" else counters["data_requests"] * config.memory.channel_bytes
    levels.append((MEMORY, bandwidth(config), beyond))
    return [level for level in levels if level[2]]


def caption(line: Roofline) -> str:
    """What the picture says in a sentence."""
    reached = percent(line.reached / line.roof).strip()
    return f"{line.reached:.3g} lane-operations per cycle, {reached} of the roof of {line.roof:.3g}, which is {line.bound}"


def number(value: float) -> str:
    """4 096, or 4.57: whole from a hundred on."""
    return grouped(round(value)) if value >= 100 else f"{value:.3g}"


def facts(line: Roofline) -> dict[str, Any]:
    """The picture in numbers."""
    return {
        "levels": [
            {"name": level.name, "bytes_a_cycle": level.bandwidth, "lane_operations_a_byte": level.intensity} for level in line.levels
        ],
        "lane_operations_a_cycle": line.reached,
        "peak": line.peak,
        "roof": line.roof,
        "bound": line.bound,
        "active_lanes": line.active,
    }


LEVEL_LOOKS = {"L1": WARPS[2], "L2": WARPS[1], MEMORY: WARPS[0]}


def draw(line: Roofline, page: Page) -> Sheet:
    """The sheet: both axes logarithmic, the roofs, the flat one with as many lanes as are active, and the kernel's points.

    Points of outer levels are smaller, so that one that lies on another hides nothing.
    """
    width, dark = min(page.width, 860), page.dark
    sheet = page.sheet(width, TOP + HEIGHT + 64)
    ax = sheet.plot(LEFT, TOP + 6, width - LEFT - RIGHT, HEIGHT)
    colour = sheet.ground.text
    ridges = [line.peak / level.bandwidth for level in line.levels if level.bandwidth]
    shown = [*(level.intensity for level in line.levels), *ridges]
    low, high = min(shown) / 10**DECADES, max(shown) * 10**DECADES
    bottom = min(line.reached, line.roof) / 10
    ax.plot([min(ridges, default=low), high], [line.peak] * 2, color=colour, linewidth=2.2)
    ax.annotate(f"arithmetic: {line.peak:g} lane-operations per cycle", (high, line.peak), (-6, 6), textcoords="offset points", ha="right",
                fontsize=9, color=colour)  # fmt: skip
    if line.active < 0.995:
        lower, red = line.peak * line.active, hex_of(REASONS["not_selected"], dark)
        ax.plot([min((ridge * line.active for ridge in ridges), default=low), high], [lower] * 2, color=red, linewidth=1.6,
                linestyle=(0, (5, 3)))  # fmt: skip
        said = f"with {percent(line.active).strip()} of the lanes active, as here: {lower:.3g}"
        ax.annotate(
            said,
            (high, lower),
            (-6, -5),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=9,
            color=red,
            bbox={"facecolor": sheet.ground.background, "edgecolor": "none", "pad": 1},
            zorder=4,
        )  # above the slanting roofs
    for depth, level in enumerate(line.levels):
        tint = hex_of(LEVEL_LOOKS[level.name], dark)
        limit = "no limit" if level.bandwidth is None else f"{number(level.bandwidth)} bytes per cycle"
        if level.bandwidth is not None:
            ridge = line.peak / level.bandwidth
            ax.plot([low, ridge], [level.bandwidth * low, line.peak], color=tint, linewidth=2.0)
        ax.plot([level.intensity] * 2, [line.reached, min(level.allows, line.peak)], color=tint, linewidth=1.2, linestyle=":")
        ax.plot(level.intensity, line.reached, "o", markersize=15 - 4.5 * depth, color=tint, markeredgecolor=sheet.ground.background,
                label=f"{level.name}: {limit}; the kernel has {level.intensity:.3g} lane-operations per byte")  # fmt: skip
    place = (max(level.intensity for level in line.levels), line.reached)
    text = ax.annotate(f"{line.kernel}: {line.reached:.3g}", place, (10, -4), textcoords="offset points", fontsize=10, color=colour)
    text.set_parse_math(False)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(bottom, line.peak * 3)
    ax.legend(loc="lower right", fontsize=9, frameon=False, labelcolor=colour)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.grid(axis="x", color=sheet.ground.line, linewidth=0.7)
    ax.set_xlabel("arithmetic intensity (lane-operations per byte that a level moves)", fontsize=9)
    ax.set_ylabel("lane-operations per cycle", fontsize=9)
    return sheet
