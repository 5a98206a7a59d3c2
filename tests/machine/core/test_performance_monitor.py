"""A program reads what its core has counted; checked against what the program does, and against the machine's own counters."""

import random

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, mask
from tests.machine.programs import FREE, LANE, Assembly
from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.isa.uop import (
    ALU,
    COUNTER_NUMBER,
    DST,
    HIGH_HALF,
    IMM,
    MEMORY,
    NONE,
    OP,
    PERFORMANCE_COUNTERS,
    SHARED,
    SPECIAL,
    TEXTURE,
)
from warploom.isa.vortex.counters import CORE_CLASS, FIRST, HIGH, MEMORY_CLASS, layout
from warploom.isa.vortex.generation import GENERATIONS
from warploom.machine.accounting.reasons import LONG_SCOREBOARD, SHORT_SCOREBOARD, WAIT
from warploom.machine.core import performance_monitor as monitor
from warploom.machine.core.divergence import MINPC
from warploom.machine.core.divergence.path_table import READY, put
from warploom.machine.memory.dram import CHANNELS

ITERATIONS = 10
BEFORE = """
    li t0, -1
    vx_tmc t0
    {stack}
    csrr t1, 0xcc0
    li t0, 0x80
    mul t1, t1, t0
    li t2, 0x100000
    add t1, t1, t2
    li t3, {count}
again:
    lw t4, 0(t1)
    addi t4, t4, 1
    sw t4, 0(t1)
    lw t4, 4(t1)
    addi t3, t3, -1
    bnez t3, again
    sw t4, -64(sp)
    lw t5, -64(sp)
    fence
    li t0, 1
    vx_tmc t0
    li t2, 0x200000
"""
STACK = {2021: "li sp, 0xff000000", 2022: "li sp, 0xff000000", 2024: "li sp, 0xffff1000"}  # of 2024: local memory


def numbers_of(generation):
    every = [*range(FIRST, FIRST + 0x20)]
    return [*every, *(number + HIGH for number in every)]


def program(generation, cores=1):
    reads = [f"csrr t4, {number:#x}\n sw t4, {4 * place}(t2)" for place, number in enumerate(numbers_of(generation))]
    alone = "csrr t0, 0xcc2\n bnez t0, quiet" if cores > 1 else ""
    return "\n".join(["_start:", alone, BEFORE.format(stack=STACK[generation], count=ITERATIONS), *reads, "quiet: li t0, 0", "vx_tmc t0"])


def run(generation, chosen=0, engine="python", cores=1):
    source = program(generation, cores).encode()
    dcr = {"dcr": np.array([5, chosen], np.uint32)} if generation > 2023 else {}
    buffers = {"data@0x100000": np.zeros(512, np.uint32), "out@0x200000": np.zeros(64, np.uint32), **dcr}
    loaded = load(source, f"vortex-{generation}", options=Options(path="counters.s", buffers=buffers))
    preset = "vortex-2024" if generation > 2023 else "vortex-2022"
    result = GPU(preset, set={"gpu.cores": cores}, engine=engine).run(loaded)
    assert result.status == "done", result.fault
    found = read_buffer(result.program, result.memory, "out").view(np.uint32).tolist()
    names = layout(GENERATIONS[generation], chosen)
    return result, {names[FIRST + place][1]: found[place] for place in range(3, 32) if names.get(FIRST + place, ("", ""))[1]}, found


def test_each_counter_has_a_number_here_and_there():
    assert [getattr(monitor, name.upper()) for name in PERFORMANCE_COUNTERS] == list(COUNTER_NUMBER.values())


@pytest.mark.parametrize(("generation", "chosen"), [(2021, 0), (2022, 0), (2024, CORE_CLASS), (2024, MEMORY_CLASS)])
def test_counters_are_what_the_program_did(generation, chosen):
    result, counted, words = run(generation, chosen)
    machine, lanes = result.counters, 4
    expected = {
        "loads": (2 * ITERATIONS + 1) * lanes,
        "branches": ITERATIONS * lanes,
        "cache_reads": 2 * ITERATIONS * lanes,
        "cache_read_misses": machine["l1_misses"],
        "memory_reads": machine["l1_misses"],
        "scratchpad_reads": lanes,
        "scratchpad_writes": lanes,
        "scratchpad_stalls": machine["shared_passes"] - 2,
        "alu_stalls": machine["math_pipe_throttle_warp_cycles"],
        "load_store_stalls": machine["lg_throttle_warp_cycles"],
        "next_reads": machine["l2_hits"] + machine["l2_misses"],
        "cache_stalls": 0,
    }
    assert {name: value for name, value in counted.items() if name in expected} == {
        name: value for name, value in expected.items() if name in counted
    }
    # What goes on while the program reads: no less than before it began, no more than in the end.
    before = (ITERATIONS + 1) * lanes
    assert before <= counted.get("stores", before) <= before + len(words)
    assert ITERATIONS * lanes <= counted.get("cache_writes", ITERATIONS * lanes) <= ITERATIONS * lanes + len(words)
    assert 0 < counted.get("scoreboard_stalls", 1) <= machine["long_scoreboard_warp_cycles"] + machine["wait_warp_cycles"]
    assert 0 < counted.get("fetches", 1) <= machine["fetch_hits"] + machine["fetch_misses"]
    assert words[0] < machine["cycles"] and words[2] < machine["thread_instructions"]


