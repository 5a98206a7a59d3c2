"""The memory system as a whole: what a machine is told about its bandwidth, its stores and its traffic is what a program gets."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, config, issues, run
from tests.machine.random_programs import launches, machines, seeds, statements, table, written
from warploom.isa.uop import FENCE_BLOCK, FENCE_DEVICE
from warploom.machine.accounting.reasons import HITS, MISSES
from warploom.machine.config.derived import dram_bytes_a_cycle
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.driver import drive

ADDRESS, ROUNDS, VALUE, SUM = FREE, FREE + 1, FREE + 2, FREE + 12
SM = {"gpu.cores": 16, "fetch.buffer": 0, "memory.bytes": 1 << 23}
BANKED = {"dram.channels": 4}  # of those of sm: few enough for 16 cores to fill
SIMPLE = {"dram.channels": 4, "dram.banks": 0, "dram.row": 0}


def stream(kind, kibibytes, warps=16, cores=16, unroll=4):
    """Threads side by side read, write or copy so many KiB, `unroll` lines a warp and round."""
    threads, size = 32 * warps * cores, kibibytes << 10
    code = Assembly()
    code.mov(ROUNDS, size // (4 * threads * unroll))
    code.op("shl", ADDRESS, GLOBAL, imm=2)
    code.label("round")
    for k in range(unroll):
        if kind != "write":
            code.load(VALUE + k, ADDRESS, 4 * threads * k)
    for k in range(unroll):
        if kind == "read":
            code.op("add", SUM, SUM, VALUE + k)
        else:
            code.store(ADDRESS, VALUE + k, 4 * threads * k + (size if kind == "copy" else 0))
    code.op("add", ADDRESS, ADDRESS, imm=4 * threads * unroll)
    code.op("sub", ROUNDS, ROUNDS, imm=1)
    code.branch(ROUNDS, "round")
    code("exit")
    return code.program(threads=threads, block=min(32 * warps, 1024))


def on_sm(program, **changes):
    made = PipelineMachine(load_config("sm", {**SM, **{name.replace("__", "."): value for name, value in changes.items()}}), program)
    outcome = drive(made, engine="native", max_cycles=1 << 30)
    assert outcome.status == "done", made.finish(outcome).fault
    return made.finish(outcome)


@pytest.mark.parametrize("memory", [BANKED, SIMPLE], ids=["banks", "simple"])
@pytest.mark.parametrize("policy", ["through", "back"])
@pytest.mark.parametrize(("kind", "bandwidth"), [("read", 32), ("write", 32), ("write", 4), ("copy", 16)])
def test_a_stream_reaches_nine_tenths_of_the_bandwidth_and_never_more(memory, policy, kind, bandwidth):
    if policy == "through" and kind == "read":
        return  # as back
    result = on_sm(stream(kind, 2048), **memory, dram__bandwidth=bandwidth, l2__write=policy, l2__bytes=1 << 19, l2__slices=8, l2__sets=32)
    moved = result.counters["dram_bytes"] / result.cycles / dram_bytes_a_cycle(result.config)
    assert 0.88 < moved <= 1.0  # with the way to the first line and from the last
    assert result.counters["dram_bytes"] + result.counters["dirty_bytes"] == (4 if kind == "copy" else 2) << 20


@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize(("of", "least", "most"), [("channel", 0.8, 0.9), ("bank", 0.92, 1.0)])
def test_refreshes_of_all_banks_take_their_share_of_the_bandwidth_and_those_of_one_hide_behind_the_others(kind, of, least, most):
    """A tenth of the time, or of each bank's."""
    refresh = {"channel": (1000, 100), "bank": (125, 100)}[of]
    machine = {"l2__bytes": 1 << 19, "l2__slices": 8, "l2__sets": 32, "dram__refresh_of": of}
    machine |= dict(zip(("dram__refresh_interval", "dram__refresh_time"), refresh, strict=True))
    result = on_sm(stream(kind, 2048), **BANKED, **machine, dram__bandwidth=16)
    moved = result.counters["dram_bytes"] / result.cycles / dram_bytes_a_cycle(result.config)
    assert least < moved <= most


