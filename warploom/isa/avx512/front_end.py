"""The front end: a Program from x86 assembly text, from an ELF file, or from bytes of machine code."""

from __future__ import annotations

from pathlib import Path

from warploom.isa.avx512 import elf
from warploom.isa.avx512.assembler import CODE_BASE, assemble
from warploom.isa.avx512.launch import (
    ARGUMENTS,
    ARGUMENTS_BYTES,
    MEMORY_BASE,
    MEMORY_BYTES,
    MOST_WARPS,
    STACK_BYTES,
    STACKS_END,
)
from warploom.isa.avx512.lessons import lessons
from warploom.isa.avx512.lowering import lower
from warploom.isa.avx512.registers import LANES
from warploom.isa.diagnostics import Diagnostic, Diagnostics, Severity
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.image import Image, Segment
from warploom.isa.launching import BufferError, started
from warploom.isa.program import Launch, Source
from warploom.isa.reading import decoded, error, read_bytes


def load(source: Text, options: Options) -> Loaded:
    """A Program from a file or bytes: ELF, source text, or machine code. Raises SourceError, BufferError."""
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    data = source if isinstance(source, bytes) else read_bytes(source)
    if data.startswith(elf.MAGIC):
        image, warnings = elf.read(data, path)
        return _loaded(image, LANES, Diagnostics(image.sources[0], warnings, image.sources[1:]), options, refuses=False)
    if path.endswith(".bin") or (isinstance(source, bytes) and _is_code(data)):
        return _loaded(raw(data, path), LANES, Diagnostics(Source("", path)), options, refuses=False)
    text = Source(decoded(data, path), path)
    diagnostics = Diagnostics(text)
    assembly = assemble(text, diagnostics)
    return _loaded(assembly.image, assembly.threads or LANES, diagnostics, options)


def _is_code(data: bytes) -> bool:
    """Whether bytes are machine code: text has no zeros, and is UTF-8."""
    try:
        return "\0" in data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return True


def raw(data: bytes, path: str) -> Image:
    """Machine code from its first byte on, at the address at which text would lie."""
    if not data:
        raise error(path, "there is no instruction in this file", "")
    room = -(-len(data) // 4) * 4
    code = ((CODE_BASE, CODE_BASE + len(data)),)
    return Image(path, [Segment("program", CODE_BASE, data.ljust(room, b"\0"), room, False, code)], CODE_BASE, sources=(Source("", path),))


def with_memory(image: Image, warps: int) -> list[Segment]:
    """The image's segments with stacks, memory and arguments. Raises SourceError where the program lies there."""
    stacks = warps * STACK_BYTES
    own = [
        Segment("arguments", ARGUMENTS, b"", ARGUMENTS_BYTES),
        Segment("memory", MEMORY_BASE, b"", MEMORY_BYTES),
        Segment("stacks", STACKS_END - stacks, b"", stacks),
    ]
    for segment in own[::2]:
        for other in image.segments:
            if _meet(segment, other):
                span = f"{segment.address:#x} to {segment.address + segment.size - 1:#x}"
                said = f"the program lies at {other.address:#x}, over the {segment.name} ({span})"
                raise error(image.path, said, "link it to a different address: -Wl,-Ttext=0x400000")
    return [*image.segments, *(segment for segment in own if not any(_meet(segment, other) for other in image.segments))]


def _meet(one: Segment, other: Segment) -> bool:
    return one.address < other.address + other.size and other.address < one.address + one.size


def _loaded(image: Image, threads: int, diagnostics: Diagnostics, options: Options, refuses: bool = True) -> Loaded:
    """refuses: an instruction that the machine does not have is an error. Else it is a warning, and stops the run where it is reached."""
    threads = threads if options.threads is None else options.threads
    if not 0 <= threads <= MOST_WARPS * LANES:
        raise BufferError(f"{image.path}: {threads} threads: a program of AVX-512 has 0 to {MOST_WARPS * LANES}, 16 to a stack")
    if options.block not in (None, 0, LANES):
        raise BufferError(f"{image.path}: a block of {options.block} threads: a warp of AVX-512 is a block of {LANES}")
    warps = max(-(-threads // LANES), 1)
    if isinstance(options.grid, int):
        warps = max(options.grid, 1)
    image = Image(image.path, with_memory(image, warps), image.entry, image.symbols, image.starts, image.sources, image.lines)
    program, refused = lower(image, Launch(threads=threads, block=LANES, argument=ARGUMENTS))
    severity = Severity.ERROR if refuses else Severity.WARNING
    for number, reason in refused:
        text = program.text[number]
        diagnostics.items.append(Diagnostic(severity, f"{text}: {reason}", program.position(number), len(text.split()[0])))
    diagnostics.items += lessons(image)
    diagnostics.raise_if_errors()
    return Loaded(started(program, options), diagnostics.warnings)
