"""The front end: a Program from RISC-V assembly text, or from an ELF file."""

from __future__ import annotations

from pathlib import Path

from warploom.isa.c.compiler import compile_c
from warploom.isa.diagnostics import Diagnostic, Diagnostics, Severity
from warploom.isa.elf.file import is_elf
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.image import Image
from warploom.isa.launching import BufferError, started
from warploom.isa.program import Source
from warploom.isa.reading import decoded, error, read_bytes
from warploom.isa.riscv import elf
from warploom.isa.riscv.assembler import assemble
from warploom.isa.riscv.launch import MOST_THREADS, LayoutError, with_start_up
from warploom.isa.riscv.lowering import lower


def load(source: Text, options: Options) -> Loaded:
    """A Program from a file or bytes: ELF, or source text. Raises SourceError, BufferError."""
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    data = source if isinstance(source, bytes) else read_bytes(source)
    if Path(path).suffix.lower() == ".c":
        data = compile_c([path], "riscv", options.more.get("optimise") or "2")
    return _from_elf(data, path, options) if is_elf(data, path) else _from_text(decoded(data, path), path, options)


def _from_text(text: str, path: str, options: Options) -> Loaded:
    source = Source(text, path)
    diagnostics = Diagnostics(source)
    assembly = assemble(source, diagnostics)
    return _loaded(assembly.image, assembly.threads or 1, assembly.block, diagnostics, options)


def _from_elf(data: bytes, path: str, options: Options) -> Loaded:
    image, warnings = elf.read(data, path)
    diagnostics = Diagnostics(image.sources[0], warnings, image.sources[1:])
    return _loaded(image, 1, 0, diagnostics, options, refuses=False)


def _loaded(image: Image, threads: int, block: int, diagnostics: Diagnostics, options: Options, refuses: bool = True) -> Loaded:
    """refuses: an instruction that the machine does not have is an error. Else it is a warning, and stops the run where it is reached."""
    threads = threads if options.threads is None else options.threads
    if not 0 <= threads <= MOST_THREADS:
        raise BufferError(f"{image.path}: {threads} threads: a RISC-V program has 0 to {MOST_THREADS}, each with a stack of its own")
    try:
        started_image, launch = with_start_up(image, max(threads, 1))
    except LayoutError as found:
        raise error(image.path, str(found), "link it to a different address: -Wl,-Ttext=0x80000000") from None
    program, refused = lower(started_image, launch=launch.changed(threads=threads, block=block))
    severity = Severity.ERROR if refuses else Severity.WARNING
    for number, reason in refused:
        text = program.text[number]
        diagnostics.items.append(Diagnostic(severity, f"{text}: {reason}", program.position(number), len(text.split()[0])))
    diagnostics.raise_if_errors()
    return Loaded(started(program, options), diagnostics.warnings)
