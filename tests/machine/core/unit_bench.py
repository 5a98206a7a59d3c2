"""A core on the bench: the records of a small machine, set up as for a run, whose units a test calls one at a time in plain Python."""

from types import SimpleNamespace
from unittest.mock import patch

import numpy as np

from tests.machine.programs import Assembly, machine
from warploom.machine.device import machine as device
from warploom.machine.engine.unit import mirror
from warploom.machine.run.tables import Tables


def bench(code: Assembly | None = None, **changes):
    """The device's record, its cores' records, and tables of which the program's are real. changes: settings, as of `machine`.

    Rooms have the most rows that there can be, so that a test may set what it likes.
    """
    if code is None:
        code = Assembly()
        code("exit")
    with patch.object(device, "rooms_of_device", lambda *given: {}), patch.object(device, "rooms_of_core", lambda *given: {}):
        made = machine(code.program(), **changes)
    known = {"code": made.code, "uops": made.program.uops, "events": np.zeros((64, 8), np.int64)}
    return mirror(made.gpu), mirror(made.cores), SimpleNamespace(**dict.fromkeys(Tables._fields) | known)


def mask(*numbers: int) -> np.uint64:
    return np.uint64(sum(1 << number for number in numbers))


def events(gpu, tables) -> list[list[int]]:
    """The events that were noted."""
    return tables.events[: int(gpu.log.rows)].tolist()


def core_of(schedulers=2, warps=8, now=40, **settings):
    """A core whose schedulers own every n-th warp slot. Nothing is full, nobody is awake, and it was stepped before `now`."""
    gpu, cores, tables = bench(core__warps=warps, core__schedulers=schedulers)
    core = cores[0]
    core.stepped, core.warps.wants[:], core.operands.banks, core.partitions.own = now - 1, 0, 0, 0
    core.full_units = core.warps_blocked = mask()
    core.partitions.full[:] = 0
    for name, value in settings.items():
        setattr(core, name, value)
    return gpu, core, tables
