"""The start page: what `warploom` alone shows. Five commands that work here and now, with what lies in this folder."""

from __future__ import annotations

import os
from pathlib import Path

from warploom.cli.welcome import shipped

MOST_FILES = 2000  # of a folder that are looked at
MOST_BYTES = 65536  # of a Python file in which a kernel is looked for
MOST_SHOWN = 3  # programs of this folder that are named
ALWAYS = (".asm", ".guppy", ".cl", ".gcn", ".avx512", ".rv", ".vxbin")  # endings that mean a program for a GPU, whatever is in it
KERNEL = (b"cuda.jit", b'target="cuda"', b"target='cuda'")  # what a Python program with a kernel has in its text
DIALECTS = {".c": (b"warploom.h", b"lanes.h", b"kernel void"), ".ipynb": (b"cuda.jit", b"numba")}


def start_page() -> list[tuple[str, str]]:
    """The lines: text and style. Commands are exactly as they are typed."""
    here = programs(Path())
    rows = _with(here[0]) if here else _without()
    width = max(len(command) for command, _ in rows)
    lines = [("warploom: a GPU you can read, run, watch and build, in Python", "bold"), ("", "")]
    if here:
        more = len(here) - MOST_SHOWN
        lines += [(f"In this folder: {', '.join(here[:MOST_SHOWN])}{f' and {more} more' if more > 0 else ''}", ""), ("", "")]
    lines += [(f"  {command:<{width}}  {does}", "") for command, does in rows]
    lines += [("", ""), ("All commands: warploom --help. What is installed: warploom doctor", "dim")]
    return lines


def programs(folder: Path) -> list[str]:
    """The names of the programs in a folder, the one changed last first."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(MOST_FILES), entries, strict=False):
                if entry.is_file() and _is_program(Path(entry.path)):
                    found.append((-entry.stat().st_mtime, entry.name))
    except OSError:
        return []
    return [name for _, name in sorted(found)]


def _is_program(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix in ALWAYS:
        return True
    signs = KERNEL if suffix == ".py" else DIALECTS.get(suffix, ())
    if not signs:
        return False
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES)
    except OSError:
        return False
    return any(sign in text for sign in signs)


def _with(name: str) -> list[tuple[str, str]]:
    quoted = f'"{name}"' if " " in name else name
    return [
        (f"warploom run {quoted}", "run it, and see what came out"),
        (f"warploom profile {quoted}", "what each line costs, why, and what to try"),
        (f"warploom check {quoted}", "races, bounds faults, barriers"),
        (f"warploom explore {quoted} --open", "walk through the run in a browser"),
        ("warploom examples", "the programs that ship, to run and to copy"),
    ]


def _without() -> list[tuple[str, str]]:
    first = "matmul" if shipped.find("matmul") else "FILE"
    return [
        (f"warploom run {first}", "multiply two matrices on the smallest GPU"),
        (f"warploom explore {first} --open", "walk through that run in a browser"),
        ("warploom new kernel.py", "write a first kernel in Python, to change it"),
        ("warploom examples", "all programs that ship, to run and to copy"),
        ("warploom docs", "open the documentation"),
    ]
