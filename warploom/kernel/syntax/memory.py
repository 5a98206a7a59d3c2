"""Arrays, records and tuples: items, slices, fields, and where they lie in memory.

An index below zero counts from the end, as in NumPy and Numba. Nothing is checked here: the machine knows each array's bounds and
says where an access has left it.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from warploom.compiler.ssa import Access, Value
from warploom.kernel.syntax.arithmetic import converted, lifted, whole
from warploom.kernel.syntax.packed import added, alignment, load_pieces, multiplied, packed_items, remainder, store_pieces
from warploom.kernel.syntax.questions import ask_index
from warploom.kernel.syntax.strings import assign_text, is_text
from warploom.kernel.syntax.translator import ACTIONS, Translator
from warploom.kernel.syntax.wrapping import warn_of_one, warn_of_wrapping
from warploom.kernel.types import types as ty
from warploom.kernel.types.types import Type
from warploom.kernel.types.values import Array, Complex, Number, Record, Slice, article, part_of, said


def item_of(t: Translator, node: ast.AST, owner: Any, index: Any) -> Any:
    """`owner[index]`. Raises Problem."""
    if isinstance(owner, tuple):
        return _of_tuple(t, node, owner, index)
    if isinstance(owner, Record):
        place = index.constant if isinstance(index, Number) else None
        names = owner.dtype.names or ()
        if isinstance(place, int) and -len(names) <= place < len(names):
            index = names[place]
        return field_of(t, node, owner, index) if isinstance(index, str) else t.error(node, "a record's field has a name")
    if isinstance(owner, type) and isinstance(index, str):
        return lifted(t, owner[index])  # type: ignore[index]
    if not isinstance(owner, Array):
        t.error(node, f"{said(owner)} has no items")
    if isinstance(index, str):
        return field_array(t, node, owner, index)
    found = _indexed(t, node, owner, index)
    if isinstance(found, Array):
        return found
    return read(t, owner, found)


def read(t: Translator, array: Array, address: Value) -> Any:
    """The item at an address."""
    if isinstance(array.item, Type):
        return loaded(t, array.item, address, array)
    dtype = array.item
    if dtype.subdtype is not None:
        return _nested(t, _record(array, address), array.name)
    return replace(_record(array, address), name=array.name)


def _record(array: Array, address: Value) -> Record:
    """A record of an array."""
    return Record(array.item, address, array.space, array.view, "", array.align, array.writable)


def assign_item(t: Translator, node: ast.AST, owner: Any, index: Any, value: Any) -> None:
    """`owner[index] = value`. Raises Problem."""
    if isinstance(owner, tuple):
        t.error(node, "a tuple's items cannot be changed")
    if isinstance(owner, Record) and isinstance(index, str):
        set_field(t, node, owner, index, value)
        return
    if not isinstance(owner, Array):
        t.error(node, f"{said(owner)} has no items")
    check_writable(t, node, owner)
    found = _indexed(t, node, owner, index)
    if isinstance(found, Array):
        fill(t, node, found, value)
        return
    write(t, node, owner, found, value)


def check_writable(t: Translator, node: ast.AST, owner: Array | Record) -> None:
    """Raise Problem for an array, or a record, that can only be read."""
    if owner.space == "constant" or not owner.writable:
        t.error(node, f"{owner.name or ('this array' if isinstance(owner, Array) else 'this record')} can only be read")


def write(t: Translator, node: ast.AST, array: Array, address: Value, value: Any) -> None:
    """Store an item."""
    if isinstance(array.item, Type):
        stored(t, node, array.item, address, array, value)
        return
    if is_text(array.item):
        assign_text(t, node, array.item, address, array.space, array.view, value)
        return
    if not isinstance(value, Record):
        t.error(node, f"a record is wanted, and this is {said(value)}")
    for name in array.item.names or ():
        set_field(t, node, _record(array, address), name, field_of(t, node, value, name))


def fill(t: Translator, node: ast.AST, array: Array, value: Any) -> None:
    """Assign to a slice: the same to every item, or item by item from an array."""
    from_array = value if isinstance(value, Array) else None
    loop = ast.copy_location(ast.parse("for i in range(n):\n    target[i] = value").body[0], node)
    for inner in ast.walk(loop):
        ast.copy_location(inner, node)
    assert isinstance(loop, ast.For)
    saved = t.frame.env
    count = Number(ty.INT64, array.shape[0])
    t.frame.env = dict(saved) | {"target": array, "n": count, "range": range, "value": value}
    if from_array is not None:
        assignment = loop.body[0]
        assert isinstance(assignment, ast.Assign)
        assignment.value = ast.copy_location(
            ast.Subscript(assignment.value, ast.copy_location(ast.Name("i", ast.Load()), node), ast.Load()), node
        )
    t.statements([loop])
    t.frame.env = saved


# ---------------------------------------------------------------------------------------------------------
# Loads and stores of numbers


def loaded(t: Translator, kind: Type, address: Value, of: Array | Record) -> Any:
    """A number in memory, of an array or a record."""
    if kind.kind == "c":
        one = ty.part(kind)
        second = t.b.pure("add", address, t.b.whole(one.bits // 8))
        return Complex(kind, loaded(t, one, address, of), loaded(t, one, second, of))
    access = Access(of.space, of.view, kind.bits // 8, kind.kind == "i")
    if kind == ty.FLOAT16:
        return Number(kind, t.b.pure("h2f", _load(t, address, "u64", access, of.align), type="f32"))
    if kind.kind == "b":
        return Number(kind, t.b.pure("ne", _load(t, address, "u64", access, of.align), t.b.whole(0), type="i1"))
    return Number(kind, _load(t, address, kind.ssa, access, of.align))


def _load(t: Translator, address: Value, type: str, access: Access, align: int) -> Value:
    bits = 8 * access.size
    piece = min(access.size, align)
    if piece < access.size:
        found = load_pieces(t, address, access, piece)
        return t.b.pure("wrap", found, type=type, imm=bits) if type in ("i64", "u64") else t.b.pure("float", found, type=type)
    value = t.b.effect("load", address, type=type, access=access)
    if type in ("i64", "u64"):
        value.lo, value.hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if access.signed else (0, (1 << bits) - 1)
    return value


def stored(t: Translator, node: ast.AST, kind: Type, address: Value, of: Array | Record, value: Any) -> None:
    """Store a number as one of this type, in an array or a record."""
    if not isinstance(value, Number | Complex):
        t.error(node, f"{article(str(kind))} is stored here, and the value is {said(value)}")
    value = converted(t, value, kind, node) if not (isinstance(value, Number) and _same_bits(value, kind)) else value
    if isinstance(value, Complex):
        one = ty.part(kind)
        stored(t, node, one, address, of, value.real)
        stored(t, node, one, t.b.pure("add", address, t.b.whole(one.bits // 8)), of, value.imag)
        return
    bits = value.value
    access = Access(of.space, of.view, kind.bits // 8, False)
    piece = min(access.size, of.align)
    if kind == ty.FLOAT16:
        bits = t.b.pure("f2h", bits, type="u64")
    elif kind.kind == "f" and piece < access.size:
        bits = t.b.pure("bits", bits, type="u64")
    if piece < access.size:
        store_pieces(t, address, bits, access, piece)
    else:
        t.b.effect("store", address, bits, access=access)


def _same_bits(value: Number, kind: Type) -> bool:
    """Whether storing drops what a conversion would: whole numbers, of which memory takes the low bits."""
    return value.type.kind in "iu" and kind.kind in "iu"


# ---------------------------------------------------------------------------------------------------------
# Where an item is


def _of_tuple(t: Translator, node: ast.AST, owner: tuple[Any, ...], index: Any) -> Any:
    if isinstance(index, Slice):
        bounds: list[Any] = [one.constant if isinstance(one, Number) else None for one in (index.start, index.stop, index.step)]
        return owner[slice(*bounds)]
    place = index.constant if isinstance(index, Number) else None
    if not isinstance(place, int):
        numbers = [one for one in owner if isinstance(one, Number)]
        if isinstance(index, Number) and len(numbers) == len(owner) and owner:
            return _chosen(t, node, numbers, index)
        t.error(node, "the index of a tuple must be known when the kernel is compiled")
    if not -len(owner) <= place < len(owner):
        t.error(node, f"a tuple of {len(owner)} has no item {place}")
    return owner[place]


def _chosen(t: Translator, node: ast.AST, numbers: list[Number], index: Number) -> Number:
    """One of a tuple's numbers, by a number that is known when the kernel runs."""
    if t.options.get("debug"):
        low = t.b.pure("lt", index.value, t.b.whole(-len(numbers)), type="i1")
        high = t.b.pure("lt", t.b.whole(len(numbers) - 1), index.value, type="i1")
        ACTIONS["throw_if"](t, node, t.b.pure("or", low, high, type="i1"), "IndexError", "tuple index out of range")
    kind = numbers[0].type
    for one in numbers:
        kind = ty.unified(kind, one.type)
    place = t.b.pure("from_end", index.value, t.b.whole(len(numbers)))
    found = converted(t, numbers[-1], kind, node).value
    for number, one in list(enumerate(numbers))[-2::-1]:
        same = t.b.pure("eq", place, t.b.whole(number), type="i1")
        found = t.b.pure("sel", same, converted(t, one, kind, node).value, found, type=kind.ssa)
    return Number(kind, found)


