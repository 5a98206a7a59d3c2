"""The lines of source that instructions came from: line tables of debugging information (DWARF 2 to 5), read by pyelftools."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from warploom.isa.program import Position, Source
from warploom.isa.reading import bytes_of, decoded

MOST_LINES = 1 << 20
RUNTIME = "warploom"  # the folder that our run-time's files are said to be in: it is nowhere, wherever a program was compiled


def read_lines(data: bytes, beside: Path, step: int, base: int = 0) -> tuple[tuple[Source, ...], dict[int, Position]]:
    """The source files that line tables name, and positions in them by instruction address. File 0 is the ELF file itself.

    beside: the folder that the file is in, from which relative paths begin. step: instructions begin at multiples of it. base: added to
    addresses. Raises whatever pyelftools' parsers raise: a caller takes that as "there are no lines".
    """
    from elftools.elf.elffile import ELFFile

    elf = ELFFile(io.BytesIO(data))
    if not elf.has_dwarf_info():
        return (), {}
    dwarf: Any = elf.get_dwarf_info(relocate_dwarf_sections=False)
    numbers: dict[str, int] = {}
    lines: dict[int, Position] = {}
    for unit in dwarf.iter_CUs():
        table = dwarf.line_program_for_CU(unit)
        if table is None:
            continue
        top = unit.get_top_DIE().attributes
        folder = top["DW_AT_comp_dir"].value.decode("utf-8", "replace") if "DW_AT_comp_dir" in top else ""
        files: dict[int, int] = {}  # our number of each of its own
        before: Any = None
        position = Position()  # what a compiler gives no line belongs to the one before
        for entry in table.get_entries():
            state = entry.state
            if state is None:
                continue
            if before is not None and 0 < before.line <= MOST_LINES:  # a damaged table counts below 0, and beyond any file
                if before.file not in files:
                    files[before.file] = numbers.setdefault(_file_of(table, before.file, beside / folder), len(numbers) + 1)
                position = Position(before.line, max(before.column, 1), files[before.file])
            if before is not None and position.line and len(lines) < MOST_LINES:
                for address in range(before.address, min(state.address, before.address + MOST_LINES), step):
                    lines[base + address] = position
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
        return Source("\n" * last, path, Path(path).parent.name == RUNTIME)
    short = last - len(Source(text).lines)
    return Source(text + "\n" * (short + 1) if short > 0 else text, path)
