"""Object files without a linker: their sections get addresses one after another, and what refers to them is filled in.

A linker does more: it finds symbols in other files and in libraries. Here a symbol must be in the file. Addresses that code takes from a
table (a global offset table) are written into one of ours. Sections with debugging information are filled in too, so that their reader
needs to know no machine's relocations.
Source: System V ABI, chapter 4, "Relocation".
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

from warploom.isa.elf.file import ALLOCATED, NO_BITS, RELOCATIONS, WRITABLE, File, Section
from warploom.isa.elf.segments import MOST_MEMORY, segment_name
from warploom.isa.elf.symbols import ABSOLUTE, RESERVED, UNDEFINED, Symbol, read_symbols
from warploom.isa.image import Segment
from warploom.isa.reading import error

PAGE = 4096
MOST_RELOCATIONS = 1 << 20
_ENTRY = struct.Struct("<QQq")  # of a section of relocations: offset, symbol and kind, addend
_SLOT = 8  # bytes of an entry of the global offset table


class Relocation(NamedTuple):
    """What is filled in: S + A, S the symbol's address, A the addend. relative: less the place that is filled in. table: S is where the
    global offset table has the symbol's address. shift: bits that are left out below."""

    bytes: int
    relative: bool = False
    table: bool = False
    shift: int = 0


def placed(file: File, base: int) -> dict[int, int]:
    """The addresses of an object file's sections, by their numbers. Raises SourceError where they take too much room."""
    places: dict[int, int] = {}
    address = base
    for number, one in enumerate(file.sections):
        if not one.flags & ALLOCATED or not one.size:
            continue
        align = max(one.align, PAGE)
        address = -(-address // align) * align
        places[number] = address
        address += one.size
        if address - base > MOST_MEMORY:
            raise error(file.path, f"this ELF file has more than {MOST_MEMORY >> 20} MiB", "")
    return places


def relocated(file: File, places: Mapping[int, int], kinds: Mapping[int, Relocation]) -> tuple[File, Segment | None]:
    """An object file with its relocations filled in, and the global offset table where one is needed. Raises SourceError."""
    data = bytearray(file.data)
    table: dict[int, int] = {}  # slots of symbols by their addresses
    start = max((places[number] + file.sections[number].size for number in places), default=0)
    start = -(-start // PAGE) * PAGE
    read: dict[int, list[Symbol]] = {}
    left = MOST_RELOCATIONS
    for one in file.sections:
        if one.kind != RELOCATIONS or not one.size or not one.info < len(file.sections):
            continue
        target = file.sections[one.info]
        if one.link not in read:
            read[one.link] = read_symbols(file, file.sections[one.link]) if one.link < len(file.sections) else []
        contents = file.contents(one)
        left -= len(contents) // _ENTRY.size
        if left < 0:
            raise error(file.path, f"this object file has more than {MOST_RELOCATIONS} relocations", "link it")
        for offset, info, addend in _ENTRY.iter_unpack(contents[: len(contents) // _ENTRY.size * _ENTRY.size]):
            kind, number = info & 0xFFFFFFFF, info >> 32
            if kind == 0:
                continue
            how = kinds.get(kind)
            if how is None or number >= len(read[one.link]):
                if not target.flags & ALLOCATED:
                    continue  # of debugging information only
                said = f"this object file has a relocation of kind {kind} in its section {target.name!r}, which only a linker can fill in"
                raise error(file.path, said, "link it")
            value = _value(file, places, read[one.link][number], target)
            if how.table:
                value = start + _SLOT * table.setdefault(value, len(table))
            value += addend - (places.get(one.info, 0) + offset if how.relative else 0)
            _fill(file, data, target, offset, value >> how.shift, how.bytes)
    slots = b"".join((value % (1 << 64)).to_bytes(_SLOT, "little") for value in table)
    return file._replace(data=bytes(data)), Segment("global-offset-table", start, slots, len(slots), False) if slots else None


def _value(file: File, places: Mapping[int, int], symbol: Symbol, target: Section) -> int:
    if symbol.section == ABSOLUTE:
        return symbol.value
    if UNDEFINED < symbol.section < RESERVED:
        return places.get(symbol.section, 0) + symbol.value  # a section that is not loaded, of debugging information, begins at 0
    if symbol.weak or not target.flags & ALLOCATED:
        return 0
    said = f"this object file refers to {symbol.name!r}, which is not in it"
    raise error(file.path, said, "link it with the file that has it")


def _fill(file: File, data: bytearray, target: Section, offset: int, value: int, size: int) -> None:
    if target.kind == NO_BITS or offset + size > target.size or target.offset + target.size > len(data):
        raise error(file.path, f"this ELF file is damaged: a relocation lies outside the section {target.name!r}", "")
    place = target.offset + offset
    data[place : place + size] = (value % (1 << 8 * size)).to_bytes(size, "little")


def object_segments(file: File, places: Mapping[int, int]) -> list[Segment]:
    """The sections of an object file as pieces of memory. Raises SourceError."""
    found: list[Segment] = []
    for number, address in places.items():
        one = file.sections[number]
        code = ((address, address + one.size),) if one.is_code else ()
        room = -(-one.size // 4) * 4
        found.append(Segment(segment_name(len(found)), address, file.contents(one), room, bool(one.flags & WRITABLE), code))
    if not found:
        raise error(file.path, "this ELF file has nothing to load", "")
    return found
