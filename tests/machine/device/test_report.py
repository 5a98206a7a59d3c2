"""What is said of a run on cores with warps: its counters, where its warps are, and its fault."""

import numpy as np
import pytest

from tests.machine.programs import BLOCK, FREE, GLOBAL, LANE, WARP, Assembly, loading, machine, run
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.uop import NONE
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.counters import COUNTER
from warploom.machine.device.report import MOST_WARPS
from warploom.machine.device.report import counters as made_counters
from warploom.machine.memory.sector_masks import DIRTY, table_of
from warploom.machine.run import livelock
from warploom.machine.run.driver import drive
from warploom.units import UnitError

A, B = FREE, FREE + 1


def test_a_limit_in_the_middle_of_a_wait_is_kept_to_the_cycle():
    code = Assembly()
    code.load(A, B)
    code.op("add", A, A, imm=1)
    code("exit")
    assert run(code.program(), max_cycles=7).cycles == 7
    assert run(code.program(), max_cycles=7).counters["warp_cycles"] == 7


def test_every_counter_is_one_of_the_list():
    assert run(loading(threads=4)).counters.keys() <= COUNTER.keys()


# The fields of the hardware of which a counter is the sum, over the cores and what else there are several of.
OF_CORES = {
    "l1_evictions": ["lsu.cache.evictions"], "texture_evictions": ["texture.cache.evictions"],
    "l1_prefetches": ["lsu.prefetcher.sent"], "l1_useful_prefetches": ["lsu.prefetcher.useful"],
    "l1_dropped_prefetches": ["lsu.prefetcher.dropped"], "fetch_hits": ["fetch.hits"], "fetch_misses": ["fetch.misses"],
    "l0_fetch_hits": ["fetch.l0_hits"], "l0_fetch_misses": ["fetch.l0_misses"], "alu_instructions": ["alus.busy"],
    "constant_hits": ["constants.first.hits"], "constant_misses": ["constants.first.misses"],
    "constant_next_hits": ["constants.second.hits"], "constant_next_misses": ["constants.second.misses"],
}  # fmt: skip
OF_THE_DEVICE = {
    "l2_hits": ["l2.cache.hits"], "l2_misses": ["l2.cache.tag_misses", "l2.cache.sector_misses"], "l2_evictions": ["l2.cache.evictions"],
    "l2_write_backs": ["l2.cache.write_backs"], "l2_stalls": ["l2.stalls"], "l2_atomics": ["l2.atomics"],
    "dram_requests": ["dram.requests"], "dram_bytes": ["dram.bytes_read", "dram.bytes_written"],
    "dram_bytes_written": ["dram.bytes_written"], "dram_row_hits": ["dram.row_hits"], "dram_row_misses": ["dram.row_misses"],
    "data_requests": ["data_channels.requests"], "data_channel_busy_cycles": ["data_channels.busy"],
    "program_requests": ["program_channels.requests"], "program_channel_busy_cycles": ["program_channels.busy"],
    "shared_fetch_hits": ["shared_fetch.hits"], "shared_fetch_misses": ["shared_fetch.misses"],
}  # fmt: skip
IN_SECTORS = {  # counted in sectors, told in bytes
    "l2_write_back_bytes": ["l2.cache.written_back"], "l2_fill_bytes": ["l2.filled"], "l2_passed_on_bytes": ["l2.passed_on"],
}  # fmt: skip
OF_INSTRUCTIONS = {
    "instructions": r.ISSUES, "thread_instructions": r.LANES, "diverged_branches": r.DIVERGED, "accesses": r.ACCESSES,
    "transactions": r.TRANSACTIONS, "sectors": r.SECTORS, "sectors_needed": r.SECTORS_NEEDED, "shared_passes": r.PASSES,
    "l1_hits": r.HITS, "l1_misses": r.MISSES,
}  # fmt: skip


def field(record, path):
    for name in path.split("."):
        record = record[name]
    return record


def test_each_counter_is_the_sum_of_its_fields_and_of_nothing_else():
    """Every field that is read has a number of its own, a power of 3, so that no sum of some is the sum of others."""
    made = machine(loading(threads=4), gpu__cores=2)
    numbers, expected = iter(3**power for power in range(1, 40)), {}
    for table, state, bytes_each in ((OF_CORES, made.cores, 1), (OF_THE_DEVICE, made.gpu, 1), (IN_SECTORS, made.gpu, 16)):
        for path in sorted({path for paths in table.values() for path in paths}):
            parent, _, leaf = path.rpartition(".")
            (field(state, parent) if parent else state)[leaf] = next(numbers)
        for name, paths in table.items():
            expected[name] = sum(int(np.sum(field(state, path))) for path in paths) * bytes_each
    made.profile[:] = np.arange(made.profile.size).reshape(made.profile.shape) + 5
    for name, column in OF_INSTRUCTIONS.items():
        expected[name] = int(made.profile[:, column].sum())
    for number, reason in enumerate(r.REASONS):
        expected[f"{reason.name}_warp_cycles"] = int(made.profile[:, number].sum())
    expected["warp_cycles"] = int(made.profile[:, : len(r.REASONS)].sum())
    expected["issued_instructions"] = expected["instructions"]  # no sequences
    expected["lane_uops"] = int(made.profile[:, r.LANES].sum())  # each instruction of this program is one micro-op
    made.cores["path_table"]["peak"], made.cores["mask_stack"]["peak"] = (5, 6), (4, 3)
    expected["stack_peak"] = 6
    found = made_counters(made)
    assert {name: found[name] for name in expected} == expected
    left = {name for name in found if name not in expected}
    assert left == {"cycles", "store_tail_cycles", "local_accesses", "local_transactions", "constant_accesses", "dirty_bytes"}


