"""Occupancy of real multiprocessors, against vectors from another implementation of the same algorithm."""

import pytest

from tests.machine.programs import config
from warploom.isa.numbers import grouped
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.occupancy.calculator import capability, curve, machine_curve, machine_occupancy, occupancy
from warploom.machine.occupancy.capabilities import CAPABILITIES

KERNELS = ((256, 40, 0), (192, 33, 8192), (96, 72, 12288), (32, 16, 0), (1024, 64, 49152))  # threads, registers, shared
# blocks, warps, percent, what limits (w warps, b blocks, r registers, s shared)
VECTORS = {
    "3.5": "6 48 75 r|6 36 56.2 s|4 12 18.8 s|16 16 25 b|1 32 50 rs",
    "6.1": "6 48 75 r|8 48 75 r|8 24 37.5 s|32 32 50 b|1 32 50 r",
    "7.0": "6 48 75 r|8 48 75 r|8 24 37.5 s|32 32 50 b|1 32 50 r",
    "7.5": "4 32 100 w|5 30 93.8 w|5 15 46.9 s|16 16 50 b|1 32 100 wrs",
    "8.0": "6 48 75 r|8 48 75 r|9 27 42.2 r|32 32 50 b|1 32 50 r",
    "8.6": "6 48 100 wr|8 48 100 wr|7 21 43.8 s|16 16 33.3 b|1 32 66.7 wr",
    "8.9": "6 48 100 wr|8 48 100 wr|7 21 43.8 s|24 24 50 b|1 32 66.7 wr",
    "9.0": "6 48 75 r|8 48 75 r|9 27 42.2 r|32 32 50 b|1 32 50 r",
}
LETTERS = {"w": "warps", "b": "blocks", "r": "registers", "s": "shared"}
KI = 1024


@pytest.mark.parametrize("cc", VECTORS)
def test_golden_vectors(cc):
    for kernel, row in zip(KERNELS, VECTORS[cc].split("|"), strict=True):
        blocks, warps, percent, letters = row.split()
        found = occupancy(cc, *kernel)
        assert (found.blocks, found.warps, set(found.limiting)) == (int(blocks), int(warps), {LETTERS[letter] for letter in letters})
        assert found.occupancy * 100 == pytest.approx(float(percent), abs=0.051)
        assert found.reason == ""


def test_the_vectors_of_7_5_limit_by_all_but_blocks():
    assert occupancy("7.5", 1024, 64, 49152).limits == {"warps": 1, "blocks": 16, "registers": 1, "shared": 1}


