"""SipHash-1-3 against values of Rust's `DefaultHasher`, in both engines, and as the hash of a cache's sets."""

import numpy as np
import pytest

from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.cache import Cache, configure, set_of
from warploom.machine.memory.siphash import siphash

SETS = {64: 9, 128: 15, 192: 1}  # of 16: recorded in guppy


@unit
def drive(address):
    return siphash(address)


def reference(address: int) -> int:
    """SipHash-1-3 with keys of zero, in whole numbers, from the paper's description."""
    mask = (1 << 64) - 1
    v = [0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573]

    def rotate(number, bits):
        return (number << bits | number >> (64 - bits)) & mask

    def rounds(count):
        for _ in range(count):
            v[0] = (v[0] + v[1]) & mask
            v[2] = (v[2] + v[3]) & mask
            v[1], v[3] = rotate(v[1], 13) ^ v[0], rotate(v[3], 16) ^ v[2]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[1]) & mask
            v[0] = (v[0] + v[3]) & mask
            v[1], v[3] = rotate(v[1], 17) ^ v[2], rotate(v[3], 21) ^ v[0]
            v[2] = rotate(v[2], 32)

    message = address | 4 << 56
    v[3] ^= message
    rounds(1)
    v[0] ^= message
    v[2] ^= 0xFF
    rounds(3)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


@pytest.mark.parametrize("address", [0, 1, 64, 128, 192, 0x7FFFFFFF, 0x80000000, 0xFFFFFFC0, 0xFFFFFFFF])
def test_both_engines_give_the_published_function(address):
    assert int(both(drive, np.int64(address))[0]) == reference(address)


def test_the_sets_are_those_of_the_original():
    cache = mirror(zeros((), Cache))
    configure(cache, 16, 8, "fifo", 1, set_hash="siphash", line_shift=6)
    with np.errstate(over="ignore"):
        assert {address: int(set_of(cache, address >> 6)) for address in SETS} == SETS
