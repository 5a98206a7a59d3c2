"""Machine code of RISC-V for `warploom asm` and `disasm`: an instruction is 4 bytes, or 2 of the compressed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from warploom.isa.diagnostics import Diagnostics
from warploom.isa.image import Image, Segment
from warploom.isa.machine_code import MachineCode
from warploom.isa.program import Source
from warploom.isa.reading import decoded as text_of
from warploom.isa.riscv import elf
from warploom.isa.riscv.assembler import BASE, assemble
from warploom.isa.riscv.disassembler import disassemble
from warploom.isa.riscv.lowering import decoded
from warploom.isa.riscv.table import TABLE, Decoded, Table


def code_of(table: Callable[[], Table], unit: int, directive: str) -> MachineCode:
    """The machine code of the instructions in a table, which is asked for when something is read. unit: bytes of a word."""

    def read(data: bytes, path: str) -> Image:
        if data.startswith(elf.MAGIC):
            return elf.read(data, path)[0]
        source = Source(text_of(data, path), path)
        return assemble(source, Diagnostics(source), table()).image

    def decode(image: Image) -> Sequence[Decoded]:
        return decoded(image, table())

    def text(one: Decoded, labels: Mapping[int, str]) -> str:
        return disassemble(one, labels, table().csr_names)

    return MachineCode(unit, read, raw, decode, text, target, "{}:", directive)


def raw(data: bytes, path: str) -> Image:
    """Bytes that are nothing but instructions."""
    code = ((BASE, BASE + len(data) // 2 * 2),)
    return Image(path, [Segment("program", BASE, data, -(-len(data) // 4) * 4, False, code)], BASE, sources=(Source("", path),))


def target(one: Decoded) -> int | None:
    """The address that a branch or a jump goes to."""
    if one.row is None or "target" not in one.row.operands:
        return None
    return (one.address + one.values["imm"]) & 0xFFFFFFFF


CODE = code_of(lambda: TABLE, 2, ".half")
