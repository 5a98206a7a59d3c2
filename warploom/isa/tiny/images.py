"""Words in files: what Verilog's `$readmemh` loads into a program memory, and JSON.

Hex: one word of four digits a line. `//` and `/* */` comments, `_` between digits and `@1f` (the next address) are
read as Verilog reads them. Threads and data are not words, so they travel in comments: `// .threads 8`, `// .block 4`,
`// .data 1 2`, and so does `// .isa tiny`, the instruction set.

JSON: an object with `program` (words), `threads`, `block` and `data` (bytes), or only the list of words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from warploom.isa.diagnostics import Diagnostics
from warploom.isa.program import Position, Program, Source
from warploom.isa.tiny.lowering import words
from warploom.isa.tiny.table import BYTE, DATA_ROWS, PROGRAM_ROWS, WORD_MASK

_PIECE = re.compile(
    r"""(?P<skip>\s+)
    | //[ \t]*\.(?P<name>threads|block|data)(?P<values>(?:[ \t]+\d+)*)[ \t\r]*$
    | (?P<comment>//.* | /\*[\s\S]*?\*/)
    | (?P<word>[^\s/]+ | /)""",
    re.MULTILINE | re.VERBOSE,
)
_WANTED = {"threads": "one number from 0 to 255", "block": "one number from 0 to 255", "data": "numbers from 0 to 255"}
DATA_A_COMMENT = 32  # bytes of data in one comment line


@dataclass(frozen=True)
class Image:
    """What a file of words holds. threads: 1 where the file does not say; block: threads per block, 0 where it does not say."""

    words: list[int]
    threads: int = 1
    data: tuple[int, ...] = ()
    block: int = 0


def to_hex(program: Program) -> str:
    """A program's words for `$readmemh`, each with its instruction as a comment."""
    lines = [f"// {program.name}: {len(program)} instructions of tiny-gpu", "// .isa tiny", f"// .threads {program.launch.threads}"]
    lines += [f"// .block {program.launch.block}"] if program.launch.block else []
    data = program.data.tolist()
    for start in range(0, len(data), DATA_A_COMMENT):
        lines.append("// .data " + " ".join(str(value) for value in data[start : start + DATA_A_COMMENT]))
    lines += [f"{word:04x}  // {address:3d}: {text}" for address, (word, text) in enumerate(zip(words(program), program.text, strict=True))]
    return "\n".join(lines) + "\n"


def to_json(program: Program) -> str:
    """A program's words, threads and data as one JSON object."""
    body = {
        "isa": program.isa,
        "name": program.name,
        "threads": program.launch.threads,
        "block": program.launch.block_threads,
        "program": words(program),
    }
    return json.dumps(body | {"data": program.data.tolist()}) + "\n"


def read_image(text: str, path: str = "<words>") -> Image:
    """The words in a text that `to_hex`, `to_json` or a person wrote. Raises SourceError."""
    source = Source(text, path)
    diagnostics = Diagnostics(source)
    image = _read_json(text, diagnostics) if text.lstrip()[:1] in ("[", "{") else _read_hex(source, diagnostics)
    diagnostics.raise_if_errors()
    if not image.words:
        diagnostics.error(
            Position(1, 1), "there are no instruction words in this file", fix="write words with `warploom asm FILE -o words.hex`"
        )
    if len(image.words) > PROGRAM_ROWS:
        message = f"{len(image.words)} instruction words are too many: program memory holds {PROGRAM_ROWS}"
        diagnostics.error(Position(), message)
    if len(image.data) > DATA_ROWS:
        diagnostics.error(Position(), f"{len(image.data)} bytes of data are too many: data memory holds {DATA_ROWS}")
    diagnostics.raise_if_errors()
    return image


def _read_hex(source: Source, diagnostics: Diagnostics) -> Image:
    memory: dict[int, int] = {}
    data: list[int] = []
    threads, block, address = 1, 0, 0
    starts = [0, *(match.end() for match in re.finditer("\r\n|\n|\r", source.text)), len(source.text)]
    row = 0
    for match in _PIECE.finditer(source.text):
        while match.start() >= starts[row + 1]:
            row += 1
        position = Position(row + 1, match.start() - starts[row] + 1)
        if match["name"]:
            values = [int(value) for value in match["values"].split() if len(value) <= 3 and int(value) <= BYTE]
            if len(values) != len(match["values"].split()) or (match["name"] != "data" and len(values) != 1):
                diagnostics.error(position, f"{match[0].strip()!r} takes {_WANTED[match['name']]}", len(match[0].rstrip()))
            elif match["name"] == "threads":
                threads = values[0]
            elif match["name"] == "block":
                block = values[0]
            else:
                data += values
        elif match["word"]:
            address = _hex_word(match["word"], address, memory, position, diagnostics)
    return Image([memory.get(place, 0) for place in range(max(memory, default=-1) + 1)], threads, tuple(data), block)


def _hex_word(text: str, address: int, memory: dict[int, int], position: Position, diagnostics: Diagnostics) -> int:
    """Read `50de` or `@1f`; gives the address of the next word."""
    digits = text.removeprefix("@").replace("_", "")
    most = PROGRAM_ROWS - 1 if text.startswith("@") else WORD_MASK
    if not re.fullmatch(r"[0-9a-fA-F]+", digits):
        fix = "a line is four hexadecimal digits, as in 50de, with comments after //"
        diagnostics.error(position, f"{text!r} is not a hexadecimal number", len(text), fix)
    elif len(digits.lstrip("0")) > 4 or int(digits, 16) > most:
        what = "an address of program memory" if text.startswith("@") else "an instruction word"
        diagnostics.error(position, f"{text!r} is larger than {most:x}, the largest value of {what}", len(text))
    elif text.startswith("@"):
        return int(digits, 16)
    else:
        memory[address] = int(digits, 16)
    return address + 1


def _read_json(text: str, diagnostics: Diagnostics) -> Image:
    try:
        body: Any = json.loads(text)
    except json.JSONDecodeError as error:
        diagnostics.error(Position(error.lineno, error.colno), f"this is not JSON: {error.msg}")
        return Image([])
    except (RecursionError, ValueError):
        diagnostics.error(Position(), "this is not JSON that holds a program")
        return Image([])
    if isinstance(body, list):
        body = {"program": body}
    if "program" not in body:
        message = "there is no 'program' in this JSON object"
        diagnostics.error(Position(), message, fix='write {"program": [20702, 61440], "threads": 8, "data": [1, 2]}, or a list of words')
        return Image([])
    program = _numbers(body["program"], "program", WORD_MASK, diagnostics)
    threads = _numbers([body.get("threads", 1)], "threads", BYTE, diagnostics)
    block = _numbers([body.get("block", 0)], "block", BYTE, diagnostics)
    data = _numbers(body.get("data", []), "data", BYTE, diagnostics)
    return Image(program, threads[0] if threads else 1, tuple(data), block[0] if block else 0)


def _numbers(values: Any, name: str, most: int, diagnostics: Diagnostics) -> list[int]:
    """A list of whole numbers from 0 to `most`; [] after something wrong has been reported."""
    if not isinstance(values, list):
        diagnostics.error(Position(), f"{name!r} must be a list of numbers from 0 to {most}")
        return []
    for index, value in enumerate(values):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            place = name if name in ("threads", "block") else f"{name}[{index}]"
            shown = json.dumps(value)
            shown = shown if len(shown) <= 40 else shown[:40] + "..."
            diagnostics.error(Position(), f"{place} is {shown}: it must be a whole number from 0 to {most}")
            return []
    return values
