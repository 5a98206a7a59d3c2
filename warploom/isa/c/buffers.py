"""Buffers and arguments of a kernel that is called by name: where each buffer lies, and what each parameter gets.

A buffer is a region of its own, from the address that its name ends with (`out@0x100000`) or from the next free one on. A parameter that is
a pointer gets the buffer of its own name unless the launch names a different one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from warploom.isa.c.contents import bytes_of, shape_of
from warploom.isa.c.parameters import CKernel
from warploom.isa.diagnostics import Diagnostic, Severity, nearest
from warploom.isa.launch import Parameter
from warploom.isa.launching import POINTER, BufferError, is_number
from warploom.isa.regions import Region
from warploom.isa.views import F_WORD, VIEW_BASE, VIEW_BYTES, VIEW_COLUMNS, VIEW_FORMAT, VIEW_WRITABLE, ViewShape

FIRST, UNIT = 0x10000, 64  # where buffers may begin, and a gap after each, so that a step too far is noticed
PLACED = re.compile(r"(?P<name>[^@]+)@(?P<address>0[xX][0-9a-fA-F]{1,8}|[0-9]{1,10})")


class Given(NamedTuple):
    """A buffer that a user gives: its address, or None for any, its bytes, and what they stand for, where that is known."""

    name: str
    address: int | None
    data: np.ndarray
    shape: ViewShape | None = None


def pointers_of(kernel: CKernel, arguments: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """By buffer: the first parameter that points to it, and the type of what that points to."""
    found: dict[str, tuple[str, str]] = {}
    for name, element in kernel.elements.items():
        found.setdefault(str(arguments.get(name, name)), (name, element))
    return found


def given(buffers: Mapping[str, Any], path: str, pointers: Mapping[str, tuple[str, str]]) -> list[Given]:
    """The buffers of a launch, as bytes. Raises BufferError."""
    found = []
    for text, contents in buffers.items():
        parts = PLACED.fullmatch(text)
        name = parts["name"] if parts else text
        address = int(parts["address"], 0) if parts else None
        if address is not None and address % 4:
            raise BufferError(f"{path}: the buffer {text!r} begins at a multiple of 4")
        parameter, element = pointers.get(name, ("", ""))
        found.append(Given(name, address, bytes_of(name, contents, parameter, element), shape_of(contents, element)))
    return found


def placed(buffers: Iterable[Given], taken: Sequence[tuple[int, int]], first: int = FIRST) -> list[Region]:
    """A region for each buffer, those without an address from `first` on. taken: spans of addresses at which something else is."""
    buffers = list(buffers)
    regions = [region_of(one.name, one.address, one.data) for one in buffers if one.address is not None]
    spans = [*taken, *((region.base, region.end) for region in regions)]
    for one in buffers:
        if one.address is None:
            regions.append(region_of(one.name, free_place(len(one.data), spans, first), one.data))
            spans.append((regions[-1].base, regions[-1].end))
    return regions


def region_of(name: str, base: int, data: np.ndarray, size: int = 0) -> Region:
    """A region of whole words with these first bytes."""
    return Region(name, base, max(-(-max(len(data), size) // 4) * 4, 4), data=data)


def free_place(size: int, taken: Iterable[tuple[int, int]], first: int, gap: int = UNIT) -> int:
    """The lowest address from `first` on with room for a buffer and a gap after it. It begins at `first` or a multiple of the gap.

    size, gap: in bytes. taken: where other buffers begin and end.
    """
    base = first
    for start, end in sorted(taken):
        if start < base + size + gap and end > base:
            base = -(-(end + gap) // gap) * gap
    return base


class Shown(Protocol):
    """A buffer that has its place: a region, or what becomes one."""

    @property
    def name(self) -> str:
        """What a user calls it."""

    @property
    def base(self) -> int:
        """Its first address."""

    @property
    def bytes(self) -> int:
        """How long it is."""


def shapes_of(buffers: Iterable[Given]) -> dict[str, ViewShape | None]:
    """What each buffer's bytes stand for, by name."""
    return {one.name: one.shape for one in buffers}


