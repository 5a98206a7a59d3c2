"""Runs that every format is tested on, and what they are as others count it."""

import pytest

import warploom
from tests.places import EXAMPLES

RUNS = {
    "one instruction at a time": ("tiny/matadd.asm", "tiny", {}),
    "warps": ("tiny/matmul.asm", "tiny-simt", {}),
    "divergent": ("guppy/four_warps.guppy", "guppy", {"core.warps": 4}),
    "memory": ("guppy/load_strided.guppy", "sm", {"gpu.cores": 2}),
}
WARPS = ("warps", "divergent", "memory")


@pytest.fixture(scope="session")
def run():
    """A run by its name in RUNS."""
    found = {}

    def get(name):
        if name not in found:
            file, preset, changes = RUNS[name]
            found[name] = warploom.GPU(preset, set=changes, engine="python").run(warploom.load(EXAMPLES / file), tracing=True)
        return found[name]

    return get
