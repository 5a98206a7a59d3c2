"""The front end: a Program from an ELF file, an image, or assembly text, for one generation of Vortex or the one that it is found to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from warploom.isa import uop as u
from warploom.isa.c.endings import for_riscv
from warploom.isa.c.parameters import CKernel, kernels_of
from warploom.isa.c.settings import compile_source
from warploom.isa.c.warnings import compiler_warnings
from warploom.isa.diagnostics import Diagnostic, Diagnostics, Severity
from warploom.isa.elf.file import is_elf
from warploom.isa.frontend import Loaded, Options, Text
from warploom.isa.image import Image
from warploom.isa.launch import Launch
from warploom.isa.launching import POINTER, launched
from warploom.isa.program import Source
from warploom.isa.reading import decoded, error, read_bytes
from warploom.isa.regions import RegionError
from warploom.isa.riscv import elf
from warploom.isa.riscv.assembler import assemble
from warploom.isa.riscv.lowering import lower
from warploom.isa.vortex import graphics, texture
from warploom.isa.vortex.arguments import DCR, launched_with
from warploom.isa.vortex.counters import counter_class
from warploom.isa.vortex.generation import BY_NAME, GENERATIONS, NEWEST, Generation
from warploom.isa.vortex.guards import copied_guards
from warploom.isa.vortex.image_file import RAW, VXBIN, read_raw, read_vxbin
from warploom.isa.vortex.memory_map import EXIT_CODE, GP, LOCAL_BYTES, MOST_CORES, PAGES, own_regions
from warploom.isa.vortex.recognise import decided, generation_of_image
from warploom.isa.vortex.table import table

STOPS = {  # functions of the runtime that stop a program, and what is wrong then
    "warploom_no_local_memory": f"the groups that a core runs at the same time need more local memory than its {LOCAL_BYTES} bytes; "
    "ask for less, or run larger groups",
}
GENERATION = "generation"  # in `more` of Options: the number of the one that is asked for by name
SPAWNER = "warploom_run_body"  # of the runtime: it has room for so many cores, and a mask of lanes is a register to it
MASK_BITS = 32


def load(source: Text, options: Options) -> Loaded:
    """A Program for the generation whose instructions are found in it, or for 2024. Raises SourceError, BufferError."""
    return _load(source, options, None)


def loader_of(number: int) -> Callable[[Text, Options], Loaded]:
    """`load` for one generation."""
    return lambda source, options: _load(source, options, GENERATIONS[number])


def _load(source: Text, options: Options, generation: Generation | None) -> Loaded:
    path = options.path or (str(source) if isinstance(source, Path) else "<bytes>")
    data = source if isinstance(source, bytes) else read_bytes(source)
    generation = generation or GENERATIONS.get(options.more.get(GENERATION) or 0)
    said = ""
    suffix = Path(path).suffix.lower()
    if for_riscv(path):
        meant = generation or of_machine(options)
        old = meant is not None and meant.old
        data, said = compile_source(path, "vortex-2022" if old else "vortex-2024", options.more)
    if is_elf(data, path):
        image, warnings = elf.read(data, path)
        diagnostics = Diagnostics(image.sources[0], [*warnings, *compiler_warnings(said, image.sources)], image.sources[1:])
        kernels = elf.startable(data, path, kernels_of(data, image.symbols), options.more.get("launch"))
        return _loaded(_writable(image), generation, diagnostics, options, refuses=False, kernels=kernels)
    if suffix in (VXBIN, RAW):
        image = read_vxbin(data, path) if suffix == VXBIN else read_raw(data, path)
        return _loaded(image, generation, Diagnostics(image.sources[0]), options, refuses=None)
    text = Source(decoded(data, path), path)
    diagnostics = Diagnostics(text)
    generation = generation or of_machine(options) or NEWEST
    assembly = assemble(text, diagnostics, table(generation.number))
    return _loaded(_writable(assembly.image), generation, diagnostics, options, refuses=True)


def of_machine(options: Options) -> Generation | None:
    """The generation of the machine that a program is for (its setting `vortex.isa`); None where none is named, or none of Vortex's."""
    machine = options.machine
    if machine is None or isinstance(machine, str):
        return BY_NAME.get(machine or "")
    return GENERATIONS.get(machine["vortex.isa"])


