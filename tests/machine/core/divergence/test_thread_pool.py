"""The pool of threads: who is in it, and what a thread takes along when it changes warps."""

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, core_of
from tests.machine.core.unit_bench import mask as mask_of
from tests.machine.programs import FREE, LANE, Assembly, config, machine
from tests.machine.two_engines import both
from warploom.isa import uop as u
from warploom.isa.uop import scalar
from warploom.machine.accounting.reasons import BRANCH_RESOLVING, WAIT
from warploom.machine.core.core import Core
from warploom.machine.core.divergence import dwf
from warploom.machine.core.divergence.path_table import AT_BARRIER, READY, put
from warploom.machine.core.divergence.thread_pool import (
    ISSUED,
    OF_A_THREAD,
    at_barrier,
    change_places,
    depends_on_warps,
    note_issue,
    oldest_arrival,
    ready_lanes_at,
    ready_warps,
    with_thread_numbers,
)
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.engine.unit import unit, zeros

A, B, C = range(FREE, FREE + 3)
LANES, REGISTERS = 4, 3
HERE, THERE, ELSEWHERE = 7, 9, 12  # instructions


def core(masks, pcs):
    """A core whose warp slots run these masks at these PCs; register r of lane l of warp w holds 100 w + 10 r + l."""
    made = zeros(1, Core)
    warps = made["warps"]
    warps["lanes"], warps["slots"], made["thread_pool"]["registers"] = LANES, len(masks), REGISTERS
    for warp, (mask, pc) in enumerate(zip(masks, pcs, strict=True)):
        warps["active"] |= np.uint64(1 << warp)
        warps["mask"][0, warp], warps["threads"][0, warp], warps["pc"][0, warp] = mask, mask, pc
        for register in range(REGISTERS):
            made["registers"]["lane"][0, warp, register, :LANES] = 100 * warp + 10 * register + np.arange(LANES)
        made["thread_pool"]["arrived"][0, warp, :LANES] = 1000 * warp + np.arange(LANES)
        made["fences"]["at"][0, warp, :LANES] = 10 * warp + np.arange(LANES)
        made["fences"]["until"][0, warp, :LANES] = 500 * warp + np.arange(LANES)
    return made


@unit
def waits(cores, warp, mask, pc, state):
    """Lanes of a warp wait as one more group."""
    put(cores[0].path_table, warp, np.uint64(mask), pc, state)
    cores[0].warps.threads[warp] |= np.uint64(mask)
    return 0


@unit
def join(cores, warp, other, movers):
    change_places(cores[0], warp, other, np.uint64(movers))
    return 0


def groups(made, warp):
    """PC to lanes of the groups of a warp, the running one first."""
    warps, paths = made["warps"][0], made["path_table"][0]
    rows = range(int(paths["count"][warp]))
    running = {int(warps["pc"][warp]): int(warps["mask"][warp])} if warps["mask"][warp] else {}
    return running | {int(paths["pc"][warp, row]): int(paths["mask"][warp, row]) for row in rows}


def with_groups(made, *rows):
    for warp, mask, pc, state in rows:
        _, (made, *_) = both(waits, made, warp, mask, pc, state)
    return made


def registers(made, warp, register):
    return made["registers"]["lane"][0, warp, register, :LANES].tolist()


def test_threads_that_change_places_take_registers_arrival_and_fence_along_and_leave_the_others_alone():
    made = with_groups(core([0b0011, 0b1001], [HERE, THERE]), (0, 0b1100, THERE, READY), (1, 0b0110, HERE, READY))
    _, (made, *_) = both(join, made, 0, 1, 0b0100)
    assert groups(made, 0) == {HERE: 0b0111, THERE: 0b1000}
    assert groups(made, 1) == {THERE: 0b1101, HERE: 0b0010}  # the one that came joins those that run there
    for register in range(REGISTERS):
        assert registers(made, 0, register) == [10 * register, 10 * register + 1, 100 + 10 * register + 2, 10 * register + 3]
        assert registers(made, 1, register) == [100 + 10 * register, 101 + 10 * register, 10 * register + 2, 103 + 10 * register]
    assert made["thread_pool"]["arrived"][0, :2, :LANES].tolist() == [[0, 1, 1002, 3], [1000, 1001, 2, 1003]]
    assert made["fences"]["at"][0, :2, :LANES].tolist() == [[0, 1, 12, 3], [10, 11, 2, 13]]
    assert made["fences"]["until"][0, :2, :LANES].tolist() == [[0, 1, 502, 3], [500, 501, 2, 503]]


