"""One source, two speeds: the same functions as plain Python and as native code, over the same bytes.

A unit declares its state as a NumPy dtype with `record(...)` and its behaviour as functions marked `@unit`. Nothing
else is needed to run them on either of two engines:

* Plain Python. `mirror(array)` wraps a structured array as objects whose fields are the array's own bytes:
  a scalar field reads and writes the array, an array field is a view, a record field is such an object too.
* Native. `Native` (engine/native/loader.py) compiles an entry function and every unit that it reaches with Numba, once; later
  processes load the result from a cache in about 0.1 s.

Both work on the same array, so a run may change engines between two cycles.

Rules for a unit, so that the two agree bit for bit:

* import units by name (`from warploom.machine.datapath.alu import execute`), never through their module;
* no allocation, no closures, no default arguments; sub-records and arrays are passed as arguments, never returned;
* no index is negative, and no variable is read on a path on which it was not written;
* `u4 + u4` wraps in Python and widens to 64 bits in native code until it is stored: store or cast every intermediate.
  Shift 64-bit masks by `np.uint64` values; keep `u8` and `i8` apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from types import CodeType, FunctionType, MappingProxyType
from typing import Any, TypeVar

import numpy as np

from warploom.machine.engine.layout import Records, Shape, field_of, lay_out, new_bytes
from warploom.machine.engine.rooms import Rooms, plan_of

F = TypeVar("F", bound=Callable[..., Any])
FOREVER = 1 << 60  # a time that never comes (cycles)


GROUPS = ("settings", "launch", "inputs", "state", "counters")


def record(
    *, side_by_side: tuple[Shape, ...] = (), apart: tuple[str, ...] = (), rooms: Mapping[str, int] = MappingProxyType({}), **fields: Any
) -> np.dtype:
    """A unit's state: `record(active="u8", stack_pc=("i4", (64, 32)), queue=Queue)`.

    A unit says of each field what it is: `record(settings=dict(slots="i8"), inputs=dict(...), state=dict(...), counters=dict(...))`.
    settings: of the machine; written before the first cycle, and in silicon wired. launch: of the program and its launch; written before
    the first cycle too. inputs: written by other units, for this one. state: this unit's own. counters: what it counts, which changes
    nothing. Fields of all groups are reached alike, as `unit.slots`; `groups_of` says which is in which group.

    Where the fields lie is the business of engine/layout.py. side_by_side: shapes; arrays of one of them lie in rows, all that has the same
    index together, but for the fields that are named `apart`.

    rooms: by name, the most rows of an array whose first dimension is a machine's choice: `tag=("u4", "lines")` has as many numbers as the
    machine has lines, `line=("i8", ("slots", 520))` so many rows of 520. `zeros` makes a record with its rooms; device/rooms.py says how
    large a machine's are. No index is beyond them.
    """
    groups: dict[str, tuple[str, ...]] = {}
    flat: dict[str, Any] = {}
    for name, kind in fields.items():
        if isinstance(kind, dict):
            if name not in GROUPS:
                raise ValueError(f"{name!r} is not a group of fields: there are {', '.join(GROUPS)}")
            groups[name] = tuple(kind)
        own = kind if isinstance(kind, dict) else {name: kind}
        if twice := flat.keys() & own.keys():
            raise ValueError(f"a record has two fields {min(twice)!r}")
        flat |= own
    forms, in_rooms = {}, {}
    for name, kind in flat.items():
        base, shape = kind if isinstance(kind, tuple) else (kind, ())
        first, *rest = shape if isinstance(shape, tuple) and shape else (shape,)
        if isinstance(first, str):
            in_rooms[name] = first, rooms[first]
            shape = tuple(rest)
        forms[name] = np.dtype((base, shape))
    made = lay_out(forms, side_by_side, apart, in_rooms)
    layout: Any = {"names": list(flat), "formats": made.forms, "offsets": made.offsets, "itemsize": made.size}
    return np.dtype(layout, align=False, metadata={"groups": groups})


def groups_of(dtype: np.dtype) -> dict[str, tuple[str, ...]]:
    """The fields of a record by group; empty for one that is not grouped."""
    return dict(dtype.metadata["groups"]) if dtype.metadata and "groups" in dtype.metadata else {}


def take_settings(unit: Any, kind: np.dtype, section: Any) -> None:
    """Give a unit the settings that it has under the names of a section's (its mirror; kind: its record)."""
    for name in groups_of(kind).get("settings", ()):
        if name in section.__struct_fields__:
            setattr(unit, name, int(getattr(section, name)))


