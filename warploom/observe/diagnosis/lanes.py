"""Rules about lanes that do not execute: they have diverged, have ended, or never had a thread."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.observe import profile as p
from warploom.observe.diagnosis import finding as d
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.profile import Profile

MASKING = ("mask_nonzero", "branch_push", "split", "predicate", "set_mask", "write_mask")  # a program's own ways to leave lanes out


def divergence(found: Profile) -> Iterator[Finding]:
    """Branches at which the lanes of a warp diverge, where at least IDLE_LANES of the lanes whose thread lives are diverged.

    Lanes whose thread has ended, and lanes that never had one, are not divergence. What it costs: of the warp-cycles of each
    instruction the part of its lanes that are diverged, or that part of the issue slots in use where it is more.
    """
    counts = found.counts
    diverged = counts[:, p.LANES_DIVERGED]
    available = int((counts[:, p.LANES] + diverged).sum())
    parting = _parting(found)
    if not len(parting) or not available or diverged.sum() < d.IDLE_LANES * available:
        return
    worst = d.hottest(diverged)
    where = max((place for place in parting if place < worst), default=parting[0])
    lanes = d.ratio(found, worst, p.LANES, p.ISSUES)
    full = d.number(lanes + float(diverged[worst]) / max(int(counts[worst, p.ISSUES]), 1))
    part = np.divide(diverged, counts[:, p.LANES] + diverged, out=np.zeros(len(counts)), where=counts[:, p.LANES] + diverged > 0)
    waited = float((found.spent.sum(axis=1) * part).sum())
    issued = diverged.sum() / available * min(d.issue_slots_used(found), 1.0) * found.warp_cycles
    cycles = int(max(waited, issued))
    what = f"{d.of_time(found, cycles)} is lost to lanes that are switched off: they diverge at {found.line_of(where)}, and "
    what += f"{found.line_of(worst)} runs with {d.number(lanes)} of {full} lanes on average"
    advice = (
        "sort the work so that neighbouring threads go the same way, compute both sides without a branch, or move work out of the branch"
    )
    yield Finding("divergence", (worst, where), cycles, what, advice, ("selected", "not_selected"))


def _parting(found: Profile) -> list[int]:
    """Instructions at which lanes of a warp diverge: branches that diverged, and masks that lanes fell out of."""
    program, counts = found.program, found.counts
    masks = [number for number in range(len(program)) if counts[number, p.ISSUES] and set(p.operations(program, number)) & set(MASKING)]
    falls_out = [
        number
        for number in masks
        if number + 1 < len(program) and d.ratio(found, number + 1, p.LANES, p.ISSUES) < d.ratio(found, number, p.LANES, p.ISSUES)
    ]
    return sorted({*np.flatnonzero(counts[:, p.DIVERGED]).tolist(), *falls_out})


def ended_lanes(found: Profile) -> Iterator[Finding]:
    """Threads that end long before the others of their warp, where at least IDLE_LANES of the lanes that had one have ended."""
    counts = found.counts
    ended = counts[:, p.LANES_ENDED]
    available = int((counts[:, p.LANES] + counts[:, p.LANES_DIVERGED] + ended).sum())
    if not available or ended.sum() < d.IDLE_LANES * available:
        return
    worst = d.hottest(ended)
    what = f"{d.percent(ended.sum() / available)} of the lanes have ended while others of their warp continue, longest at "
    what += found.line_of(worst)
    advice = "give neighbouring threads equal amounts of work, or let a thread that is done take the next piece of work"
    yield Finding("ended lanes", (worst,), int(found.warp_cycles * ended.sum() / available), what, advice)


def partial_warps(found: Profile) -> Iterator[Finding]:
    """Blocks whose threads do not fill their warps, where at least IDLE_LANES of the lanes have no thread."""
    lanes, threads, block = found.config.core.lanes, found.program.launch.threads, found.block_threads
    places = found.warps * lanes
    if threads > places * (1 - d.IDLE_LANES) or found.warps == 1:
        return
    what = f"{d.percent(1 - threads / places)} of the lanes have no thread, because a block has {block}: "
    what += f"{d.plural(found.warps, 'warp')} of {lanes} lanes hold {d.plural(threads, 'thread')}"
    entry = min(max(found.program.launch.entry, 0), len(found.program) - 1)
    advice = f"blocks of a multiple of {lanes} threads"
    yield Finding("partial warps", (entry,), int(found.warp_cycles * (1 - threads / places)), what, advice)
