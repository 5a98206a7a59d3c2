"""Speed of light: what each part of the machine did in a cycle, and what it could have done: issue, pipes, shared memory, caches, DRAM."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.machine.config.derived import dram_bytes_a_cycle, l1_bytes_a_cycle, l2_bytes_a_cycle
from warploom.machine.config.pipes import PORTS, intervals, issue_slots, issued_to
from warploom.observe import profile as p
from warploom.observe.diagnosis.finding import percent, plural
from warploom.observe.diagnosis.room import blocks_of, occupancy_of
from warploom.observe.profile import Profile


class Rate(NamedTuple):
    """A part of the machine. achieved, possible: in a cycle, of all cores together. unit: of what."""

    name: str
    achieved: float
    possible: float
    unit: str

    @property
    def share(self) -> float:
        """The part of what is possible, 0 to 1."""
        return min(self.achieved / self.possible, 1.0) if self.possible else 0.0


def speed_of_light(found: Profile) -> list[Rate]:
    """The parts that a run has used, from the schedulers outwards; nothing of cores that run one instruction at a time but their memory."""
    if not found.cycles:
        return []
    return [rate for rate in _rates(found) if rate.achieved > 0 and rate.possible > 0]


def _rates(found: Profile) -> Iterator[Rate]:
    config, counters, cycles = found.config, found.counters, found.cycles
    cores = config.gpu.cores
    if found.has_warps:
        yield Rate("issue", int(found.counts[:, p.ISSUES].sum()) / cycles, cores * issue_slots(config), "instructions")
        yield from _pipes(found)
        yield Rate("shared", int(found.counts[:, p.PASSES].sum()) / cycles, cores, "passes")
        if config.l1.bytes:
            yield Rate("L1", counters.get("sectors", 0) * config.lsu.sector / cycles, cores * l1_bytes_a_cycle(config), "bytes")
        if config.l2.bytes:
            looked = counters.get("l2_hits", 0) + counters.get("l2_misses", 0)
            each = counters.get("sectors", 0) / max(counters.get("transactions", 0), 1)  # a transaction moves the sectors that it needs
            yield Rate("L2", looked * each * config.lsu.sector / cycles, l2_bytes_a_cycle(config), "bytes")
    if config.memory.kind == "dram":
        yield Rate("DRAM", counters.get("dram_bytes", 0) / cycles, dram_bytes_a_cycle(config), "bytes")
    else:
        for name, channels in (("data", config.memory.data_channels), ("program", config.memory.program_channels)):
            yield Rate(f"{name} memory", counters.get(f"{name}_channel_busy_cycles", 0) / cycles, channels, "busy channels")


def _pipes(found: Profile) -> Iterator[Rate]:
    """Cycles in which the entry of each arithmetic pipe is taken."""
    config = found.config
    if config.pipes.owner != "scheduler":
        width = min(config.alu.width or config.core.lanes, config.core.lanes)
        taken = found.counters.get("alu_instructions", 0) * -(-config.core.lanes // width)
        yield Rate("ALU", taken / found.cycles, config.gpu.cores * config.alu.count, "busy ALUs")
        return
    ports, classes = issued_to(config, found.program)
    taken = found.counts[:, p.ISSUES] * np.array(intervals(config), np.int64)[classes]
    pipes = config.gpu.cores * config.core.schedulers
    names = {PORTS[name]: name for name in ("integer", "float", "double", "special", "vector", "scalar", "half", "light")}
    names |= {u.ALU: "vector" if config.pipes.vector else "integer", u.HEAVY: "float"}
    found_ones: dict[str, int] = {}
    for port, name in names.items():
        found_ones[name] = found_ones.get(name, 0) + int(taken[ports == port].sum())
    for name, cycles in found_ones.items():
        yield Rate(name, cycles / found.cycles, pipes, "busy pipes")


def occupancy_text(found: Profile) -> str:
    """How full the cores were, how full they could be, and what keeps them from more; "" where that is not counted."""
    holds = occupancy_of(found)
    if holds is None:
        return ""
    room = found.config.core.warps
    there = found.warp_cycles / (found.cycles * found.config.gpu.cores)
    fit = f"{plural(holds.warps, 'warp')} ({plural(holds.blocks, 'block')}) {'fits' if holds.warps == 1 else 'fit'}"
    said = f"{there:.1f} of {plural(room, 'warp')} a core on average; {fit}, "
    blocks, cores = blocks_of(found), found.config.gpu.cores
    if blocks < cores * holds.blocks:
        return f"{said}and the launch has only {plural(blocks, 'block')} for {plural(cores, 'core')}"
    return f"{said}limited by {' and '.join(holds.limiting)}" if holds.warps < room else f"{said}all that there is room for"


def answer_report(found: Profile) -> dict[str, Any]:
    """Speed of light, occupancy, stalls and lanes as plain numbers, strings, lists and dicts."""
    totals = found.spent.sum(axis=0)
    order = [int(number) for number in np.argsort(-totals, kind="stable") if totals[number]]
    holds = occupancy_of(found)
    return {
        "speed_of_light": [rate._asdict() | {"share": rate.share} for rate in speed_of_light(found)],
        "occupancy": {
            "text": occupancy_text(found),
            "achieved": found.warp_cycles / (found.cycles * found.config.gpu.cores * found.config.core.warps) if found.cycles else 0.0,
            "possible": holds.occupancy,
            "limiting": list(holds.limiting),
        }
        if holds is not None
        else None,
        "stalls": [[found.activities[number].name, int(totals[number])] for number in order],
        "lanes": found.lane_shares(),
    }


def share_text(rate: Rate) -> str:
    """`12.3 of 128 bytes a cycle (9 %)`."""
    return f"{rate.achieved:.3g} of {rate.possible:.4g} {rate.unit} a cycle ({percent(rate.share)})"
