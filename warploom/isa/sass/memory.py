"""What loads, stores and atomic operations do.

A pointer has 64 bits. In its high word stands which window it is of: 0 is the device's memory, whose bytes the low word selects; the
addresses of shared and local memory, where an instruction takes any, have high words of their own (`integers.py`). An address with any
other high word is one where no memory is.
"""

from __future__ import annotations

from warploom.isa.sass.code import ONE, ONES, ZERO, Code, Number, Operand
from warploom.isa.sass.instruction import Instruction
from warploom.isa.sass.integers import LOCAL_WINDOW, SHARED_WINDOW
from warploom.isa.sass.operands import UNIFORM
from warploom.isa.sass.places import Address
from warploom.isa.sass.rows.memory import is_signed, size_of, target_offset, tells_the_old
from warploom.isa.uop import CONSTANT_SPACE, FENCE_BLOCK, FENCE_DEVICE, GLOBAL_SPACE, LOCAL_SPACE, NONE, SHARED_SPACE, SIGNED, scalar

ATOMICS = {
    "ADD": "atomic_add", "MIN": "atomic_minu", "MAX": "atomic_maxu", "INC": "atomic_inc", "DEC": "atomic_dec", "AND": "atomic_and",
    "OR": "atomic_or", "XOR": "atomic_xor", "EXCH": "atomic_exchange",
}  # fmt: skip
OPERATIONS = tuple(ATOMICS)
CAS_SHARED = 0x18D
U32, S32, U64, F32, F16X2, S64, F64, BF16X2 = range(8)
SPACES = {
    "LDG": GLOBAL_SPACE, "STG": GLOBAL_SPACE, "ATOMG": GLOBAL_SPACE, "RED": GLOBAL_SPACE, "LDS": SHARED_SPACE, "STS": SHARED_SPACE,
    "ATOMS": SHARED_SPACE, "LDGSTS": GLOBAL_SPACE, "LDL": LOCAL_SPACE, "STL": LOCAL_SPACE,
}  # fmt: skip
Place = tuple[int, int, int, int]  # base, offset, space, mask of the lanes or NONE


def _spec(code: Code) -> Address:
    assert code.one.row is not None
    return next(spec for spec in code.one.row.operands if isinstance(spec, Address))


def pointer_of(one: Instruction) -> tuple[int, int] | None:
    """Of an instruction that accesses memory by pointers of 64 bits: the register of their low words, and what is added."""
    spec = next((spec for spec in one.row.operands if isinstance(spec, Address)), None) if one.row is not None else None
    if spec is None or spec.own or not (spec.pair_at < 0 or one.word >> spec.pair_at & 1) or spec.added(one) is not None:
        return None
    register = spec.value(one)
    return None if register.zero else (register.number, spec.displacement(one))


def places(code: Code) -> list[Place]:
    """Where the lanes access memory: one space, or of a generic address three, each for some lanes."""
    spec = _spec(code)
    register, offset, added = code.value("address"), spec.displacement(code.one), spec.added(code.one)
    base: Operand = NONE if register.zero else register.number
    if spec.own and code.one.at(78, 2) and base != NONE:
        base = code.new("shl", base, Number(1 + code.one.at(78, 2)))
    if added is not None and not added.zero:
        base = scalar(added.number) if base == NONE else code.new("add", base, scalar(added.number))
    assert isinstance(base, int)
    space = SPACES.get(code.one.name, NONE)
    wide = not spec.own and (spec.pair_at < 0 or code.one.word >> spec.pair_at & 1) and base != NONE and added is None
    if space != NONE:
        if wide:
            base = code.new("sel", Number(ONES), base, base + 1)
        return [(base, offset, space, NONE)]
    if not wide:
        return [(base, offset, GLOBAL_SPACE, NONE)]
    return _windows(code, base, offset)


