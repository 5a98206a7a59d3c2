"""Files that hold cubins: fat binaries, and host programs, libraries and objects with fat binaries in them.

A fat binary is a header (magic number, version, bytes of the header, bytes of what follows) and entries, each with a head of its own: what
it is (1: PTX, 2: a cubin), the head's size, the payload's size, the architecture, and flags that say whether it is compressed. Of several
cubins the driver takes the one for the highest architecture that the device has.

Source: layouts as NVIDIA's `fatbinary` of CUDA 13 writes them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from warploom.isa.reading import error
from warploom.isa.sass.cubin import TEXT, is_cubin
from warploom.isa.sass.products import ARCHITECTURES, fits

MAGIC = 0xBA55ED50
HEADER, ENTRY = struct.Struct("<IHHQ"), struct.Struct("<HHIQIIHHIIIQQQ")
PTX, CUBIN = 1, 2
COMPRESSED = 0xA000  # flags: LZ4, or Zstandard
ADVICE = "compile it with `nvcc -cubin -arch=sm_80`, or without compression: `nvcc -Xfatbin -no-compress`"


class Part(NamedTuple):
    """An entry of a fat binary."""

    kind: int
    architecture: int
    compressed: bool
    data: bytes


def parts(data: bytes) -> Iterator[Part]:
    """The entries of all fat binaries in a file's bytes. What is cut off is left out."""
    mark = MAGIC.to_bytes(4, "little")
    at = data.find(mark)
    while at >= 0:
        end = at + 4
        if at + HEADER.size <= len(data):
            _, version, head, size = HEADER.unpack_from(data, at)
            if version == 1 and HEADER.size <= head and at + head + size <= len(data):
                end = at + head + size
                yield from _entries(data, at + head, end)
        at = data.find(mark, end)


def _entries(data: bytes, at: int, end: int) -> Iterator[Part]:
    while at + ENTRY.size <= end:
        kind, _, head, size, _, _, _, _, architecture, _, _, flags, _, _ = ENTRY.unpack_from(data, at)
        if head < ENTRY.size or at + head + size > end:
            return
        yield Part(kind, architecture, bool(flags & COMPRESSED), data[at + head : at + head + size])
        at += head + size


def cubin_in(data: bytes, path: str, product: object = None, kernel: str | None = None) -> bytes:
    """The bytes themselves if they are a cubin; of a file that holds several the one that the product takes. Raises SourceError.

    product: a preset's name; for one that takes any code, or none, it is the highest architecture. kernel: of several cubins of one
    architecture the first that names it.
    """
    if is_cubin(data):
        return data
    found = list(parts(data))
    if not found:
        return data
    has = ARCHITECTURES.get(product) if isinstance(product, str) else None
    cubins = [one for one in found if one.kind == CUBIN]
    if not cubins:
        raise error(path, "it holds PTX and no cubin: a GPU's driver would compile that", ADVICE)
    good = [one for one in cubins if has is None or fits(has, one.architecture)]
    there = ", ".join(f"sm_{number}" for number in sorted({one.architecture for one in cubins}))
    if not good:
        raise error(path, f"it holds code for {there}, and none that {product}, sm_{has}, takes", "choose another --gpu, or --gpu sm")
    best = max(one.architecture for one in good)
    plain = [one for one in good if one.architecture == best and not one.compressed and is_cubin(one.data)]
    if not plain:
        raise error(path, f"its code for sm_{best} is compressed", ADVICE)
    wanted = (TEXT + (kernel or "")).encode()  # compilers add cubins without code
    return next((one.data for mark in (wanted, TEXT.encode()) for one in plain if mark in one.data), plain[0].data)
