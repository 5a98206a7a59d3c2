"""FLAT, GLOBAL, SCRATCH and MUBUF: what lanes load and store in memory.

In hardware: every lane has an address of its own; a unit for the whole compute unit forms lines of 64 bytes of them. vmcnt counts loads
and stores, which come back in order. FLAT and GLOBAL have addresses of 64 bits, of which the machine has the low word; GLOBAL can also
add a lane's 32 bits to a scalar base. The high word of FLAT's says whether it is memory or an *aperture*: each lane decides for itself
whether it goes to memory, to the group's LDS or to its private memory. A thread's private memory is reached by SCRATCH, or by MUBUF
through a descriptor in four scalar registers, which interleaves lanes; the scalar offset counts the bytes of all 64 lanes then.

Source: AMD "Vega" Instruction Set Architecture, chapters 8 to 10 and sections 12.14 to 12.17; LLVM, "User Guide for AMDGPU Backend", and
for atomic operations of 64 bits in private memory its SIISelLowering.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from warploom.isa.gcn.code import Code, Number, Value
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.memory.lds import negative
from warploom.isa.gcn.registers import APERTURES, EXEC, LANES, OFF, PRIVATE_BASE, SHARED_BASE, constant, is_constant
from warploom.isa.uop import GLOBAL_SPACE, LOCAL_SPACE, NONE, SHARED_SPACE, SIGNED, scalar

Lower = Callable[[Code], None]
WORD = 4
SPACES = {SHARED_BASE: SHARED_SPACE, PRIVATE_BASE: LOCAL_SPACE}  # what lies in an aperture


class Address:
    """Where the lanes access memory: a register or NONE, an offset, a space."""

    def __init__(self, code: Code) -> None:
        self.space, self.base, self.offset = GLOBAL_SPACE, NONE, code.field("offset")
        {"FLAT": self._flat, "GLOBAL": self._global, "SCRATCH": self._scratch, "MUBUF": self._buffer}[code.row.format](code)

    def _flat(self, code: Code) -> None:
        self.base = code.field("addr")

    def _global(self, code: Code) -> None:
        self.offset -= self.offset >> 12 << 13
        self.base = code.field("addr")
        if code.field("saddr") != OFF:
            self.base = code.lane("add", self.base, scalar(code.field("saddr")))

    def _scratch(self, code: Code) -> None:
        self.space = LOCAL_SPACE
        self.offset -= self.offset >> 12 << 13
        saddr = code.field("saddr")
        self.base = code.field("addr") if saddr == OFF else scalar(saddr)

    def _buffer(self, code: Code) -> None:
        descriptor = 4 * code.field("srsrc")
        lane: int = NONE
        registers = iter(range(code.field("vaddr"), code.field("vaddr") + 2))
        private = descriptor in code.private
        if code.field("idxen"):
            if private:
                code.refuse("an access to private memory by index is something that this machine does not have")
            stride = code.scalar("and", code.scalar("shr", scalar(descriptor + 1), Number(16)), Number(0x3FFF))
            lane = code.lane("mul", next(registers), stride)
        if code.field("offen"):
            own = next(registers)
            lane = own if lane == NONE else code.lane("add", lane, own)
        shift = LANES.bit_length() - 1 if private else 0
        soffset = code.field("soffset")
        if is_constant(soffset):
            self.offset += constant(soffset) >> shift
        else:
            base = code.scalar("shr", scalar(soffset), Number(shift)) if shift else scalar(soffset)
            lane = _sum(code, lane, base)
        if private:
            self.space = LOCAL_SPACE
        else:
            lane = _sum(code, lane, scalar(descriptor))
        self.base = lane


def places(code: Code) -> Iterator[Address]:
    """Where an access goes: to one space, or with apertures to each of several, in the lanes whose addresses lie there."""
    place, every = Address(code), code.active
    if code.row.format != "FLAT" or not code.apertures:
        yield place
        return
    outside = code.pair_temporary()
    for part in range(2):
        code.add("mov", outside + part, scalar(EXEC + part))
    inside = {}
    for aperture in sorted(code.apertures):
        inside[aperture] = code.pair_temporary()
        code.vector("ballot", inside[aperture], code.lane("seq", place.base + 1, Number(APERTURES[aperture][1])))
        for part in range(2):
            code.add("xor", outside + part, outside + part, inside[aperture] + part)
    code.active = outside
    yield place
    for aperture, mask in inside.items():
        place.space, code.active = SPACES[aperture], mask
        yield place
    code.active = every


def _sum(code: Code, lane: int, other: int) -> int:
    return other if lane == NONE else code.lane("add", lane, other)


def _load(words: int = 1, size: int = WORD, flags: int = 0, half: int = -1) -> Lower:
    """half: 0 or 1 where the result is only that half of its register."""

    def lower(code: Code) -> None:
        for place in places(code):
            one(code, place, code.target())

    def one(code: Code, place: Address, target: int) -> None:
        address = place.base
        if half >= 0:
            loaded = code.lane("load", address, imm=place.offset, size=size, flags=flags, space=place.space)
            code.put_half(loaded, half)
            return
        if words > 1 and target <= address < target + words:
            address = code.lane("mov", address)
        for word in range(words):
            code.vector("load", target + word, address, imm=place.offset + WORD * word, size=size, flags=flags, space=place.space)

    return lower


def _store(words: int = 1, size: int = WORD, high: bool = False) -> Lower:
    def lower(code: Code) -> None:
        data = code.field("vdata" if code.row.format == "MUBUF" else "data")
        if high:
            data = code.lane("shr", data, Number(16))
        for place in places(code):
            for word in range(words):
                code.vector("store", a=place.base, b=data + word, imm=place.offset + WORD * word, size=size, space=place.space)

    return lower


def _atomic(name: str, size: int, negated: bool = False) -> Lower:
    words = size // WORD

    def lower(code: Code) -> None:
        buffer = code.row.format == "MUBUF"
        data = code.field("vdata" if buffer else "data")
        value: Value = negative(code, data, size) if negated else data
        target = code.lane_temporary()
        if words > 1:
            code.lane_temporary()
        if code.field("glc"):
            target = data if buffer else code.field("vdst")
        for place in places(code):
            if place.space != LOCAL_SPACE or words == 1:  # private memory has no atomic operations of 64 bits: they are dropped
                one(code, place, target, data, value)

    def one(code: Code, place: Address, target: int, data: int, value: Value) -> None:
        more = {"imm": place.offset, "size": size, "space": place.space}
        if name == "atomic_cas":  # the new value comes first, then the one to compare with
            code.vector(name, target, place.base, data + words, data, **more)
        else:
            code.vector(name, target, place.base, value, **more)

    return lower


def _nothing(code: Code) -> None:
    code.add("await")


LOADS = (("ubyte", 16, 1, 1, 0, "a byte"), ("sbyte", 17, 1, 1, SIGNED, "a byte with its sign"), ("ushort", 18, 1, 2, 0, "half a word"),
         ("sshort", 19, 1, 2, SIGNED, "half a word with its sign"), ("dword", 20, 1, 4, 0, "a word"), ("dwordx2", 21, 2, 4, 0, "2 words"),
         ("dwordx3", 22, 3, 4, 0, "3 words"), ("dwordx4", 23, 4, 4, 0, "4 words"))  # fmt: skip
HALF_LOADS = (("ubyte_d16", 32, 1, 0, 0), ("ubyte_d16_hi", 33, 1, 0, 1), ("sbyte_d16", 34, 1, SIGNED, 0),
              ("sbyte_d16_hi", 35, 1, SIGNED, 1), ("short_d16", 36, 2, 0, 0), ("short_d16_hi", 37, 2, 0, 1))  # fmt: skip
STORES = (("byte", 24, 1, 1), ("byte_d16_hi", 25, 1, 1), ("short", 26, 1, 2), ("short_d16_hi", 27, 1, 2), ("dword", 28, 1, 4),
          ("dwordx2", 29, 2, 4), ("dwordx3", 30, 3, 4), ("dwordx4", 31, 4, 4))  # fmt: skip
ATOMICS = (("swap", 0, "atomic_exchange", "b"), ("cmpswap", 1, "atomic_cas", "first of b if it is the second"),
           ("add", 2, "atomic_add", "old + b"), ("sub", 3, "atomic_add", "old - b"), ("smin", 4, "atomic_min", "the smaller, signed"),
           ("umin", 5, "atomic_minu", "the smaller, unsigned"), ("smax", 6, "atomic_max", "the larger, signed"),
           ("umax", 7, "atomic_maxu", "the larger, unsigned"), ("and", 8, "atomic_and", "old & b"), ("or", 9, "atomic_or", "old | b"),
           ("xor", 10, "atomic_xor", "old ^ b"), ("inc", 11, "atomic_inc", "0 if old >= b, else old + 1"),
           ("dec", 12, "atomic_dec", "b if old is 0 or above b, else old - 1"))  # fmt: skip
SHAPES = {"FLAT": ("flat", "address", ""), "GLOBAL": ("global", "address", " saddr"), "SCRATCH": ("scratch", "address", " saddr")}


def _counted(letter: str, words: int) -> str:
    return letter if words == 1 else f"{letter}{words}"


def _rows() -> list[Row]:
    rows: list[Row] = []
    for form, (prefix, address, saddr) in SHAPES.items():

        def one(name: str, opcode: int, operands: str, lower: Lower, meaning: str, prefix: str = prefix, form: str = form) -> None:
            rows.append(Row(f"{prefix}_{name}", form, opcode, operands, lower, meaning))

        for name, opcode, words, size, flags, what in LOADS:
            one(f"load_{name}", opcode, f"{_counted('d', words)} {address}{saddr}", _load(words, size, flags), f"d = {what} of memory")
        for name, opcode, size, flags, half in HALF_LOADS:
            one(f"load_{name}", opcode, f"d {address}{saddr}", _load(1, size, flags, half), f"{['low', 'high'][half]} half of d = memory")
        for name, opcode, words, size in STORES:
            one(f"store_{name}", opcode, f"{address} {_counted('b', words)}{saddr}", _store(words, size, name.endswith("hi")), "memory = b")
        if form == "SCRATCH":
            continue
        for name, opcode, operation, meaning in ATOMICS:
            for words, first in ((1, 64), (2, 96)):
                data = _counted("b", words * (2 if name == "cmpswap" else 1))
                suffix = "_x2" if words == 2 else ""
                lower = _atomic(operation, 4 * words, name == "sub")
                one(f"atomic_{name}{suffix}", first + opcode, f"returned {address} {data}{saddr}", lower,
                    f"memory = {meaning}; with glc the old value is returned")  # fmt: skip
    for name, opcode, words, size, flags, what in LOADS:
        operands = f"{_counted('d', words)} vaddr srsrc soffset"
        rows.append(Row(f"buffer_load_{name}", "MUBUF", opcode, operands, _load(words, size, flags), f"d = {what} of a buffer"))
    for name, opcode, size, flags, half in HALF_LOADS:
        rows.append(Row(f"buffer_load_{name}", "MUBUF", opcode, "d vaddr srsrc soffset", _load(1, size, flags, half),
                        f"{['low', 'high'][half]} half of d = a buffer's"))  # fmt: skip
    for name, opcode, words, size in STORES:
        operands = f"{_counted('d', words)} vaddr srsrc soffset"
        rows.append(Row(f"buffer_store_{name}", "MUBUF", opcode, operands, _store(words, size, name.endswith("hi")), "a buffer's = d"))
    for name, opcode, operation, meaning in ATOMICS:
        for words, first in ((1, 64), (2, 96)):
            data = _counted("d", words * (2 if name == "cmpswap" else 1))
            rows.append(Row(f"buffer_atomic_{name}{'_x2' if words == 2 else ''}", "MUBUF", first + opcode, f"{data} vaddr srsrc soffset",
                            _atomic(operation, 4 * words, name == "sub"), f"a buffer's word = {meaning}, b being d"))  # fmt: skip
    for name, opcode in (("wbinvl1", 62), ("wbinvl1_vol", 63)):
        rows.append(Row(f"buffer_{name}", "MUBUF", opcode, "", _nothing, "empties the first-level cache: nothing here"))
    return rows


ROWS = tuple(_rows())
