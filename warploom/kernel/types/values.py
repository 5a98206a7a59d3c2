"""What an expression of a kernel can be while it is compiled: numbers, arrays, records, tuples, and things of the host."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from warploom.compiler.ssa import Value
from warploom.kernel.types import types as ty
from warploom.kernel.types.types import Type

MOST_TEXT = 24  # characters of the source that a message repeats
ALIGNED = 8  # bytes: no number that a kernel loads needs more


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """A whole number, a truth value or a float."""

    type: Type
    value: Value

    @property
    def constant(self) -> int | float | None:
        """Its number, where that is known when the kernel is compiled."""
        return self.value.imm if self.value.op == "const" else None


@dataclass(frozen=True, eq=False, slots=True)
class Complex:
    """A complex number: two floats."""

    type: Type
    real: Number
    imag: Number


@dataclass(frozen=True, eq=False)
class Array:
    """An array. base: the address of its first item. shape, strides (bytes): whole numbers. item: a Type, or the dtype of records.

    view: the row of Program.views that bounds it, or -1. name: what messages call it. align: a power of two that divides the address of
    every item; an item that needs more of it is taken in pieces (`syntax/packed.py`). viewed: whether align is what a view has found.
    """

    item: Any
    base: Value
    shape: tuple[Value, ...]
    strides: tuple[Value, ...]
    space: str = "global"
    view: int = -1
    name: str = ""
    writable: bool = True
    align: int = ALIGNED
    viewed: bool = False

    @property
    def itemsize(self) -> int:
        """Bytes of an item."""
        return int(self.item.dtype.itemsize if isinstance(self.item, Type) else self.item.itemsize)

    @property
    def dtype(self) -> np.dtype[Any]:
        """As NumPy names it."""
        return self.item.dtype if isinstance(self.item, Type) else self.item


@dataclass(frozen=True, eq=False)
class Record:
    """A record in memory: the address of its first byte. align, writable: as of an array."""

    dtype: np.dtype[Any]
    address: Value
    space: str = "global"
    view: int = -1
    name: str = ""
    align: int = ALIGNED
    writable: bool = True


@dataclass(frozen=True)
class Slice:
    """`a:b:c` between brackets."""

    start: Any
    stop: Any
    step: Any


F = TypeVar("F", bound=Callable[..., Any])


def in_kernels(method: F) -> F:
    """A method of a NamedTuple that kernels may call: its body is translated there, as a device function's. Numba has none."""
    method.in_kernels = True  # type: ignore[attr-defined]
    return method


@dataclass(frozen=True)
class Bound:
    """A method with what it belongs to: `x.sum`, `atomic.add`."""

    owner: Any
    name: str


@dataclass(frozen=True)
class Range:
    """`range(...)`."""

    start: Number
    stop: Number
    step: Number


@dataclass(frozen=True, eq=False)
class Lazy:
    """Something to loop over whose length is known when the kernel runs. item: of a number."""

    length: Value
    item: Callable[[Number], Any]


@dataclass(frozen=True, eq=False)
class Inner:
    """A function that stands in another one, and sees that one's variables. node: its syntax; frame: of the function around it."""

    node: Any
    frame: Any


class Unknown:
    """What an expression with an error in it is. Nothing more is said of what is made from it."""


UNKNOWN = Unknown()


class Pending(Unknown):
    """What depends on a variable whose type this attempt to translate the kernel does not know yet."""


PENDING = Pending()


class Clash(Unknown):
    """A variable that is of different kinds on different paths; it may not be used."""

    def __init__(self, name: str, values: Sequence[Any], function: str = "") -> None:
        """function: whose result it is."""
        self.name, self.values, self.function = name, values, function

    def mistake(self, subject: str) -> tuple[str, str]:
        """What is said where it is read, and what to write. subject: what it is called there."""
        others = self._kinds(one for one in self.values if one is not None)
        if self.function and others and any(one is None for one in self.values):
            return f"{self.function}() gives None on some paths and {' or '.join(others)} on others", "return a value on every path"
        return f"{subject} is {self}", ""

    @staticmethod
    def _kinds(values: Iterable[Any]) -> list[str]:
        return list(dict.fromkeys(said(one) for one in values))

    def __str__(self) -> str:
        kinds = self._kinds(self.values)
        if len(kinds) > 1:
            return f"of different kinds on different paths: {' and '.join(kinds)}"
        return f"{kinds[0]} on each path, and not the same one: which one it is must be known when the kernel is compiled"


