"""Rules about lanes that stand idle: divergence, and warps that were never full."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.observe import profile as p
from warploom.observe.diagnosis import finding as d
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.profile import Profile

MASKING = ("mask_nonzero", "branch_push", "split", "predicate", "set_mask", "write_mask")  # a program's own ways to leave lanes out


def divergence(found: Profile) -> Iterator[Finding]:
    """Branches at which the lanes of a warp part, where at least IDLE_LANES of the lanes that there are stand idle."""
    counts = found.counts
    full = min(found.config.core.lanes, found.block_threads, found.program.launch.threads)
    idle = np.maximum(counts[:, p.ISSUES] * full - counts[:, p.LANES], 0)
    available = int(counts[:, p.ISSUES].sum()) * full
    parting = _parting(found)
    if not len(parting) or not available or idle.sum() < d.IDLE_LANES * available:
        return
    worst = d.hottest(idle)
    where = max((place for place in parting if place < worst), default=parting[0])
    lanes = d.ratio(found, worst, p.LANES, p.ISSUES)
    what = f"{found.line_of(where)}: lanes part here; {found.line_of(worst)} runs with {d.number(lanes)} of {full} lanes on average, and "
    what += f"{d.percent(idle.sum() / available)} of the lanes stand idle over the run"
    cycles = int(found.warp_cycles * idle.sum() / available)
    advice = (
        "sort the work so that neighbouring threads go the same way, compute both sides without a branch, or move work out of the branch"
    )
    yield Finding("divergence", (where, worst), cycles, what, advice)


def _parting(found: Profile) -> list[int]:
    """Instructions at which lanes of a warp parted: branches that diverged, and masks that lanes fell out of."""
    program, counts = found.program, found.counts
    masks = [number for number in range(len(program)) if counts[number, p.ISSUES] and set(p.operations(program, number)) & set(MASKING)]
    falls_out = [
        number
        for number in masks
        if number + 1 < len(program) and d.ratio(found, number + 1, p.LANES, p.ISSUES) < d.ratio(found, number, p.LANES, p.ISSUES)
    ]
    return sorted({*np.flatnonzero(counts[:, p.DIVERGED]).tolist(), *falls_out})


def partial_warps(found: Profile) -> Iterator[Finding]:
    """Blocks whose threads do not fill their warps, where at least IDLE_LANES of the lanes have no thread."""
    lanes, threads, block = found.config.core.lanes, found.program.launch.threads, found.block_threads
    places = found.warps * lanes
    if threads > places * (1 - d.IDLE_LANES) or found.warps == 1:
        return
    what = f"{d.plural(found.warps, 'warp')} of {lanes} lanes hold {d.plural(threads, 'thread')}: {d.percent(1 - threads / places)} of the "
    what += f"lanes have no thread, because a block has {block}"
    entry = min(max(found.program.launch.entry, 0), len(found.program) - 1)
    advice = f"blocks of a multiple of {lanes} threads"
    yield Finding("partial warps", (entry,), int(found.warp_cycles * (1 - threads / places)), what, advice)
