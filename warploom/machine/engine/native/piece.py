"""Pieces of native code, and how the functions that become one are described.

Not hardware. A *piece* is the machine code of one function, an entry or one that is handed over by pointer, with all the units that it
reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from warploom.machine.engine.layout import has_rooms

if TYPE_CHECKING:
    from warploom.machine.engine.swaps import Socket, Swaps


class Bundle:
    """What units are handed as one pointer: arrays, or functions. A subclass is a NamedTuple too; a member may be None.

    layout: element type and columns of each member that is an array, in the order of the fields; no columns: a row of numbers.
    Members that are not in it are functions: a `Hook` each where native code is handed the bundle.
    """

    __slots__ = ()
    layout: ClassVar[Mapping[str, tuple[Any, int]]] = {}

    def members(self) -> dict[str, Any]:
        """The members by name, in the order of the fields."""
        return {name: getattr(self, name) for name in getattr(self, "_fields", ())}


class Array(NamedTuple):
    """The kind of an argument that is an array."""

    dtype: np.dtype
    dimensions: int = 1
    order: str = "C"  # C, F, or A: neither
    writeable: bool = True
    aligned: bool = True


def records(dtype: np.dtype) -> Array:
    """The kind of an array of records: what lies in their rooms is between them."""
    return Array(dtype, order="A")


class Fit(NamedTuple):
    """What code takes for granted of the machines that it is for.

    known: of kinds of records, by name, the settings with their values. is_of_one: whether these are all settings of one machine.
    """

    known: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    is_of_one: bool = False

    @staticmethod
    def of(settings: Mapping[str, Mapping[str, int]], is_of_one: bool = False) -> Fit:
        """One of settings by kind of record and name."""
        return Fit(tuple((kind, tuple(sorted(values.items()))) for kind, values in sorted(settings.items()) if values), is_of_one)

    def by_kind(self) -> dict[str, dict[str, int]]:
        """What is known, by kind of record and name."""
        return {kind: dict(values) for kind, values in self.known}

    def covers(self, settings: Fit) -> bool:
        """Whether a machine with these settings is one of them."""
        there = settings.by_kind()
        return all(there.get(kind, {}).get(name) == value for kind, values in self.known for name, value in values)


ANY = Fit()  # code for all machines


class Hook(NamedTuple):
    """A function handed to native code as a pointer: its callers are not recompiled when it changes.

    returns, arguments: of each its kind: a dtype (of a record: one of them), an `Array`, a class of `Bundle`; None for no result.
    function: a unit, or a `Socket` with a user's. swaps: what stands in the place of units that it reaches. fit: which machines it
    is for (fitting.py).
    """

    function: Any
    returns: Any
    arguments: tuple[Any, ...]
    swaps: Swaps = ()
    fit: Fit = ANY


class Plug(NamedTuple):
    """A user's function as one of a socket's kinds takes it."""

    socket: Socket
    number: int

    @property
    def symbol(self) -> str:
        """The name by which code that is compiled with the socket calls it."""
        return f"warploom_socket_{self.socket.name.replace('.', '_')}_{self.number}"


def plugs_of(hook: Hook) -> list[Plug]:
    """What has to be there before the code of a hook can be loaded."""
    from warploom.machine.engine.swaps import Socket

    sockets = [other for _, other in hook.swaps if isinstance(other, Socket)]
    return [Plug(socket, number) for socket in sockets for number in range(len(socket.kinds))]


def swaps_name(swaps: Swaps) -> str:
    """What tells code that was compiled with swaps from other code; a user's function is not part of it."""
    from warploom.machine.engine.swaps import Socket

    return " ".join(f"{unit.__qualname__}={other.name if isinstance(other, Socket) else other.__qualname__}" for unit, other in swaps)


class Piece(NamedTuple):
    """The machine code of one function. returns: the NumPy name of its result's type; "" when it has none."""

    symbol: str
    returns: str
    code: bytes

    def written(self) -> bytes:
        """As a file."""
        return f"{self.symbol} {self.returns} {_digest(self.code)}\n".encode() + self.code

    @staticmethod
    def read(data: bytes) -> Piece:
        """Of a file. Raises ValueError for one that is not whole: the linker would trust it, and crash."""
        head, code = data.split(b"\n", 1)
        symbol, returns, digest = head.decode().split(" ")
        if _digest(code) != digest:
            raise ValueError("the piece is not whole")
        return Piece(symbol, returns, code)


def _digest(data: bytes) -> str:
    """SHA-256, imported when it is wanted: a run in plain Python does without OpenSSL."""
    from hashlib import sha256

    return sha256(data).hexdigest()


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether a function is the simulator's own."""
    from warploom.machine.engine.swaps import Socket

    return not isinstance(function, Socket) and function.__module__.startswith("warploom.")


def entry_hook(function: Callable[..., Any], arguments: Iterable[Any], swaps: Swaps = (), fit: Fit = ANY) -> Hook:
    """An entry for arguments like these: what it returns is found out when it is compiled."""
    return Hook(function, ..., tuple(kind_of(argument) for argument in arguments), swaps, fit)


@cache
def kind_name(kind: Any) -> str:
    """What tells a kind of argument from others, also in another process."""
    if isinstance(kind, Array):
        return f"array {kind_name(kind.dtype)} {kind[1:]}"
    if isinstance(kind, np.dtype):
        return _digest(_record_text(kind).encode()) if kind.names else kind.str
    return kind.__name__ if isinstance(kind, type) else str(kind)


def _record_text(record: np.dtype) -> str:
    """What a record is, field by field; records in it by their names, so that each is described once: `str` does it again and again."""
    fields = []
    for name in record.names or ():
        kind, *where = record.fields[name]  # type: ignore[index]
        base, shape = kind.subdtype or (kind, ())
        fields.append(f"{name} {where} {shape} {kind_name(base)}")  # where: the offset, and of a room's the title that tells it apart
    return f"{record.itemsize} {record.isalignedstruct} {fields}"


def kind_of(argument: Any) -> Any:
    """The kind of an argument."""
    if isinstance(argument, Bundle):
        return type(argument)
    if not isinstance(argument, np.ndarray):
        return argument.dtype if isinstance(argument, np.void) else np.asarray(argument).dtype
    if has_rooms(argument.dtype):
        return records(argument.dtype)
    flags = argument.flags
    order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return Array(argument.dtype, argument.ndim, order, flags.writeable, flags.aligned)
