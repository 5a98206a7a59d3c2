"""What a linked program loads: its segments, as pieces of whole words, and the spans of them in which instructions lie."""

from __future__ import annotations

from collections.abc import Sequence

from warploom.isa.elf.file import File
from warploom.isa.image import Segment
from warploom.isa.reading import error

MOST_MEMORY = 1 << 28  # bytes of all segments
TOP = 1 << 32
_LOADED, _EXECUTE, _WRITE = 1, 1, 2  # program headers: kind, flags


def segments(file: File, advice: str = "", base: int = 0, align: int = 1) -> list[Segment]:
    """The loaded segments of a linked file. Raises SourceError.

    advice: how to link a file that does not fit. base: added to every address, of code that may lie anywhere. align: where an instruction
    may begin.
    """
    spans = sorted((base + one.address, base + one.address + one.size) for one in file.sections if one.is_code)
    pieces: list[tuple[int, bytes, int, bool, bool]] = []  # address, bytes in the file, size, writable, holds code
    total = 0
    for number, piece in enumerate(file.pieces):
        if piece.kind != _LOADED or piece.size == 0:
            continue
        address, end = base + piece.address, piece.offset + piece.in_file
        total += piece.size
        if end > len(file.data):
            raise error(file.path, f"this ELF file is cut off: segment {number} has bytes {piece.offset} to {end - 1}, "
                        f"the file {len(file.data)}", "")  # fmt: skip
        if piece.in_file > piece.size or address + piece.size > TOP or total > MOST_MEMORY:
            raise error(file.path, f"segment {number} of this ELF file has {piece.in_file} bytes for {piece.size} at {address:#x}; "
                        f"a program has at most {MOST_MEMORY >> 20} MiB, below 2^32", advice)  # fmt: skip
        start = address & ~3
        room = -(-(address + piece.size - start) // 4) * 4
        content = bytes(address - start) + file.data[piece.offset : end]
        pieces.append((start, content, room, bool(piece.flags & _WRITE), bool(piece.flags & _EXECUTE)))
    if not pieces:
        raise error(file.path, "this ELF file has nothing to load", "")
    found: list[Segment] = []
    for start, content, room, writable, executable in sorted(pieces, key=lambda piece: piece[0]):
        if found and start < found[-1].address + found[-1].size:
            raise error(file.path, f"two segments of this ELF file lie at {start:#x}", "")
        end = start + len(content)
        inside = [(max(one, start), min(other, end)) for one, other in spans if one < end and other > start]
        code = apart(inside, align) if spans else ((start, end),) if executable else ()
        found.append(Segment(segment_name(len(found)), start, content, room, writable, code))
    return found


def segment_name(number: int) -> str:
    """What a program's segment is called."""
    return f"program-{number}" if number else "program"


def apart(spans: Sequence[tuple[int, int]], align: int = 1) -> tuple[tuple[int, int], ...]:
    """Spans without their overlaps, beginning where an instruction may."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        first = max(-(-start // align) * align, found[-1][1] if found else 0)
        if first < end:
            found.append((first, end))
    return tuple(found)
