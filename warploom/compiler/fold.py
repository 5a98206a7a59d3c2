"""Folding: what an operation's operands say about its result before there is an operation.

Arithmetic on constants, neutral elements, multiplications by powers of two, sums whose constants float outwards, into the offset of a
memory access, and comparisons that intervals decide. Floats are folded where IEEE 754 gives one answer, and nothing is reordered.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from warploom.compiler.interval import whole_limits
from warploom.compiler.ssa import FLOATS, FLUSHED, LIMITS, Maker, Value

MOST_SHIFT = 64


def wrapped(number: int, type: str) -> int:
    """A whole number as a result of this type holds it."""
    lo, hi = LIMITS[type]
    return number if lo <= number <= hi else (number - lo) % (hi - lo + 1) + lo


def fold(b: Maker, op: str, args: list[Value], type: str, imm: Any) -> Value | None:
    """The value that is known already, or None. `args` may be put in a better order."""
    if imm == FLUSHED:
        return None
    if args and all(value.op == "const" for value in args):
        found = _constant(b, op, args, type, imm)
        if found is not None:
            return found
    if op == "sel":
        return _select(b, args)
    if op == "wrap":
        return _wrap(b, args[0], type, imm)
    if op in ("eq", "ne", "lt"):
        return _compare(b, op, *args)
    if op == "from_end":
        index, size = args
        return index if index.lo >= 0 else b.pure("add", index, size) if index.hi < 0 else None
    if len(args) != 2 or type in FLOATS or op not in ARITHMETIC:
        return _float(b, op, args, type)
    x, y = args
    if y.op == "const":
        return _with_number(b, op, x, y, int(y.imm), type)
    if op == "sub" and x is y:
        return b.whole(0, type)
    if op in ("and", "or", "min", "max") and x is y:
        return x
    return _sum(b, args, type) if op == "add" else None


def _float(b: Maker, op: str, args: list[Value], type: str) -> Value | None:
    if op == "f2f" and args[0].type == type:
        return args[0]
    if op == "f2f" and args[0].op == "f2f" and type == "f32" and args[0].args[0].type == "f32":
        return args[0].args[0]  # to 64 bits and back
    if op in ("fneg", "bits", "float") and args[0].op == {"fneg": "fneg", "bits": "float", "float": "bits"}[op]:
        inner = args[0].args[0]
        return inner if op != "bits" or inner.type == type else None
    if op == "fmul" and args[1].op == "const" and args[1].imm == 1.0:
        return args[0]
    return None


def _constant(b: Maker, op: str, args: list[Value], type: str, imm: Any) -> Value | None:
    numbers = [value.imm for value in args]
    if op in FLOAT_CONSTANTS and type in FLOATS and args[0].type == type:
        try:
            return b.real(FLOAT_CONSTANTS[op](*numbers), type)
        except (ArithmeticError, ValueError):
            return None
    if op in ("i2f", "f2f"):
        number = numbers[0]
        return b.real(float(number), type) if op == "f2f" or abs(number) < 1 << 53 else None
    if op == "bits":
        form = "<f" if args[0].type == "f32" else "<d"
        return b.whole(int.from_bytes(struct.pack(form, numbers[0]), "little"), "u64")
    if op == "float":
        size = 4 if type == "f32" else 8
        return b.real(struct.unpack("<f" if size == 4 else "<d", int(numbers[0] % (1 << 8 * size)).to_bytes(size, "little"))[0], type)
    if op == "f2i":
        number, (lo, hi) = numbers[0], whole_limits(type, int(imm))
        return None if math.isnan(number) else b.whole(lo if number <= lo else hi if number >= hi else int(number), type)
    if op in ("feq", "flt", "fle"):
        x, y = numbers
        return b.truth({"feq": x == y, "flt": x < y, "fle": x <= y}[op])
    if op in ARITHMETIC and len(numbers) == 2:
        x, y = int(numbers[0]), int(numbers[1])
        if op in ("shl", "shr") and not 0 <= y < MOST_SHIFT:
            return None
        if op in ("floordiv", "floormod") and y == 0:
            return None
        return b.whole(wrapped(ARITHMETIC[op](x, y), type), type)
    return None


FLOAT_CONSTANTS: dict[str, Callable[..., Any]] = {
    "fadd": lambda x, y: x + y, "fsub": lambda x, y: x - y, "fmul": lambda x, y: x * y, "fdiv": lambda x, y: x / y,
    "fneg": lambda x: -x, "fabs": abs, "fsqrt": math.sqrt,
}  # fmt: skip
ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "and": lambda x, y: x & y,
    "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y, "min": min, "max": max, "shl": lambda x, y: x << y, "shr": lambda x, y: x >> y,
    "floordiv": lambda x, y: x // y, "floormod": lambda x, y: x % y,
}  # fmt: skip


def _with_number(b: Maker, op: str, x: Value, y: Value, n: int, type: str) -> Value | None:
    """`x op n`."""
    if n == 0 and op in ("add", "sub", "or", "xor", "shl", "shr"):
        return x
    if n == 0 and op in ("mul", "and"):
        return b.whole(0, type)
    if op == "sub":
        return b.pure("add", x, b.whole(-n, type), type=type)
    inner = int(x.args[1].imm) if x.op in ("add", "mul", "shl", "shr", "and") and len(x.args) == 2 and x.args[1].op == "const" else None
    same = inner is not None and x.type == type
    if op == "add" and same and x.op == "add":
        return b.pure("add", x.args[0], b.whole(wrapped(int(inner or 0) + n, type), type), type=type)
    if op == "mul":
        if n == 1:
            return x
        if same and x.op == "add":  # (x + c) * n = x * n + c * n
            return b.pure("add", b.pure("mul", x.args[0], y, type=type), b.whole(wrapped(int(inner or 0) * n, type), type), type=type)
        if n > 0 and n & (n - 1) == 0:
            return b.pure("shl", x, b.whole(n.bit_length() - 1), type=type)
    if op in ("shl", "shr") and not 0 <= n < MOST_SHIFT:  # as PTX's: a negative number is a large one
        return b.whole(0, type) if op == "shl" or x.lo >= 0 else b.pure("shr", x, b.whole(MOST_SHIFT - 1), type=type)
    if op == "shl" and same:
        if x.op == "add":
            return b.pure("add", b.pure("shl", x.args[0], y, type=type), b.whole(wrapped(int(inner or 0) << n, type), type), type=type)
        if x.op == "shl" and n + int(inner or 0) < MOST_SHIFT:
            return b.pure("shl", x.args[0], b.whole(n + int(inner or 0)), type=type)
    if op in ("floordiv", "floormod") and n > 0:
        if n == 1:
            return x if op == "floordiv" else b.whole(0, type)
        if n & (n - 1) == 0:  # also of negative numbers: both round down
            return (
                b.pure("shr", x, b.whole(n.bit_length() - 1), type=type)
                if op == "floordiv"
                else b.pure("and", x, b.whole(n - 1), type=type)
            )
        if x.lo >= 0 and x.hi < n:
            return x if op == "floormod" else b.whole(0, type)
    if op == "and" and n >= 0 and n & (n + 1) == 0 and x.lo >= 0 and x.hi <= n:
        return x
    if (op == "min" and x.hi <= n) or (op == "max" and x.lo >= n):
        return x
    return None


def _sum(b: Maker, args: list[Value], type: str) -> Value | None:
    """`x + y`, no constants: constants float outwards, and what does not change in a loop is added outside of it."""
    x, y = args
    for first, second in ((x, y), (y, x)):
        if first.op == "add" and first.type == type and first.args[1].op == "const":
            return b.pure("add", b.pure("add", first.args[0], second, type=type), first.args[1], type=type)
    if x.level > y.level:
        args.reverse()
        x, y = args
    if y.op == "add" and y.type == type and y.args[0].level < y.level and x.level < y.level:
        return b.pure("add", b.pure("add", x, y.args[0], type=type), y.args[1], type=type)
    return None


def _wrap(b: Maker, x: Value, type: str, imm: Any) -> Value | None:
    """To `imm` bits, signed when the type is."""
    bits = int(imm)
    lo, hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if type == "i64" else (0, (1 << bits) - 1)
    if lo <= x.lo and x.hi <= hi:
        return x
    if x.op == "const":
        return b.whole((int(x.imm) - lo) % (1 << bits) + lo, type)
    return b.pure("and", x, b.whole(hi, type), type=type) if type == "u64" and bits < 32 else None


def _select(b: Maker, args: list[Value]) -> Value | None:
    condition, x, y = args
    if condition.op == "const":
        return x if condition.imm else y
    if x is y or (x.op == y.op == "const" and x.type == y.type and x.imm == y.imm and math.copysign(1, x.imm) == math.copysign(1, y.imm)):
        return x
    return None


def _compare(b: Maker, op: str, x: Value, y: Value) -> Value | None:
    if op == "lt":
        if x.hi < y.lo or x.lo >= y.hi:
            return b.truth(x.hi < y.lo)
        return b.truth(False) if x is y else None
    if x.hi < y.lo or y.hi < x.lo:
        return b.truth(op == "ne")
    if x is y or x.lo == x.hi == y.lo == y.hi:
        return b.truth(op == "eq")
    if y.op == "const" and x.type == "i1":  # a truth value against 0 or 1
        if (op == "ne") == (y.imm == 0):
            return x
        if x.op in ("eq", "ne"):
            return b.pure({"eq": "ne", "ne": "eq"}[x.op], *x.args, type="i1")
    return None
