"""Machine code as a person sees it: a listing, words in a file, and text that assembles to the same bytes.

For instruction sets that compilers make code for. In a file of words, a line holds one instruction: hexadecimal words of the
instruction set's unit (`// .isa gcn` says whose), with the text as a comment. Lines break where they like when such a file is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple, Protocol

from warploom.isa.diagnostics import SourceError
from warploom.isa.image import Image
from warploom.isa.program import Position
from warploom.isa.reading import error


class DecodedInstruction(Protocol):
    """A decoded instruction. address, size: in bytes; data: its bytes."""

    @property
    def address(self) -> int:
        """Where it lies."""

    @property
    def size(self) -> int:
        """How long it is."""

    @property
    def data(self) -> bytes:
        """Its bytes."""


class MachineCode(NamedTuple):
    """What an instruction set offers for it.

    unit: bytes of a word. read: the image of a file's bytes, text or a binary, and its path. raw: the image of bytes that are nothing but
    instructions. decoded: the instructions of an image. text: of one, with labels by address. target: where one jumps, or None.
    begins: how a text says that the code of a name begins. directive: what writes a word that is not an instruction.
    """

    unit: int
    read: Callable[[bytes, str], Image]
    raw: Callable[[bytes, str], Image]
    decoded: Callable[[Image], Sequence[DecodedInstruction]]
    text: Callable[[Any, Mapping[int, str]], str]
    target: Callable[[Any], int | None]
    begins: str
    directive: str


class Line(NamedTuple):
    """An instruction of a listing. words: of its bytes."""

    address: int
    words: list[int]
    text: str
    position: Position
    data: bytes


def lines(code: MachineCode, image: Image, names: Mapping[int, str] | None = None) -> list[Line]:
    """The instructions of an image, by address. names: labels by address, else those of the image."""
    named = image.names() if names is None else names
    return [
        Line(one.address, _words(code, one.data[: one.size]), code.text(one, named), image.lines.get(one.address, Position()), one.data)
        for one in code.decoded(image)
    ]


def _words(code: MachineCode, data: bytes) -> list[int]:
    return [int.from_bytes(data[start : start + code.unit], "little") for start in range(0, len(data), code.unit)]


def hexadecimal(code: MachineCode, words: Sequence[int]) -> str:
    """Words with all of their digits."""
    return " ".join(f"{word:0{2 * code.unit}x}" for word in words)


def to_hex(code: MachineCode, isa: str, name: str, found: Sequence[Line]) -> str:
    """Words for `disasm`, and for whoever reads hexadecimal."""
    head = [f"// {name}: {len(found)} instructions of {isa}", f"// .isa {isa}"]
    return "\n".join([*head, *(f"{hexadecimal(code, line.words)}  // {line.address:x}: {line.text}" for line in found)]) + "\n"


def to_json(isa: str, name: str, found: Sequence[Line]) -> str:
    """The same as one JSON object."""
    return json.dumps({"isa": isa, "name": name, "program": [word for line in found for word in line.words]}) + "\n"


def from_words(code: MachineCode, text: str, path: str) -> bytes:
    """The bytes of a file of words, hexadecimal or JSON. Raises SourceError."""
    limit = 1 << 8 * code.unit
    if text.lstrip()[:1] in ("[", "{"):
        try:
            body: Any = json.loads(text)
        except (ValueError, RecursionError):
            raise error(path, "this is not JSON that holds a program", "write a list of words, or hexadecimal words") from None
        found = body.get("program") if isinstance(body, dict) else body
        if not isinstance(found, list):
            raise error(path, "there is no list of words in this JSON", 'write {"isa": ..., "program": [...]}, or a list of words')
        wrong: Any = next((word for word in found if type(word) is not int or not 0 <= word < limit), None)
        if wrong is not None:
            raise error(path, f"{json.dumps(wrong)[:40]} is not a word: a whole number from 0 to {limit - 1}", "")
    else:
        found = []
        for piece in re.sub(r"//[^\n]*|/\*[\s\S]*?\*/", " ", text).split():
            digits = piece.replace("_", "")
            if not re.fullmatch(r"[0-9a-fA-F]{1,40}", digits) or int(digits, 16) >= limit:
                raise error(path, f"{piece[:40]!r} is not a word of {2 * code.unit} hexadecimal digits", "comments stand after //")
            found.append(int(digits, 16))
    if not found:
        raise error(path, "there are no instruction words in this file", "write words with `warploom asm FILE -o words.hex`")
    return b"".join(word.to_bytes(code.unit, "little") for word in found)


def source(code: MachineCode, image: Image, name: str = "main") -> str:
    """Text that assembles to the same bytes. An instruction whose usual encoding is a different one is written as words."""
    decoded = code.decoded(image)
    starts = {one.address for one in decoded}
    names = {address: symbol for address, symbol in image.names().items() if address in starts and re.fullmatch(r"[A-Za-z_]\w*", symbol)}
    entry = image.entry if image.entry in starts else decoded[0].address
    taken = set(image.symbols)
    begin = next(free for free in (name, *(f"{name}_{number}" for number in range(len(taken) + 1))) if free not in taken)
    labels = {entry: names.get(entry, begin), **names}
    targets = {target for one in decoded if (target := code.target(one)) in starts and target is not None}
    free = (label for number in count(1) if (label := f"L{number}") not in taken)
    labels |= dict(zip(sorted(targets - set(labels)), free, strict=False))
    texts = [code.text(one, labels) for one in decoded]
    as_words = {place for place, text in enumerate(texts) if text.startswith(code.directive)}
    while True:
        rows, places = _rows(code, decoded, texts, labels, entry, as_words)
        text = "\n".join(rows) + "\n"
        wrong = _different(code, decoded, places, text) - as_words
        if not wrong:
            return text
        as_words |= wrong


def _rows(
    code: MachineCode, decoded: Sequence[Any], texts: Sequence[str], labels: Mapping[int, str], entry: int, as_words: set[int]
) -> tuple[list[str], dict[int, int]]:
    """The lines of a text, and which instruction each of them is, by line number."""
    rows: list[str] = []
    places: dict[int, int] = {}
    for place, one in enumerate(decoded):
        if one.address in labels:
            rows.append(code.begins.format(labels[one.address]) if one.address == entry else f"{labels[one.address]}:")
        if place in as_words:
            words = ", ".join(f"{word:#0{2 * code.unit + 2}x}" for word in _words(code, one.data[: one.size]))
            rows.append(f"    {code.directive} {words}" + ("" if texts[place].startswith(code.directive) else f"  // {texts[place]}"))
        else:
            rows.append(f"    {texts[place]}")
            places[len(rows)] = place
    return rows, places


def _different(code: MachineCode, decoded: Sequence[Any], places: Mapping[int, int], text: str) -> set[int]:
    """The instructions that a text does not assemble to: those of a different length, which move others, before any else."""
    try:
        image = code.read(text.encode(), "disassembled")
    except SourceError as found:
        return {places[one.position.line] for one in found.diagnostics if one.position.line in places} or set(places.values())
    made = {image.lines[one.address].line: one.data[: one.size] for one in code.decoded(image) if one.address in image.lines}
    was = {line: decoded[place].data[: decoded[place].size] for line, place in places.items()}
    longer = {places[line] for line, data in was.items() if len(made.get(line, b"")) != len(data)}
    return longer or {places[line] for line, data in was.items() if made[line] != data}
