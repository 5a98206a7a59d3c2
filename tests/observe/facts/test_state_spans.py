from warploom.machine.sequencer.states import DECODE, DONE, FETCH, IDLE, REQUEST
from warploom.observe.facts.state_spans import State, changed, ended


def told(*cycles):
    """The states that a run of one core gives: (state, pc, block, threads) of each cycle."""
    current = {}
    found = [state for cycle, core in enumerate(cycles) for state in changed(current, [core], cycle)]
    return found + ended(current, len(cycles))


def test_a_state_lasts_until_another_one_begins():
    assert told((FETCH, 0, 0, 4), (FETCH, 0, 0, 4), (DECODE, 0, 0, 4), (REQUEST, 0, 0, 4)) == [
        State(0, 0, 2, FETCH, 0, 0, 4, 1),
        State(0, 2, 3, DECODE, 0, 0, 4, 0),
        State(0, 3, 4, REQUEST, 0, 0, 4, 0),
    ]


def test_a_core_without_a_block_is_in_no_state():
    assert told((IDLE, 0, 0, 0), (FETCH, 3, 1, 2), (DONE, 3, 1, 2)) == [State(0, 1, 2, FETCH, 3, 1, 2, 1)]


def test_the_next_block_begins_a_state_of_its_own():
    assert [state.block for state in told((FETCH, 0, 0, 4), (FETCH, 0, 1, 4))] == [0, 1]
