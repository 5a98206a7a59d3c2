from tests.machine.stepping import RUNS, assert_agrees_with_timeline, session
from warploom.machine.sequencer.states import STATES

TINY = RUNS[0]


def test_what_cores_are_about_to_do_is_what_the_timeline_of_the_run_says_they_did():
    assert_agrees_with_timeline(TINY)


def test_a_core_is_one_warp_whose_lanes_are_the_threads_of_its_block():
    found = session(*TINY)
    found.goto(20)
    inspection, threads = found.machine.inspection, found.machine.config.core.threads_per_block
    assert (inspection.slots, inspection.lanes) == (1, threads)
    state = inspection.warp_states()[0]
    assert (state.core, state.slot, state.mask) == (0, 0, (1 << threads) - 1)
    assert state.activity in STATES


def test_only_cores_with_a_block_are_named_and_have_lanes_that_run():
    found = session(*TINY)
    assert found.machine.inspection.warp_states() == []
    assert not found.machine.inspection.places().mask.any()
    found.goto(20)
    named = {state.core for state in found.machine.inspection.warp_states()}
    assert named == set(found.machine.inspection.places().mask[:, 0].nonzero()[0].tolist())


def test_registers_and_memory_are_the_machines_own_bytes():
    found = session(*TINY)
    found.goto(20)
    machine = found.machine
    machine.inspection.registers(0, 0)[3, 1] = 77
    assert machine.cores["registers"]["lane"][0, 3, 1] == 77
    machine.inspection.memory[5] = 9
    assert machine.memory.view("u1")[5] == 9


def test_there_is_no_shared_memory_and_nothing_is_on_its_way_and_issues_are_not_counted():
    inspection = session(*TINY).machine.inspection
    assert inspection.shared_memory(0, 0).size == 0
    assert inspection.pending_registers(0, 0).tolist() == [False] * len(inspection.registers(0, 0))
    assert inspection.issues(0) is None
