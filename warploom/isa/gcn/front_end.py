"""The front end: a Program from a code object, or from GCN's assembly text. One kernel of it is started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from warploom.isa.c.settings import compile_source
from warploom.isa.c.warnings import compiler_warnings
from warploom.isa.diagnostics import Diagnostic, Diagnostics, Severity
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.gcn.kernels import code_object
from warploom.isa.gcn.kernels.arguments import SEGMENT, Buffer, dynamic_shared, placed
from warploom.isa.gcn.kernels.code_object import CodeObject, Kernel
from warploom.isa.gcn.kernels.launch import ARGUMENTS, MOST_BLOCK, PACKET, TABLES_BYTES, base_offsets_of, packet, start_of
from warploom.isa.gcn.lowering import lower
from warploom.isa.gcn.registers import LANES
from warploom.isa.gcn.text.assembler import assemble
from warploom.isa.gcn.waits import waits
from warploom.isa.image import Image, Segment
from warploom.isa.launch import Launch
from warploom.isa.launching import BufferError
from warploom.isa.program import Source
from warploom.isa.reading import decoded, error, read_bytes


def load(source: Text, options: Options) -> Loaded:
    """A Program from a file or bytes: a code object, or source text. Raises SourceError, BufferError."""
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    data = source if isinstance(source, bytes) else read_bytes(source)
    said = ""
    if path.lower().endswith((".c", ".cl")):
        data, said = compile_source(path, "gcn", options.more)
    if data.startswith(code_object.MAGIC):
        found = code_object.read(data, path)
        sources = found.image.sources
        diagnostics = Diagnostics(sources[0], [*found.warnings, *compiler_warnings(said, sources)], sources[1:])
        return _loaded(found, diagnostics, options, refuses=False)
    text = Source(decoded(data, path), path)
    diagnostics = Diagnostics(text)
    assembly = assemble(text, diagnostics)
    name = code_object.chosen(assembly.found, _asked(options)).name
    values, usual_sizes = assembly.usual[name]
    arguments = {**values, **options.arguments}
    sizes = {key: size for key, size in usual_sizes.items() if key not in arguments}
    given = {text.partition("@")[0] for text in options.buffers}
    arguments = {key: value for key, value in arguments.items() if key not in given or key in options.arguments}
    if SEGMENT in given:
        sizes, arguments = {}, dict(options.arguments)
    buffers = {key: np.zeros(-(-size // 4) * 4, np.uint8) for key, size in sizes.items() if key not in given}
    options = replace(options, arguments=arguments, buffers={**buffers, **options.buffers})
    return _loaded(assembly.found, diagnostics, options, assembly.launch)


def _asked(options: Options) -> str | None:
    """The kernel that is asked for: --kernel, or --launch as for kernels in C."""
    return options.more.get("kernel") or options.more.get("launch") or None


def _loaded(found: CodeObject, diagnostics: Diagnostics, options: Options, usual: Launch | None = None, refuses: bool = True) -> Loaded:
    """usual: how the text says that it is started. refuses: an instruction that the machine does not have is an error. Else it is a
    warning, and stops the run where it is reached."""
    path = found.image.path
    kernel = code_object.chosen(found, _asked(options))
    launch = _launch(path, kernel, options, usual)
    local, shared = dynamic_shared(path, kernel.arguments, options.arguments, kernel.descriptor.group_bytes)
    offsets = base_offsets_of(kernel.descriptor, kernel.arguments)
    vega = found.target.startswith("gfx9")
    start = replace(start_of(kernel.name, kernel.descriptor, launch, shared), base_offsets=offsets, vega=vega)
    given = placed(path, kernel.name, kernel.arguments, kernel.kernarg_bytes, launch, options, local)
    image = _with_memory(found.image, kernel, launch, given.segment, given.buffers)
    program, refused, instructions = lower(image, start, found.barriers)
    severity = Severity.ERROR if refuses else Severity.WARNING
    for number, reason in refused:
        text = program.text[number]
        diagnostics.items.append(Diagnostic(severity, f"{text}: {reason}", program.position(number), len(text.split()[0])))
    program, missing = waits(program, instructions)
    diagnostics.items += missing
    diagnostics.raise_if_errors()
    launch = replace(program.launch, argument=ARGUMENTS, arguments=given.values, name=kernel.name)
    program = replace(program, parameters=given.parameters, launch=launch, **given.views())
    return Loaded(program, [*diagnostics.warnings, *given.warnings(kernel.name)])


def _launch(path: str, kernel: Kernel, options: Options, usual: Launch | None) -> Launch:
    """The grid that is asked for, or the text's own, or one block of a wave. Raises BufferError."""
    block = options.block or kernel.group or (usual.block if usual and usual.block else LANES)
    try:
        if options.grid is not None:
            launch = Launch(block=block, grid=options.grid)
        elif options.threads is not None:
            launch = Launch(threads=options.threads, block=Launch(block=block, grid=1).block_threads)
        elif usual is not None and options.block is None:
            launch = usual
        else:
            launch = Launch(block=block, grid=1)
    except ValueError as found:
        raise BufferError(f"{path}: {found}") from None
    most = min(kernel.most_threads, MOST_BLOCK) or MOST_BLOCK
    if not 0 < launch.block_threads <= most:
        raise BufferError(f"{path}: a block of {launch.block_threads} threads: the kernel {kernel.name!r} takes 1 to {most}")
    if kernel.group and tuple(kernel.group) != launch.block_dims:
        wanted = "x".join(map(str, kernel.group))
        raise BufferError(f"{path}: the kernel {kernel.name!r} is compiled for blocks of {wanted} threads: leave --block out")
    return launch


def _with_memory(image: Image, kernel: Kernel, launch: Launch, segment: bytes, buffers: tuple[Buffer, ...]) -> Image:
    """The image with what the dispatcher lays into memory, and the buffers. Raises SourceError where they meet."""
    own = [
        Segment("dispatch", PACKET, packet(launch, kernel.descriptor), TABLES_BYTES, False),
        Segment("arguments", ARGUMENTS, segment, -(-len(segment) // 4) * 4, False),
    ]
    given = [Segment(buffer.name, buffer.base, buffer.data.tobytes(), buffer.bytes) for buffer in buffers]
    every = [*image.segments, *own, *given]
    for place, one in enumerate(every):
        for other in every[:place]:
            if one.address < other.address + other.size and other.address < one.address + one.size:
                said = f"{one.name!r} and {other.name!r} both lie at {max(one.address, other.address):#x}"
                raise error(image.path, said, "place the buffer elsewhere, or leave its address out")
    return replace(image, segments=every, entry=kernel.entry)
