"""Loads, stores, atomics, addresses. PTX ISA 9.7.9 (data movement) and 9.7.13 (atomics and fences).

A generic address lies in the window of shared or of local memory, or else is one of global memory. Where a kernel makes generic
addresses of shared or local memory, and it is not known which an access uses, the thread asks and branches.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.compiler import ssa
from warploom.compiler.ssa import Value
from warploom.ptx.integers import Rule, negated
from warploom.ptx.module import BYTES, Instruction, Memory, Name, Number, Operand, Vector
from warploom.ptx.translation import (
    DEVICE_WINDOW,
    FLOAT_TYPES,
    LOCAL_WINDOW,
    PARAMETER_WINDOW,
    SHARED_WINDOW,
    WINDOWS,
    WORD,
    Translation,
    base_of,
)

SPACES = ("global", "shared", "local", "const", "param")
WIDEST = 16  # bytes of a lane that one instruction accesses
ALONE = ("volatile", "acquire", "relaxed", "mmio")  # loads that are not joined, and that no later load comes before
ATOMICS = {
    "add": "add",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "exch": "exchange",
    "cas": "cas",
    "inc": "inc",
    "dec": "dec",
    "min": "min",
    "max": "max",
}


def space_of(t: Translation, one: Instruction) -> str:
    """The state space that an instruction names; "" for generic addresses."""
    for word in one.modifiers:
        plain = word.split("::")[0]
        if plain in SPACES:
            if word == "shared::cluster":
                raise t.refuse(f"{one}: clusters of blocks are not there yet")
            return plain
    return ""


def address(t: Translation, memory: Operand) -> Value:
    """The address between brackets."""
    if not isinstance(memory, Memory):
        raise t.refuse("an address stands in brackets")
    base = memory.base
    found = t.whole(base.value) if isinstance(base, Number) else t.use(base, "b64")
    return t.pure("add", found, t.whole(memory.offset))


def _parts(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Vector) else (operand,)


# ---------------------------------------------------------------------------------------------------------
# One access, in the space that is known, or in the one that its address says


def _in_space(t: Translation, space: str, where: Value, access: Callable[[str, Value], Value | None], type: str) -> Value | None:
    """What an access of some space gives."""
    if space:
        return access("global" if space == "const" else space, where)
    windows = [name for name, made in (("shared", t.generic_shared), ("local", t.generic_local)) if made and not _is_global(where)]
    if not windows:
        return access("global", where)
    low = t.fit(where, "u32")
    for name, begin, end in (("shared", SHARED_WINDOW, LOCAL_WINDOW), ("local", LOCAL_WINDOW, WORD + 1)):
        if begin <= low.lo and low.hi < end:
            return access(name, t.pure("sub", low, t.whole(begin)))
    return _asked(t, windows, low, where, access, type)


def _is_global(where: Value, depth: int = 0) -> bool:
    """Whether an address is made from a kernel's parameter and offsets: such a pointer is one of global memory."""
    if where.op == "param":
        return where.access is None or where.access.space != "dynamic shared"
    if where.op == "wrap" and depth < 16:
        return _is_global(where.args[0], depth + 1)
    return where.op == "add" and depth < 16 and any(_is_global(one, depth + 1) for one in where.args if one.op != "const")


def _asked(
    t: Translation, windows: list[str], low: Value, where: Value, access: Callable[[str, Value], Value | None], type: str
) -> Value | None:
    """An access whose space the thread finds out: a branch for each window."""
    b = t.b
    after = b.new_block()
    made: list[Value] = []

    def leave(found: Value | None) -> None:
        if found is not None:
            made.append(found)
        b.jump(after)

    for name in windows:
        begin = WINDOWS[name]
        holds = negated(t, t.pure("lt", low, t.whole(begin), type="i1"))
        if name == "shared":
            holds = t.pure("and", holds, t.pure("lt", low, t.whole(LOCAL_WINDOW), type="i1"), type="i1")
        inside, other = b.new_block(), b.new_block()
        b.branch(holds, inside, other)
        _go_to(t, inside)
        leave(access(name, t.pure("sub", low, t.whole(begin))))
        _go_to(t, other)
    leave(access("global", where))
    _go_to(t, after)
    if not type:
        return None
    return b.phi(after, type, made)


def _go_to(t: Translation, block: ssa.Block) -> None:
    t.b.place(block)
    t.b.scopes = [{}]


