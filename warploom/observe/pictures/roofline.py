"""Roofline: what a kernel reaches of what its machine can do at most, by how much it computes for a byte of memory.

x = arithmetic intensity: lane-operations (an ALU's or special-function unit's instruction in one active lane) a byte that memory moves; y =
lane-operations a cycle. The roof is the lower one of two: what the ALUs take, or the schedulers issue if that is less, and what memory
brings at that intensity. Source: Williams, Waterman and Patterson, "Roofline", CACM 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.isa.uop import ALU, ISSUE_UNIT, SPECIAL
from warploom.machine.accounting import reasons as r
from warploom.machine.config.derived import dram_bytes_a_cycle
from warploom.machine.config.schema import Config
from warploom.machine.memory.channels import DATA_HOLD
from warploom.machine.run.result import RunResult
from warploom.observe.facts.events import profile_of
from warploom.observe.pictures.raster import hex_of
from warploom.observe.pictures.sheet import LEFT, RIGHT, TOP, Page, Sheet
from warploom.observe.pictures.view import DrawingError, View
from warploom.observe.text.palette import REASONS, STATES, WARPS
from warploom.observe.text.styled import percent

HEIGHT = 430  # points of the axes
DECADES = 1.5  # of the axes on both sides of what they show


@dataclass(frozen=True)
class Roofline:
    """The picture as data: a kernel on a machine.

    peak: lane-operations a cycle that the machine can do. bandwidth: bytes a cycle that its memory can move, None for no limit. active:
    part of the lanes that the kernel's instructions have. intensity: lane-operations a byte. reached: lane-operations a cycle.
    """

    peak: float
    bandwidth: float | None
    active: float
    intensity: float
    reached: float
    kernel: str

    @property
    def roof(self) -> float:
        """The most that the machine can do at the kernel's intensity."""
        return self.peak if self.bandwidth is None else min(self.peak, self.bandwidth * self.intensity)

    @property
    def bound(self) -> str:
        """What the roof is made of there: "memory" or "arithmetic"."""
        return "memory" if self.roof < self.peak else "arithmetic"


def peak(config: Config) -> float:
    """Lane-operations a cycle that a machine's ALUs take, or its schedulers issue if that is less."""
    width = min(config.alu.width or config.core.lanes, config.core.lanes)
    return float(config.gpu.cores * min(config.alu.count * width, config.core.schedulers * config.core.lanes))


def bandwidth(config: Config) -> float | None:
    """Bytes a cycle that its memory can move; None for no limit."""
    if config.memory.kind == "dram":
        return dram_bytes_a_cycle(config) or None
    return config.memory.data_channels * config.memory.channel_bytes / DATA_HOLD


def data(result: RunResult, view: View, *, most_columns: int = 0) -> Roofline:
    """The roofline of a run. Raises DrawingError where there is no arithmetic, no traffic, or a machine that does one after the other."""
    config, counters = result.config, result.counters
    if config.core.control == "sequencer":
        raise DrawingError(
            f"a roofline needs arithmetic and memory that work side by side, and a core of {config.name!r} does one thing at a time: "
            "the picture timeline shows where its cycles go, and --gpu sm is a machine with a roofline"
        )
    profile = profile_of(result, "a roofline")
    arithmetic = np.isin(result.program.code[:, ISSUE_UNIT], (ALU, SPECIAL))
    work = int(profile[arithmetic, r.LANES].sum())
    moved = counters["dram_bytes"] if config.memory.kind == "dram" else counters["data_requests"] * config.memory.channel_bytes
    if not work:
        raise DrawingError("the kernel has no arithmetic, so it has no place under a roofline")
    if not moved:
        raise DrawingError("the kernel moves no bytes between the machine and its memory, so it has no arithmetic intensity")
    issues = int(profile[arithmetic, r.ISSUES].sum())
    return Roofline(
        peak(config), bandwidth(config), work / (issues * config.core.lanes), work / moved, work / result.cycles, result.program.name
    )


