"""Signatures that a program declares: `@cuda.jit("void(float32[:], int32)")`, a list of several, Numba's own type objects.

Such a kernel takes what its signatures take and nothing else: numbers are converted to the declared types, arrays are not. Which
signature a call takes is Numba's rule: the one with the fewest conversions that can lose something, then the fewest safe ones, then the
fewest to a wider type of the same kind.

Source: Numba's `Array.can_convert_to`, its table of conversions and its choice among overloads; a test compares them with Numba.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.diagnostics import nearest
from warploom.kernel.launch.arguments import check_count
from warploom.kernel.launch.signature import ArgumentError, kind_of
from warploom.kernel.types import types as ty

# Numba's shorter names, with which signatures in texts are written too.
SHORT = {
    "b1": "bool", "bool_": "bool", "byte": "uint8", "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16",
    "intc": "int32", "uintc": "uint32", "int_": "int64", "uint": "uint64", "longlong": "int64", "ulonglong": "uint64",
    "long_": "int64", "ulong": "uint64", "float_": "float32", "double": "float64",
    "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
    "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
}  # fmt: skip
# They lose nothing, and Numba's table has them among those that can.
NOT_SAFE = {("uint8", "float16"), ("uint16", "float32"), ("uint16", "complex64")}
Conversions = tuple[int, int, int]  # those that can lose something, safe ones, those to a wider type of the same kind


class DeclaredArray(NamedTuple):
    """An array in a signature. item: None where it is not a number. layout: "C", "F", or "A" for any strides."""

    item: ty.Type | None
    ndim: int
    layout: str

    def __str__(self) -> str:
        return f"array({self.item}, {self.ndim}d, {self.layout})"


def declared(signature: Any) -> list[list[Any]]:
    """The types of each signature's arguments: a `Type`, a `DeclaredArray`, or None for a type of which nothing is said here."""
    several = signature if isinstance(signature, list) else [] if signature is None else [signature]
    return [_one(each) for each in several]


def chosen(name: str, signature: Any, kinds: Sequence[Any]) -> list[Any] | None:
    """The argument types of the signature that a call takes; None where no signature is declared.

    kinds: of the arguments, `signature.kind_of`. Raises ArgumentError, in Numba's words, where no signature takes them.
    """
    several = declared(signature)
    if not several:
        return None
    found = [(cost, place) for place, one in enumerate(several) if (cost := _together(kinds, one)) is not None]
    if not found:
        given = ", ".join(_text(kind) for kind in kinds)
        known = " or ".join(f"({', '.join(str(one or '...') for one in each)})" for each in several)
        raise ArgumentError(f"No matching definition for argument type(s) {given}: {name} is declared for {known}")
    return several[min(found)[1]]


def kinds_of_declared(function: Callable[..., Any], signature: Any, *, device: bool = False) -> list[list[Any] | None]:
    """The kinds of arguments (`signature.kind_of`) of each signature; None where one has a type of which nothing is said here.

    Raises TypeError for a signature that the function cannot have.
    """
    name = function.__name__
    several = signature if isinstance(signature, list) else [signature]
    found: list[list[Any] | None] = []
    for one, types in zip(several, declared(signature), strict=True):
        result = _result(one)
        if not device and result not in ("", "void", "none"):
            raise TypeError(f"{name}: a kernel gives no result: its signature begins with void, not {result}")
        check_count(function, types, "are in its signature")
        known = len(types) == len(inspect.signature(function).parameters)
        known = known and all(isinstance(each, ty.Type) or (isinstance(each, DeclaredArray) and each.item is not None) for each in types)
        found.append([_kind_of_declared(each) for each in types] if known else None)
    return found


def _kind_of_declared(wanted: Any) -> Any:
    if isinstance(wanted, ty.Type):
        return ("number", wanted.name, "")
    kind = kind_of(np.empty((1,) * wanted.ndim, wanted.item.dtype))
    return (*kind[:3], wanted.layout, *kind[4:])


def result_of(signature: Any, wanted: Sequence[Any]) -> Any:
    """The type of the result of the signature with these argument types; None where it says none."""
    several = signature if isinstance(signature, list) else [signature]
    place = declared(signature).index(list(wanted))
    return ty.BY_NAME.get(SHORT.get(_result(several[place]), _result(several[place])))


