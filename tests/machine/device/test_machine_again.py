"""Machines that are built once and run often, and what one is built with: each is as if it were new."""

from dataclasses import replace

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, Assembly, config, machine
from warploom.isa.regions import SPACE_BYTES, Region
from warploom.isa.table_check import ProgramError
from warploom.isa.views import F_RGBA8, VIEW_BYTES, VIEW_COLUMNS, VIEW_FORMAT, VIEW_HEIGHT, VIEW_LEVELS, VIEW_PITCH, VIEW_WIDTH
from warploom.machine.accounting import events as e
from warploom.machine.device.held import Held
from warploom.machine.device.machine import EVENT_ROWS, PipelineMachine
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
        for one, other in zip(made.arrays(), new.arrays(), strict=True):
            assert one.tobytes() == other.tobytes()
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
