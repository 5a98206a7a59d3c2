"""From text to statements, with a message for everything that is not guppy.

A line is `LABEL:`, an instruction, a directive that begins with a full stop, or empty; `;` starts a comment. An
instruction is a mnemonic and operands separated by commas. `parse` reads the whole text, so that all errors of a file are reported at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from warploom.isa.diagnostics import Diagnostics, closest
from warploom.isa.guppy.operands import (
    COMPONENTS,
    REGISTER_COUNT,
    Builtin,
    Immediate,
    Label,
    Operand,
    Register,
    Sampler,
    View,
    float_bits,
)
from warploom.isa.guppy.table import BUILTINS, BY_MNEMONIC, OPERAND_KINDS, Instruction, usage
from warploom.isa.numbers import MOST_DIGITS, cut, digits
from warploom.isa.program import Position, Source

NAME = re.compile(r"[A-Za-z_]\w*")
MNEMONIC = re.compile(r"[^\s,]+")
LABEL_LINE = re.compile(r"\s*([^\s:,;]+)\s*:")
COMPONENT_OPERAND = re.compile(r"([rtu])(\d+)(?:\.(\w*))?")
IMMEDIATE = re.compile(r"([uf])\s*(\d*)\s*\((.*)\)", re.DOTALL)
UNSIGNED = re.compile(r"\d+|0[xX][0-9a-fA-F]+")
FLOAT = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)
WORD = re.compile(r'"[^"]*"|[^\s"]+')


class Mistake(ValueError):
    """What is wrong with a piece of text: the message, where in the piece, how long, and what to do."""

    def __init__(self, message: str, fix: str = "", start: int = 0, length: int = 0) -> None:
        super().__init__(message)
        self.fix, self.start, self.length = fix, start, length


@dataclass(frozen=True)
class Statement:
    """One instruction: its row of the table and its operands. `str` gives its canonical text.

    position, spans: where it stands, and (column, length) of each operand; two statements with the same text are equal.
    """

    row: Instruction
    operands: tuple[Operand, ...] = ()
    position: Position = field(default=Position(), compare=False)
    spans: tuple[tuple[int, int], ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{self.row.mnemonic} {', '.join(map(str, self.operands))}".rstrip()


@dataclass(frozen=True)
class Directive:
    """A line like `.buffer t0 64 iota`: words are (text, column) pairs, the directive's name first, without its stop."""

    words: tuple[tuple[str, int], ...]
    position: Position


@dataclass
class Listing:
    """A parsed file: statements in order, labels as numbers of statements, directives."""

    statements: list[Statement] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    label_positions: dict[str, Position] = field(default_factory=dict)
    directives: list[Directive] = field(default_factory=list)


def parse(source: Source, diagnostics: Diagnostics) -> Listing:
    """Read a whole text; mistakes go to `diagnostics`, with a `ret` in the place of the instruction."""
    listing = Listing()
    for number, line in enumerate(source.lines, 1):
        code = _without_comment(line)
        start = _labels(code, number, listing, diagnostics)
        text = code[start:]
        if not text.strip():
            continue
        start += len(text) - len(text.lstrip())
        text = text.strip()
        position = Position(number, start + 1)
        if text.startswith("."):
            words = tuple((match[0], start + match.start() + 1) for match in WORD.finditer(text))
            listing.directives.append(Directive(((words[0][0][1:], words[0][1]), *words[1:]), position))
            continue
        statement, mistakes = _statement(text, position)
        listing.statements.append(statement)
        for mistake in mistakes:
            diagnostics.error(Position(number, position.column + mistake.start), str(mistake), mistake.length, mistake.fix)
    return listing


def _without_comment(line: str) -> str:
    quoted = False
    for index, character in enumerate(line):
        quoted ^= character == '"'
        if character == ";" and not quoted:
            return line[:index]
    return line


def _labels(code: str, number: int, listing: Listing, diagnostics: Diagnostics) -> int:
    """Take the labels at the start of a line; returns where the rest begins."""
    start = 0
    while match := LABEL_LINE.match(code, start):
        name, position = match[1], Position(number, match.start(1) + 1)
        start = match.end()
        if not NAME.fullmatch(name):
            message = f"{name!r} cannot name a label: a name is made of letters, digits and underscores and does not begin with a digit"
            diagnostics.error(position, message, len(name), "choose a different name")
        elif name in listing.labels:
            first = listing.label_positions[name].line
            diagnostics.error(position, f"label {name!r} is defined twice, first in line {first}", len(name), "rename one of them")
        else:
            listing.labels[name], listing.label_positions[name] = len(listing.statements), position
            rest = code[start:].strip()
            if rest and not LABEL_LINE.match(rest):
                column = start + len(code[start:]) - len(code[start:].lstrip()) + 1
                message = "an instruction after a label runs here, but the original assembler drops it silently"
                diagnostics.warning(Position(number, column), message, len(rest), "write it on the next line")
    return start


