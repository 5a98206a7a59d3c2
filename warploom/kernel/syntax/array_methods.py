"""Methods of arrays in kernels: reshape, ravel, transpose, and sums."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from warploom.compiler.ssa import Value
from warploom.kernel.syntax.arithmetic import whole
from warploom.kernel.syntax.known_names import type_of
from warploom.kernel.syntax.packed import viewed
from warploom.kernel.syntax.refused import of_whole_arrays
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Array


def method(t: Translator, node: ast.Call, array: Array, name: str, args: list[Any]) -> Any:
    """`array.name(args)`. Raises Problem."""
    if name == "transpose":
        return replace(array, shape=array.shape[::-1], strides=array.strides[::-1])
    if name in ("reshape", "ravel"):
        return _reshaped(t, node, array, args[0] if len(args) == 1 and isinstance(args[0], tuple) else tuple(args), name)
    if name == "view":
        kind = type_of(args[0])
        if kind is None:
            t.error(node, "a view is of a type, as np.int32")
        size = kind.dtype.itemsize if isinstance(kind, ty.Type) else kind.itemsize
        if size == array.itemsize:
            return viewed(t, array, kind, array.strides)
        if not array.shape or array.strides[-1].op != "const" or array.strides[-1].imm != array.itemsize:
            t.error(node, "a view with items of a different size needs an array whose items follow one another")
        b = t.b
        count = b.pure("floordiv", b.pure("mul", array.shape[-1], b.whole(array.itemsize)), b.whole(size))
        strides = (*array.strides[:-1], b.whole(size))
        return replace(viewed(t, array, kind, strides), shape=(*array.shape[:-1], count))
    return t.error(node, f"an array in a kernel has no {name}()", of_whole_arrays(name, array.name))


def _reshaped(t: Translator, node: ast.Call, array: Array, shape: tuple[Any, ...], name: str) -> Array:
    b = t.b
    total = b.whole(1)
    for one in array.shape:
        total = b.pure("mul", total, one)
    if name == "ravel":
        sizes = [total]
    else:
        sizes = [whole(t, one, node, "a size") for one in shape]
        product = b.whole(1)
        for one in sizes:
            product = b.pure("mul", product, one)
        # Of the sizes one at most is -1: the product of all is the others' then, with a sign.
        missing = b.pure("floordiv", total, b.pure("max", b.pure("sub", b.whole(0), product), b.whole(1)))
        sizes = [b.pure("sel", b.pure("lt", one, b.whole(0), type="i1"), missing, one) for one in sizes]
    strides: list[Value] = []
    step = b.whole(array.itemsize)
    for one in reversed(sizes):
        strides.insert(0, step)
        step = b.pure("mul", step, one)
    return replace(array, shape=tuple(sizes), strides=tuple(strides))
