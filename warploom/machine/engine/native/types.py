"""The Numba types of what units are handed: records, and bundles of arrays and functions.

Not hardware. Numba names a record's type by all its fields, and a core's by those of all its units: 14,000 letters, which stand in the
name of every function that is handed one. Here a record's name is a digest of that.

A bundle (`run/tables.py`) is one pointer. Numba passes an array as nine words and a function as three, at every call; with the arrays and
functions that a core needs, that was a fifth of the simulator's time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import NestedArrayModel
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, lower_setattr_generic, models, register_model
from numba.np import arrayobj, numpy_support

from warploom.machine.engine.layout import AT, in_rows, is_room, row_of_room
from warploom.machine.engine.native.piece import kind_name

WORD, BYTE = ir.IntType(64), ir.IntType(8)


Settings = Mapping[str, Mapping[str, int]]  # of kinds of records, by name, the fields that are known


def record_type(dtype: np.dtype, settings: Settings = MappingProxyType({})) -> Any:
    """The type of one element of a structured array. settings: what is known of it and of the records in it."""
    fields: Any = []
    for name in dtype.names or ():
        form, offset = dtype.fields[name][:2]  # type: ignore[index]
        fields.append((name, {"type": _field_type(form, settings), "offset": offset, "alignment": None, "title": None}))
    known = settings.get(kind_name(dtype), {}) if settings else {}
    record: Any = UnitRecord
    kind = object.__new__(record)  # Numba keeps a type by its name as soon as it is made in the usual way
    record.__init__(kind, fields, dtype.itemsize, False)
    text = kind.name
    if known:
        kind.known, text = known, f"{text} {sorted(known.items())}"
    kind.name = f"Record_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return record._intern(kind)


def _field_type(form: np.dtype, settings: Settings) -> Any:
    if is_room(form):
        entry, shape = row_of_room(form)
        element, within = entry.fields[AT]  # type: ignore[index, misc]
        return InRoom(_field_type(element, settings), shape, entry.itemsize, within)
    if form.subdtype is not None and in_rows(form):
        return InRows(_field_type(form.base.fields[AT][0], settings), form.shape, form.base.itemsize)  # type: ignore[index]
    if form.subdtype is not None:
        return types.NestedArray(dtype=_field_type(form.subdtype[0], settings), shape=form.shape)
    return record_type(form, settings) if form.names else numpy_support.from_dtype(form)


class UnitRecord(types.Record):
    """A unit's record. known: by name, fields that hold the same number as long as the machine runs, in code for some machines."""

    known: Mapping[str, int] = MappingProxyType({})


class InRows(types.NestedArray):
    """An array in a record that lies side by side with others. stride: bytes from one entry to the next."""

    def __init__(self, dtype: Any, shape: tuple[int, ...], stride: int) -> None:
        self._shape = shape
        self.stride = stride
        types.Array.__init__(self, dtype, len(shape), "A", name=f"in_rows({dtype}, {shape}, {stride})")

    @property
    def strides(self) -> tuple[int, ...]:
        """By dimension: bytes."""
        return tuple(self.stride * int(np.prod(self._shape[axis + 1 :])) for axis in range(len(self._shape)))

    @property
    def key(self) -> Any:
        """What tells it from others."""
        return self.dtype, self.shape, self.stride


class InRoom(types.NestedArray):
    """An array in a room. shape: of a row. stride: bytes from one entry to the next. within: bytes from the room's first to its own."""

    def __init__(self, dtype: Any, shape: tuple[int, ...], stride: int, within: int) -> None:
        self._shape = (0, *shape)
        self.stride, self.within = stride, within
        order: Any = "C" if stride == dtype.bitwidth // 8 else "A"
        types.Array.__init__(self, dtype, len(shape) + 1, order, name=f"in_room({dtype}, {shape}, {stride}, {within})")

    @property
    def strides(self) -> tuple[int, ...]:
        """By dimension: bytes."""
        return tuple(self.stride * int(np.prod(self._shape[axis + 1 :])) for axis in range(len(self._shape)))

    @property
    def key(self) -> Any:
        """What tells it from others."""
        return self.dtype, self.shape, self.stride, self.within


