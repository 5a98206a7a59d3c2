"""Mathematics in kernels: the module math, NumPy's functions on numbers, and cuda.fma, popc, clz, ffs, brev and their like.

Of 32-bit floats sine, cosine, exponential and logarithm are the special-function unit's; what the machine has no instruction for is
computed in 64 bits by `mathematics/libm.py`.
"""

from __future__ import annotations

import ast
import math
from typing import Any

from warploom.compiler.ssa import Value
from warploom.kernel.mathematics import libm
from warploom.kernel.syntax.arithmetic import compared, converted, library, lifted, rounded, truth, whole
from warploom.kernel.syntax.float_division import truncated
from warploom.kernel.syntax.known_names import constant, function
from warploom.kernel.syntax.translator import ACTIONS, Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Complex, Number, said


def floating(t: Translator, node: ast.AST, *args: Any) -> tuple[ty.Type, list[Value]]:
    """Arguments as floats of one type: 32 bits where all are, else 64."""
    for one in args:
        if not isinstance(one, Number):
            t.error(node, f"a number is wanted, and this is {said(one)}")
    kinds = [one.type if one.type.kind == "f" else ty.FLOAT64 for one in args]
    kind = max(kinds, key=lambda one: one.bits)
    return kind, [converted(t, one, kind, node).value for one in args]


def by_library(t: Translator, node: ast.AST, name: str, *args: Any) -> Any:
    """A function of the library, whose results have the type of its arguments."""
    kind, values = floating(t, node, *args)
    return library(t, node, name, *(Number(kind, value) for value in values))


def _library(name: str) -> Any:
    def translate(t: Translator, node: ast.Call, *args: Any) -> Any:
        if any(isinstance(one, Complex) for one in args):
            return ACTIONS["complex_function"](t, node, name, *args)
        return by_library(t, node, name, *args)

    return translate


ONE = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh", "cosh": "cosh",
    "sinh": "sinh", "tan": "tan", "tanh": "tanh", "expm1": "expm1", "log1p": "log1p", "log10": "log10", "log2": "log2", "exp2": "exp2",
    "cbrt": "cbrt", "erf": "", "erfc": "", "gamma": "", "lgamma": "", "modf": "modf", "frexp": "frexp",
}  # fmt: skip
TWO = {"atan2": "arctan2", "hypot": "hypot", "fmod": "fmod", "remainder": "", "copysign": "copysign"}
for _table, _arguments in ((ONE, "x"), (TWO, "x, y")):
    for _name, _numpy in _table.items():
        function(f"math.{_name}" + (f" numpy.{_numpy}" if _numpy else ""), _arguments, f"{_name}, of the type of its arguments")(
            _library(_name)
        )