# ---------------------------------------------------------------------------------------------------------
# Instructions


def load(t: Translation, one: Instruction) -> None:
    """`ld`, `ldu`, with one, two, four or eight numbers."""
    kind, space = one.type, space_of(t, one)
    source = one.operands[1]
    targets = _parts(one.operands[0])
    if kind == "b128":
        raise t.refuse(f"{one} is not there yet")
    if space == "param":
        _load_parameters(t, one, targets)
        return
    where = address(t, source)
    size = BYTES[kind]
    row = _row(len(targets), size)
    if not row and any(word in ALONE for word in one.modifiers):
        row = size
    for place, target in enumerate(targets):
        value = _in_space(
            t, space, t.pure("add", where, t.whole(place * size)), lambda name, at: loaded(t, name, at, kind, row), loaded_type(kind)
        )
        assert value is not None
        if not (isinstance(target, Name) and target.name == "_"):
            t.set(value, target)


def loaded_type(kind: str) -> str:
    """The SSA type of what is loaded."""
    return kind if kind in FLOAT_TYPES else "i64"


def loaded(t: Translation, space: str, where: Value, kind: str, row: int = 0) -> Value:
    """Memory at an address. row: bytes of the vector that it is a part of."""
    access = ssa.Access(space, -1, BYTES[kind], kind[0] == "s", row)
    return t.bounded(t.b.effect("load", where, type=loaded_type(kind), access=access), kind)


def _row(count: int, size: int) -> int:
    """Bytes of a vector of `count` numbers, which one instruction accesses; 0 for one number."""
    return count * size if count > 1 and count * size <= WIDEST else 0


def store(t: Translation, one: Instruction) -> None:
    """`st`."""
    kind, space = one.type, space_of(t, one)
    values = [t.use(item, kind) for item in _parts(one.operands[1])]
    if kind == "b128":
        raise t.refuse(f"{one} is not there yet")
    if space == "param":
        _store_parameters(t, one, values)
        return
    if space == "const":
        raise t.refuse(f"{one}: a kernel cannot write constant memory")
    where = address(t, one.operands[0])
    size = BYTES[kind]
    row = _row(len(values), size)

    def stored(name: str, at: Value, value: Value) -> None:
        t.b.effect("store", at, value, access=ssa.Access(name, -1, size, False, row))

    for place, value in enumerate(values):
        _in_space(t, space, t.pure("add", where, t.whole(place * size)), lambda name, at, value=value: stored(name, at, value), "")  # type: ignore[misc]


def piece(name: str, offset: int) -> str:
    """The register that stands for bytes of a variable that is passed to a function."""
    return f"{name}+{offset}"


def _load_parameters(t: Translation, one: Instruction, targets: tuple[Operand, ...]) -> None:
    memory, kind = one.operands[1], one.type
    assert isinstance(memory, Memory)
    name, size = base_of(memory), BYTES[kind]
    for place, target in enumerate(targets):
        offset = memory.offset + place * size
        if name in t.parameters:
            value = t.parameter(name, offset, kind)
        elif name in t.passed:
            value = _passed(t, name, offset, kind)
        elif name in t.local:
            value = loaded(t, "local", t.whole(t.local[name] + offset), kind)
        else:
            where = t.pure("sub", t.fit(address(t, memory), "u32"), t.whole(PARAMETER_WINDOW))
            value = t.parameter_at(t.pure("add", where, t.whole(place * size)), kind)
        t.set(value, target)


def _passed(t: Translation, name: str, offset: int, kind: str) -> Value:
    size = BYTES[kind]
    if (found := t.env.get(piece(name, offset))) is not None:
        type = kind if kind in FLOAT_TYPES else "i64"
        return t.as_type(found, type) if size >= 4 else t.fit(t.as_type(found, "i64"), kind)
    halves = [t.env.get(piece(name, offset + 4 * place)) for place in (0, 1)]
    if size == 8 and halves[0] is not None and halves[1] is not None:
        low, high = (t.fit(t.as_type(one, "i64"), "u32") for one in halves if one is not None)
        return t.as_type(
            t.pure("or", t.pure("shl", high, t.whole(32), type="u64"), low, type="u64"), kind if kind in FLOAT_TYPES else "i64"
        )
    for back in (4, 2, 1, 3, 5, 6, 7):
        outer = t.env.get(piece(name, offset - back))
        if outer is not None:
            bits = t.pure("shr", t.fit(t.as_type(outer, "i64"), "u64" if size == 4 or back >= 4 else "u32"), t.whole(8 * back), type="u64")
            return t.as_type(t.fit(bits, kind if kind[0] in "us" else f"u{8 * size}"), kind if kind in FLOAT_TYPES else "i64")
    return t.as_type(t.whole(0), kind if kind in FLOAT_TYPES else "i64")


