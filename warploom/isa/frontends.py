"""Front ends: from a file to a Program, whatever instruction set it is written in.

A front end is a module with `assemble(text, path=...) -> Program`; where it has something to warn of, with
`assemble_with_warnings(text, path=...) -> (Program, list[Diagnostic])` too. It is imported when a file asks for it.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import NamedTuple

from warploom.isa.diagnostics import Diagnostic, Diagnostics, SourceError, nearest
from warploom.isa.program import Position, Program, Source

MOST_BYTES = 16 << 20  # of a source file


class FrontEnd(NamedTuple):
    """One instruction set: its name, the endings of its files, the module that reads them, the preset that its programs run on."""

    name: str
    suffixes: tuple[str, ...]
    module: str
    about: str
    gpu: str


FRONT_ENDS: tuple[FrontEnd, ...] = (
    FrontEnd("tiny", (".asm",), "warploom.isa.tiny", "tiny-gpu", "tiny"),
    FrontEnd("guppy", (".guppy", ".s"), "warploom.isa.guppy", "guppy's language of four-component registers and masks", "guppy"),
)


def load(path: str | os.PathLike[str], isa: str | None = None, *, if_convert: int = 0) -> Program:
    """The Program in a source file. isa: a front end's name; None: the one for the file's ending.

    if_convert: branches over at most so many instructions become predicates, see `analysis/if_conversion.py`; such a program is
    for machines with warps. Raises SourceError, with every error in the file, also when it cannot be read; ValueError when if_convert is
    negative.
    """
    program = load_with_warnings(path, isa)[0]
    if if_convert:
        from warploom.isa.analysis.if_conversion import if_convert as convert

        program = convert(program, if_convert)
    return program


def load_with_warnings(path: str | os.PathLike[str], isa: str | None = None) -> tuple[Program, list[Diagnostic]]:
    """As `load`, with what is allowed in the file but most likely not meant."""
    chosen = front_end(path, isa)
    text = read_text(path)
    module = importlib.import_module(chosen.module)
    if hasattr(module, "assemble_with_warnings"):
        return module.assemble_with_warnings(text, path=os.fspath(path))
    return module.assemble(text, path=os.fspath(path)), []


def front_end(path: str | os.PathLike[str], isa: str | None = None) -> FrontEnd:
    """The front end of a name, or else of a file's ending. Raises SourceError."""
    names = [known.name for known in FRONT_ENDS]
    if isa is not None:
        if isa not in names:
            raise _error(path, f"there is no instruction set {isa!r}{nearest(isa, names)}", f"there are {', '.join(names)}")
        return FRONT_ENDS[names.index(isa)]
    suffix = Path(path).suffix.lower()
    for known in FRONT_ENDS:
        if suffix in known.suffixes:
            return known
    endings = ", ".join(f"{'/'.join(known.suffixes)} for {known.name}" for known in FRONT_ENDS)
    said = (
        f"the ending {suffix!r} belongs to no instruction set" if suffix else "the name has no ending that says which instruction set it is"
    )
    raise _error(path, said, f"name the file {endings}, or name the instruction set")


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, UTF-8. Raises SourceError when it cannot be read, is no text, or is larger than 16 MiB."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except IsADirectoryError:
        raise _error(path, "this is a directory, not a file", "name a file in it") from None
    except FileNotFoundError:
        raise _error(path, "there is no such file", _neighbour(Path(path))) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _error(path, f"this file cannot be read: {reason}", "") from None
    if len(data) > MOST_BYTES:
        raise _error(path, f"this file is larger than {MOST_BYTES >> 20} MiB, which no program is", "")
    if b"\0" in data:
        raise _error(path, f"this is a binary file, not source text: byte {data.index(0)} is zero", "")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _error(
            path, f"this is not text in UTF-8: byte {error.start} is 0x{data[error.start]:02x}", "save the file as UTF-8"
        ) from None


def _neighbour(path: Path) -> str:
    """What a file that is not there may have been meant to be."""
    try:
        near = nearest(path.name, [other.name for other in path.parent.iterdir()])
    except OSError:
        return ""
    return f"look again at the name{near}" if near else ""


def _error(path: str | os.PathLike[str], message: str, fix: str) -> SourceError:
    diagnostics = Diagnostics(Source("", os.fspath(path)))
    diagnostics.error(Position(), message, fix=fix)
    return SourceError(diagnostics.items, diagnostics.source)
