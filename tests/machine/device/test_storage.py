"""Where the host keeps regions, local memory and constants."""

import numpy as np
import pytest

from tests.machine.programs import FREE, Assembly, config, machine
from warploom.isa import uop as u
from warploom.isa.regions import PAGE_BYTES, REGION_BASE, REGION_END, REGION_OFFSET, Region
from warploom.machine.accounting.status import LaunchError
from warploom.machine.device.held import Held
from warploom.machine.device.storage import Storage


def program(*spaces, **fields):
    code = Assembly()
    for space in spaces:
        code("load", dst=FREE, a=FREE, space=space)
    code("exit")
    return code.program(**fields)


def storage(*spaces, **fields):
    made = program(*spaces, **fields)
    return Storage(config(), made, made.address_space(4096))


def test_a_plain_program_has_its_memory_and_nothing_else():
    found = storage(u.GLOBAL_SPACE, constants=np.ones(64, np.uint8), local_bytes=64)
    assert (found.translates, found.local_total, found.filled().nbytes) == (False, 0, 4096)


def test_spaces_follow_one_another_and_do_not_overlap():
    regions = (Region("a", 0x80000000, 12, data=np.full(12, 7, np.uint8)), Region("b", 0xFFFFF000, 0x1000))
    constants = np.full(20, 9, np.uint8)
    found = storage(u.GLOBAL_SPACE, u.LOCAL_SPACE, u.CONSTANT_SPACE, regions=regions, constants=constants, local_bytes=6)
    memory = found.filled().view(np.uint8)
    assert found.local_bytes == 8  # whole words
    assert found.local_total == 8 * 1 * 4 * 4  # cores, warp slots, lanes
    assert memory[found.space.place(0x80000000, 12)] == 7
    assert found.space.bytes <= found.local_place and found.local_place + found.local_total <= found.constant_place
    assert (memory[found.constant_place : found.constant_place + 20] == 9).all()
    assert found.local_base == 0 and found.local_base + found.local_total <= 0x80000000  # the first gap: none is left above


@pytest.mark.parametrize("spaces", [(), (u.LOCAL_SPACE,), (u.CONSTANT_SPACE,), (u.LOCAL_SPACE, u.CONSTANT_SPACE)])
def test_memory_that_is_held_stays_and_gets_room_for_what_a_program_has_beside_it(spaces):
    constants = np.arange(1, 20, dtype=np.uint8)
    found, held = storage(u.GLOBAL_SPACE, *spaces, constants=constants, local_bytes=8), Held(4096)
    held.used, held.bytes[:] = 4096, 5
    memory = found.added_to(held).view(np.uint8)
    assert (memory[:4096] == 5).all()
    assert (memory.base is held.words.base) and len(memory) >= 4096 + (128 if u.LOCAL_SPACE in spaces else 0)
    if u.CONSTANT_SPACE in spaces:
        assert (memory[found.constant_place : found.constant_place + 19] == constants).all()
    assert (len(memory) == 4096) == (not spaces)


def test_local_memory_that_finds_no_gap_is_refused():
    regions = (Region("all", 0, (1 << 32) - (1 << 16)),)
    with pytest.raises(LaunchError, match="64 bytes of local memory a thread: there is no gap of 1048576 bytes between the regions"):
        made = program(u.LOCAL_SPACE, regions=regions, local_bytes=64)
        Storage(config(gpu__cores=16, core__warps=64, core__lanes=16), made, made.address_space())


def test_a_core_is_told_of_them():
    core = machine(program(u.LOCAL_SPACE, local_bytes=16)).cores[0]
    assert int(core["spaces"]["used"]) == 1 and int(core["spaces"]["local_bytes"]) == 16
    assert int(core["spaces"]["local_base"]) == 1 << 16  # after memory, at a round address


def test_pages_follow_the_regions_and_come_into_the_map_when_they_are_touched():
    made = program(u.GLOBAL_SPACE, u.LOCAL_SPACE, regions=(Region("a", 0x80000000, 12),), local_bytes=8)
    found = Storage(config(), made, made.address_space(), pages=3)
    first = found.pages_place
    assert (first % 256, found.bytes) == (0, first + 3 * PAGE_BYTES) and found.local_place >= found.bytes
    assert found.filled().nbytes >= found.local_place
    assert len(found.touched()) == 0 and found.mapped() is found.space
    found.tables[-3, [REGION_BASE, REGION_END, REGION_OFFSET]] = 0x8000000C, 0x80001000, first - 0x80000000
    assert len(found.touched()) == 1
    space = found.mapped()
    assert (space.place(0x80000008), space.place(0x80000010), space.bytes) == (8, first + 16, first + 4096)
