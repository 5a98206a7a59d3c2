"""Where the instructions of a file came from: lines of the sources, with their texts where those are at hand, and lines of the PTX."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.elf.file import File
from warploom.isa.program import Position, Source
from warploom.isa.reading import decoded, read_bytes
from warploom.isa.sass.lines import line_table
from warploom.isa.sass.word import BYTES

SOURCE_LINES, PTX_LINES, PTX_TEXT = ".debug_line", ".nv_debug_line_sass", ".nv_debug_ptx_txt"
Places = Mapping[int, int]  # by the place of a relocation in a section: the number of the section that it is to


@dataclass(frozen=True)
class Ptx:
    """The PTX that code was made of. text: its lines. lines: by section and address, from 1."""

    text: tuple[str, ...] = ()
    lines: Mapping[int, Mapping[int, int]] = field(default_factory=dict)


def sources_of(file: File, places: Places) -> tuple[tuple[Source, ...], dict[int, dict[int, Position]], tuple[Diagnostic, ...]]:
    """(sources, positions by section and address, a warning where the table cannot be read). The first source is the file itself."""
    own = Source("", file.path)
    section = file.section(SOURCE_LINES)
    if section is None:
        return (own,), {}, ()
    try:
        table = line_table.read(file.contents(section), places)
    except (IndexError, struct.error, ValueError) as failure:
        said = f"its line table cannot be read ({failure}): messages name addresses instead"
        return (own,), {}, (Diagnostic(Severity.WARNING, said),)
    last: dict[int, int] = {}
    for row in (row for rows in table.sequences.values() for row in rows if row.file >= 0):
        last[row.file] = max(last.get(row.file, 0), row.line)
    folder = Path(file.path).parent
    sources = [_source(folder, path, last.get(number, 0)) for number, path in enumerate(table.files)]
    texts = [source.lines for source in sources]
    found: dict[int, dict[int, Position]] = {}
    for number, rows in table.sequences.items():
        positions = found.setdefault(number, {})
        for row, addresses in _spans(file, number, rows):
            if row.file < 0:
                continue
            position = Position(row.line, _column(texts[row.file], row.line), row.file + 1)
            positions.update(dict.fromkeys(addresses, position))
    return (own, *sources), found, ()


def _spans(file: File, number: int, rows: Sequence[line_table.Row]) -> Iterator[tuple[line_table.Row, range]]:
    """The rows of a section that say a line, each with the addresses that it is about."""
    size = file.sections[number].size if 0 <= number < len(file.sections) else 0
    for row, after in pairwise(rows):
        if row.line:
            yield row, range(row.address, min(after.address, size), BYTES)


def _column(lines: Sequence[str], line: int) -> int:
    """The column at which a line's text begins: the table says lines alone."""
    text = lines[line - 1] if line <= len(lines) else ""
    return len(text) - len(text.lstrip()) + 1


def ptx_of(file: File, places: Places) -> Ptx:
    """The PTX that the code was made of, and its lines by section and address; nothing where the file has none, or its table is damaged."""
    section, text = file.section(PTX_LINES), file.section(PTX_TEXT)
    if section is None or text is None:
        return Ptx()
    try:
        table = line_table.read(file.contents(section), places)
    except (IndexError, struct.error, ValueError):
        return Ptx()
    found: dict[int, dict[int, int]] = {}
    for number, rows in table.sequences.items():
        lines = found.setdefault(number, {})
        for row, addresses in _spans(file, number, rows):
            lines.update(dict.fromkeys(addresses, row.line))
    return Ptx(tuple(file.contents(text).decode("utf-8", "replace").split("\0")), found)


def _source(folder: Path, name: str, last: int) -> Source:
    """A source file, where it was compiled or beside the cubin; where it is not there, or is shorter than its lines say, blank lines stand
    for the text."""
    path = folder / name
    try:
        if not path.exists():
            path = folder / path.name
        text = decoded(read_bytes(path), name)
    except ValueError:
        return Source("\n" * last, name)
    short = last - len(Source(text).lines)
    return Source(text + "\n" * (short + 1) if short > 0 else text, str(path))
