"""The header of an ELF file, its program headers and its sections.

Source: Tool Interface Standard, "Executable and Linking Format" 1.2; System V ABI, chapter 4, for 64 bits.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

from warploom.isa.reading import ELF_MAGIC as MAGIC
from warploom.isa.reading import error

OBJECT, EXECUTABLE, SHARED = 1, 2, 3
KINDS = {OBJECT: "an object file that is not linked yet", 4: "a core dump"}
MOST_HEADERS = 1024
MOST_SECTIONS = 1 << 16  # a relocatable file has one for each function
LONGEST_NAME = 4096  # bytes
WRITABLE, ALLOCATED, INSTRUCTIONS = 1, 2, 4  # flags of a section
PROGRAM_BITS, SYMBOLS, RELOCATIONS, NOTE, NO_BITS, DYNAMIC_SYMBOLS = 1, 2, 4, 7, 8, 11  # kinds of a section
_HEADER = {32: struct.Struct("<16sHHIIIIIHHHHHH"), 64: struct.Struct("<16sHHIQQQIHHHHHH")}
_PROGRAM = {32: struct.Struct("<8I"), 64: struct.Struct("<IIQQQQQQ")}
_SECTION = {32: struct.Struct("<10I"), 64: struct.Struct("<IIQQQQIIQQ")}
_MACHINE = 18  # where the header has its machine


class Wanted(NamedTuple):
    """What a front end takes. name: of the machine, whose number is `machine`. advice: how a file for it is made."""

    name: str
    machine: int
    bits: int
    kinds: tuple[int, ...]
    advice: str


class Piece(NamedTuple):
    """A program header."""

    kind: int
    flags: int
    offset: int
    address: int
    in_file: int
    size: int


class Section(NamedTuple):
    """A section header. link, info: numbers of other sections, by kind; of relocations, `info` is the section that they change."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int

    @property
    def is_code(self) -> bool:
        """Whether instructions lie in it."""
        return self.kind != NO_BITS and bool(self.flags & ALLOCATED and self.flags & INSTRUCTIONS and self.size)


class File(NamedTuple):
    """An ELF file whose headers lie inside it. A section's bytes may not: `contents` says so."""

    data: bytes
    path: str
    bits: int
    kind: int
    os_abi: int
    abi_version: int
    flags: int
    entry: int
    pieces: tuple[Piece, ...]
    sections: tuple[Section, ...]

    def contents(self, section: Section) -> bytes:
        """A section's bytes. Raises SourceError where the file ends before them."""
        if section.kind == NO_BITS:
            return b""
        end = section.offset + section.size
        if end > len(self.data):
            said = (
                f"this ELF file is cut off: its section {section.name!r} has bytes {section.offset} to {end - 1}, the file {len(self.data)}"
            )
            raise error(self.path, said, "")
        return self.data[section.offset : end]

    def section(self, name: str) -> Section | None:
        """The first section of a name."""
        return next((one for one in self.sections if one.name == name), None)


def machine_of(data: bytes) -> int:
    """The machine that an ELF file says it is for; 0 where it is not an ELF file."""
    return int.from_bytes(data[_MACHINE : _MACHINE + 2], "little") if data.startswith(MAGIC) else 0


def is_elf(data: bytes, path: str) -> bool:
    """Whether these bytes are an ELF file. Raises SourceError for text, and for nothing, whose name says so."""
    found = data.startswith(MAGIC)
    if not found and Path(path).suffix.lower() == ".elf" and b"\0" not in data and data.isascii():
        said = f"this is not an ELF file: it is {'text' if data else 'empty'}"
        raise error(path, said, "a text for RISC-V ends in .rv, one for Vortex in .vx")
    return found


def opened(data: bytes, path: str, wanted: Wanted) -> File:
    """The headers of an ELF file. Raises SourceError where it is damaged, or not what is wanted."""
    if not data.startswith(MAGIC):
        raise error(path, "this is not an ELF file", "")
    header = _HEADER[wanted.bits]
    if len(data) < header.size:
        raise error(path, f"this ELF file is cut off: it has {len(data)} bytes, its header alone {header.size}", "")
    bits, order = {1: 32, 2: 64}.get(data[4], 0), {1: "little", 2: "big"}.get(data[5], "no")
    machine = machine_of(data)
    if bits != wanted.bits or order != "little" or machine != wanted.machine:
        said = f"this ELF file is for machine {machine} with {bits or 'unknown'} bits, {order}-endian"
        raise error(path, f"{said}; {wanted.name} is machine {wanted.machine}, {wanted.bits} bits, little-endian", wanted.advice)
    ident, kind, _, _, entry, programs, sections, flags, _, _, count, size, section_count, names = header.unpack_from(data)
    if kind not in wanted.kinds:
        raise error(path, f"this is {KINDS.get(kind, f'an ELF file of type {kind}')}, not a program", "link it")
    program = _PROGRAM[bits]
    if kind != OBJECT and (not 0 < count <= MOST_HEADERS or programs + count * program.size > len(data)):
        raise error(path, f"this ELF file is cut off or damaged: {count} program headers at byte {programs} of {len(data)}", "")
    pieces = [_piece(bits, program.unpack_from(data, programs + number * program.size)) for number in range(count if kind != OBJECT else 0)]
    section = _SECTION[bits]
    if sections > len(data):
        raise error(path, f"this ELF file is cut off: its section headers are at byte {sections}, the file has {len(data)}", "")
    fits = size == section.size and section_count <= MOST_SECTIONS and sections + section_count * size <= len(data)
    rows = [section.unpack_from(data, sections + number * size) for number in range(section_count if fits else 0)]
    text = data[rows[names][4] : rows[names][4] + rows[names][5]] if names < len(rows) else b""
    found = tuple(Section(name_at(text, row[0]), *row[1:]) for row in rows)
    return File(data, path, bits, kind, ident[7], ident[8], flags, entry, tuple(pieces), found)


def _piece(bits: int, row: tuple[int, ...]) -> Piece:
    if bits == 32:
        kind, offset, address, _, in_file, size, flags, _ = row
    else:
        kind, flags, offset, address, _, in_file, size, _ = row
    return Piece(kind, flags, offset, address, in_file, size)


def name_at(text: bytes, start: int) -> str:
    """The name that begins at a byte of a table of names; "" where there is none."""
    end = text.find(b"\0", start, start + LONGEST_NAME)
    return text[start:end].decode("utf-8", "replace") if start < end else ""