def guard_warnings(data: bytes, path: str) -> tuple[list[Diagnostic], tuple[Source, ...]]:
    """What a compiler did to the guards of an ELF file's program, and the texts that it is about. Raises SourceError."""
    image, _ = elf.read(data, path)
    generation = generation_of_image(image) or NEWEST
    program, _ = lower(image, generation.name, None, table(generation.number))
    return copied_guards(program), program.sources


def _writable(image: Image) -> Image:
    """The originals do not tell code from data: a program may write anywhere in its image. What it stores over instructions is not seen."""
    return replace(image, segments=[segment._replace(writable=True) for segment in image.segments])


def _loaded(
    image: Image,
    generation: Generation | None,
    diagnostics: Diagnostics,
    options: Options,
    *,
    refuses: bool | None,
    kernels: Sequence[CKernel] = (),
) -> Loaded:
    """refuses: an instruction that the machine does not have is an error. Else it is a warning, and stops the run where it is reached.

    None: nothing tells its code from its data, so there is no warning of words that may be data.
    """
    machine = of_machine(options)
    generation = decided(image, generation, machine)
    if machine is not None and generation is not machine:
        said = f"it runs as Vortex of {generation.number}, and takes the time of a machine of {machine.number} (vortex.isa)"
        diagnostics.items.append(Diagnostic(Severity.WARNING, said, fix=f"its own machine is {_own_machine(generation)}"))
    placed = launched_with(image, generation, options, kernels)
    launch = Launch(argument=placed.argument, whole_device=True, name=placed.kernel, group_threads=placed.block_threads)
    if placed.kernel or SPAWNER in image.symbols:
        launch = launch.changed(most_cores=MOST_CORES, most_lanes=MASK_BITS)
    try:
        regions = (*own_regions(generation, placed.argument, placed.regions), *placed.regions)
        shown = counter_class(options.buffers.get(DCR, ()))
        program, refused = lower(image, generation.name, launch, table(generation.number, shown), regions)
        if DCR in options.buffers or _samples(program.uops):
            window = texture.region(generation, options.buffers.get(DCR, ()))
            program = replace(program, regions=(*program.regions, window), graphics=graphics.registers(options.buffers.get(DCR, ())))
        program.address_space()
    except RegionError as found:
        raise error(image.path, str(found), "") from None
    exit_code = ("register", GP) if generation.old else ("memory", EXIT_CODE)
    spare = 0 if placed.kernel else PAGES
    stops = {program.labels[name]: why for name, why in STOPS.items() if name in program.labels}
    program = replace(program, parameters=placed.parameters, exit_code=exit_code, spare_pages=spare, stops=stops, **placed.views())
    severity = Severity.ERROR if refuses else Severity.WARNING
    for number, reason in refused if refuses is not None else ():
        text = program.text[number]
        diagnostics.items.append(Diagnostic(severity, f"{text}: {reason}", program.position(number), len(text.split()[0])))
    diagnostics.raise_if_errors()
    diagnostics.items += [*copied_guards(program), *placed.warnings]
    if placed.kernel and any(one.dtype == POINTER for one in placed.parameters) and options.threads is None and options.grid is None:
        said = f"the kernel {placed.kernel!r} runs in one thread, since nothing says in how many"
        diagnostics.items.append(Diagnostic(Severity.WARNING, said, fix="add --threads N"))
    program = launched(program, program.launch.changed(arguments=placed.values)) if placed.parameters else program
    return Loaded(program, diagnostics.warnings)


def _own_machine(generation: Generation) -> str:
    """The options that ask for the machine of a generation. Two generations share a preset, which is of one of them."""
    preset = f"--gpu {generation.gpu}"
    return preset if generation.name == generation.gpu else f"{preset} --set vortex.isa={generation.number}"


def _samples(uops: np.ndarray) -> bool:
    """Whether a program has to do with the texture units: it samples, or touches their registers."""
    at = uops[:, u.IMM].astype(np.int64) & 0xFFFFFFFF
    touches = (uops[:, u.UNIT] == u.MEMORY) & (at >= texture.WINDOW) & (at < texture.WINDOW + texture.WINDOW_BYTES)
    return bool((touches | (uops[:, u.UNIT] == u.TEXTURE)).any())
