"""Residency on any core: against handing out the resources one by one, and on the simulated machine."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warploom.machine.config.presets import load_config
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.occupancy.calculator import machine_curve, machine_occupancy, occupancy
from warploom.machine.occupancy.capabilities import CAPABILITIES
from warploom.machine.occupancy.residency import Demand, Limits, limits_of, residency


def handed_out(limits, demand):
    """Blocks that a core holds, by starting one after the other until something is used up."""
    warps = -(-demand.threads // limits.lanes)
    registers = up(demand.registers * limits.lanes, limits.register_unit)
    shared = up(demand.shared + limits.shared_reserved, limits.shared_unit)
    if limits.block_threads and demand.threads > limits.block_threads:
        return 0
    if demand.registers and limits.registers and registers * up(warps, limits.partitions) > limits.registers:
        return 0
    parts = [limits.registers // limits.partitions] * limits.partitions
    scalar_parts = [limits.scalars // limits.partitions] * limits.partitions
    free_warps, free_shared, free_threads = limits.warps, limits.shared, limits.threads or limits.lanes * limits.warps
    most = limits.barrier_blocks if limits.barrier_blocks and warps > 1 else limits.blocks
    for started in range(most):
        free_warps, free_shared, free_threads = free_warps - warps, free_shared - shared, free_threads - demand.threads
        if free_warps < 0 or free_shared < 0 or free_threads < 0:
            return started
        for _ in range(warps if demand.registers and limits.registers else 0):
            part = parts.index(max(parts))
            parts[part] -= registers
            if parts[part] < 0:
                return started
        for _ in range(warps if limits.scalars else 0):
            part = scalar_parts.index(max(scalar_parts))
            scalar_parts[part] -= up(demand.scalars, limits.scalar_unit)
            if scalar_parts[part] < 0:
                return started
    return most


def up(value, unit):
    return -(-value // unit) * unit


cores = st.builds(
    Limits,
    lanes=st.sampled_from([1, 4, 32]),
    warps=st.integers(1, 64),
    blocks=st.integers(1, 32),
    barrier_blocks=st.sampled_from([0, 1, 5]),
    threads=st.sampled_from([0, 40, 100]),
    block_threads=st.sampled_from([0, 64]),
    registers=st.sampled_from([0, 256, 4096, 65536]),
    register_unit=st.sampled_from([1, 64, 256]),
    partitions=st.sampled_from([1, 2, 4]),
    scalars=st.sampled_from([0, 100, 3200]),
    scalar_unit=st.sampled_from([1, 16]),
    shared=st.integers(0, 4096),
    shared_unit=st.sampled_from([1, 128]),
    shared_reserved=st.sampled_from([0, 100]),
)
demands = st.builds(Demand, st.integers(1, 200), st.integers(0, 70), st.integers(0, 1500), st.integers(0, 120))


@given(cores, demands)
def test_as_many_blocks_fit_as_can_be_started_one_after_the_other(limits, demand):
    if limits.shared < limits.shared_reserved:
        limits = Limits(**{**vars(limits), "shared_reserved": 0})
    if limits.shared_reserved:  # what the system adds lies outside of what a block may ask for
        limits = Limits(**{**vars(limits), "shared_per_block": max(limits.shared - limits.shared_reserved, 1)})
    found = residency(limits, demand)
    assert found.blocks == handed_out(limits, demand)
    assert found.warps == found.blocks * -(-demand.threads // limits.lanes)
    assert found.occupancy == found.warps / limits.warps <= 1
    assert bool(found.reason) == (found.blocks == 0)
    assert found.limiting and all(found.limits[name] == found.blocks for name in found.limiting)


@given(cores, demands)
def test_a_block_that_asks_for_more_never_fits_more_often(limits, demand):
    found = residency(limits, demand).blocks
    for more in (demand._replace(threads=demand.threads + 1), demand._replace(shared=demand.shared + 1)):
        assert residency(limits, more).blocks <= found
    if demand.registers:
        assert residency(limits, demand._replace(registers=demand.registers + 1)).blocks <= found


CORE = Limits(lanes=32, warps=16, blocks=8, registers=16384, register_unit=256, shared=16384, shared_unit=256)


@pytest.mark.parametrize(
    ("limits", "demand", "reason"),
    [
        (CORE, Demand(1024), "a block of 1 024 threads needs 32 warps, a core has 16"),
        (
            Limits(32, 32, 1, registers=65536, register_unit=256),
            Demand(1024, 80),
            "a block of 1 024 threads with 80 registers per thread needs 81 920 registers, a core has 65 536",
        ),
        (
            CORE,
            Demand(500, 33),
            "a block of 500 threads with 33 registers per thread needs 20 480 registers in the units in which they are handed out"
            " (16 500 of its own), a core has 16 384",
        ),
        (CORE, Demand(32, 0, 16640), "a block with 16 640 bytes of shared memory needs 16 640, a core has 16 384"),
        (
            Limits(32, 16, 8, shared_unit=128),
            Demand(32, 0, 100),
            "a block with 100 bytes of shared memory needs 128 in the units in which they are handed out (100 of its own), a core has none",
        ),
        (Limits(32, 16, 8, threads=48), Demand(50), "a block of 50 threads is too large, a core has room for 48"),
        (Limits(4, 1, 1, block_threads=4), Demand(5), "a block of 5 threads is too large, a block has at most 4"),
        (Limits(32, 16, 8, registers=99999, registers_per_thread=63), Demand(1, 64),
         "a thread with 64 registers is too large, a thread has at most 63"),
        (Limits(32, 16, 8, registers=4096, registers_per_block=2048), Demand(32, 65),
         "a block of 32 threads with 65 registers per thread needs 2 080 registers, a block has at most 2 048"),
    ],
)  # fmt: skip
def test_a_block_that_does_not_fit_names_what_it_needs_and_what_there_is(limits, demand, reason):
    found = residency(limits, demand)
    assert (found.blocks, found.warps, found.occupancy, found.reason) == (0, 0, 0.0, reason)


def test_no_limit_of_registers_allows_any_number():
    found = residency(Limits(32, 16, 8, registers=0), Demand(32, 255))
    assert (found.blocks, found.limits["registers"], found.limiting) == (8, None, ("blocks",))


def test_what_a_block_needs_is_stated_as_it_is_handed_out():
    found = residency(CORE, Demand(100, 33, 1000))
    assert found.needs == {"warps": 4, "blocks": 1, "registers": 4 * 1280, "shared": 1024}
    assert found.room == {"warps": 16, "blocks": 8, "registers": 16384, "shared": 16384}
    assert found.limits == {"warps": 4, "blocks": 8, "registers": 3, "shared": 16}


@pytest.mark.parametrize(
    ("demand", "carveout", "message"),
    [
        (Demand(0), None, "threads = 0: a block has at least 1 thread"),
        (Demand(1.5), None, "threads = 1.5: write a whole number"),
        (Demand(1, 0, "8"), None, "shared = '8': write a whole number"),
        (Demand(1, -1), None, "registers = -1: a thread has 0 registers (not counted) or more"),
        (Demand(1, 0, -8), None, "shared = -8: a block has 0 bytes of shared memory or more"),
        (Demand(1), 101, "carveout = 101: it is a percentage of the shared memory, from 0 to 100"),
        (Demand(1), 50, "carveout = 50: the size of this shared memory cannot be set; leave it out"),
    ],
)
def test_impossible_demands_are_refused(demand, carveout, message):
    with pytest.raises(ConfigError) as error:
        residency(CORE, demand, carveout)
    assert str(error.value) == message


# ---------------------------------------------------------------------------------------------------------
# The simulated machine


def core(**settings):
    return load_config("tiny", {"core.control": "pipeline"} | {name.replace("__", "."): value for name, value in settings.items()})


def test_a_simulated_core_has_the_limits_of_its_configuration():
    limits = limits_of(core(core__lanes=8, core__warps=6, core__blocks=4, core__registers=512, core__register_unit=64, shared__bytes=2048))
    assert limits == Limits(lanes=8, warps=6, blocks=4, registers=512, register_unit=64, shared=2048, shared_unit=256)
    assert residency(limits, Demand(16, 4)).limits == {"warps": 3, "blocks": 4, "registers": 4, "shared": None}


def test_a_core_may_have_fewer_threads_than_its_warps_have_lanes():
    limits = limits_of(core(core__lanes=32, core__warps=4, core__threads=100))
    found = residency(limits, Demand(50))
    assert (found.blocks, found.limiting) == (2, ("warps", "threads"))
    assert residency(limits, Demand(40)).limiting == ("warps", "threads")
    assert residency(limits, Demand(101)).reason == "a block of 101 threads is too large, a core has room for 100"


def test_threads_of_zero_means_all_lanes():
    assert "threads" not in residency(limits_of(core(core__lanes=32, core__warps=4)), Demand(128)).limits
    assert "threads" not in residency(limits_of(core(core__lanes=32, core__warps=4, core__threads=128)), Demand(128)).limits


def test_registers_of_zero_means_no_limit_and_shared_bytes_of_zero_means_none():
    limits = limits_of(core(core__registers=0, shared__bytes=0))
    assert residency(limits, Demand(32, 500)).limits["registers"] is None
    assert residency(limits, Demand(32, 0, 4)).blocks == 0


def test_the_sequencer_holds_one_block_of_as_many_threads_as_it_has_lanes():
    limits = limits_of(load_config("tiny", {"core.threads_per_block": 8}))
    assert [residency(limits, Demand(threads)).blocks for threads in (1, 8, 9)] == [1, 1, 0]
    assert residency(limits, Demand(9)).reason == "a block of 9 threads is too large, a block has at most 8"
    assert (limits.lanes, limits.warps, limits.blocks, limits.block_threads) == (8, 1, 1, 8)
    assert residency(limits, Demand(8)).occupancy == 1.0


def test_the_preset_sm_has_the_limits_of_compute_capability_7_0():
    """The table of capabilities is the source of the preset's numbers. (Which sizes shared memory can be set to is no limit of a core.)"""
    limits = limits_of(load_config("sm", {"core.threads": 0}))
    table = replace(CAPABILITIES["7.0"], shared_sizes=(), registers_per_block=0, shared_per_block=0)
    assert limits == table
    assert load_config("sm").core.threads == limits.warps * limits.lanes
    for threads, registers, shared in itertools.product((1, 32, 96, 192, 256, 1024, 1056), (0, 16, 63, 200, 255, 256), (0, 1000, 98304)):
        assert residency(limits, Demand(threads, registers, shared)).blocks == occupancy("7.0", threads, registers, shared).blocks


