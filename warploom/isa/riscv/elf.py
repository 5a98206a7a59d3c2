"""ELF files: a linked RISC-V program as a compiler leaves it, with its symbols and the lines that its instructions came from.

The headers are read here, each number checked before it is used: a file may be cut off or made to harm. Symbols and line tables are an
addition; where they cannot be read there is a warning and the program runs without them. They are read by pyelftools.
Sources: Tool Interface Standard, "Executable and Linking Format" 1.2; RISC-V ABIs Specification 1.0, "ELF Object Files".
"""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any, NamedTuple

from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.image import Image, Segment
from warploom.isa.program import Position, Source
from warploom.isa.reading import bytes_of, decoded, error

MAGIC = b"\x7fELF"
RISCV, EXECUTABLE, SHARED = 243, 2, 3
LOADED, EXECUTE, WRITE = 1, 1, 2  # program headers: type, flags
ALLOCATED, INSTRUCTIONS = 2, 4  # section flags
NO_BITS = 8  # a section without bytes in the file
HEADER, PROGRAM_HEADER, SECTION_HEADER = struct.Struct("<16sHHIIIIIHHHHHH"), struct.Struct("<8I"), struct.Struct("<10I")
MOST_MEMORY = 1 << 28  # bytes of all segments
MOST_HEADERS = 1024
MOST_LINES = 1 << 20
KINDS = {1: "an object file that is not linked yet", 4: "a core dump"}


class Header(NamedTuple):
    """What is needed of the file's header."""

    entry: int
    programs: int
    program_count: int
    sections: int
    section_count: int


def read(data: bytes, path: str) -> tuple[Image, list[Diagnostic]]:
    """The image in an ELF file's bytes, and warnings. Raises SourceError."""
    header = _header(data, path)
    spans = _code_sections(data, header)
    segments = _segments(data, path, header, spans)
    warnings: list[Diagnostic] = []
    symbols: dict[str, int] = {}
    functions: frozenset[int] = frozenset()
    sources: tuple[Source, ...] = ()
    lines: dict[int, Position] = {}
    try:
        symbols, functions = _symbols(data)
        sources, lines = _lines(data, Path(path).parent)
    except Exception as failure:  # pyelftools raises what its parsers raise: nothing of it is needed to run the program
        said = f"its symbols or line tables cannot be read ({type(failure).__name__}): messages name addresses instead"
        warnings.append(Diagnostic(Severity.WARNING, said))
    entry = header.entry or symbols.get("_start", symbols.get("main", 0))
    if not any(start <= entry < end for segment in segments for start, end in segment.code):
        raise error(path, f"its entry point {entry:#x} lies in no code", "link it with an entry point: -Wl,-e,main")
    own = (Source("", path), *sources)
    return Image(path, segments, entry, symbols, functions, own, lines), warnings


def _header(data: bytes, path: str) -> Header:
    if not data.startswith(MAGIC):
        raise error(path, "this is no ELF file", "")
    if len(data) < HEADER.size:
        raise error(path, f"this ELF file is cut off: it has {len(data)} bytes, its header alone {HEADER.size}", "")
    ident, kind, machine, _, entry, programs, sections, *_, program_count, section_size, section_count, _ = HEADER.unpack_from(data)
    if ident[4] != 1 or ident[5] != 1:
        bits = {1: 32, 2: 64}.get(ident[4], 0)
        raise error(path, f"this ELF file is for {bits or 'unknown'} bits, {'little' if ident[5] == 1 else 'big'}-endian; "
                    "the machine has 32 bits, little-endian", "compile it for riscv32")  # fmt: skip
    if machine != RISCV:
        raise error(path, f"this ELF file is for machine {machine}, RISC-V is {RISCV}", "compile it for riscv32")
    if kind not in (EXECUTABLE, SHARED):
        raise error(path, f"this is {KINDS.get(kind, f'an ELF file of type {kind}')}, not a program", "link it")
    if not 0 < program_count <= MOST_HEADERS or programs + program_count * PROGRAM_HEADER.size > len(data):
        raise error(path, f"this ELF file is cut off or damaged: {program_count} program headers at byte {programs} of {len(data)}", "")
    usable = section_size == SECTION_HEADER.size and section_count <= MOST_HEADERS
    usable = usable and sections + section_count * SECTION_HEADER.size <= len(data)
    return Header(entry, programs, program_count, sections, section_count if usable else 0)


def _code_sections(data: bytes, header: Header) -> list[tuple[int, int]]:
    """Where instructions lie, as far as sections say: (first address, first after it)."""
    found = []
    for number in range(header.section_count):
        row = SECTION_HEADER.unpack_from(data, header.sections + number * SECTION_HEADER.size)
        _, kind, flags, address, _, size, *_ = row
        if kind != NO_BITS and flags & ALLOCATED and flags & INSTRUCTIONS and size:
            found.append((address, address + size))
    return sorted(found)


