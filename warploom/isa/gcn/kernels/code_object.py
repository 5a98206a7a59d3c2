"""Code objects: the ELF files in which compilers leave programs for GCN, of versions 2 to 6, linked or not.

`read` gives an image, which lies wherever a caller wants it (code for GCN addresses itself from its program counter), and the file's
kernels: where each begins, what its waves find in their registers, and what its arguments are. A file that is not linked is placed and
relocated here. Metadata and debugging information are an addition: where they are damaged there is a warning, and kernels run without
names of arguments and lines.
Source: LLVM, "User Guide for AMDGPU Backend", sections "ELF Code Object", "Relocation Records".
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from warploom.isa.c.parameters import CKernel, functions_of
from warploom.isa.diagnostics import Diagnostic, Severity, nearest
from warploom.isa.elf.file import MAGIC, OBJECT, RELOCATIONS, SHARED, File, Wanted, machine_of, opened
from warploom.isa.elf.lines import read_lines
from warploom.isa.elf.objects import Relocation, object_segments, placed, relocated
from warploom.isa.elf.segments import segments
from warploom.isa.elf.symbols import DATA, FUNCTION, RESERVED, UNDEFINED, addresses, read_symbols, table_of
from warploom.isa.gcn.kernels.descriptor import (
    DESCRIPTOR_BYTES,
    OLD_BYTES,
    Descriptor,
    DescriptorError,
    read_descriptor,
    read_old_descriptor,
)
from warploom.isa.gcn.kernels.metadata import VALUE, Argument, Described, Metadata, read_metadata
from warploom.isa.image import Image, Segment
from warploom.isa.launching import BufferError
from warploom.isa.program import Position, Source
from warploom.isa.reading import error

__all__ = ["AMDGPU", "BASE", "MAGIC", "Argument", "CodeObject", "Descriptor", "Kernel", "chosen", "is_code_object", "read"]

AMDGPU = 224
HSA = 64  # the operating system that an ELF file names
BASE = 0x4000_0000  # where an image lies unless a caller wants it elsewhere
OLDEST = 2  # the version whose ABI number is 0
LARGEST_SOURCE = 1 << 20  # bytes, of C that is looked at
INSTRUCTION = 4  # bytes: instructions begin at multiples
BARRIERS, BARRIER = ".warploom.barriers", struct.Struct("<QI")  # a section, and an entry of it
WANTED = Wanted("AMD GCN", AMDGPU, 64, (OBJECT, SHARED), "compile it with --target=amdgcn-amd-amdhsa -mcpu=gfx900")
KERNEL, SUFFIX = 10, ".kd"  # of version 2 the kind of a kernel's symbol; later its descriptor's name ends so
PROCESSORS = {  # the low byte of the file's flags: those of GCN 3 and 5, whose instructions are encoded alike
    0x28: "gfx801", 0x29: "gfx802", 0x2A: "gfx803", 0x2B: "gfx810", 0x3C: "gfx805",
    0x2C: "gfx900", 0x2D: "gfx902", 0x2E: "gfx904", 0x2F: "gfx906", 0x30: "gfx908", 0x31: "gfx909", 0x32: "gfx90c",
}  # fmt: skip
NUMBER = re.compile(r"u?int\d+|float\d+")
RELATIVE64 = 13
KINDS_OF_RELOCATIONS = {  # R_AMDGPU_...
    1: Relocation(4),  # ABS32_LO
    2: Relocation(4, shift=32),  # ABS32_HI
    3: Relocation(8),  # ABS64
    4: Relocation(4, relative=True),  # REL32
    5: Relocation(8, relative=True),  # REL64
    6: Relocation(4),  # ABS32
    7: Relocation(4, relative=True, table=True),  # GOTPCREL
    8: Relocation(4, relative=True, table=True),  # GOTPCREL32_LO
    9: Relocation(4, relative=True, table=True, shift=32),  # GOTPCREL32_HI
    10: Relocation(4, relative=True),  # REL32_LO
    11: Relocation(4, relative=True, shift=32),  # REL32_HI
}


class Kernel(NamedTuple):
    """A kernel of a code object.

    address: where its descriptor lies. arguments: in the order of their offsets, hidden ones too; None where the file has no metadata about
    them. kernarg_bytes: of the segment of arguments, as the metadata say or else the descriptor. group: threads that a group must have, in
    three dimensions, or none. most_threads: of a group.
    """

    name: str
    address: int
    descriptor: Descriptor
    arguments: tuple[Argument, ...] | None
    kernarg_bytes: int
    group: tuple[int, ...] = ()
    most_threads: int = 1024

    @property
    def entry(self) -> int:
        """Address of its first instruction."""
        return self.descriptor.entry


@dataclass(frozen=True)
class CodeObject:
    """What a code object holds.

    image: its memory, with symbols, the addresses at which functions begin, sources and lines; `entry` is the first kernel's. version: 2 to
    6. target: the processor's name. kernels: by name, in the order of their addresses; at least one. warnings: what could not be read.
    barriers: places in front of a barrier, and which memory it orders: bit 0 shared, bit 1 global. Only of what `warploom cc` has made.
    """

    image: Image
    version: int
    target: str
    kernels: Mapping[str, Kernel]
    warnings: tuple[Diagnostic, ...] = ()
    barriers: Mapping[int, int] = field(default_factory=dict)


def is_code_object(path: str | Path) -> bool:
    """Whether a file is an ELF file for AMD's processors, or C with <gcn.h>."""
    try:
        with open(path, "rb") as file:
            if str(path).endswith(".c"):
                return b"<gcn.h>" in file.read(LARGEST_SOURCE)
            return machine_of(file.read(64)) == AMDGPU
    except (OSError, ValueError):
        return False