def parse_statement(text: str, position: Position | None = None) -> Statement:
    """Read one instruction without label or comment. Raises the first Mistake."""
    statement, mistakes = _statement(text, position or Position())
    if mistakes:
        raise mistakes[0]
    return statement


def _statement(text: str, position: Position) -> tuple[Statement, list[Mistake]]:
    """The instruction, or a `ret` in its place and all that is wrong with it."""
    nothing = Statement(BY_MNEMONIC["ret"], (), position)
    match = MNEMONIC.match(text)
    mnemonic = match[0] if match else text
    row = BY_MNEMONIC.get(mnemonic)
    if row is None:
        return nothing, [Mistake(f"there is no instruction {mnemonic!r}", _nearest_mnemonic(mnemonic), 0, len(mnemonic))]
    pieces = list(_split(text, len(mnemonic)))
    if len(pieces) != len(row.syntax):
        plural = "" if len(row.syntax) == 1 else "s"
        message = f"{mnemonic} takes {len(row.syntax)} operand{plural}, {len(pieces)} given"
        return nothing, [Mistake(message, _count_fix(pieces, row), 0, len(text))]
    operands, mistakes = [], []
    for kind, (start, piece) in zip(row.syntax, pieces, strict=True):
        try:
            operands.append(parse_operand(kind, piece))
        except Mistake as mistake:
            mistakes.append(Mistake(str(mistake), mistake.fix, start + mistake.start, mistake.length or len(piece)))
    if mistakes:
        return nothing, mistakes
    spans = tuple((position.column + start, max(1, len(piece))) for start, piece in pieces)
    return Statement(row, tuple(operands), position, spans), []


