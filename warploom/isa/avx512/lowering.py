"""From an image to a Program: every instruction in it becomes a bundle of micro-ops, or two.

Bytes that are not an instruction are one that stops the run, and so is an instruction that is refused: a program may hold data among its
instructions, and what is never reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from warploom.isa.avx512.code import Code
from warploom.isa.avx512.decoder import Decoded
from warploom.isa.avx512.disassembler import disassemble
from warploom.isa.avx512.instruction import Refusal
from warploom.isa.avx512.kernels import Place
from warploom.isa.avx512.launch import start_up
from warploom.isa.avx512.liveness import live_flags
from warploom.isa.avx512.registers import REGISTER_NAMES, REGISTERS, SCALAR_NAMES, SCALARS
from warploom.isa.avx512.table import DECODER
from warploom.isa.image import Image, sweep
from warploom.isa.program import Launch, Position, Program, Source
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import Uop

Refused = tuple[int, str]  # number of the instruction, and why


def decoded(image: Image) -> list[Decoded]:
    """The instructions of an image, by address. Where a function begins an instruction begins, whatever comes before."""
    return sweep(image, DECODER.decode, lambda one, middle: Decoded(one.address, 1, one.data[:1], None, one.written), step=1)


def lower(image: Image, launch: Launch, parameters: Sequence[Place] | None = None) -> tuple[Program, list[Refused]]:
    """A Program from an image with its start-up, and what was refused in it. parameters: those of a kernel in C."""
    instructions = decoded(image)
    places = {one.address: number for number, one in enumerate(instructions)}
    live = live_flags(instructions, places)
    first = len(start_up(0, parameters))
    lowered: list[list[list[Uop]]] = []
    refusals: list[tuple[int, str]] = []
    numbers = _numbers(instructions, live, first)
    end = numbers.pop(-1)
    for place, one in enumerate(instructions):
        bundles = [[Uop("illegal", imm=int.from_bytes(one.data[:4], "little"))]]
        if one.row is not None:
            code = Code(one, live[place], numbers, end)
            try:
                one.row.lower(code)
                bundles = code.halves
            except Refusal as reason:
                refusals.append((place, str(reason)))
        lowered.append(bundles)
    builder = ProgramBuilder()
    entry = numbers.get(image.entry, end)
    for uops, text, address in start_up(entry, parameters):
        builder.add(uops, text=text, address=address)
    names = {address: name for name, address in reversed(list(image.symbols.items()))}
    for one, bundles in zip(instructions, lowered, strict=True):
        position = image.lines.get(one.address, Position())
        word = int.from_bytes(one.data[:8], "little")
        for uops in bundles:
            builder.add(uops, text=disassemble(one, names), position=position, word=word, address=one.address)
    return _program(image, builder, launch, numbers), [(numbers[instructions[place].address], said) for place, said in refusals]


def _numbers(instructions: list[Decoded], live: list[str], first: int) -> dict[int, int]:
    """The number of the first bundle of each instruction, by address; under -1 the number after the last one."""
    numbers: dict[int, int] = {}
    number = first
    for one, flags in zip(instructions, live, strict=True):
        numbers[one.address] = number
        halves = 1
        if one.row is not None:
            code = Code(one, flags)
            try:
                one.row.lower(code)
                halves = len(code.halves)
            except Refusal:
                pass
        number += halves
    numbers[-1] = number
    return numbers


def _program(image: Image, builder: ProgramBuilder, launch: Launch, numbers: dict[int, int]) -> Program:
    uops, code, text = builder.arrays()
    return Program(
        isa="avx512",
        name=PurePath(image.path).stem or "program",
        uops=uops,
        code=code,
        text=text,
        registers=REGISTERS,
        register_names=REGISTER_NAMES,
        scalars=SCALARS,
        scalar_names=SCALAR_NAMES,
        sources=image.sources or (Source("", image.path),),
        launch=launch,
        regions=tuple(segment.region() for segment in image.segments if segment.size),
        labels={name: numbers[address] for name, address in image.symbols.items() if address in numbers},
    )
