"""The sections of a text of PTX, which spell DWARF out in bytes and labels, as DWARF that can be read.

An address of code becomes the line of the text at which its label stands: what is said of addresses is then said of lines.

Sources: DWARF Debugging Information Format, version 4; NVIDIA, "Parallel Thread Execution ISA", section "Debugging Directives" (.section).
"""

from __future__ import annotations

import inspect
import io
import re

from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

SECTION = re.compile(r"\s*\.section\s+(\.\w+)")
LABEL = re.compile(r"\s*([$\w]+):")
BYTES = {".b8": 1, ".b16": 2, ".b32": 4, ".b64": 8}
SYMBOLS = 1 << 40  # from here on addresses are variables: beyond all lines


class Sections:
    """What follows the code of a text. symbols: the variables that it names, by the number that stands for their address."""

    def __init__(self, text: str) -> None:
        self.bytes: dict[str, bytearray] = {}
        self.symbols: dict[int, str] = {}
        self._labels: dict[str, int] = {}
        self._wanted: list[tuple[bytearray, int, int, str]] = []  # where a word goes, its bytes, what it says
        into: bytearray | None = None
        for number, raw in enumerate(text.splitlines(), 1):
            line = raw.partition("//")[0].strip()
            if section := SECTION.match(line):
                into = self.bytes.setdefault(section[1], bytearray())
            elif label := LABEL.match(line):
                self._labels[label[1]] = number if into is None else len(into)
            elif into is not None and line[:2] == ".b":
                self._words(into, line)
        numbers: dict[str, int] = {}
        for place, at, size, word in self._wanted:
            place[at : at + size] = (self._value(word, numbers) % (1 << 8 * size)).to_bytes(size, "little")
        self.symbols = {number: name for name, number in numbers.items()}

    def dwarf(self) -> DWARFInfo:
        """All of them, to be read."""
        wanted = [name for name in inspect.signature(DWARFInfo.__init__).parameters if name.endswith("_sec")]
        return DWARFInfo(DwarfConfig(True, "x64", 8), **{name: self._section(f".{name.removesuffix('_sec')}") for name in wanted})

    def _section(self, name: str) -> DebugSectionDescriptor | None:
        data = bytes(self.bytes.get(name, b""))
        return DebugSectionDescriptor(io.BytesIO(data), name, 0, len(data), 0) if data else None

    def _words(self, into: bytearray, line: str) -> None:
        kind, _, rest = line.partition(" ")
        size = BYTES.get(kind.strip(), 0)
        for word in map(str.strip, rest.split(",")) if size else ():
            if word.lstrip("-").isdigit():
                into += (int(word) % (1 << 8 * size)).to_bytes(size, "little")
            else:
                self._wanted.append((into, len(into), size, word))
                into += bytes(size)

    def _value(self, word: str, numbers: dict[str, int]) -> int:
        first, minus, second = word.partition("-")
        if minus:
            return self._labels.get(first.strip(), 0) - self._labels.get(second.strip(), 0)
        first, _, more = word.partition("+")
        name, offset = first.strip(), int(more) if more.strip().isdigit() else 0
        if name.startswith("."):  # the beginning of a section
            return offset
        return (self._labels[name] if name in self._labels else numbers.setdefault(name, SYMBOLS + len(numbers))) + offset
