"""From an instruction back to text. The notation is LLVM's: ABI names, hexadecimal from 10 on, aliases where there is one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from warploom.isa.riscv.aliases import ALIASES, Alias, fits
from warploom.isa.riscv.fields import COMPRESSED_FIRST
from warploom.isa.riscv.instruction import DYNAMIC, MODE_NAMES, field_of
from warploom.isa.riscv.registers import FLOAT_NAMES, INTEGER_NAMES
from warploom.isa.riscv.table import TABLE, Decoded

_NAME = re.compile(r"[a-z][a-z0-9']*")
_BY_BASE: dict[str, list[Alias]] = {}
for _alias in ALIASES:
    if _alias.shown:
        _BY_BASE.setdefault(_alias.base, []).append(_alias)
UPPER = ("lui", "auipc", "c.lui")  # their immediate is written without its twelve zeros


class Place(NamedTuple):
    """An operand in the text of an instruction. before: what comes before it. names: of registers; else empty."""

    before: str
    name: str
    field: str
    names: tuple[str, ...]


@cache
def _places(operands: str) -> tuple[tuple[Place, ...], str]:
    """The operands of an instruction as they are written, and what comes after the last one."""
    found, end = [], 0
    for match in _NAME.finditer(operands):
        name = match[0]
        registers = FLOAT_NAMES if name.startswith("f") else INTEGER_NAMES
        of_register = name.removesuffix("'").rstrip("123") in ("rd", "rs", "fd", "fs")
        names = registers[COMPRESSED_FIRST if name.endswith("'") else 0 :] if of_register else ()
        found.append(Place(operands[end : match.start()], name, field_of(name), names))
        end = match.end()
    return tuple(found), operands[end:]


def disassemble(decoded: Decoded, labels: Mapping[int, str] | None = None, csr_names: Mapping[int, str] = TABLE.csr_names) -> str:
    """One instruction as text. labels: names of addresses; a target without one is written as a distance. csr_names: by number."""
    row, values = decoded.row, decoded.values
    if row is None:
        return f".{'half' if decoded.size == 2 else 'word'} {decoded.word:#0{2 + 2 * decoded.size}x}"
    aliases = _BY_BASE.get(row.mnemonic)
    alias = next((alias for alias in aliases if fits(alias, values)), None) if aliases else None
    mnemonic, operands = (alias.mnemonic, alias.operands) if alias else (row.mnemonic, row.operands)
    places, text = _places(operands)
    for place in reversed(places):
        if place.names:
            shown = place.names[values[place.field]]
        elif place.name == "target":
            shown = _target(decoded.address, values["imm"], labels or {})
        else:
            shown = _operand(place.name, values.get(place.field, 0), row.mnemonic in UPPER, csr_names)
        text = f"{place.before}{shown}{text}"
    suffix = _ordering(values) if "aq" in values else ""
    return f"{mnemonic}{suffix} {text.removesuffix(', ')}".rstrip()


def _ordering(values: Mapping[str, int]) -> str:
    """`.aqrl` of an atomic."""
    order = ("aq" if values.get("aq") else "") + ("rl" if values.get("rl") else "")
    return f".{order}" if order else ""


def _target(address: int, distance: int, labels: Mapping[int, str]) -> str:
    return labels.get((address + distance) & 0xFFFFFFFF) or number_text(distance)


def _operand(name: str, value: int, upper: bool, csr_names: Mapping[int, str]) -> str:
    """An operand that is not a register in a field. upper: an immediate without its twelve zeros."""
    if name == "sp":
        return name
    if name == "rm":
        return "" if value == DYNAMIC else MODE_NAMES.get(value, str(value))
    if name == "csr":
        return csr_names.get(value) or number_text(value)
    if name in ("pred", "succ"):
        return "".join(letter for bit, letter in zip((8, 4, 2, 1), "iorw", strict=True) if value & bit) or "unknown"
    return number_text((value >> 12) & 0xFFFFF if upper else value)


def number_text(value: int) -> str:
    """A number: decimal up to 9, hexadecimal from 10 on."""
    return str(value) if abs(value) < 10 else hex(value)
