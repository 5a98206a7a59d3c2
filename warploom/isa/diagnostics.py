"""Errors that point at the source: file, line, column, what stands there, what was expected, what to do.

Every front end collects what is wrong with a text in one `Diagnostics` and stops at the end, so that a user sees all
mistakes of a file at once. A diagnostic is shown as

    matadd.asm:4:1: error: there is no instruction 'ADDD', did you mean 'ADD'?
        ADDD R1, R2, R3
        ^~~~
        fix: `warploom asm --help` lists the instructions

The shape (position, line, caret, fix) is that of Clang and GCC, so editors that know theirs jump to ours.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from warploom.isa.program import Position, Source

TAB = 4  # columns that a tab is shown as
INDENT = "    "
WIDTH = 120  # characters of a source line that are shown
MOST_SHOWN = 100  # diagnostics that one error message shows


class Severity(StrEnum):
    """Whether a program can still be made."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"  # a second place that a message is about


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong. length: characters of the line that it is about. fix: what to do, or ""."""

    severity: Severity
    message: str
    position: Position = field(default_factory=Position)
    length: int = 1
    fix: str = ""


class SourceError(ValueError):
    """A text, or several, that no program can be made from. `diagnostics`: everything found in it, warnings included."""

    def __init__(self, diagnostics: Iterable[Diagnostic], source: Source, *others: Source) -> None:
        self.diagnostics = tuple(diagnostics)
        self.sources = (source, *others)
        super().__init__(self.diagnostics, *self.sources)

    @property
    def source(self) -> Source:
        """The text, or the first of several."""
        return self.sources[0]

    def __str__(self) -> str:
        return render_all(self.diagnostics, *self.sources)


@dataclass
class Diagnostics:
    """Collects what is wrong with a source text. others: further texts, those of positions whose file is 1, 2 ..."""

    source: Source
    items: list[Diagnostic] = field(default_factory=list)
    others: tuple[Source, ...] = ()

    def error(self, position: Position, message: str, length: int = 1, fix: str = "") -> None:
        """Something that keeps a program from being made."""
        self.items.append(Diagnostic(Severity.ERROR, message, position, length, fix))

    def warning(self, position: Position, message: str, length: int = 1, fix: str = "") -> None:
        """Something that is allowed and most likely not meant."""
        self.items.append(Diagnostic(Severity.WARNING, message, position, length, fix))

    @property
    def errors(self) -> list[Diagnostic]:
        """The errors, in the order of the text."""
        return [item for item in in_order(self.items) if item.severity is Severity.ERROR]

    @property
    def warnings(self) -> list[Diagnostic]:
        """The warnings, in the order of the text."""
        return [item for item in in_order(self.items) if item.severity is Severity.WARNING]

    def raise_if_errors(self) -> None:
        """Raises SourceError with everything collected when there is an error in it."""
        if self.errors:
            raise SourceError(in_order(self.items), self.source, *self.others)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics in the order of the text; those about the file as a whole come first."""
    return sorted(diagnostics, key=lambda item: (item.position.file, item.position.line, item.position.column))


def render_all(diagnostics: Iterable[Diagnostic], source: Source, *others: Source) -> str:
    """Diagnostics as text, in the given order; of very many the first `MOST_SHOWN`. others: the texts of files 1, 2 ..."""
    found = list(diagnostics)
    texts = [(text.path, text.lines) for text in (source, *others)]
    shown = [_render(item, *texts[item.position.file]) for item in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        shown.append(f"{source.path}: ... and {len(found) - MOST_SHOWN} more")
    return "\n".join(shown)


def render(diagnostic: Diagnostic, source: Source) -> str:
    """One diagnostic as text: `file:line:column: error: message`, the line, a caret line, the fix."""
    return _render(diagnostic, source.path, source.lines)


def _render(diagnostic: Diagnostic, path: str, lines: list[str]) -> str:
    line, column = diagnostic.position.line, diagnostic.position.column
    place = f"{path}:{line}:{column}" if line else path
    shown = [f"{place}: {diagnostic.severity.value}: {diagnostic.message}"]
    if 1 <= line <= len(lines) and any(lines):  # of a file that is not here only the numbers of its lines are known
        shown += [INDENT + row for row in _excerpt(lines[line - 1], column, diagnostic.length)]
    if diagnostic.fix:
        shown.append(f"{INDENT}fix: {diagnostic.fix}")
    return "\n".join(shown)


def _excerpt(line: str, column: int, length: int) -> list[str]:
    """A source line and the caret line below it; a long line is cut around the caret."""
    start = max(0, column - 1 - WIDTH // 2) if len(line) > WIDTH else 0
    end = start + WIDTH
    before = ("..." if start else "") + _visible(line[start : column - 1])
    marked = _visible(line[column - 1 : min(column - 1 + length, end)], _columns(before))
    after = _visible(line[column - 1 + length : end], _columns(before + marked)) + ("..." if len(line) > end else "")
    caret = " " * _columns(before) + "^" + "~" * (_columns(marked) - 1)
    return [(before + marked + after).rstrip(), caret]


def _visible(text: str, column: int = 0) -> str:
    """Text as a terminal can show it: tabs as spaces, control characters as `?`. column: where it begins on the screen."""
    shown = ""
    for char in text:
        if char == "\t":
            shown += " " * (TAB - (column + _columns(shown)) % TAB)
        else:
            shown += char if char.isprintable() else "?"
    return shown


def _columns(text: str) -> int:
    """Columns of a terminal that a text takes: East Asian characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def closest(word: str, words: Iterable[str]) -> str:
    """The word most like `word` in any case of letters, or "" when none is like it."""
    folded = {known.casefold(): known for known in words}
    from difflib import get_close_matches  # for who has made a mistake

    close = get_close_matches(word.casefold(), list(folded), 1, 0.6)
    return folded[close[0]] if close else ""


def nearest(word: str, words: Iterable[str]) -> str:
    """`, did you mean 'gpu.cores'?` or nothing: the ending of a message about an unknown name."""
    close = closest(word, words)
    return f", did you mean {close!r}?" if close else ""
