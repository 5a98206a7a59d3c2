"""The end of a run in which no warp is left: its stores are in flight, as the cores and caches let it send more than memory takes."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.machine.config.schema import Config

ALONE = 2  # times as long as one store by itself takes: up to there the end says nothing about bandwidth


def store_tail(counters: Mapping[str, int], config: Config) -> int:
    """Cycles after the last warp has ended in which a run waits for its stores; 0 where one store by itself could take as long."""
    levels = [cache.latency for cache in (config.l1, config.l2) if cache.bytes]
    if config.memory.kind == "dram":
        levels.append(config.dram.latency)
    tail = counters.get("store_tail_cycles", 0)
    return tail if tail > ALONE * sum(levels) else 0
