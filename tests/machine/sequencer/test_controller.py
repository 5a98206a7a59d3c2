import numpy as np
import pytest

from tests.machine.two_engines import both
from warploom.machine.engine.unit import unit
from warploom.machine.sequencer.controller import IDLE, READ_RELAY, READ_WAIT, WRITE_WAIT, Controller, clock_edge


@unit
def first_edge(controllers):
    return clock_edge(controllers[0])


def controller(channels=1, groups=2, width=4, reads=(), writes=()):
    """A controller with request lines up. reads, writes: (group, index) of consumers."""
    made = np.zeros((), Controller)
    made["channels"], made["groups"], made["width"] = channels, groups, width
    for lines, address, consumers in (("read_request", "read_address", reads), ("write_request", "write_address", writes)):
        for group, index in consumers:
            made[lines][group] |= np.uint64(1 << index)
            made[address][group, index] = 16 * group + index
    return made


def step(state):
    """One edge on both engines; the controller after it."""
    return both(first_edge, state.reshape(1))[1][0].reshape(())


def test_a_read_goes_through_its_states_a_cycle_each():
    state = controller(reads=[(0, 2)])
    table = []
    for cycle in range(6):
        state = step(state)
        table.append((int(state["state"][0]), int(state["memory_read"][0]), int(state["read_ready"][0]), int(state["serving"][0])))
        if cycle == 1:  # the memory answers what it saw in cycle 0
            state["memory_read_ready"][0], state["memory_read_data"][0] = 1, 77
        if cycle == 3:  # the consumer has seen its answer
            state["read_request"][0] = 0
    assert table == [
        (READ_WAIT, 1, 0, 4),
        (READ_WAIT, 1, 0, 4),
        (READ_RELAY, 0, 4, 4),
        (READ_RELAY, 0, 4, 4),
        (IDLE, 0, 0, 0),
        (IDLE, 0, 0, 0),
    ]
    assert int(state["read_data"][0, 2]) == 77
    assert int(state["memory_read_address"][0]) == 2


def test_channels_take_different_consumers_in_one_edge_lowest_first():
    state = step(controller(channels=3, reads=[(1, 3), (0, 1)], writes=[(1, 0)]))
    taken = [(int(state["group"][c]), int(state["index"][c]), int(state["state"][c])) for c in range(3)]
    assert taken == [(0, 1, READ_WAIT), (1, 0, WRITE_WAIT), (1, 3, READ_WAIT)]
    assert int(state["busy"]) == 3


def test_a_consumer_that_reads_and_writes_is_served_its_read_first():
    state = step(controller(channels=2, reads=[(0, 0)], writes=[(0, 0)]))
    assert [int(code) for code in state["state"][:2]] == [READ_WAIT, IDLE]


def test_the_lowest_consumer_is_always_first_so_the_last_one_starves():
    state = controller(reads=[(0, 0), (0, 1)])
    served = []
    for _ in range(40):
        before = int(state["busy"])
        state = step(state)
        if int(state["busy"]) > before:
            served.append(int(state["index"][0]))
        state["memory_read_ready"][0] = state["sampled_read"][0]
        answered = state["read_ready"][0]
        state["read_request"][0] = np.uint64(0b11) & ~answered  # whoever has been served asks again at once
    assert len(served) > 4
    assert set(served) == {0}


def test_a_channel_that_becomes_idle_picks_at_the_following_edge():
    state = step(controller(reads=[(0, 0), (0, 1)]))
    state["memory_read_ready"][0] = 1
    state = step(state)
    state["read_request"][0] = np.uint64(0b10)
    state = step(state)
    assert int(state["state"][0]) == IDLE
    state = step(state)
    assert (int(state["state"][0]), int(state["index"][0])) == (READ_WAIT, 1)


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_busy_cycles_count_the_channels_at_work_before_each_edge(channels):
    state = controller(channels=channels, reads=[(0, 0), (0, 1), (1, 0)])
    for _ in range(5):
        state = step(state)
    assert int(state["busy_cycles"]) == 4 * channels
    assert int(state["requests"]) == channels


def test_an_edge_says_whether_anything_moved():
    assert both(first_edge, controller().reshape(1))[0] == 0
    assert both(first_edge, controller(reads=[(0, 0)]).reshape(1))[0] == 1
