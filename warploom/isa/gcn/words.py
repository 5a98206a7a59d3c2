"""Machine code of GCN for `warploom asm` and `disasm`: an instruction is one word of 32 bits, or two."""

from __future__ import annotations

from warploom.isa.diagnostics import Diagnostics
from warploom.isa.gcn.disassembler import disassemble
from warploom.isa.gcn.instruction import Decoded
from warploom.isa.gcn.kernels import code_object
from warploom.isa.gcn.lowering import decoded
from warploom.isa.gcn.text.assembler import CODE_BASE, assemble
from warploom.isa.image import Image, Segment
from warploom.isa.machine_code import MachineCode
from warploom.isa.program import Source
from warploom.isa.reading import decoded as text_of
from warploom.isa.reading import error


def read(data: bytes, path: str) -> Image:
    """The image of a code object or of source text. Raises SourceError."""
    if data.startswith(code_object.MAGIC):
        return code_object.read(data, path).image
    source = Source(text_of(data, path), path)
    return assemble(source, Diagnostics(source)).found.image


def raw(data: bytes, path: str) -> Image:
    """Words from the first byte on, at the address at which text would lie. Raises SourceError."""
    if not data or len(data) % 4:
        raise error(path, f"there are {len(data)} bytes, and instructions of GCN are words of four", "")
    code = ((CODE_BASE, CODE_BASE + len(data)),)
    return Image(path, [Segment("code", CODE_BASE, data, len(data), False, code)], CODE_BASE, sources=(Source("", path),))


def target(one: Decoded) -> int | None:
    """The address that a branch goes to."""
    if one.written is None or "target" not in one.written.row.words:
        return None
    distance = one.written.fields["simm16"]
    return one.address + 4 + 4 * (distance - (distance >> 15 << 16))


CODE = MachineCode(4, read, raw, decoded, disassemble, target, ".kernel {}", ".long")
