"""Shared instruction cache: what the second core that wants a line pays, what is brought ahead, and whole machines with one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from tests.places import EXAMPLES
from warploom.gpu import GPU
from warploom.isa import load
from warploom.machine.core.fetch.instruction_fetch import Fetch
from warploom.machine.core.fetch.shared_instruction_cache import SharedFetch, bring
from warploom.machine.engine.unit import record, unit
from warploom.machine.memory.channels import PROGRAM_ANSWER, PROGRAM_HOLD, Channels

TINY = EXAMPLES / "tiny"
ROWS = 40
Device = record(
    program_channels=Channels, shared_fetch=SharedFetch
)  # what a fetch unit sees of the device, which is a thousand times as large


@unit
def drive(gpus, fetches, asked, answers):
    """Rows of `asked`: cycle, line."""
    for k in range(asked.shape[0]):
        answers[k] = bring(gpus[0], fetches[0], np.int64(asked[k, 1]), ROWS, np.int64(asked[k, 0]))


def run(asked, *, lines=16, ahead=0, line=1, latency=1, channels=1):
    gpus, fetches = np.zeros(1, Device), np.zeros(1, Fetch)
    program = gpus[0]["program_channels"]
    program["count"], program["width"], program["hold"], program["answer"] = channels, 1, PROGRAM_HOLD, PROGRAM_ANSWER
    gpus[0]["shared_fetch"]["lines"], gpus[0]["shared_fetch"]["ahead"] = lines, ahead
    fetches[0]["line"], fetches[0]["latency"], fetches[0]["channels"], fetches[0]["miss_latency"] = line, latency, int(channels > 0), 20
    rows = np.array(asked, np.int64).reshape(-1, 2)
    _, after = both(drive, gpus, fetches, rows, np.zeros(len(rows), np.int64))
    return after[3].tolist(), after[0][0]


def test_the_second_core_that_wants_a_line_waits_with_the_first_and_asks_nobody():
    answers, gpu = run([(10, 3), (12, 3), (40, 3)])
    arrival = 10 + PROGRAM_ANSWER - 1
    assert answers == [arrival, arrival, 40]
    assert gpu["program_channels"]["requests"] == 1
    assert (gpu["shared_fetch"]["hits"], gpu["shared_fetch"]["misses"]) == (2, 1)


def test_lines_with_the_same_place_throw_each_other_out():
    _, gpu = run([(0, 1), (50, 17), (100, 1)], lines=16)
    assert gpu["shared_fetch"]["misses"] == 3


def test_a_line_is_whole_when_its_last_instruction_is_there():
    answers, gpu = run([(0, 0)], line=4)
    assert answers == [3 * PROGRAM_HOLD + PROGRAM_ANSWER - 1]
    assert gpu["program_channels"]["requests"] == 4


def test_what_is_brought_ahead_keeps_program_memory_busy():
    alone, _ = run([(0, 0), (20, 1)])
    ahead, gpu = run([(0, 0), (20, 1)], ahead=2)
    assert alone == [5, 25]
    assert ahead == [5, 20]
    # Lines 0 to 2 with the first request, line 3 with the second.
    assert gpu["program_channels"]["requests"] == 4


def test_nothing_is_brought_from_behind_the_program():
    _, gpu = run([(0, 9)], line=4, ahead=3)
    assert gpu["program_channels"]["requests"] == 4


@pytest.mark.parametrize("latency", [1, 2, 5])
def test_what_is_brought_ahead_is_asked_for_when_the_lookup_ends(latency):
    """Lines 3 and 4 after line 2, each 20 cycles; the next request brings line 5 alone, for lines 3 and 4 are there or on their way."""
    _, gpu = run([(10, 2), (13, 3)], lines=8, ahead=2, latency=latency, channels=0)
    first, second = 10 + latency - 1 + 19, 13 + latency - 1 + 19
    assert gpu["shared_fetch"]["ready"][:8].tolist() == [0, 0, first, first, first, second, 0, 0]
    assert gpu["shared_fetch"]["tag"][:8].tolist() == [0, 0, 3, 4, 5, 6, 0, 0]
    assert (gpu["shared_fetch"]["hits"], gpu["shared_fetch"]["misses"]) == (1, 1)


def test_without_channels_a_line_takes_the_latency_of_a_miss():
    assert run([(0, 0), (3, 0), (50, 1)], channels=0, latency=2)[0] == [20, 20, 70]


@settings(max_examples=60, deadline=None)
@given(
    asked=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 39)), min_size=1, max_size=30),
    lines=st.sampled_from([1, 4, 16]),
    latency=st.integers(1, 4),
)
def test_against_a_dictionary(asked, lines, latency):
    now, rows = 0, []
    for wait, line in asked:
        now += wait
        rows.append((now, line))
    answers, gpu = run(rows, lines=lines, latency=latency)
    held, free, requests = {}, 0, 0
    for (cycle, line), answer in zip(rows, answers, strict=True):
        if held.get(line % lines, (None, 0))[0] != line:
            start = max(cycle + latency - 1, free)
            free, requests = start + PROGRAM_HOLD, requests + 1
            held[line % lines] = (line, start + PROGRAM_ANSWER - 1)
        assert answer == max(cycle + latency - 1, held[line % lines][1])
    assert gpu["program_channels"]["requests"] == requests


PIPELINE = {
    "core.control": "pipeline", "core.lanes": 4, "core.warps": 1, "core.blocks": 1, "l1.line": 4, "lsu.sector": 1,
    "fetch.buffer": 2, "fetch.line": 1,
}  # fmt: skip


@pytest.mark.parametrize("sets", [0, 64])
def test_two_cores_with_one_kernel_fetch_it_once(sets):
    program = load(TINY / "matadd.asm")
    own = GPU("tiny", set=PIPELINE | {"fetch.sets": sets}).run(program)
    shared = GPU("tiny", set=PIPELINE | {"fetch.sets": sets, "fetch.shared": 64}).run(program)
    assert own.counters["program_requests"] == 2 * len(program)
    assert shared.counters["program_requests"] == shared.counters["shared_fetch_misses"] == len(program)
    assert shared.counters["shared_fetch_hits"] == len(program)
    assert shared.cycles < own.cycles
    assert (shared.memory == own.memory).all()


@pytest.mark.parametrize("threads", [1, 3, 6, 7])
def test_block_dim_is_what_a_core_holds_on_both_kinds_of_core(threads):
    program = load(TINY / "partial_block.asm").with_launch(threads=threads)
    assert (GPU("tiny", set=PIPELINE).run(program).memory == GPU("tiny").run(program).memory).all()
    text = "MUL R0, %blockIdx, %blockDim\nADD R0, R0, %threadIdx\nSTR R0, %blockDim\nRET\n"
    from warploom.isa import tiny

    dims = tiny.assemble(f".threads {threads}\n{text}")
    assert GPU("tiny", set=PIPELINE).run(dims).memory[:threads].tolist() == [4] * threads
