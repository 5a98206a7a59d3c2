"""The text form of tiny-gpu's programs: lines, words on a line, numbers.

A line holds any number of labels (`loop:`), then nothing, a directive (`.threads 8`) or an instruction with its operands
between commas, then nothing or a comment from `;` on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from warploom.isa.diagnostics import Diagnostics
from warploom.isa.program import Position, Source

_LABEL = re.compile(r"\s*([^\s:;,'\"]+)\s*:")
_WORD = re.compile(r"(?P<skip>\s+|;.*)|(?P<comma>,)|(?P<word>#?'(?:\\.|[^'\\])'[^\s,;]*|[^\s,;]+)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.$]*")
_NUMBER = re.compile(r"(-?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|([0-9]+)|'(\\.|[^'\\])')")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", "'": "'"}
MOST_DIGITS = 40  # of a number; Python refuses to convert very long ones


class Token(NamedTuple):
    """A word of the source and where it stands."""

    text: str
    position: Position

    @property
    def length(self) -> int:
        """Characters that it takes in the source."""
        return len(self.text)


class Statement(NamedTuple):
    """A line that says something. head: the mnemonic or directive, if there is one. commas: operands are divided by them."""

    labels: list[Token]
    head: Token | None
    operands: list[Token]
    tokens: list[Token]


def statements(source: Source, diagnostics: Diagnostics) -> Iterator[Statement]:
    """The lines of a source that are not empty. Bad label names are reported and left out."""
    for number, line in enumerate(source.lines, start=1):
        labels, start = [], 0
        while match := _LABEL.match(line, start):
            label = Token(match[1], Position(number, match.start(1) + 1))
            if _NAME.fullmatch(label.text):
                labels.append(label)
            else:
                message = f"{label.text!r} is not a name for a label: it takes a letter or _, then letters, digits, _, . and $"
                diagnostics.error(label.position, message, label.length)
            start = match.end()
        tokens = [
            Token(match[0], Position(number, match.start() + 1)) for match in _WORD.finditer(line, start) if match.lastgroup != "skip"
        ]
        if labels or tokens:
            head = tokens.pop(0) if tokens else None
            yield Statement(labels, head, [token for token in tokens if token.text != ","], tokens)


def check_commas(statement: Statement, diagnostics: Diagnostics) -> bool:
    """Whether the operands stand between single commas; what is not so is reported."""
    expected, good = "operand", True
    for token in statement.tokens:
        if token.text == ",":
            if expected == "operand":
                diagnostics.error(
                    token.position, "an operand is missing before this comma", fix="write the operand, or take the comma away"
                )
                good = False
            expected = "operand"
        else:
            if expected == "comma":
                diagnostics.error(
                    token.position,
                    f"a comma is missing before {token.text!r}",
                    token.length,
                    "operands are divided by commas: ADD R1, R2, R3",
                )
                good = False
            expected = "comma"
    if statement.tokens and expected == "operand" and good:
        last = statement.tokens[-1]
        diagnostics.error(last.position, "an operand is missing after this comma", fix="write the operand, or take the comma away")
        good = False
    return good


def number(text: str) -> int | None:
    """The value of `5`, `-5`, `0x1f`, `0b101` or `'A'`; None for anything else."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > MOST_DIGITS:
        return None
    sign, hexadecimal, binary, decimal, char = match.groups()
    if char is not None:
        value = ord(_ESCAPES.get(char[1], char[1]) if char.startswith("\\") else char)
    else:
        value = int(hexadecimal, 16) if hexadecimal else int(binary, 2) if binary else int(decimal)
    return -value if sign else value


def is_name(text: str) -> bool:
    """Whether a text may be a label's name."""
    return _NAME.fullmatch(text) is not None
