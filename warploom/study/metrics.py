"""What a comparison says of a run: a few figures made from its counters, each with its formula in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from warploom.machine.run.result import RunResult
from warploom.study.bottleneck import held_up
from warploom.study.table import Column


class Metric(NamedTuple):
    """One figure. unit: of its value, "" for a plain ratio. value: from a Result; None where the machine has no such thing."""

    name: str
    heading: str
    unit: str
    meaning: str
    value: Callable[[RunResult], int | float | None]
    digits: int = 0
    percent: bool = False
    spare: bool = True

    @property
    def column(self) -> Column:
        """How a table shows it."""
        return Column(self.name, self.heading, self.digits, self.percent, self.spare)


def _ratio(over: int | float | None, under: int | float | None) -> float | None:
    return over / under if over is not None and under else None


def _hit_rate(level: str) -> Callable[[RunResult], float | None]:
    def rate(result: RunResult) -> float | None:
        hits, misses = result.counters.get(f"{level}_hits", 0), result.counters.get(f"{level}_misses", 0)
        return _ratio(hits, hits + misses)

    return rate


def _active_lanes(result: RunResult) -> float | None:
    return _ratio(result.counters.get("thread_instructions"), result.instructions)


def _lane_share(result: RunResult) -> float | None:
    core = result.config.core
    width = core.lanes if result.has.warps else core.threads_per_block
    return _ratio(_active_lanes(result), width)


def _warps_only(over: str, under: str) -> Callable[[RunResult], float | None]:
    def ratio(result: RunResult) -> float | None:
        return _ratio(result.counters.get(over), result.counters.get(under)) if result.counters.get(over) else None

    return ratio


METRICS: tuple[Metric, ...] = (
    Metric("cycles", "cycles", "cycles", "from the start to the last block's end", lambda result: result.cycles, spare=False),
    Metric("instructions", "instr.", "instructions", "executed, one for all lanes of a warp", lambda result: result.instructions),
    Metric(
        "ipc",
        "IPC",
        "instructions per cycle",
        "instructions / cycles; a divide is one, and counter issued_instructions has those that it is made of",
        lambda result: _ratio(result.instructions, result.cycles),
        2,
    ),
    Metric(
        "active_lanes",
        "lanes",
        "lanes",
        "thread-instructions / instructions: lanes that an instruction works for",
        _active_lanes,
        1,
    ),
    Metric("lane_share", "of all", "", "active lanes / lanes of a warp", _lane_share, 0, True),
    Metric("l1_hit_rate", "L1 hits", "", "L1 hits / (L1 hits + L1 misses)", _hit_rate("l1"), 0, True),
    Metric("l2_hit_rate", "L2 hits", "", "L2 hits / (L2 hits + L2 misses)", _hit_rate("l2"), 0, True),
    Metric(
        "transactions_per_access", "trans.", "transactions", "transactions / accesses of warps", _warps_only("transactions", "accesses"), 1
    ),
    Metric("dram_bytes", "DRAM B", "bytes", "bytes that DRAM moved", lambda result: result.counters.get("dram_bytes") or None),
)
METRIC = {metric.name: metric for metric in METRICS}


def metrics_of(result: RunResult) -> dict[str, Any]:
    """All metrics by name, and `held_up`."""
    return {metric.name: metric.value(result) for metric in METRICS} | {"held_up": held_up(result)}