def zeros(shape: int | tuple[int, ...], dtype: np.dtype | type, rooms: Rooms = MappingProxyType({})) -> np.ndarray:
    """An array of zeros that begins a cache line. Pages that are never touched take no memory.

    rooms: how many rows those of a record have, by name; of a record in it, by its field, the same. One that is not named has the most.
    """
    kind, extent = np.dtype(dtype), (shape,) if isinstance(shape, int) else shape
    plan = plan_of(kind, rooms)
    raw = new_bytes(int(np.prod(extent)) * plan.size, own_mapping=bool(plan.rooms))
    if not plan.rooms:
        made = raw.view(kind).reshape(extent)
        return made.view(Records) if kind.names else made
    made = np.ndarray(extent, kind, raw, 0, [plan.size * int(np.prod(extent[axis + 1 :])) for axis in range(len(extent))])
    plan.write(raw)
    return made.view(Records)


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy of an array, that begins a cache line."""
    made = zeros(array.shape, array.dtype)
    made[...] = array
    return made


def unit(function: F) -> F:
    """Mark a function as hardware behaviour: plain Python as it is, native when `Native` reaches it."""
    function.__warploom_unit__ = True  # type: ignore[attr-defined]
    return function


def inlined(function: F) -> F:
    """Mark a unit that has one caller, or few: natively it is inlined there, which saves the call (about 2 ns)."""
    function.__warploom_inlined__ = True  # type: ignore[attr-defined]
    return unit(function)


def lanewise(function: F) -> F:
    """Mark an inlined unit that works on rows of lanes. The rows that it writes overlap no others, so natively its loops need no check."""
    function.__warploom_lanewise__ = True  # type: ignore[attr-defined]
    return inlined(function)


def out_of_line(function: F) -> F:
    """Mark a unit that is seldom reached: natively it is never inlined, which keeps its callers small and fast."""
    function.__warploom_out_of_line__ = True  # type: ignore[attr-defined]
    return unit(function)


def native_twin(factory: str) -> Callable[[F], F]:
    """A unit whose native form is something else, made by `factory` ("module:function", called without arguments).

    The Python form is the specification; the two must agree on every input (a test's work).
    """

    def mark(function: F) -> F:
        function.__warploom_unit__ = True  # type: ignore[attr-defined]
        function.__warploom_native__ = factory  # type: ignore[attr-defined]
        return function

    return mark


def native_form_of(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Mark a unit as the native form of another one, `plain`, which is written for readers and runs in plain Python.

    Everybody calls `plain`. The two must agree on every input (a test's work).
    """

    def mark(function: F) -> F:
        plain.__warploom_native__ = function  # type: ignore[attr-defined]
        return function

    return mark


# ---------------------------------------------------------------------------------------------------------
# Plain Python


class Mirror:
    """A record as a plain-Python object over its bytes, as `mirror` makes it. `__slots__` name what it holds: views of the bytes.

    Each view is made when it is first asked for: a machine has ten thousand fields, and a run in plain Python reads some of them.
    """

    __slots__: tuple[str, ...] = ("_record",)
    _views: Mapping[str, Callable[[np.ndarray], Any]] = MappingProxyType({})  # by slot: makes the view

    def __init__(self, array: np.ndarray) -> None:
        """array: 0-dimensional, of the class's record type."""
        self._record = array

    def __getattr__(self, name: str) -> Any:
        """A slot that is still empty."""
        make = self._views.get(name)
        if make is None:
            raise AttributeError(f"'Mirror' object has no attribute {name!r}")
        view = make(self._record)
        setattr(self, name, view)
        return view


@cache
def _mirror_class(dtype: np.dtype) -> type:
    """A class for one record type: properties for scalars, attributes for everything else."""
    body: dict[str, Any] = {}
    views: dict[str, Callable[[np.ndarray], Any]] = {}
    for name in dtype.names or ():
        field = dtype.fields[name][0]  # type: ignore[index]
        if field.subdtype is None and field.names is None:
            signed = field.kind == "i"
            views["_" + name] = partial(_scalar_view, name, signed)
            body[name] = _scalar_property(name, signed)
        else:
            views[name] = partial(_view, name)
    return type("Mirror", (Mirror,), body | {"__slots__": tuple(views), "_views": views})


def _scalar_view(name: str, signed: bool, record: np.ndarray) -> Any:
    """A field of one number, as its property wants it."""
    field = record[name]
    return field.reshape(1).data if signed else field


def _view(name: str, record: np.ndarray) -> Any:
    """Any other field: an array, or mirrors of records."""
    view = field_of(record, name)
    return mirror(view) if view.dtype.names else view


def _read_signed(self: Any) -> Any:
    return self._field[0]


def _write_signed(self: Any, value: Any) -> None:
    try:
        self._field[0] = value
    except (TypeError, ValueError):
        np.asarray(self._field)[0] = value


def _read_unsigned(self: Any) -> Any:
    return self._field[()]


def _write_unsigned(self: Any, value: Any) -> None:
    self._field[()] = value


def _scalar_property(name: str, signed: bool) -> property:
    """A scalar field as a property, of functions of its own with its name in them: the plain engine does little else than to read fields.

    A signed one is a memoryview of one number, which reads as `int` at once. It takes no truth values and nothing that is too large:
    there NumPy decides, which takes the first and refuses the second.
    """
    read, write = (_read_signed, _write_signed) if signed else (_read_unsigned, _write_unsigned)
    return property(_about(read.__code__, name), _about(write.__code__, name))


def _about(code: CodeType, name: str) -> FunctionType:
    """A function with this code, in which `_field` is the field's slot."""
    names = tuple(f"_{name}" if one == "_field" else one for one in code.co_names)
    return FunctionType(code.replace(co_names=names), globals())


def mirror(array: np.ndarray) -> Any:
    """A structured array as plain-Python objects over the same bytes.

    A 0-dimensional array gives one object, a longer one a list. Signed scalars read as `int`, unsigned ones
    as NumPy scalars (so that masks wrap as they do in native code).
    """
    array = array.view(np.ndarray)  # not of `Records`, whose fields take three times as long to be looked up
    if array.ndim == 0:
        return _mirror_class(array.dtype)(array)
    return [mirror(array[index, ...]) for index in range(array.shape[0])]
