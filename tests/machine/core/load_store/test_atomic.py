"""Atomics against Python's integers, their conflicts against a counter of words."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.datapath.alu_model import EDGES, WORD, signed
from tests.machine.two_engines import both
from warploom.isa.needs import MORE_ATOMICS
from warploom.isa.uop import NUMBER, OPERATIONS
from warploom.machine.core.load_store.atomic import apply, conflicts
from warploom.machine.engine.unit import unit

MEANING = {
    "atomic_add": lambda old, b, c: (old + b) & WORD,
    "atomic_min": lambda old, b, c: min(signed(old), signed(b)) & WORD,
    "atomic_max": lambda old, b, c: max(signed(old), signed(b)) & WORD,
    "atomic_minu": lambda old, b, c: min(old, b),
    "atomic_maxu": lambda old, b, c: max(old, b),
    "atomic_and": lambda old, b, c: old & b,
    "atomic_or": lambda old, b, c: old | b,
    "atomic_xor": lambda old, b, c: old ^ b,
    "atomic_exchange": lambda old, b, c: b,
    "atomic_cas": lambda old, b, c: c if old == b else old,
}
words = st.one_of(st.sampled_from(EDGES), st.integers(0, WORD))


@unit
def run(op, word):
    """What both engines execute."""
    word[3] = apply(op, word[0], word[1], word[2])


def applied(name, old, b, c):
    return int(both(run, NUMBER[name], np.array([old, b, c, 0xDEADBEEF], np.uint32))[1][1][3])


def test_every_atomic_of_the_table_has_a_meaning_here_or_is_one_of_wide_atomic():
    names = {operation.name for operation in OPERATIONS if operation.name.startswith("atomic_")}
    assert set(MEANING) == names - {OPERATIONS[number].name for number in MORE_ATOMICS}


@pytest.mark.parametrize("name", sorted(MEANING))
@settings(deadline=None, max_examples=100)
@given(old=words, b=words, c=words, same=st.booleans())
def test_the_word_holds_afterwards_what_the_table_says(name, old, b, c, same):
    b = old if same else b
    assert applied(name, old, b, c) == MEANING[name](old, b, c)


def passes(addresses, active):
    row, on = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    row[: len(addresses)], on[: len(active)] = addresses, active
    return both(conflicts, row, on, len(addresses))[0]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 80) | st.integers(0, WORD), st.booleans()), min_size=1, max_size=64))
def test_the_most_wanted_word_counts(lanes):
    wanted = Counter(address // 4 for address, active in lanes if active)
    assert passes([address for address, _ in lanes], [WORD if active else 0 for _, active in lanes]) == max(wanted.values(), default=0)


def test_all_lanes_on_one_word_take_turns_and_apart_they_do_not():
    assert passes([64] * 32, [WORD] * 32) == 32
    assert passes(range(0, 128, 4), [WORD] * 32) == 1
