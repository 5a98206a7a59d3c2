"""The functions of NVIDIA's device library that take and give floats, by their names without `__nv_` and without the `f` of 32 bits.

Where kernels in Python have the same function, its row of the table translates it; the others are written here in terms of those.

Source: NVIDIA, "libdevice User's Guide", chapter 3 (names and meanings).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from warploom.kernel.mathematics import bessel, error_functions, libm
from warploom.kernel.syntax.arithmetic import converted, in_place
from warploom.kernel.syntax.known_names import NAMES
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Number

# Names that differ from those of Python's module math.
SAME = {
    **{name: f"math.{name}" for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2", "expm1",
        "log", "log2", "log10", "log1p", "pow", "hypot", "fmod", "remainder", "erf", "erfc", "lgamma", "floor", "ceil", "trunc", "sqrt",
        "copysign", "nextafter", "cbrt",
    )},
    "tgamma": "math.gamma", "rint": "numpy.rint", "nearbyint": "numpy.rint", "rsqrt": "cuda.rsqrt", "fmin": "numpy.fmin",
    "fmax": "numpy.fmax", "fabs": "math.fabs", "fma": "cuda.fma",
}  # fmt: skip
# The fast forms, of 32 bits alone.
FAST = {
    "fast_sin": "sin",
    "fast_cos": "cos",
    "fast_exp": "exp",
    "fast_log": "log",
    "fast_log2": "log2",
    "fast_pow": "pow",
    "fast_tan": "tan",
    "fast_log10": "log10",
}


def applied(t: Translator, node: Any, name: str, kind: ty.Type, arguments: Sequence[Number]) -> list[Number]:
    """The results of a function of KNOWN for floats of a type. node: what calls it."""
    path = SAME.get(FAST.get(name, name))
    found = NAMES[path].translate(t, node, *arguments) if path is not None else OWN[name](t, node, kind, arguments)
    return list(found) if isinstance(found, tuple) else [found]


def _call(t: Translator, node: Any, path: str, *arguments: Number) -> Number:
    made: Number = NAMES[path].translate(t, node, *arguments)
    return made


def _pure(t: Translator, op: str, kind: ty.Type, *arguments: Number) -> Number:
    return Number(kind, t.b.pure(op, *(one.value for one in arguments), type=kind.ssa))


def _constant(t: Translator, kind: ty.Type, number: float) -> Number:
    return Number(kind, t.b.real(number, kind.ssa))


def _in_place(*functions: Any) -> Callable[..., Any]:
    """What functions of `mathematics/` give, one result each; a whole number is an int32, as C's int."""

    def translate(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> tuple[Number, ...]:
        made: list[Number] = []
        for function in functions:
            found = in_place(t, node, function, *arguments)
            made.extend(found if isinstance(found, tuple) else (found,))
        return tuple(one if one.type.kind == "f" else converted(t, one, ty.INT32, node) for one in made)

    return translate


def _both(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> tuple[Number, Number]:
    return _call(t, node, "math.sin", arguments[0]), _call(t, node, "math.cos", arguments[0])


def _ten_to(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> Number:
    return _call(t, node, "math.pow", _constant(t, kind, 10.0), arguments[0])


def _rounded(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> Number:
    """Halves away from zero."""
    x = arguments[0]
    size = Number(kind, t.b.pure("fabs", x.value, type=kind.ssa))
    half = 0.49999997 if kind == ty.FLOAT32 else 0.49999999999999994  # the largest below a half
    up = _pure(t, "ffloor", kind, _pure(t, "fadd", kind, size, _constant(t, kind, half)))
    exact = Number(kind, t.b.pure("ffloor", size.value, type=kind.ssa))
    gap = _pure(t, "fsub", kind, size, exact)
    away = t.b.pure("fle", t.b.real(0.5, kind.ssa), gap.value, type="i1")
    made = t.b.pure("sel", away, _pure(t, "fadd", kind, exact, _constant(t, kind, 1.0)).value, up.value, type=kind.ssa)
    return _call(t, node, "math.copysign", Number(kind, made), x)


def _reciprocal_root(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> Number:
    return _pure(t, "fdiv", kind, _constant(t, kind, 1.0), _call(t, node, "math.cbrt", arguments[0]))


def _scaled(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> Number:
    return _call(t, node, "math.ldexp", *arguments)


def _positive_difference(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> Number:
    x, y = arguments
    less = t.b.pure("fle", x.value, y.value, type="i1")
    return Number(kind, t.b.pure("sel", less, t.b.real(0.0, kind.ssa), t.b.pure("fsub", x.value, y.value, type=kind.ssa), type=kind.ssa))


def _whole_power(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> Any:
    x, n = arguments  # the count as a float of 64 bits, which holds it exactly
    made = _call(t, node, "math.pow", converted(t, x, ty.FLOAT64, node), converted(t, n, ty.FLOAT64, node))
    return converted(t, made, kind, node)


def _norm(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> Any:
    zeros = [_constant(t, kind, 0.0)] * (4 - len(arguments))
    return in_place(t, node, libm.norm, *arguments, *zeros)


def _nearest_long(t: Translator, node: Any, kind: ty.Type, arguments: Sequence[Number]) -> Any:
    return converted(t, _rounded(t, node, kind, arguments), ty.INT64, node)


OWN: dict[str, Callable[..., Any]] = {
    "sinpi": _in_place(libm.sine_pi), "cospi": _in_place(libm.cosine_pi), "sincos": _both, "exp10": _ten_to, "fast_exp10": _ten_to,
    "round": _rounded, "rcbrt": _reciprocal_root, "ldexp": _scaled, "scalbn": _scaled, "fdim": _positive_difference,
    "powi": _whole_power, "norm3d": _norm, "norm4d": _norm, "logb": _in_place(libm.logb),
    "ilogb": _in_place(libm.ilogb), "llround": _nearest_long,
    "sincospi": _in_place(libm.sine_pi, libm.cosine_pi), "remquo": _in_place(libm.remquo),
    **{name: _in_place(getattr(error_functions, name)) for name in ("erfcx", "erfinv", "erfcinv", "normcdf", "normcdfinv")},
    **{name: _in_place(getattr(bessel, name)) for name in ("j0", "j1", "jn", "y0", "y1", "yn")},
}  # fmt: skip
KNOWN = frozenset((*SAME, *FAST, *OWN))
