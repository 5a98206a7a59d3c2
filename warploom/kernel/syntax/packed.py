"""Numbers that lie at any byte, as the fields of packed records do: they are loaded and stored in pieces, and put together in registers.

A GPU accesses a number of so many bytes at multiples of that many only. NumPy packs the fields of a record unless `align=True` asks for
gaps, so a float64 after an int32 lies at a multiple of 4. Numba's compiler takes such fields apart too, byte by byte; here the pieces
are as large as the address is known to allow. So are the numbers of a view that begins at an odd constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import gcd
from typing import Any

from warploom.compiler.ssa import Access, Value
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types.types import Type
from warploom.kernel.types.values import ALIGNED, Array


def alignment(*numbers: int) -> int:
    """The largest power of two, up to ALIGNED, that divides all of these numbers of bytes."""
    return gcd(ALIGNED, *numbers)


def remainder(t: Translator, address: Value, depth: int = 16) -> tuple[int, int]:
    """(remainder, modulus): what a whole number leaves when a power of two, up to ALIGNED, divides it; modulus 1 where it is not known.

    An array that the kernel is handed is taken to begin at a multiple of ALIGNED. A slice of an array on the device may begin elsewhere;
    a number of it that lies at a multiple of its size lies at multiples of every smaller piece too, so no access fails for that.
    """
    if address.op == "const":
        return int(address.imm) % ALIGNED, ALIGNED
    if address not in t.bases:
        t.bases[address] = _remainder(t, address, depth) if depth else (0, 1)
    return t.bases[address]


def _remainder(t: Translator, address: Value, depth: int) -> tuple[int, int]:
    if address.op not in ("add", "sub", "mul", "shl"):
        return 0, 1
    x, y = (remainder(t, one, depth - 1) for one in address.args)
    if address.op == "add":
        return added(x, y)
    if address.op == "sub":
        return added(x, (-y[0], y[1]))
    if address.op == "mul":
        return multiplied(x, y)
    by = address.args[1]
    return multiplied(x, ((1 << int(by.imm)) % ALIGNED, ALIGNED)) if by.op == "const" else (0, 1)


def added(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    """The remainder of a sum."""
    modulus = min(x[1], y[1])
    return (x[0] + y[0]) % modulus, modulus


def multiplied(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    """The remainder of a product."""
    modulus = gcd(ALIGNED, x[1] * y[1], x[0] * y[1], x[1] * y[0])
    return x[0] * y[0] % modulus, modulus


def viewed(t: Translator, array: Array, item: Any, strides: Sequence[Value]) -> Array:
    """An array that is seen as one of other items: in pieces only where it is known that they do not lie at multiples of their size.

    Where that is not known, as in `b[n:].view(np.float64)`, they are accessed whole. The machine stops with an error where they lie
    elsewhere, as a GPU does.
    """
    known = [alignment(*one) if one[0] else ALIGNED for one in (remainder(t, value) for value in (array.base, *strides))]
    align = packed_items(item, array.align, *known)
    if align == ALIGNED:
        return replace(array, item=item, strides=tuple(strides), align=array.align)
    return replace(array, item=item, strides=tuple(strides), align=align, viewed=array.viewed or align < array.align)


def _part(item: Type) -> int:
    """Bytes of a number that is loaded at once; a complex one is two."""
    return item.bits // 8 // (2 if item.kind == "c" else 1)


def packed_items(item: Any, align: int, *strides: int) -> int:
    """What divides the addresses of an array's items, `strides` apart, of which the first has an address that `align` divides.

    item: a Type, or the dtype of records. It is ALIGNED wherever the items need no more than they have.
    """
    if isinstance(item, Type):
        size = _part(item)
        found = alignment(align, *(strides or (size,)))
        return found if found < size else ALIGNED
    return alignment(align, *(strides or (item.itemsize,)))


def load_pieces(t: Translator, address: Value, access: Access, piece: int) -> Value:
    """The bits of a number as an unsigned one."""
    b = t.b
    found = b.whole(0, "u64")
    for place in range(0, access.size, piece):
        one = b.effect("load", b.pure("add", address, b.whole(place)), type="u64", access=access._replace(size=piece, signed=False))
        one.lo, one.hi = 0, (1 << 8 * piece) - 1
        found = b.pure("or", found, b.pure("shl", one, b.whole(8 * place), type="u64"), type="u64")
    return found


def store_pieces(t: Translator, address: Value, bits: Value, access: Access, piece: int) -> None:
    """Store the low bits of a whole number."""
    b = t.b
    for place in range(0, access.size, piece):
        one = b.pure("shr", bits, b.whole(8 * place), type="u64")
        b.effect("store", b.pure("add", address, b.whole(place)), one, access=access._replace(size=piece))