@function("math.pow numpy.power numpy.float_power", "x, y", "x to the power y")
def pow_(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
    """`math.pow(x, y)`."""
    if any(isinstance(one, Complex) for one in (x, y)):
        return ACTIONS["complex_binary"](t, node, ast.Pow, x, y)
    return by_library(t, node, "power", x, y)


function("cuda.cbrt", "x", "cube root")(_library("cbrt"))


@function("math.nextafter numpy.nextafter", "x, y", "the next float from x towards y")
def nextafter(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
    """`math.nextafter(x, y)`."""
    kind, values = floating(t, node, x, y)
    if kind == ty.FLOAT16:
        t.error(node, "there is no nextafter of half floats in kernels")
    return ACTIONS["inline"](
        t, node, libm.nextafter if kind.bits == 64 else libm.nextafter_single, [Number(kind, one) for one in values], {}
    )


@function("math.ldexp numpy.ldexp", "x, n", "x times 2 to the power n")
def ldexp(t: Translator, node: ast.Call, x: Any, n: Any) -> Any:
    """`math.ldexp(x, n)`."""
    kind, (value,) = floating(t, node, x)
    wide = converted(t, Number(kind, value), ty.FLOAT64, node)
    return converted(t, library(t, node, "ldexp", wide, Number(ty.INT64, whole(t, n, node, "the exponent"))), kind, node)


def _special(name: str, wide: str, single: Any) -> Any:
    """Of 32 bits by the special-function unit, of 64 by the library."""

    def translate(t: Translator, node: ast.Call, x: Any) -> Any:
        if isinstance(x, Complex):
            return ACTIONS["complex_function"](t, node, wide, x)
        kind, (value,) = floating(t, node, x)
        if kind.bits == 64:
            return library(t, node, wide, Number(kind, value))
        return rounded(t, Number(kind, single(t, value)))

    return translate


def _exponential(t: Translator, x: Value) -> Value:
    """2 to the power x log2(e), whose product is taken to twice the digits."""
    b = t.b
    log2_e, rest, ln_2 = b.real(1.4426950216293335, "f32"), b.real(1.925963033500011e-08, "f32"), b.real(math.log(2), "f32")
    product = b.pure("fmul", x, log2_e, type="f32")
    low = b.pure("fma", x, log2_e, b.pure("fneg", product, type="f32"), type="f32")
    low = b.pure("fma", x, rest, low, type="f32")
    power = b.pure("fexp2", product, type="f32")
    exact = b.pure("fma", power, b.pure("fmul", low, ln_2, type="f32"), power, type="f32")
    finite = b.pure("flt", power, b.real(math.inf, "f32"), type="i1")
    usual = b.pure("and", finite, b.pure("flt", b.pure("fabs", x, type="f32"), b.real(200.0, "f32"), type="i1"), type="i1")
    return b.pure("sel", usual, exact, power, type="f32")


function("math.sin numpy.sin", "x", "sine")(_special("sin", "sin", lambda t, x: t.b.pure("fsin", x, type="f32")))
function("math.cos numpy.cos", "x", "cosine")(_special("cos", "cos", lambda t, x: t.b.pure("fcos", x, type="f32")))
function("math.exp numpy.exp", "x", "e to the power x")(_special("exp", "exp", _exponential))
function("math.log numpy.log", "x", "natural logarithm")(
    _special("log", "log", lambda t, x: t.b.pure("fmul", t.b.pure("flog2", x, type="f32"), t.b.real(math.log(2), "f32"), type="f32"))
)


@function("math.sqrt numpy.sqrt", "x", "square root")
def sqrt(t: Translator, node: ast.Call, x: Any) -> Any:
    """`math.sqrt(x)`."""
    if isinstance(x, Complex):
        return ACTIONS["complex_function"](t, node, "sqrt", x)
    kind, (value,) = floating(t, node, x)
    return rounded(t, Number(kind, t.b.pure("fsqrt", value, type=kind.ssa)))


@function("cuda.rsqrt", "x", "1 / square root")
def rsqrt(t: Translator, node: ast.Call, x: Any) -> Any:
    """`rsqrt(x)`."""
    kind, (value,) = floating(t, node, x)
    if kind.bits == 32:
        return Number(kind, t.b.pure("frsqrt", value, type="f32"))
    return Number(kind, t.b.pure("fdiv", t.b.real(1.0, kind.ssa), t.b.pure("fsqrt", value, type=kind.ssa), type=kind.ssa))


def _floor(t: Translator, value: Value, kind: ty.Type) -> Value:
    return t.b.pure("ffloor", value, type=kind.ssa)


def _rounding(name: str) -> Any:
    def translate(t: Translator, node: ast.Call, x: Any) -> Any:
        kind, (value,) = floating(t, node, x)
        if name == "rint":
            return by_library(t, node, "round_even", x)
        if name == "floor":
            found = _floor(t, value, kind)
        elif name == "ceil":
            found = t.b.pure("fneg", _floor(t, t.b.pure("fneg", value, type=kind.ssa), kind), type=kind.ssa)
        else:
            found = truncated(t, value, kind)
        return Number(kind, found)

    return translate


for _name in ("floor", "ceil", "trunc"):  # also the module math's: on a device they give floats
    function(f"math.{_name} numpy.{_name}", "x", f"{_name}, as a float")(_rounding(_name))
function("numpy.rint", "x", "the nearest whole float, of two the even one")(_rounding("rint"))


def _class(name: str) -> Any:
    def translate(t: Translator, node: ast.Call, x: Any) -> Any:
        b = t.b
        if isinstance(x, Complex):
            parts = [translate(t, node, one).value for one in (x.real, x.imag)]
            return Number(ty.BOOL, b.pure("and" if name == "isfinite" else "or", *parts, type="i1"))
        if isinstance(x, Number) and x.type.whole:
            return Number(ty.BOOL, b.truth(name == "isfinite"))
        kind, (value,) = floating(t, node, x)
        if name == "isnan":
            return Number(ty.BOOL, b.pure("eq", b.pure("feq", value, value, type="i1"), b.truth(False), type="i1"))
        size, top = b.pure("fabs", value, type=kind.ssa), b.real(math.inf, kind.ssa)
        return Number(ty.BOOL, b.pure("feq" if name == "isinf" else "flt", size, top, type="i1"))

    return translate


for _name in ("isnan", "isinf", "isfinite"):
    function(f"math.{_name} numpy.{_name} cmath.{_name}", "x", f"{_name}")(_class(_name))


def _scaled(factor: float) -> Any:
    def translate(t: Translator, node: ast.Call, x: Any) -> Any:
        kind, (value,) = floating(t, node, x)
        return rounded(t, Number(kind, t.b.pure("fmul", value, t.b.real(factor, kind.ssa), type=kind.ssa)))

    return translate


function("math.degrees numpy.degrees numpy.rad2deg", "x", "radians to degrees")(_scaled(180 / math.pi))
function("math.radians numpy.radians numpy.deg2rad", "x", "degrees to radians")(_scaled(math.pi / 180))


@function("kernel.fma cuda.fma", "x, y, z", "x * y + z, rounded once")
def fma(t: Translator, node: ast.Call, x: Any, y: Any, z: Any) -> Any:
    """`cuda.fma(x, y, z)`."""
    kind, values = floating(t, node, x, y, z)
    return Number(kind, t.b.pure("fma", *values, type=kind.ssa))


def _bits(name: str, op: str) -> Any:
    def translate(t: Translator, node: ast.Call, x: Any) -> Any:
        value = whole(t, x, node, "the operand")
        own = 32 if op == "brev" else max(x.type.bits, 8)  # Numba reverses no fewer than 32 bits, and counts in the operand's own width
        wide = 64 if x.type.bits == 64 else 32
        if op in ("popc", "clz") and own < wide:
            value = t.b.pure("wrap", value, type="u64", imm=own)
        if op == "ffs":
            zeros = t.b.pure("ctz", value, imm=wide)
            found = t.b.pure("add", zeros, t.b.whole(1))
            empty = t.b.pure("eq", value, t.b.whole(0), type="i1")
            return Number(ty.INT32, t.b.pure("sel", empty, t.b.whole(0), found))
        found = t.b.pure(op, value, type="u64" if op == "brev" else "i64", imm=wide)
        if op == "brev":
            return Number(ty.UINT64 if wide == 64 else ty.UINT32, found)
        return Number(ty.INT32, t.b.pure("sub", found, t.b.whole(wide - own)) if op == "clz" and own < wide else found)

    return translate


function("cuda.popc", "x", "number of ones")(_bits("popc", "popc"))
function("cuda.clz", "x", "leading zeros")(_bits("clz", "clz"))
function("cuda.ffs", "x", "place of the lowest one, from 1; 0 where there is none")(_bits("ffs", "ffs"))
function("cuda.brev", "x", "the bits in reverse order")(_bits("brev", "brev"))


@function("cuda.selp", "condition, a, b", "a where the condition is true, else b; no branch")
def selp(t: Translator, node: ast.Call, condition: Any, x: Any, y: Any) -> Any:
    """`cuda.selp(c, a, b)`."""
    kind = ty.unified(x.type, y.type)
    values = [converted(t, one, kind, node).value for one in (x, y)]
    return Number(kind, t.b.pure("sel", truth(t, condition, node), *values, type=kind.ssa))


# NumPy's operators as functions.
OPERATORS = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div, "true_divide": ast.Div, "floor_divide": ast.FloorDiv,
    "bitwise_and": ast.BitAnd, "bitwise_or": ast.BitOr, "bitwise_xor": ast.BitXor, "left_shift": ast.LShift, "right_shift": ast.RShift,
    "mod": ast.Mod,
}  # fmt: skip
COMPARISONS = {
    "equal": ast.Eq, "not_equal": ast.NotEq, "less": ast.Lt, "less_equal": ast.LtE, "greater": ast.Gt, "greater_equal": ast.GtE,
}  # fmt: skip


def _operator(op: type) -> Any:
    return lambda t, node, x, y: ACTIONS["binary"](t, node, op, x, y)


def _comparison(op: type) -> Any:
    def translate(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
        if op not in (ast.Eq, ast.NotEq) and (isinstance(x, Complex) or isinstance(y, Complex)):
            return ACTIONS["complex_ordered"](t, node, op, x, y)
        return Number(ty.BOOL, compared(t, node, op, x, y))

    return translate


for _name, _op in OPERATORS.items():
    function(f"numpy.{_name}", "x, y", "the operator of this name")(_operator(_op))
for _name, _test in COMPARISONS.items():
    function(f"numpy.{_name}", "x, y", "the comparison of this name")(_comparison(_test))
function("numpy.negative", "x", "minus x")(lambda t, node, x: ACTIONS["unary"](t, node, ast.USub, x))
function("numpy.logical_not", "x", "not x")(lambda t, node, x: ACTIONS["unary"](t, node, ast.Not, x))
function("numpy.invert numpy.bitwise_not", "x", "the bits inverted")(lambda t, node, x: ACTIONS["unary"](t, node, ast.Invert, x))
function("numpy.square", "x", "x * x")(lambda t, node, x: ACTIONS["binary"](t, node, ast.Mult, x, x))


def _extreme(smaller: bool, keeps_nan: bool) -> Any:
    def translate(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
        if all(isinstance(one, Number | Complex) for one in (x, y)) and any(isinstance(one, Complex) for one in (x, y)):
            return ACTIONS["complex_extreme"](t, node, smaller, keeps_nan, x, y)
        if not (isinstance(x, Number) and isinstance(y, Number)):
            t.error(node, f"two numbers are wanted, and this is {said(x)} and {said(y)}")
        kind = ty.unified(x.type, y.type)
        p, q = (converted(t, one, kind, node).value for one in (x, y))
        if kind.whole:
            return Number(kind, t.b.pure("min" if smaller else "max", p, q, type=kind.ssa))
        found = t.b.pure("fmin" if smaller else "fmax", p, q, type=kind.ssa)
        if keeps_nan:
            for one in (p, q):
                found = t.b.pure("sel", t.b.pure("feq", one, one, type="i1"), found, one, type=kind.ssa)
        return Number(kind, found)

    return translate


for _name, _smaller in (("minimum", True), ("maximum", False), ("fmin", True), ("fmax", False)):
    function(f"numpy.{_name}", "x, y", f"{_name} of two numbers")(_extreme(_smaller, _name.endswith("imum")))


def _logical(op: str) -> Any:
    return lambda t, node, x, y: Number(ty.BOOL, t.b.pure(op, truth(t, x, node), truth(t, y, node), type="i1"))


for _name, _op_name in (("logical_and", "and"), ("logical_or", "or"), ("logical_xor", "xor")):
    function(f"numpy.{_name}", "x, y", _name.replace("_", " "))(_logical(_op_name))


@function("numpy.sign", "x", "-1, 0 or 1")
def sign(t: Translator, node: ast.Call, x: Any) -> Any:
    """`np.sign(x)`."""
    zero = lifted(t, 0)
    above, below = compared(t, node, ast.Lt, zero, x), compared(t, node, ast.Lt, x, zero)
    found = converted(t, Number(ty.INT64, t.b.pure("sub", above, below)), x.type, node)
    if x.type.kind != "f":
        return found
    other = t.b.pure("or", above, below, type="i1")  # neither: a zero with its sign, or a NaN
    return Number(x.type, t.b.pure("sel", other, found.value, x.value, type=x.type.ssa))


def _number(number: float) -> Any:
    return lambda t, node: lifted(t, number)


for _name in ("pi", "e", "inf", "nan", "tau"):
    constant(f"math.{_name}" + ("" if _name == "tau" else f" numpy.{_name}"), _name)(_number(getattr(math, _name)))
