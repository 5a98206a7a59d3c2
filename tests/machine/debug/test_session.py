import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine import random_programs, tiny_kernels
from tests.machine.programs import FREE, GLOBAL, WARP, Assembly
from tests.machine.programs import machine as warp_machine
from tests.machine.stepping import NAMES, RUNS, Straight, gpu_and_program, session
from warploom import GPU
from warploom.machine.debug import session as unit
from warploom.machine.debug.session import EditError, Session
from warploom.machine.debug.stops import Breakpoint, MemoryWatch, NextIssue
from warploom.machine.run.driver import drive

MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("step"), st.integers(1, 40)),
        st.tuples(st.just("back"), st.integers(1, 40)),
        st.tuples(st.just("goto"), st.integers(0, 400)),
        st.tuples(st.sampled_from(["issue", "issue back"]), st.just(1)),
    ),
    min_size=1,
    max_size=8,
)


def moved(found, moves):
    for move, amount in moves:
        if move == "issue":
            found.run([NextIssue()])
        elif move == "issue back":
            found.run_back([NextIssue()])
        else:
            getattr(found, move)(amount)
        yield


@settings(max_examples=12, deadline=None)
@given(tiny_kernels.programs(), tiny_kernels.machines(), MOVES)
def test_cores_of_one_instruction_any_mixture_of_steps_gives_the_state_of_a_straight_run(program, machine, moves):
    preset, changes = machine
    gpu = GPU(preset, set=changes, engine="python")
    straight, found = Straight(gpu, program), Session(gpu.machine(program), engine="python", limit=2000)
    for _ in moved(found, moves):
        assert found.machine.state() == straight.state(found.cycle)


@settings(max_examples=8, deadline=None)
@given(random_programs.statements(), st.sampled_from(["stack", "minpc", "its"]), MOVES)
def test_cores_with_warps_any_mixture_of_steps_gives_the_state_of_a_straight_run(body, divergence, moves):
    program = random_programs.Writer().write(body, 8, 8)
    found = Session(warp_machine(program, core__divergence=divergence, core__threads_per_block=8), engine="python", limit=3000)
    for _ in moved(found, moves):
        straight = warp_machine(program, core__divergence=divergence, core__threads_per_block=8)
        # A position before the end may have the number of the end's: only a run that is not asked to go further stands there.
        drive(straight, engine="python", max_cycles=found.cycle)
        assert found.machine.state() == straight.state()


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_examples_agree_with_a_straight_run_forwards_and_backwards(run):
    straight, found = Straight(*gpu_and_program(*run)), session(*run)
    for cycle in (30, 12, 13, 60, 0, 45):
        found.goto(cycle)
        assert found.machine.state() == straight.state(cycle)
    found.run()
    assert found.status == "done"
    assert found.machine.state() == straight.state(10**6)
    found.back()
    assert not found.ended
    assert found.machine.state() == straight.state(found.cycle)
    found.step()
    assert found.status == "done"
    assert found.machine.state() == straight.state(10**6)


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_every_halt_forwards_is_one_backwards(run):
    found = session(*run)
    stops = [Breakpoint(0), Breakpoint(4), NextIssue(0, 0)]
    forwards, backwards = [], []
    while (said := found.run(stops)) and not found.ended and found.cycle < 200:
        forwards.append((found.cycle, said))
    while said := found.run_back(stops):
        backwards.append((found.cycle, said))
    assert found.cycle == 0
    assert backwards[::-1] == forwards
    assert len(forwards) > 3


@pytest.mark.parametrize("run", RUNS[1:], ids=NAMES[1:])
@pytest.mark.parametrize("place", [0, 4, 7])
def test_leaps_halt_where_single_steps_do(run, place):
    halts = {}
    for leaps in (False, True):
        found = session(*run)
        found.leaps, found._patience = leaps, 2
        halts[leaps] = []
        while said := found.run([Breakpoint(place), MemoryWatch(0, 64)]):
            halts[leaps].append((found.cycle, said))
        halts[leaps].append((found.cycle, found.machine.state()))
    assert halts[True] == halts[False]


def test_the_end_lies_after_the_last_store_and_back_is_the_last_cycle_before():
    # Memory channels: the kernel's last instruction is done before its stores are, and the end is when those are.
    found = session("tiny-simt", "tiny/matmul.asm", {})
    found.run()
    end = found.cycle
    found.back()
    last = found.cycle
    assert last == end - 1
    found.step()
    assert (found.cycle, found.ended) == (end, True)
    found.goto(last)
    found.goto(end)
    assert (found.cycle, found.ended) == (end, True)


