"""Atomic unit: reads a word, combines it with an operand and writes it back, with nothing in between.

In hardware: a small integer ALU at each bank of shared memory and at each slice of the L2 cache, where the data are; the
word does not travel to the core and back. Lanes that want the same word have to take turns, one pass each, so a warp's
atomic takes as many passes as its most wanted word has lanes: 32 for a histogram in which all pixels are alike.

In the L2 cache the lanes of a warp on one word can be one operation, since what they add up to is known before they get there: 16 lanes
of a V100 are (`l2.atomic_lanes`; accel-sim/gpgpu-sim_distribution, issue 33).

Sources: NVIDIA's atomics at L2 (Fermi whitepaper, 2009) and in shared memory (Maxwell tuning guide, 2014); RISC-V A for
the operations.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import NUMBER
from warploom.machine.engine.bits import EMPTY, bit, has
from warploom.machine.engine.unit import native_form_of, unit

ADD, MIN, MAX = NUMBER["atomic_add"], NUMBER["atomic_min"], NUMBER["atomic_max"]
MINU, MAXU = NUMBER["atomic_minu"], NUMBER["atomic_maxu"]
AND, OR, XOR = NUMBER["atomic_and"], NUMBER["atomic_or"], NUMBER["atomic_xor"]
EXCHANGE, CAS = NUMBER["atomic_exchange"], NUMBER["atomic_cas"]
MORE = ("inc", "dec", "rsub", "fadd", "hadd", "bfadd")  # of wide_atomic.py
INC, DEC, RSUB, FADD, HADD, BFADD = (NUMBER[f"atomic_{name}"] for name in MORE)
SIGN = np.uint32(0x80000000)  # inverted, it makes signed order unsigned order


@unit
def apply(op, old, b, c):
    """What memory holds after atomic operation `op` (a number of OPERATIONS) on a word that held `old`.

    old, b, c: uint32; c is what compare-and-swap writes if old == b. Any other operation leaves the word as it is.
    """
    new = np.uint32(old)
    if op == ADD:
        new = np.uint32(old + b)
    elif op == MIN:
        new = np.uint32(b if (b ^ SIGN) < (old ^ SIGN) else old)
    elif op == MAX:
        new = np.uint32(b if (b ^ SIGN) > (old ^ SIGN) else old)
    elif op == MINU:
        new = np.uint32(b if b < old else old)
    elif op == MAXU:
        new = np.uint32(b if b > old else old)
    elif op == AND:
        new = np.uint32(old & b)
    elif op == OR:
        new = np.uint32(old | b)
    elif op == XOR:
        new = np.uint32(old ^ b)
    elif op == EXCHANGE:
        new = np.uint32(b)
    elif op == CAS:
        new = np.uint32(c if old == b else old)
    return new


@unit
def merges(op):
    """Whether lanes on one word can be combined before they reach it: not if each has to see what the one before it left, and not for sums
    of floats, which depend on the order."""
    return op != EXCHANGE and op != CAS and op != INC and op != DEC and op != RSUB and op != FADD and op != HADD and op != BFADD


@unit
def conflicts(addresses, active, lanes):
    """How many active lanes want the most wanted word: the passes of a warp's atomic; 0 when no lane is active.

    addresses: uint32, bytes, one a lane. active: non-zero in the lanes that take part.
    """
    most = np.int64(0)
    for lane in range(lanes):
        if active[lane] != 0:
            most = max(most, _lanes_at_word(addresses, active, lanes, addresses[lane] >> np.uint32(2)))
    return most


@unit
def _lanes_at_word(addresses, active, lanes, word):
    """How many active lanes want a word."""
    same = np.int64(0)
    for lane in range(lanes):
        if active[lane] != 0 and addresses[lane] >> np.uint32(2) == word:
            same += 1
    return same


@native_form_of(conflicts)
@unit
def conflicts_of_likely_words(addresses, active, lanes):
    """Most words differ in their low bits: only those that share them with another word are compared."""
    seen = EMPTY  # bit b = some word's low bits are b
    again = EMPTY  # bit b = those of several are
    for lane in range(lanes):
        if active[lane] != 0:
            low = bit((addresses[lane] >> np.uint32(2)) & np.uint32(63))
            again |= seen & low
            seen |= low
    most = np.int64(1 if seen != EMPTY else 0)
    if again == EMPTY:
        return most
    for lane in range(lanes):
        if most >= lanes - lane:  # a word's first lane meets all others after it: fewer are left
            break
        word = addresses[lane] >> np.uint32(2)
        if active[lane] != 0 and has(again, word & np.uint32(63)):
            most = max(most, _lanes_at_word(addresses, active, lanes, word))
    return most
