import pytest

from tests.machine.stepping import NAMES, RUNS, assert_agrees_with_timeline, gpu_and_program, session
from warploom.isa import uop as u
from warploom.machine.accounting import reasons
from warploom.machine.engine.unit import FOREVER
from warploom.observe.facts.timeline import ACTIVITY, CORE, WARP, timeline

WITH_WARPS = [run for run in RUNS if run[0] != "tiny"]


@pytest.mark.parametrize("run", WITH_WARPS, ids=NAMES[1:])
def test_what_warps_are_about_to_do_is_what_the_timeline_of_the_run_says_they_did(run):
    assert_agrees_with_timeline(run)


def test_a_warp_that_has_issued_says_so():
    gpu, program = gpu_and_program(*RUNS[-1])
    line = timeline(gpu.run(program, tracing=True))
    found = session(*RUNS[-1])
    for cycle in range(1, 60):
        found.goto(cycle)
        spans = [span for span in line.part(cycle - 1, cycle) if line.activities[int(span[ACTIVITY])].name == "selected"]
        issued = {(int(span[CORE]), int(span[WARP])) for span in spans}
        assert {(state.core, state.slot) for state in found.machine.inspection.warp_states() if state.issued} == issued


def test_the_paths_of_a_warp_are_its_lanes_each_of_them_once():
    found = session("guppy", "guppy/if_else.guppy", {})
    found.goto(7)
    (state,) = found.machine.inspection.warp_states()
    far, met = (found.machine.program.labels[name] for name in ("FAR", "MET"))
    # Lanes 0 to 19 have run their side and wait where all meet; 20 to 31 run theirs.
    assert (state.pc, state.mask) == (far, 0xFFF00000)
    assert state.waiting == ((0x000FFFFF, met),)


def test_a_result_that_hardware_would_wait_for_is_on_its_way():
    found = session("sm", "guppy/if_else.guppy", {"memory.bytes": 1 << 16})
    found.goto(0)
    names = found.machine.program.register_names
    while not found.machine.inspection.pending_registers(0, 0).any():
        found.step()
    # The first instruction writes r0.x, and guppy's scoreboard locks the four components of a register as one.
    coming = found.machine.inspection.pending_registers(0, 0)
    assert [name for name, on_way in zip(names, coming, strict=False) if on_way] == ["r0.x", "r0.y", "r0.z", "r0.w"]


def test_shared_memory_is_that_of_the_warps_block():
    found = session("tiny-simt", "tiny/shared_reduction.asm", {})
    found.run()
    words = found.machine.inspection.shared_memory(0, 0)
    assert words.dtype == "uint32"
    assert words.nbytes == found.machine.program.launch.shared_bytes


@pytest.mark.parametrize("awake, draining", [(0, 0), (0b01, 0), (0b10, 0), (0b11, 0), (0b10, 0b01), (0b11, 0b10), (0, 0b01)])
def test_a_warp_that_could_issue_is_not_selected_and_one_that_has_ended_drains(awake, draining):
    found = session("tiny-simt", "tiny/matadd.asm", {"gpu.cores": 1})
    found.goto(3)
    warps = found.machine.cores["warps"][0]
    assert int(warps["active"]) & 0b11 == 0b11
    warps["wake"][:2], warps["reason"][:2] = found.cycle + 9, reasons.LONG_SCOREBOARD
    warps["awake"], warps["draining"] = awake, draining
    inspection = found.machine.inspection
    names = [inspection._warp_state(0, slot).activity for slot in range(2)]
    of_sleepers = ["not_selected" if awake >> slot & 1 else "long_scoreboard" for slot in range(2)]
    assert names == ["drain" if draining >> slot & 1 else name for slot, name in enumerate(of_sleepers)]


def test_a_warp_whose_waiting_has_no_known_end_says_none():
    found = session("tiny-simt", "tiny/matadd.asm", {"gpu.cores": 1})
    found.goto(3)
    warps = found.machine.cores["warps"][0]
    warps["awake"], warps["reason"][:2] = 0, reasons.LONG_SCOREBOARD
    for wake, until in ((found.cycle + 1, found.cycle + 1), (FOREVER - 1, FOREVER - 1), (FOREVER, None)):
        warps["wake"][0] = wake
        assert found.machine.inspection._warp_state(0, 0).until == until


def test_a_stamp_is_the_cycle_of_the_last_issue_and_how_often_the_warp_was_picked():
    found = session("tiny-simt", "tiny/matadd.asm", {"gpu.cores": 1})
    special = found.machine.cores["registers"]["special"]
    special[0, 1, u.SPECIAL_NUMBER["cycle"]], special[0, 1, u.SPECIAL_NUMBER["clock"]] = 0x80000005, 0xFFFFFFFF
    assert int(found.machine.inspection.places().issues[0, 1]) == 0x80000005FFFFFFFF


@pytest.mark.parametrize("cycle", [40, 41, (1 << 32), (1 << 32) + 1])
def test_a_warp_has_issued_in_the_last_cycle_if_that_is_its_stamp_and_it_is_accounted_for(cycle):
    """The stamp has the low 32 bits of a cycle. A slot that nobody has been in since the start has one of 0."""
    found = session("tiny-simt", "tiny/matadd.asm", {"gpu.cores": 1})
    machine = found.machine
    machine.gpu["now"] = cycle
    stamp, warps = machine.cores["registers"]["special"][0, 1], machine.cores["warps"]
    for last in (cycle - 2, cycle - 1, cycle):
        for since in (cycle - 1, cycle):
            for visits in (0, 1, 2):
                stamp[u.SPECIAL_NUMBER["cycle"]], warps["since"][0, 1], warps["visits"][0, 1] = last & 0xFFFFFFFF, since, visits
                assert machine.inspection._issued(0, 1) == (last == cycle - 1 and since == cycle and visits > 0)
