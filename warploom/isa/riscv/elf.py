"""ELF files: a linked RISC-V program as a compiler leaves it, with its symbols and the lines that its instructions came from.

Source: RISC-V ABIs Specification 1.0, "ELF Object Files".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warploom.isa.c.endings import for_riscv
from warploom.isa.c.parameters import BEGIN, END, CKernel
from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.elf.file import EXECUTABLE, MAGIC, SHARED, Wanted, opened
from warploom.isa.elf.lines import read_lines
from warploom.isa.elf.segments import segments
from warploom.isa.elf.symbols import addresses, read_symbols, table_of
from warploom.isa.image import Image
from warploom.isa.program import Position, Source
from warploom.isa.reading import error

__all__ = ["MAGIC", "read", "startable"]

WANTED = Wanted("RISC-V", 243, 32, (EXECUTABLE, SHARED), "compile it for riscv32")
PARCEL = 2  # bytes: a compressed instruction


def read(data: bytes, path: str, lines: bool = True) -> tuple[Image, list[Diagnostic]]:
    """The image in an ELF file's bytes, and warnings. lines: with the lines of source, which take the most time. Raises SourceError."""
    file = opened(data, path, WANTED)
    loaded = segments(file, align=PARCEL)
    warnings: list[Diagnostic] = []
    symbols: dict[str, int] = {}
    functions: frozenset[int] = frozenset()
    sources: tuple[Source, ...] = ()
    positions: dict[int, Position] = {}
    try:
        symbols, functions = addresses(file, ignore=(".L", "$"))
        if lines:
            sources, positions = read_lines(data, Path(path).parent, PARCEL)
    except Exception as failure:  # pyelftools raises what its parsers raise: nothing of it is needed to run the program
        said = f"its symbols or line tables cannot be read ({type(failure).__name__}): messages name addresses instead"
        warnings.append(Diagnostic(Severity.WARNING, said))
    entry = file.entry or symbols.get("_start", symbols.get("main", 0))
    if not any(start <= entry < end for segment in loaded for start, end in segment.code):
        raise error(path, f"its entry point {entry:#x} lies in no code", "link it with an entry point: -Wl,-e,main")
    return Image(path, loaded, entry, symbols, functions, (Source("", path), *sources), positions), warnings


def startable(data: bytes, path: str, kernels: Sequence[CKernel], wanted: str | None) -> Sequence[CKernel]:
    """The kernels that the run-time's `main` may start: none where the program has a `main` of its own, which then runs.

    wanted: the kernel that the user names. Raises SourceError where there is nothing to run, or a main in place of what is wanted.
    """
    file = opened(data, path, WANTED)
    symbols = read_symbols(file, table_of(file))
    own = any(not one.weak for one in symbols if one.name == "main")
    if own and kernels and wanted is not None:
        raise error(path, f"it has a main of its own, which runs in place of the kernel {wanted!r}", "leave out main, or --launch")
    bounds = {one.value for one in symbols if one.name in (BEGIN, END)}  # the same address where none lies between
    if not own and not kernels and (for_riscv(path) or len(bounds) == 1):
        raise error(path, "there is no kernel and no main in this file", "include <warploom.h> and mark a function: kernel void f(...)")
    return () if own else kernels