@pytest.mark.parametrize(("live", "room_since", "tail"), [(0, 30, 70), (1, 30, 0), (0, 0, 0)])
def test_what_follows_the_last_warps_end_is_counted_where_one_has_ended_and_none_is_left(live, room_since, tail):
    made = machine(loading(threads=4))
    made.gpu["now"], made.gpu["live"], made.gpu["room_since"] = 100, live, room_since
    assert made_counters(made)["store_tail_cycles"] == tail


def test_accesses_are_counted_by_the_space_of_their_instruction():
    code = Assembly()
    code("nop")
    code.bundle({"name": "add", "dst": A, "a": A, "b": A}, {"name": "load", "dst": B, "a": A, "space": u.LOCAL_SPACE})
    code("load", dst=B, a=A, space=u.CONSTANT_SPACE)
    code("load", dst=B, a=A)
    code("exit")
    made = machine(code.program(local_bytes=64))
    made.profile[:, r.ACCESSES], made.profile[:, r.TRANSACTIONS], made.profile[:, r.LANES] = (1, 2, 4, 8, 16), (3, 5, 7, 11, 13), 1
    found = made_counters(made)
    assert (found["local_accesses"], found["local_transactions"], found["constant_accesses"]) == (2, 5, 4)
    assert found["lane_uops"] == 1 + 2 + 1 + 1 + 1


@pytest.mark.parametrize(
    ("settings", "issued"),
    [({}, 3 * 8 + 24 + 2), ({"pipes.divide_sequence": ""}, 3 * 8 + 1 + 2), ({"core.issues_per_turn": 2}, 6), ({"pipes.owner": "core"}, 6)],
)
def test_a_sequence_is_issued_as_the_instructions_that_it_is_made_of(settings, issued):
    """Three float divides of 8, an integer divide of 24, an addition and the end."""
    code = Assembly()
    for name in ("fdiv", "fdiv", "fdiv", "div", "add"):
        code.op(name, A, A, A)
    code("exit")
    made = GPU("sm", set={"memory.bytes": 1 << 16, **settings}, engine="python")
    counters = made.run(code.program(threads=32, block=32)).counters
    assert (counters["instructions"], counters["issued_instructions"]) == (6, issued)


@pytest.mark.parametrize(("l1", "l2", "sectors"), [("back", "back", 3 + 2), ("back", "through", 2), ("through", "back", 3)])
def test_dirty_bytes_are_those_of_caches_that_write_back(l1, l2, sectors):
    made = machine(loading(threads=4), gpu__cores=2, l1__write=l1, l2__write=l2)
    table_of(made.gpu["l2"]["cache"]["masks"])[0, DIRTY] = 0b111
    table_of(made.cores[0]["lsu"]["cache"]["masks"])[7, DIRTY] = 0b01  # the last of 4 sets of 2 ways
    table_of(made.cores[1]["lsu"]["cache"]["masks"])[0, DIRTY] = 0b10
    assert made_counters(made)["dirty_bytes"] == 16 * sectors


def test_warps_that_were_stopped_are_listed_and_the_rest_is_counted():
    shape = {"core__warps": 16, "core__blocks": 16, "dram__latency": 500}
    few, many = (run(loading(threads=threads), max_cycles=60, **shape).running for threads in (8, 4 * (MOST_WARPS + 3)))
    assert [line.partition(") at ")[0] for line in few] == [f"warp 0 of block {block} (core 0, lanes 0-3" for block in range(2)]
    for line in few:
        assert ") at instruction 1 (add " in line
        assert line.endswith(": waits for a register that a load from global memory or a texture writes")
    assert len(many) == MOST_WARPS + 1
    assert many[-1] == "and 3 more warps"


def test_a_fault_names_the_place_the_warp_and_the_lane():
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=12)
    code.load(B, A)
    code("exit")
    result = run(code.program(threads=8))
    assert result.status == "error"
    assert result.fault.startswith("instruction 1 (")
    assert "(block 0, warp 0, lane 1, core 0, cycle " in result.fault


def test_without_a_fault_there_is_no_sentence():
    assert run(loading(threads=4)).fault == ""


