"""ELF files of 64 bits: a linked x86 program, or an object file that needs no linker.

Source: System V ABI, AMD64 supplement, "Relocation Types".
"""

from __future__ import annotations

from pathlib import Path

from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.elf.file import EXECUTABLE, MAGIC, OBJECT, SHARED, Wanted, opened
from warploom.isa.elf.lines import read_lines
from warploom.isa.elf.objects import Relocation, object_segments, placed, relocated
from warploom.isa.elf.segments import segments
from warploom.isa.elf.symbols import addresses
from warploom.isa.image import Image
from warploom.isa.program import Position, Source
from warploom.isa.reading import error

__all__ = ["MAGIC", "X86_64", "read"]

X86_64 = 62
WANTED = Wanted("x86 with AVX-512", X86_64, 64, (OBJECT, EXECUTABLE, SHARED), "compile it for x86_64 with -mavx512f")
OBJECT_BASE = 0x400000
RELOCATIONS = {  # R_X86_64_...
    1: Relocation(8),  # 64
    2: Relocation(4, relative=True),  # PC32
    4: Relocation(4, relative=True),  # PLT32: nothing is between a call and what it calls
    9: Relocation(4, relative=True, table=True),  # GOTPCREL
    10: Relocation(4),  # 32
    11: Relocation(4),  # 32S
    24: Relocation(8, relative=True),  # PC64
    41: Relocation(4, relative=True, table=True),  # GOTPCRELX
    42: Relocation(4, relative=True, table=True),  # REX_GOTPCRELX
}


def read(data: bytes, path: str) -> tuple[Image, list[Diagnostic]]:
    """The image in an ELF file's bytes, and warnings. Raises SourceError."""
    file = opened(data, path, WANTED)
    places: dict[int, int] = {}
    if file.kind == OBJECT:
        places = placed(file, OBJECT_BASE)
        file, table = relocated(file, places, RELOCATIONS)
        loaded = object_segments(file, places) + ([table] if table else [])
    else:
        loaded = segments(file, "link it without PIE, to low addresses")
    warnings: list[Diagnostic] = []
    symbols: dict[str, int] = {}
    functions: frozenset[int] = frozenset()
    sources: tuple[Source, ...] = ()
    lines: dict[int, Position] = {}
    try:
        symbols, functions = addresses(file, places)
        sources, lines = read_lines(file.data, Path(path).parent, 1)
    except Exception as failure:  # pyelftools raises what its parsers raise: nothing of it is needed to run the program
        said = f"its symbols or line tables cannot be read ({type(failure).__name__}): messages name addresses instead"
        warnings.append(Diagnostic(Severity.WARNING, said))
    code = [span for segment in loaded for span in segment.code]
    entry = file.entry or next((symbols[name] for name in ("_start", "main", "kernel") if name in symbols), code[0][0] if code else 0)
    if not any(start <= entry < end for start, end in code):
        raise error(path, f"its entry point {entry:#x} lies in no code", "link it with an entry point: -Wl,-e,main")
    return Image(path, loaded, entry, symbols, functions | {entry}, (Source("", path), *sources), lines), warnings
