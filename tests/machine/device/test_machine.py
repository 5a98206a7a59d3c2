"""Machines with warps from the outside: what they refuse and why, and what a run leaves."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, config, finished, machine, run, words
from warploom.checks.checker import Checker
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.views import (
    F_RGBA8,
    SAMPLER_COLUMNS,
    VIEW_BYTES,
    VIEW_COLUMNS,
    VIEW_FORMAT,
    VIEW_HEIGHT,
    VIEW_LEVELS,
    VIEW_PITCH,
    VIEW_WIDTH,
)
from warploom.machine.accounting.status import TooManyEvents
from warploom.machine.core.core import Core
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.device.held import Held
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.device.rooms import rooms_of_core
from warploom.machine.device.setup import first_level_of, set_up_core
from warploom.machine.device.storage import set_up_spaces
from warploom.machine.engine.layout import bytes_of
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.occupancy.resident import resident_blocks
from warploom.machine.run.driver import drive

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


@pytest.mark.parametrize(
    ("made", "functions"),
    [
        (lambda code: code("add", dst=A, a=B, b=B), {"access": "no_memory", "load_store": "no_load_store", "memory_system": "no_events"}),
        (lambda code: code.load(A, B), {"access": "access_memory", "sampler": "no_texture", "memory_system": "serve_events"}),
        (lambda code: code.load(A, B, space=u.SHARED_SPACE), {"access": "access_memory", "load_store": "load_store"}),
        (lambda code: code("sample", dst=4, a=B, b=B, view=0, imm=0), {"sampler": "sample_texture", "access": "access_memory"}),
        (lambda code: code("sample_fixed", dst=4, a=B, b=B, c=B, imm=0), {"sampler": "sample_fixed_texture"}),
        (lambda code: code("i2d", dst=4, a=B), {"execute": "execute_with_doubles"}),
        (lambda code: code("exact_int", dst=4, a=B), {"execute": "execute_with_rounding"}),
        (lambda code: code("read_counter", dst=A, imm=0), {"control": "control_with_monitor"}),
    ],
)
def test_a_run_is_handed_the_units_that_its_program_uses(made, functions):
    code = Assembly()
    made(code)
    code("exit")
    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, SAMPLER_COLUMNS), np.int32)
    views[0, [VIEW_BYTES, VIEW_FORMAT, VIEW_WIDTH, VIEW_HEIGHT, VIEW_PITCH, VIEW_LEVELS]] = 4, F_RGBA8, 1, 1, 4, 1
    units = machine(code.program(views=views, samplers=samplers), texture__count=1)._units()
    usual = {
        "execute": "execute", "control": "control", "sampler": "no_texture", "translate": "no_translation", "wide": "no_wide",
        "step": "step", "watch": "no_watch",
    }  # fmt: skip
    found = {name: getattr(units, name).__name__ for name in usual | functions}
    assert found == usual | functions


def test_a_cycle_is_that_of_the_machines_kind():
    assert machine(program(), core__divergence="dwf")._units().step.__name__ == "step_forming_warps"
    assert machine(program(), core__schedulers=2, core__issues_per_turn=1)._units().step.__name__ == "step_in_turns"


def test_a_policy_of_a_users_own_is_asked_in_each_cycle_and_the_others_when_they_say_so():
    assert machine(program(), policy=lambda s, now: -1).gpu["every_cycle"] == 1
    for name, row in POLICIES.items():
        assert machine(program(), core__scheduler=name).gpu["every_cycle"] == row.every_cycle


@pytest.mark.parametrize("repeated", [False, True])
def test_memory_that_is_held_stays_where_it_is_and_is_copied_for_a_run_that_is_to_be_repeated(repeated):
    held = Held(4096)
    held.used = 1024
    held.words[:] = 7
    before = held.copy() if repeated else None
    made = PipelineMachine(config(), program(), held=held, before=before)
    assert made.initial_memory.view(np.uint32).tolist() == ([7] * 256 if repeated else [])
    final = made._final_memory()
    assert final.view(np.uint32).tolist() == ([7] * 256 if repeated else [])
    held.words[:] = 8
    assert not (final.view(np.uint32) == 8).any() and (made._rebuild() is None) != repeated


@pytest.mark.parametrize("users", [None, lambda s, now: -1])
def test_each_core_is_set_up_as_the_first_is_but_for_its_number(users):
    made = machine(program(), policy=users, gpu__cores=2, core__schedulers=2)
    gpu = mirror(made.gpu)
    resident = resident_blocks(made.config, made.program, int(gpu.grid.block_threads), int(gpu.grid.warps))
    for number in range(2):
        alone = zeros(1, Core, rooms_of_core(made.config, made.loaded, first_level_of(made.config, made.loaded, resident)))
        core = mirror(alone.reshape(()))
        set_up_core(core, number, resident, made.config, made.loaded)
        set_up_spaces(core, made.config, made.program, made.storage)
        assert np.array_equal(bytes_of(made.cores).reshape(2, -1)[number], bytes_of(alone)), number


@pytest.mark.parametrize("how", [{}, {"tracing": True}, {"recording": True}, {"watcher": True}], ids=lambda how: next(iter(how), "plain"))
def test_a_machine_ends_with_its_last_user(how):
    """Without waiting for a collection of circles: a machine that is checked takes gigabytes of address space."""
    checker = Checker() if how.pop("watcher", False) else None
    gc.collect()
    gc.disable()
    try:
        machine = PipelineMachine(config(), program(), watcher=checker, **how)
        drive(machine, engine="python", max_cycles=1000)
        if checker is not None:
            assert checker.fault("") is None
        there = weakref.ref(machine)
        del machine
        assert there() is None
    finally:
        gc.enable()
