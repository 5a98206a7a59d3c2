"""Vectors of one to four numbers: `cuda.float32x4(a, b, c, d)`, with the fields x, y, z and w.

A GPU has no vector arithmetic in a lane: a vector is so many numbers that a function can be handed and can give back as one. It is
made of numbers and of shorter vectors, one after the other, as in Numba. The names of CUDA C++ (`float4`, `uchar3`) mean the same types.

Source: CUDA C++ Programming Guide, "Built-in Vector Types".
"""

from __future__ import annotations

import ast
from collections import namedtuple
from typing import Any

from warploom.kernel.syntax.arithmetic import converted
from warploom.kernel.syntax.known_names import NAMES, Name
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Number, said

FIELDS = "xyzw"
BASES = (*ty.SIGNED.values(), *ty.UNSIGNED.values(), ty.FLOAT32, ty.FLOAT64)
SHORT = {
    "char": ty.INT8, "short": ty.INT16, "int": ty.INT32, "long": ty.INT64, "longlong": ty.INT64, "uchar": ty.UINT8, "ushort": ty.UINT16,
    "uint": ty.UINT32, "ulong": ty.UINT64, "ulonglong": ty.UINT64, "float": ty.FLOAT32, "double": ty.FLOAT64,
}  # fmt: skip


def _vector(kind: ty.Type, count: int, name: str) -> None:
    """The row of a vector type, under each of its names; the page of names shows the first one of each kind."""
    made = namedtuple(name, list(FIELDS[:count]))  # type: ignore[misc]

    def translate(t: Translator, node: ast.Call, *args: Any) -> Any:
        numbers: list[Any] = []
        for one in args:
            numbers += one if isinstance(one, tuple) else [one]
        if len(numbers) != count or not all(isinstance(one, Number) for one in numbers):
            given = ", ".join(said(one) for one in numbers) or "nothing"
            t.error(node, f"{name} is made of {count} number{'s' * (count > 1)}, and this is {given}")
        return made(*(converted(t, one, kind, node) for one in numbers))

    meaning = f"{count} numbers of {kind} as one value, with fields {', '.join(FIELDS[:count])}"
    shown = meaning if kind == ty.FLOAT32 and count > 1 else ""
    NAMES[f"cuda.{name}"] = Name(f"cuda.{name}", ", ".join(FIELDS[:count]), shown, translate)
    for short, base in SHORT.items():
        if base == kind:
            NAMES[f"cuda.{short}{count}"] = Name(f"cuda.{short}{count}", ", ".join(FIELDS[:count]), "", translate)


for _kind in BASES:
    for _count in range(1, len(FIELDS) + 1):
        _vector(_kind, _count, f"{_kind}x{_count}")
