"""From the characters of PTX to words with their places. `.loc` lines become the places of what follows them.

Compilers name the line of inlined code in three ways: NVIDIA's with `inlined_at` behind `.loc`, LLVM in a comment `// file:line:column
@[ file:line:column ]`, from the innermost call outwards. The first one that is not in a header of the run-time's is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from warploom.ptx.module import Place

TOKEN = re.compile(
    r"""
    (?P<float>0[fF][0-9a-fA-F]{8}(?![0-9a-zA-Z_])|0[dD][0-9a-fA-F]{16}(?![0-9a-zA-Z_])|\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)
    |(?P<number>(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?)
    |(?P<dot>\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*)
    |(?P<name>[A-Za-z_$%][\w$]*)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<mark>[\[\](){},;:|!@+\-=<>*~])
    """,
    re.VERBOSE,
)
LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)(?:\s+(\d+))?(.*)")
INLINED = re.compile(r"inlined_at\s+(\d+)\s+(\d+)\s+(\d+)")
COMMENTED = re.compile(r"(\S+?):(\d+):(\d+)")
FILE = re.compile(r'\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"')
LINE_DIRECTIVES = (".version", ".target", ".address_size", ".section")


class Token(NamedTuple):
    """A word. kind: a group of TOKEN's."""

    kind: str
    text: str
    place: Place


class Unreadable(Exception):
    """A character, or a word, that cannot be where it is. place: where."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place, self.message = place, message


class Lines:
    """The lines of a text: what stands in them beside instructions. files: by number. library: whether a path is the run-time's own."""

    def __init__(self, library: Callable[[str], bool]) -> None:
        self.library = library
        self.files: dict[int, str] = {}
        self.target = ""
        self.place = Place()

    def tokens(self, text: str) -> Iterator[Token]:
        """The words of all lines. Raises Unreadable."""
        for named in filter(None, map(FILE.match, text.splitlines())):  # LLVM writes them last
            self.files[int(named[1])] = named[2]
        inside = False  # a comment of several lines
        for number, raw in enumerate(text.splitlines(), 1):
            line, comment, inside = _without_comments(raw, inside)
            if (found := LOC.match(line)) is not None:
                self.place = self._located(number, found, comment)
                continue
            if FILE.match(line) is not None:
                continue
            words = line.split(None, 1)
            if words and words[0] in LINE_DIRECTIVES:
                if words[0] == ".section":
                    return  # debug information, to the end of the text
                if words[0] == ".target":
                    self.target = words[1].strip().split(",")[0] if len(words) > 1 else ""
                continue
            yield from _words(line, self.place._replace(text_line=number))

    def _located(self, number: int, found: re.Match[str], comment: str) -> Place:
        places: list[tuple[int | str, int, int]] = [(int(found[1]), int(found[2]), int(found[3] or 1))]
        if outer := INLINED.search(found[4]):
            places.append((int(outer[1]), int(outer[2]), int(outer[3])))
        elif "@[" in comment:
            places += [(path, int(line), int(column)) for path, line, column in COMMENTED.findall(comment)[1:]]
        chosen = next((one for one in places if one[1] and not self.library(self._path(one[0]))), places[-1])
        return Place(number, *chosen)

    def _path(self, file: int | str) -> str:
        return file if isinstance(file, str) else self.files.get(file, "")


def _without_comments(line: str, inside: bool) -> tuple[str, str, bool]:
    """A line without comments, its `//` comment, and whether a comment goes on."""
    kept = ""
    while line:
        if inside:
            _, end, line = line.partition("*/")
            inside = not end
            continue
        begin, slashes = line.find("/*"), line.find("//")
        if slashes >= 0 and (begin < 0 or slashes < begin) and line.count('"', 0, slashes) % 2 == 0:
            return kept + line[:slashes], line[slashes + 2 :], False
        if begin < 0 or line.count('"', 0, begin) % 2:
            return kept + line, "", False
        kept, line, inside = kept + line[:begin] + " ", line[begin + 2 :], True
    return kept, "", inside


def _words(line: str, place: Place) -> Iterator[Token]:
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        found = TOKEN.match(line, at)
        if found is None:
            raise Unreadable(place, f"{line[at]!r} does not belong here")
        yield Token(str(found.lastgroup), found[0], place)
        at = found.end()
