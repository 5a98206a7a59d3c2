"""Notebooks as programs: the code cells of an `.ipynb` file one after another, as "run all" does with them.

A cell is numbered among the code cells, and is a text with a name, `x.ipynb, cell 2`, so that messages, tracebacks and profiles name the
cell and its line. What IPython adds to Python is dealt with line by line: `%time`, `%timeit` and the like run what they measure, once;
what sets up the notebook itself is left out; what a program may need and does not get here (`!`, `%pip`, `%%bash`) is left out and
named. The value of a cell's last expression is printed.

Source: nbformat documentation, "The Notebook file format"; IPython documentation, "Built-in magic commands".
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from warploom.isa.diagnostics import Diagnostics, Source, SourceError
from warploom.isa.program import Position
from warploom.isa.reading import error, read_text

MEASURING = frozenset(("time", "timeit", "prun", "capture", "memit", "mprun", "lprun", "warploom"))  # they run Python
SILENT = frozenset(("matplotlib", "load_ext", "reload_ext", "autoreload", "config", "xmode", "precision", "who", "whos", "pdb", "pinfo"))
WITH_VALUE = {"timeit": ("-n", "-r", "-p", "-v"), "prun": ("-l", "-s", "-T", "-D"), "mprun": ("-f",), "lprun": ("-f", "-m")}
ASSIGNED = re.compile(r"\s*[\w., ]+=\s*([!%]\s*\w*)")


@dataclass(frozen=True)
class Cell:
    """A code cell. name: of its text in messages. code: its statements; show: its last expression, whose value is printed."""

    name: str
    text: str
    code: CodeType
    show: CodeType | None
    skipped: tuple[str, ...]


def is_notebook(path: str | Path) -> bool:
    """Whether a file is a notebook, by its ending."""
    return Path(path).suffix.lower() == ".ipynb"


def read_cells(path: str | Path) -> list[Cell]:
    """The code cells, compiled. Raises SourceError: for what is not a notebook of Python, and for a cell that is not Python."""
    text = read_text(path)
    try:
        whole = json.loads(text)
        cells = whole["cells"] if "cells" in whole else [one for sheet in whole["worksheets"] for one in sheet["cells"]]
        texts = [_text_of(one) for one in cells if one["cell_type"] == "code"]
        language = _language(whole.get("metadata", {}))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as found:
        broken = f": line {found.lineno}: {found.msg}" if isinstance(found, json.JSONDecodeError) else ""
        raise error(path, f"this is not a notebook{broken}", "save it in Jupyter, or name a Python file") from None
    if language.lower() not in ("python", "ipython"):
        raise error(path, f"the notebook's cells are in {language}, and kernels are in Python here", "")
    return [_cell(f"{path}, cell {number}", one) for number, one in enumerate(texts, 1)]


def run_cells(path: str | Path) -> None:
    """Run a notebook as the program `__main__`, in its own folder, as Jupyter does. Raises SourceError, and whatever a cell raises."""
    cells = read_cells(path)
    module = ModuleType("__main__")
    vars(module).update(display=_display, __file__=str(Path(path).resolve()))
    before, here = sys.modules.get("__main__"), os.getcwd()
    sys.modules["__main__"] = module
    os.chdir(Path(path).resolve().parent)
    try:
        for cell in cells:
            for one in cell.skipped:
                warnings.warn(f"{cell.name}: {one}", stacklevel=2)
            linecache.cache[cell.name] = (len(cell.text), None, cell.text.splitlines(keepends=True), cell.name)
            exec(cell.code, vars(module))
            if cell.show is not None:
                _display(eval(cell.show, vars(module)))
    finally:
        os.chdir(here)
        if before is not None:
            sys.modules["__main__"] = before


def _display(*values: Any, **_: Any) -> None:
    """Print values as IPython does without pictures; of None nothing."""
    for one in values:
        if one is not None:
            print(repr(one))


def _text_of(cell: dict[str, Any]) -> str:
    source = cell["source"] if "source" in cell else cell["input"]
    return source if isinstance(source, str) else "".join(source)


def _language(about: dict[str, Any]) -> str:
    said = [about.get("language_info", {}).get("name"), about.get("kernelspec", {}).get("language")]
    return next((str(one) for one in said if one), "python")


def _cell(name: str, text: str) -> Cell:
    """A cell's code without what is IPython's. Raises SourceError."""
    lines, skipped = text.split("\n"), list[str]()
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        magic, rest = _magic(lines[first][2:])
        if magic not in MEASURING:
            return _compiled(name, text, ast.Module([], []), [f"the cell is skipped: %%{magic} does not run here"])
        lines[first] = rest if magic == "timeit" else ""
    for _ in lines:  # each turn replaces one
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they are shown when the cell is compiled
                tree = ast.parse("\n".join(lines), name)
        except SyntaxError as found:
            place = _line_of_magic(lines, found)
            if place is None:
                raise _not_python(name, text, found) from None
            lines[place] = _without_magic(lines[place], place + 1, skipped)
        else:
            return _compiled(name, text, tree, skipped)
    return _compiled(name, text, ast.parse("\n".join(lines), name), skipped)


def _line_of_magic(lines: list[str], found: SyntaxError) -> int | None:
    """The line to change, where a cell does not parse because of one that IPython takes."""
    place = (found.lineno or 0) - 1
    if not 0 <= place < len(lines):
        return None
    line = lines[place].strip()
    return place if line.startswith(("%", "!", "?")) or (line.endswith("?") and not line.startswith("#")) else None


def _without_magic(line: str, number: int, skipped: list[str]) -> str:
    """What Python gets in place of a line of IPython's, at the same depth; `skipped` gets a sentence where something is left out."""
    depth = line[: len(line) - len(line.lstrip())]
    said = line.strip()
    if said.startswith("%") and said.strip("%"):
        magic, rest = _magic(said.lstrip("%"))
        if magic in MEASURING:
            return depth + (rest or "pass")
        if magic in SILENT:
            return depth + "pass"
    if not said.startswith("?") and not said.endswith("?"):
        skipped.append(f"line {number} is skipped: {said}")
    return depth + "pass"


