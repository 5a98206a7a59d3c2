"""Breakpoints and watchpoints are decided by what the machine itself writes down of a traced run, or by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.stepping import gpu_and_program, session
from warploom.isa.launch import Launch
from warploom.machine.accounting import events as e
from warploom.machine.debug.stops import Breakpoint, MemoryWatch, NextIssue, RegisterWatch, written_by
from warploom.machine.run.protocol import Places, Writer

SAXPY = ("sm", "guppy/saxpy.guppy", {"memory.bytes": 1 << 16})


def issues(run):
    """(cycle, core, warp, instruction) of every issue of a straight run."""
    gpu, program = gpu_and_program(*run)
    rows = gpu.run(program, tracing=True).detail.events
    return [tuple(int(row[column]) for column in (e.TIME, e.CORE, e.WARP, e.PC)) for row in rows[rows[:, e.KIND] == e.ISSUE]]


def halts(found, stop):
    cycles = []
    while found.run([stop]):
        cycles.append(found.cycle)
        if found.ended:
            break
    return cycles


def test_the_next_issue_of_a_warp_is_each_issue_that_a_traced_run_writes_down():
    written = {time + 1 for time, core, warp, _ in issues(SAXPY) if (core, warp) == (0, 1)}
    said = halts(session(*SAXPY), NextIssue(0, 1))
    # Its end is one more, where it does not come with its last issue.
    assert written <= set(said)
    assert len(said) - len(written) <= 1


def test_the_next_issue_of_any_warp_is_every_cycle_with_an_issue():
    assert halts(session(*SAXPY), NextIssue()) == sorted({time + 1 for time, *_ in issues(SAXPY)})


def test_a_warp_halts_once_before_each_issue_of_an_instruction_with_a_breakpoint():
    run = ("guppy", "guppy/while.guppy", {})
    found = session(*run)
    place = max(pc for _, _, _, pc in issues(run)) // 2
    issued = [time for time, _, warp, pc in issues(run) if (warp, pc) == (0, place)]
    came = halts(found, Breakpoint(place, core=0, slot=0))
    assert len(came) == len(issued) > 1
    assert all(cycle <= time for cycle, time in zip(came, issued, strict=True))
    assert all(time < cycle for time, cycle in zip(issued, came[1:], strict=False))


def test_a_warp_that_issues_in_the_cycle_of_its_launch_has_come_to_the_first_instruction():
    run = ("guppy", "guppy/if_else.guppy", {})
    assert (0, 0, 0, 0) in issues(run)
    found = session(*run)
    assert found.run([Breakpoint(0)])[0][1].startswith("warp 0:0 at ")
    assert found.cycle == 1


def test_conditions_leave_out_other_warps_blocks_and_lanes():
    run = ("guppy", "guppy/if_else.guppy", {})
    program = gpu_and_program(*run)[1]
    far = program.labels["FAR"]
    for conditions, halted in (
        ({}, True),
        ({"lane": 25}, True),
        ({"lane": 3}, False),
        ({"core": 0, "slot": 0}, True),
        ({"core": 0, "slot": 5}, False),
        ({"block": 0}, True),
        ({"block": 1}, False),
    ):
        assert bool(session(*run).run([Breakpoint(far, **conditions)])) is halted, conditions


def test_a_byte_of_memory_is_watched():
    found = session("tiny", "tiny/matmul.asm", {})
    ((number, said),) = found.run([MemoryWatch(9, 3)])
    # Four threads store their elements in one cycle, one through each channel, from the highest to the lowest.
    assert (number, said.partition(" at ")[0]) == (
        0,
        "memory[9] was 0 and is 10, and 2 more, written by 3 threads, the last thread 1 of block 0 (warp 0:0, lane 1)",
    )
    assert "matmul.asm:48 (STR R9, R8)" in said
    assert found.machine.memory.view("u1")[8:12].tolist() == [7, 10, 15, 22]
    assert found.run([MemoryWatch(9, 3)]) == []


STORES = (
    ("tiny", "tiny/matadd.asm", {}),
    ("tiny-simt", "tiny/diverge.asm", {"core.divergence": "stack"}),
    ("tiny-simt", "tiny/diverge.asm", {"core.divergence": "its"}),
    SAXPY,
)


@pytest.mark.parametrize("run", STORES, ids=lambda run: f"{run[0]}-{run[1]}")
def test_every_byte_that_changes_in_a_run_has_a_writer_whose_store_was_issued(run):
    found = session(*run)
    machine = found.machine
    written = {}
    while not found.ended and found.cycle < 1500:
        memory, places = machine.inspection.memory.copy(), machine.inspection.places()
        found.step()
        for place in np.flatnonzero(machine.inspection.memory != memory).tolist():
            written[place] = (found.cycle - 1, machine.inspection.writers(places, place, 1))
    assert written and all(writers for _, writers in written.values())
    # Each thread of these kernels writes an element of its own: a byte, or four floats.
    last = {place // (1 if run[1].startswith("tiny") else 16): writers[-1] for place, (_, writers) in written.items()}
    assert len({(one.block, one.thread) for one in last.values()}) == len(last)
    if run[0] != "tiny":
        issued = set(issues(run))
        assert all((time, one.core, one.slot, one.instruction) in issued for time, writers in written.values() for one in writers)


def test_of_several_writers_of_one_cycle_the_last_is_named():
    program = SimpleNamespace(launch=Launch(grid=(2, 2), block=(8, 4)), where=lambda instruction: f"k.py:{instruction}")
    first, second = Writer(0, 1, 7, 2, 7, 9), Writer(0, 1, 11, 2, 11, 9)
    said = lambda *writers: written_by(SimpleNamespace(program=program), writers)  # noqa: E731
    assert said() == ""
    assert said(second) == ", written by thread (3,1) of block (0,1) (warp 0:1, lane 11) at k.py:9"
    assert said(first, second) == ", written by 2 threads, the last thread (3,1) of block (0,1) (warp 0:1, lane 11) at k.py:9"
    assert said(Writer(0, 1, 7, 2, -1, 9)) == ", written by warp 0:1, lane 7 at k.py:9"
    assert said(Writer(0, 1, -1, 2, -1, 9)) == ", written by warp 0:1 at k.py:9"


def test_what_is_changed_by_hand_was_written_by_nobody():
    found = session(*SAXPY)
    found.step(5)
    places = found.machine.inspection.places()
    found.set_memory(64, 9)
    assert found.machine.inspection.writers(places, 64, 1) == []


def test_a_register_is_watched_in_one_lane_or_in_all():
    found = session("tiny", "tiny/matmul.asm", {})
    names = found.machine.program.register_names
    total = names.index("R8")
    # The sum of the products: 1 x 1, then 2 x 3 more, in thread 0.
    assert found.run([RegisterWatch(0, 0, total, 0)])[0][1] == "R8[0] of warp 0:0 was 0 and is 1"
    assert found.run([RegisterWatch(0, 0, total, 0)])[0][1] == "R8[0] of warp 0:0 was 1 and is 7"
    assert found.run_back([RegisterWatch(0, 0, total)])[0][1] == "R8[0] of warp 0:0 was 0 and is 1, and 3 more lanes"


def places(pc, mask, issues, launched=(0, 0, 0)):
    return Places(np.array([pc]), np.array([mask], np.uint64), np.array([issues], np.uint64), np.array([launched], bool))


def looking(now, entry=0, issued=5):
    """A machine of one core whose warps are where `now` says; slot s has block 10 + s."""
    states = [SimpleNamespace(core=0, slot=slot, block=10 + slot) for slot in range(3)]
    inspection = SimpleNamespace(places=lambda: now, issues=lambda instruction: (instruction, issued), warp_states=lambda: states)
    program = SimpleNamespace(launch=SimpleNamespace(entry=entry), where=lambda instruction: f"instruction {instruction}")
    return SimpleNamespace(inspection=inspection, program=program)


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ({}, "warps 0:0, 0:2 at instruction 7"),
        ({"slot": 2}, "warp 0:2 at instruction 7"),
        ({"slot": 1}, ""),
        ({"core": 1}, ""),
        ({"core": 0, "lane": 1}, "warp 0:2 at instruction 7"),
        ({"lane": 0}, "warps 0:0, 0:2 at instruction 7"),
        ({"block": 12}, "warp 0:2 at instruction 7"),
        ({"block": 11}, ""),
    ],
)
def test_who_has_come_to_an_instruction_is_said(conditions, said):
    """Slot 0 comes with one lane, slot 1 stays there, and slot 2 comes with two."""
    before, now = places([6, 7, 6], [1, 1, 3], [10, 20, 30]), places([7, 7, 7], [1, 1, 3], [11, 20, 31])
    assert Breakpoint(7, **conditions).reason(looking(now), before, now) == said


@pytest.mark.parametrize(
    ("before", "now", "entry", "come"),
    [
        (
            places([7, 0, 0], [1, 0, 0], [10, 0, 0]),
            places([7, 0, 0], [1, 0, 0], [11, 0, 0]),
            0,
            True,
        ),  # it has issued it and is there again
        (places([7, 0, 0], [1, 0, 0], [10, 0, 0]), places([7, 0, 0], [3, 0, 0], [10, 0, 0]), 0, True),  # with other lanes
        (places([7, 0, 0], [1, 0, 0], [10, 0, 0]), places([7, 0, 0], [1, 0, 0], [10, 0, 0], (1, 0, 0)), 0, True),  # a different warp
        (places([7, 0, 0], [1, 0, 0], [10, 0, 0]), places([7, 0, 0], [1, 0, 0], [10, 0, 0]), 0, False),
        (places([6, 0, 0], [1, 0, 0], [10, 0, 0]), places([7, 0, 0], [0, 0, 0], [11, 0, 0]), 0, False),  # it has ended
        (places([0, 0, 0], [0, 0, 0], [10, 0, 0]), places([8, 0, 0], [1, 0, 0], [11, 0, 0], (1, 0, 0)), 7, True),  # launched, and issued
        (places([0, 0, 0], [0, 0, 0], [10, 0, 0]), places([8, 0, 0], [1, 0, 0], [10, 0, 0], (1, 0, 0)), 7, False),
        (places([0, 0, 0], [0, 0, 0], [10, 0, 0]), places([8, 0, 0], [1, 0, 0], [11, 0, 0], (0, 0, 0)), 7, False),
        (places([0, 0, 0], [0, 0, 0], [10, 0, 0]), places([8, 0, 0], [1, 0, 0], [11, 0, 0], (1, 0, 0)), 0, False),
    ],
)
def test_a_warp_has_come_when_it_was_not_there_just_so_before(before, now, entry, come):
    assert bool(Breakpoint(7).reason(looking(now, entry), before, now)) == come


@pytest.mark.parametrize(
    ("pc", "mask", "there"),
    [((7, 0, 0), (1, 0, 0), True), ((7, 0, 0), (0, 1, 1), False), ((0, 0, 7), (1, 0, 4), True), ((6, 8, 0), (1, 1, 1), False)],
)
def test_a_breakpoint_has_no_trail_while_a_warp_stands_there(pc, mask, there):
    assert Breakpoint(7).trail(looking(places(pc, mask, (0, 0, 0)))) == (None if there else (7, 5))


@pytest.mark.parametrize(
    ("changed", "said", "asked"),
    [
        ((), "", []),
        ((1,), "memory[101] was 0 and is 2", [("before", 101, 1)]),
        ((1, 2), "memory[101] was 0 and is 2, and 1 more", [("before", 101, 2)]),
        ((0, 1, 3), "memory[100] was 0 and is 1, and 2 more", [("before", 100, 4)]),
    ],
)
def test_bytes_that_have_changed_are_named_by_the_first_and_their_writer_is_asked_for(changed, said, asked):
    before, now = np.zeros(4, np.uint8), np.array([place + 1 if place in changed else 0 for place in range(4)], np.uint8)
    space = SimpleNamespace(text=str, address=lambda place: place)
    found = []
    whole = {"memory": np.arange(200, dtype=np.uint8), "places": lambda: "now", "writers": lambda *given: found.append(given) or []}
    machine = SimpleNamespace(inspection=SimpleNamespace(space=space, **whole))
    watch = MemoryWatch(100, 4)
    seen, places = watch.observe(machine)
    assert (seen.tolist(), places) == ([100, 101, 102, 103], "now")
    assert watch.reason(machine, (before, "before"), (now, "now")) == said
    assert found == asked


@pytest.mark.parametrize(
    ("lane", "changed", "said"),
    [
        (None, (), ""),
        (None, (2,), "r1[2] of warp 0:3 was 0 and is 3"),
        (None, (0, 2), "r1[0] of warp 0:3 was 0 and is 1, and 1 more lane"),
        (None, (1, 2, 3), "r1[1] of warp 0:3 was 0 and is 2, and 2 more lanes"),
        (2, (0, 2), "r1[2] of warp 0:3 was 0 and is 3"),
        (1, (0, 2), ""),
    ],
)
def test_a_register_that_has_changed_is_named_with_its_lane(lane, changed, said):
    before, now = np.zeros(4, np.uint32), np.array([place + 1 if place in changed else 0 for place in range(4)], np.uint32)
    machine = SimpleNamespace(program=SimpleNamespace(register_names=("r0", "r1")))
    assert RegisterWatch(0, 3, 1, lane).reason(machine, before, now) == said


@pytest.mark.parametrize(
    ("core", "slot", "issues", "mask", "said"),
    [
        (None, None, (1, 0, 0), (1, 1, 1), "warp 0:0 issued"),
        (None, None, (1, 0, 4), (1, 1, 1), "warps 0:0, 0:2 issued"),
        (None, None, (0, 0, 0), (1, 0, 1), ""),
        (0, 1, (0, 0, 0), (1, 0, 1), "warp 0:1 has ended"),
        (0, 1, (0, 3, 0), (1, 0, 1), "warp 0:1 issued"),
        (0, 1, (2, 0, 0), (1, 1, 1), ""),
        (0, 1, (2, 0, 0), (1, 0, 1), "warp 0:1 has ended"),
        (0, None, (0, 0, 0), (1, 0, 1), ""),
        (None, 1, (0, 0, 0), (1, 0, 1), ""),
        (None, 2, (1, 0, 4), (1, 1, 1), "warp 0:2 issued"),
        (1, None, (1, 0, 4), (1, 1, 1), ""),
    ],
)
def test_the_warps_that_have_issued_are_said_or_that_the_one_has_ended(core, slot, issues, mask, said):
    before, now = places((0, 0, 0), (1, 1, 1), (0, 0, 0)), places((0, 0, 0), mask, issues)
    assert NextIssue(core, slot).reason(looking(now), before, now) == said
    assert NextIssue(core, slot).reason(looking(before), now, now) == ""
