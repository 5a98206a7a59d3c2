"""DS: the block's local data share, and data that its crossbar moves between lanes.

In hardware: 64 KiB a compute unit in 32 banks of 4 bytes, with an integer unit at each bank for atomic operations. An address is the sum
of a vector register and an offset in the instruction; `2` in a name is two words at two offsets in one instruction. Answers come in order
and are counted by lgkmcnt. The crossbar in front of the banks also moves registers between lanes: ds_swizzle and ds_bpermute touch no
memory.

Source: AMD "Vega" Instruction Set Architecture, chapter 11 and section 12.13.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import ONES, Code, Number
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.registers import EXEC, FIRST_VECTOR
from warploom.isa.uop import SHARED_SPACE, SIGNED, SPECIAL_NUMBER, scalar

Lower = Callable[[Code], None]
WORD = 4


def _address(code: Code) -> int:
    return code.place("a") - FIRST_VECTOR


def _data(code: Code, letter: str) -> int:
    return code.place(letter) - FIRST_VECTOR


def _offset(code: Code) -> int:
    return code.field("offset0") | code.field("offset1") << 8


def _check(code: Code) -> None:
    if code.field("gds"):
        code.refuse("the global data share is something that this machine does not have")


def _read(words: int = 1, size: int = WORD, flags: int = 0) -> Lower:
    def lower(code: Code) -> None:
        _check(code)
        target, address = code.target(), _address(code)
        if words > 1 and target <= address < target + words:
            address = code.lane("mov", address)
        for word in range(words):
            code.vector("load", target + word, address, imm=_offset(code) + WORD * word, size=size, flags=flags, space=SHARED_SPACE)

    return lower


def _write(words: int = 1, size: int = WORD) -> Lower:
    def lower(code: Code) -> None:
        _check(code)
        for word in range(words):
            more = {"imm": _offset(code) + WORD * word, "size": size, "space": SHARED_SPACE}
            code.vector("store", a=_address(code), b=_data(code, "b") + word, **more)

    return lower


def _read_half(size: int, flags: int, high: int) -> Lower:
    """Into one half of the result's register, of which the other half stays."""

    def lower(code: Code) -> None:
        _check(code)
        loaded = code.lane("load", _address(code), imm=_offset(code), size=size, flags=flags, space=SHARED_SPACE)
        code.put_half(loaded, high)

    return lower


def _write_high(size: int) -> Lower:
    def lower(code: Code) -> None:
        _check(code)
        high = code.lane("shr", _data(code, "b"), Number(16))
        code.vector("store", a=_address(code), b=high, imm=_offset(code), size=size, space=SHARED_SPACE)

    return lower


def _two(words: int, store: bool) -> Lower:
    """Two values of one or two words, at offsets that count in their size or in 64 of them."""

    def lower(code: Code) -> None:
        _check(code)
        step, address = code.row.two_offsets, _address(code)
        if not store and code.target() <= address < code.target() + 2 * words:
            address = code.lane("mov", address)
        for number in range(2):
            for word in range(words):
                more = {"imm": code.field(f"offset{number}") * step + WORD * word, "space": SHARED_SPACE}
                if store:
                    code.vector("store", a=address, b=_data(code, "bc"[number]) + word, **more)
                else:
                    code.vector("load", code.target() + words * number + word, address, **more)

    return lower


def _atomic(name: str, returns: bool, size: int = WORD, negated: bool = False) -> Lower:
    def lower(code: Code) -> None:
        _check(code)
        data = _data(code, "b")
        value = negative(code, data, size) if negated else data
        target = code.target() if returns else code.lane_temporary()
        if size > WORD:
            code.lane_temporary()
        code.vector(name, target, _address(code), value, imm=_offset(code), size=size, space=SHARED_SPACE)

    return lower


def _compare_and_store(returns: bool, size: int = WORD) -> Lower:
    def lower(code: Code) -> None:
        _check(code)
        target = code.target() if returns else code.lane_temporary()
        if size > WORD:
            code.lane_temporary()
        more = {"imm": _offset(code), "size": size, "space": SHARED_SPACE}
        code.vector("atomic_cas", target, _address(code), _data(code, "b"), _data(code, "c"), **more)

    return lower


