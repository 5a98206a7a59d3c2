"""The table of execution units. What adding a row does is in tests/machine/test_trial.py."""

import inspect

from warploom.isa.uop import CONTROL, FLOAT, MEMORY, MERGER, OPERATIONS, PORTS, RASTER, RAYS, SHARED, SLOTS, TEXTURE, UNITS
from warploom.machine.accounting import reasons as r
from warploom.machine.core.core import Core
from warploom.machine.core.units.table import EXECUTION_UNITS, OF_A_SCHEDULER, THROTTLE, WITH_QUEUE, execute_instruction


def test_there_is_a_row_for_each_unit_of_a_micro_op():
    assert [row.name for row in EXECUTION_UNITS if row is not OF_A_SCHEDULER] == [*PORTS[:FLOAT], *PORTS[SLOTS + 1 :]]
    assert [EXECUTION_UNITS[row.unit].name for row in OPERATIONS] == [UNITS[row.unit] for row in OPERATIONS]
    assert {name for row in EXECUTION_UNITS for name in row.state} <= set(Core.names)


def test_every_row_is_called_with_the_same_arguments():
    for row in (*EXECUTION_UNITS, OF_A_SCHEDULER):
        assert list(inspect.signature(row.execute).parameters) == list(inspect.signature(execute_instruction).parameters)
        for function in (row.accepts, row.next_free):
            assert list(inspect.signature(function).parameters) == ["port", "core", "now"]


def test_units_of_the_whole_core_have_queues_and_reasons_of_their_own():
    assert WITH_QUEUE == (MEMORY, SHARED, TEXTURE, RASTER, MERGER, RAYS)
    reasons = {MEMORY: r.LG_THROTTLE, TEXTURE: r.TEX_THROTTLE} | dict.fromkeys((SHARED, RASTER, MERGER, RAYS), r.MIO_THROTTLE)
    assert THROTTLE.tolist() == [reasons.get(port, r.MATH_PIPE_THROTTLE) for port in range(len(PORTS))]
    assert CONTROL < FLOAT < SLOTS < RASTER  # pipes of a scheduler are numbered between its units and those of the whole core
