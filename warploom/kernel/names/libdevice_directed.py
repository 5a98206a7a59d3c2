"""`cuda.libdevice`: what rounds up (`_ru`), down (`_rd`) or towards zero (`_rz`), and whole numbers of 24 and 64 bits, bytes and halves.

Source: NVIDIA, "libdevice User's Guide", chapter 3; types of arguments: Numba's `numba.cuda.libdevicefuncs`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warploom.compiler.ssa import Value
from warploom.kernel.mathematics import directed
from warploom.kernel.names.libdevice_names import WHOLE, row
from warploom.kernel.syntax.arithmetic import converted, lifted
from warploom.kernel.syntax.translator import ACTIONS, Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Number

MODES = {"rz": 1, "rd": 2, "ru": 3}  # RISC-V's numbers
OPERATIONS = {"add": 2, "sub": 2, "mul": 2, "div": 2, "rcp": 1, "sqrt": 1, "fma": 3}  # how many operands


def _directed(t: Translator, node: Any, name: str, kind: ty.Type, args: list[Number], mode: int) -> Any:
    """A function of `mathematics/directed.py`. Its operands are of 64 bits."""
    wide = [converted(t, one, ty.FLOAT64, node) for one in args]
    function = getattr(directed, name + "_single" * (kind is ty.FLOAT32))
    return ACTIONS["inline"](t, node, function, [*wide, lifted(t, mode)], {})


def _operation(name: str, kind: ty.Type, mode: int) -> Callable[..., Any]:
    def make(t: Translator, node: Any, *args: Number) -> Any:
        operands = list(args)
        if name == "sub":
            operands[1] = Number(kind, t.b.pure("fneg", args[1].value, type=kind.ssa))
        if name == "rcp":
            operands.insert(0, Number(kind, t.b.real(1.0, kind.ssa)))
        return _directed(t, node, {"sub": "add", "rcp": "div"}.get(name, name), kind, operands, mode)

    return make


for _letter, _kind in (("f", ty.FLOAT32), ("d", ty.FLOAT64)):
    for _name, _count in OPERATIONS.items():
        for _mode, _number in MODES.items():
            _whole = ("fmaf" if _letter == "f" else "fma") if _name == "fma" else _letter + _name
            row(f"{_whole}_{_mode}", (_kind,) * _count, _operation(_name, _kind, _number), f"{_name}, rounded as {_mode} says")


# ---- conversions


def _narrow(mode: int) -> Callable[..., Any]:
    return lambda t, node, x: ACTIONS["inline"](
        t, node, directed.single, [x, Number(ty.FLOAT64, t.b.real(0.0, "f64")), lifted(t, mode)], {}
    )


def _from_whole(kind: ty.Type, to: ty.Type, mode: int) -> Callable[..., Any]:
    """A whole number: its two words are floats exactly, and their sum is rounded."""

    def make(t: Translator, node: Any, x: Number) -> Any:
        b = t.b
        high = b.pure("shr", x.value, b.whole(32), type=kind.ssa)
        low = b.pure("and", x.value, b.whole(0xFFFFFFFF), type="u64")
        upper = b.pure("fmul", b.pure("i2f", high, type="f64"), b.real(2.0**32, "f64"), type="f64")
        words = [Number(ty.FLOAT64, upper), Number(ty.FLOAT64, b.pure("i2f", low, type="f64"))]
        return _directed(t, node, "add", to, words, mode)

    return make


for _mode, _number in MODES.items():
    row(f"double2float_{_mode}", (ty.FLOAT64,), _narrow(_number), f"a 64-bit float as one of 32 bits, rounded as {_mode} says")
    for _name, _kind in WHOLE.items():
        for _to, _float in (("float", ty.FLOAT32), ("double", ty.FLOAT64)):
            if _kind.bits == 64 or _to == "float":
                row(f"{_name}2{_to}_{_mode}", (_kind,), _from_whole(_kind, _float, _number), f"a whole number, rounded as {_mode} says")


def _from_half(t: Translator, node: Any, x: Number) -> Number:
    return Number(ty.FLOAT32, t.b.pure("h2f", t.b.pure("wrap", x.value, type="u64", imm=16), type="f32"))


def _to_half(t: Translator, node: Any, x: Number) -> Number:
    return Number(ty.INT16, t.b.pure("wrap", t.b.pure("f2h", x.value, type="u64"), type="i64", imm=16))


row("half2float", (ty.INT16,), _from_half, "a 16-bit float, given by its bits")
row("float2half_rn", (ty.FLOAT32,), _to_half, "the bits of the nearest 16-bit float")


# ---- whole numbers


def _product24(kind: ty.Type) -> Callable[..., Number]:
    def make(t: Translator, node: Any, x: Number, y: Number) -> Number:
        parts: list[Value] = []
        for one in (x, y):
            top = t.b.pure("wrap", t.b.pure("shl", one.value, t.b.whole(8), type=kind.ssa), type=kind.ssa, imm=32)
            parts.append(t.b.pure("shr", top, t.b.whole(8), type=kind.ssa))
        return Number(ty.INT32, t.b.pure("wrap", t.b.pure("mul", *parts, type=kind.ssa), type="i64", imm=32))

    return make


def _high64(kind: ty.Type) -> Callable[..., Number]:
    """The upper 64 bits of a product, by the schoolbook: four products of words (Hacker's Delight, 2nd ed., 8-2)."""

    def make(t: Translator, node: Any, x: Number, y: Number) -> Number:
        b, type, shift = t.b, kind.ssa, t.b.whole(32)

        def low(value: Value) -> Value:
            return b.pure("and", value, b.whole(0xFFFFFFFF), type="u64")

        a, c = (b.pure("shr", one.value, shift, type=type) for one in (x, y))
        d, e = low(x.value), low(y.value)
        first = b.pure("shr", b.pure("mul", d, e, type="u64"), shift, type="u64")
        middle = b.pure("add", b.pure("mul", a, e, type=type), first, type=type)
        carried = b.pure("add", b.pure("mul", d, c, type=type), low(middle), type=type)
        above = b.pure("add", b.pure("shr", middle, shift, type=type), b.pure("shr", carried, shift, type=type), type=type)
        return Number(ty.INT64, b.pure("wrap", b.pure("add", b.pure("mul", a, c, type=type), above, type=type), type="i64", imm=64))

    return make


for _letter, _narrow_kind, _wide_kind in (("", ty.INT32, ty.INT64), ("u", ty.UINT32, ty.UINT64)):
    row(f"{_letter}mul24", (_narrow_kind,) * 2, _product24(_narrow_kind), "the product of the low 24 bits")
    row(f"{_letter}mul64hi", (_wide_kind,) * 2, _high64(_wide_kind), "the upper 64 bits of a product")


def _bytes(t: Translator, node: Any, x: Number, y: Number, s: Number) -> Number:
    b = t.b
    both = b.pure("or", b.pure("shl", y.value, b.whole(32), type="u64"), x.value, type="u64")
    found = b.whole(0, "u64")
    for place in range(4):
        which = b.pure("and", b.pure("shr", s.value, b.whole(4 * place), type="u64"), b.whole(7), type="u64")
        byte = b.pure("and", b.pure("shr", both, b.pure("shl", which, b.whole(3), type="u64"), type="u64"), b.whole(255), type="u64")
        found = b.pure("or", found, b.pure("shl", byte, b.whole(8 * place), type="u64"), type="u64")
    return Number(ty.INT32, b.pure("wrap", found, type="i64", imm=32))


row("byte_perm", (ty.UINT32,) * 3, _bytes, "four bytes of x and y, which the digits of z name")
