"""Lines of source by instruction: the table that compilers write with `-lineinfo`, as `.debug_line` in the format of DWARF 2.

Each function has a sequence of rows of its own, whose first address is a relocation that names the function's section. There is no
`.debug_info` beside it, without which general readers do not begin. An instruction inlined from elsewhere has the line that it was written
at.

Source: DWARF 2, section 6.2; DWARF 5, section 6.2, for tables of newer compilers.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

MOST_ROWS = 1 << 20
COPY, ADVANCE, LINE, FILE, COLUMN, NEGATE, BLOCK, CONSTANT, FIXED = range(1, 10)
END, ADDRESS, DEFINE_FILE = 1, 2, 3


class Row(NamedTuple):
    """From this address on, this line. file: an index of `LineTable.files`, or -1 where a sequence ends."""

    address: int
    file: int
    line: int


class LineTable(NamedTuple):
    """files: paths. sequences: by number of a section, rows in the order of their addresses."""

    files: list[str]
    sequences: dict[int, list[Row]]


def read(data: bytes, sections: Mapping[int, int]) -> LineTable:
    """A table. sections: the number of the section that is relocated to, by the place of the relocation in the table.

    Raises IndexError, struct.error, ValueError where it is damaged: a caller takes that as "there are no lines".
    """
    found = LineTable([], {})
    at = 0
    while at + 10 <= len(data):
        (length,) = struct.unpack_from("<I", data, at)
        end = at + 4 + length
        if end > len(data):
            raise ValueError("it is cut off")
        _unit(data, at, end, sections, found)
        at = end
    return found


def _unit(data: bytes, at: int, end: int, sections: Mapping[int, int], found: LineTable) -> None:
    (version,) = struct.unpack_from("<H", data, at + 4)
    if not 2 <= version <= 4:
        raise ValueError(f"it is of version {version}")
    (header,) = struct.unpack_from("<I", data, at + 6)
    program = at + 10 + header
    at += 10
    step = data[at]
    at += 3 if version >= 4 else 2
    base, span, first_special = struct.unpack_from("<bBB", data, at)
    if not span:
        raise ValueError("its range of lines is 0")
    operands = data[at + 3 : at + 2 + first_special]
    files = _files(data, at + 2 + first_special, found.files)
    state = _State()
    at = program
    while at < end:
        code = data[at]
        at += 1
        if code >= first_special:
            code -= first_special
            state.advance(code // span * step)
            state.line += base + code % span
            state.append(files)
        elif code == 0:
            size, at = _unsigned(data, at)
            if not size or at + size > end:
                raise ValueError("it is cut off")
            if data[at] == END:
                state.close(found.sequences)
                state = _State()
            elif data[at] == ADDRESS:
                state.address = int.from_bytes(data[at + 1 : at + size], "little")
                state.section = sections.get(at + 1, -1)
            at += size
        elif code == COPY:
            state.append(files)
        elif code == ADVANCE:
            value, at = _unsigned(data, at)
            state.advance(value * step)
        elif code == LINE:
            value, at = _signed(data, at)
            state.line += value
        elif code == FILE:
            state.file, at = _unsigned(data, at)
        elif code == CONSTANT:
            state.advance((255 - first_special) // span * step)
        elif code == FIXED:
            state.advance(int.from_bytes(data[at : at + 2], "little"))
            at += 2
        else:
            for _ in range(operands[code - 1]):
                _, at = _unsigned(data, at)


class _State:
    """The registers of the machine that makes rows."""

    def __init__(self) -> None:
        self.address, self.file, self.line, self.section = 0, 1, 1, -1
        self.rows: list[Row] = []

    def advance(self, step: int) -> None:
        self.address = self.address + step & 0xFFFFFFFF

    def append(self, files: list[int]) -> None:
        if len(self.rows) >= MOST_ROWS:
            raise ValueError("it has too many rows")
        file = files[self.file - 1] if 0 < self.file <= len(files) else -1
        self.rows.append(Row(self.address, file, self.line if 0 < self.line < MOST_ROWS else 0))

    def close(self, sequences: dict[int, list[Row]]) -> None:
        self.rows.append(Row(self.address, -1, 0))
        sequences.setdefault(self.section, []).extend(self.rows)


def _files(data: bytes, at: int, known: list[str]) -> list[int]:
    """The numbers in `known` of a unit's files, which are added there."""
    folders = [""]
    while data[at]:
        end = data.index(0, at)
        folders.append(data[at:end].decode("utf-8", "replace"))
        at = end + 1
    at += 1
    found = []
    while data[at]:
        end = data.index(0, at)
        name = data[at:end].decode("utf-8", "replace")
        folder, at = _unsigned(data, end + 1)
        _, at = _unsigned(data, at)
        _, at = _unsigned(data, at)
        parent = folders[folder] if folder < len(folders) else ""
        path = name if name.startswith("/") or not parent else f"{parent}/{name}"
        if path not in known:
            known.append(path)
        found.append(known.index(path))
    return found


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
        if shift > 70:
            raise ValueError("it has a number that does not end")


def _signed(data: bytes, at: int) -> tuple[int, int]:
    start = at
    value, at = _unsigned(data, at)
    bits = 7 * (at - start)
    return value - (1 << bits) if value >> bits - 1 else value, at