def chosen(found: CodeObject, name: str | None) -> Kernel:
    """The kernel of a name or a number, from 0 in the order of the file, or the only one. Raises BufferError."""
    names = list(found.kernels)
    if name is not None and name.isdecimal() and int(name) < len(names):
        name = names[int(name)]
    if name is not None and name in names:
        return found.kernels[name]
    if name is None and len(names) == 1:
        return found.kernels[names[0]]
    said = f"there is no kernel {name!r}{nearest(name, names)}" if name is not None else f"it has {len(names)} kernels"
    others = "".join(f", or {other}" for other in names[1:])
    raise BufferError(f"{found.image.path}: {said}; say which one: --kernel {names[0]}{others}")


def read(data: bytes, path: str, base: int = BASE) -> CodeObject:
    """The code object in a file's bytes, at a multiple of 4096 bytes. Raises SourceError."""
    file = opened(data, path, WANTED)
    version = file.abi_version + OLDEST
    if file.os_abi != HSA or version > 6:
        said = f"this ELF file is for operating system {file.os_abi}, ABI version {file.abi_version}"
        raise error(path, f"{said}; code objects of HSA are {HSA} with versions 0 to 4", WANTED.advice)
    places: dict[int, int] = {}
    if file.kind == OBJECT:
        places = placed(file, base)
        file, table = relocated(file, places, KINDS_OF_RELOCATIONS)
        loaded = object_segments(file, places) + ([table] if table else [])
    else:
        loaded = _relocated(file, segments(file, WANTED.advice, base, INSTRUCTION), base)
    warnings: list[Diagnostic] = []
    metadata = Metadata()
    try:
        metadata = read_metadata(file)
    except ValueError as failure:  # msgspec's errors are such too
        warnings.append(Diagnostic(Severity.WARNING, f"its metadata cannot be read ({failure}): arguments have no names"))
    number = file.flags & 0xFF
    of_features = version == OLDEST and number not in PROCESSORS  # flags of the oldest files say nothing of the processor
    target = metadata.target if of_features or not number else PROCESSORS.get(number, "")
    if target not in PROCESSORS.values():
        noted = f" ({metadata.target})" if metadata.target not in ("", *PROCESSORS.values()) else ""
        said = f"it is for {target or f'processor {number:#x}{noted}'}; there are {', '.join(sorted(PROCESSORS.values()))}"
        raise error(path, said, WANTED.advice)
    kernels = _kernels(file, places, loaded, metadata, base, version)
    if version == OLDEST:
        loaded = [_without(segment, kernels.values()) for segment in loaded]
    entries = {kernel.name: kernel.entry for kernel in kernels.values()}
    symbols: dict[str, int] = {}
    starts: frozenset[int] = frozenset()
    sources: tuple[Source, ...] = ()
    lines: dict[int, Position] = {}
    try:
        symbols, starts = addresses(file, places, base, (".L", "_DYNAMIC"))
        sources, lines = read_lines(file.data, Path(path).parent, INSTRUCTION, 0 if places else base)
    except Exception as failure:  # pyelftools raises what its parsers raise: nothing of it is needed to run the program
        said = f"its line tables cannot be read ({type(failure).__name__}): messages name addresses instead"
        warnings.append(Diagnostic(Severity.WARNING, said))
    functions = (starts - {kernel.address for kernel in kernels.values()}) | set(entries.values())
    first = next(iter(entries.values()))
    kernels = _typed(kernels, functions_of(file.data))
    image = Image(path, loaded, first, {**symbols, **entries}, functions, (Source("", path), *sources), lines)
    return CodeObject(image, version, target, kernels, tuple(warnings), {} if places else _barriers(file, base))