def leaves(value: Any) -> Iterator[Number]:
    """The numbers that a value consists of."""
    if isinstance(value, Number):
        yield value
    elif isinstance(value, Complex):
        yield value.real
        yield value.imag
    elif isinstance(value, tuple):
        for one in value:
            yield from leaves(one)
    elif isinstance(value, Array):
        for one in (value.base, *value.shape, *value.strides):
            yield Number(ty.INT64, one)
    elif isinstance(value, Record):
        yield Number(ty.INT64, value.address)


def rebuilt(value: Any, numbers: Iterator[Number]) -> Any:
    """The same kind of value of other numbers, which are taken in the order of `leaves`."""
    if isinstance(value, Number):
        return next(numbers)
    if isinstance(value, Complex):
        real, imag = next(numbers), next(numbers)
        return Complex(ty.COMPLEX64 if real.type.bits <= 32 else ty.COMPLEX128, real, imag)
    if isinstance(value, tuple):
        parts = [rebuilt(one, numbers) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, Array):
        base = next(numbers).value
        shape = tuple(next(numbers).value for _ in value.shape)
        return replace(value, base=base, shape=shape, strides=tuple(next(numbers).value for _ in value.strides))
    if isinstance(value, Record):
        return replace(value, address=next(numbers).value)
    return value


def alike(values: Sequence[Any]) -> Any | None:
    """A value of the kind that all of these are, so that their numbers can be merged; None when they are of different kinds."""
    first = values[0]
    if all(one is first for one in values):
        return first
    if any(isinstance(one, Complex) for one in values) and all(isinstance(one, Complex | Number) for one in values):
        return next(one for one in values if isinstance(one, Complex))
    if any(type(one) is not type(first) for one in values):
        return None
    if isinstance(first, Number | Complex):
        return first
    if isinstance(first, tuple):
        if any(len(one) != len(first) for one in values):
            return None
        parts: list[Any] = [alike(list(column)) for column in zip(*values, strict=True)]
        if any(part is None for part in parts):
            return None
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    if isinstance(first, Array):
        same = all(one.dtype == first.dtype and one.space == first.space and len(one.shape) == len(first.shape) for one in values)
        if not same:
            return None
        pieces = [one for one in values if one.align < ALIGNED]
        seen = bool(pieces) and all(one.viewed for one in pieces)
        align = min(one.align for one in values)
        first = replace(first, align=align, writable=all(one.writable for one in values), viewed=seen)
        return first if all(one.view == first.view for one in values) else replace(first, view=-1, name="")
    if isinstance(first, Record):
        same = all(one.dtype == first.dtype and one.space == first.space for one in values)
        if not same:
            return None
        first = replace(first, align=min(one.align for one in values), writable=all(one.writable for one in values))
        return first if all(one.view == first.view for one in values) else replace(first, view=-1)
    try:
        return first if all(bool(one == first) for one in values) else None
    except (TypeError, ValueError):
        return None


def counted(number: int, noun: str) -> str:
    """`1 argument`, `2 arguments`."""
    return f"{number} {noun}{'s' * (number != 1)}"


class Formatted(str):
    """The source of a formatted string, which nobody puts together on a GPU."""


def article(word: str) -> str:
    """A word with `a` or `an` before it."""
    return f"{'an' if word[0] in 'aeioAEIO' else 'a'} {word}"


def part_of(node: ast.AST, owner: Array | Record) -> str:
    """What messages call a slice, a row or a field of an array: what the source has there, unless that is long."""
    if not owner.name or owner.name == f"a {owner.space} array":
        return owner.name
    text = ast.unparse(node) if isinstance(node, ast.Subscript | ast.Attribute) else ""
    return text if 0 < len(text) <= MOST_TEXT else f"a part of {owner.name.removeprefix('a part of ')}"


def said(value: Any) -> str:
    """What a message calls a value: `a float32`, `an array of int32`."""
    if isinstance(value, Number | Complex):
        return article(str(value.type))
    if isinstance(value, Array):
        return f"an array of {value.item if isinstance(value.item, Type) else 'strings' if value.item.kind in 'SU' else 'records'}"
    if isinstance(value, Record):
        return "a record" if value.dtype.names is not None else "a string in memory"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if value is None:
        return "None"
    if isinstance(value, str | bytes):
        return "a string" if isinstance(value, str) else "bytes"
    return article("range" if isinstance(value, Range) else type(value).__name__)


def numbers(values: Iterable[Any]) -> bool:
    """Whether all of these are numbers, complex ones included."""
    return all(isinstance(one, Number | Complex) for one in values)
