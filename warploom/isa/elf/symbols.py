"""Names of addresses: the table of symbols that a linker and a debugger use."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

from warploom.isa.elf.file import DYNAMIC_SYMBOLS, OBJECT, SYMBOLS, File, Section, name_at

UNDEFINED, ABSOLUTE, RESERVED = 0, 0xFFF1, 0xFF00  # sections of a symbol: elsewhere, a number, and the first that is not a section
DATA, FUNCTION, SECTION = 1, 2, 3
WEAK = 2
_ROW = {32: struct.Struct("<IIIBBH"), 64: struct.Struct("<IBBHQQ")}


class Symbol(NamedTuple):
    """value: an address; in an object file, from the beginning of its section on. weak: it may be nowhere, and is 0 then."""

    name: str
    kind: int
    section: int
    value: int
    size: int
    weak: bool = False


def table_of(file: File) -> Section | None:
    """The section with a file's symbols; that of the dynamic linker where a file is stripped."""
    return next((one for kind in (SYMBOLS, DYNAMIC_SYMBOLS) for one in file.sections if one.kind == kind), None)


def read_symbols(file: File, table: Section | None) -> list[Symbol]:
    """The symbols of a section, in order. Raises SourceError where the file ends before them."""
    row = _ROW[file.bits]
    if table is None or not table.link < len(file.sections):
        return []
    data, names = file.contents(table), file.contents(file.sections[table.link])
    found = []
    for fields in row.iter_unpack(data[: len(data) // row.size * row.size]):
        if file.bits == 32:
            name, value, size, info, _, section = fields
        else:
            name, info, _, section, value, size = fields
        found.append(Symbol(name_at(names, name), info & 15, section, value, size, info >> 4 == WEAK))
    return found


def addresses(
    file: File, places: Mapping[int, int] | None = None, base: int = 0, ignore: tuple[str, ...] = (".L",)
) -> tuple[dict[str, int], frozenset[int]]:
    """Addresses of functions and objects by name, and where functions begin.

    places: of an object file, the addresses of its sections by number. base: added to addresses of a linked file. ignore: how names begin
    that nobody wants to see. Raises SourceError.
    """
    symbols: dict[str, int] = {}
    functions: set[int] = set()
    for symbol in read_symbols(file, table_of(file)):
        if symbol.section == UNDEFINED or symbol.section >= RESERVED or (file.kind == OBJECT and symbol.section not in (places or {})):
            continue
        address = symbol.value + ((places or {})[symbol.section] if file.kind == OBJECT else base)
        if symbol.name and not symbol.name.startswith(ignore) and symbol.kind != SECTION:
            symbols.setdefault(symbol.name, address)
        if symbol.kind == FUNCTION:
            functions.add(address)
    return symbols, frozenset(functions)
