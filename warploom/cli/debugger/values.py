"""Values of registers and memory as a person writes and reads them."""

from __future__ import annotations

import struct

from warploom.cli.common import UserError

FORMATS = {
    "auto": "as their array has them; else whole numbers, and of 32 bits what looks like a float as one",
    "unsigned": "whole numbers from 0 up",
    "signed": "whole numbers, the highest bit being the sign",
    "hex": "hexadecimal",
    "float": "floats, of 32 bits or of 64 as the items are",
}
SMALL = 1 << 20  # a number below it, or as far below 2 ** 32, is hardly a float


def shown(value: int, bits: int, form: str) -> str:
    """A value of so many bits in one of FORMATS."""
    if form == "hex":
        return f"{value:0{bits // 4}x}"
    if form == "float" or (form == "auto" and _looks_like_float(value, bits)):
        return _float_text(value)
    signed = value - (1 << bits) if value >> (bits - 1) & 1 else value
    if form == "signed" or (form == "auto" and bits == 32 and signed > -SMALL):
        return str(signed)
    return str(value)


def shown_wide(value: int, form: str, *, floats: bool, signed: bool) -> str:
    """An item of 64 bits of which it is known whether it is a float, and whether a whole one has a sign."""
    if form == "float" or (form == "auto" and floats):
        return _said_as_float(struct.unpack("<d", struct.pack("<Q", value))[0], 10)
    return shown(value, 64, ("signed" if signed else "unsigned") if form == "auto" else form)


def shown_as(value: int, bits: int, form: str, kind: str) -> str:
    """A value of which it is known how it is read (`isa.program.Variable.kind`), where the user leaves that open."""
    if form != "auto" or not kind:
        return shown(value, bits, form)
    if kind == "f":
        return _said_as_float(struct.unpack("<d", struct.pack("<Q", value))[0], 10) if bits == 64 else _float_text(value)
    if kind == "b":
        return "True" if value & 1 else "False"
    return shown(value, bits, "signed" if kind == "i" else "unsigned")


def _looks_like_float(value: int, bits: int) -> bool:
    exponent = value >> 23 & 0xFF
    return bits == 32 and SMALL <= value < (1 << 32) - SMALL and 127 - 40 <= exponent <= 127 + 40


def _float_text(value: int) -> str:
    return _said_as_float(struct.unpack("<f", struct.pack("<I", value))[0], 5)


def _said_as_float(number: float, digits: int) -> str:
    text = f"{number:.{digits}g}"
    return text if any(mark in text for mark in ".einf") else f"{text}.0"


def number(text: str, what: str) -> int:
    """A whole number, as 12 or 0x1f. Raises UserError."""
    try:
        return int(text, 0)
    except ValueError:
        raise UserError(f"{what} is a whole number, as 12 or 0x1f, and not {text!r}") from None


def parsed(text: str, bits: int) -> int:
    """A value of so many bits: a whole number, or of 32 bits a float too, as 1.5. Raises UserError."""
    try:
        value = int(text, 0)
    except ValueError:
        value = _float_bits(text, bits)
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise UserError(f"{text} does not fit into {bits} bits: 0 to {(1 << bits) - 1}")
    return value & ((1 << bits) - 1)


def _float_bits(text: str, bits: int) -> int:
    floats = ", or 1.5" if bits == 32 else ""
    try:
        if bits == 32:
            return int.from_bytes(struct.pack("<f", float(text)), "little")
    except (ValueError, OverflowError):
        pass
    raise UserError(f"a value is a whole number, as 12 or 0x1f{floats}, and not {text!r}")
