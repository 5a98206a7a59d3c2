"""From words to a Program: each instruction becomes one micro-op, whatever text or file the words came from.

The hardware's register file gives its two read ports the bits 7..4 and 3..0 of every word, also where the
instruction has no use for them, so each instruction names those as what it reads.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import PurePath

import numpy as np

from warploom.isa.needs import needs_shared_memory
from warploom.isa.program import Launch, Position, Program, Source
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.tiny.disassembler import disassemble_word
from warploom.isa.tiny.table import BYTE, DATA_ROWS, PROGRAM_ROWS, REGISTER_NAMES, REGISTERS, WORD_MASK, Fields, row_of
from warploom.isa.uop import WORD, Uop

LAUNCH_REGISTERS = ((13, "block"), (14, "block_capacity"), (15, "thread"))
SHARED_BYTES = 256  # of a block, where a program has instructions for shared memory: their addresses have 8 bits
VALUE_BITS = 8


def lower(
    instructions: Sequence[int],
    data: Sequence[int],
    threads: int,
    *,
    positions: Sequence[Position] = (),
    source: Source | None = None,
    labels: Mapping[str, int] | None = None,
    named: Container[int] = (),
    block: int = 0,
) -> Program:
    """A Program from words (0..65535), data bytes and a number of threads (0..255), all within bounds already.

    named: the instructions whose mnemonics the source has; the others are given as words. block: threads per block; 0: the machine decides.
    """
    names: dict[int, str] = {}
    for name, address in (labels or {}).items():
        names.setdefault(address, name)
    builder = ProgramBuilder()
    extensions: list[int] = []
    beyond: list[int] = []
    for number, word in enumerate(instructions):
        fields, row = Fields(word), row_of(word)
        uop = row.micro_op(fields) if row is not None else Uop("nop")
        position = positions[number] if positions else Position()
        builder.add([uop], text=disassemble_word(word, names), position=position, word=word, reads=(fields.rs, fields.rt))
        if row is not None and row.extension:
            (extensions if number in named else beyond).append(number)
    uops, code, text = builder.arrays()
    return Program(
        isa="tiny",
        name=PurePath(source.path).stem if source else "program",
        uops=uops,
        code=code,
        text=text,
        registers=REGISTERS,
        register_names=REGISTER_NAMES,
        sources=(source or Source(),),
        launch=Launch(
            threads=threads, block=block, registers=LAUNCH_REGISTERS, shared_bytes=SHARED_BYTES if needs_shared_memory(uops) else 0
        ),
        data=np.array(data, np.uint8),
        memory_bytes=DATA_ROWS,
        labels=dict(labels or {}),
        value_bits=VALUE_BITS,
        extensions=tuple(extensions),
        beyond=tuple(beyond),
    )


def program(words: Iterable[int], data: Iterable[int], threads: int, block: int = 0) -> Program:
    """A Program from 1 to 256 instruction words, at most 256 bytes of data, 0 to 255 threads in blocks of `block` (0: the machine decides).

    Any word is allowed: a branch may lead outside of the program, bits that an opcode has no use for may be set.
    Raises ValueError where something is out of range.
    """
    instructions, values = [int(word) for word in words], [int(value) for value in data]
    if not 1 <= len(instructions) <= PROGRAM_ROWS:
        raise ValueError(f"{len(instructions)} instruction words: program memory holds 1 to {PROGRAM_ROWS}")
    if len(values) > DATA_ROWS:
        raise ValueError(f"{len(values)} bytes of data: data memory holds at most {DATA_ROWS}")
    for what, numbers, most in (("instruction word", instructions, WORD_MASK), ("byte of data", values, BYTE)):
        for index, value in enumerate(numbers):
            if not 0 <= value <= most:
                raise ValueError(f"{what} {index} is {value}: it must be 0 to {most}")
    if not 0 <= threads <= BYTE:
        raise ValueError(f"{threads} threads: the device control register takes 0 to {BYTE}")
    return lower(instructions, values, threads, block=block)


def words(program: Program) -> list[int]:
    """The instruction words of a tiny program, 0 to 65535 each."""
    return [int(word) & WORD_MASK for word in program.code[:, WORD]]
