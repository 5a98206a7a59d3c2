"""The slots of the address hashes: a user's modulo is ours, and what is no place is refused."""

from __future__ import annotations

import random
import sys

import pytest

from tests.machine.slots.running import ran, same_in_both
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory.address_hash import ASKED, AddressHash, configure
from warploom.machine.slots.hashes import is_a_place
from warploom.units import UnitError, unit

LARGE = {"l1.bytes": 2048, "l1.sets": 0, "l1.ways": 2, "l2.bytes": 1 << 20}


def modulo(hash, line):
    return line % hash.places


def one_for_all(hash, line):
    return 0


def one_too_far(hash, line):
    return hash.places


@pytest.mark.parametrize("slot", ["set_hash", "channel_hash"])
def test_a_user_s_modulo_is_ours(slot):
    _, theirs = same_in_both({slot: modulo}, machine=LARGE)
    assert theirs.counters == ran({slot: "modulo"}, machine=LARGE)[1].counters


def test_one_set_for_all_lines_evicts_more():
    found = {name: ran({"set_hash": unit}, machine=LARGE)[1] for name, unit in (("modulo", "modulo"), ("one", one_for_all))}
    assert found["one"].counters["l1_evictions"] > found["modulo"].counters["l1_evictions"]
    assert (found["one"].memory == found["modulo"].memory).all()


def test_one_channel_for_all_lines_takes_longer():
    assert ran({"channel_hash": one_for_all}, machine=LARGE)[1].cycles > ran({}, machine=LARGE)[1].cycles


def by_chance(hash, line):
    return random.randrange(hash.places)


@pytest.mark.parametrize("slot", ["set_hash", "channel_hash"])
@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("unit", [one_too_far, by_chance])
def test_what_is_no_place_and_a_line_that_moves_are_refused(slot, engine, unit):
    said = rf"{unit.__name__} returned \d+; a hash returns a place, 0 to hash.places - 1, and of one line always the same$"
    with pytest.raises(UnitError, match=said):
        ran({slot: unit}, engine, machine=LARGE)


@pytest.mark.parametrize("line", [0, 1, ASKED, (1 << 28) + 5])
def test_a_line_that_moves_is_noticed_while_it_is_remembered(line):
    state = mirror(zeros((), AddressHash))
    configure(state, 8, "modulo")
    assert is_a_place(0, state, line) and is_a_place(0, state, line)
    assert not is_a_place(1, state, line)
    assert is_a_place(3, state, line + ASKED)  # takes its row
    assert is_a_place(7, state, line) and not is_a_place(8, state, line) and not is_a_place(-1, state, line)


def shifted_by(lines):
    """A hash with a number of its own, as a sweep over one makes it."""

    @unit
    def moved(line):
        return line + lines

    def place(hash, line):
        return moved(line) // lines % hash.places

    return place


def test_a_hash_that_a_function_makes_has_its_number_in_both_engines():
    near, far = (same_in_both({"set_hash": shifted_by(lines)}, machine=LARGE)[1].counters["l1_evictions"] for lines in (1, 1 << 20))
    assert near < far


SCALE = 1


def scaled(hash, line):
    return line // SCALE % hash.places


def scaled_again(hash, line):
    return line // SCALE % hash.places


def test_a_number_of_the_file_is_looked_up_for_each_new_unit(monkeypatch):
    """As in a notebook, where a cell with a number is run again, and then that with the unit."""
    before = same_in_both({"set_hash": scaled}, machine=LARGE)[1].counters["l1_evictions"]
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 1 << 20)
    assert same_in_both({"set_hash": scaled_again}, machine=LARGE)[1].counters["l1_evictions"] > before


@pytest.mark.parametrize("places", [0, 1, 2, 3, 8])
def test_places_are_counted_from_0_and_one_that_was_not_configured_has_one(places):
    for place in range(-1, places + 3):
        state = mirror(zeros((), AddressHash))
        state.places = places
        assert is_a_place(place, state, 5) == (0 <= place < max(places, 1))
