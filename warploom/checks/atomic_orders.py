"""Orders of atomics: which of a program's instructions are fences as well.

An atomic of RISC-V has two bits for it: `.aq`, no later access comes before it, and `.rl`, no earlier one after it. A C compiler makes
`__ATOMIC_ACQUIRE` and `__ATOMIC_RELEASE` of them. No machine here takes accesses out of order across an atomic, so micro-ops do not have
the bits; checks read them in the program's text. A load-reserved is a micro-op `load`; here it is told from a plain one, since with its
store-conditional it makes one atomic (a compare-and-swap in C), and no race with another. An atomic load that acquires is a plain load with
`fence r, rw` after it; others look like loads that are not atomic.

Source: RISC-V Unprivileged Specification 20240411, chapter "A", "Specifying Ordering of Atomic Instructions"; appendix A,
"Mappings from C/C++ primitives to RISC-V primitives".
"""

from __future__ import annotations

import re

import numpy as np

from warploom.checks.shadow import ACQUIRES, LOADS, RESERVES, TELLS
from warploom.isa.program import Program

_ATOMIC = re.compile(r"(amo[a-z]+|lr|sc)\.w(?:\.(aq)?(rl)?)?\s")
_ACQUIRING = re.compile(r"fence\s+r, *rw")
_BETWEEN = re.compile(r"(lw|add|addi|sub|and|andi|or|ori|xor|xori|sll|slli|srl|srli|sra|srai|slt|slti|sltu|sltiu|lui|li|mv|neg|not)\s")


def orders_of(program: Program) -> np.ndarray:
    """int64[instructions]: the bits ACQUIRES, TELLS, RESERVES and LOADS of each."""
    orders = np.zeros(max(len(program.code), 1), np.int64)
    for place, text in enumerate(program.text):
        if found := _ATOMIC.match(text):
            mnemonic, acquire, release = found.groups()
            orders[place] = ACQUIRES * (acquire is not None) | TELLS * (release is not None) | RESERVES * (mnemonic == "lr")
        elif _ACQUIRING.match(text) and (load := _load_before(program, place)) is not None:
            orders[load] |= LOADS
    return orders


def _load_before(program: Program, fence: int) -> int | None:
    """The load that a fence belongs to; a compiler may have moved arithmetic between the two."""
    for place in range(fence - 1, -1, -1):
        found = _BETWEEN.match(program.text[place])
        if found is None or found[1] == "lw":
            return None if found is None else place
    return None