def test_a_fault_ends_the_run_and_can_be_gone_back_from():
    found = session("tiny", "tiny/diverge.asm", {})
    found.run()
    assert found.status == "error"
    assert "threads 0, 2 take it" in found.fault
    found.back()
    assert (found.status, found.fault) == ("running", "")
    found.step()
    assert found.status == "error"


def test_a_deadlock_has_the_number_of_the_cycle_before_it():
    text = Assembly()
    text("barrier", a=WARP)  # warp 0 waits at barrier 0, warp 1 at barrier 1: nobody will come
    text("exit")
    found = Session(warp_machine(text.program(threads=8, block=8), core__warps=2), engine="python")
    found.run()
    assert found.status == "error"
    assert "no warp can ever continue" in found.fault
    cycle = found.cycle
    found.back()
    assert (found.cycle, found.ended) == (cycle, False)
    found.step()
    assert (found.cycle, found.ended) == (cycle, True)


# ---- edits


def test_the_run_goes_on_with_a_changed_register():
    found = session("tiny", "tiny/matmul.asm", {})
    loop = found.machine.program.labels["next"]
    found.run([Breakpoint(loop)])
    sum_register = found.machine.program.register_names.index("R8")
    made = found.set_register(0, 0, sum_register, range(4), 42)
    assert [edit.before for edit in made] == [0, 0, 0, 0]
    found.run()
    # 42 more than [1 2; 3 4] x [1 2; 3 4]
    assert found.machine.inspection.memory[8:12].tolist() == [49, 52, 57, 64]


def test_a_changed_byte_of_memory_is_what_a_run_over_that_data_computes():
    found = session("tiny", "tiny/matmul.asm", {})
    found.step(5)
    found.set_memory(7, 9)
    found.run()
    # [1 2; 3 4] x [1 2; 3 9]
    assert found.machine.inspection.memory[8:12].tolist() == [7, 20, 15, 42]


@pytest.mark.parametrize(("value", "there"), [(0, 0), (255, 255), (-1, 255), (-128, 128), (256, None), (-129, None)])
def test_a_value_that_is_put_in_fits_with_a_sign_or_without(value, there):
    found = session("tiny", "tiny/matmul.asm", {})
    if there is None:
        with pytest.raises(EditError, match=f"{value} does not fit: a value here is 0 to 255"):
            found.set_memory(7, value)
    else:
        found.set_memory(7, value)
        assert found.machine.inspection.memory[7] == there


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 200), st.integers(0, 255), MOVES)
def test_an_edit_is_made_again_whenever_the_run_comes_by(cycle, value, moves):
    found = session("tiny", "tiny/matmul.asm", {})
    gpu, program = gpu_and_program("tiny", "tiny/matmul.asm", {})
    found.goto(cycle)
    found.set_memory(200, value)
    for _ in moved(found, moves):
        straight = gpu.machine(program)
        drive(straight, engine="python", max_cycles=min(cycle, found.cycle))
        if found.cycle >= cycle:
            straight.inspection.memory[200] = value
            drive(straight, engine="python", max_cycles=found.cycle)
        assert found.machine.state() == straight.state()


def test_a_new_edit_gives_up_those_of_later_cycles_and_undo_takes_the_last_one_back():
    found = session("tiny", "tiny/matmul.asm", {})
    straight = Straight(*gpu_and_program("tiny", "tiny/matmul.asm", {}))
    for cycle, value in ((100, 1), (200, 2), (150, 3)):
        found.goto(cycle)
        found.set_memory(100, value)
    assert [(edit.cycle, edit.before, edit.value) for edit in found.edits] == [(100, 0, 1), (150, 1, 3)]
    found.goto(300)
    assert found.machine.inspection.memory[100] == 3
    assert [edit.value for edit in found.undo()] == [3]
    assert (found.cycle, found.machine.inspection.memory[100]) == (150, 1)
    found.undo()
    assert found.undo() == []
    found.goto(400)
    assert found.machine.state() == straight.state(400)


