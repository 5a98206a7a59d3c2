"""Signatures: what is known of a kernel's arguments when it is compiled, and how their values reach it.

Of an array: the type of its items, how many dimensions it has, how it lies in memory. Of a whole number: its type, and whether it
fits 32 bits, because most do and 64 take two registers. Everything else comes in scalar registers, which the launch writes:
addresses, shapes, strides, numbers. So one program serves all launches with the same signature.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from warploom.compiler.ssa import Interval, Value
from warploom.isa.views import F_WORD, VIEW_BASE, VIEW_BYTES, VIEW_COLUMNS, VIEW_FORMAT, VIEW_WRITABLE, ViewShape
from warploom.kernel.syntax.arithmetic import lifted
from warploom.kernel.syntax.packed import alignment, packed_items
from warploom.kernel.syntax.strings import is_text
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import ALIGNED, Array, Complex, Number, Record

WORD = 0xFFFFFFFF
DYNAMIC_SHARED = 2  # the first scalars: where dynamic shared memory begins, and its bytes
SMALL: tuple[tuple[str, Interval], ...] = (("n", (0, (1 << 31) - 1)), ("s", (-(1 << 31), (1 << 31) - 1)))


class ArgumentError(TypeError):
    """An argument that no kernel can take. One sentence."""


class Placed(NamedTuple):
    """An array that is in the device's memory for a launch. array: the host's view of its shape and strides; base: of its first item;
    start, size: the bytes that it lies in."""

    array: Any
    base: int
    start: int
    size: int


def kind_of(argument: Any) -> Any:
    """What a program depends on of an argument: hashable. Raises ArgumentError."""
    if isinstance(argument, enum.Enum) and not isinstance(argument, int):
        return ("host", argument)
    if isinstance(argument, bool | np.bool_):
        return ("number", "bool", "")
    if isinstance(argument, np.datetime64 | np.timedelta64):
        return ("number", "int64", "")
    if isinstance(argument, int | np.integer):
        small = next((letter for letter, (lo, hi) in SMALL if lo <= int(argument) <= hi), "")
        if isinstance(argument, np.generic):
            return ("number", argument.dtype.name, small)
        return ("number", "int64" if -(1 << 63) <= argument < 1 << 63 else "uint64", small)
    if isinstance(argument, float | complex | np.floating | np.complexfloating):
        name = argument.dtype.name if isinstance(argument, np.generic) else "float64" if isinstance(argument, float) else "complex128"
        if name not in ty.BY_NAME:
            raise ArgumentError(f"a {name} is nothing that a kernel knows")
        return ("number", name, "")
    if isinstance(argument, np.void):
        _check_byte_order(argument.dtype)
        return ("record", argument.dtype, argument.flags.writeable)
    if isinstance(argument, tuple):
        return ("tuple", type(argument) if hasattr(argument, "_fields") else tuple, tuple(kind_of(one) for one in argument))
    if argument is None or isinstance(argument, str | bytes):
        return ("host", argument)
    dtype, shape = getattr(argument, "dtype", None), getattr(argument, "shape", None)
    if dtype is None or shape is None:
        fix = "; make it an array: np.array(...)" if isinstance(argument, list) else ""
        raise ArgumentError(f"a value of type {type(argument).__name__} is nothing that a kernel can take{fix}")
    dtype = np.dtype(dtype)
    _check_byte_order(dtype)
    if dtype.names is None and dtype.subdtype is None and ty.of_dtype(dtype) is None and not is_text(dtype):
        raise ArgumentError(f"an array of {dtype} is nothing that a kernel knows")
    strides = argument.strides
    return ("array", dtype, len(shape), _layout(shape, strides, dtype.itemsize), _writable(argument), _alignment(argument, dtype))


def _check_byte_order(dtype: np.dtype[Any]) -> None:
    """Raise ArgumentError for numbers whose bytes lie the other way round, in records too."""
    if not (dtype.isnative and dtype.base.isnative):
        raise ArgumentError(f"an array of {dtype} has the other byte order; give x.astype(x.dtype.newbyteorder('='))")


def _writable(array: Any) -> bool:
    """Whether a kernel may store into it: one of the host says so among its flags, as NumPy has them."""
    flags = getattr(array, "flags", None)
    return bool(getattr(array, "writable", getattr(flags, "writeable", True)))


def _alignment(array: Any, dtype: np.dtype[Any]) -> int:
    """What divides the addresses of an array's items in the device's memory, where one of the host begins as it must."""
    strides = [stride for extent, stride in zip(array.shape, array.strides, strict=True) if extent > 1]
    return packed_items(ty.of_dtype(dtype) or dtype, alignment(getattr(array, "address", 0)), *strides, 0)


def _layout(shape: Sequence[int], strides: Sequence[int], size: int) -> str:
    """Which dimension's items follow one another: "C" the last one's, "F" the first one's, "A" none's, or one that is not known."""
    for name, axes in (("C", range(len(shape))[::-1]), ("F", range(len(shape)))):
        expected = size
        for axis in axes:
            if strides[axis] != expected and shape[axis] > 1:
                break
            expected *= shape[axis]
        else:
            return name
    return "A"


@dataclass
class Parameters:
    """The arguments of a kernel while it is translated, and afterwards the way from values to scalar registers.

    views: names of the arrays, one a row of Program.views. captured: arrays that the kernel names without being handed them, by id.
    """

    words: int = DYNAMIC_SHARED
    views: list[str] = field(default_factory=list)
    captured: dict[int, tuple[Any, Array]] = field(default_factory=dict)

    def value(self, t: Translator, kind: Any, name: str) -> Any:
        """What the kernel sees of an argument of a kind (`kind_of`)."""
        if kind[0] == "number":
            return self._number(t, ty.BY_NAME[kind[1]], kind[2], name)
        if kind[0] == "tuple":
            parts = [self.value(t, one, f"{name}[{place}]") for place, one in enumerate(kind[2])]
            return kind[1](*parts) if kind[1] is not tuple else tuple(parts)
        if kind[0] == "host":
            return lifted(t, kind[1])
        if kind[0] == "record":
            view = self._view(name)
            address = self._word(t, name)
            t.bases[address] = 0, ALIGNED
            return Record(kind[1], address, "global", view, name, writable=kind[2])
        return self._array(t, kind, name)

    def capture(self, t: Translator, array: Any, name: str) -> Array:
        """An array in the device's memory that the kernel finds outside: where it lies is fixed now, what it holds is not."""
        if id(array) not in self.captured:
            self.captured[id(array)] = array, self._array(t, kind_of(array), name)
        return self.captured[id(array)][1]

    def _view(self, name: str) -> int:
        self.views.append(name)
        return len(self.views) - 1

    def _word(self, t: Translator, name: str, interval: Interval = (0, (1 << 31) - 1), type: str = "i64") -> Value:
        self.words += 1
        return t.b.param(self.words - 1, type, interval, name)

    def _long(self, t: Translator, name: str, type: str, interval: Interval = (0, 0)) -> Value:
        self.words += 2
        return t.b.param(self.words - 2, type, interval, name)

    def _number(self, t: Translator, kind: ty.Type, small: str, name: str) -> Any:
        if kind.kind == "c":
            one = ty.part(kind)
            return Complex(kind, self._number(t, one, "", f"{name}.real"), self._number(t, one, "", f"{name}.imag"))
        if kind.kind == "f":
            value = self._long(t, name, "f64") if kind.bits == 64 else self._word(t, name, (0, 0), "f32")
            return Number(kind, value)
        if kind.kind == "b":
            return Number(kind, t.b.pure("ne", self._word(t, name, (0, 1)), t.b.whole(0), type="i1"))
        lo, hi = (0, (1 << kind.bits) - 1) if kind.kind == "u" else (-(1 << kind.bits - 1), (1 << kind.bits - 1) - 1)
        bounds = dict(SMALL).get(small, (lo, hi))
        bounds = max(bounds[0], lo), min(bounds[1], hi)
        if bounds[0] < -(1 << 31) or bounds[1] >= 1 << 32:
            return Number(kind, self._long(t, name, kind.ssa, bounds))
        return Number(kind, self._word(t, name, bounds, kind.ssa))

    def _array(self, t: Translator, kind: Any, name: str) -> Array:
        _, dtype, dimensions, layout, writable, align = kind
        item = ty.of_dtype(dtype) if dtype.names is None else None
        base = self._word(t, name, (0, (1 << 32) - 1))
        t.bases[base] = 0, ALIGNED
        shape = tuple(self._word(t, f"{name}.shape[{axis}]") for axis in range(dimensions))
        size = t.b.whole(dtype.itemsize)
        limits = (-(1 << 31), (1 << 31) - 1)
        strides: list[Value] = []
        for axis in range(dimensions):
            fixed = (layout == "C" and axis == dimensions - 1) or (layout == "F" and axis == 0)
            positive = (0, (1 << 31) - 1) if layout in "CF" else limits
            strides.append(size if fixed else self._word(t, f"{name}.strides[{axis}]", positive))
        return Array(item or dtype, base, shape, tuple(strides), "global", self._view(name), name, writable, align)