def _split(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Operands with their offsets: split at commas that stand outside parentheses."""
    if not text[start:].strip():
        return
    depth, first = 0, start
    for index in range(start, len(text) + 1):
        if index == len(text) or (text[index] == "," and depth <= 0):
            piece = text[first:index]
            yield first + len(piece) - len(piece.lstrip()), piece.strip()
            first = index + 1
        else:
            depth += (text[index] == "(") - (text[index] == ")")


def _count_fix(pieces: list[tuple[int, str]], row: Instruction) -> str:
    if any(len(piece.split()) > 1 and "(" not in piece for _, piece in pieces):
        return f"separate the operands by commas: {usage(row)}"
    return f"write {usage(row)}"


def _nearest_mnemonic(mnemonic: str) -> str:
    stem = mnemonic.lower().partition(".")[0]
    typed = [name for name in BY_MNEMONIC if name.partition(".")[0] == stem]
    if mnemonic.lower() in BY_MNEMONIC:
        return f"write {mnemonic.lower()!r}: instructions are written in small letters"
    if typed:
        return f"write {' or '.join(map(repr, typed))}"
    close = closest(mnemonic.lower(), BY_MNEMONIC)
    return f"did you mean {close!r}?" if close else f"the instructions are {', '.join(BY_MNEMONIC)}"


# ---------------------------------------------------------------------------------------------------------
# Operands


RIGHT_TYPE: dict[str, type | tuple[type, ...]] = {
    "d": Register,
    "s": (Register, Immediate, Builtin),
    "c": Register,
    "t": View,
    "u": View,
    "k": Sampler,
}


def parse_operand(kind: str, text: str) -> Operand:
    """Read one operand that has to be of `kind` (a letter of OPERAND_KINDS). Raises Mistake."""
    if not text:
        raise Mistake("an operand is missing here", "write it, or remove the comma", 0, 1)
    if kind == "l":
        if not NAME.fullmatch(text):
            raise _wrong_kind(kind, text)
        return Label(text)
    operand = _any_operand(text)
    if not isinstance(operand, RIGHT_TYPE[kind]):
        raise _wrong_kind(kind, text)
    if isinstance(operand, View) and operand.name[0] != kind:
        if kind == "t":
            raise Mistake(f"{text!r} can only be written, by st", "bind the memory that is read as tN")
        raise Mistake(f"{text!r} can only be read, by ld or sample", "bind the memory that is written as uN")
    if kind == "c" and isinstance(operand, Register) and len(operand.swizzle) != 1:
        raise Mistake(f"{text!r} names {len(operand.swizzle)} components, a condition has one", f"write r{operand.number}.x")
    return operand


def _wrong_kind(kind: str, text: str) -> Mistake:
    return Mistake(f"{text!r} cannot stand here: this operand is {OPERAND_KINDS[kind][1]}", "", 0, len(text))


def _any_operand(text: str) -> Operand:
    if text in BUILTINS:
        return Builtin(text)
    if match := COMPONENT_OPERAND.fullmatch(text):
        return _component_operand(text, match)
    if re.fullmatch(r"s\d+", text):
        return Sampler(f"s{digits(text[1:])}")
    if match := IMMEDIATE.fullmatch(text):
        return _immediate(match)
    raise _unreadable(text)


def _component_operand(text: str, match: re.Match[str]) -> Operand:
    file, number, names = match[1], digits(match[2]), match[3]
    if file == "r" and number >= REGISTER_COUNT:
        raise Mistake(f"there is no register r{number}", f"registers are r0 to r{REGISTER_COUNT - 1}", 0, match.end(2))
    if not names:
        what = f"{match[0].rstrip('.')}"
        raise Mistake(f"{text!r} names no component", f"write {what}.x, or {what}.xyzw for all four")
    start = match.start(3)
    for index, name in enumerate(names):
        if name not in COMPONENTS:
            position = "rgba".find(name)
            fix = f"{name} is written {COMPONENTS[position]}" if position >= 0 else "components are x, y, z and w"
            raise Mistake(f"{text!r}: there is no component {name!r}", fix, start + index, 1)
    if len(names) > 4:
        fix = f"write {text[:start]}{names[:4]}, which is what the original makes of it"
        raise Mistake(f"{text!r} names {len(names)} components, at most four are possible", fix, start + 4, len(names) - 4)
    swizzle = tuple(COMPONENTS.index(name) for name in names)
    return Register(number, swizzle) if file == "r" else View(f"{file}{number}", swizzle)


def _immediate(match: re.Match[str]) -> Immediate:
    kind, count, body = match[1], match[2], match[3]
    if count not in ("", "2", "3", "4"):
        raise Mistake(f"there is no immediate {kind}{count}(...)", f"write {kind}(a), {kind}2(a b), {kind}3(a b c) or {kind}4(a b c d)")
    if "," in body:
        fix = f"write {kind}{count}({' '.join(body.replace(',', ' ').split())})"
        raise Mistake("the numbers of an immediate are separated by spaces", fix, match.start(3) + body.index(","), 1)
    numbers = list(re.finditer(r"\S+", body))
    wanted = digits(count or "1")
    if len(numbers) != wanted:
        fix = f"write {kind}{len(numbers) if len(numbers) > 1 else ''}(...)" if 1 <= len(numbers) <= 4 else f"give {wanted}"
        plural = "" if wanted == 1 else "s"
        raise Mistake(f"{kind}{count}(...) holds {wanted} number{plural}, {len(numbers)} given", fix)
    return Immediate(kind, tuple(_number(kind, number, match.start(3)) for number in numbers))


def _number(kind: str, match: re.Match[str], offset: int) -> int:
    text, start = match[0], offset + match.start()
    if kind == "f":
        if not FLOAT.fullmatch(text):
            raise Mistake(f"{text!r} is not a floating-point number", "write it as in 1.5, .5, 1e3, -2, inf or nan", start, len(text))
        return float_bits(text)
    if not UNSIGNED.fullmatch(text):
        fix = "write it as in 12 or 0xff"
        if re.fullmatch(r"-\d+", text):
            fix = f"write {-digits(text[1:]) % (1 << 32):#x}, the same 32 bits" if len(text) <= MOST_DIGITS else "use at most 4294967295"
        elif FLOAT.fullmatch(text):
            fix = f"write f({text}) for a float"
        raise Mistake(f"{text!r} is not an unsigned number", fix, start, len(text))
    value = digits(text)
    if value >= 1 << 32:
        raise Mistake(f"{cut(text)} does not fit in 32 bits", "use at most 4294967295", start, len(text))
    return value


def _unreadable(text: str) -> Mistake:
    if text.count("(") != text.count(")"):
        return Mistake(f"{text!r}: the parentheses do not match", "write an immediate as in f2(0.5 1.0)")
    if len(text.split()) > 1 and "(" not in text:
        return Mistake(f"{text!r} is not one operand", "separate operands by commas")
    if FLOAT.fullmatch(text) or UNSIGNED.fullmatch(text):
        kind = "u" if UNSIGNED.fullmatch(text) else "f"
        return Mistake(f"{text!r} is a number without its type", f"write {kind}({text})")
    close = closest(text, BUILTINS)
    return Mistake(f"{text!r} is not an operand", f"did you mean {close!r}?" if close else f"an operand is {OPERAND_KINDS['s'][1]}")
