"""Methods of arrays in kernels: reshape, ravel, transpose, and sums."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from warploom.kernel import types as ty
from warploom.kernel.arithmetic import whole
from warploom.kernel.names import type_of
from warploom.kernel.translator import Translator
from warploom.kernel.values import Array


def method(t: Translator, node: ast.Call, array: Array, name: str, args: list[Any]) -> Any:
    """`array.name(args)`. Raises Problem."""
    if name == "transpose":
        return replace(array, shape=array.shape[::-1], strides=array.strides[::-1])
    if name in ("reshape", "ravel"):
        return _reshaped(t, node, array, args[0] if len(args) == 1 and isinstance(args[0], tuple) else tuple(args), name)
    if name == "view":
        kind = type_of(args[0])
        size = kind.dtype.itemsize if isinstance(kind, ty.Type) else kind.itemsize if kind is not None else 0
        if size != array.itemsize:
            t.error(node, "a view has items of the same size")
        return replace(array, item=kind)
    return t.error(node, f"an array in a kernel has no {name}()")


def _reshaped(t: Translator, node: ast.Call, array: Array, shape: tuple[Any, ...], name: str) -> Array:
    b = t.b
    total = b.whole(1)
    for one in array.shape:
        total = b.pure("mul", total, one)
    if name == "ravel":
        sizes = [total]
    else:
        sizes = [whole(t, one, node, "a size") for one in shape]
        open_axes = [place for place, one in enumerate(sizes) if one.op == "const" and one.imm == -1]
        if len(open_axes) > 1:
            t.error(node, "one size at most is -1")
        for place in open_axes:
            rest = b.whole(1)
            for other, one in enumerate(sizes):
                rest = b.pure("mul", rest, one) if other != place else rest
            sizes[place] = b.pure("floordiv", total, rest)
    strides = []
    step = b.whole(array.itemsize)
    for one in reversed(sizes):
        strides.insert(0, step)
        step = b.pure("mul", step, one)
    return replace(array, shape=tuple(sizes), strides=tuple(strides))


