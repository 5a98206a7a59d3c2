"""Which instruction set an image is of: found by the instructions of Vortex's own that are in it.

A program for Vortex begins by starting its warps and switching on their lanes, so a `tmc` and a `wspawn` of its generation are in it.
Ordinary RISC-V code has neither: its compilers leave those opcodes free. Textures tell 2021 from 2022.

A `tmc x0` is the word 11 or 107, and as likely a number. So it says of which generation a program is only where nothing else does, and
that it is for Vortex at all only where code is told from data.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from warploom.isa.image import Image
from warploom.isa.reading import error
from warploom.isa.riscv import elf
from warploom.isa.vortex.generation import GENERATIONS, NEWEST, Generation

OPCODE, FUNCTION, OPERANDS = 0x7F, 0x7000, 0xFE000F80  # bits of a word: opcode, funct3; funct7 and rd, which both are zero
OLD, NEW, OLD_TEXTURE = 0x6B, 0x0B, 0x5B
VOTES = 0x02000000  # funct7 of votes and shuffles
RASTER, RESULT = 0x0200000B, 0xF80  # of 2024 a read of the raster unit, with its rd: no vote looks at register x0
TAKEN_FOR = (2022, 2024)  # what words are taken for that several generations have
LARGEST = 1 << 26


def generation_of_image(image: Image, bare: bool = True) -> Generation | None:
    """The generation of the instructions in an image; None where there are none of Vortex's. bare: a `tmc x0` is one."""
    words = [
        np.frombuffer(segment.data[start - segment.address : (end - segment.address) & ~3], "<u4", count=(end - start) // 4)
        for segment in image.segments
        for start, end in segment.code
        if end - start >= 4 and end - segment.address <= len(segment.data)
    ]
    return _generation(np.concatenate(words), bare) if words else None


def _generation(words: np.ndarray, bare: bool) -> Generation | None:
    """bare: where there is no better sign, a `tmc x0` is one."""
    opcode = words & OPCODE
    own = ((words & OPERANDS) == 0) & ((words & FUNCTION) <= 0x1000)
    for alone in (False, True) if bare else (False,):
        new, old = (int((own & (opcode == wanted) & ((words != wanted) | alone)).sum()) for wanted in (NEW, OLD))
        if new and new >= old:
            votes = (opcode == NEW) & (words & 0xFE000000 == VOTES) & (words & ~np.uint32(RESULT) != RASTER)
            return GENERATIONS[2026 if votes.any() else 2024]
        if old:
            texture = (opcode == OLD) & (words & FUNCTION == 0x5000) & (words & OPERANDS != 0)
            return GENERATIONS[2021 if texture.any() else 2022]
    return None


def decided(image: Image, asked: Generation | None, machine: Generation | None) -> Generation:
    """The generation by which an image is decoded: what is asked for, else that of its own words, else that of the machine.

    Words tell the two encodings apart, and within one of them only what the other generation has not: where they say 2022 or 2024, a
    machine that is of the same encoding says more. Raises SourceError where what is asked for has none of the words.
    """
    found = generation_of_image(image, bare=asked is None)
    if asked is not None:
        if found is not None and found.old != asked.old:
            said = f"its instructions are those of Vortex of {found.number}, and not of {asked.number}, which is asked for"
            raise error(image.path, said, f"leave out --isa and --set vortex.isa, or give --isa {found.name}")
        return asked
    if found is None:
        return machine or NEWEST
    return machine if machine is not None and machine.old == found.old and found.number in TAKEN_FOR else found


def is_vortex(path: str | Path, certain: bool = False) -> bool:
    """Whether a file is an ELF file with instructions of Vortex's.

    certain: only where it tells code from data, and a `tmc x0`, which might be a number, is not all that there is.
    """
    try:
        if Path(path).stat().st_size > LARGEST:
            return False
        data = Path(path).read_bytes()
        if not data.startswith(elf.MAGIC):
            return False
        image = elf.read(data, str(path), lines=False)[0]
        told = any(sum(end - start for start, end in segment.code) < len(segment.data) for segment in image.segments)
        return (told or not certain) and generation_of_image(image, bare=told and not certain) is not None
    except (OSError, ValueError):
        return False