class Bundle(types.Type):
    """A bundle: the address of two words a member, where it is and how many rows it has. `describe` says what they are."""

    def __init__(self, label: str) -> None:
        super().__init__(f"Bundle({label})")
        self.label = label


class Member(NamedTuple):
    """One member of a bundle. place: number of its first word. columns: of a table; 0 for a row of numbers, and for a function."""

    kind: Any
    place: int
    columns: int = 0


_members: dict[str, dict[str, Member]] = {}


def describe(label: str, members: dict[str, Member]) -> Bundle:
    """Say what a bundle holds, before anything that uses it is compiled; a member may be a function that is handed the same bundle."""
    _members[label] = members
    return Bundle(label)


register_model(InRows)(NestedArrayModel)
register_model(InRoom)(NestedArrayModel)
register_model(UnitRecord)(models.RecordModel)
register_model(Bundle)(models.OpaqueModel)


@lower_getattr_generic(UnitRecord)
def field_value(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    """The code for `lsu.ports`: a number where it is known; for `cache.tag`: an array behind the record."""
    if name in kind.known:
        return context.get_constant(kind.typeof(name), kind.known[name])
    if isinstance(kind.typeof(name), InRoom):
        return _array_in_room(context, builder, kind, value, name)
    return arrayobj.record_getattr(context, builder, kind, value, name)


def _array_in_room(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    """The array of a field in a room."""
    room = kind.typeof(name)
    numbers = cgutils.get_record_member(builder, value, kind.offset(name), WORD)
    begin = builder.add(_constant_word(builder, numbers, 0), WORD(room.within))
    array = arrayobj.make_array(room)(context, builder)
    data = builder.bitcast(builder.gep(builder.bitcast(numbers, BYTE.as_pointer()), [begin]), array.data.type)
    shape = [_constant_word(builder, numbers, 1), *(WORD(size) for size in room.shape[1:])]
    strides = [WORD(stride) for stride in room.strides]
    arrayobj.populate_array(array, data=data, shape=shape, strides=strides, itemsize=WORD(room.size), meminfo=None)
    return array._getvalue()


@lower_setattr_generic(UnitRecord)
def write_field(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> Any:
    """The code for `lsu.free = now`."""
    if name in signature.args[0].known:
        raise TypeError(f"a unit writes the setting {name!r}, which nothing may once a machine runs")
    return arrayobj.record_setattr(context, builder, signature, arguments, name)


@infer_getattr
class BundleAttributes(AttributeTemplate):
    """The type of `tables.code`."""

    key = Bundle

    def generic_resolve(self, bundle: Any, name: str) -> Any:
        """None where there is no such member."""
        member = _members[bundle.label].get(name)
        return member.kind if member else None


@lower_getattr_generic(Bundle)
def member_value(context: Any, builder: Any, bundle: Any, value: Any, name: str) -> Any:
    """The code for `tables.code` or `units.execute`."""
    member = _members[bundle.label][name]
    words = builder.bitcast(value, WORD.as_pointer())
    address = _constant_word(builder, words, member.place)
    if isinstance(member.kind, types.FunctionType):
        function = cgutils.create_struct_proxy(member.kind)(context, builder)
        function.jit_addr = builder.inttoptr(address, function.jit_addr.type)
        builder.assume(builder.icmp_unsigned("!=", address, WORD(0)))
        return function._getvalue()
    rows = _constant_word(builder, words, member.place + 1)
    array = arrayobj.make_array(member.kind)(context, builder)
    size = WORD(context.get_abi_sizeof(context.get_data_type(member.kind.dtype)))
    shape = [rows, WORD(member.columns)] if member.columns else [rows]
    strides = [builder.mul(WORD(member.columns), size), size] if member.columns else [size]
    data = builder.inttoptr(address, array.data.type)
    arrayobj.populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()


def _constant_word(builder: Any, words: Any, place: int) -> Any:
    """A word that no unit writes: LLVM may read it once for many uses."""
    load = builder.load(builder.gep(words, [WORD(place)]))
    load.set_metadata("invariant.load", builder.module.add_metadata([]))
    return load
