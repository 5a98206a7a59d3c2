"""All alarms of a cycle at once, as a core looks at them one after the other."""

import numpy as np

from warploom.machine.core.warps.alarms import ringing_in
from warploom.machine.core.warps.warp_table import rings
from warploom.machine.engine.bits import EMPTY, bit, lowest, rest
from warploom.machine.engine.unit import unit


@unit
def rung(warps, now):
    """The warps whose alarm rings in cycle `now`, as a mask."""
    found = EMPTY
    left = ringing_in(warps.alarms, np.int64(now))
    while left != EMPTY:
        warp = lowest(left)
        left = rest(left)
        if rings(warps, warp, np.int64(now)):
            found = found | bit(warp)
    return found
