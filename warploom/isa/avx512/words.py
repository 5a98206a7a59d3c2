"""Machine code of x86 for `warploom asm` and `disasm`: an instruction is 1 to 15 bytes."""

from __future__ import annotations

from warploom.isa.avx512 import elf
from warploom.isa.avx512.decoder import Decoded
from warploom.isa.avx512.disassembler import disassemble
from warploom.isa.avx512.front_end import raw
from warploom.isa.avx512.lowering import decoded
from warploom.isa.avx512.operands import Immediate
from warploom.isa.avx512.text.assembler import assemble
from warploom.isa.diagnostics import Diagnostics
from warploom.isa.image import Image
from warploom.isa.machine_code import MachineCode
from warploom.isa.program import Source
from warploom.isa.reading import decoded as text_of


def read(data: bytes, path: str) -> Image:
    """The image of an ELF file or of source text. Raises SourceError."""
    if data.startswith(elf.MAGIC):
        return elf.read(data, path)[0]
    source = Source(text_of(data, path), path)
    return assemble(source, Diagnostics(source)).image


def target(one: Decoded) -> int | None:
    """The address that a jump or call goes to."""
    if one.row is None:
        return None
    for word, operand in zip(one.row.places, one.written.operands, strict=True):
        if word.startswith("rel") and isinstance(operand, Immediate):
            return operand.value
    return None


CODE = MachineCode(1, read, raw, decoded, disassemble, target, "{}:", ".byte")
