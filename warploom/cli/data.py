"""Files of buffers: what a buffer holds at the start, from text, CSV, JSON, NumPy's .npy, raw bytes or a picture.

The name's ending says which; every other ending is text: whole numbers from 0 to 255, decimal, 0x.. or 0b.., with
blanks, commas or line ends between them, and comments after `;`. Rows of a matrix follow one another.
"""

from __future__ import annotations

import bisect
import errno
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from warploom.cli.common import UserError
from warploom.isa.c.contents import Untyped
from warploom.isa.diagnostics import Diagnostics
from warploom.isa.numbers import cut
from warploom.isa.program import Position, Source, lines_of
from warploom.isa.reading import MOST_BYTES, bytes_of, read_bytes, read_text

MOST = 255
PICTURES = (".png",)
NUMBER = re.compile(r"[+-]?(\d+|0[xX][0-9a-fA-F]+|0[bB][01]+)")
TEXT_WORD = re.compile(r"[^\s,]+")
CSV_WORD = re.compile(r"[^\s,;\"']+")
JSON_BLANK = re.compile(r"\s*")
TEXT_FIX = "write 12, 0x1f or 0b101, and comments after ;"
CSV_FIX = "write 12, 0x1f or 0b101, and remove headings"
FIX = "data memory holds bytes: whole numbers from 0 to 255"


def read_buffer_file(name: str, path: str) -> np.ndarray:
    """The contents of a buffer: bytes for `memory`; a picture; otherwise numbers. Raises SourceError, PictureError, UserError."""
    from warploom.isa.launching import MEMORY

    suffix = Path(path).suffix.lower()
    if suffix == ".bin":
        raw = np.frombuffer(read_bytes(path), np.uint8)
        if name != MEMORY and len(raw) % 4:
            raise UserError(f"--buffer {name}={path}: {len(raw)} bytes are not a whole number of 32-bit words")
        return raw if name == MEMORY else raw.view("<u4")
    if name == MEMORY:
        return read_data(path)
    if suffix in PICTURES:
        from warploom.isa.pictures import read_picture

        return read_picture(path)
    return _load_npy(path) if suffix == ".npy" else _numbers_of(path)


def _numbers_of(path: str) -> np.ndarray:
    """Numbers of any size from a text, CSV or JSON file: whole ones as int64, or floats where one has a point."""
    text = read_text(path)
    try:
        if Path(path).suffix.lower() == ".json":
            return np.array(json.loads(text)).ravel().view(Untyped)
        words = [word for line in lines_of(text) for word in re.split(r"[\s,;]+", line.partition("#")[0]) if word]
        whole = all(map(NUMBER.fullmatch, words))
        return (np.array([int(word, 0) for word in words], np.int64) if whole else np.array(words, np.float64)).view(Untyped)
    except RecursionError:
        raise UserError(f"{path} is nested too deeply: write a list of numbers, as in [1, 2, 3]") from None
    except (ValueError, TypeError, OverflowError) as error:
        raise UserError(f"{path} holds something that is not a number: {cut(str(error), 200)}") from None


def read_data(path: str) -> np.ndarray:
    """The bytes in a data file (uint8). Raises SourceError with every wrong value and its line, UserError for a wrong .npy file."""
    suffix = Path(path).suffix.lower()
    if suffix == ".npy":
        return _npy(path)
    source = Source(read_text(path), path)
    diagnostics = Diagnostics(source)
    if suffix == ".json":
        values = _json(source, diagnostics)
    else:
        pattern, fix = (CSV_WORD, CSV_FIX) if suffix == ".csv" else (TEXT_WORD, TEXT_FIX)
        values = [_byte(word, position, fix, diagnostics) for word, position in _words(source, pattern)]
    if not values and not diagnostics.errors:
        diagnostics.error(Position(), "there are no numbers in this file", fix=FIX)
    diagnostics.raise_if_errors()
    return np.array(values, np.uint8)


# ---------------------------------------------------------------------------------------------------------
# Text and CSV


def _words(source: Source, pattern: re.Pattern[str]) -> Iterator[tuple[str, Position]]:
    for number, line in enumerate(source.lines, 1):
        code = line.partition(";")[0] if pattern is TEXT_WORD else line
        for match in pattern.finditer(code):
            yield match.group(), Position(number, match.start() + 1)


def _byte(word: str, position: Position, fix: str, diagnostics: Diagnostics) -> int:
    """A word's value; 0, and a diagnostic, for one that is not a byte."""
    if not NUMBER.fullmatch(word):
        diagnostics.error(position, f"{_shown(word)} is not a whole number", len(word), fix)
        return 0
    digits = word.lstrip("+-").lower()
    value = int(digits, {"0x": 16, "0b": 2}.get(digits[:2], 10)) if len(digits) < 100 else MOST + 1
    return _in_range(-value if word.startswith("-") else value, word, position, diagnostics)


def _in_range(value: int, word: str, position: Position, diagnostics: Diagnostics) -> int:
    if not 0 <= value <= MOST:
        diagnostics.error(position, f"{_shown(word, quotes=False)} is not from 0 to {MOST}", len(word), FIX)
        return 0
    return value


