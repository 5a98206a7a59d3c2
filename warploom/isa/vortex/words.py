"""Machine code of Vortex for `warploom asm` and `disasm`: that of RISC-V with a generation's own instructions, 4 bytes each."""

from __future__ import annotations

from functools import cache, partial

from warploom.isa.machine_code import MachineCode
from warploom.isa.riscv import elf
from warploom.isa.riscv.words import code_of
from warploom.isa.vortex.generation import NEWEST, Generation
from warploom.isa.vortex.image_file import RAW, VXBIN, WORD, read_raw, read_vxbin
from warploom.isa.vortex.recognise import decided
from warploom.isa.vortex.table import table


@cache
def code_of_generation(number: int) -> MachineCode:
    """The machine code of one generation."""
    code = code_of(partial(table, number), 4, ".word")
    return code._replace(raw=lambda data, path: read_vxbin(data, path) if path.lower().endswith(VXBIN) else code.raw(data, path))


def code_in(data: bytes, path: str) -> MachineCode:
    """That of the generation which a file is found to be of; of the newest where nothing says it. Raises SourceError."""
    return code_of_generation(generation_in(data, path, None).number)


def generation_in(data: bytes, path: str, machine: Generation | None) -> Generation:
    """The generation by which a file of code is read; that of the machine, if one is named, where its words leave it open.

    Raises SourceError.
    """
    if data.startswith(elf.MAGIC):
        return decided(elf.read(data, path, lines=False)[0], None, machine)
    if path.lower().endswith(VXBIN):
        return decided(read_vxbin(data, path), None, machine)
    if path.lower().endswith(RAW) and len(data) >= WORD:
        return decided(read_raw(data, path), None, machine)
    return machine or NEWEST
