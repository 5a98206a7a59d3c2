"""The front end: a Program from RISC-V assembly text, or from an ELF file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

from warploom.isa.c.buffers import given, placed, pointers_of, shapes_of, unused, values_of, views_of
from warploom.isa.c.endings import for_riscv
from warploom.isa.c.launch_block import extents_of, launch_block, words_of
from warploom.isa.c.parameters import CKernel, chosen, kernels_of, layout
from warploom.isa.c.settings import compile_source
from warploom.isa.c.warnings import compiler_warnings
from warploom.isa.diagnostics import Diagnostic, Diagnostics, Severity
from warploom.isa.elf.file import is_elf
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.image import Image
from warploom.isa.launch import Launch
from warploom.isa.launching import BufferError, launched, started
from warploom.isa.program import Program, Source
from warploom.isa.reading import decoded, error, read_bytes
from warploom.isa.regions import RegionError
from warploom.isa.riscv import elf
from warploom.isa.riscv.assembler import assemble
from warploom.isa.riscv.launch import ARGUMENTS_BYTES, MOST_THREADS, LayoutError, with_start_up
from warploom.isa.riscv.lowering import Refused, lower


def load(source: Text, options: Options) -> Loaded:
    """A Program from a file or bytes: ELF, or source text. Raises SourceError, BufferError."""
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    data = source if isinstance(source, bytes) else read_bytes(source)
    said = ""
    if for_riscv(path):
        data, said = compile_source(path, "riscv", options.more)
    return _from_elf(data, path, options, said) if is_elf(data, path) else _from_text(decoded(data, path), path, options)


def _from_text(text: str, path: str, options: Options) -> Loaded:
    source = Source(text, path)
    diagnostics = Diagnostics(source)
    assembly = assemble(source, diagnostics)
    return _loaded(assembly.image, assembly.threads or 1, assembly.block, diagnostics, options)


def _from_elf(data: bytes, path: str, options: Options, said: str) -> Loaded:
    """said: by the compiler, of what it made the file from."""
    image, warnings = elf.read(data, path)
    diagnostics = Diagnostics(image.sources[0], [*warnings, *compiler_warnings(said, image.sources)], image.sources[1:])
    kernels = elf.startable(data, path, kernels_of(data, image.symbols), options.more.get("launch"))
    return _loaded(image, 1, 0, diagnostics, options, refuses=False, kernels=kernels)


def _loaded(
    image: Image,
    threads: int,
    block: int,
    diagnostics: Diagnostics,
    options: Options,
    refuses: bool = True,
    kernels: Sequence[CKernel] = (),
) -> Loaded:
    """refuses: an instruction that the machine does not have is an error. Else it is a warning, and stops the run where it is reached."""
    kernel = chosen(kernels, options.more.get("launch"), image.path) if kernels else None
    head = b""
    if kernel:
        grid, each = extents_of(image.path, options)
        options = replace(options, threads=prod(grid) * prod(each), block=prod(each), grid=None)
        head = launch_block(kernel, grid, each).tobytes()
    threads = threads if options.threads is None else options.threads
    if not 0 <= threads <= MOST_THREADS:
        raise BufferError(f"{image.path}: {threads} threads: a RISC-V program has 0 to {MOST_THREADS}, each with a stack of its own")
    try:
        started_image, launch = with_start_up(image, max(threads, 1), head)
    except LayoutError as found:
        raise error(image.path, str(found), "link it to a different address: -Wl,-Ttext=0x80000000") from None
    launch = launch.changed(threads=threads, block=block, name=kernel.name if kernel else "")
    program, refused, of_buffers = _with_data(started_image, launch, options, kernel)
    severity = Severity.ERROR if refuses else Severity.WARNING
    for number, reason in refused:
        text = program.text[number]
        diagnostics.items.append(Diagnostic(severity, f"{text}: {reason}", program.position(number), len(text.split()[0])))
    diagnostics.raise_if_errors()
    return Loaded(program, [*diagnostics.warnings, *of_buffers])


def _with_data(image: Image, launch: Launch, options: Options, kernel: CKernel | None) -> tuple[Program, list[Refused], list[Diagnostic]]:
    """The program with its buffers and arguments, what was refused in it, and warnings about its buffers.

    Buffers are regions of their own, so that a kernel's pointer may have any name. But `memory` is that piece of the image where no pointer
    is given it, and so is `arguments` where there are none.
    """
    pieces = {segment.name for segment in image.segments}
    pointers = pointers_of(kernel, options.arguments) if kernel else {}
    inside = {name: data for name, data in options.buffers.items() if name in pieces and name not in pointers}
    for name in inside:
        if name != "memory" and not (name == "arguments" and not kernel and not options.arguments):
            reason = "--arg says what it holds" if name == "arguments" and not kernel else "give the buffer a different name"
            raise BufferError(f"{image.path}: {name!r} is the machine's own memory of a program: {reason}")
    buffers = {name: data for name, data in options.buffers.items() if name not in inside}
    taken = [(segment.address, segment.address + segment.size) for segment in image.segments]
    contents = given(buffers, image.path, pointers)
    regions = placed(contents, taken)
    used = {region.name for region in regions}
    renamed = [one._replace(name=f"{one.name} of the machine") if one.name in used else one for one in image.segments]
    image = replace(image, segments=renamed)
    try:
        program, refused = lower(image, launch=launch, regions=regions)
        program.address_space()
    except RegionError as found:
        raise error(image.path, str(found), "") from None
    program = started(program, replace(options, buffers=inside, arguments={}))
    if regions:
        program = replace(program, **views_of(regions, shapes_of(contents)))
    known = [region.name for region in regions]
    if kernel:
        known += ["memory"] if "memory" in options.arguments.values() else []
        parameters = layout(kernel, image.path)
        values = values_of(kernel.name, image.path, parameters, known, options.arguments)
    else:
        parameters, values = words_of(options.arguments, [*known, *sorted(pieces)], ARGUMENTS_BYTES), dict(options.arguments)
    if parameters:
        program = replace(program, parameters=parameters)
        program = launched(program, program.launch.changed(arguments=values, buffers={}))
    return program, refused, unused(contents, regions, values, parameters, kernel.name if kernel else "")
