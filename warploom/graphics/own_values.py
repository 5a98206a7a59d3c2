"""Numbers of a user's own for shaders, `Pipeline(uniforms=...)`: by name for Python, one after the other for C."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from warploom.graphics.state import MOST_UNIFORMS

MISSING = "numbers of a shader's own are given by `draw --arg {name}=1` or Pipeline(uniforms=...)"


def own_values(uniforms: Mapping[str, Any]) -> Any:
    """A NamedTuple of float32, or of tuples of them."""
    values = ((np.float32(one) if not isinstance(one, tuple | list) else tuple(map(np.float32, one))) for one in uniforms.values())
    return _names_of(tuple(uniforms))(*values)


@lru_cache(64)
def _names_of(names: tuple[str, ...]) -> Any:
    """One class for the same names, since a shader is compiled for classes."""
    made: type[Any] = type("Own", (namedtuple("Own", names),), {"__slots__": (), "_missing": MISSING})
    return made


def own_words(uniforms: Mapping[str, Any]) -> np.ndarray:
    """uint32[MOST_UNIFORMS]: floats, in the order in which they are given."""
    own = np.zeros(MOST_UNIFORMS, np.float32)
    given = [one for value in uniforms.values() for one in (value if isinstance(value, tuple | list) else [value])]
    own[: len(given)] = given
    return own.view(np.uint32)
