"""Operations on the bytes and halves of a word. PTX ISA 9.7.17 (video instructions), of vectors: `vadd4`, `vabsdiff2` and their like.

Hardware since Maxwell makes them of ordinary instructions, as is done here. Selectors of parts and masks are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.compiler.interval import whole_limits
from warploom.compiler.ssa import Value
from warploom.ptx.integers import Rule, ordered
from warploom.ptx.module import Instruction, Name
from warploom.ptx.translation import Translation

Lane = Callable[[Translation, Value, Value], Value]


def _average(t: Translation, x: Value, y: Value) -> Value:
    """Halves of odd sums are rounded away from zero."""
    total = t.pure("add", x, y)
    up = t.pure("sel", t.pure("lt", total, t.whole(0), type="i1"), t.whole(0), t.whole(1))
    return t.pure("shr", t.pure("add", total, up), t.whole(1))


def _distance(t: Translation, x: Value, y: Value) -> Value:
    return t.pure("sub", t.pure("max", x, y), t.pure("min", x, y))


LANES: dict[str, Lane] = {
    "vadd": lambda t, x, y: t.pure("add", x, y),
    "vsub": lambda t, x, y: t.pure("sub", x, y),
    "vmin": lambda t, x, y: t.pure("min", x, y),
    "vmax": lambda t, x, y: t.pure("max", x, y),
    "vavrg": _average,
    "vabsdiff": _distance,
}


def by_lanes(t: Translation, one: Instruction) -> None:
    """An operation on each part of two words: into a third word's parts, or with `.add` their sum and it."""
    count = int(one.op[-1])
    bits = 32 // count
    name = one.op[:-1]
    kinds = [word for word in one.modifiers if word in ("u32", "s32")]
    if any(isinstance(operand, Name) and operand.component for operand in one.operands) or len(one.operands) < 4:
        raise t.refuse(f"{one} with selectors of parts is not there yet")
    to, of_a, of_b = kinds if len(kinds) == 3 else ["u32", *kinds]
    a, b, made = (t.use(operand, "b32") for operand in one.operands[1:4])
    adds = "add" in one.modifiers
    low, high = whole_limits("i64" if to == "s32" else "u64", bits)
    word = t.whole(0)
    for place in range(count):
        x, y = (
            t.pure(
                "wrap",
                t.pure("shr", t.fit(value, "u32"), t.whole(bits * place), type="u64"),
                type="i64" if kind == "s32" else "u64",
                imm=bits,
            )
            for value, kind in ((a, of_a), (b, of_b))
        )
        if name == "vset":
            part = t.pure("sel", ordered(t, one.modifiers[-1 if not adds else -2], x, y, "s64"), t.whole(1), t.whole(0))
        else:
            part = LANES[name](t, x, y)
        if "sat" in one.modifiers:
            part = t.pure("min", t.pure("max", part, t.whole(low)), t.whole(high))
        part = t.pure("wrap", part, type="i64" if to == "s32" and adds else "u64", imm=bits)
        if adds:
            made = t.pure("add", made, part)
        else:
            word = t.pure("or", word, t.pure("shl", part, t.whole(bits * place)), type="i64")
    t.set(made if adds else word)


RULES: dict[str, Rule] = {f"{name}{count}": by_lanes for name in (*LANES, "vset") for count in (2, 4)}
