"""Spawning, unit by unit. What whole programs see of it is in `tests/isa/vortex/test_simt.py`."""

import numpy as np
import pytest

from warploom.machine.core.spawn import _leave_queues
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.unit import mirror, zeros

QUEUES = ("awake", "starved", "wake_time_known", "waiting_memory", "fencing", "wants")


@pytest.mark.parametrize("warp", [0, 5, 63])
def test_a_warp_that_is_spawned_or_stopped_leaves_all_queues_and_the_others_stay_in_them(warp):
    table = zeros(1, Warps)
    for name in QUEUES:
        table[name] = np.uint64(0x9000_0000_0000_0035)
    before = table.copy()
    _leave_queues(mirror(table)[0], warp)
    for name in QUEUES:
        assert table[name].tolist() == (before[name] & ~(np.uint64(1) << np.uint64(warp))).tolist(), name