def test_load_latency_is_that_of_the_machine():
    _, counted, _ = run(2024, CORE_CLASS)
    hits, misses = (2 * ITERATIONS - 1) * 4, 4
    assert counted["load_latency"] >= hits * 10 + misses * 40  # latency of the cache, and of memory
    assert counted["load_stalls"] + counted["arithmetic_stalls"] == counted["scoreboard_stalls"]


@pytest.mark.parametrize("chosen", [0, 3, 4, 5])
def test_without_a_class_of_ours_all_read_zero(chosen):
    _, counted, words = run(2024, chosen)
    assert counted == {} and words[0] > 0 and words[2] > 0 and not any(words[3:32])


def test_high_halves_are_those_of_small_numbers():
    _, _, words = run(2022)
    assert not any(words[32:])


def test_the_cores_count_for_themselves():
    alone, among = run(2022)[1], run(2022, cores=2)[1]
    for name in ("loads", "stores", "branches", "cache_reads", "scratchpad_reads"):
        own_branch = 1 if name == "branches" else 0  # on the number of the core
        assert alone[name] + own_branch == among[name]


def test_native_code_counts_the_same():
    for generation, chosen in ((2022, 0), (2024, CORE_CLASS), (2024, MEMORY_CLASS)):
        assert run(generation, chosen, "native")[2] == run(generation, chosen)[2]


def test_each_instruction_counts_once_and_a_jump_once_a_lane():
    code = Assembly()
    code.label("here")
    for name in ("branch", "jump", "call", "jump_register", "nop"):
        code(name, a=LANE, imm=1, target="here" if name in ("branch", "jump", "call") else NONE)
    code.bundle({"name": "add", "dst": FREE, "a": LANE, "b": LANE}, {"name": "jump", "target": "here"})
    code.bundle({"name": "add", "dst": FREE, "a": LANE, "b": LANE}, {"name": "add", "dst": FREE + 1, "a": LANE, "b": LANE})
    _, cores, tables = bench(code)
    counted = cores[0].monitor
    branches = 0
    for pc, jumps in enumerate([True, True, True, True, False, True, False]):
        counted.instructions = 10 * pc
        monitor.count_instruction(cores[0], tables, pc, mask(0, 2, 3))
        branches += 3 * jumps
        assert (counted.instructions, counted.branches) == (10 * pc + 1, branches), pc


