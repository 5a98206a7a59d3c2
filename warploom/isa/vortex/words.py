"""Machine code of Vortex for `warploom asm` and `disasm`: that of RISC-V with a generation's own instructions, 4 bytes each."""

from __future__ import annotations

from functools import cache, partial

from warploom.isa.machine_code import MachineCode
from warploom.isa.riscv import elf
from warploom.isa.riscv.words import code_of
from warploom.isa.vortex.generation import NEWEST
from warploom.isa.vortex.image_file import RAW, VXBIN, WORD, read_raw, read_vxbin
from warploom.isa.vortex.recognise import generation_of_image
from warploom.isa.vortex.table import table


@cache
def code_of_generation(number: int) -> MachineCode:
    """The machine code of one generation."""
    code = code_of(partial(table, number), 4, ".word")
    return code._replace(raw=lambda data, path: read_vxbin(data, path) if path.lower().endswith(VXBIN) else code.raw(data, path))


def code_in(data: bytes, path: str) -> MachineCode:
    """That of the generation which a file is found to be of; of the newest where nothing says it. Raises SourceError."""
    found = None
    if data.startswith(elf.MAGIC):
        found = generation_of_image(elf.read(data, path, lines=False)[0])
    elif path.lower().endswith(VXBIN):
        found = generation_of_image(read_vxbin(data, path))
    elif path.lower().endswith(RAW) and len(data) >= WORD:
        found = generation_of_image(read_raw(data, path))
    return code_of_generation((found or NEWEST).number)
