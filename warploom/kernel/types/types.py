"""Types of kernels: those of Numba, with its rules for what an operation of two types gives.

Whole numbers are computed in 64 bits, whatever they were stored in; of a signed and an unsigned one the result is signed. A float
with a whole number is a 64-bit float, unless every number of the whole one's type fits a 32-bit float. Where paths meet that give a
variable different types, it has the smallest type that holds both.

Source: Numba's typing of operators and its `unify_types`; a test compares all pairs with Numba itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Type(NamedTuple):
    """A number's type. kind: "b" truth value, "i" signed, "u" unsigned, "f" float, "c" complex. bits: of all of it."""

    name: str
    kind: str
    bits: int

    @property
    def dtype(self) -> np.dtype[Any]:
        """As NumPy stores it."""
        return np.dtype(self.name if self.kind != "b" else "bool")

    @property
    def ssa(self) -> str:
        """The type of its values in SSA. Half floats are computed with 32 bits and rounded after every operation."""
        if self.kind == "f":
            return "f64" if self.bits == 64 else "f32"
        return {"b": "i1", "i": "i64", "u": "u64"}.get(self.kind, "")

    @property
    def whole(self) -> bool:
        """Whether it is a whole number, truth values included."""
        return self.kind in "biu"

    def __str__(self) -> str:
        return self.name


BOOL = Type("bool", "b", 8)
INT8, INT16, INT32, INT64 = (Type(f"int{bits}", "i", bits) for bits in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (Type(f"uint{bits}", "u", bits) for bits in (8, 16, 32, 64))
FLOAT16, FLOAT32, FLOAT64 = (Type(f"float{bits}", "f", bits) for bits in (16, 32, 64))
COMPLEX64, COMPLEX128 = (Type(f"complex{bits}", "c", bits) for bits in (64, 128))
ALL = (BOOL, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, FLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128)
BY_NAME = {kind.name: kind for kind in ALL} | {"boolean": BOOL, "intp": INT64, "uintp": UINT64}
SIGNED = {kind.bits: kind for kind in (INT8, INT16, INT32, INT64)}
UNSIGNED = {kind.bits: kind for kind in (UINT8, UINT16, UINT32, UINT64)}


def of_dtype(dtype: Any) -> Type | None:
    """The type of a NumPy scalar type; None for one that kernels do not know."""
    kind = np.dtype(dtype)
    return INT64 if kind.kind in "mM" else BY_NAME.get(kind.name)


def part(kind: Type) -> Type:
    """The type of the parts of a complex number."""
    return FLOAT32 if kind.bits == 64 else FLOAT64


def _floats(x: Type, y: Type, small: tuple[Type, ...]) -> Type:
    """Of a float and something else: small are the whole numbers that a 32-bit float holds."""
    widest = max((kind.bits for kind in (x, y) if kind.kind == "f"), default=0)
    whole = [kind for kind in (x, y) if kind.whole]
    if widest == 64 or any(kind not in small for kind in whole):
        return FLOAT64
    if widest == 16:
        return FLOAT32 if any(kind.bits > 8 for kind in whole) else FLOAT16
    return FLOAT32


def _complexes(x: Type, y: Type) -> Type:
    parts = [part(kind) if kind.kind == "c" else kind for kind in (x, y)]
    return COMPLEX64 if arithmetic(*parts) in (FLOAT32, FLOAT16) else COMPLEX128


def arithmetic(x: Type, y: Type) -> Type:
    """What + - * // % give; / gives the same of floats, and a 64-bit float of whole numbers."""
    if "c" in (x.kind, y.kind):
        return _complexes(x, y)
    if "f" in (x.kind, y.kind):
        return _floats(x, y, (BOOL, INT8, INT16, UINT8))
    return UINT64 if x.kind == y.kind == "u" else INT64


def bitwise(x: Type, y: Type) -> Type:
    """What & | ^ give of whole numbers."""
    return BOOL if x.kind == y.kind == "b" else arithmetic(x, y)


def shifted(x: Type) -> Type:
    """What << >> give: the left operand decides."""
    return UINT64 if x.kind == "u" else INT64


def signed(x: Type) -> Type:
    """What - and + of one operand give."""
    return x if x.kind in "fc" else UINT64 if x.kind == "u" else INT64


def unified(x: Type, y: Type) -> Type:
    """The type of a variable that has one type on one path and the other one on another."""
    if x == y or y.kind == "b":
        return x
    if x.kind == "b":
        return y
    if "c" in (x.kind, y.kind):
        parts = [part(kind) if kind.kind == "c" else kind for kind in (x, y)]
        return COMPLEX64 if unified(*parts).bits <= 32 and unified(*parts).kind == "f" else COMPLEX128
    if "f" in (x.kind, y.kind):
        return _floats(x, y, (BOOL, INT8, INT16, UINT8, UINT16))
    if x.kind == y.kind:
        return x if x.bits >= y.bits else y
    signed_one, unsigned_one = (x, y) if x.kind == "i" else (y, x)
    if unsigned_one.bits == 64:
        return FLOAT64
    return SIGNED[max(signed_one.bits, 2 * unsigned_one.bits)]