def _result(signature: Any) -> str:
    """The name of the type of a signature's result; "" where it says none."""
    if isinstance(signature, str):
        return signature[: signature.find("(")].strip().rpartition(".")[2] if "(" in signature else ""
    result = getattr(signature, "return_type", None)
    return "" if result is None else str(getattr(result, "name", result))


def as_declared(argument: Any, kind: Any) -> Any:
    """A number as the type that a signature has for it."""
    if not isinstance(kind, ty.Type) or not isinstance(argument, int | float | complex | np.generic):
        return argument
    return np.array(argument).astype(kind.dtype)[()]


def _one(signature: Any) -> list[Any]:
    if isinstance(signature, str):
        return [_named(one) for one in _parts(signature)]
    args = getattr(signature, "args", signature)
    return [_object(one) for one in args] if isinstance(args, tuple | list) else []


def _parts(signature: str) -> list[str]:
    """The texts of a signature's arguments, without the type of its result."""
    inside = signature[signature.find("(") + 1 : signature.rfind(")")] if "(" in signature else signature
    depth, parts = 0, [""]
    for letter in inside:
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [one for one in map(str.strip, parts) if one]


def _named(text: str) -> Any:
    found = re.fullmatch(r"(?:\w+\.)*(\w+)\s*(?:\[([:1, ]*)\])?", text)
    if found is None:
        return None
    item = ty.BY_NAME.get(SHORT.get(found[1], found[1]))
    if item is None and not _numbas(found[1]):
        raise TypeError(f"{text}: there is no type {found[1]!r}{nearest(found[1], [*ty.BY_NAME, *SHORT])}")
    if found[2] is None:
        return item
    axes = [axis.strip() for axis in found[2].split(",")]
    layout = "C" if axes[-1] == "::1" else "F" if axes[0] == "::1" else "A"
    return DeclaredArray(item, len(axes), layout)


def _numbas(name: str) -> bool:
    """Whether Numba has a type of this name, though it is not a number."""
    from numba.core import types

    return hasattr(types, name)


def _object(thing: Any) -> Any:
    """The same of a type object of Numba's."""
    if isinstance(thing, str):
        return _named(thing)
    if hasattr(thing, "layout") and hasattr(thing, "ndim"):
        return DeclaredArray(ty.BY_NAME.get(getattr(thing.dtype, "name", "")), thing.ndim, thing.layout)
    return ty.BY_NAME.get(getattr(thing, "name", str(thing)))


def _together(kinds: Sequence[Any], wanted: Sequence[Any]) -> Conversions | None:
    """The conversions of all arguments; None where one of them has none."""
    if len(kinds) != len(wanted):
        return None
    total = np.zeros(3, np.int64)
    for kind, one in zip(kinds, wanted, strict=True):
        cost = _conversion(kind, one)
        if cost is None:
            return None
        total += cost
    return int(total[0]), int(total[1]), int(total[2])


def _conversion(kind: Any, wanted: Any) -> Conversions | None:
    if wanted is None or kind[0] == "host":
        return 0, 0, 0
    if isinstance(wanted, DeclaredArray):
        if kind[0] != "array" or kind[2] != wanted.ndim or wanted.layout not in ("A", kind[3]) or not kind[4]:
            return None
        same = wanted.item is None or (kind[1].kind not in "mM" and ty.of_dtype(kind[1]) == wanted.item)
        return (0, int(wanted.layout != kind[3]), 0) if same else None
    return _of_numbers(ty.BY_NAME[kind[1]], wanted) if kind[0] == "number" else None


def _of_numbers(given: ty.Type, wanted: ty.Type) -> Conversions | None:
    if given == wanted:
        return 0, 0, 0
    if given.kind == "c" and wanted.kind != "c":
        return None
    if not np.can_cast(given.dtype, wanted.dtype, "safe") or (given.name, wanted.name) in NOT_SAFE:
        return 1, 0, 0
    return (0, 0, 1) if given.kind == wanted.kind else (0, 1, 0)


def _text(kind: Any) -> str:
    """An argument's type as Numba writes it."""
    if kind[0] == "number":
        return str(kind[1])
    if kind[0] == "array":
        return f"{'' if kind[4] else 'readonly '}array({ty.of_dtype(kind[1]) or kind[1]}, {kind[2]}d, {kind[3]})"
    if kind[0] == "tuple":
        return f"Tuple({', '.join(_text(one) for one in kind[2])})"
    return "none" if kind[1:] == (None,) else type(kind[1]).__name__ if kind[0] == "host" else str(kind[1])
