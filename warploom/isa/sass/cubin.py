"""A cubin: the ELF file in which NVIDIA's compilers leave machine code, and the kernels in it.

A kernel is a section `.text.NAME` of 128-bit instructions whose addresses begin at 0, with a constant bank of its own for the launch and
the parameters (`.nv.constant0.NAME`), attributes (`attributes.py`) and, with `-lineinfo`, lines of source. Bank 2 holds constants of the
compiler, bank 3 `__constant__` variables, bank 4 addresses of variables and functions, which the loader fills in.

Source: NVIDIA, "CUDA Binary Utilities", for the names of sections; layouts as compilers of CUDA 12 and 13 write them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from warploom.isa.diagnostics import Diagnostic
from warploom.isa.elf.file import EXECUTABLE, MAGIC, NO_BITS, SYMBOLS, File, Section, Wanted, name_at, opened
from warploom.isa.program import Position, Source
from warploom.isa.reading import error
from warploom.isa.sass import attributes
from warploom.isa.sass.attributes import KernelAttributes, Malformed
from warploom.isa.sass.lines.sources import PTX_LINES, SOURCE_LINES, Ptx, ptx_of, sources_of

CUDA = 190  # the machine
ADVICE = "compile it with `nvcc -cubin -arch=sm_80`"
WANTED = Wanted("NVIDIA's CUDA", CUDA, 64, (EXECUTABLE,), ADVICE)
WORD = 16  # bytes of an instruction
ARCHITECTURES = (70, 72, 75, 80, 86, 87, 89, 90)  # whose instructions are encoded alike
MOST_CODE = 1 << 22  # bytes of a kernel
MOST_MEMORY = 1 << 30  # bytes of variables, shared memory or a stack that a file may ask for
TEXT, CONSTANT, SHARED, INFO = ".text.", ".nv.constant", ".nv.shared.", ".nv.info"
GLOBAL, GLOBAL_DATA = ".nv.global", ".nv.global.init"
RESERVED_FROM, RESERVED_BYTES = 90, 1024  # from this architecture on, the system has the first bytes of a block's shared memory
_SYMBOL = struct.Struct("<IBBHQQ")
_ENTRY = 0x10  # in st_other: a symbol is a kernel, not a function that kernels call
_FUNCTION = 2
ABSOLUTE32, ABSOLUTE64 = 1, 2  # kinds of relocations of data
Told = TypeVar("Told")
NO_ATTRIBUTES = KernelAttributes()
_SAFE = re.compile(r"[^\x20-\x7e]")


class Symbol(NamedTuple):
    """A name. section: the number of the section that it lies in, 0 for one that is elsewhere. value: from the section's beginning on."""

    name: str
    section: int
    value: int
    size: int
    function: bool
    entry: bool


class Relocation(NamedTuple):
    """An address that the loader writes. place: where, from the beginning of the section on. kind: what of it. addend: added to it."""

    place: int
    kind: int
    symbol: Symbol
    addend: int


@dataclass(frozen=True)
class Kernel:
    """A kernel, or a function that has a section of its own.

    code: its instructions. registers: of a thread, as its launch takes them. shared_bytes: of a block, those included that the system has.
    stack_bytes: of a thread. constants: what bank 0 holds before a launch. labels: names of functions inside, by address. relocations: of
    its code. lines: positions in the sources, by address.
    """

    name: str
    section: int
    code: bytes
    registers: int
    shared_bytes: int = 0
    stack_bytes: int = 0
    attributes: KernelAttributes = NO_ATTRIBUTES
    constants: bytes = b""
    own_constants: Mapping[int, bytes] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)
    relocations: tuple[Relocation, ...] = ()
    lines: Mapping[int, Position] = field(default_factory=dict)


@dataclass(frozen=True)
class Cubin:
    """What a cubin holds.

    architecture: 80 for sm_80. kernels, functions: by name, in the order of the file; there is at least one kernel. banks: constant banks
    of the whole file. variables: the bytes of global memory, by number of the section. sources: the texts that lines are in; the first is
    the file itself. symbols: in the order of the file. relocations: by number of the section that they change.
    ptx: what the code was made of.
    """

    path: str
    architecture: int
    kernels: Mapping[str, Kernel]
    functions: Mapping[str, Kernel]
    banks: Mapping[int, bytes]
    variables: Mapping[int, bytes]
    symbols: Sequence[Symbol]
    relocations: Mapping[int, tuple[Relocation, ...]]
    sources: tuple[Source, ...]
    bank_sections: Mapping[int, int] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()
    ptx: Ptx = field(default_factory=Ptx)


