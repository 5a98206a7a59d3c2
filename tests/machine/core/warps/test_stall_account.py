"""Stall accounts: every cycle of a warp goes to one reason once, with and without a branch."""

import numpy as np
import pytest

from tests.machine.core.unit_bench import core_of, events, mask
from warploom.machine.accounting.events import STALL
from warploom.machine.core.warps.stall_account import account, account_wait, account_without_branch

WARP, PC, REASON = 3, 2, 5


def waiting(tracing=0, since=40):
    gpu, core, tables = core_of()
    tables.profile = np.zeros((4, 64), np.int64)
    gpu.log.tracing, core.warps.pc[WARP], core.warps.since[WARP], core.warps.mask[WARP] = tracing, PC, since, mask(0, 2)
    return gpu, core, tables


@pytest.mark.parametrize("form", [account, account_without_branch])
@pytest.mark.parametrize("tracing", [0, 1])
def test_cycles_that_have_not_been_accounted_go_to_the_instruction_and_the_reason(form, tracing):
    gpu, core, tables = waiting(tracing)
    for until, sum_, since in ((40, 0, 40), (39, 0, 40), (41, 1, 41), (50, 10, 50), (50, 10, 50), (45, 10, 50)):
        form(gpu, core, WARP, REASON, tables, until)
        assert (tables.profile[PC, REASON], tables.profile.sum(), core.warps.since[WARP]) == (sum_, sum_, since)
    spans = [[41, STALL, core.number, WARP, PC, 0b101, REASON, 40], [50, STALL, core.number, WARP, PC, 0b101, REASON, 41]]
    assert events(gpu, tables) == (spans if tracing else [])


@pytest.mark.parametrize("counts", [0, 1, 2])
def test_a_program_that_asks_for_it_is_told_what_its_warps_waited_for(counts):
    gpu, core, tables = waiting()
    core.counts, core.warps.reason[WARP] = counts, REASON
    core.monitor.waited[:] = 0
    core.monitor.waited[REASON] = 3
    for until in (30, 45, 45, 47):
        account_wait(gpu, core, WARP, tables, until)
    assert (tables.profile[PC, REASON], tables.profile.sum()) == (7, 7)
    assert (core.monitor.waited[REASON], core.monitor.waited.sum()) == ((10, 10) if counts > 1 else (3, 3))
