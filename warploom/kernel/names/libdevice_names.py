"""`cuda.libdevice`: NVIDIA's device library as numba.cuda names it, `libdevice.fast_sinf(x)` and its like.

Arguments are converted to what the function takes, and what C gives through pointers is given in a tuple, as in Numba. Of `_rn` forms a
product and a sum are never made one operation, which is what people use them for; what rounds in other directions is in
`libdevice_directed.py`.

Source: NVIDIA, "libdevice User's Guide", chapter 3; types of arguments: Numba's `numba.cuda.libdevicefuncs`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warploom.compiler.ssa import Value
from warploom.kernel.names.device_functions import FAST, KNOWN, applied
from warploom.kernel.syntax.arithmetic import converted
from warploom.kernel.syntax.known_names import NAMES, function
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Number

PATH = "cuda.libdevice."
WITH_A_COUNT = {"ldexp": 1, "scalbn": 1, "powi": 1, "jn": 0, "yn": 0}  # which argument is a whole number
ARGUMENTS = {"fma": 3, "norm3d": 3, "norm4d": 4} | dict.fromkeys(
    ("atan2", "pow", "fast_pow", "hypot", "fmod", "remainder", "copysign", "nextafter", "fmin", "fmax", "fdim", "remquo", *WITH_A_COUNT), 2
)
LETTERS = "x, y, z, w"


def row(name: str, kinds: tuple[ty.Type, ...], make: Callable[..., Any], meaning: str) -> None:
    """A name whose arguments are converted to these types. make: (translator, node, arguments) -> value."""

    def translate(t: Translator, node: Any, *args: Any) -> Any:
        if len(args) != len(kinds):
            t.error(node, f"libdevice.{name}() takes {len(kinds)} argument{'s' * (len(kinds) != 1)}, {len(args)} are given")
        return make(t, node, *(converted(t, one, kind, node) for one, kind in zip(args, kinds, strict=True)))

    function(PATH + name, LETTERS[: 3 * len(kinds) - 2], meaning)(translate)


def _of_floats(name: str, kind: ty.Type) -> None:
    def make(t: Translator, node: Any, *args: Number) -> Any:
        found = applied(t, node, name, kind, args)
        return found[0] if len(found) == 1 else tuple(found)

    kinds = [kind] * ARGUMENTS.get(name, 1)
    if name in WITH_A_COUNT:
        kinds[WITH_A_COUNT[name]] = ty.INT32
    row(name + "f" * (kind is ty.FLOAT32), tuple(kinds), make, f"{name} of {kind.bits} bits, of NVIDIA's device library")


for _name in sorted(KNOWN):
    for _kind in (ty.FLOAT32,) if _name in FAST or _name.startswith("fast_") else (ty.FLOAT64, ty.FLOAT32):
        _of_floats(_name, _kind)


def _by(path: str, kind: ty.Type | None = None) -> Callable[..., Any]:
    """What a name of the table makes of the arguments, as a number of a type."""

    def make(t: Translator, node: Any, *args: Number) -> Any:
        found = NAMES[path].translate(t, node, *args)
        return found if kind is None else converted(t, found, kind, node)

    return make


for _end, _kind in (("", ty.FLOAT64), ("f", ty.FLOAT32)):
    row(f"frexp{_end}", (_kind,), _by("math.frexp"), "fraction and exponent")
    row(f"modf{_end}", (_kind,), _by("math.modf"), "fraction and whole part")
for _end, _kind in (("d", ty.FLOAT64), ("f", ty.FLOAT32)):
    row(f"isnan{_end}", (_kind,), _by("math.isnan", ty.INT32), "1 for what is not a number")
    row(f"isinf{_end}", (_kind,), _by("math.isinf", ty.INT32), "1 for an infinity")
    row("isfinited" if _end == "d" else "finitef", (_kind,), _by("math.isfinite", ty.INT32), "1 for a finite number")
for _end, _kind in (("", ty.INT32), ("ll", ty.INT64)):
    for _name in ("clz", "popc", "ffs"):
        row(_name + _end, (_kind,), _by(f"cuda.{_name}", ty.INT32), f"{_name} of {_kind.bits} bits")
    row("brev" + _end, (_kind,), _by("cuda.brev", _kind), "the bits in reverse order")
    row("abs" if not _end else "llabs", (_kind,), _by("builtins.abs", _kind), "absolute value")
for _name, _kind in (("", ty.INT32), ("u", ty.UINT32), ("ll", ty.INT64), ("ull", ty.UINT64)):
    for _which in ("min", "max"):
        row(_name + _which, (_kind, _kind), _by(f"builtins.{_which}", _kind), f"{_which}imum of {_kind.bits} bits")


# ---- bits of floats


def _as_bits(kind: ty.Type) -> Callable[..., Number]:
    def make(t: Translator, node: Any, x: Number) -> Number:
        return Number(kind, t.b.pure("wrap", t.b.pure("bits", x.value, type="u64"), type="i64", imm=kind.bits))

    return make


def _as_float(kind: ty.Type) -> Callable[..., Number]:
    def make(t: Translator, node: Any, x: Number) -> Number:
        return Number(kind, t.b.pure("float", x.value, type=kind.ssa))

    return make


row("float_as_int", (ty.FLOAT32,), _as_bits(ty.INT32), "the same bits as a whole number")
row("int_as_float", (ty.INT32,), _as_float(ty.FLOAT32), "the same bits as a float")
row("double_as_longlong", (ty.FLOAT64,), _as_bits(ty.INT64), "the same bits as a whole number")
row("longlong_as_double", (ty.INT64,), _as_float(ty.FLOAT64), "the same bits as a float")


def _word_of(place: int) -> Callable[..., Number]:
    def make(t: Translator, node: Any, x: Number) -> Number:
        bits = t.b.pure("bits", x.value, type="u64")
        return Number(ty.INT32, t.b.pure("wrap", t.b.pure("shr", bits, t.b.whole(32 * place), type="u64"), type="i64", imm=32))

    return make


row("double2loint", (ty.FLOAT64,), _word_of(0), "the low word of a float")
row("double2hiint", (ty.FLOAT64,), _word_of(1), "the high word of a float")


def _joined(t: Translator, node: Any, high: Number, low: Number) -> Number:
    words = t.b.pure("or", t.b.pure("shl", high.value, t.b.whole(32), type="u64"), low.value, type="u64")
    return Number(ty.FLOAT64, t.b.pure("float", words, type="f64"))


row("hiloint2double", (ty.UINT32, ty.UINT32), _joined, "the float of two words, the high one first")


def _sign(bits: int) -> Callable[..., Number]:
    def make(t: Translator, node: Any, x: Number) -> Number:
        found = t.b.pure("shr", t.b.pure("bits", x.value, type="u64"), t.b.whole(bits - 1), type="u64")
        return Number(ty.INT32, t.b.pure("wrap", found, type="i64", imm=32))

    return make


row("signbitf", (ty.FLOAT32,), _sign(32), "1 where the sign is set")
row("signbitd", (ty.FLOAT64,), _sign(64), "1 where the sign is set")


# ---- conversions

ROUNDED = {"rn": "numpy.rint", "rd": "math.floor", "ru": "math.ceil", "rz": "math.trunc"}
WHOLE = {"int": ty.INT32, "uint": ty.UINT32, "ll": ty.INT64, "ull": ty.UINT64}


def _to_whole(mode: str, kind: ty.Type) -> Callable[..., Number]:
    """A float as a whole number; Numba gives the signed type of as many bits for unsigned ones too."""

    def make(t: Translator, node: Any, x: Number) -> Any:
        return converted(t, converted(t, NAMES[ROUNDED[mode]].translate(t, node, x), kind, node), ty.SIGNED[kind.bits], node)

    return make


def _to_float(kind: ty.Type) -> Callable[..., Any]:
    return lambda t, node, x: converted(t, x, kind, node)


for _from, _kind in (("float", ty.FLOAT32), ("double", ty.FLOAT64)):
    for _name, _whole in WHOLE.items():
        for _mode in ROUNDED:
            row(f"{_from}2{_name}_{_mode}", (_kind,), _to_whole(_mode, _whole), f"a {_kind} as a whole number of {_whole.bits} bits")
        row(f"{_name}2{_from}_rn", (_whole,), _to_float(_kind), f"a whole number of {_whole.bits} bits as a {_kind}")
row("double2float_rn", (ty.FLOAT64,), _to_float(ty.FLOAT32), "a 64-bit float as one of 32 bits")
for _end, _kind in (("", ty.FLOAT64), ("f", ty.FLOAT32)):
    row(f"llrint{_end}", (_kind,), _to_whole("rn", ty.INT64), "the nearest whole number")


# ---- arithmetic that is not joined with other arithmetic


def _apart(op: str, kind: ty.Type) -> Callable[..., Number]:
    """x + y, x - y and x * y as a fused operation with 1 or -0, whose result is the same: no other product or sum joins it."""

    def make(t: Translator, node: Any, x: Number, y: Number) -> Number:
        b = t.b
        one, zero = b.real(1.0, kind.ssa), b.real(-0.0, kind.ssa)
        second = b.pure("fneg", y.value, type=kind.ssa) if op == "sub" else y.value
        operands: tuple[Value, Value, Value] = (x.value, y.value, zero) if op == "mul" else (x.value, one, second)
        return Number(kind, b.pure("fma", *operands, type=kind.ssa))

    return make


def _plain(op: str, kind: ty.Type) -> Callable[..., Number]:
    return lambda t, node, *args: Number(kind, t.b.pure(op, *(one.value for one in args), type=kind.ssa))


def _reciprocal(kind: ty.Type) -> Callable[..., Number]:
    return lambda t, node, x: Number(kind, t.b.pure("fdiv", t.b.real(1.0, kind.ssa), x.value, type=kind.ssa))


for _letter, _kind in (("f", ty.FLOAT32), ("d", ty.FLOAT64)):
    for _op in ("add", "sub", "mul"):
        row(f"{_letter}{_op}_rn", (_kind, _kind), _apart(_op, _kind), "to nearest, and not joined with other operations")
    row(f"{_letter}div_rn", (_kind, _kind), _plain("fdiv", _kind), "x / y, to nearest")
    row(f"{_letter}sqrt_rn", (_kind,), _plain("fsqrt", _kind), "square root, to nearest")
    row(f"{_letter}rcp_rn", (_kind,), _reciprocal(_kind), "1 / x, to nearest")
row("fma_rn", (ty.FLOAT64,) * 3, _plain("fma", ty.FLOAT64), "x * y + z, rounded once")
row("fmaf_rn", (ty.FLOAT32,) * 3, _plain("fma", ty.FLOAT32), "x * y + z, rounded once")
row("frsqrt_rn", (ty.FLOAT32,), _by("cuda.rsqrt"), "1 / square root")
row("fast_fdividef", (ty.FLOAT32,) * 2, lambda t, node, x, y: Number(
    ty.FLOAT32, t.b.pure("fmul", x.value, t.b.pure("frcp", y.value, type="f32"), type="f32")), "x / y by the reciprocal")  # fmt: skip
row("fast_sincosf", (ty.FLOAT32,), lambda t, node, x: tuple(applied(t, node, "sincos", ty.FLOAT32, [x])), "sine and cosine")


def _saturated(t: Translator, node: Any, x: Number) -> Number:
    positive = t.b.pure("fmax", x.value, t.b.real(0.0, "f32"), type="f32")
    return Number(ty.FLOAT32, t.b.pure("fmin", positive, t.b.real(1.0, "f32"), type="f32"))


row("saturatef", (ty.FLOAT32,), _saturated, "x within 0 and 1")


# ---- whole numbers


def _high(kind: ty.Type) -> Callable[..., Number]:
    def make(t: Translator, node: Any, x: Number, y: Number) -> Number:
        product = t.b.pure("shr", t.b.pure("mul", x.value, y.value, type=kind.ssa), t.b.whole(32), type=kind.ssa)
        return Number(ty.INT32, t.b.pure("wrap", product, type="i64", imm=32))

    return make


def _mean(more: int) -> Callable[..., Number]:
    def make(t: Translator, node: Any, x: Number, y: Number) -> Number:
        total = t.b.pure("add", t.b.pure("add", x.value, y.value), t.b.whole(more))
        return Number(ty.INT32, t.b.pure("wrap", t.b.pure("shr", total, t.b.whole(1), type="i64"), type="i64", imm=32))

    return make


def _difference(t: Translator, node: Any, x: Number, y: Number, z: Number) -> Number:
    apart = t.b.pure("sub", t.b.pure("max", x.value, y.value, type="i64"), t.b.pure("min", x.value, y.value, type="i64"))
    return Number(ty.INT32, t.b.pure("wrap", t.b.pure("add", apart, z.value), type="i64", imm=32))


for _letter, _kind in (("", ty.INT32), ("u", ty.UINT32)):
    row(f"{_letter}mulhi", (_kind, _kind), _high(_kind), "the upper word of a product")
    row(f"{_letter}hadd", (_kind, _kind), _mean(0), "mean of two whole numbers, rounded down")
    row(f"{_letter}rhadd", (_kind, _kind), _mean(1), "mean of two whole numbers, rounded up")
    row(f"{_letter}sad", (_kind, _kind, _kind), _difference, "the distance of x and y, plus z")
