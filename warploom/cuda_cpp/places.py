"""Lines of the host's source, by place in the executable: from its line tables, read when they are first asked for."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import Any


class Places:
    """place: bytes from the executable's first one on, as it is loaded."""

    def __init__(self, program: Path) -> None:
        self.program = program
        self._rows: list[tuple[int, str]] | None = None

    def line(self, place: int, *, call: bool = True) -> str:
        """ "file:line" of a place; "" where it is not known. call: the place is where a call returns to."""
        if self._rows is None:
            try:
                self._rows = sorted(_rows(self.program))
            except Exception:  # a damaged or a foreign line table says nothing
                self._rows = []
        found = bisect_right(self._rows, (place - bool(call), "\U0010ffff")) - 1
        return self._rows[found][1] if found >= 0 else ""


def _rows(program: Path) -> list[tuple[int, str]]:
    from elftools.elf.elffile import ELFFile

    rows: list[tuple[int, str]] = []
    with program.open("rb") as file:
        elf = ELFFile(file)
        if not elf.has_dwarf_info():
            return rows
        dwarf: Any = elf.get_dwarf_info()
        for unit in dwarf.iter_CUs():
            table = dwarf.line_program_for_CU(unit)
            if table is None:
                continue
            names = [entry.name.decode("utf-8", "replace") for entry in table.header["file_entry"]]
            folders = [name.decode("utf-8", "replace") for name in table.header["include_directory"]]
            fifth = table.header["version"] >= 5
            for entry in table.get_entries():
                state = entry.state
                if state is None:
                    continue
                if state.end_sequence or not state.line:
                    rows.append((state.address, ""))
                    continue
                number = state.file if fifth else state.file - 1
                name = names[number]
                folder = folders[table.header["file_entry"][number].dir_index - (0 if fifth else 1)] if folders else ""
                rows.append((state.address, f"{_shown(name, folder)}:{state.line}"))
    return rows


def _shown(name: str, folder: str) -> str:
    """A path as short as it can be."""
    path = Path(name) if Path(name).is_absolute() else Path(folder) / name
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
