"""Machines that are built once and run often, and what one is built with: each is as if it were new."""

from dataclasses import replace

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, Assembly, config, machine, spinning
from warploom.isa import uop as u
from warploom.isa.regions import SPACE_BYTES, Region
from warploom.isa.table_check import ProgramError
from warploom.isa.views import F_RGBA8, VIEW_BYTES, VIEW_COLUMNS, VIEW_FORMAT, VIEW_HEIGHT, VIEW_LEVELS, VIEW_PITCH, VIEW_WIDTH
from warploom.machine.accounting import events as e
from warploom.machine.accounting.status import LaunchError
from warploom.machine.device.held import Held
from warploom.machine.device.machine import EVENT_ROWS, MEMORY_ROWS_A_CYCLE, ROWS_A_CYCLE, PipelineMachine
from warploom.machine.run.driver import drive
from warploom.machine.run.runnable import MOST_EVENTS

A, B = FREE, FREE + 1


def program(scalars=(7, 9), width=1):
    """Every thread adds 1 to a word and writes a note."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.load(B, A)
    code.op("add", B, B, imm=1)
    code.store(A, B)
    code("note", a=B, b=A, c=B, imm=3)
    code("exit")
    views = np.zeros((1, VIEW_COLUMNS), np.int32)
    views[0, [VIEW_BYTES, VIEW_FORMAT, VIEW_WIDTH, VIEW_HEIGHT, VIEW_PITCH, VIEW_LEVELS]] = 4 * width, F_RGBA8, width, 1, 4 * width, 1
    made = code.program(threads=20, block=8, scalars=2, views=views)
    return replace(made, launch=replace(made.launch, scalars=scalars))


def held_machine(program, fill=7, **more):
    held = Held(4096)
    held.used = 1024
    held.words[:] = fill
    return PipelineMachine(config(), program, held=held, **more)


def test_a_machine_that_begins_again_is_as_one_that_is_built_anew_for_the_next_launch():
    made = held_machine(program(), reusable=True)
    for scalars, width in (((1, 2), 3), ((5, 6), 2), ((7, 9), 1)):
        before = made.detector
        assert drive(made, engine="python").status == "done"
        assert made.notes[0, 0] == 20 and made.profile.any()
        next_one = program(scalars, width)
        made.begin_again(next_one)
        made.held.words[:] = 7
        new = held_machine(next_one)
        assert made.state() == new.state()
        assert np.array_equal(made.views, new.views) and made.program.launch.scalars == scalars
        assert made.detector is not before and made.detector.snapshot() == new.detector.snapshot()
        assert np.array_equal(made.program.views, next_one.views)


def test_a_machine_does_not_begin_again_with_a_view_of_what_is_not_there():
    made = held_machine(program(), reusable=True)
    views = program().views.copy()
    views[0, VIEW_BYTES] = 4096
    with pytest.raises(ProgramError):
        made.begin_again(replace(program(), views=views))
    with pytest.raises(ProgramError):
        machine(replace(program(), views=np.where(np.arange(VIEW_COLUMNS) == VIEW_BYTES, 1 << 20, program().views)))


def test_views_of_a_machine_that_is_held_are_its_own():
    launched = program()
    made = held_machine(launched, reusable=True)
    made.begin_again(program(width=5))
    assert np.array_equal(launched.views, program().views)


@pytest.mark.parametrize(("tracing", "recording"), [(False, False), (True, False), (False, True), (True, True)])
def test_events_have_room_where_somebody_looks_on(tracing, recording):
    made = PipelineMachine(config(), program(), tracing=tracing, recording=recording)
    assert made.tracing == bool(made.gpu["log"]["tracing"]) == (tracing or recording)
    assert len(made.event_buffer) > EVENT_ROWS if tracing or recording else len(made.event_buffer) == 1
    assert (made.recorder is not None) == recording
    assert made.most_events == MOST_EVENTS


def test_events_are_handed_on_once_and_a_recorder_hears_of_it():
    made, drained = machine(program(), tracing=True), []
    made.event_buffer[:3] = np.arange(3)[:, None]
    made.recorder = type("Recorder", (), {"drained": lambda self: drained.append(1)})()
    made.drain()
    assert (made.events, drained) == ([], [])
    made.gpu["log"]["rows"] = 3
    for _ in range(2):
        made.drain()
        assert [rows.tolist() for rows in made.events] == [[[row] * e.EVENT_COLUMNS for row in range(3)]]
        assert (int(made.gpu["log"]["rows"]), drained) == (0, [1])
    made.event_buffer[:] = 9
    assert made.events[0][0, 0] == 0


def test_addresses_go_up_to_the_end_of_memory_or_of_the_space_where_it_has_regions():
    assert int(machine(program()).gpu["memory_bytes"]) == 4096
    assert int(held_machine(program()).gpu["memory_bytes"]) == 1024
    code = Assembly()
    code("exit")
    mapped = code.program(regions=(Region("table", 1 << 20, 4096),))
    assert int(machine(mapped).gpu["memory_bytes"]) == SPACE_BYTES


def test_only_warps_that_are_formed_anew_move_threads_and_only_where_they_may():
    code = Assembly()
    code("exit")
    free = code.program()
    tied = program()  # a note names the warp
    for mechanism, moving in (("dwf", True), ("stack", False)):
        assert machine(free, core__divergence=mechanism).moves_threads == moving
        assert machine(tied, core__divergence=mechanism).moves_threads is False


def test_each_core_is_set_up_in_its_own_place():
    made = machine(program(), gpu__cores=3)
    assert made.cores["number"].tolist() == [0, 1, 2]
    assert made._gpu_record().tobytes() == made.gpu.tobytes()


@pytest.mark.parametrize("before", [False, True])
def test_what_a_run_over_held_memory_gave_stays_when_the_machine_begins_again(before):
    made = held_machine(program(), reusable=True, before=Held(4096) if before else None)
    result = made.finish(drive(made, engine="python"))
    counted = result.detail.profile.copy()
    made.begin_again(program())
    assert counted.any() and np.array_equal(result.detail.profile, counted)
    assert len(result.memory) == (1024 if before else 0)
    assert (result.mapped is None, len(result.notes)) == (True, 20)


@pytest.mark.parametrize(("mechanism", "yields"), [("its", True), ("stack", False), ("masks", False), ("uniform", False)])
def test_loops_that_wait_give_way_where_another_path_can_go_on(mechanism, yields):
    assert bool((machine(spinning(), core__divergence=mechanism).program.uops[:, u.FLAGS] & u.YIELDS).any()) == yields


def test_what_has_room_for_each_thread_has_room_for_those_of_the_machine_or_of_a_core():
    """4 warps of 4 lanes, and 3 cores."""
    of_all = Region("stacks", 1 << 20, 64, thread_bytes=16)
    of_core = Region("local", 2 << 20, 64, thread_bytes=16, of_core=True)
    plain = Region("table", 3 << 20, 64)
    code = Assembly()
    code("exit")
    made = machine(code.program(regions=(of_all, of_core, plain)), gpu__cores=3).program.regions
    assert [region.bytes for region in made] == [3 * 16 * 16, 16 * 16, 64]
    assert [region.end for region in made] == [region.end for region in (of_all, of_core, plain)]


@pytest.mark.parametrize("mechanism", ["dwf", "stack"])
def test_threads_that_move_take_their_numbers_along_in_registers_and_others_read_those_of_their_place(mechanism):
    code = Assembly()
    code("special", dst=A, imm=u.SPECIAL_NUMBER["thread"])
    code("exit")
    made = machine(code.program(), core__divergence=mechanism)
    assert u.OPERATIONS[made.uops[0, u.OP]].name == ("mov" if mechanism == "dwf" else "special")
    assert u.OPERATIONS[made.program.uops[0, u.OP]].name == "special"


def test_pages_appear_where_a_program_uses_an_address_between_its_regions_but_where_somebody_looks_for_such():
    spare = replace(program(), spare_pages=2)
    assert machine(spare, memory__bytes=1 << 24).storage.pages == 2
    assert machine(spare).storage.pages == 1  # as many as the machine's memory holds, at least one
    assert held_machine(spare).storage.pages == 0
    assert machine(program()).storage.pages == 0


def test_the_events_of_a_cycle_of_all_cores_fit_behind_the_last_that_was_asked_about():
    rows = [len(machine(program(), tracing=True, gpu__cores=cores).event_buffer) for cores in (1, 2, 5)]
    assert rows == [EVENT_ROWS + ROWS_A_CYCLE * cores + MEMORY_ROWS_A_CYCLE for cores in (1, 2, 5)]


def test_a_machine_is_built_with_what_the_second_level_cache_held():
    held = Held(4096)
    held.used = 1024
    first = PipelineMachine(config(), program(), held=held)
    drive(first, engine="python")
    cache = first.gpu["l2"]["cache"]
    assert cache["tag"].any()
    held.take_from(cache, first.cycle)
    second = PipelineMachine(config(), program(), held=held).gpu["l2"]["cache"]
    assert np.array_equal(second["tag"], cache["tag"]) and not second["hits"]


def test_a_program_that_a_machine_cannot_run_is_refused_when_it_is_built():
    with pytest.raises(LaunchError, match="has no instructions"):
        machine(Assembly().program())
    code = Assembly()
    code("grid_barrier")
    code("exit")
    machine(code.program(threads=16, block=4))
    with pytest.raises(LaunchError, match="the blocks of the grid wait for each other, so all 5 must be on the machine at once"):
        machine(code.program(threads=20, block=4))
