"""From an instruction to bytes: the inverse of the decoder."""

from __future__ import annotations

from warploom.isa.avx512.decoder import ROUNDINGS, displacement_step
from warploom.isa.avx512.instruction import EVEX, LEGACY, VEX, Row, place_of
from warploom.isa.avx512.operands import Immediate, Memory, Operand, Register, Written
from warploom.isa.avx512.registers import WIDTHS

_MANDATORY = {0: b"", 1: b"\x66", 2: b"\xf3", 3: b"\xf2"}
_MAPS = {0: b"", 1: b"\x0f", 2: b"\x0f\x38", 3: b"\x0f\x3a"}


def bits_of(row: Row, written: Written) -> int:
    """Bits of an instruction's vectors: of the widest operand whose width is not given."""
    if row.encoding.length >= 0:
        return 128 << row.encoding.length
    widths = {name: bits for bits, name in WIDTHS.items()}
    kinds = [one.kind if isinstance(one, Register) else one.vector if isinstance(one, Memory) else "" for one in written.operands]
    found = [widths[kind] for kind in kinds if kind in widths]
    sizes = [one.size for one in written.operands if isinstance(one, Memory) and one.size in WIDTHS]
    return max(found or sizes or [128])


def encode(row: Row, written: Written, address: int = 0) -> bytes:
    """The bytes of an instruction at an address. The operands are of the row's kinds."""
    encoding = row.encoding
    by_place: dict[str, Operand] = {}
    for word, operand in zip(row.places, written.operands, strict=True):
        if place_of(word) not in ("number", "fixed"):
            by_place[place_of(word)] = operand
    reg, vvvv, rm = (by_place.get(place) for place in ("reg", "vvvv", "rm"))
    r = reg.number if isinstance(reg, Register) else max(encoding.digit, 0)
    v = vvvv.number if isinstance(vvvv, Register) else 0
    bits = bits_of(row, written)
    w = encoding.w if encoding.w >= 0 else 1 if _is_64(row, written) else 0
    opcode, b, x, tail = encoding.opcode, 0, 0, b""
    if isinstance(one := by_place.get("opcode"), Register):
        opcode, b = opcode + (one.number & 7), one.number >> 3
    elif isinstance(rm, Register):
        b, x = rm.number >> 3 & 1, rm.number >> 4
        tail = bytes([0xC0 | (r & 7) << 3 | rm.number & 7])
    elif isinstance(rm, Memory):
        step = displacement_step(row, bits, rm.broadcast) if encoding.kind == EVEX else 1
        tail = _address(rm, r & 7, step)
        b, x = max(rm.base, 0) >> 3, max(rm.indexed, 0) >> 3 & 1
        if rm.vector:
            v |= rm.indexed & 16
    elif row.has_modrm:
        tail = bytes([0xC0 | (r & 7) << 3])
    broadcast = isinstance(rm, Memory) and rm.broadcast
    head = {LEGACY: _legacy, VEX: _vex, EVEX: _evex}[encoding.kind](row, written, w, r, x, b, v, bits, broadcast)
    before = len(head) + 1 + len(tail)
    numbers = _numbers(row, written, w, address + before + row.immediate_bytes(w))
    if isinstance(rm, Memory) and rm.relative:  # what it says is an address; what is encoded, the distance from the next instruction
        distance = rm.displacement - (address + before + len(numbers))
        tail = tail[:-4] + (distance & 0xFFFFFFFF).to_bytes(4, "little")
    return head + bytes([opcode]) + tail + numbers


def _is_64(row: Row, written: Written) -> bool:
    """Whether a register of 64 bits asks for W, in a row that leaves it open."""
    sizes = [
        one.kind for word, one in zip(row.places, written.operands, strict=True) if isinstance(one, Register) and not word[-1].isdigit()
    ]
    if any(kind == "r64" for kind in sizes):
        return True
    return not sizes and any(isinstance(one, Memory) and one.size == 64 for one in written.operands)


def _legacy(row: Row, written: Written, w: int, r: int, x: int, b: int, _v: int, _bits: int, _broadcast: bool) -> bytes:
    rex = w << 3 | (r >> 3 & 1) << 2 | x << 1 | b
    new = any(isinstance(one, Register) and one.kind == "r8" and 4 <= one.number < 8 for one in written.operands)
    return _MANDATORY[row.encoding.prefix] + (bytes([0x40 | rex]) if rex or new else b"") + _MAPS[row.encoding.map]


def _vex(row: Row, _written: Written, w: int, r: int, x: int, b: int, v: int, bits: int, _broadcast: bool) -> bytes:
    low = (~v & 15) << 3 | (1 if bits == 256 else 0) << 2 | row.encoding.prefix
    if not (w or x or b) and row.encoding.map == 1:
        return bytes([0xC5, (~r >> 3 & 1) << 7 | low])
    return bytes([0xC4, (~r >> 3 & 1) << 7 | (~x & 1) << 6 | (~b & 1) << 5 | row.encoding.map, w << 7 | low])


def _evex(row: Row, written: Written, w: int, r: int, x: int, b: int, v: int, bits: int, broadcast: bool) -> bytes:
    p0 = (~r >> 3 & 1) << 7 | (~x & 1) << 6 | (~b & 1) << 5 | (~r >> 4 & 1) << 4 | row.encoding.map
    p1 = w << 7 | (~v & 15) << 3 | 4 | row.encoding.prefix
    length = ROUNDINGS.index(written.rounding) if written.rounding in ROUNDINGS else {128: 0, 256: 1, 512: 2}[bits]
    marked = broadcast or bool(written.rounding)
    return bytes([0x62, p0, p1, written.zeroing << 7 | length << 5 | marked << 4 | (~v >> 4 & 1) << 3 | written.mask])


def _address(memory: Memory, reg: int, step: int) -> bytes:
    """ModRM, SIB and displacement. step: bytes that a displacement of 8 bits counts in."""
    displacement = memory.displacement
    if memory.relative:
        return bytes([reg << 3 | 5]) + bytes(4)
    scale = {1: 0, 2: 1, 4: 2, 8: 3}[memory.scale]
    if memory.base < 0:
        index = memory.indexed & 7 if memory.indexed >= 0 else 4
        return bytes([reg << 3 | 4, scale << 6 | index << 3 | 5]) + (displacement & 0xFFFFFFFF).to_bytes(4, "little")
    if displacement == 0 and memory.base & 7 != 5:
        mode, tail = 0, b""
    elif displacement % step == 0 and -128 <= displacement // step < 128:
        mode, tail = 1, (displacement // step & 0xFF).to_bytes(1, "little")
    else:
        mode, tail = 2, (displacement & 0xFFFFFFFF).to_bytes(4, "little")
    if memory.indexed < 0 and memory.base & 7 != 4:
        return bytes([mode << 6 | reg << 3 | memory.base & 7]) + tail
    index = memory.indexed & 7 if memory.indexed >= 0 else 4
    return bytes([mode << 6 | reg << 3 | 4, scale << 6 | index << 3 | memory.base & 7]) + tail


def _numbers(row: Row, written: Written, w: int, after: int) -> bytes:
    """The immediates. after: the address of the next instruction."""
    found = b""
    for word, operand in zip(row.places, written.operands, strict=True):
        if place_of(word) == "number":
            assert isinstance(operand, Immediate)
            size = 8 if word == "iq" and w else {"ib": 1, "ibs": 1, "rel8": 1}.get(word, 4)
            value = operand.value - after if word.startswith("rel") else operand.value
            found += (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    return found + (bytes([row.immediate]) if row.immediate >= 0 else b"")
