"""The pages of an array: restored to what was remembered, wherever the array begins and ends."""

import numpy as np
import pytest

from warploom.machine.engine import pages
from warploom.machine.engine.pages import PAGE, Pages
from warploom.machine.engine.unit import zeros


@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("size", [10, PAGE, 3 * PAGE + 100, 40 * PAGE, (1 << 22) + 24])
def test_an_array_is_as_it_was(size, asks, monkeypatch):
    if not asks:
        monkeypatch.setattr(pages, "_mincore", lambda: None)
    array = zeros(size, np.uint8)
    random = np.random.default_rng(size)
    before = random.integers(0, size, 5)
    array[before] = 7
    remembered, copy = Pages(array), array.copy()
    for _ in range(3):
        array[random.integers(0, size, 20)] = 9
        array[before[:2]] = 0
        remembered.restore()
        assert (array == copy).all()


def test_only_pages_that_were_touched_are_looked_at():
    array = zeros(1 << 24, np.uint8)
    Pages(array).restore()
    assert len(pages._touched(array[: 1 << 20].reshape(-1, PAGE))) < 256 or pages._mincore() is None