def caption(line: Roofline) -> str:
    """What the picture says in a sentence."""
    reached = percent(line.reached / line.roof).strip()
    return f"{line.reached:.3g} lane-operations a cycle, {reached} of the roof of {line.roof:.3g}, which is {line.bound}"


def facts(line: Roofline) -> dict[str, Any]:
    """The picture in numbers."""
    return {
        "lane_operations_a_byte": line.intensity,
        "lane_operations_a_cycle": line.reached,
        "peak": line.peak,
        "bytes_a_cycle": line.bandwidth,
        "roof": line.roof,
        "bound": line.bound,
        "active_lanes": line.active,
    }


def draw(line: Roofline, page: Page) -> Sheet:
    """The sheet: both axes logarithmic, the roof, the roof with as many lanes as the kernel's instructions have, and the kernel."""
    width = min(page.width, 860)
    sheet = page.sheet(width, TOP + HEIGHT + 64)
    ax = sheet.plot(LEFT, TOP + 6, width - LEFT - RIGHT, HEIGHT)
    ridge = line.peak / line.bandwidth if line.bandwidth else line.intensity
    low = min(line.intensity, ridge) / 10**DECADES
    high = max(line.intensity, ridge) * 10**DECADES
    bottom = min(line.reached, line.roof) / 10
    x = np.array(sorted({low, ridge, high}))
    roof = np.full(len(x), line.peak) if line.bandwidth is None else np.minimum(line.peak, line.bandwidth * x)
    dark = page.dark
    ax.fill_between(x, roof, bottom / 10, color=hex_of(STATES["update"], dark), alpha=0.13, linewidth=0)
    ax.plot(x, roof, color=sheet.ground.text, linewidth=2.2)
    if line.active < 0.995:
        lower, begin = line.peak * line.active, low if line.bandwidth is None else ridge * line.active
        ax.plot([begin, high], [lower, lower], color=hex_of(REASONS["not_selected"], dark), linewidth=1.6, linestyle=(0, (5, 3)))
        said = f"with {percent(line.active).strip()} of the lanes active, as here: {line.peak * line.active:.3g}"
        ax.annotate(said, (high, line.peak * line.active), (-6, -5), textcoords="offset points", ha="right", va="top", fontsize=9,
                    color=hex_of(REASONS["not_selected"], dark))  # fmt: skip
    colour = sheet.ground.text
    ax.annotate(f"arithmetic: {line.peak:g} lane-operations a cycle", (high, line.peak), (-6, 6), textcoords="offset points", ha="right",
                fontsize=9, color=colour)  # fmt: skip
    if line.bandwidth is not None:
        slope = (ridge / 10**0.3, line.peak / 10**0.3)
        ax.annotate(
            f"memory: {line.bandwidth:.3g} bytes a cycle", slope, (-10, 4), textcoords="offset points", fontsize=9, color=colour, ha="right"
        )
    else:
        ax.annotate("memory without a limit of bandwidth", (low, line.peak), (8, 6), textcoords="offset points", fontsize=9, color=colour)
    ax.plot([line.intensity] * 2, [line.reached, line.roof], color=sheet.ground.quiet, linewidth=1.2, linestyle=":")
    ax.plot(line.intensity, line.reached, "o", markersize=10, color=hex_of(WARPS[0], dark), markeredgecolor=sheet.ground.background)
    place = (line.intensity, line.reached)
    said = f"{line.kernel}: {line.reached:.3g}"
    text = ax.annotate(said, place, (10, -4), textcoords="offset points", fontsize=10, color=colour)
    text.set_parse_math(False)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(bottom, line.peak * 3)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.grid(axis="x", color=sheet.ground.line, linewidth=0.7)
    ax.set_xlabel("arithmetic intensity (lane-operations a byte that memory moves)", fontsize=9)
    ax.set_ylabel("lane-operations a cycle", fontsize=9)
    return sheet