def test_a_whole_group_that_ran_leaves_those_that_came_in_its_place():
    made = with_groups(core([0b0011, 0b1100], [HERE, HERE]), (0, 0b1100, THERE, READY), (1, 0b0011, ELSEWHERE, READY))
    made["warps"]["diverged"] = 0b11
    _, (made, *_) = both(join, made, 0, 1, 0b1100)
    assert groups(made, 0) == {HERE: 0b1111}
    assert groups(made, 1) == {ELSEWHERE: 0b0011, THERE: 0b1100}
    assert made["warps"]["mask"][0, 1] == 0  # nobody runs until another group is chosen
    assert int(made["warps"]["diverged"][0]) == 0b10  # warp 0 is of one mind again


def test_a_thread_that_takes_a_lane_without_a_thread_leaves_one():
    made = with_groups(core([0b0001, 0b1111], [HERE, HERE]))
    _, (made, *_) = both(join, made, 0, 1, 0b1110)
    assert made["warps"]["threads"][0, :2].tolist() == [0b1111, 0b0001]
    assert (groups(made, 0), groups(made, 1)) == ({HERE: 0b1111}, {HERE: 0b0001})


@unit
def asked(cores, warp, pc, out):
    out[0] = np.int64(ready_lanes_at(cores[0], warp, pc))
    out[1] = np.int64(at_barrier(cores[0].path_table, warp))
    out[2] = oldest_arrival(cores[0].thread_pool, warp, np.uint64(0b1100))
    return 0


def test_who_stands_where():
    made = with_groups(core([0b0001], [HERE]), (0, 0b0010, THERE, READY), (0, 0b1100, THERE, AT_BARRIER + 1))
    for pc, expected in ((HERE, 0b0001), (THERE, 0b0010), (ELSEWHERE, 0)):
        _, after = both(asked, made, 0, pc, np.zeros(3, np.int64))
        assert after[3].tolist() == [expected, 0b1100, 2]


@unit
def members(cores, now):
    return np.int64(ready_warps(cores[0], now))


NOW = 50


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 0b111),
        ({("warps", "wake", 1): NOW + 1}, 0b101),  # its branch is resolved in the next cycle
        ({("warps", "wake", 1): NOW}, 0b111),
        ({("warps", "pending", 2): 1}, 0b011),  # a load is on its way
        ({("scoreboard", "last", 0): NOW + 1}, 0b110),  # its last instruction is not done
        ({("warps", "mask", 0): 0}, 0b110),
        ({("warps", "stores", 1): 1}, 0b111),
        ({("warps", "stores", 1): 1, ("thread_pool", "fences", None): 1}, 0b101),
        ({("warps", "landed", 1): NOW + 1, ("thread_pool", "fences", None): 1}, 0b101),
        ({("warps", "at_barrier", None): 0b010}, 0b101),
        ({("warps", "starved", None): 0b100}, 0b011),
        ({("warps", "draining", None): 0b001}, 0b110),
    ],
)
def test_a_thread_is_in_the_pool_when_its_instruction_is_done_and_the_next_one_waits_for_its_turn(changes, expected):
    made = core([0b1111] * 3, [HERE] * 3)
    for (record, name, warp), value in changes.items():
        if warp is None:
            made[record][name][0] = value
        else:
            made[record][name][0, warp] = value
    assert both(members, made, NOW)[0] == expected


def single(*fields, **more):
    code = Assembly()
    code(*fields, **more)
    code("exit")
    return code.program()