def test_a_restart_takes_all_changes_back_and_forgets_what_came_of_them():
    found = session("tiny", "tiny/matmul.asm", {})
    straight = Straight(*gpu_and_program("tiny", "tiny/matmul.asm", {}))
    found.goto(50)
    assert (found.restart(), found.cycle) == ([], 0)
    found.goto(100)
    found.set_memory(100, 7)
    for cycle in (150, 200, 250):
        found.goto(cycle)
        found.checkpoints.take()
    assert ([edit.value for edit in found.restart()], found.cycle) == ([7], 0)
    for cycle in (260, 210, 400):  # the second from a checkpoint, if there is one
        found.goto(cycle)
        assert found.machine.state() == straight.state(cycle)


def test_what_cannot_be_changed_says_why():
    found = session("tiny", "tiny/matmul.asm", {})
    for change, message in (
        (lambda: found.set_memory(256, 1), "there is no memory at address 256: it has 256 bytes"),
        (lambda: found.set_memory(0, 256), "256 does not fit: a value here is 0 to 255"),
        (lambda: found.set_register(0, 1, 0, [0], 1), "there is no warp slot 0:1"),
        (lambda: found.set_register(0, 0, 0, [4], 1), "there is no register 0, 4: there are 17 x 4"),
    ):
        with pytest.raises(EditError) as error:
            change()
        assert str(error.value) == message
    found.run()
    with pytest.raises(EditError, match="the run has ended"):
        found.set_memory(0, 1)
    assert found.edits == []


def test_a_spin_that_is_broken_by_hand_is_no_livelock():
    text = Assembly()
    text.mov(FREE, 64)
    text.label("wait")
    text.load(FREE + 1, FREE)
    text.branch(FREE + 1, "wait", negate=True)
    text.store(FREE, GLOBAL, 64)
    text("exit")
    made = warp_machine(text.program(threads=1), core__divergence="stack")
    made.detector.next_check = 600  # check early, so that the test is short
    found = Session(made, engine="python", limit=40_000)
    found.goto(500)
    found.set_memory(64, 1, 4)
    found.run()
    assert found.status == "done"


# ---- long runs


def test_a_long_run_can_be_interrupted_and_keeps_a_few_checkpoints_only():
    text = Assembly()
    text.label("on")
    text.op("add", FREE, FREE, imm=1)
    text.branch(GLOBAL, "on", negate=True)
    text("exit")
    found = Session(warp_machine(text.program(threads=1), core__divergence="stack"), engine="python", limit=20_000)
    asked = itertools.count()
    assert not found.goto(20_000, lambda: next(asked) == 3)
    assert 0 < found.cycle < 20_000
    assert len(found.checkpoints.cycles) < 60
    stopped = found.cycle
    assert found.run([MemoryWatch(0)], lambda: True) == []
    assert found.cycle == stopped + 1


def test_an_unknown_register_is_not_touched_by_a_change_of_others():
    found = session("guppy", "guppy/if_else.guppy", {})
    found.goto(6)
    before = found.machine.inspection.registers(0, 0).copy()
    found.set_register(0, 0, 3, [1, 5], 7)
    changed = np.argwhere(found.machine.inspection.registers(0, 0) != before)
    assert changed.tolist() == [[3, 1], [3, 5]]


def test_back_is_so_many_cycles_earlier():
    found = session(*RUNS[0])
    found.goto(40)
    found.back(15)
    assert found.cycle == 25
    found.back()
    assert found.cycle == 24


@pytest.mark.parametrize(
    "slow, lengths", [(0, [64, 128, 256, 512, 40]), (3, [64, 32, 16, 8, 16, 32, 64, 128]), (9, [64, 32, 16, 8, 4, 2, 1, 1, 1, 1, 2, 4])]
)
def test_a_run_is_interrupted_after_slices_that_take_about_as_long_as_nobody_minds(monkeypatch, slow, lengths):
    """slow: how many slices take too long. Each of those halves the next, down to a cycle; each of the others doubles it."""
    found, clock, ends = session("tiny", "tiny/matadd.asm", {}), [1000.0], []

    def advance(machine, call, until):
        clock[0] += unit.SLICE_SECONDS * (2 if len(ends) < slow else 0.5)
        machine.gpu["cycle"] = until
        ends.append(until)

    monkeypatch.setattr(unit, "advance", advance)
    monkeypatch.setattr(unit.time, "perf_counter", lambda: clock[0])
    found.checkpoints = SimpleNamespace(due=False)
    target = sum(lengths)
    assert found.goto(target)
    assert np.diff([0, *ends]).tolist() == lengths
