import random
from itertools import groupby, product
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.tiny_kernels import assemble, nops, run
from warploom import GPU
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.sequencer.fetcher import FETCHED, FETCHING, IDLE, LOOKING_UP, Fetcher, clock_edge, fill, finish_lookup, reset
from warploom.machine.sequencer.states import DECODE, FETCH, REQUEST

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


@pytest.mark.parametrize("prefetch", [0, 1])
@pytest.mark.parametrize("state", range(4))
@pytest.mark.parametrize("core_state", range(9))
def test_an_edge_changes_the_fetcher_or_says_that_nothing_has_changed(state, core_state, prefetch):
    """Of core 2 before instruction 5 of 7, without a cache: what it has fetched is that of instruction 5, or of a different one."""
    for ready, address, ends, pc, countdown in product((0, 1), (5, 4), (0, 1), (5, 6), (1, 2)):
        (fetcher,) = mirror(zeros(1, Fetcher))
        fetcher.state, fetcher.address, fetcher.instruction, fetcher.countdown = state, address, 77, countdown
        memory = SimpleNamespace(read_ready=[np.uint64(ready << 2)], read_data=np.full((1, 4), 99), read_address=np.full((1, 4), address))
        lines = np.uint64(0b100) if state == FETCHING else np.uint64(0)
        gpu = SimpleNamespace(program=memory, fetch_lines=lines, cache_sets=0, prefetch=prefetch, program_rows=7)
        core = SimpleNamespace(fetcher=fetcher, state=core_state, pc=pc, ends=ends)
        if state == LOOKING_UP:
            gpu.cache_sets, gpu.cache_line, gpu.cache_ways = 1, 4, 1  # an empty cache
        wants, after = None, (state, 77)  # the instruction that is asked for
        if state == FETCHING and ready:
            after = (FETCHED, 99)
        elif state == FETCHED and core_state == DECODE:
            after = (IDLE, 77)
        elif state == FETCHED and core_state == FETCH and address != pc:
            wants = pc
        elif state == LOOKING_UP and countdown == 1:
            wants = address
        elif state == IDLE and core_state == FETCH:
            wants = pc
        elif state == IDLE and prefetch and core_state == REQUEST and not ends and pc + 1 < 7:
            wants = pc + 1
        changes = wants is not None or after != (state, 77) or state == LOOKING_UP
        assert clock_edge(gpu, core, 2) == changes
        assert (fetcher.state, fetcher.instruction) == (after if wants is None else (FETCHING, 77))
        assert fetcher.address == (address if wants is None else wants)
        assert memory.read_address[0].tolist() == [address, address, address if wants is None else wants, address]
        assert gpu.fetch_lines == (0b100 if fetcher.state == FETCHING else 0)
        assert (fetcher.fetches, fetcher.thrown_away) == (wants is not None, state == FETCHED and wants is not None)


def test_a_reset_clears_the_registers_and_the_request_and_keeps_the_cache():
    (fetcher,) = mirror(zeros(1, Fetcher))
    fetcher.state, fetcher.address, fetcher.instruction, fetcher.valid[3], fetcher.hits = FETCHING, 9, 77, 0b11, 4
    gpu = SimpleNamespace(fetch_lines=np.uint64(0b1110), program=SimpleNamespace(read_address=np.full((1, 4), 9)))
    reset(gpu, fetcher, 2)
    assert (fetcher.state, fetcher.address, fetcher.instruction, fetcher.valid[3], fetcher.hits) == (IDLE, 0, 0, 0b11, 4)
    assert (gpu.fetch_lines, gpu.program.read_address.tolist()) == (0b1010, [[9, 9, 0, 9]])
