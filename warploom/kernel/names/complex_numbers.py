"""Complex numbers in kernels: two floats, and the arithmetic of both."""

from __future__ import annotations

import ast
from typing import Any

from warploom.compiler.ssa import Value
from warploom.kernel.mathematics.complex_library import (
    along,
    complex_acos,
    complex_acosh,
    complex_asin,
    complex_asinh,
    complex_atan,
    complex_atanh,
    complex_cos,
    complex_cosh,
    complex_exp,
    complex_log,
    complex_log2,
    complex_log10,
    complex_power,
    complex_quotient,
    complex_sin,
    complex_sinh,
    complex_sqrt,
    complex_tan,
    complex_tanh,
)
from warploom.kernel.mathematics.libm import atan2, cos, hypot, sin
from warploom.kernel.syntax.arithmetic import SIGNS, binary, compared, converted, lifted, unary
from warploom.kernel.syntax.known_names import function
from warploom.kernel.syntax.translator import ACTIONS, Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Complex, Number, said


def _pair(t: Translator, node: ast.AST, kind: ty.Type, real: Any, imag: Any) -> Complex:
    one = ty.part(kind)
    return Complex(kind, converted(t, real, one, node), converted(t, imag, one, node))


def complex_binary(t: Translator, node: ast.AST, op: type, x: Any, y: Any) -> Any:
    """`x op y`, of which at least one is complex."""
    kind = ty.arithmetic(x.type, y.type)
    p, q = converted(t, x, kind, node), converted(t, y, kind, node)

    def go(op: type, a: Any, b: Any) -> Any:
        return binary(t, node, op, a, b)

    if op in (ast.Add, ast.Sub):
        return _pair(t, node, kind, go(op, p.real, q.real), go(op, p.imag, q.imag))
    if op is ast.Mult:
        real = go(ast.Sub, go(ast.Mult, p.real, q.real), go(ast.Mult, p.imag, q.imag))
        return _pair(t, node, kind, real, go(ast.Add, go(ast.Mult, p.real, q.imag), go(ast.Mult, p.imag, q.real)))
    if op is ast.Div:
        real, imag = ACTIONS["inline"](t, node, complex_quotient, [p.real, p.imag, q.real, q.imag], {})
        return _pair(t, node, kind, real, imag)
    if op is ast.Pow:
        return _power(t, node, kind, p, q, y)
    return t.error(node, f"{SIGNS[op]} is nothing that complex numbers have")


def _power(t: Translator, node: ast.AST, kind: ty.Type, p: Complex, q: Complex, y: Any) -> Any:
    exponent = y.constant if isinstance(y, Number) and y.type.whole else None
    if isinstance(exponent, int) and 0 < exponent <= 16:
        found: Any = p
        for _ in range(exponent - 1):
            found = complex_binary(t, node, ast.Mult, found, p)
        return found
    wide = [converted(t, one, ty.FLOAT64, node) for one in (p.real, p.imag, q.real, q.imag)]
    real, imag = ACTIONS["inline"](t, node, complex_power, wide, {})
    return _pair(t, node, kind, real, imag)


def complex_equal(t: Translator, node: ast.AST, op: type, x: Any, y: Any) -> Value:
    """`==` and `!=`."""
    if op not in (ast.Eq, ast.NotEq):
        t.error(node, f"{SIGNS[op]} is nothing that complex numbers have")
    kind = ty.arithmetic(x.type, y.type)
    p, q = converted(t, x, kind, node), converted(t, y, kind, node)
    same = t.b.pure(
        "and", compared(t, node, ast.Eq, p.real, q.real), compared(t, node, ast.Eq, p.imag, q.imag), type="i1"
    )  # fmt: skip
    return same if op is ast.Eq else t.b.pure("eq", same, t.b.truth(False), type="i1")


def complex_ordered(t: Translator, node: ast.AST, op: type, x: Any, y: Any) -> Number:
    """`<` and its like as NumPy's functions have them: by the real parts, and where those are equal by the imaginary ones."""
    kind = ty.arithmetic(x.type, y.type)
    p, q = converted(t, x, kind, node), converted(t, y, kind, node)
    b = t.b
    strict = ast.Lt if op in (ast.Lt, ast.LtE) else ast.Gt
    first = compared(t, node, strict, p.real, q.real)
    for one in (p.imag, q.imag):  # a NaN beside an ordered real part makes it false too
        first = b.pure("and", first, b.pure("feq", one.value, one.value, type="i1"), type="i1")
    same = b.pure("and", compared(t, node, ast.Eq, p.real, q.real), compared(t, node, op, p.imag, q.imag), type="i1")
    return Number(ty.BOOL, b.pure("or", first, same, type="i1"))


