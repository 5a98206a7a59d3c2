"""What follows from several settings together."""

from __future__ import annotations

from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import BANK_BYTES, CARVEOUTS


def sector_shift(config: Config) -> int:
    """log2 of the bytes of a sector: the configured ones, but no fewer than a 64th of a core's line and no more than it has."""
    line = config.l1.line
    return min(max(config.lsu.sector, line // 64), line).bit_length() - 1


def l1_bytes_a_cycle(config: Config) -> int:
    """Bytes that a core's first-level cache gives in a cycle at most: a pass over its banks, or the lines that are looked up."""
    return config.l1.banks * BANK_BYTES if config.l1.banks else config.lsu.ports * config.l1.line


def l2_bytes_a_cycle(config: Config) -> float:
    """Bytes a cycle of the second-level cache: a line a lookup of each slice, and what the crossbar lets through; 0 for no limit."""
    lookups = config.l2.slices * config.l2.ports * config.l2.line
    limits = [lookups, config.crossbar.slice * config.l2.slices, config.crossbar.core * config.gpu.cores]
    return min((float(limit) for limit in limits if limit), default=0.0)


def dram_bytes_a_cycle(config: Config) -> float:
    """Bytes that all DRAM channels together can move in a core cycle; 0 for no limit."""
    clocks = config.dram.clock / config.gpu.clock if config.dram.clock and config.gpu.clock else 1.0
    return config.dram.channels * config.dram.bandwidth * clocks


def fetch_interval(config: Config) -> int:
    """Cycles from one instruction of a warp to its next, as far apart as they are fetched when the caches have them; 0 where nothing is."""
    fetch = config.fetch
    if not fetch.buffer:
        return 0
    return fetch.l0_latency if fetch.l0_sets else fetch.latency


def fetched_a_cycle(config: Config, warps: int) -> float:
    """Instructions that so many warps of a core are brought in a cycle at most, when the caches have them; infinite without fetching."""
    fetch, apart = config.fetch, fetch_interval(config)
    if not apart:
        return float("inf")
    return min(warps / apart, float(config.core.schedulers if fetch.l0_sets else fetch.per_cycle))


def carveout(config: Config, needed: int) -> int:
    """Bytes of shared memory in a core whose blocks need so many. Only where shared memory and L1 are one."""
    shared = config.shared
    if shared.carveout:
        return shared.carveout
    sizes = [size << 10 for size in CARVEOUTS[shared.carveouts]] if shared.carveouts != "any" else []
    fitting = [size for size in sizes if size >= needed]
    return min(fitting, default=-(-needed // shared.unit) * shared.unit)


def l1_bytes(config: Config, needed: int) -> int:
    """Bytes of the L1 of a core whose blocks need so many bytes of shared memory: whole sets of what that leaves."""
    if not config.shared.unified:
        return config.l1.bytes
    left = min(config.l1.bytes, config.shared.unified - carveout(config, needed))
    unit = config.l1.line * (config.l1.sets or config.l1.ways)
    return max(left, 0) // unit * unit