def views_of(buffers: Iterable[Shown], shapes: Mapping[str, ViewShape | None]) -> dict[str, Any]:
    """`views`, `view_names` and `view_shapes` of a Program: each buffer is words that can be written."""
    shown = list(buffers)
    table = np.zeros((len(shown), VIEW_COLUMNS), np.int32)
    for row, buffer in zip(table, shown, strict=True):
        row[VIEW_BASE] = (buffer.base + (1 << 31)) % (1 << 32) - (1 << 31)
        row[[VIEW_BYTES, VIEW_FORMAT, VIEW_WRITABLE]] = buffer.bytes, F_WORD, 1
    names = tuple(buffer.name for buffer in shown)
    return {"views": table, "view_names": names, "view_shapes": tuple(shapes.get(name) for name in names)}


def unused(
    buffers: Iterable[Given], placed_at: Iterable[Shown], values: Mapping[str, Any], parameters: Sequence[Parameter], kernel: str = ""
) -> list[Diagnostic]:
    """A warning for each buffer that no argument names. One with an address of its own may be found without.

    values: of the arguments, by name. parameters: what takes them. kernel: that is called; "" for a program that starts by itself.
    """
    used = {value for value in values.values() if isinstance(value, str)}
    numbers = [int(value) for value in values.values() if isinstance(value, int | np.integer)]
    spans = {one.name: (one.base, one.base + one.bytes) for one in placed_at}
    free = [one.name for one in parameters if one.dtype == POINTER]
    found = []
    for one in buffers:
        base, end = spans[one.name]
        if one.address is None and one.name not in used and not any(base <= number < end for number in numbers):
            whose = f"no argument of the kernel {kernel!r} names" if kernel else "no argument names"
            if kernel and one.name in free:
                said = f"{whose} the buffer {one.name!r}: {one.name} = {values[one.name]!r}"
                found.append(Diagnostic(Severity.WARNING, said, fix="leave out --arg, or the buffer"))
                continue
            listed = f"{'its pointer is' if len(free) == 1 else 'its pointers are'} {', '.join(free)}"
            takes = f"{nearest(one.name, free)}; {listed}" if free else ""
            fix = f"add --arg {free[0]}={one.name}, or leave it out" if kernel and free else "leave it out"
            if not kernel:
                fix = f"add --arg {one.name}={one.name}, or say where the program finds it: --buffer {one.name}@{base:#x}=FILE"
            found.append(Diagnostic(Severity.WARNING, f"{whose} the buffer {one.name!r}{takes if kernel else ''}", fix=fix))
    return found


def values_of(
    kernel: str, path: str, parameters: Sequence[Parameter], buffers: Iterable[str], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """What each parameter of a kernel gets. Raises BufferError for one that gets nothing, and for an argument that is not a parameter."""
    names, values = set(buffers), dict(arguments)
    known = [parameter.name for parameter in parameters]
    for parameter in parameters:
        if parameter.name not in values and parameter.dtype == POINTER and parameter.name in names:
            values[parameter.name] = parameter.name
    for name in values:
        if name not in known:
            there = f"it has {', '.join(known) or 'none'}"
            raise BufferError(f"{path}: the kernel {kernel!r} has no parameter {name!r}{nearest(name, known)}; {there}")
    if missing := [parameter for parameter in parameters if values.get(parameter.name) is None]:
        given_by = " ".join(f"--buffer {one.name}=FILE" if one.dtype == POINTER else f"--arg {one.name}=VALUE" for one in missing)
        noun, verb = ("argument", "has") if len(missing) == 1 else ("arguments", "have")
        listed = ", ".join(repr(one.name) for one in missing)
        left = sorted(names - {value for value in values.values() if isinstance(value, str)})
        wanted = left and any(one.dtype == POINTER for one in missing)
        also = f"; no argument names the buffer {', '.join(map(repr, left))}" if wanted else ""
        raise BufferError(f"{path}: the {noun} {listed} of the kernel {kernel!r} {verb} no value: add {given_by}{also}")
    for parameter in parameters:
        value = values[parameter.name]
        if not is_number(value) and (parameter.dtype != POINTER or not isinstance(value, str)):
            what = "an address, or the name of a buffer" if parameter.dtype == POINTER else f"a number, {parameter.dtype}"
            raise BufferError(f"{path}: {parameter.name} = {value!r}: it is {what}")
        if isinstance(value, str) and value not in names:
            raise BufferError(
                f"{path}: {parameter.name} = {value!r}: there is no such buffer; there are {', '.join(sorted(names)) or 'none'}"
            )
        if parameter.dtype == "float32":
            values[parameter.name] = float(value)
    return values
