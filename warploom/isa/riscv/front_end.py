"""The front end: a Program from RISC-V assembly text."""

from __future__ import annotations

from pathlib import Path

from warploom.isa.diagnostics import Diagnostics
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.launching import BufferError, started
from warploom.isa.program import Source
from warploom.isa.reading import text_of
from warploom.isa.riscv.assembler import assemble
from warploom.isa.riscv.launch import MOST_THREADS, with_start_up
from warploom.isa.riscv.lowering import lower


def load(source: Text, options: Options) -> Loaded:
    """A Program from a file or bytes of source text. Raises SourceError, BufferError."""
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    text = Source(text_of(source, path), path)
    diagnostics = Diagnostics(text)
    assembly = assemble(text, diagnostics)
    threads = options.threads if options.threads is not None else assembly.threads or 1
    if not 0 <= threads <= MOST_THREADS:
        raise BufferError(f"{path}: {threads} threads: a RISC-V program has 0 to {MOST_THREADS}, each with a stack of its own")
    image, launch = with_start_up(assembly.image, max(threads, 1))
    program, refused = lower(image, launch=launch.changed(threads=threads, block=assembly.block))
    for number, reason in refused:
        diagnostics.error(program.position(number), f"{program.text[number]}: {reason}", len(program.text[number].split()[0]))
    diagnostics.raise_if_errors()
    return Loaded(started(program, options), diagnostics.warnings)