@pytest.mark.parametrize("policy", ["through", "back"])
def test_a_kernel_that_writes_ends_when_memory_has_what_it_wrote(policy):
    """Four times the bandwidth, a quarter of the time: with a cache too small to keep it."""
    cycles = [
        on_sm(stream("write", 1024), **BANKED, dram__bandwidth=each, l2__write=policy, l2__bytes=1 << 17, l2__slices=8, l2__sets=16).cycles
        for each in (2, 8)
    ]
    assert 3.6 < cycles[0] / cycles[1] < 4.1


@pytest.mark.parametrize("kind", ["read", "write", "copy"])
def test_more_warps_are_never_slower_on_a_stream(kind):
    cycles = [on_sm(stream(kind, 512, warps, cores=1), gpu__cores=1).cycles for warps in (4, 8, 16, 32, 64)]
    assert all(more <= 1.02 * fewer for fewer, more in pairwise(cycles))
    assert cycles[0] > cycles[-1] or kind == "write"  # four warps write as fast as a core's port


def test_the_second_level_cache_is_as_wide_as_its_slices():
    """Sixteen cores that read the same 256 KiB again and again: 4 slices of 32 bytes."""
    code = Assembly()
    code.mov(ROUNDS, 64)
    code.op("shl", ADDRESS, GLOBAL, imm=2)
    code.label("round")
    for k in range(4):
        code.load(VALUE + k, ADDRESS, 65536 * k)
    code.op("sub", ROUNDS, ROUNDS, imm=1)
    code.branch(ROUNDS, "round")
    code("exit")
    result = on_sm(code.program(threads=16384, block=1024), l1__bytes=0, shared__unified=0, l2__bytes=1 << 20, l2__slices=4)
    assert 0.85 < 64 * 4 * 65536 / result.cycles / (4 * 32) <= 1.0


def test_a_request_that_waits_for_an_mshr_is_counted_once():
    result = on_sm(stream("read", 512), l2__mshrs=1, l2__slices=2, l2__sets=32, l2__bytes=1 << 20)
    assert result.counters["l2_misses"] == 512 * 1024 // 128
    assert result.counters["l2_hits"] == 0
    assert result.counters["l2_stalls"] > 0


# ---------------------------------------------------------------------------------------------------------
# Traffic adds up


@settings(max_examples=40, deadline=None)
@given(statements(), launches, seeds, machines(**{"memory.kind": "dram"}))
def test_what_memory_moves_is_what_the_caches_say(body, launch, seed, machine):
    program = written(body, *launch, table(seed))
    made = PipelineMachine(load_config(Config(), {**machine, "l2.bytes": machine["l2.bytes"] or 512}), program)
    outcome = drive(made, engine="native", max_cycles=3_000_000)
    assert outcome.status == "done"
    found = made.finish(outcome).counters
    written_to_memory = found["l2_write_back_bytes"] + found["l2_passed_on_bytes"]
    read = int(made.gpu["dram"]["bytes_read"].sum())
    if machine["lsu.stores"] and machine["l2.write_buffer"]:  # else nobody waits for the last stores
        assert found["dram_bytes_written"] == written_to_memory
    assert found["dram_bytes_written"] <= written_to_memory
    assert read == found["l2_fill_bytes"]
    assert found["dram_bytes"] == read + found["dram_bytes_written"]


def one_warp(**changes):
    """A small machine whose second-level cache writes back, without a first-level one."""
    return {"l1__bytes": 0, "l2__write": "back", "l2__allocate": True, "lsu__stores": 8, **changes}


def test_a_partly_written_sector_is_fetched_when_the_rest_of_it_is_read_and_only_then():
    def traffic(offset):
        code = Assembly()
        code.store(ADDRESS, LANE)  # word 0, of a sector of four
        code.load(VALUE, ADDRESS, offset)
        code.op("add", SUM, VALUE, imm=1)
        code("exit")
        return run(code.program(), **one_warp()).counters["dram_bytes"]

    assert [traffic(0), traffic(4), traffic(16)] == [16, 16, 16]

    code = Assembly()
    for word in range(4):
        code.store(ADDRESS, LANE, 4 * word)
    code.load(VALUE, ADDRESS, 8)
    code("exit")
    assert run(code.program(), **one_warp()).counters["dram_bytes"] == 0  # all of it was written