def complex_extreme(t: Translator, node: ast.AST, smaller: bool, keeps_nan: bool, x: Any, y: Any) -> Complex:
    """NumPy's minimum and maximum, fmin and fmax of complex numbers."""
    kind = ty.unified(x.type, y.type)
    p, q = converted(t, x, kind, node), converted(t, y, kind, node)
    b = t.b
    first = complex_ordered(t, node, ast.LtE if smaller else ast.GtE, p, q).value
    for one in (p if keeps_nan else q).real, (p if keeps_nan else q).imag:
        nan = b.pure("eq", b.pure("feq", one.value, one.value, type="i1"), b.truth(False), type="i1")
        first = b.pure("or", first, nan, type="i1")
    parts = ((p.real, q.real), (p.imag, q.imag))
    return Complex(kind, *(Number(m.type, b.pure("sel", first, m.value, n.value, type=m.type.ssa)) for m, n in parts))


def complex_function(t: Translator, node: ast.AST, name: str, x: Any, *rest: Any) -> Any:
    """A function of one complex number, by its name in the library."""
    table = {"exp": complex_exp, "log": complex_log, "sqrt": complex_sqrt, "sin": complex_sin, "cos": complex_cos, "sinh": complex_sinh,
             "cosh": complex_cosh, "tan": complex_tan, "tanh": complex_tanh, "log10": complex_log10, "log2": complex_log2,
             "asin": complex_asin, "asinh": complex_asinh, "acos": complex_acos, "acosh": complex_acosh, "atan": complex_atan,
             "atanh": complex_atanh}  # fmt: skip
    if name not in table or rest:
        t.error(node, f"there is no {name} of complex numbers in kernels")
    kind = x.type if isinstance(x, Complex) else ty.COMPLEX128
    value = converted(t, x, ty.COMPLEX128, node)
    real, imag = ACTIONS["inline"](t, node, table[name], [value.real, value.imag], {})
    return _pair(t, node, kind, real, imag)


for _name in (
    "exp",
    "log",
    "sqrt",
    "sin",
    "cos",
    "sinh",
    "cosh",
    "tan",
    "tanh",
    "log10",
    "asin",
    "asinh",
    "acos",
    "acosh",
    "atan",
    "atanh",
):
    function(f"cmath.{_name}", "z", f"{_name} of a complex number")(lambda t, node, x, *base, name=_name: _of_base(t, node, name, x, *base))


def _of_base(t: Translator, node: ast.AST, name: str, x: Any, *base: Any) -> Any:
    """A logarithm may have a base."""
    found = complex_function(t, node, name, x)
    if not base:
        return found
    return complex_binary(t, node, ast.Div, found, complex_function(t, node, name, base[0]))


@function("cmath.phase numpy.angle", "z", "the angle of a complex number")
def phase(t: Translator, node: ast.Call, x: Any) -> Any:
    """`cmath.phase(z)`."""
    value = converted(t, x, ty.COMPLEX128, node)
    return ACTIONS["inline"](t, node, atan2, [value.imag, value.real], {})


@function("cmath.polar", "z", "magnitude and angle of a complex number")
def polar(t: Translator, node: ast.Call, x: Any) -> Any:
    """`cmath.polar(z)`."""
    value = converted(t, x, ty.COMPLEX128, node)
    return ACTIONS["inline"](t, node, hypot, [value.real, value.imag], {}), phase(t, node, x)


@function("cmath.rect", "r, phi", "a complex number by magnitude and angle")
def rect(t: Translator, node: ast.Call, r: Any, phi: Any) -> Any:
    """`cmath.rect(r, phi)`."""
    size, angle = (converted(t, one, ty.FLOAT64, node) for one in (r, phi))
    parts = [ACTIONS["inline"](t, node, along, [size, ACTIONS["inline"](t, node, one, [angle], {})], {}) for one in (cos, sin)]
    return _pair(t, node, ty.COMPLEX128, *parts)


@function("numpy.real", "z", "the real part")
def real(t: Translator, node: ast.Call, x: Any) -> Any:
    """`np.real(z)`."""
    return x.real if isinstance(x, Complex) else x


@function("numpy.imag", "z", "the imaginary part")
def imag(t: Translator, node: ast.Call, x: Any) -> Any:
    """`np.imag(z)`."""
    return x.imag if isinstance(x, Complex) else lifted(t, 0)


@function("numpy.conj numpy.conjugate", "z", "the conjugate")
def conjugate(t: Translator, node: ast.Call, x: Any) -> Any:
    """`np.conj(z)`."""
    if not isinstance(x, Complex):
        return x if isinstance(x, Number) else t.error(node, f"a number is wanted, and this is {said(x)}")
    return Complex(x.type, x.real, unary(t, node, ast.USub, x.imag))


ACTIONS["complex_binary"] = complex_binary
ACTIONS["complex_ordered"] = complex_ordered
ACTIONS["complex_extreme"] = complex_extreme
ACTIONS["complex_equal"] = complex_equal
ACTIONS["complex_function"] = complex_function