def negative(code: Code, data: int, size: int) -> int:
    """0 less a value of 32 or 64 bits, so that an addition subtracts it."""
    if size == WORD:
        return code.lane("sub", Number(0), data)
    low, high = code.lane_temporary(), code.lane_temporary()
    code.vector("sub", low, Number(0), data)
    code.vector("sub", high, Number(0), code.lane("add", data + 1, code.lane("sne", data, Number(0))))
    return low


def from_lane(code: Code, value: int, lane: int) -> None:
    """The result is a register of other lanes; of those that are not active 0."""
    upper, lower = (code.lane("shr", scalar(EXEC + half), lane) for half in (1, 0))
    active = code.lane("sel", upper, lower, code.lane("and", lane, Number(32)))
    moved = code.lane("shuffle", value, lane)
    code.put("sel", moved, Number(0), code.lane("and", active, Number(1)))


def _permute(code: Code) -> None:
    address = code.lane("add", _address(code), Number(_offset(code)))
    from_lane(code, _data(code, "b"), code.lane("and", code.lane("shr", address, Number(2)), Number(63)))


def _scatter(code: Code) -> None:
    address = code.lane("add", _address(code), Number(_offset(code)))
    lane = code.lane("and", code.lane("shr", address, Number(2)), Number(63))
    code.put("permute", _data(code, "b"), lane)


def _swizzle(code: Code) -> None:
    offset = _offset(code)
    lane = code.lane("special", imm=SPECIAL_NUMBER["lane"])
    if offset >> 15:  # in each four lanes
        place = code.lane("shl", code.lane("and", lane, Number(3)), Number(1))
        chosen = code.lane("and", code.lane("shr", Number(offset & 255), place), Number(3))
        there = code.lane("or", code.lane("and", lane, Number(ONES & ~3)), chosen)
    else:  # in each 32
        kept = code.lane("and", lane, Number(32 | offset & 31))
        there = code.lane("xor", code.lane("or", kept, Number(offset >> 5 & 31)), Number(offset >> 10 & 31))
    from_lane(code, _address(code), there)


def _nothing(code: Code) -> None:
    code.add("await")


ATOMICS = (("add", "u", 0, "atomic_add", "old + b"), ("sub", "u", 1, "atomic_add", "old - b"),
           ("rsub", "u", 2, "atomic_rsub", "b - old"), ("inc", "u", 3, "atomic_inc",
           "0 if old >= b, else old + 1"), ("dec", "u", 4, "atomic_dec", "b if old is 0 or above b, else old - 1"),
           ("min", "i", 5, "atomic_min", "the smaller, signed"), ("max", "i", 6, "atomic_max", "the larger, signed"),
           ("min", "u", 7, "atomic_minu", "the smaller, unsigned"), ("max", "u", 8, "atomic_maxu", "the larger, unsigned"),
           ("and", "b", 9, "atomic_and", "old & b"), ("or", "b", 10, "atomic_or", "old | b"),
           ("xor", "b", 11, "atomic_xor", "old ^ b"))  # fmt: skip


