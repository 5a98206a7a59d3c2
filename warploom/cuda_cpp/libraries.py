"""What host programs ask of rooms above this one: an entry point of the group `warploom.libraries` each, by name.

A library is `made(data, a, b)`: from bytes and two numbers of the program it makes words for memory of the device, and raises ValueError
with a sentence for what it cannot use.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

GROUP = "warploom.libraries"
Library = Callable[[bytes, int, int], np.ndarray]


def library(name: str) -> Library | None:
    """The library of a name; None where there is none."""
    from importlib.metadata import entry_points

    found = next(iter(entry_points(group=GROUP, name=name)), None)
    return None if found is None else found.load()
