"""What a core's records say of their fields."""

import pytest

from warploom.machine.accounting.faults import Fault
from warploom.machine.core.core import Blocks, Core
from warploom.machine.core.divergence.its import ConvergenceBarriers
from warploom.machine.core.divergence.path_table import PathTable
from warploom.machine.core.divergence.thread_pool import Pool
from warploom.machine.core.fetch.instruction_fetch import Fetch
from warploom.machine.core.fetch.shared_instruction_cache import SharedFetch
from warploom.machine.core.pipes import Pipes
from warploom.machine.core.scheduling.scheduler import Scheduler
from warploom.machine.core.warps.barrier import Barriers
from warploom.machine.core.warps.scoreboard import Scoreboard
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.unit import groups_of

RECORDS = (Barriers, Blocks, ConvergenceBarriers, PathTable, Core, Fault, Fetch, Pipes, Pool, Scheduler, Scoreboard, SharedFetch, Warps)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: ",".join(record.names[:2]))
def test_every_field_is_a_setting_an_input_state_or_a_counter(record):
    assert sorted(name for group in groups_of(record).values() for name in group) == sorted(record.names)
