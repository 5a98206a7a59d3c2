"""From bytes to an instruction: prefixes, opcode, ModRM, SIB, displacement, immediate.

In hardware: the length decoder and the instruction decoders of an x86 core, its largest piece of logic before the registers. Sources: Intel
SDM, volume 2, chapter 2; EVEX: section 2.7.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from warploom.isa.avx512.instruction import EVEX, LEGACY, VEX, Row, place_of
from warploom.isa.avx512.operands import Immediate, Memory, Operand, Register, Written
from warploom.isa.avx512.registers import WIDTHS

LONGEST = 15  # bytes of an instruction
ROUNDINGS = ("rn-sae", "rd-sae", "ru-sae", "rz-sae")


class Decoded(NamedTuple):
    """An instruction in its place. row: None for bytes that are none. bits: of its vectors. w: the bit W, 64 bits for general registers."""

    address: int
    size: int
    data: bytes
    row: Row | None
    written: Written
    bits: int = 0
    w: int = 0


class _Head(NamedTuple):
    """What stands before the opcode, with all bits as if none were inverted. offset: of the opcode."""

    kind: str
    offset: int
    prefix: int = 0
    map: int = 0
    w: int = 0
    r: int = 0  # above ModRM.reg: bits 3 and 4
    x: int = 0
    b: int = 0
    vvvv: int = 0
    length: int = 0
    mask: int = 0
    zeroing: bool = False
    broadcast: bool = False
    rex: bool = False


class Decoder:
    """Instructions by kind of prefix, opcode map and opcode."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows: dict[tuple[str, int, int], list[Row]] = {}
        for row in rows:
            encoding = row.encoding
            for low in range(8 if encoding.in_opcode else 1):
                self.rows.setdefault((encoding.kind, encoding.map, encoding.opcode + low), []).append(row)

    def decode(self, data: bytes, offset: int, address: int) -> Decoded:
        """The instruction that begins at a byte of `data`, which lies at an address. One byte that is none, where there is none."""
        try:
            head = _head(data, offset)
            rows = self.rows.get((head.kind, head.map, data[head.offset]), ())
            for row in rows:
                if (found := _matched(row, head, data, offset, address)) is not None:
                    return found
        except IndexError:
            pass  # it is cut off
        return Decoded(address, 1, data[offset : offset + 1], None, Written(()))


def _head(data: bytes, start: int) -> _Head:
    offset, prefix = start, 0
    first = data[offset]
    if first == 0x62:
        p0, p1, p2 = data[offset + 1], data[offset + 2], data[offset + 3]
        r = (~p0 >> 7 & 1) << 3 | (~p0 >> 4 & 1) << 4
        vvvv = (~p1 >> 3 & 15) | (~p2 >> 3 & 1) << 4
        if p0 & 0x0C or not p1 & 4 or (p2 & 0x60 == 0x60 and not p2 & 0x10):
            raise IndexError
        return _Head(EVEX, offset + 4, p1 & 3, p0 & 3, p1 >> 7, r, ~p0 >> 6 & 1, ~p0 >> 5 & 1, vvvv, p2 >> 5 & 3, p2 & 7,
                     bool(p2 & 0x80), bool(p2 & 0x10))  # fmt: skip
    if first == 0xC5:
        p = data[offset + 1]
        return _Head(VEX, offset + 2, p & 3, 1, 0, (~p >> 7 & 1) << 3, vvvv=~p >> 3 & 15, length=p >> 2 & 1)
    if first == 0xC4:
        p0, p1 = data[offset + 1], data[offset + 2]
        return _Head(VEX, offset + 3, p1 & 3, p0 & 31, p1 >> 7, (~p0 >> 7 & 1) << 3, ~p0 >> 6 & 1, ~p0 >> 5 & 1, ~p1 >> 3 & 15, p1 >> 2 & 1)
    while data[offset] in (0x66, 0xF2, 0xF3, 0x2E):  # 2E names a segment, and pads
        prefix = {0x66: 1, 0xF3: 2, 0xF2: 3}.get(data[offset], prefix) if prefix < 2 else prefix
        offset += 1
        if offset - start > LONGEST:
            raise IndexError
    rex = data[offset] if data[offset] >> 4 == 4 else 0
    offset += 1 if rex else 0
    opcode_map = 0
    if data[offset] == 0x0F:
        opcode_map, offset = 1, offset + 1
        if data[offset] in (0x38, 0x3A):
            opcode_map, offset = 2 if data[offset] == 0x38 else 3, offset + 1
    return _Head(LEGACY, offset, prefix, opcode_map, rex >> 3 & 1, (rex >> 2 & 1) << 3, rex >> 1 & 1, rex & 1, rex=bool(rex))


