"""From an image to a Program: every instruction in it becomes a bundle of micro-ops.

Words that are not an instruction are one that stops the run, and so is an instruction that is refused: a program may hold data among its
instructions, and what is never reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType

from warploom.isa import uop as u
from warploom.isa.gcn.code import Code
from warploom.isa.gcn.disassembler import disassemble
from warploom.isa.gcn.instruction import Decoded, Refusal
from warploom.isa.gcn.kernels.launch import START, Start, start_up
from warploom.isa.gcn.modifiers import MEMORY_BASES
from warploom.isa.gcn.registers import (
    PRIVATE_BASE,
    PRIVATE_LIMIT,
    REGISTER_NAMES,
    SCALAR_NAMES,
    SCALARS,
    SHARED_BASE,
    SHARED_LIMIT,
    VECTORS,
)
from warploom.isa.gcn.table import DECODER
from warploom.isa.gcn.vector.lane_moves import moved
from warploom.isa.gcn.vector.register_index import Indexing
from warploom.isa.image import Image, sweep
from warploom.isa.program import Position, Program, Source
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import NONE, Uop

Refused = tuple[int, str]  # number of the instruction, and why
FEWEST_VECTORS = 4
ORDERS_SHARED, ORDERS_GLOBAL, ORDERS_ALL = 1, 2, 3  # OpenCL's CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE
NO_BARRIERS: Mapping[int, int] = MappingProxyType({})
APERTURE_OF = {SHARED_BASE: SHARED_BASE, SHARED_LIMIT: SHARED_BASE, PRIVATE_BASE: PRIVATE_BASE, PRIVATE_LIMIT: PRIVATE_BASE}


def decoded(image: Image) -> list[Decoded]:
    """The instructions of an image, in the order of their addresses. An instruction begins where a symbol says that one does."""
    return sweep(image, DECODER.decode, lambda one, middle: Decoded(one.address, 4, one.data[:4], None), step=4)


def lower(image: Image, start: Start, barriers: Mapping[int, int] = NO_BARRIERS) -> tuple[Program, list[Refused], list[Decoded]]:
    """A Program from an image and how its waves start, what was refused in it, and its instructions. barriers: as of a CodeObject."""
    instructions = decoded(image)
    number_of = {one.address: place for place, one in enumerate(instructions, start=1)}  # before them is what starts a wave
    end = len(instructions) + 1
    builder = ProgramBuilder()
    builder.add(start_up(start, number_of.get(image.entry, end)), text="start: EXEC, numbers of the block", address=START)
    names = {address: name for name, address in reversed(list(image.symbols.items()))}
    refused: list[Refused] = []
    apertures = {aperture for one in instructions for aperture in (*_named_apertures(one), *_loaded_bases(one, start.base_offsets))}
    indexing = Indexing()
    notes = _Notes(barriers)
    for number, one in enumerate(instructions, start=1):
        uops, latency = [Uop("illegal", imm=one.word & 0xFFFFFFFF)], NONE
        if one.written is not None:
            code = Code(one, moved, number_of, end, start.private, apertures, indexing.now, start.vega)
            indexing = indexing.after(one.written)
            try:
                code.lower()
                uops, latency = [notes.marked(uop, one.address) for uop in code.uops], code.latency
            except Refusal as reason:
                refused.append((number, str(reason)))
        position = image.lines.get(one.address, Position())
        builder.add(uops, text=disassemble(one, names), position=position, word=one.word, address=one.address, latency=latency)
    return _program(image, builder, start, number_of), refused, instructions


class _Notes:
    """What is noted of barriers: each note is of the first barrier at or after its address."""

    def __init__(self, barriers: Mapping[int, int]) -> None:
        self.left = sorted(barriers.items(), reverse=True)

    def marked(self, uop: Uop, address: int) -> Uop:
        """A micro-op of the instruction at an address; a barrier with the flags of its note."""
        if uop.name != "barrier":
            return uop
        flags = ORDERS_ALL
        while self.left and self.left[-1][0] <= address:
            flags = self.left.pop()[1]
        unordered = u.SHARED_UNORDERED * (not flags & ORDERS_SHARED) | u.GLOBAL_UNORDERED * (not flags & ORDERS_GLOBAL)
        return uop._replace(flags=uop.flags | unordered)


def _named_apertures(one: Decoded) -> list[int]:
    """The apertures whose place an instruction reads: only then can FLAT meet an address in them."""
    written = one.written
    if written is None:
        return []
    if "hwreg" in written.row.words and written.fields["simm16"] & 63 == MEMORY_BASES:
        return [SHARED_BASE, PRIVATE_BASE]
    words = [word for word in written.row.words if word[0] in "abc" and written.row.place(word, written.kind) is not None]
    return [APERTURE_OF[code] for word in words if (code := written.code(word)) in APERTURE_OF]


def _loaded_bases(one: Decoded, offsets: Mapping[int, int]) -> list[int]:
    """The apertures whose high word a scalar load brings."""
    written = one.written
    if written is None or not written.row.mnemonic.startswith("s_load_dword") or not written.fields.get("imm"):
        return []
    words = int(written.row.mnemonic.removeprefix("s_load_dword").removeprefix("x") or 1)
    places = (written.fields["offset"] + 4 * word for word in range(words))
    return [offsets[place] for place in places if place in offsets]


def _program(image: Image, builder: ProgramBuilder, start: Start, number_of: dict[int, int]) -> Program:
    uops, code, text = builder.arrays()
    lanes = [int(codes[codes < u.HIDDEN].max(initial=-1)) for codes in (uops[:, column] for column in (u.DST, u.A, u.B, u.C))]
    registers = max(start.vectors, FEWEST_VECTORS, *(most + 1 for most in lanes))
    return Program(
        isa="gcn",
        name=start.name or PurePath(image.path).stem or "program",
        uops=uops,
        code=code,
        text=text,
        registers=registers,
        register_names=REGISTER_NAMES[: min(registers, VECTORS)],
        scalars=SCALARS,
        scalar_names=SCALAR_NAMES,
        sources=image.sources or (Source("", image.path),),
        launch=start.launch,
        regions=tuple(segment.region() for segment in image.segments if segment.size),
        labels={name: number_of[address] for name, address in image.symbols.items() if address in number_of},
    )
