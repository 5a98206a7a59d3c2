"""A line of assembly text taken apart: labels, mnemonic, operands, what stands after them; and operands read."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from warploom.isa.gcn.registers import (
    FIRST_VECTOR,
    FLOATS,
    NAMED,
    PAIRS,
    SCALAR_REGISTERS,
    TRAP_TEMPORARIES,
    VECTORS,
    code_of,
)

_LABEL = re.compile(r"\s*([A-Za-z_.$@][\w.$@]*|\d+):")
_REGISTER = re.compile(r"(v|s|ttmp)(?:(\d+)|\[\s*(\d+)\s*(?::\s*(\d+)\s*)?\])")
_FLOAT = re.compile(r"[-+]?(\d+\.\d*|\.\d+)(e[-+]?\d+)?|[-+]?\d+e[-+]?\d+", re.IGNORECASE)
_TERM = re.compile(r"\s*([-+]?)\s*(0x[0-9a-f]+|0b[01]+|\d+[bf]?|[A-Za-z_.$@][\w.$@]*)", re.IGNORECASE)
_OPEN, _CLOSE = "([{", ")]}"


class Mistake(Exception):
    """What is wrong with a piece of a line: `text`, and what to write instead."""

    def __init__(self, message: str, text: str = "", fix: str = "") -> None:
        super().__init__(message)
        self.message, self.text, self.fix = message, text, fix


class Piece(NamedTuple):
    """A part of a line and its column, from 1."""

    text: str
    column: int


class Line(NamedTuple):
    """operands: between commas. after: the words after the last of them."""

    labels: list[Piece]
    head: Piece | None
    operands: list[Piece]
    after: list[Piece]


@dataclass(frozen=True)
class Operand:
    """A register (code, count), a number, or a sum of labels (terms: sign and name). minus, positive, extended: signs around it."""

    code: int = -1
    count: int = 1
    value: int | None = None
    is_float: bool = False
    terms: tuple[tuple[int, str], ...] = ()
    minus: bool = False
    positive: bool = False
    extended: bool = False


def line_of(text: str) -> Line:
    """A line without its comment, taken apart."""
    text = _without_comment(text)
    labels, start = [], 0
    while (found := _LABEL.match(text, start)) is not None:
        labels.append(Piece(found[1], found.start(1) + 1))
        start = found.end()
    words = re.compile(r"\s*(\S+)").match(text, start)
    if words is None:
        return Line(labels, None, [], [])
    head = Piece(words[1], words.start(1) + 1)
    operands = _between_commas(text, words.end())
    after: list[Piece] = []
    if operands:
        last, *after = _words(operands[-1])
        operands[-1] = last
    return Line(labels, head, operands, after)


def _without_comment(text: str) -> str:
    quoted = False
    for place, letter in enumerate(text):
        quoted ^= letter == '"'
        if not quoted and (letter in ";" or text.startswith("//", place) or letter == "#"):
            return text[:place]
    return text


def _between_commas(text: str, start: int) -> list[Piece]:
    pieces, depth, quoted, begin = [], 0, False, start
    for place in range(start, len(text) + 1):
        letter = text[place] if place < len(text) else ","
        quoted ^= letter == '"'
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == "," and (depth <= 0 or place == len(text)) and (not quoted or place == len(text)):
            part = text[begin:place]
            pieces.append(Piece(part.strip(), begin + len(part) - len(part.lstrip()) + 1))
            begin = place + 1
    return [] if len(pieces) == 1 and not pieces[0].text else pieces


def _words(piece: Piece) -> list[Piece]:
    """A piece at its spaces, but not at those inside brackets."""
    found, depth, quoted, begin = [], 0, False, -1
    for place, letter in enumerate(piece.text + " "):
        quoted ^= letter == '"'
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if not letter.isspace():
            begin = place if begin < 0 else begin
        elif begin >= 0 and ((depth <= 0 and not quoted) or place == len(piece.text)):
            found.append(Piece(piece.text[begin:place], piece.column + begin))
            begin = -1
    return found or [piece]


def operand(text: str) -> Operand:
    """An operand. Raises Mistake."""
    minus = positive = extended = False
    inner = text
    if inner.startswith("-") and not re.match(r"-[\d.]", inner):
        minus, inner = True, inner[1:].strip()
    for prefix, suffix in (("|", "|"), ("abs(", ")"), ("neg(", ")"), ("sext(", ")")):
        if inner.startswith(prefix) and inner.endswith(suffix) and len(inner) > 1:
            inner = inner[len(prefix) : -len(suffix)].strip()
            positive |= prefix in ("|", "abs(")
            minus |= prefix == "neg("
            extended |= prefix == "sext("
    found = register(inner)
    if found is not None:
        return Operand(*found, minus=minus, positive=positive, extended=extended)
    if _FLOAT.fullmatch(inner):
        if (code := next((code for code, name in FLOATS.items() if float(name) == float(inner)), None)) is not None:
            return Operand(code, is_float=True, value=None, minus=minus, positive=positive)
        try:
            bits = struct.unpack("<I", struct.pack("<f", float(inner)))[0]
        except OverflowError:
            raise Mistake(f"{inner!r} is too large for a float of 32 bits", text) from None
        return Operand(value=bits, is_float=True, minus=minus, positive=positive)
    terms = expression(inner)
    labels = tuple((sign, name) for sign, name in terms if not isinstance(name, int))
    total = sum(sign * name for sign, name in terms if isinstance(name, int))
    if extended or (labels and (minus or positive)):
        raise Mistake(f"{text!r}: signs are for registers and numbers", text)
    return Operand(value=total, terms=labels, minus=minus, positive=positive)


def register(text: str) -> tuple[int, int] | None:
    """(operand code, count) of a register's name, or None. Raises Mistake for one that there is not."""
    if text in NAMED:
        return NAMED[text], 1
    pair = next((code for code, name in PAIRS.items() if name == text), None)
    if pair is not None:
        return pair, 2
    aliases = {"vccz": NAMED["src_vccz"], "execz": NAMED["src_execz"], "scc": NAMED["src_scc"]}
    if text in aliases:
        return aliases[text], 1
    found = _REGISTER.fullmatch(text)
    if found is None:
        return None
    kind = found[1]
    first = int(found[2] or found[3])
    last = int(found[4]) if found[4] else first
    most = {"v": VECTORS, "s": SCALAR_REGISTERS, "ttmp": 16}[kind]
    if last < first or last >= most:
        raise Mistake(f"there is no register {text}: {kind}0 to {kind}{most - 1}", text)
    return {"v": FIRST_VECTOR, "s": 0, "ttmp": TRAP_TEMPORARIES}[kind] + first, last - first + 1


