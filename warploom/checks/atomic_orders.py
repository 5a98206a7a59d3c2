"""Orders of atomics: which of a program's instructions are fences as well.

An atomic of RISC-V has two bits for it: `.aq`, no later access comes before it, and `.rl`, no earlier one after it. A C compiler makes
`__ATOMIC_ACQUIRE` and `__ATOMIC_RELEASE` of them. No machine here takes accesses out of order across an atomic, so micro-ops do not have
the bits; checks read them in the program's text. A load-reserved is a micro-op `load`; here it is told from a plain one, since with its
store-conditional it makes one atomic (a compare-and-swap in C), and no race with another.

Source: RISC-V Unprivileged Specification 20240411, chapter "A", "Specifying Ordering of Atomic Instructions".
"""

from __future__ import annotations

import re

import numpy as np

from warploom.checks.shadow import ACQUIRES, RESERVES, TELLS
from warploom.isa.program import Program

_ATOMIC = re.compile(r"(amo[a-z]+|lr|sc)\.w(?:\.(aq)?(rl)?)?\s")


def orders_of(program: Program) -> np.ndarray:
    """int64[instructions]: the bits ACQUIRES, TELLS and RESERVES of each."""
    orders = np.zeros(max(len(program.code), 1), np.int64)
    for place, text in enumerate(program.text):
        if found := _ATOMIC.match(text):
            mnemonic, acquire, release = found.groups()
            orders[place] = ACQUIRES * (acquire is not None) | TELLS * (release is not None) | RESERVES * (mnemonic == "lr")
    return orders