def is_cubin(data: bytes) -> bool:
    """Whether bytes are an ELF file for NVIDIA's machines."""
    return data.startswith(MAGIC) and data[18:20] == CUDA.to_bytes(2, "little")


def read(data: bytes, path: str) -> Cubin:
    """The cubin in a file's bytes. Raises SourceError."""
    file = opened(data, path, WANTED)
    architecture = file.flags >> 8 & 0xFF if file.abi_version >= 8 else file.flags & 0xFF  # since CUDA 13 it stands elsewhere
    if architecture not in ARCHITECTURES:
        there = ", ".join(f"sm_{number}" for number in ARCHITECTURES)
        raise error(path, f"this cubin is for sm_{architecture}; there are {there}", ADVICE)
    if not file.sections:
        raise error(path, "this cubin is damaged: its section headers do not lie in it", "")
    symbols = _symbols(file)
    relocations = _relocations(file, symbols)
    sources, lines, warnings = sources_of(file, _relocated(relocations, file, SOURCE_LINES))
    ptx = ptx_of(file, _relocated(relocations, file, PTX_LINES))
    banks, bank_sections = _banks(file)
    kernels, functions = _kernels(file, architecture, symbols, relocations, lines)
    if not kernels:
        raise error(path, "this cubin has no kernel: it has no section .text.NAME with constants of its own", "declare one __global__")
    variables = {number: _bytes(file, section) for number, section in enumerate(file.sections) if section.name in (GLOBAL, GLOBAL_DATA)}
    return Cubin(
        path, architecture, kernels, functions, banks, variables, symbols, relocations, sources, bank_sections, warnings, ptx,
    )  # fmt: skip


def _bytes(file: File, section: Section) -> bytes:
    """A section's bytes; zeros of one that has none. Raises SourceError."""
    if section.kind == NO_BITS:
        _check_size(file, section)
        return bytes(section.size)
    return file.contents(section)


def _check_size(file: File, section: Section) -> None:
    if section.size > MOST_MEMORY:
        said = f"this cubin is damaged: its section {_SAFE.sub('?', section.name[:80])!r} has {section.size} bytes"
        raise error(file.path, said, "")


