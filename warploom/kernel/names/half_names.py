"""`cuda.fp16`: operations on 16-bit floats by their names. They are computed in 32 bits and rounded once more, which is exact."""

from __future__ import annotations

import ast
from typing import Any

from warploom.kernel.syntax.arithmetic import binary, compared, converted, halved, unary
from warploom.kernel.syntax.known_names import NAMES, function
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Number

HALF = ty.FLOAT16
OPERATORS = {"hadd": ast.Add, "hsub": ast.Sub, "hmul": ast.Mult, "hdiv": ast.Div}
COMPARISONS = {"heq": ast.Eq, "hne": ast.NotEq, "hlt": ast.Lt, "hle": ast.LtE, "hgt": ast.Gt, "hge": ast.GtE}
FUNCTIONS = {
    "hsin": "math.sin", "hcos": "math.cos", "hlog": "math.log", "hlog2": "math.log2", "hlog10": "math.log10", "hexp": "math.exp",
    "hexp2": "math.exp2", "hsqrt": "math.sqrt", "hrsqrt": "cuda.rsqrt", "hfloor": "numpy.floor", "hceil": "numpy.ceil",
    "htrunc": "numpy.trunc", "hrint": "numpy.rint", "habs": "builtins.abs",
}  # fmt: skip


def _half(t: Translator, node: ast.AST, x: Any) -> Number:
    found: Number = converted(t, x, HALF, node)
    return found


def _operator(op: type) -> Any:
    return lambda t, node, x, y: binary(t, node, op, _half(t, node, x), _half(t, node, y))


def _comparison(op: type) -> Any:
    return lambda t, node, x, y: Number(ty.BOOL, compared(t, node, op, _half(t, node, x), _half(t, node, y)))


def _single(path: str) -> Any:
    def translate(t: Translator, node: ast.Call, x: Any) -> Number:
        return _half(t, node, NAMES[path].translate(t, node, converted(t, _half(t, node, x), ty.FLOAT32, node)))

    return translate


for _name, _op in OPERATORS.items():
    function(f"cuda.fp16.{_name}", "x, y", "the operation of this name")(_operator(_op))
for _name, _test in COMPARISONS.items():
    function(f"cuda.fp16.{_name}", "x, y", "the comparison of this name")(_comparison(_test))
for _name, _path in FUNCTIONS.items():
    function(f"cuda.fp16.{_name}", "x", "the function of this name")(_single(_path))


@function("cuda.fp16.hneg", "x", "minus x")
def hneg(t: Translator, node: ast.Call, x: Any) -> Any:
    """`cuda.fp16.hneg(x)`."""
    return unary(t, node, ast.USub, _half(t, node, x))


@function("cuda.fp16.hrcp", "x", "1 / x")
def hrcp(t: Translator, node: ast.Call, x: Any) -> Any:
    """`cuda.fp16.hrcp(x)`."""
    return binary(t, node, ast.Div, Number(HALF, t.b.real(1.0, "f32")), _half(t, node, x))


@function("cuda.fp16.hexp10", "x", "10 to the power x")
def hexp10(t: Translator, node: ast.Call, x: Any) -> Any:
    """`cuda.fp16.hexp10(x)`."""
    ten = Number(ty.FLOAT32, t.b.real(10.0, "f32"))
    return _half(t, node, binary(t, node, ast.Pow, ten, converted(t, _half(t, node, x), ty.FLOAT32, node)))


@function("cuda.fp16.hfma", "x, y, z", "x * y + z, rounded once")
def hfma(t: Translator, node: ast.Call, x: Any, y: Any, z: Any) -> Any:
    """In 64 bits the product and the sum of three halves are exact, but for sums of very different size, whose rounding is the same."""
    values = [converted(t, _half(t, node, one), ty.FLOAT64, node).value for one in (x, y, z)]
    return Number(HALF, halved(t, t.b.pure("fma", *values, type="f64")))


def _extreme(op: str) -> Any:
    def translate(t: Translator, node: ast.Call, x: Any, y: Any) -> Number:
        return Number(HALF, t.b.pure(op, _half(t, node, x).value, _half(t, node, y).value, type="f32"))

    return translate


function("cuda.fp16.hmax", "x, y", "the larger")(_extreme("fmax"))
function("cuda.fp16.hmin", "x, y", "the smaller")(_extreme("fmin"))