def test_a_line_goes_back_with_what_was_written_and_not_with_what_was_read():
    code = Assembly()
    for word in range(4):
        code.load(VALUE, ADDRESS, 16 * word)  # a whole line
    code.op("add", SUM, VALUE, imm=1)
    code.store(ADDRESS, LANE, 20)
    for line in (8, 16):
        code.load(VALUE, ADDRESS, 64 * line)  # pushes it out of its two ways
        code.op("add", SUM, VALUE, imm=1)
    code("exit")
    counters = run(code.program(), **one_warp()).counters
    assert (counters["l2_write_backs"], counters["l2_write_back_bytes"], counters["dram_bytes_written"]) == (1, 16, 16)


def test_what_stays_in_the_cache_at_the_end_is_counted():
    code = Assembly()
    code.op("shl", ADDRESS, LANE, imm=4)
    code.store(ADDRESS, LANE)
    code("exit")
    counters = run(code.program(), **one_warp()).counters
    assert (counters["dram_bytes"], counters["dirty_bytes"]) == (0, 4 * 16)
    through = run(code.program(), **one_warp(l2__write="through")).counters
    assert (through["dram_bytes"], through["dirty_bytes"]) == (4 * 16, 0)


def test_an_atomic_through_a_cache_that_writes_through_is_written_to_memory():
    code = Assembly()
    code("atomic_add", dst=VALUE, a=ADDRESS, b=LANE)
    code("exit")
    counters = run(code.program(), **one_warp(l2__write="through", l2__write_buffer=4)).counters
    assert (counters["l2_fill_bytes"], counters["l2_passed_on_bytes"], counters["dram_bytes"]) == (16, 16, 32)


# ---------------------------------------------------------------------------------------------------------
# Atomics, fences, L1 and shared memory


@pytest.mark.parametrize(
    ("operation", "together", "operations"), [("atomic_add", 1, 32), ("atomic_add", 16, 2), ("atomic_exchange", 16, 32)]
)
def test_lanes_on_one_word_are_one_operation_where_nobody_needs_to_see_the_others(operation, together, operations):
    code = Assembly()
    code(operation, dst=VALUE, a=ADDRESS, b=LANE)
    code("exit")
    wide = {"core__lanes": 32, "core__threads_per_block": 32, "l2__atomic_lanes": together}
    assert run(code.program(threads=32, block=32), **wide).counters["l2_atomics"] == operations


def fence_wait(scope, stores=1, **changes):
    """Cycles from a fence's turn to the instruction after it, behind a store that has to go through both caches."""
    code = Assembly()
    for k in range(stores):
        code.store(ADDRESS, LANE, 64 * k)
    code("fence", imm=scope)
    code("nop")
    code("exit")
    result = run(code.program(), tracing=True, **{"lsu__stores": 8, "l2__write": "back", "l2__allocate": True, **changes})
    times = [time for time, *_ in issues(result)]
    return times[stores + 1] - times[stores - 1]


def test_a_fence_waits_for_the_level_that_it_names():
    assert fence_wait(FENCE_BLOCK) == 1 + 1  # it is sent in the cycle after its issue: its block sees it where the cache takes it
    assert fence_wait(FENCE_DEVICE) == 4 + 8 + 1
    assert fence_wait(FENCE_DEVICE, l2__write="through", l2__allocate=False) == 4 + 8 + 20 - 1 + 1
    assert fence_wait(FENCE_BLOCK, l2__write="through") == 1 + 1


@pytest.mark.parametrize("changes", [{"lsu__stores": 0}, {"l1__write": "back", "l1__allocate": True}])
def test_a_fence_for_the_block_waits_for_no_latency_where_nobody_answers_stores(changes):
    assert fence_wait(FENCE_BLOCK, **changes) == 1 + 1
    assert fence_wait(FENCE_DEVICE, **changes) == 4 + 1


def test_a_fence_does_not_wait_for_arithmetic():
    code = Assembly()
    code.op("div", VALUE, LANE, imm=3)
    code("fence")
    code("exit")
    times = [time for time, *_ in issues(run(code.program(), tracing=True, latency__divide=100))]
    assert times[1] - times[0] == 1