@pytest.mark.parametrize(("mechanism", "advised"), [("stack", True), ("its", False)])
def test_a_way_out_is_named_where_lanes_wait_for_lanes_of_their_own_warp(mechanism, advised, monkeypatch):
    monkeypatch.setattr(livelock, "QUIET", 400)
    code = Assembly()
    code.branch(LANE, "wait")
    code("exit")
    code.label("wait")
    code.load(B, A)
    code.branch(B, "wait", negate=True)
    code("exit")
    result = run(code.program(), core__divergence=mechanism)
    assert result.status == "error"
    assert "spins at instruction 2 (load" in result.fault
    assert "with core.divergence=its" not in result.fault or advised


def test_final_registers_are_those_of_each_slot_and_lane():
    code = Assembly()
    code.op("add", A, GLOBAL, imm=100)
    code("exit")
    found = run(code.program(threads=8)).detail.registers
    assert found.shape == (1, 4, 32, 4)
    assert np.array_equal(found[0, :2, A], [[100, 101, 102, 103], [104, 105, 106, 107]])


def divergent_spin(masks=False):
    """Of each warp lane 0 goes round for ever; the others wait for it."""
    code = Assembly()
    code.mov(A, 64)
    if masks:
        code("push_mask", target="end")
        code.op("sltu", B, LANE, imm=1)
        code("mask_nonzero", a=B, imm=0xFFFFFFFF)
    else:
        code.branch(LANE, "end", meet="end")
    code.label("wait")
    code.load(B, A)
    code("jump", target="wait")
    code.label("end")
    code("pop_mask") if masks else None
    code("exit")
    return code.program(threads=4)


@pytest.mark.parametrize(
    ("mechanism", "starving"),
    [
        ("stack", "lanes 1-3 of it wait on the stack for instruction 4 (exit"),
        ("minpc", "lanes 1-3 of it wait to continue at instruction 4 (exit"),
        ("masks", "lanes 1-3 of it wait masked off until instruction 6 (pop_mask"),
        ("dwf", ""),
        ("its", ""),
    ],
)
def test_a_livelock_names_the_lanes_that_spin_and_those_that_starve(monkeypatch, mechanism, starving):
    monkeypatch.setattr(livelock, "QUIET", 300)
    monkeypatch.setattr(livelock, "SPACING", 50)
    result = run(divergent_spin(mechanism == "masks"), core__divergence=mechanism, max_cycles=20_000)
    assert result.status == "error"
    assert "warp 0 of block 0 (core 0, lane 0) spins at instruction " in result.fault
    assert starving in result.fault
    assert ("of it wait" in result.fault) == bool(starving)


def barriers(number, expected=NONE):
    """Warp 0 comes to a barrier, the others to the next one. expected: the register that says how many warps that one expects."""
    code = Assembly()
    code.mov(B, 5)
    code.op("sltu", A, WARP, imm=1)
    code.branch(A, "first")
    code("barrier", imm=number + 1, b=expected)
    code.label("first")
    code("barrier", imm=number)
    code("exit")
    return code.program(threads=12, block=12)


def test_a_deadlock_names_the_barrier_how_many_came_and_who_is_missing():
    fault = run(barriers(2), core__divergence="stack").fault
    assert "warp 0 of block 0 (core 0, lanes 0-3)" in fault
    assert "; barrier 2 expects 3 warps of the block, and 1 came; not there: warps 1-2" in fault
    assert "; barrier 3 expects 3 warps of the block, and 2 came; not there: warp 0" in fault
    assert "; barrier 3 expects 5 warps of the block, and 2 came; not there: warp 0" in run(barriers(2, B), core__divergence="stack").fault


def test_blocks_that_never_started_for_lack_of_room_are_named(monkeypatch):
    """Block 0 waits for a flag that block 2 would set, and a core holds two blocks."""
    monkeypatch.setattr(livelock, "QUIET", 300)
    monkeypatch.setattr(livelock, "SPACING", 50)
    code = Assembly()
    code.mov(A, 64)
    code.op("sltu", B, BLOCK, imm=2)
    code.branch(B, "wait")
    code.store(A, BLOCK)
    code("exit")
    code.label("wait")
    code.load(B, A)
    code.branch(B, "wait", negate=True)
    code("exit")
    program = code.program(threads=20, block=4)
    few = run(program, core__blocks=2, max_cycles=20_000)
    assert "; blocks 2 to 4 have not started, because no core has room before others end (cycle " in few.fault
    assert run(program, core__blocks=4, max_cycles=20_000).status == "done"


@pytest.mark.parametrize("picked", [4, -2, 1 << 40])
def test_a_policy_that_picks_a_slot_that_is_not_there_is_stopped(picked):
    made = machine(loading(threads=4), policy=lambda s, now: picked)
    with pytest.raises(
        UnitError, match=rf"<lambda> returned {picked}; a policy returns the number of a warp slot, 0 to s.warps - 1, or -1 for none"
    ):
        drive(made, engine="python")