def _store_parameters(t: Translation, one: Instruction, values: list[Value]) -> None:
    memory = one.operands[0]
    assert isinstance(memory, Memory)
    name, size = base_of(memory), BYTES[one.type]
    if name in t.local:
        for place, value in enumerate(values):
            at = t.whole(t.local[name] + memory.offset + place * size)
            t.b.effect("store", at, value, access=ssa.Access("local", -1, size, False))
        return
    if name not in t.passed:
        raise t.refuse("parameters are written by name: an address that is computed is not there yet")
    for place, value in enumerate(values):
        t.put(piece(name, memory.offset + place * size), t.as_type(value, "i64"))


def convert_address(t: Translation, one: Instruction) -> None:
    """`cvta`: between an address of a space and a generic one."""
    space = space_of(t, one)
    source = one.operands[1]
    value = t.use(source, "b64")
    window = WINDOWS.get(space)
    if window is None:
        t.set(value)
    elif "to" in one.modifiers:
        t.set(t.fit(t.pure("sub", value, t.whole(DEVICE_WINDOW + window)), "u32"))
    else:
        t.set(t.pure("add", value, t.whole(DEVICE_WINDOW + window)))


def is_in_space(t: Translation, one: Instruction) -> None:
    """`isspacep`."""
    low = t.exact(one.operands[1], "u32")
    above = negated(t, t.pure("lt", low, t.whole(SHARED_WINDOW), type="i1"))
    local = negated(t, t.pure("lt", low, t.whole(LOCAL_WINDOW), type="i1"))
    space = space_of(t, one)
    if space == "shared":
        t.set(t.pure("and", above, negated(t, local), type="i1"))
    else:
        t.set(local if space == "local" else t.b.truth(False) if space in ("const", "param") else negated(t, above))


def atomic(t: Translation, one: Instruction) -> None:
    """`atom`, `red`."""
    kind, space = one.type, space_of(t, one)
    name = next((word for word in one.modifiers if word in ATOMICS), "")
    if not name or kind in ("b128", "f16", "f16x2", "bf16", "bf16x2"):
        raise t.refuse(f"{one} is not there yet")
    result = one.op == "atom"
    where = address(t, one.operands[1 if result else 0])
    rest = [t.use(operand, kind) for operand in one.operands[2 if result else 1 :]]
    op = ATOMICS[name]
    if kind in FLOAT_TYPES and name in ("add", "min", "max"):
        op = "f" + op
    elif name in ("min", "max") and kind[0] == "u":
        op += "u"
    if kind in FLOAT_TYPES and name in ("exch", "cas"):
        rest = [t.as_type(value, "i64") for value in rest]
    type = kind if op.startswith("f") and kind in FLOAT_TYPES else "u64"

    def done(space: str, at: Value) -> Value:
        found = t.b.effect("atomic_" + op, at, *rest, type=type, access=ssa.Access(space, -1, BYTES[kind], kind[0] == "s"))
        if type == "u64" and BYTES[kind] == 4:
            found.lo, found.hi = 0, WORD
        return found

    found = _in_space(t, space, where, done, type)
    if result and found is not None:
        t.set(t.as_type(found, kind if kind in FLOAT_TYPES else "i64"))


def fence(t: Translation, one: Instruction) -> None:
    """`membar`, `fence`."""
    block = "cta" in one.modifiers
    t.b.effect("fence", imm="block" if block else "device")


def nothing(t: Translation, one: Instruction) -> None:
    """Hints: `prefetch`, `prefetchu`, `discard`, `applypriority`, `nanosleep`, `pmevent`, `createpolicy`."""


RULES: dict[str, Rule] = {
    **dict.fromkeys(("ld", "ldu"), load),
    "st": store,
    "cvta": convert_address,
    "isspacep": is_in_space,
    **dict.fromkeys(("atom", "red"), atomic),
    **dict.fromkeys(("membar", "fence"), fence),
    **dict.fromkeys(("prefetch", "prefetchu", "discard", "applypriority", "nanosleep", "pmevent", "brkpt"), nothing),
}