def expression(text: str) -> list[tuple[int, int | str]]:
    """A sum of numbers and labels, each with its sign. Raises Mistake."""
    found: list[tuple[int, int | str]] = []
    place, text = 0, text.strip()
    while place < len(text):
        term = _TERM.match(text, place)
        if term is None or (found and not term[1]):
            raise Mistake(f"{text!r} is not a register, number or label", text)
        sign = -1 if term[1] == "-" else 1
        is_number = (term[2][0].isdigit() and term[2][-1] not in "bf") or term[2].lower().startswith(("0x", "0b"))
        found.append((sign, int(term[2], 0) if is_number else term[2]))
        place = term.end()
    if not found:
        raise Mistake("an operand is missing", text)
    return found


def whole(text: str, what: str, least: int, most: int) -> int:
    """A whole number in a range. Raises Mistake."""
    try:
        value = int(text, 0)
    except ValueError:
        raise Mistake(f"{what} takes a number, {least} to {most}, not {text!r}", text) from None
    if not least <= value <= most:
        raise Mistake(f"{what} = {value}: it is {least} to {most}", text)
    return value


def inline(value: int) -> int | None:
    """The operand code of a number of 32 bits that needs no literal."""
    signed = value - (1 << 32) if value >= 1 << 31 else value
    return code_of(signed) if code_of(signed) is not None else code_of(value & 0xFFFFFFFF)


Resolve = Callable[[str], int]