def _shown(word: str, *, quotes: bool = True) -> str:
    cut = word if len(word) <= 40 else f"{word[:40]}..."
    return repr(cut) if quotes else cut


# ---------------------------------------------------------------------------------------------------------
# JSON


Element = tuple[Any, int, int]  # a value, and where its text begins and ends


def _json(source: Source, diagnostics: Diagnostics) -> list[int]:
    """The numbers of a list, of a list of lists, or of the list called `data` in an object, as `run --json` and `asm` write it."""
    text = source.text
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = Position(error.lineno, error.colno) if isinstance(error, json.JSONDecodeError) else Position()
        said = error.msg if isinstance(error, json.JSONDecodeError) else _unreadable(error)
        diagnostics.error(where, f"this is not JSON: {said}", fix="write a list of numbers, as in [1, 2, 3]")
        return []
    wanted = tree
    if isinstance(tree, dict):
        memory = tree.get("memory")
        wanted = tree["data"] if "data" in tree else memory.get("data") if isinstance(memory, dict) else None
    starts = [match.end() for match in re.finditer(r'"data"\s*:\s*(?=\[)', text)] if isinstance(tree, dict) else [0]
    if not isinstance(wanted, list):
        said = (
            "there is no list called data in this object"
            if isinstance(tree, dict)
            else f"{_shown(text.strip(), quotes=False)} is not a list"
        )
        diagnostics.error(Position(), said, fix='write [1, 2, 3] or {"data": [1, 2, 3]}')
        return []
    flat = list(_flat(wanted))
    lists = [list(_elements(text, start)) for start in starts]
    # A name may be written with escapes, and is not found in the text then: its numbers have no place in it.
    elements = next((found for found in lists if [value for value, _, _ in found] == flat), [(value, -1, -1) for value in flat])
    return _numbers(text, elements, diagnostics)


def _numbers(text: str, elements: list[Element], diagnostics: Diagnostics) -> list[int]:
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    values = []
    for value, begin, end in elements:
        line = bisect.bisect_right(lines, begin)
        position = Position(line, begin - lines[line - 1] + 1) if begin >= 0 else Position()
        word = text[begin:end] if begin >= 0 else json.dumps(value)
        if isinstance(value, bool) or not isinstance(value, int):
            diagnostics.error(position, f"{_shown(word, quotes=False)} is not a whole number", end - begin, FIX)
        else:
            values.append(_in_range(value, word, position, diagnostics))
    return values


def _unreadable(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else "a number has thousands of digits"


def _flat(tree: list[Any]) -> Iterator[Any]:
    for item in tree:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _elements(text: str, start: int) -> Iterator[Element]:
    """(value, begin, end) of everything in a valid list, and in the lists in it, that is not a list itself."""
    decoder = json.JSONDecoder()
    here, depth = start, 0
    while True:
        here = JSON_BLANK.match(text, here).end()  # type: ignore[union-attr]
        if text[here] == "[":
            depth, here = depth + 1, here + 1
        elif text[here] == "]":
            depth, here = depth - 1, here + 1
            if depth == 0:
                return
        elif text[here] == ",":
            here += 1
        else:
            value, end = decoder.raw_decode(text, here)
            yield value, here, end
            here = end


# ---------------------------------------------------------------------------------------------------------
# NumPy


def _npy(path: str) -> np.ndarray:
    """An array of bytes; one of more dimensions is taken row by row."""
    array = _load_npy(path)
    if array.dtype.kind not in "iub":
        raise UserError(f"{path} holds {array.dtype} numbers: save whole numbers, as numpy.save(path, array.astype('uint8'))")
    values = array.ravel()
    if values.size == 0:
        raise UserError(f"{path}: there are no numbers in this file")
    wrong = np.flatnonzero((values < 0) | (values > MOST))
    if wrong.size:
        more = f", and {wrong.size - 1} more are not" if wrong.size > 1 else ""
        raise UserError(f"{path}: element {wrong[0]} is {values[wrong[0]]}, not from 0 to {MOST}{more}; {FIX}")
    return values.astype(np.uint8)


def _load_npy(path: str) -> np.ndarray:
    """The array in a .npy file."""
    try:
        data = bytes_of(path)
    except IsADirectoryError:
        raise UserError(f"{path} is a directory, not a file: name a file in it") from None
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            raise UserError(f"{path} is larger than {MOST_BYTES >> 20} MiB, which no data memory is") from None
        raise UserError(f"{path} cannot be read: {(isinstance(error, OSError) and error.strerror) or error}") from None
    try:
        array: np.ndarray = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except Exception as error:  # the header is an expression of Python's, and its reader raises whatever it meets
        reason = "its header is nested too deeply" if isinstance(error, RecursionError | MemoryError) else str(error).partition("\n")[0]
        raise UserError(f"{path} cannot be read as a .npy file: {cut(reason, 200) or 'it is cut off'}") from None
    return array
