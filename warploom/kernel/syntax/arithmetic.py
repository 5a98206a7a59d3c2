"""Arithmetic of kernels: conversions, operators, comparisons and truth, with Numba's types and Python's meaning."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

import numpy as np

from warploom.compiler.interval import whole_limits
from warploom.compiler.ranges import INT32
from warploom.compiler.ssa import CANONICAL, LIMITS, Value
from warploom.kernel.mathematics import libm
from warploom.kernel.syntax.float_division import float_floordiv, float_mod
from warploom.kernel.syntax.questions import ask_divisor
from warploom.kernel.syntax.translator import ACTIONS, Translator
from warploom.kernel.syntax.widening import was_narrow, why_float
from warploom.kernel.types import types as ty
from warploom.kernel.types.types import Type
from warploom.kernel.types.values import Array, Complex, Number, Record, article, said

MOST_POWER = 64  # constant exponents up to which a power is products
OF_BITS = ("copysign",)  # functions that move bits, those of a NaN too

FLOAT_TESTS: dict[Any, str] = {ast.Lt: "flt", ast.LtE: "fle"}
SIMPLE = {ast.Add: ("add", "fadd"), ast.Sub: ("sub", "fsub"), ast.Mult: ("mul", "fmul")}
BITS = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
SIGNS: dict[Any, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
    ast.NotEq: "!=", ast.MatMult: "@",
}  # fmt: skip


def lifted(t: Translator, thing: Any) -> Any:
    """A number of the host as a constant; anything else as it is."""
    b = t.b
    if isinstance(thing, bool | np.bool_):
        return Number(ty.BOOL, b.truth(bool(thing)))
    if isinstance(thing, int):
        kind = ty.INT64 if -(1 << 63) <= thing < 1 << 63 else ty.UINT64
        return Number(kind, b.whole(int(thing), kind.ssa))
    if isinstance(thing, np.generic) and thing.dtype.names is None:
        found = ty.of_dtype(thing.dtype)
        if found is None:
            return thing
        if found.kind == "c":
            return complex_of(t, found, complex(thing))
        if thing.dtype.kind in "mM":
            thing = thing.view(np.int64)
        return Number(found, b.real(float(thing), found.ssa) if found.kind == "f" else b.whole(int(thing), found.ssa))
    if isinstance(thing, float):
        return Number(ty.FLOAT64, b.real(thing, "f64"))
    if isinstance(thing, complex):
        return complex_of(t, ty.COMPLEX128, thing)
    if isinstance(thing, tuple):
        parts = [lifted(t, one) for one in thing]
        return type(thing)(*parts) if hasattr(thing, "_fields") else tuple(parts)
    return thing


def complex_of(t: Translator, kind: Type, number: complex) -> Complex:
    """A complex constant."""
    one = ty.part(kind)
    return Complex(kind, Number(one, t.b.real(number.real, one.ssa)), Number(one, t.b.real(number.imag, one.ssa)))


# ---------------------------------------------------------------------------------------------------------
# Conversions


def converted(t: Translator, x: Any, kind: Type, node: ast.AST) -> Any:
    """A number as one of another type. Raises Problem for what is not a number."""
    if not isinstance(x, Number | Complex):
        t.error(node, f"{article(str(kind))} is wanted, and this is {said(x)}")
    if kind.kind == "c":
        one = ty.part(kind)
        parts = (x.real, x.imag) if isinstance(x, Complex) else (x, Number(ty.FLOAT64, t.b.real(0.0, "f64")))
        return Complex(kind, converted(t, parts[0], one, node), converted(t, parts[1], one, node))
    if isinstance(x, Complex):
        t.error(node, f"a complex number does not convert to {kind}", "take .real or .imag of it")
    return Number(kind, _value(t, x, kind))


def _value(t: Translator, x: Number, kind: Type) -> Value:
    b, value, old = t.b, x.value, x.type
    if old == kind:
        return value
    if kind.kind == "b":
        return truth_value(t, x)
    if kind.kind == "f":
        if old.kind == "f":
            if kind.bits == 16:
                return halved(t, value)
            return b.pure("f2f", value, type=kind.ssa)
        if kind.bits == 16:
            return halved(t, b.pure("i2f", value, type="f64"))
        return b.pure("i2f", value, type=kind.ssa)
    if old.kind == "f":
        made = b.pure("f2i", value, type=kind.ssa, imm=max(kind.bits, 32))
        if kind.bits >= 32:
            return made
        lo, hi = whole_limits(kind.ssa, 16)  # narrower than 16 bits no conversion of a GPU is: the rest is cut off
        made = b.pure("min", b.pure("max", made, b.whole(lo, kind.ssa), type=kind.ssa), b.whole(hi, kind.ssa), type=kind.ssa)
        return b.pure("wrap", made, type=kind.ssa, imm=kind.bits)
    return b.pure("wrap", value, type=kind.ssa, imm=kind.bits)


def halved(t: Translator, value: Value) -> Value:
    """A float rounded to 16 bits, held in 32."""
    return t.b.pure("h2f", t.b.pure("f2h", value, type="u64"), type="f32")


def truth_value(t: Translator, x: Number) -> Value:
    """1 where a number is not zero."""
    b = t.b
    if x.type.kind == "b":
        return x.value
    if x.type.kind == "f":
        return b.pure("eq", b.pure("feq", x.value, b.real(0.0, x.type.ssa), type="i1"), b.truth(False), type="i1")
    return b.pure("ne", x.value, b.whole(0), type="i1")


def truth(t: Translator, x: Any, node: ast.AST) -> Value:
    """What `if` asks."""
    if isinstance(x, Number):
        return truth_value(t, x)
    if isinstance(x, Complex):
        return t.b.pure("or", truth_value(t, x.real), truth_value(t, x.imag), type="i1")
    if isinstance(x, tuple):
        return t.b.truth(bool(x))
    if x is None or isinstance(x, str):
        return t.b.truth(bool(x))
    return t.error(node, f"{said(x)} is neither true nor false", "take an item of it" if isinstance(x, Array) else "")


def whole(t: Translator, x: Any, node: ast.AST, what: str) -> Value:
    """A whole number, for an index or a count. Raises Problem."""
    if isinstance(x, Number) and x.type.whole:
        return x.value
    why, fix = why_float(t.given, t.frame.path, node)
    return t.error(node, f"{what} is a whole number, and this is {said(x)}{why}", fix or "use // for whole division, or int(...)")


# ---------------------------------------------------------------------------------------------------------
# Operators


def binary(t: Translator, node: ast.AST, op: type, x: Any, y: Any) -> Any:
    """`x op y`. Raises Problem."""
    if op is ast.MatMult:
        t.error(node, "a kernel has no @", "write the sum of products as a loop")
    if isinstance(x, tuple) and isinstance(y, tuple) and op is ast.Add:
        return (*x, *y)
    if not isinstance(x, Number | Complex) or not isinstance(y, Number | Complex):
        hint = "take items of it, one a thread" if isinstance(x, Array) or isinstance(y, Array) else ""
        if isinstance(x, Record) or isinstance(y, Record):
            hint = "take fields of it"
        t.error(node, f"{SIGNS[op]} needs two numbers, and this is {said(x)} and {said(y)}", hint)
    if isinstance(x, Complex) or isinstance(y, Complex):
        return ACTIONS["complex_binary"](t, node, op, x, y)
    if op in BITS:
        kind = ty.bitwise(x.type, y.type)
        if kind.kind == "f":
            _not_whole(t, node, op, x, y)
        return Number(kind, t.b.pure(BITS[op], x.value, y.value, type=kind.ssa))
    if op in (ast.LShift, ast.RShift):
        if not (x.type.whole and y.type.whole):
            _not_whole(t, node, op, x, y)
        kind = ty.shifted(x.type)
        value = converted(t, x, kind, node).value
        return Number(kind, t.b.pure("shl" if op is ast.LShift else "shr", value, y.value, type=kind.ssa))
    if op is ast.Pow:
        return power(t, node, x, y)
    kind = ty.arithmetic(x.type, y.type)
    if op is ast.Div and kind.whole:
        kind = ty.FLOAT64
    if kind.kind == "f":
        _warn_of_double(t, node, x, y, kind)
    p, q = converted(t, x, kind, node).value, converted(t, y, kind, node).value
    if t.options.get("debug") and op in (ast.Div, ast.FloorDiv, ast.Mod) and len(t.frames) == 1:
        zero = t.b.pure("feq", q, t.b.real(0.0, kind.ssa), type="i1") if kind.kind == "f" else t.b.pure("eq", q, t.b.whole(0), type="i1")
        ACTIONS["throw_if"](t, node, zero, "ZeroDivisionError", "division by zero")
    if op in SIMPLE:
        return rounded(t, Number(kind, t.b.pure(SIMPLE[op][kind.kind == "f"], p, q, type=kind.ssa)))
    if kind.kind == "f":
        if op is ast.Div:
            return rounded(t, Number(kind, t.b.pure("fdiv", p, q, type=kind.ssa)))
        divide = float_floordiv if op is ast.FloorDiv else float_mod
        return rounded(t, Number(kind, divide(t, kind, p, q)))
    ask_divisor(t, node, q)
    return Number(kind, _divided(t, "floordiv" if op is ast.FloorDiv else "floormod", p, q, kind))


def _not_whole(t: Translator, node: ast.AST, op: type, x: Number, y: Number) -> NoReturn:
    """Floats where there are whole numbers only; where one is a variable that two paths made a float, the message says so."""
    why, fix = why_float(t.given, t.frame.path, node)
    t.error(node, f"{SIGNS[op]} needs whole numbers, and this is {said(x)} and {said(y)}{why}", fix)


def _divided(t: Translator, op: str, x: Value, y: Value, kind: Type) -> Value:
    """Quotient or rest, rounded down. Both are 0 where y is 0, and where the quotient has no place: Numba looks before it divides."""
    b = t.b
    made, none = b.pure(op, x, y, type=kind.ssa), b.whole(0, kind.ssa)
    if y.lo <= 0 <= y.hi:
        made = b.pure("sel", b.pure("eq", y, none, type="i1"), none, made, type=kind.ssa)
    lowest = LIMITS[kind.ssa][0]
    if op == "floordiv" and kind.kind == "i" and x.lo == lowest and y.lo <= -1 <= y.hi:
        over = b.pure("and", b.pure("eq", x, b.whole(lowest), type="i1"), b.pure("eq", y, b.whole(-1), type="i1"), type="i1")
        made = b.pure("sel", over, none, made, type=kind.ssa)
    elif op == "floordiv" and x.lo == INT32[0] and x.hi <= INT32[1] and INT32[0] <= y.lo <= -1 <= y.hi <= INT32[1]:
        # A division of words, whose one quotient that is no word is -2^31 // -1.
        turned = b.pure("sub", none, x, type=kind.ssa)
        made = b.pure("sel", b.pure("eq", y, b.whole(-1), type="i1"), turned, made, type=kind.ssa)
    return made


def rounded(t: Translator, x: Number) -> Number:
    """A result as its type holds it: a half float is rounded after every operation."""
    return Number(x.type, halved(t, x.value)) if x.type == ty.FLOAT16 else x


def library(t: Translator, node: ast.AST, name: str, *args: Number) -> Any:
    """A function of `mathematics/libm.py`, as `in_place` translates it."""
    return in_place(t, node, getattr(libm, name), *args, narrow=converted if name in OF_BITS else _narrowed)


def in_place(t: Translator, node: ast.AST, function: Any, *args: Number, narrow: Any = None) -> Any:
    """A function of `mathematics/`, of 64-bit floats, translated in place; of 32-bit floats its result is rounded to 32 bits."""
    narrow = narrow or _narrowed
    wide = [converted(t, one, ty.FLOAT64, node) if one.type.kind == "f" else one for one in args]
    found = ACTIONS["inline"](t, node, function, wide, {})
    floats = [one.type for one in args if one.type.kind == "f"]
    kind = max(floats, key=lambda one: one.bits) if floats else None
    if kind is None or kind == ty.FLOAT64:
        return found
    parts = found if isinstance(found, tuple) else (found,)
    made = tuple(narrow(t, one, kind, node) if one.type.kind == "f" else one for one in parts)
    return made if isinstance(found, tuple) else made[0]


def _narrowed(t: Translator, x: Number, kind: Type, node: ast.AST) -> Number:
    """A result of the library as a float of fewer bits: a device computes it in those, so a NaN is theirs."""
    if kind == ty.FLOAT32 and x.type == ty.FLOAT64:
        return Number(kind, t.b.pure("f2f", x.value, type=kind.ssa, imm=CANONICAL))
    return converted(t, x, kind, node)


def power(t: Translator, node: ast.AST, x: Number, y: Number) -> Any:
    """`x ** y`: products where the exponent is a small constant."""
    exponent = y.constant
    kind = ty.arithmetic(x.type, y.type)
    if isinstance(exponent, int) and y.type.whole and abs(exponent) <= MOST_POWER and (exponent >= 0 or x.type.kind == "f"):
        if x.type.kind == "f":
            kind = x.type
        base = converted(t, x, kind, node)
        result = converted(t, lifted(t, 1), kind, node)
        factor, left = base, abs(exponent)
        while left:
            if left & 1:
                result = binary(t, node, ast.Mult, result, factor)
            left >>= 1
            factor = binary(t, node, ast.Mult, factor, factor) if left else factor
        if exponent < 0:
            result = binary(t, node, ast.Div, converted(t, lifted(t, 1), kind, node), result)
        return result if exponent else converted(t, lifted(t, 1), kind, node)
    if kind.whole:
        return library(t, node, "integer_power", converted(t, x, kind, node), converted(t, y, ty.INT64, node))
    kind = ty.FLOAT32 if kind == ty.FLOAT16 else kind
    return library(t, node, "power", converted(t, x, kind, node), converted(t, y, kind, node))


def _warn_of_double(t: Translator, node: ast.AST, x: Number, y: Number, kind: Type) -> None:
    """A literal that makes 32-bit code 64 bits wide."""
    if kind != ty.FLOAT64 or not isinstance(node, ast.BinOp | ast.AugAssign):
        return
    operands = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    for one, other, place in ((x, y, operands[0]), (y, x, operands[1])):
        literal = isinstance(place, ast.Constant) and one.type == ty.FLOAT64 and isinstance(place.value, float)
        partner = operands[1] if place is operands[0] else operands[0]
        if literal and (other.type in (ty.FLOAT32, ty.FLOAT16) or was_narrow(t.given, t.frame.path, partner)):
            text = ast.unparse(place)
            t.warn(
                place, f"{text} is a float64, and makes this a float64 too, for which the 64-bit unit is used",
                f"write float32({text}), of numpy or numba",
            )  # fmt: skip


def unary(t: Translator, node: ast.AST, op: type, x: Any) -> Any:
    """`op x`. Raises Problem."""
    if op is ast.Not:
        return Number(ty.BOOL, t.b.pure("eq", truth(t, x, node), t.b.truth(False), type="i1"))
    if isinstance(x, Complex):
        return x if op is ast.UAdd else Complex(x.type, unary(t, node, op, x.real), unary(t, node, op, x.imag))
    if not isinstance(x, Number):
        t.error(node, f"a number is wanted, and this is {said(x)}")
    if op is ast.Invert:
        if x.type.kind == "b":
            return Number(ty.BOOL, t.b.pure("eq", x.value, t.b.truth(False), type="i1"))
        kind = ty.signed(x.type)
        if kind.kind == "f":
            t.error(node, f"~ needs a whole number, and this is {said(x)}")
        ones = t.b.whole(-1 if kind.kind == "i" else (1 << x.type.bits) - 1, kind.ssa)
        return Number(kind, t.b.pure("xor", x.value, ones, type=kind.ssa))
    kind = ty.signed(x.type)
    value = converted(t, x, kind, node).value
    if op is ast.UAdd:
        return Number(kind, value)
    if kind.kind == "f":
        return Number(kind, t.b.pure("fneg", value, type=kind.ssa))
    return Number(kind, in_own_width(t, t.b.pure("sub", t.b.whole(0, kind.ssa), value, type=kind.ssa), x.type))


def in_own_width(t: Translator, value: Value, kind: Type) -> Value:
    """A result that Numba computes in the operand's own width, `kind`'s, before it widens it."""
    return t.b.pure("wrap", value, type=kind.ssa, imm=kind.bits) if kind.kind in "iu" and kind.bits < 64 else value


# ---------------------------------------------------------------------------------------------------------
# Comparisons

EXACT = (1 - (1 << 53), (1 << 53) - 1)  # whole numbers whose neighbours too are other float64s


def _as_floats(x: Number, y: Number) -> bool:
    """Whether two whole numbers are compared as float64s: a uint64 beside a signed one, where that can differ from comparing exactly."""
    if {x.type.kind, y.type.kind} != {"i", "u"} or (x if x.type.kind == "u" else y).type.bits < 64:
        return False
    return not any(EXACT[0] <= one.value.lo and one.value.hi <= EXACT[1] for one in (x, y))


def compared(t: Translator, node: ast.AST, op: type, x: Any, y: Any) -> Value:
    """`x op y` as a truth value. Raises Problem."""
    b = t.b
    if op in (ast.Is, ast.IsNot, ast.Eq, ast.NotEq) and not (isinstance(x, Number | Complex) and isinstance(y, Number | Complex)):
        if isinstance(x, tuple) and isinstance(y, tuple) and op in (ast.Eq, ast.NotEq):
            return _tuples(t, node, op, x, y)
        if any(isinstance(one, Record) and one.dtype.names is None for one in (x, y)) and op in (ast.Eq, ast.NotEq):
            same: Value = ACTIONS["texts_equal"](t, node, x, y)
            return same if op is ast.Eq else b.pure("eq", same, b.truth(False), type="i1")
        if any(isinstance(one, Array | Record | tuple) for one in (x, y)) and not (x is None or y is None):
            t.error(node, f"{said(x)} and {said(y)} cannot be compared")
        alike = x is y or (x is not None and y is not None and type(x) is type(y) and bool(x == y))
        return b.truth(alike == (op in (ast.Is, ast.Eq)))
    if isinstance(x, Complex) or isinstance(y, Complex):
        equal: Value = ACTIONS["complex_equal"](t, node, op, x, y)
        return equal
    if not (isinstance(x, Number) and isinstance(y, Number)):
        t.error(node, f"{SIGNS.get(op, 'this')} needs two numbers, and this is {said(x)} and {said(y)}")
    if op in (ast.Gt, ast.GtE):
        x, y, op = y, x, ast.Lt if op is ast.Gt else ast.LtE
    if op in (ast.Is, ast.IsNot) and x.type.kind in "iu" and y.type.kind in "iu":
        t.error(node, "numbers have no identity that `is` could compare", "write == or !=")
    if x.type.whole and y.type.whole and not _as_floats(x, y):
        if op in (ast.Eq, ast.Is, ast.NotEq, ast.IsNot):
            return b.pure("eq" if op in (ast.Eq, ast.Is) else "ne", x.value, y.value, type="i1")
        if op is ast.Lt:
            return b.pure("lt", x.value, y.value, type="i1")
        return b.pure("eq", b.pure("lt", y.value, x.value, type="i1"), b.truth(False), type="i1")
    kind = ty.FLOAT64 if x.type.whole and y.type.whole else ty.arithmetic(x.type, y.type)
    p, q = converted(t, x, kind, node).value, converted(t, y, kind, node).value
    if op in (ast.NotEq, ast.IsNot):
        return b.pure("eq", b.pure("feq", p, q, type="i1"), b.truth(False), type="i1")
    return b.pure(FLOAT_TESTS.get(op, "feq"), p, q, type="i1")


def _tuples(t: Translator, node: ast.AST, op: type, x: tuple[Any, ...], y: tuple[Any, ...]) -> Value:
    same = t.b.truth(len(x) == len(y))
    for p, q in zip(x, y, strict=False):
        same = t.b.pure("and", same, compared(t, node, ast.Eq, p, q), type="i1")
    return same if op is ast.Eq else t.b.pure("eq", same, t.b.truth(False), type="i1")


ACTIONS["binary"] = binary
ACTIONS["unary"] = unary
