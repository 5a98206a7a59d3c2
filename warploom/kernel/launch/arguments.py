"""The arguments of a launch: their kinds, by which a program is compiled, and their arrays in the device's memory.

Arrays of the host are copied there, and back when the kernel has ended; arrays of the device stay. Grid and block are arguments too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from warploom.kernel.device.arrays import DeviceArray, borrowed_array
from warploom.kernel.device.context import Context
from warploom.kernel.launch.signature import ArgumentError, Placed, kind_of, view_rows, view_shape
from warploom.kernel.types.values import counted

MOST_BLOCK = 1024  # threads
RED_ZONE = 256  # bytes after each array that belong to no other


class Prepared:
    """The arguments of one launch, and their arrays in the device's memory. kept: ids of those that are not copied back (`cuda.In`)."""

    def __init__(self, context: Context, args: Sequence[Any], kept: frozenset[int] = frozenset()) -> None:
        self.device = context.device
        self.args, self.kept = args, kept
        self.kinds = [kind_of(one) for one in args]
        self.placed: dict[int, Placed] = {}
        self.order: list[tuple[Placed, bool]] = []
        self._copied: list[tuple[Any, Placed]] = []
        self._starts: list[int] = []
        for one, kind in zip(args, self.kinds, strict=True):
            self._place(one, kind)

    def _place(self, argument: Any, kind: Any) -> None:
        if kind[0] == "tuple":
            for one, inner in zip(argument, kind[2], strict=True):
                self._place(one, inner)
        elif kind[0] in ("array", "record"):
            placed = self.placed.get(id(argument)) or self._array(argument, kind)
            self.placed[id(argument)] = placed
            self.order.append((placed, kind[2] if kind[0] == "record" else kind[4]))

    def _array(self, argument: Any, kind: Any) -> Placed:
        if isinstance(argument, DeviceArray):
            if argument.allocation.device is not self.device:
                raise ArgumentError(f"{argument!r} lies in the memory of a different GPU: hand over what its copy_to_host() gives")
            return Placed(argument, argument.address, argument.allocation.address, max(argument.allocation.size, 1))
        host = np.asarray(argument) if kind[0] == "array" else np.array([argument], kind[1])
        low = sum((extent - 1) * stride for extent, stride in zip(host.shape, host.strides, strict=True) if stride < 0 and extent)
        high = sum((extent - 1) * stride for extent, stride in zip(host.shape, host.strides, strict=True) if stride > 0 and extent)
        size = (high - low + host.dtype.itemsize) if host.size else 0
        start = self.device.allocate(size + RED_ZONE)
        self._starts.append(start)
        placed = Placed(host, start - low, start, max(size, 1))
        if host.size:
            self._view(placed)[...] = host
        if (kind[2] if kind[0] == "record" else host.flags.writeable) and id(argument) not in self.kept:
            self._copied.append((argument if kind[0] == "record" else host, placed))
        return placed

    def _view(self, placed: Placed) -> np.ndarray:
        """An array's items as they are in the device's memory now."""
        host = placed.array
        piece = self.device.held.bytes[placed.start : placed.start + placed.size]
        return np.ndarray(host.shape, host.dtype, piece.data, placed.base - placed.start, host.strides)

    def views(self, names: tuple[str, ...]) -> dict[str, Any]:
        """What a Program says of the arrays. names: of each, in the order of the arguments."""
        placed = [one for one, _ in self.order]
        rows = view_rows(placed, [writes for _, writes in self.order])
        return {"views": rows, "view_names": names, "view_shapes": tuple(view_shape(one) for one in placed)}

    def write_back(self) -> None:
        """Copy what the kernel has stored to the arrays of the host."""
        for host, placed in self._copied:
            if isinstance(host, np.void):
                for name in host.dtype.names or ():
                    host[name] = self._view(placed)[0][name]
            elif host.size:
                host[...] = self._view(placed)

    def release(self) -> None:
        """Give the memory back."""
        for start in self._starts:
            self.device.free(start)
        self._starts = []


