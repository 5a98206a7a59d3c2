"""From a program and a launch to the program that a machine starts: arguments and buffers lie in its memory.

A program with views has a buffer for each, under its name. One without has the buffer `memory`: its data, from byte 0 on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from warploom.isa.diagnostics import nearest
from warploom.isa.frontend import Options
from warploom.isa.launch import Launch, Parameter
from warploom.isa.pictures import pack, unpack
from warploom.isa.program import Program
from warploom.isa.regions import RegionError
from warploom.isa.views import F_WORD, VIEW_BASE, VIEW_BYTES, VIEW_FORMAT, VIEW_HEIGHT, VIEW_WIDTH

MEMORY = "memory"
POINTER = "pointer"
BYTE = 255


class BufferError(ValueError):
    """A buffer or an argument that a program does not have, or cannot take. One sentence."""


def launched(program: Program, launch: Launch) -> Program:
    """The program with this launch as its own, its buffers and arguments written to memory. Raises BufferError."""
    space = program.address_space()
    data = space.initial() if program.regions else program.data
    for name, contents in launch.buffers.items():
        data = _with_buffer(program, data, name, contents)
    if launch.arguments:
        data = _with_arguments(program, data, launch)
    if program.regions:
        regions = tuple(replace(region, data=data[space.slice_of(region)]) for region in space.regions)
        return replace(program, launch=launch, regions=regions)
    return replace(program, launch=launch, data=data)


def started(program: Program, options: Options) -> Program:
    """The program with the launch, the arguments and the buffers that a user asks for. Raises BufferError."""
    asked: dict[str, Any] = {name: getattr(options, name) for name in ("threads", "block", "grid") if getattr(options, name) is not None}
    for name in ("buffers", "arguments"):
        if given := getattr(options, name):
            asked[name] = {**getattr(program.launch, name), **given}
    try:
        return launched(program, program.launch.changed(**asked)) if asked else program
    except ValueError as error:
        raise error if isinstance(error, BufferError) else BufferError(f"{program.source.path}: {error}") from None


def launch_of(program: Program, which: int | str | Launch | None) -> Launch:
    """A launch of a program: itself; the one of a name or number, from 0; None: the program's own. Raises BufferError."""
    if isinstance(which, Launch):
        return which
    if which is None:
        return program.launch
    there = program.launches or (program.launch,)
    names = [launch.name for launch in there if launch.name]
    if isinstance(which, str) and which in names:
        return next(launch for launch in there if launch.name == which)
    if isinstance(which, int) and 0 <= which < len(there):
        return there[which]
    known = f"there are 0 to {len(there) - 1}" if len(there) > 1 else "there is one, 0"
    named = f", or {', '.join(names)}" if names else ""
    raise BufferError(f"{program.source.path}: there is no launch {which!r}{nearest(str(which), names)}; {known}{named}")


def buffer_names(program: Program) -> tuple[str, ...]:
    """The buffers of a program, by their names: its views, or else its regions, or else `memory`."""
    return program.view_names or tuple(region.name for region in program.regions) or (MEMORY,)


def read_buffer(program: Program, memory: np.ndarray, name: str) -> np.ndarray:
    """What a buffer holds: its elements, where their type is known, else uint32[words]; a picture, uint8[height, width, 4], of a texture
    or image; uint8[bytes] of memory or a region.

    memory: uint8[bytes], after a run: all of it, by place. Raises BufferError when there is no such buffer.
    """
    row = _row(program, name, regions=True)
    if row is None:
        region = program.address_space().named(name)
        return memory[program.address_space().slice_of(region)] if program.regions and region is not None else memory
    start = _place(program, _base(row), int(row[VIEW_BYTES]))
    data = memory[start : start + row[VIEW_BYTES]]
    if row[VIEW_FORMAT] == F_WORD:
        return elements_of(program, name, data).copy()
    return unpack(data, int(row[VIEW_WIDTH]), int(row[VIEW_HEIGHT]), int(row[VIEW_FORMAT]))


def elements_of(program: Program, name: str, data: np.ndarray) -> np.ndarray:
    """The bytes of a buffer as what they stand for: the elements of its `ViewShape`, in one dimension, or else uint32[words].

    data: uint8[bytes], all of the buffer.
    """
    whole, dtype = np.ascontiguousarray(data), program.element_type(name)
    if dtype is None:
        return whole.view("<u4")
    shape = program.view_shapes[program.view_names.index(name)]
    return whole[: prod(shape.shape if shape else ()) * dtype.itemsize].view(dtype)


def as_bytes(data: Any, what: str = "data") -> np.ndarray:
    """A row of whole numbers from 0 to 255 as uint8. Raises BufferError."""
    values = np.asarray(data)
    if values.size == 0:
        return np.zeros(0, np.uint8)
    if values.ndim != 1 or values.dtype.kind not in "iub":
        raise BufferError(f"{what} is a row of whole numbers from 0 to 255, one a byte")
    wrong = np.flatnonzero((values < 0) | (values > BYTE))
    if wrong.size:
        raise BufferError(f"{what}[{wrong[0]}] = {values[wrong[0]]}: a byte is 0 to 255")
    return values.astype(np.uint8)