def test_a_register_file_in_parts_holds_fewer_blocks():
    """Each of four files of 16,384 registers holds two warps of 200 x 32; one file of 65,536 would hold ten."""
    assert residency(limits_of(load_config("sm")), Demand(32, 200)).blocks == 8
    assert residency(limits_of(load_config("sm", {"core.register_files": 1})), Demand(32, 200)).blocks == 10


def test_a_simulated_core_has_a_largest_block_and_keeps_some_shared_memory_for_itself():
    limits = limits_of(core(core__block_threads=8, shared__bytes=4096, shared__block_bytes=3072, shared__reserved=1024))
    assert (residency(limits, Demand(9)).exceeded, residency(limits, Demand(8)).blocks > 0) == ("block_threads", True)
    assert residency(limits, Demand(4, 0, 1024)).limits["shared"] == 2
    assert residency(limits, Demand(4, 0, 3073)).exceeded == "shared"


# Vector registers of a work-item and the waves of a SIMD (CLRX, "GCN Performance and Timings"), and likewise scalar registers of a wave.
VECTORS = {24: 10, 25: 9, 28: 9, 32: 8, 36: 7, 40: 6, 48: 5, 64: 4, 84: 3, 128: 2, 129: 1, 256: 1}
SCALARS = {80: 10, 81: 8, 96: 8, 97: 7, 102: 7}


