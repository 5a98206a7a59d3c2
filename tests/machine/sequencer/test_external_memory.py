import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom import tiny
from warploom.machine.engine.unit import unit
from warploom.machine.sequencer.controller import Controller
from warploom.machine.sequencer.external_memory import answer_data, answer_program, load_byte, store_byte


@unit
def data(controllers, memory):
    answer_data(controllers[0], memory)
    return 0


@unit
def words(controllers, code):
    answer_program(controllers[0], code)
    return 0


def sampled(reads=(), writes=(), channels=4):
    """A controller whose channels had requests. reads: {channel: address}, writes: {channel: (address, value)}."""
    made = np.zeros(1, Controller)
    made[0]["channels"] = channels
    for channel, address in dict(reads).items():
        made[0]["sampled_read"][channel], made[0]["memory_read_address"][channel] = 1, address
    for channel, (address, value) in dict(writes).items():
        made[0]["sampled_write"][channel] = 1
        made[0]["memory_write_address"][channel], made[0]["memory_write_data"][channel] = address, value
    return made


def test_reads_of_a_cycle_see_what_was_there_before_its_writes():
    memory = np.array([0x44332211], np.uint32)
    _, (state, after) = both(data, sampled(reads={1: 2}, writes={0: (2, 0x99)}), memory)
    assert int(state[0]["memory_read_data"][1]) == 0x33
    assert hex(after[0]) == "0x44992211"


def test_the_lowest_channel_wins_a_clash_of_writes():
    _, (_, after) = both(data, sampled(writes={0: (1, 10), 2: (1, 12), 3: (1, 13)}), np.zeros(1, np.uint32))
    assert after.view(np.uint8).tolist() == [0, 10, 0, 0]


def test_a_channel_without_a_request_reads_zero_and_not_ready():
    state = sampled(reads={0: 0})
    state[0]["memory_read_ready"][:], state[0]["memory_read_data"][:], state[0]["memory_write_ready"][:] = 1, 9, 1
    _, (after, _) = both(data, state, np.array([5], np.uint32))
    assert after[0]["memory_read_ready"][:4].tolist() == [1, 0, 0, 0]
    assert after[0]["memory_read_data"][:4].tolist() == [5, 0, 0, 0]
    assert after[0]["memory_write_ready"][:4].tolist() == [0, 0, 0, 0]


def test_program_memory_gives_words_and_zero_behind_the_program():
    code = tiny.program([0x9105, 0xF000], [], 1).code
    _, (state, _) = both(words, sampled(reads={0: 0, 1: 1, 2: 2}), code)
    assert [hex(word) for word in state[0]["memory_read_data"][:4].tolist()] == ["0x9105", "0xf000", "0x0", "0x0"]
    assert state[0]["memory_read_ready"][:4].tolist() == [1, 1, 1, 0]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 255), min_size=8, max_size=8), st.integers(0, 7), st.integers(0, 0xFFFFFFFF))
def test_a_byte_is_stored_where_it_is_loaded(values, address, value):
    memory = np.array(values, np.uint8).view(np.uint32)
    assert both(load_byte, memory, np.int64(address))[0] == values[address]
    _, (after, _, _) = both(store_byte, memory, np.int64(address), np.uint32(value))
    expected = list(values)
    expected[address] = value & 0xFF
    assert after.view(np.uint8).tolist() == expected