def _matched(row: Row, head: _Head, data: bytes, start: int, address: int) -> Decoded | None:
    """The instruction, where these bytes are of this row."""
    encoding = row.encoding
    if encoding.prefix != head.prefix or (encoding.w >= 0 and encoding.w != head.w):
        return None
    offset = head.offset + 1
    modrm = data[offset] if row.has_modrm else 0
    is_register = modrm >> 6 == 3
    rounding = row.rounds and head.broadcast and is_register and head.kind == EVEX
    length = 2 if rounding else head.length
    if (encoding.length >= 0 and encoding.length != length) or length == 3:
        return None
    if encoding.digit >= 0 and encoding.digit != modrm >> 3 & 7:
        return None
    word = next((word for word in row.places if place_of(word) == "rm"), "")
    if not _takes(word, is_register, head, rounding):
        return None
    if (head.mask and not row.masks) or (head.zeroing and ("z" not in row.masks or not head.mask)) or (row.masks == "K" and not head.mask):
        return None
    if "vvvv" not in {place_of(word) for word in row.places} and head.vvvv & (15 if word == "gather" else 31):
        return None
    bits = 128 << length
    memory: Memory | None = None
    if row.has_modrm and not is_register:
        memory, offset = _memory(row, word, head, data, offset, bits)
    else:
        offset += 1 if row.has_modrm else 0
    numbers: list[int] = []
    for name in row.immediate_words:
        size = 8 if name == "iq" and head.w else {"ib": 1, "ibs": 1, "rel8": 1}.get(name, 4)
        if offset + size > len(data):
            return None
        numbers.append(int.from_bytes(data[offset : offset + size], "little", signed=name != "ib"))
        offset += size
    if row.immediate >= 0:
        if data[offset] != row.immediate:
            return None
        offset += 1
    if offset - start > LONGEST:
        return None
    if memory is not None and memory.relative:
        memory = memory._replace(displacement=memory.displacement + address + offset - start)
    operands: list[Operand] = []
    for name in row.places:
        place = place_of(name)
        if place == "number":
            value = numbers.pop(0)
            operands.append(Immediate(address + offset - start + value if name.startswith("rel") else value))
        elif place == "fixed":
            first = Register("r64" if head.w else "r32", 0)
            fixed: dict[str, Operand] = {"1": Immediate(1), "cl": Register("r8", 1), "al": Register("r8", 0), "eax": first}
            operands.append(fixed[name])
        elif place == "rm" and memory is not None:
            operands.append(memory)
        else:
            number = {"reg": modrm >> 3 & 7 | head.r, "vvvv": head.vvvv, "opcode": data[head.offset] & 7 | head.b << 3,
                      "rm": modrm & 7 | head.b << 3 | (head.x << 4 if head.kind == EVEX else 0)}[place]  # fmt: skip
            register = register_of(name, number, head.w, bits, head.rex)
            if register is None:
                return None
            operands.append(register)
    said = ROUNDINGS[head.length] if rounding else ""
    return Decoded(address, offset - start, data[start:offset], row, Written(tuple(operands), head.mask, head.zeroing, said), bits, head.w)


def _takes(word: str, is_register: bool, head: _Head, rounding: bool) -> bool:
    """Whether the operand in rm may be what it is."""
    if is_register:
        return word not in ("m", "gather", "m0", "m32", "m16") and (rounding or not head.broadcast)
    if word in ("g", "g32", "km", "vg", ""):
        return word == ""
    return not head.broadcast or word == "vmb"


def register_of(word: str, number: int, w: int, bits: int, rex: bool) -> Register | None:
    """The register of an operand's word; None where there is none of that number."""
    if word[0] == "k":
        return Register("k", number) if number < 8 else None
    if word in ("vr", "vv", "vm", "vmb", "vg"):
        return Register(WIDTHS[bits], number)
    if word in ("xm", "xr", "xv", "x32"):
        return Register("xmm", number)
    if word in ("ym", "yr"):
        return Register("ymm", number)
    if number > 15:
        return None
    size = word.lstrip("abcdefghijklmnopqrstuvwxyz") or ("64" if w else "32")
    return Register("high", number) if size == "8" and not rex and 4 <= number < 8 else Register(f"r{size}", number)


def memory_bits(row: Row, word: str, bits: int, w: int) -> int:
    """Bits of memory that an operand in rm stands for; 0 for an address alone."""
    if word in ("vm", "vmb", "m"):
        return bits
    if word == "m0":
        return 0
    if word == "kmm":
        return {"b": 8, "w": 16, "d": 32, "q": 64}[row.mnemonic[-1]]
    known = {"xm": 128, "ym": 256, "x32": 32, "gather": 32}
    return known[word] if word in known else int(word.lstrip("abcdefghijklmnopqrstuvwxyz") or (64 if w else 32))


def _memory(row: Row, word: str, head: _Head, data: bytes, offset: int, bits: int) -> tuple[Memory, int]:
    """The operand in memory whose ModRM byte is at `offset`, and the offset after it."""
    mode, low = data[offset] >> 6, data[offset] & 7
    offset += 1
    base, index, scale, relative, vector = low | head.b << 3, -1, 1, False, ""
    if low == 4:
        sib = data[offset]
        offset += 1
        scale, index, base = 1 << (sib >> 6), sib >> 3 & 7 | head.x << 3, sib & 7 | head.b << 3
        if word == "gather":
            index, vector = index | head.vvvv & 16, WIDTHS[bits]
        elif index == 4:
            index, scale = -1, 1
        if base & 7 == 5 and mode == 0:
            base = -1
    elif low == 5 and mode == 0:
        base, relative = -1, True
    size = 4 if mode == 2 or (mode == 0 and (relative or base < 0)) else 1 if mode == 1 else 0
    if offset + size > len(data) or (word == "gather" and not vector):
        raise IndexError
    displacement = int.from_bytes(data[offset : offset + size], "little", signed=True)
    if size == 1 and head.kind == EVEX:
        displacement *= displacement_step(row, bits, head.broadcast)
    return Memory(base, index, scale, displacement, relative, vector, memory_bits(row, word, bits, head.w), head.broadcast), offset + size


def displacement_step(row: Row, bits: int, broadcast: bool) -> int:
    """Bytes that a displacement of 8 bits counts in, under EVEX."""
    return 4 if broadcast else row.element or bits // 8
