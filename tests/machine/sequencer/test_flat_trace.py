"""The flat trace says what the trace lines say, field by field."""

import pytest

from tests.tiny_golden import program, settings
from tests.tiny_lines import flat
from warploom import GPU, tiny
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.sequencer.flat_trace import FlatTrace


def rows(name, preset, cycles, threads=None, **changes):
    """(flat row, trace line) after each edge."""
    machine = GPU(preset, set=settings(name) | changes).machine(program(name), threads=threads)
    trace = FlatTrace(machine)
    for _ in machine.steps(cycles):
        yield dict(zip(trace.names, trace.row().tolist(), strict=True)), machine.trace_line()


@pytest.mark.parametrize("name", ["matmul2x2_ref__c2_t4_d4", "memcopy16__c4_t8_d8", "loop_count10__c1_t2_d1", "zero_threads__c2_t4_d4"])
def test_a_row_has_every_number_of_the_line(name):
    for row, line in rows(name, "tiny-original", 300):
        expected = flat(line)
        assert {field: value for field, value in row.items() if not field.startswith("fault.")} == expected
        assert [row[f"fault.{field}"] for field in ("kind", "core", "pc", "lanes")] == [0, 0, 0, 0]


def test_a_mask_of_64_threads_a_core_is_whole():
    name = "matadd16__c2_t4_d4"
    changes = {"core.threads_per_block": 64, "memory.data_channels": 64}
    seen = 0
    for row, line in rows(name, "tiny", 100, threads=64, **changes):
        assert {field: value for field, value in row.items() if not field.startswith("fault.")} == flat(line)
        seen |= row["data_ctrl.serving[0]"]
    assert seen == (1 << 64) - 1


def test_a_fault_is_in_the_row():
    program = tiny.assemble(".threads 4\nLDR R1, %threadIdx\nRET")
    machine = GPU("tiny", set={"memory.bytes": 2}).machine(program)
    trace = FlatTrace(machine)
    for _ in machine.steps(100):
        row = dict(zip(trace.names, trace.row().tolist(), strict=True))
    assert [row[f"fault.{field}"] for field in ("kind", "core", "pc", "lanes")] == [FAULT_NUMBER["address_out_of_range"], 0, 0, 0b1100]