def _indexed(t: Translator, node: ast.AST, array: Array, index: Any) -> Value | Array:
    """The address of an item, or the array that an index with slices or with fewer dimensions means."""
    indices = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in [one if one is Ellipsis else None for one in indices]:
        place = next(number for number, one in enumerate(indices) if one is Ellipsis)
        indices[place : place + 1] = [Slice(None, None, None)] * (len(array.shape) - len(indices) + 1)
    if len(indices) > len(array.shape):
        name = array.name or "this array"
        if not array.shape and indices == [()]:
            return array.base
        t.error(
            node,
            f"{name} has {len(array.shape)} dimension{'' if len(array.shape) == 1 else 's'}, {len(indices)} indices are given",
        )
    if isinstance(index, tuple) and not index:
        return array.base if not array.shape else array
    address, shape, strides = array.base, [], []
    begin = remainder(t, address) if any(isinstance(one, Slice) for one in indices) else (0, 1)
    for axis, one in enumerate(indices):
        size, stride = array.shape[axis], array.strides[axis]
        if isinstance(one, Slice):
            start, count, step, first = _sliced(t, node, one, size)
            address = t.b.pure("add", address, t.b.pure("mul", start, stride))
            begin = added(begin, multiplied(first, remainder(t, stride)))
            shape.append(count)
            strides.append(t.b.pure("mul", stride, step))
            continue
        number = whole(t, one, _index_node(node, axis, len(indices)), "an index")
        warn_of_wrapping(t, node, _index_node(node, axis, len(indices)), number)
        warn_of_one(t, node, _index_node(node, axis, len(indices)), number)
        ask_index(t, node, array, axis, number, index)
        offset = t.b.pure("mul", t.b.pure("from_end", number, size), stride)
        address = t.b.pure("add", offset, address)
        begin = added(begin, remainder(t, offset)) if begin[1] > 1 else begin
    if len(indices) == len(array.shape) and not shape:
        return address
    shape += array.shape[len(indices) :]
    strides += array.strides[len(indices) :]
    if begin[1] > remainder(t, address)[1]:
        t.bases[address] = begin
    return replace(array, base=address, shape=tuple(shape), strides=tuple(strides), name=part_of(node, array))