@pytest.mark.parametrize("cc", CAPABILITIES)
def test_every_capability_holds_its_own_warps_when_nothing_else_is_asked_for(cc):
    limits = CAPABILITIES[cc]
    found = occupancy(cc, threads=32 * limits.warps // limits.blocks)
    assert (found.blocks, found.warps, found.occupancy) == (limits.blocks, limits.warps, 1.0)
    assert occupancy(cc, 1025).reason == "a block of 1 025 threads is too large, a block has at most 1 024"


@pytest.mark.parametrize(("cc", "most"), [("3.5", 48), ("6.1", 48), ("7.0", 96), ("7.5", 64), ("8.0", 163), ("8.6", 99), ("9.0", 227)])
def test_the_largest_shared_memory_of_a_block_fits_and_one_byte_more_does_not(cc, most):
    assert occupancy(cc, 32, 0, most * KI).blocks >= 1
    refused = occupancy(cc, 32, 0, most * KI + 1)
    assert (refused.blocks, refused.limiting) == (0, ("shared",))
    assert refused.reason.startswith(f"a block with {grouped(most * KI + 1)} bytes of shared memory needs ")


def test_a_kilobyte_of_each_block_belongs_to_the_system_from_8_0_on():
    assert occupancy("8.6", 32, 0, 0).limits["shared"] == 100
    assert occupancy("7.5", 32, 0, 0).limits["shared"] is None
    assert occupancy("8.6", 32, 0, 8192).needs["shared"] == 9 * KI


def test_static_and_dynamic_shared_memory_add_up():
    assert occupancy("8.6", 256, 40, 1000, dynamic_shared=7192) == occupancy("8.6", 256, 40, 8192)


def test_registers_a_thread_beyond_what_it_can_have():
    assert occupancy("3.0", 32, 64).reason == "a thread with 64 registers is too large, a thread has at most 63"
    assert occupancy("8.6", 32, 256).reason == "a thread with 256 registers is too large, a thread has at most 255"
    assert occupancy("8.6", 32, 255).blocks == 8


def test_registers_a_block_beyond_what_it_can_have():
    assert occupancy("5.3", 1024, 40).reason == (
        "a block of 1 024 threads with 40 registers per thread needs 40 960 registers, a block has at most 32 768"
    )
    assert occupancy("3.7", 1024, 64).blocks == 2


def test_a_warps_registers_lie_in_one_partition():
    # 72 registers: 2304 a warp, 7 warps in each quarter of the register file, 28 in all and not 65536 // 2304 = 28.4
    assert occupancy("8.0", 32, 72).limits["registers"] == 28
    # 168 registers: 5376 a warp, 3 warps a quarter
    assert occupancy("8.0", 32, 168).limits["registers"] == 12
    assert occupancy("6.0", 32, 168).limits["registers"] == 12
    assert occupancy("6.0", 32, 200).limits["registers"] == 10


def test_a_block_that_four_partitions_refuse_is_refused_by_the_two_of_6_0():
    # 10 warps of 6144 registers: five in each half, but not three in each quarter
    refused = occupancy("6.0", 320, 192)
    assert (refused.blocks, refused.warps, refused.occupancy, refused.limiting) == (0, 0, 0.0, ("registers",))
    assert refused.reason == (
        "a block of 320 threads with 192 registers per thread needs 73 728 registers in the units in which they are handed out"
        " (61 440 of its own), a core has 65 536"
    )
    assert occupancy("6.0", 256, 192).blocks == 1


@pytest.mark.parametrize(
    ("cc", "carveout", "shared", "blocks"),
    [
        ("7.0", None, 8192, 12),
        ("7.0", 100, 8192, 12),
        ("7.0", 50, 8192, 8),  # 48 KiB is rounded up to 64
        ("7.0", 8, 8192, 1),  # 7.68 KiB to 8
        ("7.0", 0, 8192, 12),  # 0 does not hold a block: ignored
        ("7.5", 0, 8192, 4),  # its smallest size is 32 KiB
        ("8.6", 16, 15 * KI, 1),
        ("8.6", 33, 15 * KI, 4),  # 33 KiB to 64
    ],
)
def test_the_shared_memory_that_a_kernel_prefers_is_rounded_up(cc, carveout, shared, blocks):
    found = occupancy(cc, 32, 0, shared, carveout=carveout)
    assert found.limits["shared"] == blocks
    assert found.blocks == min(blocks, found.limits["blocks"])


def test_a_preference_is_refused_where_the_size_is_fixed():
    with pytest.raises(ConfigError) as error:
        occupancy("6.1", 32, carveout=50)
    assert str(error.value) == "carveout = 50: the size of this shared memory cannot be set; leave it out"


def test_the_curve_has_every_whole_number_of_warps():
    points = curve("8.6", 40, 8192)
    assert list(points) == list(range(32, 1025, 32))
    assert all(point == occupancy("8.6", threads, 40, 8192) for threads, point in points.items())
    assert points[256].occupancy == 1.0


@pytest.mark.parametrize(
    ("cc", "name"), [("8.6", "8.6"), ("sm_86", "8.6"), ("SM_90a", "9.0"), ("compute_100", "10.0"), ("75", "7.5"), ("12.x", "12.0")]
)
def test_other_spellings_of_a_capability(cc, name):
    assert capability(cc) == name


@pytest.mark.parametrize(
    ("cc", "near"),
    [
        *(
            (cc, f", did you mean {near!r}?")
            for cc, near in (("8.5", "8.6"), ("8.3", "8.6"), ("7.8", "8.0"), ("10.6", "10.3"), ("10.7", "11.0"))
        ),
        ("8.x", ", did you mean '8.0'?"),
        ("2.0", ", did you mean '3.0'?"),
        ("ada", ""),
        ("", ""),
    ],
)
def test_an_unknown_capability_is_answered_with_the_nearest_and_all(cc, near):
    with pytest.raises(ConfigError) as error:
        occupancy(cc, 256)
    assert str(error.value) == f"there is no compute capability {cc!r} in the table{near}; there are {', '.join(CAPABILITIES)}"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"threads": 0}, "threads = 0: a block has at least 1 thread"),
        ({"threads": 32, "registers": -1}, "registers = -1: a thread has 0 registers (not counted) or more"),
        ({"threads": 32, "shared": -1, "dynamic_shared": 8}, "shared = -1: a block has 0 bytes of shared memory or more"),
        ({"threads": 32, "dynamic_shared": -1}, "dynamic_shared = -1: a block has 0 bytes of shared memory or more"),
    ],
)
def test_impossible_numbers_are_refused(fields, message):
    with pytest.raises(ConfigError) as error:
        occupancy("8.6", **fields)
    assert str(error.value) == message


@pytest.mark.parametrize(("largest", "blocks"), [(0, (8, 16, 24, 32)), (24, (8, 16, 24))])
def test_a_machines_curve_goes_by_warps_up_to_its_largest_block(largest, blocks):
    machine = config(core__lanes=8, core__warps=4, core__block_threads=largest)
    found = machine_curve(machine)
    assert tuple(found) == blocks
    assert found == {threads: machine_occupancy(machine, threads) for threads in blocks}


def test_a_machine_of_one_lane_has_a_curve_of_each_number_of_threads():
    assert [*machine_curve(config(core__lanes=1, core__warps=4, core__block_threads=3))] == [1, 2, 3]
