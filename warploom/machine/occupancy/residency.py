"""Residency: how many blocks one core can hold at a time, and what keeps it from holding more.

In hardware: the block scheduler of a GPU starts a block on a core that has everything the block needs for its whole life: a slot
in the block table, warp slots, a piece of the register file for every warp, a piece of shared memory. Registers
and shared memory are handed out in units, and the register file may be in partitions (one a warp scheduler), in
each of which a warp's registers must lie whole. The resource that runs out first decides.

The arithmetic is that of cuda_occupancy.h of NVIDIA's CUDA toolkit. It is the same for a real multiprocessor (`capabilities.py`)
and for a core of the simulated machine (`limits_of`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from warploom.isa.numbers import grouped, whole_number
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import ConfigError


@dataclass(frozen=True)
class Limits:
    """What a core has room for. Shared memory is in bytes, registers are of 32 bits.

    A limit of 0 means: no such limit; of `shared`, that there is none. lanes: threads per warp. barrier_blocks: blocks
    of several warps, where they are fewer than blocks. threads: threads of
    a core, where they are fewer than its warps have lanes. block_threads: largest block. register_unit: a warp's registers are
    rounded up to a multiple. scalars, scalar_unit: the same for registers that a warp has once (GCN). partitions: parts of the register
    files. shared_reserved: bytes that the system adds to each block's.
    shared_sizes: sizes that the shared memory can be set to, where it shares its storage with the L1 cache.
    """

    lanes: int
    warps: int
    blocks: int
    barrier_blocks: int = 0
    threads: int = 0
    block_threads: int = 0
    registers: int = 0
    registers_per_block: int = 0
    registers_per_thread: int = 0
    register_unit: int = 1
    partitions: int = 1
    scalars: int = 0
    scalar_unit: int = 1
    shared: int = 0
    shared_per_block: int = 0
    shared_unit: int = 1
    shared_reserved: int = 0
    shared_sizes: tuple[int, ...] = ()


class Demand(NamedTuple):
    """What a block needs. registers: a thread's; scalars: a warp's; 0 where they are not counted. shared: bytes, static and dynamic."""

    threads: int
    registers: int = 0
    shared: int = 0
    scalars: int = 0


@dataclass(frozen=True)
class Occupancy:
    """How full a core can be.

    blocks: blocks that it holds at a time. warps: their warps. occupancy: warps as a fraction of those that it has room for,
    0 to 1. limits: for each resource ("warps", "blocks", "registers", "shared"; "threads" and "scalars" where a core has such a limit) the
    blocks that it would allow by itself, None where it allows any number. needs: what one block takes of each, rounded up as it is
    handed out. room: what the core has of each (0 for registers: no limit). limiting: the resources that allow the fewest blocks.
    reason: a sentence that says why not even one block fits; "" where one does. exceeded: the field of Limits that it is about.
    """

    blocks: int
    warps: int
    occupancy: float
    limits: dict[str, int | None]
    needs: dict[str, int]
    room: dict[str, int]
    limiting: tuple[str, ...]
    reason: str = ""
    exceeded: str = ""


class _Allowed(NamedTuple):
    """Blocks that one resource allows (None: any number), what a block needs of what there is, and why not even one fits."""

    blocks: int | None
    needs: int
    room: int
    reason: str = ""
    exceeded: str = ""


def limits_of(config: Config) -> Limits:
    """What one core of a simulated machine has room for. The sequencer has one block at a time, a lane a thread."""
    core, shared = config.core, config.shared
    if core.control == "sequencer":
        width = core.threads_per_block
        return Limits(width, 1, 1, block_threads=width, shared=shared.bytes, shared_unit=shared.unit)
    return Limits(
        lanes=core.lanes,
        warps=core.warps,
        blocks=core.blocks,
        barrier_blocks=core.barrier_blocks if core.barrier_blocks < core.blocks else 0,
        threads=core.threads if core.threads < core.warps * core.lanes else 0,
        block_threads=core.block_threads,
        registers=core.registers,
        registers_per_thread=core.thread_registers,
        register_unit=core.register_unit,
        partitions=core.register_files,
        scalars=core.scalars,
        scalar_unit=core.scalar_unit,
        shared=min(shared.bytes, shared.carveout) if shared.unified and shared.carveout else shared.bytes,
        shared_per_block=shared.block_bytes,
        shared_unit=shared.unit,
        shared_reserved=shared.reserved,
    )


def residency(limits: Limits, demand: Demand, carveout: int | None = None) -> Occupancy:
    """How many blocks of `demand` fit in a core of `limits` at a time.

    carveout: percent of the shared memory that the kernel asks for, where its size can be set. Raises ConfigError for
    a demand that no block can have (0 threads, negative numbers); a block that is too large gives 0 blocks and a reason.
    """
    _check(limits, demand, carveout)
    warps = _ceil(demand.threads, limits.lanes)
    allowed = {"warps": _by_warps(limits, demand, warps), "blocks": _by_blocks(limits, warps)}
    if limits.threads:
        allowed["threads"] = _by_threads(limits, demand)
    allowed["registers"] = _by_registers(limits, demand, warps)
    if limits.scalars:
        allowed["scalars"] = _by_scalars(limits, demand, warps)
    allowed["shared"] = _by_shared(limits, demand, carveout)
    counts = {name: each.blocks for name, each in allowed.items()}
    blocks = min(count for count in counts.values() if count is not None)
    limiting = tuple(name for name, count in counts.items() if count == blocks)
    reason, exceeded = next(((each.reason, each.exceeded) for each in allowed.values() if each.reason), ("", ""))
    needs = {name: each.needs for name, each in allowed.items()}
    room = {name: each.room for name, each in allowed.items()}
    return Occupancy(blocks, blocks * warps, blocks * warps / limits.warps, counts, needs, room, limiting, reason, exceeded)


def _check(limits: Limits, demand: Demand, carveout: int | None) -> None:
    for name, value in (*demand._asdict().items(), ("carveout", 0 if carveout is None else carveout)):
        try:
            whole_number(name, value)
        except ValueError as error:
            raise ConfigError(str(error)) from None
    if demand.threads < 1:
        raise ConfigError(f"threads = {demand.threads}: a block has at least 1 thread")
    if demand.registers < 0:
        raise ConfigError(f"registers = {demand.registers}: a thread has 0 registers (not counted) or more")
    if demand.scalars < 0:
        raise ConfigError(f"scalars = {demand.scalars}: a warp has 0 scalar registers (not counted) or more")
    if demand.shared < 0:
        raise ConfigError(f"shared = {demand.shared}: a block has 0 bytes of shared memory or more")
    if carveout is not None and not 0 <= carveout <= 100:
        raise ConfigError(f"carveout = {carveout}: it is a percentage of the shared memory, from 0 to 100")
    if carveout is not None and not limits.shared_sizes:
        raise ConfigError(f"carveout = {carveout}: the size of this shared memory cannot be set; leave it out")


def _by_warps(limits: Limits, demand: Demand, warps: int) -> _Allowed:
    if limits.block_threads and demand.threads > limits.block_threads:
        reason = f"a block of {grouped(demand.threads)} threads is too large, a block has at most {grouped(limits.block_threads)}"
        return _Allowed(0, warps, limits.warps, reason, "block_threads")
    if warps > limits.warps:
        reason = f"a block of {grouped(demand.threads)} threads needs {grouped(warps)} warps, a core has {grouped(limits.warps)}"
        return _Allowed(0, warps, limits.warps, reason, "warps")
    return _Allowed(limits.warps // warps, warps, limits.warps)


def _by_blocks(limits: Limits, warps: int) -> _Allowed:
    room = limits.barrier_blocks if limits.barrier_blocks and warps > 1 else limits.blocks
    return _Allowed(room, 1, room)


def _by_threads(limits: Limits, demand: Demand) -> _Allowed:
    if demand.threads > limits.threads:
        reason = f"a block of {grouped(demand.threads)} threads is too large, a core has room for {grouped(limits.threads)}"
        return _Allowed(0, demand.threads, limits.threads, reason, "threads")
    return _Allowed(limits.threads // demand.threads, demand.threads, limits.threads)


def _by_registers(limits: Limits, demand: Demand, warps: int) -> _Allowed:
    warp_registers = _round_up(demand.registers * limits.lanes, limits.register_unit)
    needs, room = warp_registers * warps, limits.registers
    most = limits.registers_per_thread
    if most and demand.registers > most:
        reason = f"a thread with {grouped(demand.registers)} registers is too large, a thread has at most {grouped(most)}"
        return _Allowed(0, needs, room, reason, "registers_per_thread")
    if needs == 0 or room == 0:
        return _Allowed(None, needs, room)
    in_partitions = warp_registers * _round_up(warps, limits.partitions)
    most = min(limits.registers_per_block or room, room)
    if in_partitions > most:
        rounded = _rounded(demand.threads * demand.registers, in_partitions)
        what = f"a block of {grouped(demand.threads)} threads with {grouped(demand.registers)} registers per thread"
        return _Allowed(0, needs, room, f"{what} needs {grouped(in_partitions)} registers{rounded}, {_has(most, room)}", "registers")
    return _Allowed(room // limits.partitions // warp_registers * limits.partitions // warps, needs, room)


def _by_scalars(limits: Limits, demand: Demand, warps: int) -> _Allowed:
    each = _round_up(demand.scalars, limits.scalar_unit)
    needs, room = each * warps, limits.scalars
    if needs == 0:
        return _Allowed(None, needs, room)
    fitting = room // limits.partitions // each * limits.partitions
    if fitting < warps:
        rounded = _rounded(demand.scalars * warps, needs)
        what = f"a block of {grouped(demand.threads)} threads with {grouped(demand.scalars)} scalar registers per warp"
        return _Allowed(0, needs, room, f"{what} needs {grouped(needs)} scalar registers{rounded}, {_has(room, room)}", "scalars")
    return _Allowed(fitting // warps, needs, room)


def _by_shared(limits: Limits, demand: Demand, carveout: int | None) -> _Allowed:
    needs = _round_up(demand.shared + limits.shared_reserved, limits.shared_unit)
    room = _shared_size(limits, needs, carveout)
    if needs == 0:
        return _Allowed(None, needs, room)
    most = (limits.shared_per_block or limits.shared) + limits.shared_reserved
    if needs > most:
        rounded = _rounded(demand.shared, needs)
        what = f"a block with {grouped(demand.shared)} bytes of shared memory"
        return _Allowed(0, needs, room, f"{what} needs {grouped(needs)}{rounded}, {_has(most, limits.shared)}", "shared")
    return _Allowed(room // needs, needs, room)


def _rounded(exact: int, needs: int) -> str:
    return "" if needs == exact else f" in the units in which they are handed out ({grouped(exact)} of its own)"


def _has(most: int, core: int) -> str:
    return f"a core has {grouped(core) if core else 'none'}" if most == core else f"a block has at most {grouped(most)}"


def _shared_size(limits: Limits, needed: int, carveout: int | None) -> int:
    """Bytes of a core's shared memory: all of it, or the smallest size that is what the kernel prefers and holds a block."""
    if carveout is None:
        return limits.shared
    preferred = limits.shared * carveout // 100
    size = min(size for size in limits.shared_sizes if size >= preferred)
    return size if size >= needed else limits.shared


def _ceil(value: int, unit: int) -> int:
    return -(-value // unit)


def _round_up(value: int, unit: int) -> int:
    return _ceil(value, unit) * unit