def _barriers(file: File, base: int) -> dict[int, int]:
    """What the header of OpenCL C notes of barriers (`opencl_gcn.h`): an address of 64 bits and the flags, of 32."""
    section = file.section(BARRIERS)
    data = file.contents(section) if section is not None else b""
    return {base + address: flags for address, flags in BARRIER.iter_unpack(data[: len(data) // BARRIER.size * BARRIER.size])}


def _relocated(file: File, loaded: list[Segment], base: int) -> list[Segment]:
    """A linked file's segments, with the addresses in them that depend on where it lies. Raises SourceError."""
    pieces = {number: bytearray(segment.data.ljust(segment.size, b"\0")) for number, segment in enumerate(loaded)}
    changed = set()
    symbols = read_symbols(file, table_of(file))
    for section in file.sections:
        if section.kind != RELOCATIONS or not section.flags & 2:
            continue
        for offset, info, addend in struct.iter_unpack("<QQq", file.contents(section)[: section.size // 24 * 24]):
            kind, symbol = info & 0xFFFFFFFF, info >> 32
            inside = symbol < len(symbols) and UNDEFINED < symbols[symbol].section < RESERVED
            if kind != RELATIVE64 and not (KINDS_OF_RELOCATIONS.get(kind) == Relocation(8) and inside):
                raise error(file.path, f"this code object has a relocation of kind {kind} that needs what is not in it", "link it whole")
            value = base + addend + (symbols[symbol].value if kind != RELATIVE64 else 0)
            number = _holding(loaded, base + offset, 8)
            if number is None:
                raise error(file.path, f"this ELF file is damaged: a relocation at {offset:#x} lies in no segment", "")
            place = base + offset - loaded[number].address
            pieces[number][place : place + 8] = (value % (1 << 64)).to_bytes(8, "little")
            changed.add(number)
    return [segment._replace(data=bytes(pieces[number])) if number in changed else segment for number, segment in enumerate(loaded)]


def _holding(loaded: list[Segment], address: int, size: int) -> int | None:
    """The number of the segment that holds some bytes."""
    return next((n for n, one in enumerate(loaded) if one.address <= address and address + size <= one.address + one.size), None)


def _kernels(
    file: File, places: Mapping[int, int], loaded: list[Segment], metadata: Metadata, base: int, version: int
) -> dict[str, Kernel]:
    """The kernels, by name and in the order of their addresses. Raises SourceError."""
    found: dict[str, int] = {}
    symbols = read_symbols(file, table_of(file))
    old = [symbol for symbol in symbols if symbol.kind == KERNEL]
    for symbol in (old or [one for one in symbols if one.kind == FUNCTION]) if version == OLDEST else symbols:
        named = version == OLDEST or (symbol.kind == DATA and symbol.name.endswith(SUFFIX))
        if named and UNDEFINED < symbol.section < RESERVED and (not places or symbol.section in places):
            found.setdefault(symbol.name.removesuffix(SUFFIX), symbol.value + places.get(symbol.section, base))
    if not found:
        raise error(file.path, "this code object has no kernel: it has no symbol of a kernel descriptor", "mark a function as a kernel")
    described = {one.symbol.removesuffix(SUFFIX).removesuffix("@kd"): one for one in metadata.kernels.values()}
    kernels = {}
    for name, address in sorted(found.items(), key=lambda row: row[1]):
        try:
            descriptor = _descriptor(loaded, address, version)
        except DescriptorError as failure:
            raise error(file.path, f"the descriptor of the kernel {name!r} {failure}", "") from None
        kernels[name] = _kernel(name, address, descriptor, described.get(name))
    return kernels


def _descriptor(loaded: list[Segment], address: int, version: int) -> Descriptor:
    """The descriptor at an address. Raises DescriptorError."""
    size = OLD_BYTES if version == OLDEST else DESCRIPTOR_BYTES
    number = _holding(loaded, address, size)
    if number is None:
        raise DescriptorError(f"lies at {address:#x}, where nothing is loaded")
    segment = loaded[number]
    content = segment.data[address - segment.address : address - segment.address + size].ljust(size, b"\0")
    descriptor = (read_old_descriptor if version == OLDEST else read_descriptor)(content, address)
    entry = descriptor.entry
    if entry % INSTRUCTION or not any(start <= entry < end for one in loaded for start, end in one.code):
        raise DescriptorError(f"says that it begins at {entry % (1 << 64):#x}, where no code is")
    return descriptor


def _kernel(name: str, address: int, descriptor: Descriptor, described: Described | None) -> Kernel:
    if described is None:
        return Kernel(name, address, descriptor, None, descriptor.kernarg_bytes)
    arguments = tuple(sorted(described.arguments, key=lambda one: one.offset))
    size = max(described.kernarg_bytes, descriptor.kernarg_bytes)
    inside = all(min(one.offset, one.size) >= 0 and one.offset + one.size <= size for one in arguments)
    return Kernel(name, address, descriptor, arguments if inside else None, size, described.group, described.most_threads)


def _typed(kernels: Mapping[str, Kernel], functions: Iterable[CKernel]) -> dict[str, Kernel]:
    """Kernels whose arguments have the names and types that debugging information gives them, where the metadata give none."""
    described = {one.name: one for one in functions}
    return {name: _described(kernel, described[name]) if name in described else kernel for name, kernel in kernels.items()}


def _described(kernel: Kernel, function: CKernel) -> Kernel:
    shown = [one for one in kernel.arguments or () if not one.hidden]
    names = [name for name, _ in function.parameters]
    in_order = dict(zip([one.offset for one in shown], names, strict=True)) if len(shown) == len(names) else {}
    types = {name: kind for name, kind in function.parameters if NUMBER.fullmatch(kind)}

    def typed(one: Argument) -> Argument:
        name = one.name or in_order.get(one.offset, "")
        if one.hidden or one.kind != VALUE or one.dtype or one.members:
            return one._replace(name=name)
        return one._replace(name=name, dtype=types.get(name, ""), members=function.members.get(name, ()))

    return kernel._replace(arguments=kernel.arguments and tuple(map(typed, kernel.arguments)))


def _without(segment: Segment, kernels: Iterable[Kernel]) -> Segment:
    """A segment whose code leaves out the descriptors between functions, which are not instructions."""
    spans = list(segment.code)
    for kernel in kernels:
        end = kernel.address + OLD_BYTES
        spans = [
            piece for start, last in spans for piece in ((start, min(last, kernel.address)), (max(start, end), last)) if piece[0] < piece[1]
        ]
    return segment._replace(code=tuple(spans))
