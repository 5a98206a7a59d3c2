"""Rules about room that stands empty: cores without a block, and a last wave of blocks that does not fill them."""

from __future__ import annotations

from collections.abc import Iterator

from warploom.machine.occupancy.residency import Demand, Occupancy, limits_of, residency
from warploom.observe.diagnosis import finding as d
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.profile import Profile


def occupancy_of(found: Profile) -> Occupancy | None:
    """How many blocks of the launch a core holds at a time; None for a launch that fills the cores itself, or that has no such block."""
    launch, config = found.program.launch, found.config
    if not found.has_warps or launch.whole_device or not found.block_threads:
        return None
    counted = bool(config.core.registers)
    demand = Demand(found.block_threads, found.program.registers if counted else 0, launch.shared_bytes, launch.warp_scalars)
    holds = residency(limits_of(config), demand)
    return holds if holds.blocks else None


def blocks_of(found: Profile) -> int:
    """Blocks of the launch."""
    return -(-found.program.launch.threads // max(found.block_threads, 1))


def few_blocks(found: Profile) -> Iterator[Finding]:
    """Fewer blocks than cores, so that IDLE_ROOM of the cores have nothing to do."""
    cores, blocks = found.config.gpu.cores, blocks_of(found)
    idle = 1 - blocks / cores
    if occupancy_of(found) is None or found.config.gpu.dispatch == "split" or idle < d.IDLE_ROOM:
        return
    worst = d.busiest(found)
    what = f"{d.percent(idle)} of the cores have no block: the launch has {d.plural(blocks, 'block')} for {cores} cores, and "
    what += f"{'the one that works spends' if blocks == 1 else 'those that work spend'} most of the time at {found.line_of(worst)}"
    advice = f"at least {cores} blocks: smaller ones ({found.block_threads} threads now), or less work for each thread"
    yield Finding("few blocks", (worst,), int(idle * found.warp_cycles), what, advice)


def tail(found: Profile) -> Iterator[Finding]:
    """Blocks that come in a few waves of which the last one leaves IDLE_ROOM of all room empty."""
    holds, blocks = occupancy_of(found), blocks_of(found)
    if holds is None:
        return
    wave = found.config.gpu.cores * holds.blocks
    waves, rest = -(-blocks // wave), blocks % wave
    empty = 1 - blocks / (waves * wave)
    if waves < 2 or not rest or empty < d.IDLE_ROOM:
        return
    there = found.warp_cycles / (found.cycles * found.config.gpu.cores * holds.warps)
    if 1 - there < d.IDLE_ROOM:  # blocks of unequal length have filled it
        return
    worst = d.busiest(found)
    what = f"{d.percent(1 - there)} of the room for warps stands empty, most of it at the end: {blocks} blocks come in {waves} waves of "
    what += f"{wave}, and the last one has {rest}; most of the time goes to {found.line_of(worst)}"
    advice = f"a number of blocks just below a multiple of {wave}, smaller blocks, or blocks that take the next piece of work in a loop"
    yield Finding("tail", (worst,), int((1 - there) * found.warp_cycles), what, advice)
