"""Strings in arrays and records: NumPy's `S12` and `U12`, a fixed number of characters each, zeros after the last one.

A kernel can store a string that is known when it is compiled, copy one from item to item, and compare two for equality; that is what
Numba's kernels can do with them. One character is one store: of 8 bits in bytes, of 32 in text.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from warploom.compiler.ssa import Access, Value
from warploom.kernel.syntax.translator import ACTIONS, Translator
from warploom.kernel.types.values import Record, said


def is_text(dtype: np.dtype[Any]) -> bool:
    """Whether items of this type are strings."""
    return dtype.kind in "SU"


def _characters(dtype: np.dtype[Any]) -> tuple[int, int]:
    """How many characters an item has, and bytes of each."""
    size = 4 if dtype.kind == "U" else 1
    return dtype.itemsize // size, size


def _codes(t: Translator, node: ast.AST, value: Any, kind: str, count: int) -> list[Value]:
    """The characters of a string as whole numbers, `count` of them. Raises Problem."""
    if isinstance(value, Record) and value.dtype.kind == kind:
        there, size = _characters(value.dtype)
        access = Access(value.space, value.view, size, False)
        found = []
        for place in range(min(there, count)):
            address = t.b.pure("add", value.address, t.b.whole(place * size))
            one = t.b.effect("load", address, type="u64", access=access)
            one.lo, one.hi = 0, (1 << 8 * size) - 1
            found.append(one)
    elif isinstance(value, str if kind == "U" else bytes):
        found = [t.b.whole(one if isinstance(one, int) else ord(one), "u64") for one in value[:count]]
    else:
        t.error(node, f"{'a string' if kind == 'U' else 'bytes'} is wanted, and this is {said(value)}")
    return found + [t.b.whole(0, "u64")] * (count - len(found))


def assign_text(t: Translator, node: ast.AST, dtype: np.dtype[Any], address: Value, space: str, view: int, value: Any) -> None:
    """Store a string as an item; what does not fit is left out, as NumPy leaves it out."""
    count, size = _characters(dtype)
    for place, one in enumerate(_codes(t, node, value, dtype.kind, count)):
        where = t.b.pure("add", address, t.b.whole(place * size))
        t.b.effect("store", where, one, access=Access(space, view, size, False))


def texts_equal(t: Translator, node: ast.AST, x: Any, y: Any) -> Value:
    """Whether two strings, of which one at least lies in memory, are the same."""
    kind = next(one.dtype.kind for one in (x, y) if isinstance(one, Record))
    count = max(_characters(one.dtype)[0] if isinstance(one, Record) else len(one) if isinstance(one, str | bytes) else 0 for one in (x, y))
    same = t.b.truth(True)
    for p, q in zip(_codes(t, node, x, kind, count), _codes(t, node, y, kind, count), strict=True):
        same = t.b.pure("and", same, t.b.pure("eq", p, q, type="i1"), type="i1")
    return same


ACTIONS["texts_equal"] = texts_equal
