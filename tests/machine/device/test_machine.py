"""Machines with warps from the outside: what they refuse and why, and what a run leaves."""

from dataclasses import replace

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, config, finished, machine, run, words
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.machine.accounting.status import TooManyEvents

A, B, C = range(FREE, FREE + 3)


def program():
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.load(B, A)
    code.op("add", B, B, imm=1)
    code.store(A, B)
    code("exit")
    return code.program(threads=20, block=8)


def test_data_are_where_the_program_says_and_memory_ends_where_the_machine_says():
    data = np.arange(40, dtype=np.uint8)
    result = run(program().with_data(data))
    expected = data.view(np.uint32).astype(np.uint32)
    assert len(result.memory) == 4096
    assert words(result)[:10].tolist() == (expected + 1).tolist()
    assert words(result)[10:20].tolist() == [1] * 10
    assert result.initial_memory[:40].tolist() == data.tolist()


def test_a_program_may_want_more_memory_than_the_preset_has():
    assert len(run(replace(program(), memory_bytes=10_000)).memory) == 10_000


def test_the_final_registers_are_there():
    result = run(program())
    assert result.detail.registers.shape[-1] >= 1


def test_two_machines_that_go_the_same_way_have_the_same_state_and_others_have_not():
    one_, two, other = finished(program()), finished(program()), finished(program(), l1__latency=5)
    assert one_.state() == two.state()
    assert one_.state() != other.state()


def test_results_of_both_engines_are_equal():
    plain, fast = run(program()), GPU(config(), engine="native").run(program())
    assert (plain.cycles, plain.counters, plain.status) == (fast.cycles, fast.counters, fast.status)
    assert np.array_equal(plain.memory, fast.memory)
    assert np.array_equal(plain.detail.profile, fast.detail.profile)


def test_reconvergence_points_are_found_for_machines_with_a_stack_only():
    code = Assembly()
    code.branch(LANE, "end")
    code("nop")
    code.label("end")
    code("exit")
    assert machine(code.program()).program.uops[0, u.RECONVERGE] == 2
    assert machine(code.program(), core__divergence="uniform").program.uops[0, u.RECONVERGE] == u.NONE


def test_as_many_events_are_kept_as_may_be_and_one_more_is_too_many():
    made = machine(program(), tracing=True)
    made.most_events = 5
    for rows in (np.full((2, 8), 1), np.full((3, 8), 2)):
        made._hand_on(rows)
    with pytest.raises(TooManyEvents, match=r"^test has written down more than 5 events in 0 cycles, the most that are kept here"):
        made._hand_on(np.full((1, 8), 3))
    assert [len(rows) for rows in made.events] == [2, 3]
