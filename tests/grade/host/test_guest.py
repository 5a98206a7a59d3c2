"""What a guest calls the arrays that it hands over."""

import numpy as np

from warploom.grade.host.guest import Numbers


def test_an_array_made_in_the_place_of_another_has_a_number_of_its_own():
    names = Numbers()
    kept = np.zeros(1)
    first = names.of(kept)
    seen = {names.of(np.zeros(4)) for _ in range(50)}  # each freed before the next is made
    assert len(seen) == 50
    assert names.of(kept) == first not in seen
