"""ELF files of 64 bits: a linked x86 program, or an object file that needs no linker.

The headers are read here, each number checked before it is used: a file may be cut off or made to harm. Symbols are an addition; where they
cannot be read there is a warning, and the program runs without them. They are read by pyelftools. An object file is taken as it is: its
sections get addresses one after another, and it may have no relocations in its code.
Sources: Tool Interface Standard, "Executable and Linking Format" 1.2; System V ABI, AMD64 supplement.
"""

from __future__ import annotations

import io
import struct
from typing import Any, NamedTuple

from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.image import Image, Segment
from warploom.isa.program import Source
from warploom.isa.reading import error

MAGIC = b"\x7fELF"
X86_64 = 62
OBJECT, EXECUTABLE, SHARED = 1, 2, 3
LOADED, EXECUTE, WRITE = 1, 1, 2  # program headers: type, flags
WRITABLE, ALLOCATED, INSTRUCTIONS = 1, 2, 4  # section flags
NO_BITS, RELOCATIONS = 8, 4
HEADER, PROGRAM_HEADER = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQQQ")
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
MOST_MEMORY = 1 << 28  # bytes of all segments
MOST_HEADERS = 1024
OBJECT_BASE, PAGE = 0x400000, 4096
TOP = 1 << 32


class Section(NamedTuple):
    """What is needed of a section."""

    kind: int
    flags: int
    address: int
    offset: int
    size: int
    about: int  # of relocations, the section that they change


def read(data: bytes, path: str) -> tuple[Image, list[Diagnostic]]:
    """The image in an ELF file's bytes, and warnings. Raises SourceError."""
    kind, entry, programs, program_count, sections = _header(data, path)
    if kind == OBJECT:
        segments, places = _object_segments(data, path, sections)
    else:
        segments, places = _segments(data, path, programs, program_count, sections), {}
    warnings: list[Diagnostic] = []
    symbols: dict[str, int] = {}
    functions: frozenset[int] = frozenset()
    try:
        symbols, functions = _symbols(data, places)
    except Exception as failure:  # pyelftools raises what its parsers raise: nothing of it is needed to run the program
        said = f"its symbols cannot be read ({type(failure).__name__}): messages name addresses instead"
        warnings.append(Diagnostic(Severity.WARNING, said))
    code = [span for segment in segments for span in segment.code]
    entry = entry or next((symbols[name] for name in ("_start", "main", "kernel") if name in symbols), code[0][0] if code else 0)
    if not any(start <= entry < end for start, end in code):
        raise error(path, f"its entry point {entry:#x} lies in no code", "link it with an entry point: -Wl,-e,main")
    return Image(path, segments, entry, symbols, functions | {entry}, (Source("", path),)), warnings


def _header(data: bytes, path: str) -> tuple[int, int, int, int, list[Section]]:
    """(type, entry, place and number of program headers, sections)."""
    if len(data) < HEADER.size:
        raise error(path, f"this ELF file is cut off: it has {len(data)} bytes, its header alone {HEADER.size}", "")
    ident, kind, machine, _, entry, programs, sections, *_, program_count, section_size, section_count, _ = HEADER.unpack_from(data)
    if ident[4] != 2 or ident[5] != 1 or machine != X86_64:
        bits = {1: 32, 2: 64}.get(ident[4], 0)
        said = f"this ELF file is for machine {machine} with {bits or 'unknown'} bits; x86 with AVX-512 is machine {X86_64}, 64 bits"
        raise error(path, said, "compile it for x86_64 with -mavx512f")
    if kind not in (OBJECT, EXECUTABLE, SHARED):
        raise error(path, f"this is an ELF file of type {kind}, not a program", "link it")
    usable = section_size == SECTION_HEADER.size and section_count <= MOST_HEADERS
    usable = usable and sections + section_count * SECTION_HEADER.size <= len(data)
    found = []
    for number in range(section_count if usable else 0):
        row = SECTION_HEADER.unpack_from(data, sections + number * SECTION_HEADER.size)
        found.append(Section(row[1], row[2], row[3], row[4], row[5], row[7]))
    wrong = not 0 < program_count <= MOST_HEADERS or programs + program_count * PROGRAM_HEADER.size > len(data)
    if kind != OBJECT and wrong:
        raise error(path, f"this ELF file is cut off or damaged: {program_count} program headers at byte {programs} of {len(data)}", "")
    return kind, entry, programs, program_count, found