def _segments(data: bytes, path: str, header: Header, spans: list[tuple[int, int]]) -> list[Segment]:
    """The loaded segments, as pieces of whole words."""
    pieces: list[tuple[int, bytes, int, bool, bool]] = []  # address, bytes in the file, size, writable, holds code
    total = 0
    for number in range(header.program_count):
        row = PROGRAM_HEADER.unpack_from(data, header.programs + number * PROGRAM_HEADER.size)
        kind, offset, address, _, in_file, size, flags, _ = row
        if kind != LOADED or size == 0:
            continue
        total += size
        if offset + in_file > len(data):
            raise error(path, f"this ELF file is cut off: segment {number} has bytes {offset} to {offset + in_file - 1}, "
                        f"the file {len(data)}", "")  # fmt: skip
        if in_file > size or address + size > 1 << 32 or total > MOST_MEMORY:
            raise error(path, f"segment {number} of this ELF file has {in_file} bytes for {size} at {address:#x}; "
                        f"a program has at most {MOST_MEMORY >> 20} MiB, below 2^32", "")  # fmt: skip
        start = address & ~3
        room = -(-(address + size - start) // 4) * 4
        content = bytes(address - start) + data[offset : offset + in_file]
        pieces.append((start, content, room, bool(flags & WRITE), bool(flags & EXECUTE)))
    if not pieces:
        raise error(path, "this ELF file has nothing to load", "")
    pieces.sort(key=lambda piece: piece[0])
    found: list[Segment] = []
    for start, content, room, writable, executable in pieces:
        if found and start < found[-1].address + found[-1].size:
            raise error(path, f"two segments of this ELF file lie at {start:#x}", "")
        end = start + len(content)
        inside = tuple((max(one, start), min(other, end)) for one, other in spans if one < end and other > start)
        code = _apart(inside) if spans else ((start, end),) if executable else ()
        name = "program" if not found else f"program-{len(found)}"
        found.append(Segment(name, start, content, room, writable, code))
    return found


def _apart(spans: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Spans without their overlaps, at even addresses."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        first = max(-(-start // 2) * 2, found[-1][1] if found else 0)
        if first < end:
            found.append((first, end))
    return tuple(found)


def _symbols(data: bytes) -> tuple[dict[str, int], frozenset[int]]:
    """Addresses of functions and objects by name, and where functions begin."""
    from elftools.elf.elffile import ELFFile

    table: Any = ELFFile(io.BytesIO(data)).get_section_by_name(".symtab")
    symbols: dict[str, int] = {}
    functions: set[int] = set()
    for symbol in table.iter_symbols() if table is not None else ():
        kind, address = symbol["st_info"]["type"], symbol["st_value"]
        named = symbol.name and not symbol.name.startswith((".L", "$"))
        if named and kind in ("STT_FUNC", "STT_OBJECT", "STT_NOTYPE") and symbol["st_shndx"] != "SHN_UNDEF":
            symbols.setdefault(symbol.name, address)
        if kind == "STT_FUNC":
            functions.add(address)
    return symbols, frozenset(functions)


def _lines(data: bytes, beside: Path) -> tuple[tuple[Source, ...], dict[int, Position]]:
    """The source files that line tables name, and positions in them by instruction address. File 0 is the ELF file itself.

    beside: the folder that the file is in, from which relative paths begin.
    """
    from elftools.elf.elffile import ELFFile

    elf = ELFFile(io.BytesIO(data))
    if not elf.has_dwarf_info():
        return (), {}
    dwarf: Any = elf.get_dwarf_info()
    numbers: dict[str, int] = {}
    lines: dict[int, Position] = {}
    for unit in dwarf.iter_CUs():
        table = dwarf.line_program_for_CU(unit)
        if table is None:
            continue
        top = unit.get_top_DIE().attributes
        folder = top["DW_AT_comp_dir"].value.decode("utf-8", "replace") if "DW_AT_comp_dir" in top else ""
        before: Any = None
        position = Position()  # what a compiler gives no line belongs to the one before
        for entry in table.get_entries():
            state = entry.state
            if state is None:
                continue
            if before is not None and before.line:
                number = numbers.setdefault(_file_of(table, before.file, beside / folder), len(numbers) + 1)
                position = Position(before.line, max(before.column, 1), number)
            if before is not None and position.line and len(lines) < MOST_LINES:
                for address in range(before.address, min(state.address, before.address + MOST_LINES), 2):
                    lines[address] = position
            before = None if state.end_sequence else state
            position = Position() if before is None else position
    last: dict[int, int] = {}
    for position in lines.values():
        last[position.file] = max(last.get(position.file, 0), position.line)
    return tuple(_source(path, last.get(number, 0)) for path, number in numbers.items()), lines


def _file_of(table: Any, number: int, folder: Path) -> str:
    """The path of a file of a line table. DWARF 5 counts files and directories from 0, earlier ones from 1."""
    header = table.header
    fifth = header["version"] >= 5
    entry = header["file_entry"][number if fifth else number - 1]
    name = entry.name.decode("utf-8", "replace")
    directory = entry.dir_index
    parent = Path()
    if fifth or directory:
        parent = Path(header["include_directory"][directory if fifth else directory - 1].decode("utf-8", "replace"))
    path = folder / parent / name
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _source(path: str, last: int) -> Source:
    """A source file; where it is not there, or is shorter than its line table says, blank lines stand for the text."""
    last = min(last, MOST_LINES)
    try:
        text = decoded(bytes_of(path), path)
    except (OSError, ValueError):
        return Source("\n" * last, path)
    short = last - len(Source(text).lines)
    return Source(text + "\n" * (short + 1) if short > 0 else text, path)
