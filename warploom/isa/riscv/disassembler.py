"""From an instruction back to text. The notation is LLVM's: ABI names, hexadecimal from 10 on, aliases where there is one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from warploom.isa.riscv.aliases import ALIASES, Alias, fits
from warploom.isa.riscv.fields import COMPRESSED_FIRST
from warploom.isa.riscv.instruction import DYNAMIC, MODE_NAMES, Instruction, field_of
from warploom.isa.riscv.registers import FLOAT_NAMES, INTEGER_NAMES
from warploom.isa.riscv.table import TABLE, Decoded

_NAME = re.compile(r"[a-z][a-z0-9']*")
_BY_BASE: dict[str, list[Alias]] = {}
for _alias in ALIASES:
    if _alias.shown:
        _BY_BASE.setdefault(_alias.base, []).append(_alias)
UPPER = ("lui", "auipc", "c.lui")  # their immediate is written without its twelve zeros


def disassemble(decoded: Decoded, labels: Mapping[int, str] | None = None, csr_names: Mapping[int, str] = TABLE.csr_names) -> str:
    """One instruction as text. labels: names of addresses; a target without one is written as a distance. csr_names: by number."""
    row, values = decoded.row, decoded.values
    if row is None:
        return f".{'half' if decoded.size == 2 else 'word'} {decoded.word:#0{2 + 2 * decoded.size}x}"
    alias = next((alias for alias in _BY_BASE.get(row.mnemonic, ()) if fits(alias, values)), None)
    mnemonic, operands = (alias.mnemonic, alias.operands) if alias else (row.mnemonic, row.operands)
    text = _NAME.sub(lambda match: _operand(row, match[0], values, decoded.address, labels or {}, csr_names), operands)
    suffix = _ordering(values)
    return f"{mnemonic}{suffix} {text.removesuffix(', ')}".rstrip()


def _ordering(values: Mapping[str, int]) -> str:
    """`.aqrl` of an atomic."""
    order = ("aq" if values.get("aq") else "") + ("rl" if values.get("rl") else "")
    return f".{order}" if order else ""


def _operand(
    row: Instruction, name: str, values: Mapping[str, int], address: int, labels: Mapping[int, str], csr_names: Mapping[int, str]
) -> str:
    if name == "sp":
        return name
    field = field_of(name)
    value = values[field]
    if name == "target":
        return labels.get((address + value) & 0xFFFFFFFF, number_text(value))
    if name == "rm":
        return "" if value == DYNAMIC else MODE_NAMES.get(value, str(value))
    if name == "csr":
        return csr_names.get(value) or number_text(value)
    if name in ("pred", "succ"):
        return "".join(letter for bit, letter in zip((8, 4, 2, 1), "iorw", strict=True) if value & bit) or "unknown"
    if name.endswith("imm") or name in ("shamt", "unit"):
        return number_text((value >> 12) & 0xFFFFF if row.mnemonic in UPPER else value)
    names = FLOAT_NAMES if name.startswith("f") else INTEGER_NAMES
    return names[value + COMPRESSED_FIRST if name.endswith("'") else value]


def number_text(value: int) -> str:
    """A number: decimal up to 9, hexadecimal from 10 on."""
    return str(value) if abs(value) < 10 else hex(value)
