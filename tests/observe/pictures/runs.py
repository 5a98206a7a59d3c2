"""Small runs that the tests of pictures look at."""

from functools import lru_cache

import warploom
from tests.places import EXAMPLES


@lru_cache(maxsize=16)
def run(name, gpu, *changes, tracing=True):
    """An example on a preset: run("guppy/if.guppy", "guppy", ("core.warps", 4))."""
    return warploom.GPU(gpu, set=dict(changes), engine="python").run(warploom.load(EXAMPLES / name), tracing=tracing)
