"""Orders of atomics: which of a program's instructions are fences as well.

An atomic of RISC-V has two bits for it: `.aq`, no later access comes before it, and `.rl`, no earlier one after it. A C compiler makes
`__ATOMIC_ACQUIRE` and `__ATOMIC_RELEASE` of them. No machine here takes accesses out of order across an atomic, so micro-ops do not have
the bits; checks read them in the program's text. A load-reserved is a micro-op `load`; here it is told from a plain one, since with its
store-conditional it makes one atomic (a compare-and-swap in C), and no race with another. An atomic load that acquires is a plain load with
`fence r, rw` after it, and an atomic store that releases a plain store with `fence rw, w` before it; others look like what is not atomic.

Source: RISC-V Unprivileged Specification 20240411, chapter "A", "Specifying Ordering of Atomic Instructions"; appendix A,
"Mappings from C/C++ primitives to RISC-V primitives".
"""

from __future__ import annotations

import re

import numpy as np

from warploom.checks.shadow import ACQUIRES, LOADS, RESERVES, STORES, TELLS
from warploom.isa.program import Program

_ATOMIC = re.compile(r"(amo[a-z]+|lr|sc)\.w(?:\.(aq)?(rl)?)?\s")
_ACQUIRING = re.compile(r"fence\s+r, *rw")
_RELEASING = re.compile(r"fence\s+rw, *w$")
_ARITHMETIC = re.compile(r"(add|addi|sub|and|andi|or|ori|xor|xori|sll|slli|srl|srli|sra|srai|slt|slti|sltu|sltiu|lui|li|mv|neg|not)\s")


def orders_of(program: Program) -> np.ndarray:
    """int64[instructions]: the bits ACQUIRES, TELLS, RESERVES, LOADS and STORES of each."""
    orders = np.zeros(max(len(program.code), 1), np.int64)
    for place, text in enumerate(program.text):
        if found := _ATOMIC.match(text):
            mnemonic, acquire, release = found.groups()
            orders[place] = ACQUIRES * (acquire is not None) | TELLS * (release is not None) | RESERVES * (mnemonic == "lr")
        elif _ACQUIRING.match(text) and (load := _beside(program, range(place - 1, -1, -1), "lw")) is not None:
            orders[load] |= LOADS
        elif _RELEASING.match(text) and (store := _beside(program, range(place + 1, len(program.text)), "sw")) is not None:
            orders[store] |= STORES
    return orders


def _beside(program: Program, places: range, mnemonic: str) -> int | None:
    """The load or store that a fence belongs to, in places from the fence on; a compiler may have moved arithmetic between the two."""
    for place in places:
        if program.text[place].split()[:1] == [mnemonic]:
            return place
        if not _ARITHMETIC.match(program.text[place]):
            return None
    return None
