"""Numbers that lie at any byte, as the fields of packed records do: they are loaded and stored in pieces, and put together in registers.

A GPU accesses a number of so many bytes at multiples of that many only. NumPy packs the fields of a record unless `align=True` asks for
gaps, so a float64 after an int32 lies at a multiple of 4. Numba's compiler takes such fields apart too, byte by byte; here the pieces
are as large as the address is known to allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any

from warploom.compiler.ssa import Access, Value
from warploom.kernel.translator import Translator
from warploom.kernel.types import Type
from warploom.kernel.values import ALIGNED, Array


def alignment(*numbers: int) -> int:
    """The largest power of two, up to ALIGNED, that divides all of these numbers of bytes."""
    return gcd(ALIGNED, *numbers)


def divisor(t: Translator, address: Value) -> int:
    """A power of two, up to ALIGNED, of which it is known that it divides an address."""
    if address.op == "const":
        return alignment(int(address.imm))
    if address in t.bases:
        return t.bases[address]
    if address.op in ("add", "sub", "from_end"):
        return alignment(*(divisor(t, one) for one in address.args))
    if address.op == "shl" and address.args[1].op == "const":
        return min(divisor(t, address.args[0]) << min(int(address.args[1].imm), ALIGNED), ALIGNED)
    if address.op == "mul":
        return min(divisor(t, address.args[0]) * divisor(t, address.args[1]), ALIGNED)
    return 1


def begins(t: Translator, array: Array) -> int:
    """What divides the address of an array's first item, where it has one."""
    return max(array.begins, divisor(t, array.base))


def viewed(t: Translator, array: Array, item: Any, strides: Sequence[Value]) -> int:
    """What divides the addresses of items of an array that is seen as one of other items."""
    known = array.align if array.align < ALIGNED or not isinstance(array.item, Type) else _part(array.item)
    if isinstance(item, Type) and _part(item) <= known:
        return array.align
    return packed_items(item, *(max(one, known) for one in (begins(t, array), *(divisor(t, stride) for stride in strides))))


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