@pytest.mark.parametrize(("registers", "waves"), VECTORS.items())
def test_waves_of_gcn_by_vector_registers(registers, waves):
    assert machine_occupancy("gcn", registers=registers).warps == 4 * waves


@pytest.mark.parametrize(("scalars", "waves"), SCALARS.items())
def test_waves_of_gcn_by_scalar_registers(scalars, waves):
    assert machine_occupancy("gcn", scalars=scalars).warps == 4 * waves


def test_work_groups_of_several_waves_need_a_barrier_each():
    assert machine_occupancy("gcn", 64).blocks == 40
    assert machine_occupancy("gcn", 128).blocks == 16
    assert machine_curve("gcn", registers=64)[128] == machine_occupancy("gcn", 128, registers=64)


@pytest.mark.parametrize("partitions", [1, 2, 4])
@pytest.mark.parametrize(
    ("kind", "of_a_warp", "unit"), [("registers", 9 * 4, 16), ("registers", 8 * 4, 16), ("scalars", 20, 8), ("scalars", 24, 8)]
)
def test_a_file_in_parts_holds_in_each_as_many_warps_as_fit_and_whole_blocks_of_those(kind, of_a_warp, unit, partitions):
    """Of each number of warps a block has. Nothing else limits here."""
    room, each = 1200, up(of_a_warp, unit)
    sizes = {"registers": {"registers": room, "register_unit": unit}, "scalars": {"scalars": room, "scalar_unit": unit}}[kind]
    limits = Limits(4, 1000, 1000, partitions=partitions, **sizes)
    for warps in range(1, 50):
        demand = Demand(4 * warps, of_a_warp // 4 if kind == "registers" else 0, 0, of_a_warp if kind == "scalars" else 0)
        fitting = sum(room // partitions // each for _ in range(partitions))
        found = residency(limits, demand)
        fits = each * (up(warps, partitions) if kind == "registers" else warps) <= room and fitting >= warps
        assert (found.limits[kind], found.needs[kind], found.room[kind]) == (fitting // warps if fits else 0, each * warps, room)
        assert (found.exceeded == kind) == (not fits)
