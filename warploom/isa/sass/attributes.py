"""Attributes of a cubin: what the compiler tells the driver about a kernel, in sections `.nv.info` and `.nv.info.NAME`.

A record is a format byte, an attribute byte and a value: formats 1 to 3 have 16 bits in place of a value (nothing, a byte, a half), format
4 has a length of 16 bits and so many bytes. Attributes that nobody needs are skipped by that length.

Source: names as in NVIDIA's CUDA Binary Utilities; layouts as compilers of CUDA 12 and 13 write them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

# Attributes: those of the whole file (a symbol and a number each), then those of a kernel.
REGISTER_COUNT, FRAME_SIZE, LEAST_STACK, MOST_STACK = 0x2F, 0x11, 0x12, 0x23
PARAMETER_BANK, PARAMETER, PARAMETER_BYTES = 0x0A, 0x17, 0x19
MOST_THREADS, REQUIRED_BLOCK, MOST_REGISTERS = 0x05, 0x10, 0x1B
EXTERNALS = 0x0F
_PAIR = struct.Struct("<II")
_BANK = struct.Struct("<IHH")
_PARAMETER = struct.Struct("<IHHI")
_HALF = struct.Struct("<H")


class Malformed(ValueError):
    """Attributes that end in the middle of a record. One clause, without the section's name."""


class KernelParameter(NamedTuple):
    """A parameter: its number in the signature, its place from the first parameter on, and its size, both in bytes."""

    number: int
    offset: int
    size: int


class KernelAttributes(NamedTuple):
    """What `.nv.info.NAME` says.

    base, size: of the parameters in constant bank 0, in bytes. block: threads that a block must have, in three dimensions, or none.
    most_threads: of a block, or 0 where nothing limits it. externals: numbers of the symbols that the host has to supply.
    """

    base: int = 0
    size: int = 0
    parameters: tuple[KernelParameter, ...] = ()
    block: tuple[int, ...] = ()
    most_threads: int = 0
    externals: tuple[int, ...] = ()


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(attribute, value) of a section. Raises Malformed."""
    at = 0
    while at + 4 <= len(data):
        form, attribute, size = data[at], data[at + 1], 0
        if form == 4:
            (size,) = _HALF.unpack_from(data, at + 2)
            value = data[at + 4 : at + 4 + size]
            if len(value) != size:
                raise Malformed(f"has an attribute {attribute:#x} of {size} bytes at byte {at}, and ends before it")
        elif form in (1, 2, 3):
            value = data[at + 2 : at + 4]
        else:
            raise Malformed(f"has a record of format {form} at byte {at}; there are 1 to 4")
        yield attribute, value
        at += 4 + size


def by_symbol(data: bytes) -> dict[int, dict[int, int]]:
    """Numbers of `.nv.info`: by attribute, then by symbol. Raises Malformed."""
    found: dict[int, dict[int, int]] = {REGISTER_COUNT: {}, FRAME_SIZE: {}, LEAST_STACK: {}, MOST_STACK: {}}
    for attribute, value in records(data):
        if attribute in found:
            symbol, number = _unpacked(_PAIR, attribute, value)
            found[attribute][symbol] = number
    return found


def of_kernel(data: bytes) -> KernelAttributes:
    """What `.nv.info.NAME` says. Raises Malformed."""
    base = size = most = 0
    block: tuple[int, ...] = ()
    parameters, externals = [], []
    for attribute, value in records(data):
        if attribute == PARAMETER_BANK:
            _, base, size = _unpacked(_BANK, attribute, value)
        elif attribute == PARAMETER:
            _, number, offset, packed = _unpacked(_PARAMETER, attribute, value)
            parameters.append(KernelParameter(number, offset, packed >> 18))
        elif attribute in (MOST_THREADS, REQUIRED_BLOCK):
            extent = _unpacked(struct.Struct("<III"), attribute, value)
            most = extent[0] * extent[1] * extent[2]
            block = extent if attribute == REQUIRED_BLOCK else block
        elif attribute == EXTERNALS:
            externals += [number for (number,) in struct.iter_unpack("<I", value[: len(value) // 4 * 4])]
    return KernelAttributes(base, size, tuple(sorted(parameters)), block, most, tuple(externals))


def _unpacked(layout: struct.Struct, attribute: int, value: bytes) -> tuple[int, ...]:
    """The first numbers of a value. Raises Malformed where it is too short."""
    if len(value) < layout.size:
        raise Malformed(f"has an attribute {attribute:#x} of {len(value)} bytes, which has {layout.size} at least")
    return layout.unpack_from(value)