def words_of(argument: Any, kind: Any, placed: Placed | None, parts: dict[int, Placed]) -> list[int]:
    """The words of an argument, in the order in which `Parameters.value` has taken them."""
    if kind[0] == "number":
        return _number_words(argument, ty.BY_NAME[kind[1]], kind[2])
    if kind[0] == "tuple":
        return [word for one, inner in zip(argument, kind[2], strict=True) for word in words_of(one, inner, parts.get(id(one)), parts)]
    if kind[0] == "host":
        return []
    assert placed is not None
    if kind[0] == "record":
        return [placed.base]
    words = [placed.base, *placed.array.shape]
    dimensions, layout = kind[2], kind[3]
    for axis in range(dimensions):
        if not ((layout == "C" and axis == dimensions - 1) or (layout == "F" and axis == 0)):
            words.append(int(placed.array.strides[axis]) & WORD)
    return [int(word) for word in words]


def _number_words(argument: Any, kind: ty.Type, small: str) -> list[int]:
    if kind.kind == "c":
        one = ty.part(kind)
        number = complex(argument)
        return _number_words(number.real, one, "") + _number_words(number.imag, one, "")
    if kind.kind == "f":
        single = kind.bits <= 32
        bits = np.array([argument], np.float32 if single else np.float64).view(np.uint32 if single else np.uint64)
        number = int(bits[0])
        return [number] if single else [number & WORD, number >> 32]
    number = int(argument.view(np.int64) if isinstance(argument, np.datetime64 | np.timedelta64) else argument)
    wide = kind.bits == 64 and not small
    return [number & WORD, number >> 32 & WORD] if wide else [number & WORD]


def view_rows(placed: Sequence[Placed], writable: Sequence[bool]) -> np.ndarray:
    """Program.views of arrays in their order."""
    rows = np.zeros((len(placed), VIEW_COLUMNS), np.int32)
    for row, one, writes in zip(rows, placed, writable, strict=True):
        row[VIEW_BASE], row[VIEW_BYTES], row[VIEW_FORMAT], row[VIEW_WRITABLE] = one.start, one.size, F_WORD, int(writes)
    return rows


def view_shape(one: Placed) -> ViewShape | None:
    """How messages name the items of an array; None where they do not follow one another."""
    array = one.array
    dtype = np.dtype(array.dtype)
    size = int(dtype.itemsize)
    if _layout(array.shape, array.strides, size) != "C":
        return None
    return ViewShape(
        tuple(int(extent) for extent in array.shape),
        size,
        floats=dtype.kind == "f",
        whole=dtype.kind in "iu",
        signed=dtype.kind == "i",
    )