def _magic(text: str) -> tuple[str, str]:
    """The name of a magic, and what follows its options."""
    name, _, rest = text.strip().partition(" ")
    words = rest.strip()
    while option := re.match(r"(-\w+)\s*", words):
        words = words[option.end() :]
        if option[1] in WITH_VALUE.get(name, ()):
            words = re.sub(r"^\S+\s*", "", words)
    return name, words


def _not_python(name: str, text: str, found: SyntaxError) -> SourceError:
    known = Diagnostics(Source(text, name))
    lines = text.split("\n")
    line = lines[found.lineno - 1] if found.lineno and found.lineno <= len(lines) else ""
    length = (found.end_offset or 0) - (found.offset or 0) if found.end_lineno == found.lineno else 1
    if (given := ASSIGNED.match(line)) is not None:
        at, said = given.start(1) + 1, f"what {line[given.start(1) :].strip()} gives in IPython is not there here"
        known.error(Position(found.lineno or 0, at), said, len(given[1]), "write it in Python")
    else:
        known.error(Position(found.lineno or 0, found.offset or 0), f"this is not Python: {found.msg}", max(length, 1))
    return SourceError(known.items, known.source)


def _compiled(name: str, text: str, tree: ast.Module, skipped: list[str]) -> Cell:
    last = tree.body[-1] if tree.body else None
    show = None
    try:
        if isinstance(last, ast.Expr) and not text.rstrip().endswith(";"):
            tree.body.pop()
            show = compile(ast.Expression(last.value), name, "eval", dont_inherit=True)
        return Cell(name, text, compile(tree, name, "exec", dont_inherit=True), show, tuple(skipped))
    except SyntaxError as found:  # `return` outside a function, and the like
        raise _not_python(name, text, found) from None