def as_words(data: Any, what: str = "data") -> np.ndarray:
    """Numbers as 32-bit words: whole ones modulo 2^32, others as 32-bit floats. Raises BufferError."""
    values = np.asarray(data).ravel()
    if values.dtype.kind == "f":
        return values.astype("<f4").view(np.uint32)
    if values.dtype.kind not in "iub":
        raise BufferError(f"{what} holds {values.dtype}: a buffer takes whole numbers and floats")
    return values.astype(np.int64).astype(np.uint32) if values.dtype != np.uint32 else values


def _row(program: Program, name: str, regions: bool = False) -> np.ndarray | None:
    """A buffer's row of Program.views; None for `memory` and regions. regions: of which each is one, beside the views."""
    known = buffer_names(program)
    if name not in known:
        if regions and program.regions and program.address_space().named(name) is not None:
            return None
        raise BufferError(f"{program.source.path}: there is no buffer {name!r}{nearest(name, known)}; there are {', '.join(known)}")
    return program.views[program.view_names.index(name)] if program.view_names else None


def _with_buffer(program: Program, data: np.ndarray, name: str, contents: Any) -> np.ndarray:
    row = _row(program, name)
    if row is None:
        region = program.address_space().named(name) if program.regions else None
        given = as_bytes(contents, name)
        if region is None:
            return given
        if len(given) > region.bytes:
            raise BufferError(f"{name} holds {region.bytes} bytes, and is given {len(given)}")
        return _written(data, _place(program, region.base, region.bytes), given)
    values, form = np.asarray(contents), int(row[VIEW_FORMAT])
    if form != F_WORD:
        shape = (int(row[VIEW_HEIGHT]), int(row[VIEW_WIDTH]), 4)
        if values.shape != shape or values.dtype != np.uint8:
            raise BufferError(f"{name} takes a picture uint8{list(shape)}, this is {values.dtype}{list(values.shape)}")
        given = pack(values, form)
    else:
        given = as_words(values, name).view(np.uint8)
    if len(given) > row[VIEW_BYTES]:
        raise BufferError(f"{name} holds {row[VIEW_BYTES]} bytes, and is given {len(given)}")
    return _written(data, _place(program, _base(row), len(given)), given)


def _with_arguments(program: Program, data: np.ndarray, launch: Launch) -> np.ndarray:
    known = {parameter.name: parameter for parameter in program.parameters}
    for name in launch.arguments:
        if name not in known:
            there = f"there are {', '.join(known)}" if known else "it takes none"
            raise BufferError(f"{program.source.path}: there is no argument {name!r}{nearest(name, known)}; {there}")
    missing = [name for name in known if name not in launch.arguments]
    if missing:
        raise BufferError(f"{program.source.path}: the argument {missing[0]!r} has no value")
    for name, value in launch.arguments.items():
        given = _argument(program, known[name], value)
        data = _written(data, _place(program, launch.argument + known[name].offset, len(given)), given)
    return data


def _argument(program: Program, parameter: Parameter, value: Any) -> np.ndarray:
    """The bytes of an argument. The value of a pointer is the name of a buffer, or an address."""
    if parameter.dtype == POINTER and isinstance(value, str):
        row = _row(program, value, regions=True)
        region = program.address_space().named(value) if program.regions and row is None else None
        value = _base(row) if row is not None else region.base if region is not None else 0
    dtype = np.dtype("uint32" if parameter.dtype == POINTER else parameter.dtype).newbyteorder("<")
    if not is_number(value):
        raise BufferError(f"{parameter.name} = {value!r}: it is {parameter.dtype}")
    try:
        if dtype.kind in "iu" and not (isinstance(value, int | np.integer) and np.iinfo(dtype).min <= value <= np.iinfo(dtype).max):
            raise BufferError(f"{parameter.name} = {value!r}: it is {parameter.dtype}")
        return np.array([value], dtype).view(np.uint8)
    except (TypeError, ValueError, OverflowError):
        raise BufferError(f"{parameter.name} = {value!r}: it is {parameter.dtype}") from None


def _base(row: np.ndarray) -> int:
    """The address of a view. (A column of its table has a sign, an address has none.)"""
    return int(row[VIEW_BASE]) & 0xFFFFFFFF


def _place(program: Program, address: int, size: int) -> int:
    """Where the bytes of an address are kept. Raises BufferError."""
    if not program.regions:
        return address
    try:
        return program.address_space().place(address, size)
    except RegionError as error:
        raise BufferError(f"{program.source.path}: {error}") from None


def _written(data: np.ndarray, start: int, given: np.ndarray) -> np.ndarray:
    longer = np.zeros(max(len(data), start + len(given)), np.uint8)
    longer[: len(data)] = data
    longer[start : start + len(given)] = given
    return longer


def is_number(value: Any) -> bool:
    """Whether a value is one number, Python's or NumPy's."""
    return isinstance(value, int | float | np.number | np.bool_)


def arguments_of(texts: Mapping[str, str]) -> dict[str, Any]:
    """Arguments as the command line has them: whole numbers, floats, names of buffers, and several with commas between them."""
    return {name: tuple(map(_value, text.split(","))) if "," in text else _value(text) for name, text in texts.items()}


def _value(text: str) -> Any:
    for kind in (lambda value: int(value, 0), float):
        try:
            return kind(text.strip())
        except ValueError:
            continue
    return text
