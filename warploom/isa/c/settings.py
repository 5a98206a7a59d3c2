"""What a user tells the compiler of a program in C: how it is optimised (-O), macros (-D), and folders of headers (-I).

A front end is handed them as `more` of its Options, under the names below. They are for the user's sources; the runtime stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from warploom.isa.c.compiler import Compiled, compiled
from warploom.isa.reading import error

LEVEL, MACROS, FOLDERS = "optimise", "macros", "folders"
USUAL_LEVEL = "2"
MACRO = re.compile(r"[A-Za-z_]\w*(\([\w\s,.]*\))?(=.*)?", re.DOTALL)


def compile_source(path: str, target: str, more: Mapping[str, Any]) -> Compiled:
    """The ELF file of one source, by what is told in `more`. Raises SourceError."""
    macros, folders = more.get(MACROS) or (), more.get(FOLDERS) or ()
    check_told(path, macros, folders)
    return compiled([path], target, more.get(LEVEL) or USUAL_LEVEL, macros=macros, folders=folders)


def check_told(path: str, macros: Sequence[str], folders: Sequence[str]) -> None:
    """Raise SourceError for a macro that has no name, and for a folder that is not there."""
    for text in macros:
        if not MACRO.fullmatch(text):
            raise error(path, f"-D {text}: this is not a macro", "write a name, or a name and what it stands for, as -D N=100")
    for folder in folders:
        if not Path(folder).is_dir():
            raise error(path, f"-I {folder}: there is no such folder", "name the folder that holds the headers")