def _windows(code: Code, base: int, offset: int) -> list[Place]:
    """A generic address: the lanes of each window."""
    guard = code.new("lane_bit", code.predicate) if code.predicate != NONE else NONE
    if guard != NONE and code.flags:
        guard = code.new("xor", guard, Number(1))
    found = []
    inside = code.temporary()
    code.add("mov", inside, ZERO)
    for window, space in ((SHARED_WINDOW, SHARED_SPACE), (LOCAL_WINDOW, LOCAL_SPACE)):
        here = code.new("seq", base + 1, Number(window))
        code.add("or", inside, inside, here)
        found.append((here, space))
    found.insert(0, (code.new("xor", inside, Number(1)), GLOBAL_SPACE))  # first: the unit of device memory takes the instruction
    places_found: list[Place] = []
    address = code.new("sel", Number(ONES), base, code.new("sltu", Number(LOCAL_WINDOW), base + 1))
    for here, space in found:
        mask = code.mask_temporary()
        code.add("ballot", mask, here if guard == NONE else code.new("and", here, guard))
        places_found.append((address, offset, space, mask))
    return places_found


def access(
    code: Code, place: Place, name: str, dst: int, value: Operand = NONE, other: Operand = NONE, shift: int = 0, **more: int
) -> None:
    """One access in the lanes of a place."""
    base, offset, space, mask = place
    more |= {"imm": offset + shift, "space": space}
    if mask == NONE:
        code.put(name, dst, base, value, other, **more)
    else:
        code.add(name, dst, base, value, other, predicate=mask, **more)


