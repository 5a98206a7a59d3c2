"""Which bytes each lane of an issued instruction has touched."""

from types import SimpleNamespace

import pytest

import warploom
from tests.machine.programs import BLOCK, FREE, Assembly, config
from warploom.isa.regions import RegionError
from warploom.isa.uop import WIDE
from warploom.machine.run.driver import drive
from warploom.machine.run.touched import Touch, place_of, touched

ADDRESS, VALUE = FREE, FREE + 1


@pytest.mark.parametrize("size", [1, 4, WIDE])
def test_a_lane_touches_the_bytes_of_its_item_and_nothing_of_other_instructions(size):
    code = Assembly()
    code.op("mul", ADDRESS, BLOCK, imm=16)
    store = len(code.instructions)
    code.store(ADDRESS, VALUE, size=size)
    code("exit")
    machine = warploom.GPU(config(gpu__cores=2, core__lanes=1, core__threads_per_block=1), engine="python").machine(
        code.program(threads=2, block=1)
    )
    drive(machine, engine="python")
    assert [list(touched(machine, core, 0, store)) for core in (0, 1)] == [[Touch(0, 0, size)], [Touch(0, 16, size)]]
    assert not any(list(touched(machine, 0, 0, pc)) for pc in (store - 1, store + 1))


def test_a_lane_whose_address_is_no_place_has_written_none_of_memory():
    """Not even its first word, as the second of an item of 64 bits."""

    def place(address):
        raise RegionError(f"0x{address:x}")

    first = place_of(SimpleNamespace(place=place), 4) >> 2
    assert first < 0 and first + 1 < 0
