import random
from itertools import groupby
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.tiny_kernels import assemble, nops, run
from warploom import GPU
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.sequencer.fetcher import FETCHED, FETCHING, Fetcher, fill, finish_lookup
from warploom.machine.sequencer.states import FETCH

LOOP = """
CONST R1, #1
CONST R2, #5
LOOP: ADD R0, R0, R1
CMP R0, R2
BRn LOOP
RET
"""
STATES = ("idle", "fetching", "fetched", "looking up")


def fetcher_states(text, cycles, **changes):
    """The states of core 0's fetcher in the first cycles from FETCH on, a word each."""
    gpu = GPU("tiny", set={name.replace("__", "."): value for name, value in changes.items()}, engine="python")
    found = [STATES[int(machine.cores[0]["fetcher"]["state"])] for machine in gpu.steps(assemble(text))]
    return found[2 : 2 + cycles]


def test_a_fetch_takes_five_cycles_and_a_sixth_until_it_is_seen():
    assert fetcher_states("NOP\nRET", 8) == ["idle", *["fetching"] * 4, *["fetched"] * 2, "idle"]


def test_every_instruction_is_fetched_anew_without_a_cache():
    result = run(LOOP)
    assert result.counters["program_requests"] == result.instructions == 18
    assert result.counters["fetch_hits"] == 0


def test_a_cache_asks_program_memory_once_for_each_instruction():
    result = run(LOOP, fetch__sets=4, fetch__line=4)
    assert result.counters["program_requests"] == 6
    assert result.counters["fetch_hits"] == 12
    assert result.instructions == 18


def test_a_hit_saves_four_cycles_and_a_slow_cache_less():
    plain = run(LOOP).cycles
    assert run(LOOP, fetch__sets=4).cycles == plain - 12 * 4
    assert run(LOOP, fetch__sets=4, fetch__latency=2).cycles == plain - 12 * 3 + 6 * 1
    assert fetcher_states(LOOP, 4, fetch__sets=4, fetch__latency=3) == ["idle", "looking up", "looking up", "fetching"]


def test_a_cache_that_is_too_small_throws_lines_out():
    assert run(LOOP, fetch__sets=1, fetch__line=1).counters["fetch_hits"] == 0
    assert run(LOOP, fetch__sets=1, fetch__line=1, fetch__ways=3).counters["fetch_hits"] == 12


def test_the_least_recently_used_line_goes():
    # five instructions, two of them a loop: in two ways the loop stays, whatever went before
    result = run(LOOP, fetch__sets=1, fetch__line=2, fetch__ways=2)
    assert result.counters["program_requests"] == 6


def test_prefetching_takes_seven_cycles_an_instruction():
    for count in (1, 2, 5, 20):
        assert run(nops(count - 1), core__prefetch=True).cycles == 7 * count + 9


def test_a_taken_branch_throws_the_prefetched_instruction_away():
    result = run(LOOP, core__prefetch=True)
    assert result.counters["prefetches_thrown_away"] == 4
    assert result.counters["program_requests"] == 18 + 4
    assert result.memory.tolist() == run(LOOP).memory.tolist()


def test_nothing_is_prefetched_behind_the_end_of_the_block():
    result = run("NOP\nRET\nNOP\nNOP", core__prefetch=True)
    assert result.counters["program_requests"] == 2


def test_prefetched_from_the_cache_an_instruction_is_there_after_one_cycle():
    straight = "NOP\n" * 8
    program = assemble(f"CONST R1, #1\nCONST R2, #3\nLOOP: ADD R0, R0, R1\n{straight}CMP R0, R2\nBRn LOOP\nRET")
    gpu = GPU("tiny", set={"core.prefetch": True, "fetch.sets": 8}, engine="python")
    states = [(int(machine.cores[0]["pc"]), int(machine.cores[0]["state"])) for machine in gpu.steps(program)]
    fetches = [(pc, len(list(cycles))) for (pc, state), cycles in groupby(states) if state == FETCH]
    third_round = fetches[24:35]
    assert [pc for pc, _ in third_round] == list(range(2, 13))
    assert [cycles for _, cycles in third_round] == [2] + [1] * 10  # the first one was not guessed


@pytest.mark.parametrize(("line", "sets", "ways"), [(1, 1, 1), (1, 2, 2), (4, 1, 3), (4, 2, 2), (2, 4, 1)])
def test_the_cache_holds_the_words_that_have_come_of_the_lines_used_last(line, sets, ways):
    """Against lists of lines, the one used last at the end: a new line has none of the words of the one that it throws out."""
    chosen = random.Random(line * sets * ways)
    (fetcher,) = mirror(zeros(1, Fetcher))
    gpu = SimpleNamespace(cache_line=line, cache_sets=sets, cache_ways=ways, cycle=0, fetch_lines=np.uint64(0))
    gpu.program = SimpleNamespace(read_address=np.zeros((1, 4), np.int64))
    held: list[list[tuple[int, set[int]]]] = [[] for _ in range(sets)]
    hits = fetches = 0
    for gpu.cycle in range(1, 400):
        address = chosen.randrange(2 * line * sets * ways + 3)
        own, number = held[address // line % sets], address // line
        there = next((one for one in own if one[0] == number), None)
        fetcher.address, fetcher.instruction = address, 0
        finish_lookup(gpu, fetcher, 2)
        if there and address % line in there[1]:
            hits += 1
            assert (fetcher.state, fetcher.instruction) == (FETCHED, 1000 + address)
            own.append(own.pop(own.index(there)))
        else:
            fetches += 1
            assert (fetcher.state, gpu.program.read_address[0, 2], gpu.fetch_lines) == (FETCHING, address, 0b100)
            fetcher.instruction = 1000 + address
            fill(gpu, fetcher)
            own.append(own.pop(own.index(there)) if there else (number, set()))
            own[-1][1].add(address % line)
            if len(own) > ways:
                del own[0]
        assert (fetcher.hits, fetcher.fetches) == (hits, fetches)