def load(code: Code) -> None:
    """LD, LDG, LDS, LDL: 16 bytes are two halves of one instruction."""
    size, flags = size_of(code.one), SIGNED if is_signed(code.one) else 0
    target = code.target("d", max(1, size // 4))
    _no_predicate(code)
    for base, *rest in places(code):
        kept = code.new("mov", base) if size == 16 and base != NONE and target <= base < target + 2 else base
        place: Place = (kept, rest[0], rest[1], rest[2])
        for part in range(0, size, 8):
            access(code, place, "load", target + part // 4, shift=part, size=min(size, 8), **({"flags": flags} if flags else {}))


def _no_predicate(code: Code) -> None:
    if "p" in code.one.values and code.flag("p") is not None:
        code.refuse("a load that says whether it was allowed is something that this machine does not have")


def _data(code: Code, role: str, words: int) -> int:
    """The register of what is stored, or zeros in a row."""
    value = code.value(role)
    if not value.zero:
        return value.number
    first = code.temporary()
    for _ in range(words - 1):
        code.temporary()
    for word in range(words):
        code.add("mov", first + word, ZERO)
    return first


def store(code: Code) -> None:
    """ST, STG, STS, STL."""
    size = size_of(code.one)
    data = _data(code, "data", max(1, size // 4))
    for place in places(code):
        for part in range(0, size, 8):
            access(code, place, "store", NONE, data + part // 4, shift=part, size=min(size, 8))


def load_constant(code: Code) -> None:
    """LDC, ULDC: a constant, whose place a register may say."""
    value, size = code.value("address"), size_of(code.one)
    index: Operand = ZERO
    if code.one.name == "LDC":
        index = ZERO if code.one.at(24, 8) == 255 else code.one.at(24, 8)
    elif code.one.at(0, 9) == 0x0BB:
        index = ZERO if code.one.at(24, 6) == 63 else scalar(code.one.at(24, 6))
    elif code.one.word >> 91 & 1 and code.one.at(24, 6):
        code.refuse("a constant bank that a register chooses is something that this machine does not have")
    words = max(1, size // 4)
    target = code.target("d", words)
    if index == ZERO and size >= 4:
        for word in range(words):
            code.put("mov", target + word, code.plain(value, word))
        return
    base = code.kernel.bases.get(value.bank)
    if base is None:
        code.refuse(f"there is no constant bank {value.bank}")
    offset = value.number - (value.number >> 15 << 16) + (base or 0)
    flags = SIGNED if is_signed(code.one) else 0
    address = index if index != ZERO else code.new("mov", ZERO)
    lanes = target if not code.uniform else code.temporary()
    if code.uniform and words > 1:
        code.temporary()
    for part in range(0, size, 8):
        code.add("load", lanes + part // 4, address, imm=offset + part, size=min(size, 8), space=CONSTANT_SPACE, flags=flags)
    if code.uniform:
        for word in range(words):
            code.add("shuffle", target + word, lanes + word, ZERO)


def atomic(code: Code) -> None:
    """ATOM, ATOMG, ATOMS, RED."""
    code_number = code.one.at(0, 9)
    kind = code.one.at(73, 3)
    if code_number in (0x1A2, 0x1A3, 0x1A6):
        kind = {0: F16X2, 1: F16X2, 9: F32, 10: F32, 15: F64}.get(code.one.at(73, 4), BF16X2)
    counts = code_number == 0x18C and code.one.form == 7
    compares = code_number in (0x18D, 0x1A9, 0x18B)
    operation = OPERATIONS[code.one.at(87, 3 if code.one.name == "RED" else 4)] if not (counts or compares) else "ADD"
    size = 8 if kind in (U64, S64, F64) and not counts else 4
    name = ATOMICS[operation]
    if kind in (F32, F64) and operation == "ADD":
        name = "atomic_fadd"
    elif kind == F16X2 and operation == "ADD":
        name = "atomic_hadd"
    elif kind == BF16X2 and operation == "ADD":
        name = "atomic_bfadd"
    elif kind in (F32, F16X2, F64, BF16X2) and operation != "EXCH":
        code.refuse("an atomic operation of this type is something that this machine does not have")
    elif kind in (S32, S64) and operation in ("MIN", "MAX"):
        name = name.removesuffix("u")
    target = code.target("d", size // 4) if "d" in code.one.values else NONE
    if counts:
        if code.one.at(88, 1) == 0:
            code.refuse("an arrival at a barrier in memory is something that this machine does not have")
        data = code.new("mov", Number(1))
    else:
        data = _data(code, "data", size // 4)
    tells = compares and code_number == CAS_SHARED and not tells_the_old(code.one)  # .CAST: whether it has stored, and not the old value
    old = (code.pair() if size == 8 else code.temporary()) if tells else target
    for place in places(code):
        if compares:
            access(code, place, "atomic_cas", old, data, _data(code, "data2", size // 4), size=size)
        else:
            access(code, place, name, target, data, size=size)
    if tells:
        same = code.new("seq", old, data)
        if size == 8:
            same = code.new("and", same, code.new("seq", old + 1, data + 1))
            code.put("mov", target + 1, ZERO)
        code.put("mov", target, same)
    if "p" in code.one.values:
        code.set_flag("p", Number(1))


def ask_window(code: Code) -> None:
    """QSPC.S: whether a generic address is one of shared memory."""
    if code.one.at(73, 2) != 2 or code.one.at(24, 8) == 255:
        code.refuse("this question about an address is something that this machine does not have")
    inside = code.new("seq", code.value("address").number + 1, Number(SHARED_WINDOW))
    code.put("mov", code.target(), inside)
    code.set_flag("p", inside)


def fence(code: Code) -> None:
    """MEMBAR."""
    code.add("fence", imm=FENCE_BLOCK if code.one.at(76, 3) < 2 else FENCE_DEVICE)


def copy(code: Code) -> None:
    """LDGSTS: shared memory = global memory; zeros where its predicate does not hold."""
    size = size_of(code.one)
    target, chosen = code.value("d"), code.value("p")
    first = code.temporary()
    for _ in range(max(1, size // 4) - 1):
        code.temporary()
    base, offset, space, _ = places(code)[0]
    to: Operand = NONE if target.zero else target.number
    mask = NONE
    if not chosen.true:
        truth = code.truth(chosen)
        if code.predicate != NONE:
            guard = code.new("lane_bit", code.predicate)
            truth = code.new("and", truth, code.new("xor", guard, ONE) if code.flags else guard)
        mask = code.mask_temporary()
        code.add("ballot", mask, truth)
        for word in range(max(1, size // 4)):
            code.add("mov", first + word, ZERO)
    place: Place = (base, offset, space, mask)
    for part in range(0, size, 8):
        access(code, place, "load", first + part // 4, shift=part, size=min(size, 8))
    for part in range(0, size, 8):
        code.put("store", NONE, to, first + part // 4, imm=target_offset(code.one) + part, size=min(size, 8), space=SHARED_SPACE)


__all__ = ["UNIFORM", "atomic", "copy", "fence", "load", "load_constant", "store"]
