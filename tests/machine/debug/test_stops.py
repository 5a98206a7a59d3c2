"""Breakpoints and watchpoints are decided by what the machine itself writes down of a traced run, or by hand."""

from tests.machine.stepping import gpu_and_program, session
from warploom.machine.accounting import events as e
from warploom.machine.debug.stops import Breakpoint, MemoryWatch, NextIssue, RegisterWatch

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
    assert found.run([MemoryWatch(9, 3)]) == [(0, "memory[9] was 0 and is 10, and 2 more")]
    assert found.machine.memory.view("u1")[8:12].tolist() == [7, 10, 15, 22]
    assert found.run([MemoryWatch(9, 3)]) == []


def test_a_register_is_watched_in_one_lane_or_in_all():
    found = session("tiny", "tiny/matmul.asm", {})
    names = found.machine.program.register_names
    total = names.index("R8")
    # The sum of the products: 1 x 1, then 2 x 3 more, in thread 0.
    assert found.run([RegisterWatch(0, 0, total, 0)])[0][1] == "R8[0] of warp 0:0 was 0 and is 1"
    assert found.run([RegisterWatch(0, 0, total, 0)])[0][1] == "R8[0] of warp 0:0 was 1 and is 7"
    assert found.run_back([RegisterWatch(0, 0, total)])[0][1] == "R8[0] of warp 0:0 was 0 and is 1, and 3 more lanes"
