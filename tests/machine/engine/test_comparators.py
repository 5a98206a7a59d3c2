"""Words compared at once against words compared one after the other, on both engines."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.comparators import MATCHED, PLACES, exceeding, extremes, least, matching
from warploom.machine.engine.unit import unit

ONES = 0xFFFFFFFF
numbers = st.sampled_from([0, 1, 5, 0x7FFFFFFF, 0x80000000, ONES])


@unit
def compare(table, asked, found):
    """Rows of `asked`: index of the first word, the word that is wanted, how many words."""
    for k in range(asked.shape[0]):
        found[k, 0] = np.int64(matching(table, asked[k, 0], np.uint32(asked[k, 1])))
        found[k, 1] = least(table, asked[k, 0], asked[k, 2])


@settings(deadline=None, max_examples=50)
@given(
    table=st.lists(st.sampled_from([0, 1, 5, 0x7FFFFFFF, 0x80000000, ONES]), min_size=40 + MATCHED, max_size=40 + MATCHED),
    asked=st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from([0, 5, 0x80000000, ONES]), st.integers(1, PLACES)), min_size=8, max_size=8
    ),
)
def test_words_are_compared_without_signs_and_the_lowest_place_wins(table, asked):
    _, after = both(compare, np.array(table, np.uint32), np.array(asked, np.int64), np.zeros((len(asked), 2), np.int64))
    for (first, wanted, count), (mask, place) in zip(asked, after[2].tolist(), strict=True):
        assert mask == sum(1 << other for other, word in enumerate(table[first : first + MATCHED]) if word == wanted)
        assert place == table.index(min(table[first : first + count]), first) - first


@unit
def examine(times, less, limits, words, chosen, found):
    """Rows of `limits`: one. What is more than it, and of the chosen words the smallest, the largest and their OR."""
    found[0] = np.int64(exceeding(times, less, limits[0]))
    found[1], found[2], found[3] = extremes(words, words[0], chosen)


@settings(deadline=None, max_examples=50)
@given(
    times=st.lists(st.integers(-5, 5), min_size=PLACES, max_size=PLACES),
    less=st.lists(st.integers(-2, 2), min_size=PLACES, max_size=PLACES),
    limit=st.integers(-6, 6),
    words=st.lists(numbers, min_size=PLACES, max_size=PLACES),
    chosen=st.lists(st.booleans(), min_size=PLACES, max_size=PLACES),
)
def test_what_exceeds_a_limit_and_the_extremes_of_what_is_chosen(times, less, limit, words, chosen):
    given = (np.array(times, np.int64), np.array(less, np.int64), np.array([limit]), np.array(words, np.uint32))
    mask = np.array([ONES * one for one in chosen], np.uint32)
    _, after = both(examine, *given, mask, np.zeros(4, np.int64))
    there = [word for word, one in zip(words, chosen, strict=True) if one]
    there = [(word + words[0]) % (ONES + 1) for word in there]
    together = 0
    for word in there:
        together |= word
    more = sum(1 << place for place, (time, off) in enumerate(zip(times, less, strict=True)) if time - off > limit)
    assert after[5].tolist() == [more, min(there, default=ONES), max(there, default=0), together]
