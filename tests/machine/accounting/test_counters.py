from tests.machine.tiny_kernels import run
from warploom.machine.accounting.counters import COUNTER, COUNTERS

STORE = "CONST R1, #7\nSTR %threadIdx, R1\nRET"


def test_every_counter_has_one_name_a_unit_and_a_meaning():
    assert len(COUNTER) == len(COUNTERS)
    assert all(counter.unit and counter.meaning for counter in COUNTERS)
    assert run(STORE).counters.keys() <= COUNTER.keys()
