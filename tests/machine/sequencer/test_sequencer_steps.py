"""Edges of a core that runs one instruction at a time, state by state: which units are clocked, what is counted, and what comes next."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.engine.bits import EMPTY
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.run.tables import Tables
from warploom.machine.sequencer import fetcher, sequencer
from warploom.machine.sequencer.decoder import ACCESS, COLUMNS, LOAD, NO_ACCESS
from warploom.machine.sequencer.sequencer import SequencerCore, SequencerGpu
from warploom.machine.sequencer.states import DECODE, DONE, EXECUTE, FETCH, IDLE, REQUEST, STATES, UPDATE, WAIT

NUMBER, PLACES = 1, 4
UNITS = ("fetcher_edge", "lsu_edge", "decode", "read", "begin", "execute_alu", "execute_pc", "update", "idle", "reset")


@pytest.fixture
def made(monkeypatch):
    """Core 1 of a device with four places for threads of which three are taken, and the units that were clocked."""
    gpu, (core,) = mirror(zeros((), SequencerGpu)), mirror(zeros(1, SequencerCore))
    gpu.threads_per_block, core.threads, core.pc = PLACES, 3, 5
    made = SimpleNamespace(
        gpu=gpu, core=core, calls=[], changed=dict.fromkeys(UNITS, 0), unanswered=0, tables=Tables(signals=np.zeros((2, COLUMNS), np.int32))
    )
    for name in UNITS:
        monkeypatch.setattr(sequencer, name, lambda *given, name=name: made.calls.append(name) or made.changed[name])
    monkeypatch.setattr(sequencer, "unfinished", lambda lsu: made.unanswered)
    return made


def edge(made):
    return sequencer.core_edge(made.gpu, made.core, NUMBER, made.tables, None)


@pytest.mark.parametrize("state", range(len(STATES)))
@pytest.mark.parametrize("threads", [0, 1, 3, PLACES])
def test_each_place_of_a_thread_spends_a_cycle_in_some_state(made, state, threads):
    """A place without a thread is idle. Where no block runs all of them are in the state of the core."""
    made.core.state, made.core.threads, made.unanswered = state, threads, 2
    edge(made)
    expected = [0] * len(STATES)
    expected[state] += PLACES if state in (IDLE, DONE) else threads
    expected[IDLE] += PLACES - sum(expected)
    assert made.core.spent.tolist() == expected


@pytest.mark.parametrize("state", range(len(STATES)))
def test_a_core_that_is_reset_does_nothing_else(made, state):
    made.core.state, made.gpu.dispatcher.reset = state, np.uint64(1 << NUMBER)
    assert edge(made) == 1
    assert (made.calls, made.core.state) == (["reset"], state)
    made.calls.clear()
    made.gpu.dispatcher.reset = np.uint64(0b101)  # those of others
    edge(made)
    assert "reset" not in made.calls


@pytest.mark.parametrize("prefetch", [0, 1])
@pytest.mark.parametrize("moves", [0, 1])
def test_a_core_in_fetch_waits_until_its_own_instruction_is_there(made, prefetch, moves):
    for held, address in product((fetcher.IDLE, fetcher.FETCHING, fetcher.FETCHED), (4, 5)):
        made.core.state, made.core.program_wait, made.gpu.prefetch, made.changed["fetcher_edge"] = FETCH, 0, prefetch, moves
        made.core.fetcher.state, made.core.fetcher.address = held, address
        made.calls.clear()
        there = held == fetcher.FETCHED and address == 5
        assert edge(made) == (1 if there else moves)
        assert (made.core.state, made.core.program_wait, made.calls) == (DECODE if there else FETCH, 0 if there else 3, ["fetcher_edge"])


@pytest.mark.parametrize("prefetch", [0, 1])
@pytest.mark.parametrize("moves", [0, 1])
def test_a_core_in_wait_goes_on_when_all_threads_have_their_answer(made, moves, prefetch):
    """Its fetcher is clocked where it fetches ahead. That either has moved is that something has."""
    for unanswered, ahead in product((0, 1, 3), (0, 1)):
        made.core.state, made.core.data_wait, made.unanswered, made.gpu.prefetch = WAIT, 10, unanswered, prefetch
        made.changed |= {"lsu_edge": moves, "fetcher_edge": ahead}
        made.calls.clear()
        found = edge(made)
        clocked = ["fetcher_edge"] * prefetch
        if unanswered:
            assert (made.core.state, made.core.data_wait, made.calls) == (WAIT, 10 + unanswered, [*clocked, "lsu_edge"])
            if prefetch:
                assert bool(found) == bool(moves or ahead)
        else:
            assert (found, made.core.state, made.core.data_wait, made.calls) == (1, EXECUTE, 10, clocked)


@pytest.mark.parametrize("prefetch", [0, 1])
@pytest.mark.parametrize(
    ("state", "clocked", "after"),
    [
        (DECODE, ["decode"], REQUEST),
        (REQUEST, ["read", "begin"], WAIT),
        (EXECUTE, ["execute_alu", "execute_pc"], UPDATE),
        (UPDATE, ["update"], UPDATE),
    ],
)
def test_an_instruction_takes_a_state_a_cycle(made, state, clocked, after, prefetch):
    made.core.state, made.gpu.prefetch = state, prefetch
    assert edge(made) == 1
    fetches = ["fetcher_edge"] * (prefetch or state == DECODE)
    assert (made.calls, made.core.state) == ([*fetches, *clocked], after)


@pytest.mark.parametrize("moves", [0, 1])
def test_a_core_without_a_block_says_what_its_units_say_and_one_that_is_done_that_nothing_moves(made, moves):
    made.core.state, made.changed["idle"] = IDLE, moves
    assert (edge(made), made.calls) == (moves, ["idle"])
    made.core.state = DONE
    assert (edge(made), made.calls) == (0, ["idle"])


@pytest.mark.parametrize(("access", "skip", "after"), [(NO_ACCESS, 0, WAIT), (NO_ACCESS, 1, EXECUTE), (LOAD, 0, WAIT), (LOAD, 1, WAIT)])
def test_the_wait_for_memory_is_left_out_where_the_core_may_and_the_instruction_has_no_access(made, access, skip, after):
    made.core.state, made.core.row, made.gpu.skip_wait, made.tables.signals[1, ACCESS] = REQUEST, 1, skip, access
    assert (edge(made), made.core.state) == (1, after)


@pytest.mark.parametrize(("start", "fresh"), [*product((0, 0b10, 0b101), (0, 1))])
def test_an_idle_core_hears_of_its_block_once_and_starts_when_it_may(monkeypatch, start, fresh):
    gpu, (core,) = mirror(zeros((), SequencerGpu)), mirror(zeros(1, SequencerCore))
    heard = []
    monkeypatch.setattr(sequencer, "follow_block", lambda *given: heard.append(1))
    gpu.dispatcher.start, core.fresh = np.uint64(start), fresh
    starts = start == 0b10
    assert sequencer.idle(gpu, core, NUMBER) == (1 if starts else fresh)
    assert (core.state, core.fresh, len(heard)) == (FETCH if starts else IDLE, 0, fresh)


@pytest.mark.parametrize(("ends", "fault"), [(0, 0), (0, 3), (1, 0)])
def test_an_instruction_is_counted_when_its_results_are_written(monkeypatch, ends, fault):
    """After the last one of a block the core is done; a fault on the way to the next one leaves it where it is."""
    gpu, (core,) = mirror(zeros((), SequencerGpu)), mirror(zeros(1, SequencerCore))
    calls = []
    monkeypatch.setattr(sequencer, "write", lambda *given: calls.append("write"))
    monkeypatch.setattr(sequencer, "advance", lambda *given: calls.append("advance") or setattr(gpu.fault, "kind", fault))
    core.state, core.ends, core.threads, core.instructions, core.thread_instructions = UPDATE, ends, 3, 7, 20
    core.lsu.done, gpu.dispatcher.finished = np.uint64(0b111), np.uint64(0b100)
    sequencer.update(gpu, core, NUMBER, None)
    assert (core.instructions, core.thread_instructions, core.lsu.done) == (8, 23, 0)
    assert calls == (["write"] if ends else ["write", "advance"])
    assert core.state == (DONE if ends else UPDATE if fault else FETCH)
    assert gpu.dispatcher.finished == (0b110 if ends else 0b100)


@pytest.mark.parametrize("busy", [0, 1, 3])
@pytest.mark.parametrize("lines", [(0, 0), (0b10, 0), (0, 0b1)])
def test_the_way_to_data_memory_is_quiet_when_no_line_is_up_and_no_channel_busy(monkeypatch, lines, busy):
    gpu = SimpleNamespace(cores=2, data_quiet=7, data=SimpleNamespace(busy=busy, read_request=[EMPTY] * 2, write_request=[EMPTY] * 2))
    cores = [SimpleNamespace(lsu=number) for number in range(2)]
    for name in ("pass_answers", "controller_edge", "answer_data"):
        monkeypatch.setattr(sequencer, name, lambda *given: 0)
    monkeypatch.setattr(sequencer, "pass_requests", lambda data, lsu, number: np.uint64(lines[number]))
    assert sequencer.data_edge(gpu, cores, SimpleNamespace(memory=None)) == 0
    assert gpu.data_quiet == (lines == (0, 0) and busy == 0)


@pytest.mark.parametrize(("before", "after"), [*product(((0, 0), (1, 0), (0, 1)), repeat=2)])
def test_a_request_that_comes_or_goes_is_a_move(monkeypatch, before, after):
    data = SimpleNamespace(busy=0, read_request=[np.uint64(before[0])], write_request=[np.uint64(before[1])])
    for name in ("pass_answers", "controller_edge", "answer_data"):
        monkeypatch.setattr(sequencer, name, lambda *given: 0)

    def passed(data, lsu, number):
        data.read_request[0], data.write_request[0] = map(np.uint64, after)
        return EMPTY

    monkeypatch.setattr(sequencer, "pass_requests", passed)
    gpu = SimpleNamespace(cores=1, data_quiet=7, data=data)
    assert sequencer.data_edge(gpu, [SimpleNamespace(lsu=0)], SimpleNamespace(memory=None)) == (any(before) != any(after))
