"""From an instruction back to text, in Intel's notation as LLVM writes it."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.isa.avx512.decoder import Decoded
from warploom.isa.avx512.operands import Immediate, Memory
from warploom.isa.avx512.registers import GENERAL

SIZES = {8: "byte", 16: "word", 32: "dword", 64: "qword", 128: "xmmword", 256: "ymmword", 512: "zmmword"}


def disassemble(one: Decoded, labels: Mapping[int, str] | None = None) -> str:
    """One instruction as text. labels: names of addresses; a target without one is written as a number."""
    row, written = one.row, one.written
    if row is None:
        return f".byte {one.data[0]:#04x}"
    shown = []
    for number, (word, operand) in enumerate(zip(row.places, written.operands, strict=True)):
        if isinstance(operand, Memory):
            text = address_text(operand, one.address + one.size, labels or {}, one.bits)
        elif isinstance(operand, Immediate):
            name = (labels or {}).get(operand.value) if word.startswith("rel") else None
            text = name or number_text(operand.value)
        else:
            text = str(operand)
        if number == 0 and written.mask:
            text += f" {{k{written.mask}}}" + (" {z}" if written.zeroing else "")
        shown.append(text)
    if written.rounding:
        shown.append(f"{{{'sae' if row.mnemonic.startswith(('vmin', 'vmax', 'vcmp', 'vcvtt', 'vrnd')) else written.rounding}}}")
    return f"{row.mnemonic} {', '.join(shown)}".rstrip()


def address_text(memory: Memory, following: int, labels: Mapping[int, str], bits: int) -> str:
    """An operand in memory. following: address of the next instruction."""
    parts = ["rip"] if memory.relative else []
    displacement = memory.displacement
    if memory.relative and (name := labels.get(displacement)):
        parts, displacement = ["rip", name], 0
    elif memory.relative:
        displacement -= following
    if memory.base >= 0:
        parts.append(GENERAL[memory.base])
    if memory.indexed >= 0:
        index = f"{memory.vector}{memory.indexed}" if memory.vector else GENERAL[memory.indexed]
        parts.append(index if memory.scale == 1 else f"{memory.scale}*{index}")
    text = " + ".join(parts)
    if displacement or not parts:
        sign = " - " if displacement < 0 else " + "
        text += (sign if parts else "-" if displacement < 0 else "") + number_text(abs(displacement))
    size = SIZES.get(32 if memory.broadcast else memory.size, "")
    return f"{size + ' ptr ' if size else ''}[{text}]" + (f"{{1to{bits // 32}}}" if memory.broadcast else "")


def number_text(value: int) -> str:
    """A number: decimal up to 9, hexadecimal from 10 on."""
    return str(value) if abs(value) < 10 else hex(value)
