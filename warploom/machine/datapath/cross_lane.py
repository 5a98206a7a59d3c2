# mypy: disable-error-code="no-untyped-def"
"""Operations across the lanes of a warp: ballot and shuffle.

In hardware: a ballot is wiring only, the lanes' comparison bits side by side, straight into a scalar register; a
shuffle is a crossbar between the lanes' operand latches, the one that shared memory and texture addresses
use too, and with 32 ports of 32 bits by far the largest piece of wiring in a core. Sources: NVIDIA PTX ISA
(`vote.ballot`, `shfl.idx`); AMD GCN3 ISA (`v_cmp` into a scalar pair, `ds_bpermute`, `v_readlane`).
"""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.unit import inlined


@inlined
def ballot(registers, takes_part, a, pair, lanes):
    """Scalar registers `pair` and `pair` + 1 = one bit a lane, 1 where `takes_part` and row `a` are not zero."""
    value = registers.lane[a]
    bits = EMPTY
    for lane in range(lanes):
        if takes_part[lane] != 0 and value[lane] != 0:
            bits |= bit(lane)
    registers.scalar[pair] = np.uint32(bits & np.uint64(0xFFFFFFFF))
    registers.scalar[pair + 1] = np.uint32(bits >> np.uint64(32))


@inlined
def shuffle(registers, a, b, lanes):
    """Result = row `a` of the lane whose number row `b` gives, modulo `lanes`.

    A lane that does not take part is read all the same: what it holds is what its register held last.
    """
    value = registers.lane[a]
    number = registers.lane[b]
    result = registers.result
    if lanes & (lanes - 1) == 0:
        for lane in range(lanes):
            result[lane] = value[np.int64(number[lane]) & (lanes - 1)]
    else:
        for lane in range(lanes):
            result[lane] = value[np.int64(number[lane]) % lanes]
