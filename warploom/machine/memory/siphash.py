"""SipHash-1-3 of an address, as a hash that chooses the set of a line.

Not what hardware does: 12 additions, 16 rotations and 18 exclusive-ors of 64 bits for one lookup. It is how a simulator chooses a set that
keeps its lines in a hash map: guppy, written in Rust, whose maps hash by SipHash-1-3 with keys of zero (`DefaultHasher`). A machine that
repeats such a simulator exactly, evictions included, must choose the same sets.

Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012; one compression and three finalization rounds.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import inlined, unit

# "somepseudorandomlygeneratedbytes", the initial state for keys of zero.
V0, V1 = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
V2, V3 = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)
LENGTH = np.uint64(4 << 56)  # of the message, bytes: an address is a word, lowest byte first
END = np.uint64(0xFF)
FINAL_ROUNDS = 3


@inlined
def _rotated(value, bits):
    return np.uint64(value << np.uint64(bits)) | np.uint64(value >> np.uint64(64 - bits))


@inlined
def _round(v0, v1, v2, v3):
    v0 = np.uint64(v0 + v1)
    v1 = _rotated(v1, 13) ^ v0
    v0 = _rotated(v0, 32)
    v2 = np.uint64(v2 + v3)
    v3 = _rotated(v3, 16) ^ v2
    v0 = np.uint64(v0 + v3)
    v3 = _rotated(v3, 21) ^ v0
    v2 = np.uint64(v2 + v1)
    v1 = _rotated(v1, 17) ^ v2
    v2 = _rotated(v2, 32)
    return v0, v1, v2, v3


@unit
def siphash(address):
    """The 64-bit hash of a 32-bit number, as its four bytes, lowest first."""
    message = np.uint64(np.int64(address) & 0xFFFFFFFF) | LENGTH
    v0, v1, v2, v3 = _round(V0, V1, V2, V3 ^ message)
    v0 = v0 ^ message
    v2 = v2 ^ END
    for _ in range(FINAL_ROUNDS):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return np.uint64(v0 ^ v1 ^ v2 ^ v3)
