"""Which instruction set an image is of: found by the instructions of Vortex's own that are in it.

A program for Vortex begins by starting its warps and switching on their lanes, so a `tmc` and a `wspawn` of its generation are in it.
Ordinary RISC-V code has neither: its compilers leave those opcodes free. Textures tell 2021 from 2022.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from warploom.isa.image import Image
from warploom.isa.riscv import elf
from warploom.isa.vortex.generation import GENERATIONS, Generation

OPCODE, FUNCTION, OPERANDS = 0x7F, 0x7000, 0xFE000F80  # bits of a word: opcode, funct3; funct7 and rd, which both are zero
OLD, NEW, OLD_TEXTURE = 0x6B, 0x0B, 0x5B
VOTES = 0x02000000  # funct7 of votes and shuffles
LARGEST = 1 << 26


def generation_of_image(image: Image) -> Generation | None:
    """The generation of the instructions in an image; None where there are none of Vortex's."""
    words = [
        np.frombuffer(segment.data[start - segment.address : (end - segment.address) & ~3], "<u4", count=(end - start) // 4)
        for segment in image.segments
        for start, end in segment.code
        if end - start >= 4 and end - segment.address <= len(segment.data)
    ]
    return _generation(np.concatenate(words)) if words else None


def _generation(words: np.ndarray) -> Generation | None:
    opcode, plain = words & OPCODE, (words & OPERANDS) == 0
    for number, wanted in ((2024, NEW), (2022, OLD)):
        own = (opcode == wanted) & plain & ((words & FUNCTION) <= 0x1000)
        if own.any():
            if number == 2024:
                votes = (opcode == NEW) & (words & 0xFE000000 == VOTES)
                return GENERATIONS[2026 if votes.any() else 2024]
            texture = (opcode == OLD) & (words & FUNCTION == 0x5000) & (words & OPERANDS != 0)
            return GENERATIONS[2021 if texture.any() else 2022]
    return None


def is_vortex(path: str | Path) -> bool:
    """Whether a file is an ELF file with instructions of Vortex's."""
    try:
        if Path(path).stat().st_size > LARGEST:
            return False
        data = Path(path).read_bytes()
        return data.startswith(elf.MAGIC) and generation_of_image(elf.read(data, str(path), lines=False)[0]) is not None
    except (OSError, ValueError):
        return False