@pytest.mark.parametrize(
    ("program", "looks"),
    [
        (single("add", dst=A, a=B, b=C), False),
        (single("barrier"), False),
        (single("special", dst=A, imm=u.SPECIAL_NUMBER["thread"]), False),
        (single("ballot", dst=scalar(0), a=A), True),
        (single("shuffle", dst=A, a=B, b=LANE), True),
        (single("push_mask", target=1), True),
        (single("exit_warp"), True),
        (single("mov", dst=A, a=scalar(3)), True),
        (single("barrier", b=A), True),  # it counts warps
        (single("barrier_arrive"), True),
    ],
    ids=lambda value: value.text[0] if hasattr(value, "text") else None,
)
def test_what_depends_on_which_threads_share_a_warp(program, looks):
    assert depends_on_warps(program) is looks
    assert PipelineMachine(config(core__divergence="dwf"), program).cores["thread_pool"]["forms"][0] == (not looks)


def test_thread_numbers_become_registers_behind_the_programs_own():
    program = single("special", dst=A, imm=u.SPECIAL_NUMBER["block"])
    loaded = with_thread_numbers(program)
    assert u.listing(loaded.uops[0]) == f"mov v{A}, v{program.registers + OF_A_THREAD.index('block')}, -".replace(", -", "")
    assert [name for _, name in loaded.launch.registers][-len(OF_A_THREAD) :] == list(OF_A_THREAD)
    assert program.uops[0, u.OP] == u.NUMBER["special"]  # what the user sees is what was written
    same = single("special", dst=A, imm=u.SPECIAL_NUMBER["lanes"])  # the same in all threads
    assert with_thread_numbers(same).uops.tolist() == same.uops.tolist()


def test_a_machine_that_cannot_move_threads_loads_the_program_as_it_is():
    program = single("ballot", dst=scalar(0), a=A)
    assert machine(program, core__divergence="dwf").loaded is program


@pytest.mark.parametrize("buffer", [0, 2])
@pytest.mark.parametrize(("resolving", "wake", "alarmed"), [(True, 90, False), (True, 50, True), (False, 90, True)])
def test_a_warp_that_continues_elsewhere_is_examined_again_and_the_others_are_as_they_were(monkeypatch, buffer, resolving, wake, alarmed):
    """At once, but for one whose branch is still being resolved: that has an alarm."""
    _, cores, _ = bench(core__warps=6)
    core, warps, warp, everyone = cores[0], cores[0].warps, 3, mask_of(*range(6))
    warps.awake = warps.wake_time_known = warps.starved = everyone
    warps.wants[:], warps.pc[warp], warps.wake[warp] = everyone, 17, wake
    warps.reason[warp] = BRANCH_RESOLVING if resolving else WAIT
    core.fetch.buffer = buffer
    redirected, alarms = [], []
    monkeypatch.setattr(dwf, "redirect", lambda fetch, warp, pc: redirected.append((warp, int(pc))))
    monkeypatch.setattr(dwf, "set_alarm", lambda warps, warp, time, now: alarms.append((warp, time, now)))
    dwf._examine_again(core, warp, 50)
    left = everyone & ~mask_of(warp)
    assert warps.awake == warps.wake_time_known == warps.starved == left
    assert warps.wants.tolist() == [int(left)] * len(warps.wants)
    assert redirected == ([(warp, 17)] if buffer else [])
    assert alarms == ([(warp, 50, 50)] if alarmed else [])


def test_a_warp_that_was_launched_or_has_issued_is_noted_once():
    """Launched in cycle 7; its lanes 0 and 2 issue in cycle 20. In cycle 30 a new warp is in the slot."""
    _, made, _ = core_of()
    made.warps.started[3], made.warps.lanes, made.warps.expanded_from[3] = 7, 4, mask_of(0, 2)
    special, pool = made.registers[3].special, made.thread_pool
    noted = []
    for cycle in (5, 5, 20, 20):
        special[ISSUED] = cycle
        noted.append((note_issue(made, 3), pool.arrived[3, :4].tolist()))
    before, after = [7] * 4, [20, 7, 20, 7]
    assert noted == [(1, before), (0, before), (1, after), (0, after)]
    made.warps.started[3] = 30
    assert [note_issue(made, 3), note_issue(made, 3), pool.arrived[3, :4].tolist()] == [1, 0, [30] * 4]
