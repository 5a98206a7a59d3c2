"""What a device and its cores hold before the first cycle."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, Assembly, config, machine, run, words
from warploom.isa import uop as u
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.divergence.path_table import SIDES
from warploom.machine.core.load_store.lsu import SLOTS
from warploom.machine.core.warps.barrier import MAX_BARRIERS
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.engine.layout import bytes_of


def one(**fields):
    """A program of one instruction and an end."""
    code = Assembly()
    code("nop")
    code("exit")
    return code.program(**fields)


def refused(program, **changes):
    with pytest.raises(LaunchError) as error:
        machine(program, **changes)
    return str(error.value)


def test_a_multiprocessor_holds_the_blocks_that_its_register_files_have_room_for():
    made = PipelineMachine(load_config("sm"), one(threads=320, block=32, registers=200))
    assert int(made.cores["blocks"]["slots"][0]) == 8


def test_the_schedulers_of_a_core_share_its_warps_without_overlap():
    core = machine(one(), core__warps=7, core__schedulers=3).cores[0]
    owned = [int(scheduler["owned"]) for scheduler in core["schedulers"][:3]]
    assert owned == [0b1001001, 0b0010010, 0b0100100]
    assert core["warps"]["scheduler"][:7].tolist() == [0, 1, 2, 0, 1, 2, 0]


def test_the_grid_is_that_of_the_launch():
    grid = machine(one(threads=21, block=8), core__lanes=4).gpu["grid"]
    assert [int(grid[name]) for name in ("threads", "block_threads", "blocks", "warps")] == [21, 8, 3, 2]


def test_what_a_warp_instruction_takes_follows_from_the_width_of_the_units():
    made = machine(one(), core__lanes=8, alu__width=2, alu__special_width=0)
    assert made.cores["alus"]["passes"].tolist() == [4]
    assert made.cores["specials"]["passes"].tolist() == [1]


def test_shifts_are_those_of_the_configured_bytes():
    core = machine(one(), lsu__sector=16).cores["lsu"]
    assert (core["sector_shift"].tolist(), core["line_shift"].tolist()) == ([4], [6])


def test_all_cores_are_alike_but_for_their_number():
    cores = machine(one(), gpu__cores=3).cores
    assert cores["number"].tolist() == [0, 1, 2]
    cores["number"] = 0
    held = bytes_of(cores).reshape(3, -1)
    assert np.array_equal(held[0], held[2])


def test_what_is_left_of_a_part_that_is_taken_away_is_not_set_up():
    """Schedulers that share their ALUs have no way between pipes, and a core without an L1 no groups that look lines up."""
    crossing = load_config(config(pipes__owner="scheduler", latency__to_float=2), {"pipes.owner": "core"})
    made = PipelineMachine(crossing, one())
    assert made.cores["scoreboard"]["crosses"].tolist() == made.cores["partitions"]["own"].tolist() == [0]
    made = PipelineMachine(load_config(config(lsu__group=8), {"l1.bytes": 0}), one())
    assert made.cores["lsu"]["in_banks"].tolist() == [0]


@pytest.mark.parametrize("waits", [False, True])
def test_whether_a_fetch_waits_reaches_the_fetch_unit(waits):
    made = machine(one(), fetch__buffer=1, fetch__waits=waits)
    assert made.cores["fetch"]["waits"].tolist() == [int(waits)] * len(made.cores)


def test_every_core_knows_how_many_threads_a_block_has():
    code = Assembly()
    code("special", dst=FREE, imm=u.SPECIAL_NUMBER["block_threads"])
    code.op("shl", FREE + 1, GLOBAL, imm=2)
    code.store(FREE + 1, FREE)
    code("exit")
    found = run(code.program(threads=12, block=6))
    assert words(found)[:12].tolist() == [6] * 12


# Fields of the hardware by the settings that they follow from. A dot leads into a record, a number to a row of an array.
FIELDS = [
    ({"gpu__cores": 3}, "gpu", {"cores": 3}),
    ({"gpu__launch_latency": 7, "gpu__dispatch_latency": 9}, "gpu", {"grid.launch_latency": 7, "grid.latency": 9}),
    ({"l1__line": 32, "l2__line": 128, "lsu__sector": 8, "l2__bytes": 2048}, "gpu",
     {"line_shift": 5, "sector_shift": 3, "l2.line_shift": 7, "l2.ratio_shift": 2, "l2.sector_shift": 3, "l2.sectors_a_line": 4}),
    # A sector is a 64th of a line at least, for a mask has 64 bits, and a line at most.
    ({"l1__line": 128, "l2__bytes": 0, "l1__bytes": 0, "l2__line": 128, "lsu__sector": 2}, "gpu", {"sector_shift": 1}),
    ({"l1__line": 64, "lsu__sector": 64}, "gpu", {"sector_shift": 6, "line_shift": 6}),
    *(({"gpu__dispatch": name}, "gpu", {"grid.order": order}) for name, order in (("spread", 0), ("fill", 1), ("split", 2))),
    # Channels share out the longest lines, and rows are counted in them.
    ({"l1__line": 32, "l2__line": 128, "l2__bytes": 2048, "dram__row": 1024}, "gpu", {"dram.interleave_shift": 7, "dram.row_shift": 3}),
    ({"l1__line": 64, "l2__line": 64, "l2__bytes": 2048, "dram__row": 1024}, "gpu", {"dram.interleave_shift": 6, "dram.row_shift": 4}),
    ({"l1__line": 32, "l2__line": 128, "l2__bytes": 0, "dram__row": 1024}, "gpu", {"dram.interleave_shift": 5, "dram.row_shift": 5}),
    ({"fetch__buffer": 1, "fetch__shared": 5, "fetch__ahead": 2}, "gpu", {"shared_fetch.lines": 5, "shared_fetch.ahead": 2}),
    ({"l2__latency": 31}, "gpu", {"has_dram": 1, "l2.present": 1, "l2.latency": 31, "grid.barrier_latency": 62, "l2.ahead": 0}),
    ({"l2__slices": 4}, "gpu", {"l2.cache.slices.places": 4}),
    ({"l2__bytes": 0, "l2__slices": 4}, "gpu", {"l2.cache.slices.places": 1}),  # requests pass the one place where it would be
    ({"l2__bytes": 0, "dram__latency": 31}, "gpu", {"l2.present": 0, "grid.barrier_latency": 62}),
    ({"memory__kind": "channels", "memory__data_channels": 3, "memory__program_channels": 2, "memory__channel_bytes": 4}, "gpu",
     {"has_dram": 0, "data_channels.count": 3, "data_channels.width": 4, "data_channels.hold": 7, "data_channels.answer": 8,
      "program_channels.count": 2, "program_channels.width": 1, "program_channels.hold": 5, "program_channels.answer": 6}),
    ({"memory__lookup": "end", "l2__latency": 31, "l1__latency": 6, "texture__latency": 5, "texture__bytes": 256}, "gpu",
     {"l2.latency": 1, "l2.ahead": 30}),
    ({"l2__ports": 1, "l2__mshrs": 5, "l2__write_buffer": 6}, "gpu", {"l2.ports": 1, "l2.limit": 5, "l2.write_limit": 6}),
    ({"l2__write": "back"}, "gpu", {"l2.write_back": 1, "l2.write_allocate": 0, "partial_stores.tracked": 1}),
    ({"l2__allocate": True}, "gpu", {"l2.write_back": 0, "l2.write_allocate": 1, "partial_stores.tracked": 1}),
    ({"l1__allocate": True}, "gpu", {"l2.write_allocate": 0, "partial_stores.tracked": 1}),
    ({"l1__write": "back", "l1__bytes": 0}, "gpu", {"partial_stores.tracked": 0}),  # of a cache that is not there
    ({}, "gpu", {"partial_stores.tracked": 0}),
    ({"crossbar__core": 8, "crossbar__slice": 16}, "gpu", {"crossbar.core_bytes": 8, "crossbar.slice_bytes": 16}),
    ({"l2__bytes": 2048, "l2__slices": 2, "l2__sets": 4, "l2__ways": 4}, "gpu", {"l2.cache.sets": 8, "l2.cache.ways": 4}),
    ({"core__warps": 6, "core__lanes": 8}, "core", {"warps.slots": 6, "warps.lanes": 8}),
    ({"core__stack_depth": 9, "divergence__barriers": 5, "divergence__patience": 11, "divergence__first": "taken"}, "core",
     {"path_table.limit": 9, "mask_stack.limit": 9, "convergence_barriers.limit": 5, "convergence_barriers.patience": 11,
      "path_table.first_side": SIDES["taken"]}),
    ({"core__divergence": "minpc"}, "core", {"divergence": MECHANISMS["minpc"].number, "any_order": 1}),
    ({"core__divergence": "stack"}, "core", {"divergence": MECHANISMS["stack"].number, "any_order": 0}),
    ({"core__lock": "lane"}, "core", {"scoreboard.by_lane": 1}),
    ({"core__lock": "register"}, "core", {"scoreboard.by_lane": 0}),
    ({"pipes__owner": "scheduler", "latency__to_float": 2, "latency__to_integer": 0}, "core",
     {"scoreboard.crosses": 2, "scoreboard.crossing": {(u.ALU, u.FLOAT): 2, (u.ALU, u.HEAVY): 2, (u.FLOAT, u.ALU): 0},
      "partitions.own": 1}),
    ({"pipes__owner": "scheduler", "latency__to_float": 0, "latency__to_integer": 3}, "core",
     {"scoreboard.crosses": 3, "scoreboard.crossing": {(u.ALU, u.FLOAT): 0, (u.FLOAT, u.ALU): 3, (u.HEAVY, u.ALU): 3}}),
    ({"pipes__owner": "scheduler"}, "core", {"scoreboard.crosses": 0}),
    ({"pipes__owner": "scheduler", "latency__to_float": 1}, "core", {"scoreboard.crosses": 1}),
    ({"pipes__owner": "scheduler", "latency__to_integer": 1}, "core", {"scoreboard.crosses": 1}),
    ({"core__schedulers": 2, "core__issues_per_turn": 3}, "core", {"issues_per_turn": 3}),
    ({"core__issues_per_turn": 0}, "core", {"issues_per_turn": 0}),
    ({"latency__alu": 4, "latency__mask": 0}, "core",
     {"latency": {u.LATENCIES.index("control"): 1, u.LATENCIES.index("memory"): 1, u.LATENCIES.index("mask"): 4}}),
    ({"pipes__owner": "scheduler", "pipes__divide_interval": 9, "pipes__double_lanes": 2}, "core",
     {"partitions.hold": {u.LATENCIES.index("divide"): 9, u.LATENCIES.index("double"): 2, u.LATENCIES.index("alu"): 1}}),
    ({"core__schedulers": 2, "core__fetch_group": 3}, "core",
     {"scheduler_count": 2, "schedulers": {(1, "owned"): 0b1010, (1, "number"): 1, (1, "step"): 2, (1, "warps"): 4, (1, "last"): -1,
                                           (1, "group_size"): 3, (0, "owned"): 0b0101}}),
    ({"alu__count": 3, "alu__width": 3, "alu__depth": 2, "alu__special_count": 2, "alu__special_width": 1}, "core",
     {"alus.count": 3, "alus.passes": 2, "alus.depth": 2, "specials.count": 2, "specials.passes": 4}),
    ({"operands__banks": 2, "operands__reads": 3, "operands__window": 4, "operands__collectors": 5}, "core",
     {"operands.banks": 2, "operands.reads": 3, "operands.window": 4, "operands.collectors": 5}),
    ({"pipes__owner": "scheduler", "pipes__load_store_lanes": 1, "pipes__load_store_queue": 3, "pipes__texture_lanes": 2}, "core",
     {"partitions.interval": {u.MEMORY: 4, u.SHARED: 4, u.TEXTURE: 2}, "partitions.room": {u.MEMORY: 8, u.TEXTURE: 0}}),
    ({"pipes__owner": "scheduler", "pipes__float_on_integer": True}, "core", {"partitions.other_half": 1 << u.ALU}),
    ({"pipes__owner": "scheduler", "pipes__second_float": True}, "core", {"partitions.other_half": 1 << u.LIGHT}),
    ({"pipes__owner": "scheduler"}, "core", {"partitions.other_half": 0}),
    ({"core__barriers": 3, "core__barrier_interval": 4, "core__barrier_latency": 5}, "core",
     {"barriers.count": 3, "barriers.interval": 4, "barriers.latency": 5, "barriers.reduces": 0}),
    ({"core__barriers": 0, "core__warps": 6}, "core", {"barriers.count": 3}),
    ({"core__barriers": 0, "core__warps": 1}, "core", {"barriers.count": 1}),
    ({"core__barriers": 0, "core__warps": 64}, "core", {"barriers.count": MAX_BARRIERS}),
    ({"core__branch_latency": 6}, "core", {"branch_latency": 6}),
    ({"latency__alu": 2, "latency__divide": 19}, "core", {"latency": {u.LATENCIES.index("alu"): 2, u.LATENCIES.index("divide"): 19}}),
    ({"fetch__waits": True, "fetch__buffer": 2, "fetch__per_cycle": 3, "fetch__line": 8, "fetch__sets": 16, "fetch__ways": 5,
      "fetch__latency": 6, "fetch__miss_latency": 33}, "core",
     {"fetch.waits": 1, "fetch.buffer": 2, "fetch.per_cycle": 3, "fetch.line": 8, "fetch.line_shift": 3, "fetch.sets": 16, "fetch.ways": 5,
      "fetch.latency": 6, "fetch.miss_latency": 33, "fetch.channels": 0}),
    ({"fetch__line": 6}, "core", {"fetch.line": 6, "fetch.line_shift": 0}),
    ({"fetch__buffer": 1, "fetch__sets": 1, "fetch__l0_sets": 2, "fetch__l0_ways": 3, "fetch__l0_latency": 4, "fetch__l0_ahead": 5}, "core",
     {"fetch.l0_sets": 2, "fetch.l0_ways": 3, "fetch.l0_latency": 4, "fetch.l0_ahead": 5}),
    ({"shared__latency": 9, "shared__banks": 8, "shared__bank_bytes": 2}, "core",
     {"shared_latency": 9, "shared_banks": 8, "shared_bank_bytes": 2}),
    ({"lsu__group": 8, "l1__banks": 16, "core__lanes": 20}, "core",
     {"lsu.in_banks": 1, "lsu.group_shift": 3, "lsu.all_groups": 0b111, "lsu.banks": 16, "lsu.row_bytes": 64}),
    ({"lsu__queue": 3, "lsu__ports": 2, "lsu__coalesce": False, "lsu__stores": 4, "l1__latency": 8, "l1__mshrs": 6, "l1__merges": 7},
     "core",
     {"lsu.capacity": 3, "lsu.ports": 2, "lsu.merge": 0, "lsu.store_limit": 4, "lsu.latency": 8, "lsu.misses.limit": 6,
      "lsu.misses.merges": 7, "texture.store_limit": 4,
      "lsu.line_shift": 6, "lsu.sector_shift": 4, "texture.line_shift": 6, "texture.sector_shift": 4}),
    ({"l1__write": "back", "l1__allocate": True}, "core",
     {"lsu.write_back": 1, "lsu.write_allocate": 1, "lsu.tracks_bytes": 1, "texture.tracks_bytes": 1}),
    ({"l1__bytes": 0}, "core", {"lsu.cached": 0}),
    ({"l1__bytes": 1024, "l1__sets": 2, "l1__ways": 8}, "core", {"lsu.cached": 1, "lsu.cache.sets": 2, "lsu.cache.ways": 8}),
    ({"l2__atomic_lanes": 3}, "core", {"core.atomic_lanes": 3}),
    ({"texture__queue": 5, "texture__ports": 3, "texture__count": 2, "texture__latency": 9, "texture__mshrs": 4, "texture__bytes": 512,
      "texture__ways": 4}, "core",
     {"texture.texture": 1, "texture.capacity": 5, "texture.ports": 6, "texture.merge": 1, "texture.keeps": 1, "texture.latency": 9,
      "texture.cached": 1, "texture.misses.limit": 4, "texture.misses.merges": 0, "texture.cache.sets": 2, "texture.cache.ways": 4}),
    ({"texture__queue": 0, "texture__count": 0, "texture__ports": 3, "texture__bytes": 0}, "core",
     {"texture.capacity": 4, "texture.ports": 3, "texture.cached": 0}),
    ({"texture__slots": "lane", "texture__queue": 5}, "core", {"texture.keeps": 0, "texture.capacity": SLOTS, "lane_slots.capacity": 20}),
    ({"memory__lookup": "end", "l1__latency": 6, "texture__latency": 5, "texture__bytes": 256}, "core",
     {"lsu.latency": 1, "lsu.ahead": 5, "texture.latency": 1, "texture.ahead": 4}),
    ({"memory__lookup": "end", "l1__bytes": 0, "l1__latency": 6, "texture__latency": 5, "texture__bytes": 0}, "core",
     {"lsu.latency": 6, "lsu.ahead": 0, "texture.latency": 5, "texture.ahead": 0}),  # nothing is looked up
]  # fmt: skip


def found(record, path):
    for name in path.split("."):
        record = record[name]
    return record


@pytest.mark.parametrize(("changes", "of", "fields"), FIELDS)
def test_what_a_setting_says_is_in_its_field(changes, of, fields):
    made = machine(one(), **changes)
    record = made.gpu if of == "gpu" else made.cores[-1]
    for path, expected in fields.items():
        value = found(record, path.removeprefix("core."))
        if isinstance(expected, dict):
            for place, number in expected.items():
                part = value[place[0]][place[1]] if isinstance(place, tuple) else value[place]
                assert int(part) == number, (path, place)
        else:
            assert int(value) == expected, path


def test_a_warp_slot_is_for_one_block_at_most():
    """Split blocks have as many as there are warp slots; others as many as the limits allow, and no more than that."""
    assert machine(one(threads=32, block=4), gpu__dispatch="split").cores["blocks"]["slots"].tolist() == [4]
    assert machine(one(threads=32, block=4), core__blocks=2).cores["blocks"]["slots"].tolist() == [2]
    assert machine(one(threads=32, block=4), core__blocks=9, core__warps=3).cores["blocks"]["slots"].tolist() == [3]
    machine(one(threads=16, block=16), gpu__dispatch="split")
    assert "has warp slots for 4; add --set core.warps=3, or use" in refused(
        one(threads=20, block=20), gpu__dispatch="split", gpu__cores=2, core__warps=2
    )


def test_shared_memory_is_cleared_in_words():
    assert [int(machine(one(shared_bytes=size)).cores["blocks"]["shared_bytes"][0]) for size in (0, 1, 4, 5)] == [0, 4, 4, 8]


@pytest.mark.parametrize("bytes_", [0, 512])
def test_each_kind_of_cache_chooses_at_random_by_a_seed_of_its_own_which_stays_the_same(bytes_):
    """First level 1, second level 2, texture unit 3, so that a run of an earlier release is repeated line by line."""
    made = machine(one(), gpu__cores=2, texture__bytes=bytes_)

    def seeded(seed):
        return (2 * seed + 1) * 0x9E3779B97F4A7C15 % (1 << 64)

    assert int(made.gpu["l2"]["cache"]["replacement"]["random"]) == seeded(2)
    for core in made.cores:
        assert int(core["lsu"]["cache"]["replacement"]["random"]) == seeded(1)
        assert int(core["texture"]["cache"]["replacement"]["random"]) == (seeded(3) if bytes_ else 0)
