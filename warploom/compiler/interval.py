"""Interval arithmetic: between which bounds the result of an operation lies, when its operands lie between theirs.

Bounds are mathematical; a result that may pass the limits of its type wraps, and is then known to lie within the type's limits only.
Source: Harrison, "Compiler Analysis of the Value Ranges for Variables", IEEE TSE 1977.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from warploom.compiler.ssa import LIMITS, Interval, Value

# A launch has fewer than 2^31 threads, so the first thread of a block has a number below this.
MOST_FIRST_THREAD = (1 << 31) - 2048
MOST_BLOCK = 1024
SPECIAL_LIMITS: dict[str, Interval] = {
    **{f"thread_{axis}": (0, MOST_BLOCK - 1) for axis in "xyz"},
    **{f"block_dim_{axis}": (1, MOST_BLOCK) for axis in "xyz"},
    **{f"block_{axis}": (0, (1 << 31) - 2) for axis in "xyz"},
    **{f"grid_dim_{axis}": (1, (1 << 31) - 1) for axis in "xyz"},
    "lane": (0, 63), "lanes": (1, 64), "warp": (0, 63), "thread": (0, MOST_BLOCK - 1), "block": (0, (1 << 31) - 2),
}  # fmt: skip
_FIRST_THREAD = {(f"block_{axis}", f"block_dim_{axis}") for axis in "xyz"} | {(f"grid_dim_{axis}", f"block_dim_{axis}") for axis in "xyz"}


def interval(value: Value, of: Callable[[Value], Interval] | None = None) -> Interval:
    """The bounds of a value. of: the bounds of an operand, where they are known better than by itself."""
    limits = LIMITS[value.type]
    if value.type not in ("i64", "u64"):
        return limits
    if value.op in ("shuffle", "barrier_count") or value.op.startswith("atomic_"):
        return value.lo, value.hi  # of other threads: its type's, as it was made with
    rule = RULES.get(value.op)
    if rule is None:
        return limits
    operands = [(operand.lo, operand.hi) if of is None else of(operand) for operand in value.args]
    found = rule(value, operands)
    return limits if found is None or found[0] < limits[0] or found[1] > limits[1] else found


def _corners(rule: Callable[[int, int], int], x: Interval, y: Interval) -> Interval:
    found = [rule(p, q) for p, q in product(x, y)]
    return min(found), max(found)


def _mul(value: Value, r: Sequence[Interval]) -> Interval:
    names = tuple(sorted(str(operand.imm) for operand in value.args if operand.op == "special"))
    if len(names) == 2 and ((names[0], names[1]) in _FIRST_THREAD or (names[1], names[0]) in _FIRST_THREAD):
        return 0, MOST_FIRST_THREAD
    if value.args[0] is value.args[1]:
        top = max(r[0][0] ** 2, r[0][1] ** 2)
        return 0, top
    return _corners(lambda p, q: p * q, *r)


def _shl(value: Value, r: Sequence[Interval]) -> Interval | None:
    return _corners(lambda p, q: p << q, *r) if r[1][0] >= 0 and r[1][1] < 64 else None


def _shr(value: Value, r: Sequence[Interval]) -> Interval | None:
    if r[1][0] >= 0 and r[1][1] < 64:
        return _corners(lambda p, q: p >> q, *r)
    return min(r[0][0], 0), max(r[0][1], -1 if r[0][1] < 0 else 0)


def _bits(x: int) -> int:
    return (1 << x.bit_length()) - 1


def _and(value: Value, r: Sequence[Interval]) -> Interval | None:
    nonnegative = [one[1] for one in r if one[0] >= 0]
    if nonnegative:
        return 0, min(nonnegative)
    return -_bits(-min(r[0][0], r[1][0])) - 1, max(r[0][1], r[1][1], 0)


def _or(value: Value, r: Sequence[Interval]) -> Interval:
    (a, b), (c, d) = r
    if a >= 0 and c >= 0:
        return 0, _bits(max(b, d))
    top = _bits(max(abs(a), abs(b), abs(c), abs(d)))
    return -top - 1, top


def _floordiv(value: Value, r: Sequence[Interval]) -> Interval | None:
    (a, b), (c, _) = r
    if c > 0:
        return _corners(lambda p, q: p // q, *r)
    top = max(abs(a), abs(b))
    return (0, b) if a >= 0 and c >= 0 else (-top, top)


def _floormod(value: Value, r: Sequence[Interval]) -> Interval | None:
    (a, b), (c, d) = r
    if c >= 0:  # by zero: what the machine gives, the dividend
        return (0, min(b, d - 1) if c > 0 else b) if a >= 0 else (0, d - 1) if c > 0 else None
    return None


def _quot(value: Value, r: Sequence[Interval]) -> Interval:
    top = max(abs(r[0][0]), abs(r[0][1]))
    return (-1 if r[1][0] <= 0 <= r[1][1] else -top if r[0][0] < 0 or r[1][0] < 0 else 0), max(top, 0) if r[0][0] >= 0 and r[1][
        0
    ] >= 0 else top


def _rest(value: Value, r: Sequence[Interval]) -> Interval:
    return min(r[0][0], 0), max(r[0][1], 0)


def _wrap(value: Value, r: Sequence[Interval]) -> Interval:
    lo, hi = whole_limits(value.type, int(value.imm))
    return r[0] if lo <= r[0][0] and r[0][1] <= hi else (lo, hi)


def _from_end(value: Value, r: Sequence[Interval]) -> Interval:
    (a, b), (c, d) = r
    return (a, b) if a >= 0 else (min(a + c, 0), max(b, d - 1))


def _select(value: Value, r: Sequence[Interval]) -> Interval:
    return min(r[1][0], r[2][0]), max(r[1][1], r[2][1])


def _phi(value: Value, r: Sequence[Interval]) -> Interval:
    return min(one[0] for one in r), max(one[1] for one in r)


def whole_limits(type: str, bits: int) -> Interval:
    """What a whole number of so many bits can be, signed when the type is."""
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if type == "i64" else (0, (1 << bits) - 1)


RULES: dict[str, Callable[[Value, Sequence[Interval]], Interval | None]] = {
    "phi": _phi,
    "add": lambda value, r: (r[0][0] + r[1][0], r[0][1] + r[1][1]),
    "sub": lambda value, r: (r[0][0] - r[1][1], r[0][1] - r[1][0]),
    "mul": _mul, "shl": _shl, "shr": _shr, "and": _and, "or": _or, "xor": _or, "floordiv": _floordiv,
    "floormod": _floormod, "quot": _quot, "rest": _rest,
    "min": lambda value, r: (min(r[0][0], r[1][0]), min(r[0][1], r[1][1])),
    "max": lambda value, r: (max(r[0][0], r[1][0]), max(r[0][1], r[1][1])),
    "wrap": _wrap, "from_end": _from_end, "sel": _select,
    "popc": lambda value, r: (0, int(value.imm)), "clz": lambda value, r: (0, int(value.imm)), "ctz": lambda value, r: (0, int(value.imm)),
    "brev": lambda value, r: (0, (1 << int(value.imm)) - 1),
    "special": lambda value, r: SPECIAL_LIMITS.get(str(value.imm), (0, (1 << 32) - 1)),
    "bits": lambda value, r: (0, (1 << (32 if value.args[0].type == "f32" else 64)) - 1),
    "f2h": lambda value, r: (0, 0xFFFF),
    "half": lambda value, r: (0, 1 if value.type == "i1" else 0xFFFF),
    "f2i": lambda value, r: whole_limits(value.type, int(value.imm)),
    "match": lambda value, r: (0, (1 << 32) - 1),
    "load": lambda value, r: _loaded(value),
    "ballot": lambda value, r: (0, (1 << 32) - 1),
    "activemask": lambda value, r: (0, (1 << 32) - 1),
    "trace_ray": lambda value, r: (0, (1 << 32) - 1), "await_ray": lambda value, r: (0, (1 << 32) - 1),
    "ray_answer": lambda value, r: (0, (1 << 32) - 1) if value.type == "i64" else None,
}  # fmt: skip


def _loaded(value: Value) -> Interval:
    assert value.access is not None
    bits = 8 * value.access.size
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if value.access.signed else (0, (1 << bits) - 1)