def address_of(t: Translator, node: ast.AST, array: Array, index: Any) -> Value:
    """The address of an item. Raises Problem where the index does not name one."""
    found = _indexed(t, node, array, index)
    if isinstance(found, Array):
        t.error(node, f"{array.name or 'this array'} has {len(array.shape)} dimensions: an item has an index for each")
    return found


def _index_node(node: ast.AST, axis: int, count: int) -> ast.AST:
    """The node of one index, for a message."""
    inner = getattr(node, "slice", None)
    if isinstance(inner, ast.Tuple) and len(inner.elts) == count:
        return inner.elts[axis]
    return inner if inner is not None else node


def _sliced(t: Translator, node: ast.AST, one: Slice, size: Value) -> tuple[Value, Value, Value, tuple[int, int]]:
    """First index, number of items and step of a slice of so many items, and what is known of the first index where it has items."""
    b = t.b
    zero = b.whole(0)
    step = whole(t, one.step, node, "the step of a slice") if one.step is not None else b.whole(1)
    if step.op != "const" or step.imm == 0:
        t.error(node, "the step of a slice must be known when the kernel is compiled, and is not 0")
    down = step.imm < 0

    def limited(given: Any, default: Value) -> Value:
        if given is None:
            return default
        number = b.pure("from_end", whole(t, given, node, "the end of a slice"), size)
        low, high = (b.whole(-1), b.pure("sub", size, b.whole(1))) if down else (zero, size)
        return b.pure("max", b.pure("min", number, high), low)

    start = limited(one.start, b.pure("sub", size, b.whole(1)) if down else zero)
    stop = limited(one.stop, b.whole(-1) if down else size)
    length = b.pure("sub", start, stop) if down else b.pure("sub", stop, start)
    stride = abs(int(step.imm))
    count = b.pure("max", b.pure("floordiv", b.pure("add", length, b.whole(stride - 1)), b.whole(stride)), zero)
    if down or one.start is None:
        return start, count, step, remainder(t, start)
    # The index is limited to the size, which the stop is too: what is known of the number holds only where an item follows it.
    return start, count, step, remainder(t, b.pure("from_end", whole(t, one.start, node, "the start of a slice"), size))