@pytest.mark.parametrize(("each", "blocks", "left"), [(0, 1, 128), (1, 1, 120), (20, 2, 64), (96, 1, 32)])
def test_l1_has_what_shared_memory_leaves(each, blocks, left):
    code = Assembly()
    code("exit")
    program = code.program(threads=1024 * blocks, block=1024, shared_bytes=each << 10)
    made = PipelineMachine(load_config("sm"), program)
    cache = made.cores[0]["lsu"]["cache"]
    assert (int(cache["sets"]), int(cache["ways"])) == (4, left << 10 >> 9)
    fixed = PipelineMachine(load_config("sm", {"shared.carveout": 96 << 10}), program)
    assert int(fixed.cores[0]["lsu"]["cache"]["ways"]) == 64


def test_latencies_of_sm_are_those_of_a_v100():
    """A chain of loads by one lane: L1 28, L2 212, DRAM 430 to a row that has to be opened (and a few find theirs open)."""

    def chase(lines, stride):
        order = np.random.default_rng(1).permutation(lines)
        code = Assembly()
        code.mov(ROUNDS, 2 * lines)
        code.mov(ADDRESS, 0)
        code.label("round")
        code.load(ADDRESS, ADDRESS)
        code.op("sub", ROUNDS, ROUNDS, imm=1)
        code.branch(ROUNDS, "round")
        code("exit")
        made = PipelineMachine(load_config("sm", {"fetch.buffer": 0}), code.program(threads=1, block=1))
        made.memory[order * stride // 4] = np.roll(order, -1) * stride
        assert drive(made, engine="native", max_cycles=1 << 40).status == "done"
        return made

    warm = chase(64, 128)
    assert warm.profile[2, 0] == 128
    assert abs(warm.cycle - (64 * 28 + 64 * 430)) < 64 * 40
    second = chase(2048, 1024)  # 2 MiB of lines of their own: more than L1, less than L2
    assert abs(second.cycle / 2048 - (212 + 430)) < 20


@pytest.mark.parametrize("gpu", ["v100", "t4", "a100", "a40", "rtx3070", "rtx4090", "h100"])
@pytest.mark.parametrize(("stride", "hits"), [(4, 1), (8, 0)], ids=["whole sectors", "every other word"])
def test_what_a_warp_of_a_named_gpu_has_stored_is_in_its_first_level_cache(gpu, stride, hits):
    """Whole sectors are; of others the rest is fetched when they are read."""
    code = Assembly()
    code.op("mul", ADDRESS, LANE, imm=stride)
    code.store(ADDRESS, LANE)
    code.load(VALUE, ADDRESS)
    code("exit")
    made = PipelineMachine(load_config(gpu, {"gpu.cores": 1}), code.program(threads=32, block=32))
    outcome = drive(made, engine="native", max_cycles=1 << 20)
    lines = 32 * stride // 128
    assert [int(made.profile[2, count]) for count in (HITS, MISSES)] == [hits * lines, (1 - hits) * lines]
    assert outcome.status == "done"
    assert int(made.gpu["dram"]["bytes_read"].sum()) == (1 - hits) * 32 * stride


def test_settings_that_cannot_be_together_are_refused():
    for changes, message in (
        ({"shared__unified": 1024, "shared__bytes": 2048}, "shared.bytes = 2048: more than shared.unified = 1024, of which it is a part"),
        ({"shared__unified": 4096, "shared__carveout": 8192}, "shared.carveout = 8192: more than shared.unified = 4096"),
        (
            {"l2__slices": 128, "l2__mshrs": 1024, "l2__bytes": 1 << 20},
            "l2.mshrs = 1024: with l2.slices = 128 there are 131072; there is room for 32768",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            config(**changes)


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("policy", ["through", "back"])
def test_what_a_store_has_not_written_is_fetched_when_it_is_read_whatever_l1_does(policy, engine):
    """A word of each line is stored, of more lines than L1 holds; then its neighbour in the same sector is loaded."""
    lines = 128
    code = Assembly()
    code.op("shl", ADDRESS, GLOBAL, imm=7)
    for first in range(0, lines, 32):
        code.store(ADDRESS, GLOBAL, 128 * first)
    code("barrier")
    for first in range(0, lines, 32):
        code.load(VALUE, ADDRESS, 128 * first + 4)
    code("exit")
    made = PipelineMachine(
        load_config("sm", {"l1.write": policy, "l1.bytes": 4096, "shared.unified": 0, "fetch.buffer": 0}),
        code.program(threads=32, block=32),
    )
    found = made.finish(drive(made, engine=engine, max_cycles=1 << 20)).counters
    assert found["l2_fill_bytes"] == found["dram_bytes"] == 32 * lines
