"""Stall accounts: every cycle of a warp is accounted to one reason and to the instruction at its PC.

A GPU's profiler samples which warps stall and why; here every cycle is counted. Cycles are accounted when the reason of a warp
changes: those before `since` have been, and the span from there gets one reason.
"""

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import emit_stall
from warploom.machine.engine.unit import inlined, native_form_of, unit


@unit
def account(gpu, core, warp, reason, tables, until):
    """Account the cycles before `until` that have not been accounted yet to a reason."""
    warps = core.warps
    since = warps.since[warp]
    if until > since:
        tables.profile[warps.pc[warp], reason] += until - since
        warps.since[warp] = until
        if gpu.log.tracing != 0:
            emit_stall(gpu.log, tables, until, core.number, warp, warps.pc[warp], warps.mask[warp], reason, since)


@native_form_of(account)
@inlined
def account_without_branch(gpu, core, warp, reason, tables, until):
    """A host predicts badly whether there are any such cycles."""
    warps = core.warps
    since = warps.since[warp]
    until = max(np.int64(until), since)
    tables.profile[warps.pc[warp], reason] += until - since
    warps.since[warp] = until
    if gpu.log.tracing != 0 and until > since:
        emit_stall(gpu.log, tables, until, core.number, warp, warps.pc[warp], warps.mask[warp], reason, since)


@inlined
def account_wait(gpu, core, warp, tables, until):
    """The cycles before `until` that have not been accounted yet go to what the warp waits for; its program may read their sum."""
    warps = core.warps
    if core.counts > 1:
        core.monitor.waited[warps.reason[warp]] += max(until - warps.since[warp], 0)
    account(gpu, core, warp, warps.reason[warp], tables, until)
