"""The addresses of lanes: those that the source says, and what can be said of them."""

import numpy as np
import pytest

import warploom
from tests.machine.programs import GLOBAL, Assembly, run
from tests.places import EXAMPLES
from warploom.isa.views import VIEW_BASE
from warploom.observe.facts.lane_addresses import MOST_ACCESSES, Access, lane_addresses, lanes_at_one_address, stride


def access(*addresses, lanes=None):
    return Access(np.arange(len(addresses)) if lanes is None else np.array(lanes), np.array(addresses))


def test_they_are_the_ones_of_the_run():
    program = warploom.load(EXAMPLES / "guppy" / "load_strided.guppy")
    result = warploom.GPU("guppy", engine="python").run(program)
    found = lane_addresses(result, [1])
    base = int(program.views[program.view_names.index("t0"), VIEW_BASE])
    assert [list(one.addresses) for one in found[1]] == [[base + 64 * (32 * warp + lane) for lane in range(32)] for warp in range(8)]


def test_a_load_into_its_own_address_register_is_seen_as_it_was():
    assembly = Assembly()
    assembly.op("shl", 5, GLOBAL, imm=3)
    assembly.load(5, 5, 16)
    assembly("exit")
    found = lane_addresses(run(assembly.program()), [1])
    assert found[1][0].addresses.tolist() == [16, 24, 32, 40]


def test_lanes_that_do_not_take_part_are_left_out():
    program = warploom.load(EXAMPLES / "guppy" / "load_strided.guppy").with_launch(threads=20)
    found = lane_addresses(warploom.GPU("guppy", engine="python").run(program), [1])
    assert [one.lanes.tolist() for one in found[1]] == [list(range(20))]


def test_no_more_are_looked_at_than_needed():
    assembly = Assembly()
    for _ in range(3):
        assembly.load(5, 6)
    assembly("exit")
    found = lane_addresses(run(assembly.program(threads=64)), [0, 2])
    assert {number: len(accesses) for number, accesses in found.items()} == {0: MOST_ACCESSES, 2: MOST_ACCESSES}


@pytest.mark.parametrize(
    ("accesses", "expected"),
    [
        ([access(0, 64, 128)], 64),
        ([access(0, 64, 128), access(1000, 1064)], 64),
        ([access(0, 4), access(0, 8)], None),
        ([access(0, 4, 12)], None),
        ([access(12, 8, 4)], -4),
        ([access(0, 32, lanes=(0, 4))], 8),
        ([access(0, 33, lanes=(0, 4))], None),
        ([access(7, 7)], 0),
        ([access(7)], None),
        ([], None),
    ],
)
def test_a_stride_is_said_only_where_all_agree(accesses, expected):
    assert stride(accesses) == expected


def test_lanes_at_one_address_are_counted_within_an_access():
    assert lanes_at_one_address([access(4, 8, 4, 4), access(8, 8)]) == 3
    assert lanes_at_one_address([access(0, 4), access(0, 4)]) == 1
    assert lanes_at_one_address([]) == 0
