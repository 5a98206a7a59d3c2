"""Charging: every cycle of a warp goes to one reason, on the account of the instruction that it stands at.

A GPU's profiler samples which warps stall and why; here every cycle is counted. A warp's account is settled when what it waits for
changes: up to `since` its cycles have been charged, and the span from there gets one reason.
"""

from __future__ import annotations

from warploom.machine.accounting.events import STALL, emit
from warploom.machine.engine.unit import unit


@unit
def account(gpu, core, warp, reason, tables, until):
    """Charge the cycles that the warp has spent since its last charge."""
    warps = core.warps
    since = warps.since[warp]
    if until > since:
        tables.profile[warps.pc[warp], reason] += until - since
        warps.since[warp] = until
        if gpu.log.tracing != 0:
            emit(gpu.log, tables, until, STALL, core.number, warp, warps.pc[warp], warps.mask[warp], reason, since)
