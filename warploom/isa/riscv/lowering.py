"""From an image to a Program: every instruction in it becomes a bundle of micro-ops.

A program may hold data among its instructions, and an instruction that the machine does not have on a path that is never taken. So a word
that is not an instruction is an instruction that stops the run, and so is one that is refused; what is refused is said as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from warploom.isa import uop as u
from warploom.isa.host.collector import no_collector
from warploom.isa.image import Image
from warploom.isa.program import Launch, Program, Source
from warploom.isa.program_builder import Bundle, ProgramBuilder
from warploom.isa.reading import error
from warploom.isa.regions import Region
from warploom.isa.riscv import csr
from warploom.isa.riscv.disassembler import disassemble
from warploom.isa.riscv.instruction import FloatNeeds, Instruction, Operands, Refusal
from warploom.isa.riscv.registers import FLOATS, RAY, REGISTER_NAMES, REGISTERS, ROUNDING_MODE
from warploom.isa.riscv.table import TABLE, Decoded, Table, base_of
from warploom.isa.uop import Uop

OF_THEIR_PLACE = ("auipc", "jalr")  # beside those with a target: instructions that mean something else at each address
Refused = tuple[int, str]  # number of the instruction, and why


def decoded(image: Image, table: Table = TABLE) -> list[Decoded]:
    """The instructions of an image, by address. Where a function begins an instruction begins, whatever comes before."""
    found: list[Decoded] = []
    for segment in sorted(image.segments, key=lambda one: one.address):
        for start, end in segment.code:
            found += table.decode_span(segment.data[start - segment.address : end - segment.address], start, image.starts)
    return found


def float_needs(instructions: Sequence[Decoded]) -> FloatNeeds:
    """What a program wants of its floats: judged by all instructions on control registers that are in it."""
    found = [csr.needs(one.row.mnemonic, one.values) for one in instructions if one.row is not None and "csr" in one.values]
    return FloatNeeds(any(one.flags for one in found), any(one.modes for one in found))


def lower(
    image: Image, isa: str = "riscv", launch: Launch | None = None, table: Table = TABLE, regions: Sequence[Region] = ()
) -> tuple[Program, list[Refused]]:
    """A Program from an image, and what was refused in it. launch: its `entry` is an address. regions: further ones. Raises SourceError."""
    with no_collector():
        return _lowered(image, isa, launch, table, regions)


def _lowered(image: Image, isa: str, launch: Launch | None, table: Table, regions: Sequence[Region]) -> tuple[Program, list[Refused]]:
    instructions = decoded(image, table)
    numbers = {one.address: number for number, one in enumerate(instructions)}

    def number_of(address: int) -> int:
        return numbers.get(address, len(instructions))

    names: dict[int, str] = {}
    for name, address in image.symbols.items():
        names.setdefault(address, name)
    floats = float_needs(instructions)._replace(of_warp=table.flags_of_warp)
    builder = ProgramBuilder()
    refused: list[Refused] = []
    met: dict[int, tuple[Bundle, str]] = {}  # words that mean the same wherever they lie: programs repeat them
    for number, one in enumerate(instructions):
        known = met.get(one.word)
        if known is None:
            uops, stays = [Uop("illegal", imm=one.word)], False
            if one.row is not None:
                row, values = base_of(one.row, one.values)
                assert row.lower is not None
                try:
                    leads_to = _leads_to(instructions[number - 1] if number else None, row, values, number_of)
                    uops = row.lower(Operands(values, one.address, one.size, number_of, floats, leads_to))
                    stays = "target" not in row.names and row.mnemonic not in OF_THEIR_PLACE
                except Refusal as reason:
                    refused.append((number, str(reason)))
            known = builder.bundle(uops), disassemble(one, names, table.csr_names)
            if stays:
                met[one.word] = known
        bundle, text = known
        builder.put(bundle, text=text, position=image.lines.get(one.address), word=one.word, address=one.address)
    if instructions and image.entry not in numbers:
        raise error(image.path, f"no instruction begins at its entry point {image.entry:#x}", "link it with an entry point: -Wl,-e,main")
    launch = launch or Launch()
    program = _program(image, isa, builder, launch.changed(entry=number_of(image.entry)), numbers, regions)
    return replace(program, control_registers=dict(table.csr_names), refused=dict(refused)), refused


def _leads_to(before: Decoded | None, row: Instruction, values: Mapping[str, int], number_of: Callable[[int], int]) -> int:
    """Where a jump through a register leads that the instruction before it has loaded: a far call, as compilers write it.

    It says so to the analysis alone. The machine goes where the register says: something else may jump between the two.
    """
    if row.mnemonic != "jalr" or before is None or before.row is None:
        return u.NONE
    base, given = base_of(before.row, before.values)
    if base.mnemonic not in ("lui", "auipc") or given["rd"] != values["rs1"] or given["rd"] == 0:
        return u.NONE
    address = given["imm"] + values["imm"] + (before.address if base.mnemonic == "auipc" else 0)
    return number_of(address & 0xFFFFFFFE)


def _program(
    image: Image, isa: str, builder: ProgramBuilder, launch: Launch, numbers: Mapping[int, int], regions: Sequence[Region]
) -> Program:
    uops, code, text = builder.arrays()
    registers = _registers(uops)
    return Program(
        isa=isa,
        name=PurePath(image.path).stem or "program",
        uops=uops,
        code=code,
        text=text,
        registers=registers,
        register_names=REGISTER_NAMES[:registers],
        scalars=_scalars(uops),
        sources=image.sources or (Source("", image.path),),
        launch=launch,
        regions=tuple(segment.region() for segment in image.segments if segment.size) + tuple(regions),
        labels={name: numbers[address] for name, address in image.symbols.items() if address in numbers},
    )


def _scalars(uops: np.ndarray) -> int:
    """How many scalar registers a warp needs: they are used in pairs, or alone."""
    most = int(uops[:, [u.DST, u.A, u.B, u.C, u.PREDICATE]].max(initial=0))
    return most - u.SCALAR + 2 & ~1 if most >= u.SCALAR else 0


def _registers(uops: np.ndarray) -> int:
    """How many lane registers a thread needs: the integers, the floats too, or all."""
    codes = uops[:, [u.DST, u.A, u.B, u.C]]
    named = codes[(codes >= 0) & (codes < u.HIDDEN)]
    most = int(named.max()) if len(named) else 0
    return next(count for count in (FLOATS, ROUNDING_MODE, REGISTERS, RAY, RAY + u.RAY_REGISTERS) if most < count)
