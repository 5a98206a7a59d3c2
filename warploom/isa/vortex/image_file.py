"""Images that are not ELF files: raw bytes from the start address on, and `.vxbin`, which says first and last address before them.

A .vxbin begins with two numbers of 64 bits, the lowest address and the end (of zeroed memory too), and the bytes follow.
Source: github.com/vortexgpgpu/vortex, kernel/scripts/vxbin.py (2024-08).
"""

from __future__ import annotations

import struct

from warploom.isa.image import Image, Segment
from warploom.isa.program import Source
from warploom.isa.reading import error
from warploom.isa.vortex.memory_map import START

VXBIN, RAW = ".vxbin", ".bin"
WORD = 4  # bytes of an instruction
HEADER = struct.Struct("<2Q")
MOST_BYTES = 1 << 26  # of an image, zeroed memory included
ROOM = 1 << 16  # of a raw image: memory after its bytes, which hold no word of how much it wants


def read_vxbin(data: bytes, path: str) -> Image:
    """The image in a .vxbin. Raises SourceError."""
    if len(data) < HEADER.size + 4:
        raise error(path, f"this .vxbin is cut off: it has {len(data)} bytes, its header alone {HEADER.size}", "")
    low, end = HEADER.unpack_from(data)
    content = data[HEADER.size :]
    if low % 4 or not low + len(content) <= end <= 1 << 32 or end - low > MOST_BYTES:
        said = f"this .vxbin says that its {len(content)} bytes lie from {low:#x} to {end:#x}"
        raise error(path, f"{said}: it begins at a multiple of 4, has room for them, and takes at most {MOST_BYTES >> 20} MiB", "")
    return _image(path, low, content, end - low)


def read_raw(data: bytes, path: str) -> Image:
    """The image in raw bytes, from START on. Raises SourceError."""
    if len(data) < WORD:
        raise error(path, f"this image has {len(data)} bytes: an instruction has {WORD}", "")
    return _image(path, START, data, len(data) + ROOM)


def _image(path: str, base: int, content: bytes, size: int) -> Image:
    code = ((base, base + len(content) // 4 * 4),)
    segment = Segment("program", base, content, -(-size // 4) * 4, True, code)
    return Image(path, [segment], base, {}, frozenset(), (Source("", path),))
