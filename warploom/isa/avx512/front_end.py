"""The front end: a Program from x86 assembly text, from an ELF file, or from bytes of machine code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from warploom.isa.avx512 import elf
from warploom.isa.avx512.kernels import places_of
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
from warploom.isa.avx512.lowering import Refused, lower
from warploom.isa.avx512.registers import LANES
from warploom.isa.avx512.text.assembler import CODE_BASE, assemble
from warploom.isa.c.buffers import given, placed, pointers_of, shapes_of, unused, values_of, views_of
from warploom.isa.c.parameters import CKernel, chosen, kernels_of
from warploom.isa.c.settings import compile_source
from warploom.isa.c.warnings import compiler_warnings
from warploom.isa.diagnostics import Diagnostic, Diagnostics, Severity
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.image import Image, Segment
from warploom.isa.launching import BufferError, launched, started
from warploom.isa.program import Launch, Program, Source
from warploom.isa.reading import decoded, error, read_bytes
from warploom.isa.regions import RegionError

C = ".c"


def load(source: Text, options: Options) -> Loaded:
    """A Program from a file or bytes: ELF, source text, or machine code. Raises SourceError, BufferError."""
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    data = source if isinstance(source, bytes) else read_bytes(source)
    said = ""
    if path.endswith(C):
        data, said = compile_source(path, "avx512", options.more)
    if data.startswith(elf.MAGIC):
        image, warnings = elf.read(data, path)
        diagnostics = Diagnostics(image.sources[0], [*warnings, *compiler_warnings(said, image.sources)], image.sources[1:])
        kernels = kernels_of(data, image.symbols)
        if kernels:
            return _called(image, chosen(kernels, options.more.get("launch"), path), diagnostics, options)
        return _loaded(image, LANES, diagnostics, options, refuses=False)
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


def with_memory(image: Image, warps: int, has_memory: bool = True) -> list[Segment]:
    """The image's segments with stacks, memory and arguments. Raises SourceError where the program lies there."""
    stacks = warps * STACK_BYTES
    own = [Segment("arguments", ARGUMENTS, b"", ARGUMENTS_BYTES), Segment("stacks", STACKS_END - stacks, b"", stacks)]
    for segment in own:
        for other in image.segments:
            if _meet(segment, other):
                span = f"{segment.address:#x} to {segment.address + segment.size - 1:#x}"
                said = f"the program lies at {other.address:#x}, over the {segment.name} ({span})"
                raise error(image.path, said, "link it to a different address: -Wl,-Ttext=0x400000")
    memory = Segment("memory", MEMORY_BASE, b"", MEMORY_BYTES)
    free = has_memory and not any(_meet(memory, other) for other in image.segments)
    return [*image.segments, own[0], *([memory] if free else []), own[1]]


def _meet(one: Segment, other: Segment) -> bool:
    return one.address < other.address + other.size and other.address < one.address + one.size


def _called(image: Image, kernel: CKernel, diagnostics: Diagnostics, options: Options) -> Loaded:
    """A kernel in C, with its buffers and arguments."""
    threads, warps = _threads(image, LANES, options)
    places = places_of(kernel, image.path)
    segments = with_memory(image, warps, has_memory=False)
    taken = [(segment.address, segment.address + segment.size) for segment in segments]
    contents = given(options.buffers, image.path, pointers_of(kernel, options.arguments))
    buffers = placed(contents, taken)
    parameters = tuple(place.parameter for place in places)
    values = values_of(kernel.name, image.path, parameters, (region.name for region in buffers), options.arguments)
    image = replace(image, segments=segments, entry=kernel.address)
    program, refused = lower(image, Launch(threads=threads, block=LANES, argument=ARGUMENTS, name=kernel.name), places)
    program = replace(program, regions=(*program.regions, *buffers), parameters=parameters, **views_of(buffers, shapes_of(contents)))
    try:
        program.address_space()
    except RegionError as found:
        raise BufferError(f"{image.path}: {found}") from None
    _note(program, refused, diagnostics, Severity.WARNING)
    diagnostics.items += unused(contents, buffers, values, parameters, kernel.name)
    asked = {} if options.grid is None else {"grid": options.grid}
    launch = program.launch.changed(**asked, arguments=values)
    return Loaded(launched(program, launch), diagnostics.warnings)


def _threads(image: Image, threads: int, options: Options) -> tuple[int, int]:
    """(threads, warps) of a launch. Raises BufferError."""
    threads = threads if options.threads is None else options.threads
    if not 0 <= threads <= MOST_WARPS * LANES:
        raise BufferError(f"{image.path}: {threads} threads: a program of AVX-512 has 0 to {MOST_WARPS * LANES}, 16 to a stack")
    if options.block not in (None, 0, LANES):
        raise BufferError(f"{image.path}: a block of {options.block} threads: a warp of AVX-512 is a block of {LANES}")
    warps = max(-(-threads // LANES), 1)
    if isinstance(options.grid, int):
        warps = max(options.grid, 1)
    return threads, warps


def _loaded(image: Image, threads: int, diagnostics: Diagnostics, options: Options, refuses: bool = True) -> Loaded:
    """refuses: an instruction that the machine does not have is an error. Else it is a warning, and stops the run where it is reached."""
    threads, warps = _threads(image, threads, options)
    image = replace(image, segments=with_memory(image, warps))
    program, refused = lower(image, Launch(threads=threads, block=LANES, argument=ARGUMENTS))
    _note(program, refused, diagnostics, Severity.ERROR if refuses else Severity.WARNING)
    diagnostics.items += lessons(image)
    diagnostics.raise_if_errors()
    return Loaded(started(program, options), diagnostics.warnings)


def _note(program: Program, refused: Sequence[Refused], diagnostics: Diagnostics, severity: Severity) -> None:
    """What was refused."""
    for number, reason in refused:
        text = program.text[number]
        diagnostics.items.append(Diagnostic(severity, f"{text}: {reason}", program.position(number), len(text.split()[0])))