# ---------------------------------------------------------------------------------------------------------
# Records


def field_of(t: Translator, node: ast.AST, owner: Record, name: str) -> Any:
    """`record.name`. Raises Problem."""
    kind, place = _field(t, node, owner, name)
    if isinstance(kind, Type):
        return loaded(t, kind, place.address, place)
    if kind.subdtype is not None:
        return _nested(t, place, part_of(node, owner))
    return replace(place, name=owner.name)


def set_field(t: Translator, node: ast.AST, owner: Any, name: str, value: Any) -> None:
    """`record.name = value`. Raises Problem."""
    if not isinstance(owner, Record):
        t.error(node, f"{said(owner)} has no field {name!r} that can be changed")
    check_writable(t, node, owner)
    kind, place = _field(t, node, owner, name)
    if isinstance(kind, Type):
        stored(t, node, kind, place.address, place, value)
    elif kind.subdtype is not None:
        fill(t, node, _nested(t, place, ""), value)
    else:
        write(t, node, Array(kind, place.address, (), (), place.space, place.view, align=place.align), place.address, value)


def _field(t: Translator, node: ast.AST, owner: Record, name: str) -> tuple[Any, Record]:
    """A field's type, or its dtype, and where it lies."""
    fields: Any = owner.dtype.fields or {}
    if name not in fields:
        t.error(node, f"the record has no field {name!r}", f"there are {', '.join(fields)}")
    dtype, offset = fields[name][:2]
    kind = ty.of_dtype(dtype) if dtype.names is None and dtype.subdtype is None else None
    if kind is None and dtype.names is None and dtype.subdtype is None and not is_text(dtype):
        t.error(node, f"a field of {dtype} is nothing that a kernel knows")
    address = t.b.pure("add", owner.address, t.b.whole(offset))
    return kind or dtype, replace(owner, dtype=dtype, address=address, name="", align=alignment(owner.align, offset))


def field_array(t: Translator, node: ast.AST, array: Array, name: str) -> Array:
    """A field of all records of an array."""
    if isinstance(array.item, Type) or not array.item.names:
        t.error(node, f"{said(array)} has no field {name!r}")
    kind, place = _field(t, node, _record(array, array.base), name)
    if not isinstance(kind, Type) and kind.subdtype is not None:
        inner = _nested(t, place, array.name)
        return replace(inner, shape=(*array.shape, *inner.shape), strides=(*array.strides, *inner.strides))
    return replace(array, item=kind, base=place.address, align=place.align)


def _nested(t: Translator, place: Record, name: str) -> Array:
    """An array inside a record."""
    assert place.dtype.subdtype is not None
    inner, shape = place.dtype.subdtype
    kind = ty.of_dtype(inner) if inner.names is None else None
    sizes = [inner.itemsize * int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape))]
    b = t.b
    return Array(
        kind or inner, place.address, tuple(b.whole(one) for one in shape), tuple(b.whole(one) for one in sizes),
        place.space, place.view, name, place.writable, packed_items(kind or inner, place.align),
    )  # fmt: skip


MOST_ITEMS = 1024  # that are taken one by one when a kernel is compiled: each is code of its own


def few(t: Translator, node: ast.AST, count: int) -> None:
    """Raise Problem for more items than a kernel can name one by one."""
    if count > MOST_ITEMS:
        t.error(node, f"{count} items are taken one by one here, and a kernel may take {MOST_ITEMS}", "write a loop over range(...)")