@pytest.mark.parametrize("used, scratchpad", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_loads_and_stores_count_once_a_lane_and_control_registers_and_arithmetic_do_not(used, scratchpad):
    code = Assembly()
    accesses = {"load": (1, 0), "store": (0, 1), "atomic_add": (1, 0)}
    for name in accesses:
        code(name, dst=NONE if name == "store" else FREE, a=LANE, b=LANE)
    code.bundle(
        {"name": "add", "dst": FREE, "a": LANE, "b": LANE},
        {"name": "store", "a": NONE, "b": FREE, "imm": -(1 << 11) - 1},
        {"name": "load", "dst": FREE, "a": NONE, "imm": -(1 << 11)},
        {"name": "load", "dst": FREE, "a": LANE, "imm": -(1 << 20)},
        {"name": "store", "a": LANE, "b": FREE},
    )
    _, cores, tables = bench(code)
    core, counted = cores[0], cores[0].monitor
    core.spaces.used, core.access.scratchpad = used, scratchpad
    expected = [0, 0]
    for pc, (loads, stores) in enumerate([*accesses.values(), (2, 1)]):
        monitor.count_access(core, tables, pc, mask(1, 2, 3))
        expected = [expected[0] + 3 * loads, expected[1] + 3 * stores]
        assert [counted.loads, counted.stores] == expected
        assert [counted.scratchpad_reads, counted.scratchpad_writes] == (expected if used and scratchpad else [0, 0])


def monitored():
    """A device whose counters are all different, and what each number is of them, by name."""
    gpu, cores, tables = bench(core__warps=4, core__lanes=4)
    core = cores[0]
    chosen = random.Random(1)
    own, cache, next_level = core.monitor, core.lsu.cache, gpu.l2.cache
    records = {own: "instructions loads stores branches load_latency cache_reads cache_read_misses", core.lsu: "stalled"}
    records |= {cache: "hits tag_misses sector_misses", next_level: "hits tag_misses sector_misses", core.fetch: "hits misses"}
    records[own] += " scratchpad_reads scratchpad_writes scratchpad_stalls"
    for record, names in records.items():
        for name in names.split():
            setattr(record, name, chosen.randrange(1 << 40))
    own.waited[:] = 7
    for reason in (WAIT, LONG_SCOREBOARD, SHORT_SCOREBOARD):
        own.waited[reason] = chosen.randrange(1 << 40)
    core.scheduler_count = 2
    for scheduler in range(2):
        core.operands.held_cycles[scheduler] = chosen.randrange(1 << 40)
        for unit in (ALU, MEMORY, SHARED, SPECIAL, TEXTURE):
            core.unit_full_cycles[scheduler, unit] = chosen.randrange(1 << 40)
    core.operands.held_cycles[2], core.unit_full_cycles[2] = 5, 5  # of a scheduler that is not there
    gpu.sector_shift = 4
    for channel in (0, 1, CHANNELS - 1):
        gpu.dram.bytes_read[channel], gpu.dram.bytes_written[channel] = 16 * chosen.randrange(1 << 40), 16 * chosen.randrange(1 << 40)
    gpu.dram.bytes_read[1] += 15  # not whole: a part of a sector is none
    gpu.dram.bytes_written[1] += 15
    core.thread_instructions, core.warps.mask[WARP] = 100, mask(0, 1, 3)
    full = core.unit_full_cycles[:2].sum(axis=0)
    missed = cache.tag_misses + cache.sector_misses
    next_missed = next_level.tag_misses + next_level.sector_misses
    loads, arithmetic = int(own.waited[LONG_SCOREBOARD] + own.waited[SHORT_SCOREBOARD]), int(own.waited[WAIT])
    expected = {
        "cycles": NOW, "thread_instructions": 97, "idle": 2 * NOW - (own.instructions - 1), "scoreboard_stalls": arithmetic + loads,
        "arithmetic_stalls": arithmetic, "load_stalls": loads, "operand_stalls": core.operands.held_cycles[:2].sum(),
        "alu_stalls": full[ALU], "load_store_stalls": full[MEMORY] + full[SHARED], "special_stalls": full[SPECIAL],
        "texture_stalls": full[TEXTURE], "fetches": core.fetch.hits + core.fetch.misses, "fetch_misses": core.fetch.misses,
        "loads": own.loads, "stores": own.stores, "branches": own.branches, "load_latency": own.load_latency,
        "cache_reads": own.cache_reads, "cache_read_misses": own.cache_read_misses,
        "cache_writes": cache.hits + missed - own.cache_reads, "cache_write_misses": missed - own.cache_read_misses,
        "cache_stalls": core.lsu.stalled, "scratchpad_reads": own.scratchpad_reads, "scratchpad_writes": own.scratchpad_writes,
        "scratchpad_stalls": own.scratchpad_stalls, "next_reads": next_level.hits + next_missed, "next_read_misses": next_missed,
        "memory_reads": gpu.dram.bytes_read.sum() // 16, "memory_writes": gpu.dram.bytes_written.sum() // 16,
    }  # fmt: skip
    return gpu, core, tables, expected


WARP, NOW = 2, 1 << 40


def test_each_number_is_the_sum_of_its_fields_and_of_nothing_else():
    """In both halves, for the active lanes alone; the warp goes on to its next instruction."""
    gpu, core, tables, expected = monitored()
    assert expected.keys() == set(PERFORMANCE_COUNTERS)
    tables.uops = np.zeros((1, tables.uops.shape[1]), np.int32)
    row = core.registers[WARP].lane[FREE]
    for name, number in COUNTER_NUMBER.items():
        words = []
        for half in (0, HIGH_HALF):
            tables.uops[0, [OP, DST, IMM]] = monitor.READ_COUNTER, FREE, number + half
            core.warps.pc[WARP], row[:4] = 8, 77
            assert monitor.control_with_monitor(gpu, core, WARP, 0, tables, 0, np.int64(NOW)) == 0
            assert core.warps.pc[WARP] == 9 and row[2] == 77
            assert row[0] == row[1] == row[3]
            words.append(int(row[0]))
        assert words[0] + (words[1] << 32) == expected[name], name


def test_after_a_counter_is_read_the_mechanism_chooses_who_runs():
    gpu, core, tables, _ = monitored()
    core.divergence, core.warps.pc[WARP], core.warps.threads[WARP] = MINPC, 8, 0b1111
    put(core.path_table, WARP, mask(2), 3, READY)
    tables.uops = np.zeros((1, tables.uops.shape[1]), np.int32)
    tables.uops[0, [OP, DST]] = monitor.READ_COUNTER, FREE
    monitor.control_with_monitor(gpu, core, WARP, 0, tables, 0, np.int64(NOW))
    assert (core.warps.pc[WARP], core.warps.mask[WARP]) == (3, mask(2))
