"""Attributes: `array.shape`, `number.real`, `record.field`, `cuda.threadIdx.x`, and what modules of the host hold."""

from __future__ import annotations

import ast
import enum
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from warploom.isa.diagnostics import nearest
from warploom.kernel.device.arrays import DeviceArray
from warploom.kernel.syntax.arithmetic import lifted
from warploom.kernel.syntax.known_names import NAMES, Dotted, inside, path_of, starts
from warploom.kernel.syntax.memory import field_array, field_of
from warploom.kernel.syntax.packed import packed_items
from warploom.kernel.syntax.refused import of_whole_arrays, refuse_of_the_host
from warploom.kernel.syntax.strings import is_text
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import ALIGNED, Array, Bound, Complex, Number, Record, said

OF_ARRAYS = ("shape", "strides", "ndim", "size", "dtype", "itemsize", "nbytes", "T", "flat")
METHODS = ("reshape", "ravel", "transpose", "view", "sum", "conjugate", "item", "astype")


def attribute_of(t: Translator, node: ast.AST, owner: Any, name: str) -> Any:
    """`owner.name`. Raises Problem."""
    if isinstance(owner, Array):
        return _of_array(t, node, owner, name)
    if isinstance(owner, Record):
        return field_of(t, node, owner, name)
    if isinstance(owner, Number | Complex):
        return _of_number(t, node, owner, name)
    if isinstance(owner, tuple):
        fields, missing = getattr(owner, "_fields", ()), getattr(owner, "_missing", "")
        if name in fields:
            return owner[fields.index(name)]
        if name in ("x", "y", "z") and len(owner) == 3:
            return owner["xyz".index(name)]
        if name in ("count", "index"):
            return Bound(owner, name)
        if getattr(getattr(type(owner), name, None), "in_kernels", False):
            return Bound(owner, name)
        if missing and isinstance(node, ast.Attribute):  # a NamedTuple that says where its fields come from
            t.error(node, f"{ast.unparse(node.value)} has no {name!r}{nearest(name, fields)}", missing.format(name=name))
        if fields:
            t.error(node, f"a {type(owner).__name__} has no {name!r}{nearest(name, fields)}", f"it has {', '.join(fields)}")
        whole = ast.unparse(node.value) if isinstance(node, ast.Attribute) else ""
        there = f"{whole} has x, y and z, and" if whole in NAMES and len(owner) == 3 else f"{said(owner)} has"
        t.error(node, f"{there} no {name!r}")
    path = owner.path if isinstance(owner, Dotted) else path_of(owner)
    if path is not None and not (path in ("numpy", "math") and f"{path}.{name}" not in NAMES):
        return _of_path(t, node, f"{path}.{name}", owner)
    if hasattr(owner, name):
        frozen = t.frame.frozen
        found = getattr(owner, name) if frozen is None else frozen.attribute(owner, name)
        if isinstance(owner, enum.Enum) and name == "value":
            return lifted(t, found)
        return outside(t, node, found, name)
    return t.error(node, f"{getattr(owner, '__name__', said(owner))} has no {name!r}{nearest(name, dir(owner))}")


def _of_path(t: Translator, node: ast.AST, path: str, owner: Any) -> Any:
    if path in NAMES:
        row = NAMES[path]
        return Dotted(path) if row.called else row.translate(t, node)
    if starts(path):
        return Dotted(path)
    name = path.rpartition(".")[2]
    if isinstance(owner, Dotted) or path.startswith("cuda."):
        host = None if isinstance(owner, Dotted) else getattr(owner, name, None)
        kind = ty.BY_NAME.get(name)
        if kind is not None:
            return kind
        if (callable(getattr(host, "__call__", None)) and hasattr(host, "py_func")) or isinstance(host, ModuleType):  # noqa: B004
            return host
        if callable(host):
            refuse_of_the_host(t, node, path)
        return t.error(node, f"kernels have no {path}{nearest(name, inside(path.rpartition('.')[0]))}")
    return outside(t, node, getattr(owner, name), name)


def _of_array(t: Translator, node: ast.AST, array: Array, name: str) -> Any:
    b = t.b
    if name == "shape":
        return tuple(Number(ty.INT64, one) for one in array.shape)
    if name == "strides":
        return tuple(Number(ty.INT64, one) for one in array.strides)
    if name == "ndim":
        return lifted(t, len(array.shape))
    if name in ("size", "nbytes"):
        count = b.whole(1)
        for one in array.shape:
            count = b.pure("mul", count, one)
        return Number(ty.INT64, count if name == "size" else b.pure("mul", count, b.whole(array.itemsize)))
    if name == "itemsize":
        return lifted(t, array.itemsize)
    if name == "dtype":
        return array.dtype
    if name == "T":
        return replace(array, shape=array.shape[::-1], strides=array.strides[::-1])
    if name in METHODS:
        return Bound(array, name)
    if not isinstance(array.item, ty.Type) and name in (array.item.names or ()):
        return field_array(t, node, array, name)
    if name in ("real", "imag") and isinstance(array.item, ty.Type) and array.item.kind == "c":
        part = ty.part(array.item)
        base = array.base if name == "real" else b.pure("add", array.base, b.whole(part.bits // 8))
        return replace(array, item=part, base=base)
    fix = of_whole_arrays(name, array.name)
    return t.error(node, f"an array in a kernel has no {name!r}{'' if fix else nearest(name, [*OF_ARRAYS, *METHODS])}", fix)


def _of_number(t: Translator, node: ast.AST, number: Number | Complex, name: str) -> Any:
    if name == "real":
        return number.real if isinstance(number, Complex) else number
    if name == "imag":
        return (
            number.imag
            if isinstance(number, Complex)
            else Number(number.type, t.b.real(0.0, number.type.ssa) if number.type.kind == "f" else t.b.whole(0))
        )
    if name in ("conjugate", "item", "view", "bit_count"):
        return Bound(number, name)
    return t.error(node, f"{said(number)} has no {name!r}")


def outside(t: Translator, node: ast.AST, thing: Any, name: str) -> Any:
    """Something of the host: numbers and arrays as constants, arrays in the device's memory as arguments that nobody writes down."""
    if isinstance(thing, np.ndarray):
        return constant_array(t, node, thing)
    if isinstance(thing, DeviceArray):
        return t.capture(thing, name)
    return lifted(t, thing)


def constant_array(t: Translator, node: ast.AST, array: np.ndarray) -> Array:
    """An array of the host as constant memory: its contents are those of now, when the kernel is compiled."""
    key = ("constant", id(array))
    placed = t.resources.placed
    kind = ty.of_dtype(array.dtype) if array.dtype.names is None else None
    if kind is None and array.dtype.names is None and not is_text(array.dtype):
        t.error(node, f"an array of {array.dtype} is nothing that a kernel knows")
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    data = np.asarray(array, order="F" if fortran else "C")
    if key not in placed:
        constants = t.resources.constants
        constants += bytes(-len(constants) % 16)
        placed[key] = len(constants), array
        constants += data.tobytes(order="A")
    sizes, strides = array.shape, data.strides
    b = t.b
    return Array(
        kind or array.dtype, b.whole(placed[key][0]), tuple(b.whole(one) for one in sizes), tuple(b.whole(one) for one in strides),
        "constant", -1, "a constant array", align=packed_items(kind or array.dtype, ALIGNED),
    )  # fmt: skip
