"""Probes: what a listener hears is what the unit was given and what it answered, and listening changes nothing."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, Assembly, config
from tests.machine.tiny_kernels import assemble
from warploom import GPU
from warploom.machine.accounting import events as e
from warploom.machine.core.load_store.coalescer import coalesce, coalesce_run
from warploom.machine.core.scheduling.policies import round_robin
from warploom.machine.core.texture.sampler import sample
from warploom.machine.core.warps.scoreboard import blocking_group, mark_busy
from warploom.machine.datapath.alu import execute
from warploom.machine.run.driver import drive
from warploom.machine.run.probe import Probe, copies
from warploom.machine.sequencer.sequencer import cycle


def program():
    """Some arithmetic, a load and a store whose lanes are 8 bytes apart, by two warps."""
    assembly = Assembly()
    assembly.op("shl", FREE, GLOBAL, imm=3)
    assembly.load(FREE + 1, FREE)
    assembly.op("add", FREE + 1, FREE + 1, GLOBAL)
    assembly.store(FREE, FREE + 1)
    assembly("exit")
    return assembly.program(threads=8)


def run(*probes, engine="python", **options):
    return GPU(config(), engine=engine).run(program(), probes=probes, **options)


def heard(unit, *, keep=copies):
    """All calls of a unit in a run, and the run's result."""
    calls = []
    return calls, run(Probe(unit, calls.append, keep), tracing=True)


def test_the_scheduler_is_heard_with_its_state_before_and_after_and_its_choice():
    calls, result = heard("policy")
    rows = result.detail.events
    issued = [(int(row[e.TIME]), int(row[e.WARP])) for row in rows[rows[:, e.KIND] == e.ISSUE]]
    assert [(call.cycle, call.answer) for call in calls if call.answer >= 0] == issued
    for call in calls:
        scheduler, now = call.before
        assert now == call.cycle
        assert round_robin(scheduler, now) == call.answer
        assert call.after[0].eligible == scheduler.eligible


def test_a_part_that_units_call_by_name_is_heard_and_answers_the_same_to_what_was_copied():
    calls, _ = heard(blocking_group)
    assert {call.answer[0] >= 0 for call in calls} == {True, False}
    for call in calls:
        assert blocking_group(*call.before) == call.answer
        assert np.array_equal(call.before[0].ready, call.after[0].ready)


def test_what_a_unit_writes_is_in_the_arguments_after_and_not_in_those_before():
    calls, _ = heard(mark_busy)
    assert any((call.before[0].ready != call.after[0].ready).any() for call in calls)
    for call in calls:
        mark_busy(*call.before)
        assert np.array_equal(call.before[0].ready, call.after[0].ready)


def test_the_coalescer_is_heard_wherever_it_is_called():
    lanes_apart, runs = [], []
    result = run(Probe(coalesce, lanes_apart.append), Probe(coalesce_run, runs.append))
    assert sum(call.answer for call in lanes_apart + runs) == result.counters["transactions"] == 4
    for call in lanes_apart:
        *_, lines, _ = call.after
        touched = {int(address) // 64 for address in call.before[1][:4]}
        assert set(lines[: call.answer].tolist()) == touched


def test_only_what_is_wanted_is_kept():
    calls, _ = heard("execute", keep=lambda registers, tables, k, lanes: int(k))
    assert {call.before for call in calls} == {0, 2}
    assert all(call.before == call.after for call in calls)
    assert len(calls) == 2 * 2  # micro-ops of the ALU, by two warps


def test_two_probes_of_one_unit_hear_the_same():
    one, two = [], []
    run(Probe("policy", one.append), Probe(round_robin, two.append))
    assert [(call.cycle, call.answer) for call in one] == [(call.cycle, call.answer) for call in two] != []


def test_bytes_are_those_of_a_run_without_probes():
    silent, listened = (GPU(config()).machine(program()) for _ in range(2))
    listened.probes += [Probe(unit, lambda call: None) for unit in ("policy", "access", "step", blocking_group, mark_busy, coalesce)]
    for machine in (silent, listened):
        assert drive(machine, engine="python").status == "done"
    assert silent.state() == listened.state()


def test_other_machines_are_not_heard():
    calls = []
    listened, other = (GPU(config()).machine(program()) for _ in range(2))
    listened.probes.append(Probe(blocking_group, calls.append))
    drive(other, engine="python")
    assert calls == []
    drive(listened, engine="python")
    count = len(calls)
    drive(GPU(config()).machine(program()), engine="python")
    assert len(calls) == count > 0


def test_a_users_own_policy_is_heard():
    def highest(s, now):
        return np.int64(int(s.eligible).bit_length() - 1)

    calls = []
    GPU(config(), engine="python", scheduler=highest).run(program(), probes=[Probe(highest, calls.append)])
    assert all(call.answer == int(call.before[0].eligible).bit_length() - 1 for call in calls)
    assert any(call.answer == 1 for call in calls)


def test_cores_that_run_one_instruction_at_a_time_are_heard_too():
    edges, alus = [], []
    probes = [Probe(cycle, edges.append, lambda gpu, *_: int(gpu.cycle)), Probe(execute, alus.append, lambda *_: None)]
    result = GPU("tiny", engine="python").run(assemble("CONST R1, #7\nADD R2, R1, R1\nSTR R2, R1\nRET"), probes=probes)
    assert [(call.cycle, call.before) for call in edges] == [(number, number) for number in range(result.cycles)]
    assert alus


def test_a_run_that_may_choose_its_engine_stays_in_plain_python(monkeypatch):
    monkeypatch.setattr("warploom.machine.run.driver.PATIENCE_COMPILE", 0.0)
    assert run(Probe("policy", lambda call: None), engine="auto").engine == "python"


def test_a_native_run_with_probes_is_refused():
    with pytest.raises(ValueError) as caught:
        run(Probe("policy", print), engine="native")
    assert str(caught.value) == "probes listen to plain Python: run it with engine='python'"


def test_a_name_that_the_machine_was_not_handed_is_refused():
    with pytest.raises(ValueError, match=r"^a probe of 'coalescer': this machine was handed execute, policy, control, access, "):
        run(Probe("coalescer", print))


def test_a_unit_that_the_machine_does_not_reach_is_refused():
    with pytest.raises(ValueError) as caught:
        GPU("tiny", engine="python").run(assemble("RET"), probes=[Probe(sample, print)])
    assert str(caught.value) == "a probe of sample: this machine does not reach it"