def _symbols(file: File) -> list[Symbol]:
    """The symbols of a file, in order: relocations and attributes name them by number. Raises SourceError."""
    table = next((section for section in file.sections if section.kind == SYMBOLS), None)
    if table is None or table.link >= len(file.sections):
        raise error(file.path, "this cubin has no table of symbols", "")
    data, names = file.contents(table), file.contents(file.sections[table.link])
    found = []
    for name, info, other, section, value, size in _SYMBOL.iter_unpack(data[: len(data) // _SYMBOL.size * _SYMBOL.size]):
        inside = section if section < len(file.sections) else 0
        found.append(Symbol(name_at(names, name), inside, value, size, info & 15 == _FUNCTION, bool(other & _ENTRY)))
    return found


def _relocations(file: File, symbols: Sequence[Symbol]) -> dict[int, tuple[Relocation, ...]]:
    """The relocations of each section, by its number. Raises SourceError."""
    found: dict[int, list[Relocation]] = {}
    for section in file.sections:
        layout = {".rel": struct.Struct("<QQ"), ".rela": struct.Struct("<QQq")}.get("." + section.name[1:].partition(".")[0])
        if layout is None or not section.name.startswith((".rel.", ".rela.")) or section.info >= len(file.sections):
            continue
        data = file.contents(section)
        for place, info, *addend in layout.iter_unpack(data[: len(data) // layout.size * layout.size]):
            if info >> 32 >= len(symbols):
                said = f"this cubin is damaged: a relocation in {_SAFE.sub('?', section.name[:80])!r} is to symbol {info >> 32}"
                raise error(file.path, f"{said}, of {len(symbols)}", "")
            symbol = symbols[info >> 32]
            found.setdefault(section.info, []).append(Relocation(place, info & 0xFFFFFFFF, symbol, addend[0] if addend else 0))
    return {number: tuple(rows) for number, rows in found.items()}


def _banks(file: File) -> tuple[dict[int, bytes], dict[int, int]]:
    """(constant banks of the whole file, the numbers of their sections). Raises SourceError."""
    banks, numbers = {}, {}
    for number, section in enumerate(file.sections):
        name = section.name.removeprefix(CONSTANT)
        if section.name.startswith(CONSTANT) and name.isdecimal() and len(name) < 3:
            banks[int(name)] = _bytes(file, section)
            numbers[int(name)] = number
    return banks, numbers


def _kernels(
    file: File,
    architecture: int,
    symbols: Sequence[Symbol],
    relocations: Mapping[int, tuple[Relocation, ...]],
    lines: Mapping[int, Mapping[int, Position]],
) -> tuple[dict[str, Kernel], dict[str, Kernel]]:
    """(kernels, functions with a section of their own), by name. Raises SourceError."""
    sections = {section.name: section for section in reversed(file.sections)}
    numbers = _attributed(file, INFO, sections, attributes.by_symbol) or {}
    kernels, functions = {}, {}
    for number, section in enumerate(file.sections):
        if not section.name.startswith(TEXT):
            continue
        name = section.name.removeprefix(TEXT)
        if section.size % WORD or section.size > MOST_CODE:
            said = f"this cubin is damaged: the code of {_shown(name)} has {section.size} bytes, not a multiple of {WORD} up to {MOST_CODE}"
            raise error(file.path, said, "")
        of = [place for place, symbol in enumerate(symbols) if symbol.section == number and symbol.function and symbol.name == name]
        known = {what: next((table[place] for place in of if place in table), 0) for what, table in numbers.items()}
        shared = sections.get(SHARED + name)
        stack = max((known.get(what, 0) for what in (attributes.FRAME_SIZE, attributes.LEAST_STACK, attributes.MOST_STACK)), default=0)
        if shared is not None:
            _check_size(file, shared)
        if stack > MOST_MEMORY:
            raise error(file.path, f"this cubin is damaged: {_shown(name)} wants a stack of {stack} bytes a thread", "")
        constants = sections.get(f"{CONSTANT}0.{name}")
        own = {bank: _bytes(file, sections[f"{CONSTANT}{bank}.{name}"]) for bank in range(1, 8) if f"{CONSTANT}{bank}.{name}" in sections}
        kernel = Kernel(
            name=name,
            section=number,
            code=_bytes(file, section),
            registers=known.get(attributes.REGISTER_COUNT, 0) or section.info >> 24,
            shared_bytes=shared.size if shared is not None else 0,
            stack_bytes=-(-stack // 16) * 16,
            attributes=_attributed(file, f"{INFO}.{name}", sections, attributes.of_kernel) or NO_ATTRIBUTES,
            constants=_bytes(file, constants) if constants is not None else b"",
            own_constants=own,
            labels={one.value: one.name for one in symbols if one.section == number and one.function and one.name},
            relocations=relocations.get(number, ()),
            lines=lines.get(number, {}),
        )
        if constants is not None and any(symbols[place].entry for place in of):
            _check_parameters(file, kernel)
            kernels[name] = kernel
        else:
            functions[name] = kernel
    return kernels, functions


def _check_parameters(file: File, kernel: Kernel) -> None:
    """Raises SourceError where the parameters do not lie in the bank that the file has for them."""
    told = kernel.attributes
    end = max([told.base + told.size, *(told.base + one.offset + one.size for one in told.parameters)])
    if end > len(kernel.constants):
        said = f"this cubin is damaged: the parameters of {_shown(kernel.name)} end at byte {end} of a bank of {len(kernel.constants)}"
        raise error(file.path, said, "")


def _attributed(file: File, name: str, sections: Mapping[str, Section], reader: Callable[[bytes], Told]) -> Told | None:
    """What a section of attributes says; None where there is none. Raises SourceError."""
    if name not in sections:
        return None
    try:
        return reader(_bytes(file, sections[name]))
    except Malformed as failure:
        raise error(file.path, f"this cubin is damaged: its section {_shown(name)} {failure}", "") from None


def _shown(name: str) -> str:
    """A name from a file, in a message."""
    return repr(_SAFE.sub("?", name if len(name) <= 80 else name[:77] + "..."))


def _relocated(relocations: Mapping[int, Sequence[Relocation]], file: File, name: str) -> dict[int, int]:
    """By the place of a relocation in a section: the section that it is to."""
    rows = [one for number, found in relocations.items() if file.sections[number].name == name for one in found]
    return {one.place: one.symbol.section for one in rows}