def _segments(data: bytes, path: str, programs: int, count: int, sections: list[Section]) -> list[Segment]:
    """The loaded segments, as pieces of whole words."""
    spans = sorted((one.address, one.address + one.size) for one in sections if _is_code(one))
    pieces: list[tuple[int, bytes, int, bool, bool]] = []  # address, bytes in the file, size, writable, holds code
    total = 0
    for number in range(count):
        kind, flags, offset, address, _, in_file, size, _ = PROGRAM_HEADER.unpack_from(data, programs + number * PROGRAM_HEADER.size)
        if kind != LOADED or size == 0:
            continue
        total += size
        if offset + in_file > len(data):
            raise error(path, f"this ELF file is cut off: segment {number} has bytes {offset} to {offset + in_file - 1}, "
                        f"the file {len(data)}", "")  # fmt: skip
        if in_file > size or address + size > TOP or total > MOST_MEMORY:
            raise error(path, f"segment {number} of this ELF file has {in_file} bytes for {size} at {address:#x}; "
                        f"a program has at most {MOST_MEMORY >> 20} MiB, below 2^32", "link it without PIE, to low addresses")  # fmt: skip
        start = address & ~3
        content = bytes(address - start) + data[offset : offset + in_file]
        pieces.append((start, content, -(-(address + size - start) // 4) * 4, bool(flags & WRITE), bool(flags & EXECUTE)))
    if not pieces:
        raise error(path, "this ELF file has nothing to load", "")
    found: list[Segment] = []
    for start, content, room, writable, executable in sorted(pieces):
        if found and start < found[-1].address + found[-1].size:
            raise error(path, f"two segments of this ELF file lie at {start:#x}", "")
        end = start + len(content)
        inside = [(max(one, start), min(other, end)) for one, other in spans if one < end and other > start]
        code = _apart(inside) if spans else ((start, end),) if executable else ()
        found.append(Segment("program" if not found else f"program-{len(found)}", start, content, room, writable, code))
    return found


def _is_code(one: Section) -> bool:
    return one.kind != NO_BITS and bool(one.flags & ALLOCATED and one.flags & INSTRUCTIONS and one.size)


def _apart(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans without their overlaps."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        first = max(start, found[-1][1] if found else 0)
        if first < end:
            found.append((first, end))
    return tuple(found)


def _object_segments(data: bytes, path: str, sections: list[Section]) -> tuple[list[Segment], dict[int, int]]:
    """The sections of an object file, one after another; and the address of each, by its number."""
    changed = {one.about for one in sections if one.kind == RELOCATIONS and one.size}
    segments: list[Segment] = []
    places: dict[int, int] = {}
    address = OBJECT_BASE
    for number, one in enumerate(sections):
        if not one.flags & ALLOCATED or not one.size:
            continue
        if number in changed and one.flags & INSTRUCTIONS:
            raise error(path, "this object file has relocations in its code: it refers to what lies elsewhere", "link it: ld -e NAME")
        if one.size > MOST_MEMORY or (one.kind != NO_BITS and one.offset + one.size > len(data)):
            raise error(path, f"this ELF file is cut off: section {number} has {one.size} bytes at byte {one.offset} of {len(data)}", "")
        content = b"" if one.kind == NO_BITS else data[one.offset : one.offset + one.size]
        code = ((address, address + one.size),) if _is_code(one) else ()
        name = "program" if not segments else f"program-{len(segments)}"
        segments.append(Segment(name, address, content, -(-one.size // 4) * 4, bool(one.flags & WRITABLE), code))
        places[number] = address
        address += -(-one.size // PAGE) * PAGE
        if address - OBJECT_BASE > MOST_MEMORY:
            raise error(path, f"this ELF file has more than {MOST_MEMORY >> 20} MiB", "")
    if not segments:
        raise error(path, "this ELF file has nothing to load", "")
    return segments, places


def _symbols(data: bytes, places: dict[int, int]) -> tuple[dict[str, int], frozenset[int]]:
    """Addresses of functions and objects by name, and where functions begin. places: of an object file, where its sections are."""
    from elftools.elf.elffile import ELFFile

    table: Any = ELFFile(io.BytesIO(data)).get_section_by_name(".symtab")
    symbols: dict[str, int] = {}
    functions: set[int] = set()
    for symbol in table.iter_symbols() if table is not None else ():
        kind, section = symbol["st_info"]["type"], symbol["st_shndx"]
        if section == "SHN_UNDEF" or (places and section not in places):
            continue
        address = symbol["st_value"] + places.get(section, 0)
        if symbol.name and not symbol.name.startswith(".L") and kind in ("STT_FUNC", "STT_OBJECT", "STT_NOTYPE"):
            symbols.setdefault(symbol.name, address)
        if kind == "STT_FUNC":
            functions.add(address)
    return symbols, frozenset(functions)
