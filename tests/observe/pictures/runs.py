"""Small runs that the tests of pictures look at."""

from functools import lru_cache

import numpy as np

import warploom
from tests.places import EXAMPLES
from warploom.machine.accounting import events as e


@lru_cache(maxsize=16)
def run(name, gpu, *changes, tracing=True):
    """An example on a preset: run("guppy/if.guppy", "guppy", ("core.warps", 4))."""
    return warploom.GPU(gpu, set=dict(changes), engine="python").run(warploom.load(EXAMPLES / name), tracing=tracing)


def never_sent(result):
    """Transactions of stores that were still queued in guppy's load/store units when the run ended, told from its events.

    There a run ends with its last warp, and a warp does not wait for its stores (the original ends when no wave is enabled): those that
    it issued in its last cycles are in memory, but no cache has seen them.
    """
    rows = result.detail.events
    stores = [pc for pc, text in enumerate(result.program.text) if text.startswith("st ")]
    issued = rows[(rows[:, e.KIND] == e.ISSUE) & np.isin(rows[:, e.PC], stores)]
    sent = rows[(rows[:, e.KIND] == e.REQUEST) & np.isin(rows[:, e.PC], stores)]
    lines = result.config.core.lanes * 4 // result.config.l1.line
    left = 0
    for time, _, core, warp, *_ in issued.tolist():
        mine = (sent[:, e.CORE] == core) & (sent[:, e.WARP] == warp) & (sent[:, e.TIME] >= time)
        following = issued[(issued[:, e.CORE] == core) & (issued[:, e.WARP] == warp) & (issued[:, e.TIME] > time), e.TIME]
        gone = int((mine & (sent[:, e.TIME] < following.min(initial=result.cycles))).sum())
        assert gone == lines or result.cycles - time <= lines, "only what was issued last may be left"
        left += lines - gone
    return left
