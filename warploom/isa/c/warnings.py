"""What clang warns of in a program that compiles, as diagnostics with their places in the program's sources.

A warning of the compiler's front end names its flag, as `[-Wunused-variable]`. Others come from the code generator or the linker, which
know neither the source nor the runtime, and are left out: a kernel for AVX-512 has no `_start`, and nothing is wrong with that.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.program import Position, Source

WARNING = re.compile(
    r"^(?P<path>\S.*?):(?P<line>[0-9]+):(?P<column>[0-9]+): warning: (?P<message>.* \[-W[^\]]+\])$"
    r"(?:\n *[0-9]+ \|.*\n +\| *[~ ]*(?P<mark>\^~*))?",
    re.MULTILINE,
)


def compiler_warnings(said: str, sources: Sequence[Source]) -> list[Diagnostic]:
    """The warnings in what clang says, in its order, each once: a header's come with every file that includes it.

    sources: the program's; a warning about a file that is none of them has its place in the message.
    """
    numbers = {os.path.realpath(source.path): number for number, source in reversed(list(enumerate(sources))) if source.text}
    found: dict[Diagnostic, None] = {}
    for match in WARNING.finditer(said):
        line, column = int(match["line"]), int(match["column"])
        number = numbers.get(os.path.realpath(match["path"]))
        if number is None:
            message = f"{os.path.relpath(match['path'])}:{line}:{column}: {match['message']}"
            found.setdefault(Diagnostic(Severity.WARNING, message))
        else:
            place = Position(line, _character(sources[number].lines, line, column), number)
            found.setdefault(Diagnostic(Severity.WARNING, match["message"], place, len(match["mark"] or "^")))
    return list(found)


def texts_of(said: str, read: Iterable[str]) -> tuple[Source, ...]:
    """The texts that warnings are about, in the order in which clang names them. read: paths that may be read besides, first."""
    paths = dict.fromkeys([*read, *(match["path"] for match in WARNING.finditer(said))])
    found = []
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                found.append(Source(file.read(), os.path.relpath(path) if os.path.isabs(path) else path))
        except OSError:
            continue
    return tuple(found)


def _character(lines: Sequence[str], line: int, column: int) -> int:
    """A column in characters; clang counts bytes of UTF-8."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return len(text.encode()[: column - 1].decode(errors="ignore")) + 1