def _rows() -> list[Row]:
    def one(name: str, opcode: int, operands: str, lower: Lower, meaning: str, two_offsets: int = 0) -> Row:
        return Row("ds_" + name, "DS", opcode, operands, lower, meaning, two_offsets=two_offsets)

    rows = []
    for name, letter, opcode, operation, meaning in ATOMICS:
        for bits, first in ((32, 0), (64, 64)):
            kind, data = f"{letter}{bits}", "b" if bits == 32 else "b2"
            target = "d" if bits == 32 else "d2"
            size, minus = bits // 8, name == "sub"
            lower = [_atomic(operation, returns, size, minus) for returns in (False, True)]
            rows.append(one(f"{name}_{kind}", first + opcode, f"a {data}", lower[0], f"LDS = {meaning}"))
            rows.append(one(f"{name}_rtn_{kind}", first + 32 + opcode, f"{target} a {data}", lower[1], f"d = old; LDS = {meaning}"))
    for name, opcode, operation in (("min", 18, "atomic_fmin"), ("max", 19, "atomic_fmax"), ("add", 21, "atomic_fadd")):
        for bits, first, target, data in ((32, 0, "d", "b"), (64, 64, "d2", "b2")):
            if (name, bits) == ("add", 64):
                continue
            plain, returning = (_atomic(operation, returns, bits // 8) for returns in (False, True))
            number = first + opcode
            rows.append(one(f"{name}_f{bits}", number, f"a {data}", plain, "LDS = old and b, as floats"))
            rows.append(one(f"{name}_rtn_f{bits}", number + 32, f"{target} a {data}", returning, "d = old; LDS = old and b, as floats"))
    for name, opcode, size, flags in (("u8", 86, 1, 0), ("i8", 88, 1, SIGNED), ("u16", 90, 2, 0)):
        for high in range(2):
            half, number = ("high" if high else "low"), opcode + high
            rows.append(one(f"read_{name}_d16{'_hi' * high}", number, "d a", _read_half(size, flags, high), f"{half} half of d = LDS"))
    rows += [
        one("write_b32", 13, "a b", _write(), "LDS = b"),
        one("write2_b32", 14, "a b c", _two(1, True), "LDS at two offsets = b and c", 4),
        one("write2st64_b32", 15, "a b c", _two(1, True), "LDS at two offsets times 64 = b and c", 256),
        one("cmpst_b32", 16, "a b c", _compare_and_store(False), "LDS = c if it is b"),
        one("nop", 20, "", _nothing, "nothing"),
        one("write_b8", 30, "a b", _write(size=1), "LDS = low byte of b"),
        one("write_b16", 31, "a b", _write(size=2), "LDS = low half of b"),
        one("wrxchg_rtn_b32", 45, "d a b", _atomic("atomic_exchange", True), "d = old; LDS = b"),
        one("cmpst_b64", 80, "a b2 c2", _compare_and_store(False, 8), "LDS = c if it is b"),
        one("write_b8_d16_hi", 84, "a b", _write_high(1), "LDS = low byte of the high half of b"),
        one("write_b16_d16_hi", 85, "a b", _write_high(2), "LDS = high half of b"),
        one("cmpst_rtn_b64", 112, "d2 a b2 c2", _compare_and_store(True, 8), "d = old; LDS = c if it is b"),
        one("cmpst_rtn_b32", 48, "d a b c", _compare_and_store(True), "d = old; LDS = c if it is b"),
        one("read_b32", 54, "d a", _read(), "d = LDS"),
        one("read2_b32", 55, "d2 a", _two(1, False), "d = LDS at two offsets", 4),
        one("read2st64_b32", 56, "d2 a", _two(1, False), "d = LDS at two offsets times 64", 256),
        one("read_i8", 57, "d a", _read(size=1, flags=SIGNED), "d = byte of LDS with its sign"),
        one("read_u8", 58, "d a", _read(size=1), "d = byte of LDS"),
        one("read_i16", 59, "d a", _read(size=2, flags=SIGNED), "d = half a word of LDS with its sign"),
        one("read_u16", 60, "d a", _read(size=2), "d = half a word of LDS"),
        one("swizzle_b32", 61, "d a", _swizzle, "d = a of the lane that a pattern names; 0 of one that is not active"),
        one("permute_b32", 62, "d a b", _scatter, "lane a / 4 gets b; a lane that gets nothing has 0"),
        one("bpermute_b32", 63, "d a b", _permute, "d = b of lane a / 4; 0 of one that is not active"),
        one("write_b64", 77, "a b2", _write(2), "LDS = b"),
        one("write2_b64", 78, "a b2 c2", _two(2, True), "LDS at two offsets = b and c", 8),
        one("write2st64_b64", 79, "a b2 c2", _two(2, True), "LDS at two offsets times 64 = b and c", 512),
        one("wrxchg_rtn_b64", 109, "d2 a b2", _atomic("atomic_exchange", True, 8), "d = old; LDS = b"),
        one("read_b64", 118, "d2 a", _read(2), "d = LDS"),
        one("read2_b64", 119, "d4 a", _two(2, False), "d = LDS at two offsets", 8),
        one("read2st64_b64", 120, "d4 a", _two(2, False), "d = LDS at two offsets times 64", 512),
        one("write_b96", 222, "a b3", _write(3), "LDS = b"),
        one("write_b128", 223, "a b4", _write(4), "LDS = b"),
        one("read_b96", 254, "d3 a", _read(3), "d = LDS"),
        one("read_b128", 255, "d4 a", _read(4), "d = LDS"),
    ]
    return rows


ROWS = tuple(_rows())
