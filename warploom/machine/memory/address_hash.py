"""Address hash: which slice, channel or set of several a line belongs to.

In hardware: a few exclusive-or gates in the path of an address. Lines are dealt out to n places in groups of n: each group gives every
place one line, so a stream keeps all of them equally busy whatever the hash. The hash decides only the order within the group:

* `modulo`: always the same. Lines that lie a multiple of n apart then meet in one place: with n a power of two, two arrays at a
  power-of-two distance do (partition camping).
* `xor`: the group's number, folded to the width of a place's number, is added (n a power of two: without carries). The permutation of
  Zhang, Zhu and Zhang, "A permutation-based page interleaving scheme", MICRO 2000.
* `ipoly`: the group's number as a polynomial over GF(2), modulo an irreducible one: no power-of-two stride is bad. Rau,
  "Pseudo-randomly interleaved memory", ISCA 1991; in GPUs as GPGPU-Sim and Accel-Sim model them.

A line's place and the number of its group name the line, so (`group_of`) is its number among the lines of its place.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from warploom.isa.counts import numbers
from warploom.machine.engine.unit import inlined, out_of_line, record

HASHES = ("modulo", "xor", "ipoly")
BYTES = 4  # of a group's number that count
ASKED = 512  # rows of what a user's hash has answered
# Irreducible polynomials over GF(2) by degree, bit i = the coefficient of x^i: Lidl and Niederreiter, "Finite fields", table C.
POLYNOMIALS = (0b1, 0b11, 0b111, 0b1011, 0b10011, 0b100101, 0b1000011, 0b10000011, 0b100011011, 0b1000010001, 0b10000001001)

AddressHash = record(
    settings=dict(
        places="i8",                   # how many there are; 0 is read as 1
        mask="i8",                     # places - 1 if that is a power of two, else -1
        shift="i8",                    # ... and its log2
        hashed="i8",                   # 0: modulo
        table=("u2", (BYTES, 256)),    # what each byte of a group's number gives: the gates, by byte
    ),
    state=dict(
        asked=("i8", ASKED),           # no hardware: by line % ASKED, the last line of which a user's hash was asked, and what it said
    ),
)  # fmt: skip


def configure(hash: Any, places: int, kind: str) -> None:
    """Set up an all-zero `AddressHash` through its mirror. kind: one of HASHES."""
    bits = max((places - 1).bit_length(), 1)
    hash.places, hash.hashed = places, int(kind != "modulo")
    hash.mask, hash.shift = (-1, 0) if places & (places - 1) else (places - 1, places.bit_length() - 1)
    if hash.hashed:
        hash.table[:] = _gates(bits, kind)


@cache
def _gates(bits: int, kind: str) -> np.ndarray:
    """uint16[BYTES, 256]: what each byte of a number gives. To fold is gates of exclusive or: a number gives what its bits give."""
    table, values = np.zeros((BYTES, 256), np.uint16), numbers(256)
    for bit in range(8 * BYTES):
        table[bit // 8] ^= np.where(values >> bit % 8 & 1, _folded(1 << bit, bits, kind), 0).astype(np.uint16)
    return table


def _folded(number: int, bits: int, kind: str) -> int:
    """A number in `bits` bits."""
    if kind == "xor":
        found = 0
        while number:
            found, number = found ^ (number & ((1 << bits) - 1)), number >> bits
        return found
    degree = min(bits, len(POLYNOMIALS) - 1)
    while number >> degree:
        number ^= POLYNOMIALS[degree] << (number.bit_length() - 1 - degree)
    return number


@inlined
def group_of(hash, line):
    """The number of a line's group: how many lines of the same place come before it."""
    return np.int64(line >> hash.shift if hash.mask >= 0 else line // hash.places)


@inlined
def place_of(hash, line):
    """The place of a line: 0 to places - 1."""
    if hash.mask < 0:
        return _place_among(hash, line)
    if hash.hashed == 0:
        return np.int64(line & hash.mask)
    return np.int64((line ^ _folded_group(hash, line >> hash.shift)) & hash.mask)


@inlined
def channel_place(hash, line):
    """The slice of a cache, or the channel of memory, that a line belongs to."""
    return place_of(hash, line)


@out_of_line
def _place_among(hash, line):
    """`place_of` among places whose number is not a power of two."""
    group = np.int64(line // hash.places)
    place = np.int64(line - group * hash.places)
    return place if hash.hashed == 0 else np.int64((place + _folded_group(hash, group)) % hash.places)


@inlined
def _folded_group(hash, group):
    """What a group's number changes in the order of its lines."""
    found = np.int64(0)
    for byte in range(BYTES):
        found ^= np.int64(hash.table[byte, (group >> (8 * byte)) & 255])
    return found
