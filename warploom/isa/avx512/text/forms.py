"""Which row of the tables a written instruction is."""

from __future__ import annotations

from warploom.isa.avx512.instruction import EVEX, VEX, Row
from warploom.isa.avx512.operands import Immediate, Memory, Operand, Register, Written
from warploom.isa.avx512.registers import WIDTHS
from warploom.isa.avx512.table import ALIASES, BY_MNEMONIC

_BITS = {name: bits for bits, name in WIDTHS.items()}
_RANGES = {"ib": (-128, 255), "ibs": (-128, 127), "iq": (-(1 << 63), (1 << 64) - 1)}


def rows_of(mnemonic: str) -> list[Row]:
    """The rows of a mnemonic, those with the shorter encoding first."""
    rows = BY_MNEMONIC.get(ALIASES.get(mnemonic, mnemonic), [])
    return sorted(rows, key=lambda row: row.encoding.kind == EVEX)


def fitting(rows: list[Row], written: Written) -> list[Row]:
    """Those of the rows that can be written so."""
    return [row for row in rows if _fits(row, written)]


def _fits(row: Row, written: Written) -> bool:
    if len(row.places) != len(written.operands):
        return False
    if (written.mask and not row.masks) or (written.zeroing and "z" not in row.masks) or (row.masks == "K" and not written.mask):
        return False
    if (written.zeroing and isinstance(written.operands[0], Memory)) or (written.rounding and not row.rounds):
        return False
    if _high_byte_with_rex(row, written):
        return False
    width, size = _width(row, written), _size(row, written)
    if not width and any(word in ("vr", "vv", "vm", "vmb", "vg") for word in row.places):
        return False
    return all(_one_fits(row, word, operand, width, size) for word, operand in zip(row.places, written.operands, strict=True))


def _high_byte_with_rex(row: Row, written: Written) -> bool:
    """Whether ah, bh, ch or dh stands beside what needs the prefix under which their numbers mean other registers."""
    registers = [one for one in written.operands if isinstance(one, Register)]
    if not any(one.kind == "high" for one in registers):
        return False
    numbers = [one.number for one in registers] + [max(one.base, one.indexed) for one in written.operands if isinstance(one, Memory)]
    return max(numbers) > 7 or any(one.kind == "r64" or (one.kind == "r8" and one.number > 3) for one in registers)


def _width(row: Row, written: Written) -> int:
    """Bits of the vectors whose width the row leaves open; 0 where they disagree."""
    found = {
        one.kind
        for word, one in zip(row.places, written.operands, strict=True)
        if word in ("vr", "vv", "vm", "vmb", "vg") and isinstance(one, Register)
    }
    if len(found) != 1 or not found <= set(_BITS):
        return 0
    return _BITS[found.pop()]


def _size(row: Row, written: Written) -> int:
    """Bits of the general registers whose size the row leaves open; 0 where they disagree or none says."""
    found = {
        32 if one.kind == "r32" else 64 if one.kind == "r64" else 0
        for word, one in zip(row.places, written.operands, strict=True)
        if isinstance(one, Register) and word in ("r", "v", "rm", "o", "eax")
    }
    if not found:
        found = {one.size for one in written.operands if isinstance(one, Memory)}
    return found.pop() if len(found) == 1 else 0


def _one_fits(row: Row, word: str, operand: Operand, width: int, size: int) -> bool:
    if isinstance(operand, Register):
        return _register_fits(row, word, operand, size)
    if isinstance(operand, Immediate):
        if word.startswith("rel"):
            return True
        if word == "1":
            return operand.value == 1 and not operand.label
        least, most = _RANGES.get(
            word, (-(1 << 31), (1 << 32) - 1 if size != 64 and word == "id" and "64" not in row.operand_text else (1 << 31) - 1)
        )
        return word in ("ib", "ibs", "id", "iq") and not operand.label and least <= operand.value <= most
    if operand.vector or word == "gather":
        wide = _BITS.get(operand.vector, 0)
        return word == "gather" and wide == width and operand.size in (0, 32)
    if operand.broadcast:
        return word == "vmb"
    if word in ("vm", "vmb", "m"):
        return operand.size in (0, width) or (row.element == 4 and operand.size == 32)
    if word == "m0":
        return True
    exact = {
        "xm": 128,
        "ym": 256,
        "x32": 32,
        "m32": 32,
        "kmm": {"b": 8, "w": 16, "d": 32, "q": 64}[row.mnemonic[-1]] if word == "kmm" else 0,
    }
    if word in exact:
        return operand.size in (0, exact[word])
    if not word.startswith("rm"):
        return False
    bits = int(word[2:] or (size if size in (32, 64) else 0))
    alone = not any(other in ("r", "r8", "r32", "r64", "xr") for other in row.places)
    return (operand.size == bits and bits > 0) or (
        operand.size == 0 and bits > 0 and not (alone and row.mnemonic not in ("push", "call", "jmp")) and word != "rm16"
    )


def _register_fits(row: Row, word: str, register: Register, size: int) -> bool:
    kind = register.kind
    if kind in _BITS:
        old = row.encoding.kind == VEX
        if (old and register.number > 15) or (
            row.encoding.length >= 0 and word in ("vr", "vv", "vm", "vg") and _BITS[kind] != 128 << row.encoding.length
        ):
            return False
        fixed = {"xr": "xmm", "xm": "xmm", "xv": "xmm", "x32": "xmm", "ym": "ymm", "yr": "ymm"}
        return fixed.get(word) == kind or (word in ("vr", "vv", "vm", "vmb", "vg") and not (old and kind == "zmm"))
    if kind == "k":
        return word in ("kr", "kv", "km", "kmm")
    if word in ("al", "cl"):
        return kind == "r8" and register.number == (word == "cl")
    if word == "eax":
        return kind in ("r32", "r64") and register.number == 0
    place, bits = word.rstrip("0123456789"), word.lstrip("abcdefghijklmnopqrstuvwxyz")
    if place not in ("r", "v", "rm", "o", "g"):
        return False
    if bits == "8":
        return kind in ("r8", "high")
    return kind == f"r{bits}" if bits else kind in ("r32", "r64") and kind == f"r{size}"


def suggestion(rows: list[Row]) -> str:
    """How an instruction is written."""
    shapes = list(dict.fromkeys(row.syntax for row in rows))
    return f"write {' or '.join(shapes[:4])}"