def host_of(argument: Any) -> Any:
    """What stands for an argument: `cuda.In` and their like hold arrays; other packages' device arrays offer theirs."""
    inner = getattr(argument, "kernel_argument", None)
    given = inner if inner is not None else argument
    foreign = not isinstance(given, DeviceArray | np.ndarray) and hasattr(given, "__cuda_array_interface__")
    return borrowed_array(given) if foreign else given


def kind_of_argument(function: Callable[..., Any], place: int, argument: Any) -> Any:
    """Its kind, of which a program is compiled. Raises ArgumentError with its name."""
    try:
        return kind_of(argument)
    except ArgumentError as error:
        names = list(inspect.signature(function).parameters)
        name = names[place] if place < len(names) else str(place)
        raise ArgumentError(f"{function.__name__}: the argument {name!r}: {error}") from None


def check_dates(function: Callable[..., Any], args: Sequence[Any]) -> None:
    """Raise ArgumentError for dates that are not numbers of one unit: of several units, or NaT. A kernel sees them as numbers."""
    units: dict[str, str] = {}
    for name, one in zip(inspect.signature(function).parameters, args, strict=False):
        dtype = getattr(one, "dtype", None)
        if not isinstance(dtype, np.dtype) or dtype.kind not in "mM":
            continue
        held = one.copy_to_host() if isinstance(one, DeviceArray) else np.asarray(one)
        if np.isnat(held).any():
            raise ArgumentError(
                f"{function.__name__}: the argument {name!r} holds NaT, and a kernel would compute with it as with a number"
            )
        units.setdefault(np.datetime_data(dtype)[0] + str(np.datetime_data(dtype)[1]), f"{name} of {dtype}")
    if len(units) > 1:
        raise ArgumentError(
            f"{function.__name__}: {' and '.join(units.values())}: a kernel sees dates as numbers of one unit; convert one, as in "
            f"x.astype('datetime64[s]')"
        )


def check_count(function: Callable[..., Any], args: Sequence[Any], given: str = "are given") -> None:
    """Raise TypeError where a kernel takes a different number of arguments. given: what is said of theirs."""
    parameters = inspect.signature(function).parameters
    of_any_number = {name for name, one in parameters.items() if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)}
    named = [one for name, one in parameters.items() if name not in of_any_number]
    least, most = sum(one.default is one.empty for one in named), len(args) if of_any_number else len(named)
    if not least <= len(args) <= most:
        wanted = list(parameters)
        raise TypeError(f"{function.__name__}() takes {counted(len(wanted), 'argument')} ({', '.join(wanted)}), {len(args)} {given}")


def with_defaults(function: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """The arguments, and the defaults of parameters that are not given. Raises TypeError, as `check_count`."""
    check_count(function, args)
    parameters = list(inspect.signature(function).parameters.values())
    return [*args, *(one.default for one in parameters[len(args) :] if one.kind is not one.VAR_POSITIONAL)]


def extents(value: Any, name: str) -> tuple[int, ...]:
    """A grid or a block as one to three numbers. Raises ValueError, TypeError."""
    sizes = tuple(value) if isinstance(value, tuple | list | np.ndarray) else (value,)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"{name} = {value!r}: it has one to three dimensions")
    found = []
    for one in sizes:
        if isinstance(one, float | np.floating) or not isinstance(one, int | np.integer):
            raise TypeError(f"{name} = {value!r}: a number of {'blocks' if name == 'grid' else 'threads'} is whole; use // for division")
        if one < 1:
            raise ValueError(f"{name} = {value!r}: every dimension is at least 1")
        found.append(int(one))
    while len(found) > 1 and found[-1] == 1:
        found.pop()
    if name == "block" and int(np.prod(found)) > MOST_BLOCK:
        raise ValueError(f"block = {value!r}: a block has at most {MOST_BLOCK} threads")
    return tuple(found)
