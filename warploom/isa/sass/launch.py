"""What a launch puts into constant bank 0: sizes of block and grid, windows, the stack, and the parameters.

Parameters have sizes and places, but no names and no types. Names and types are those of the function's head where the source is at hand,
else the parameters are p0, p1 and so on; a value is an address or a whole number, or a float where it is written as one.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.c.buffers import PLACED, Given, free_place
from warploom.isa.c.contents import bytes_of, of_own_type, shape_of
from warploom.isa.c.kernel_head import NUMPY_NAMES, Declared, declared_in
from warploom.isa.diagnostics import nearest
from warploom.isa.launch import Launch, Parameter
from warploom.isa.launching import POINTER, BufferError, is_number
from warploom.isa.program import Source
from warploom.isa.regions import Region
from warploom.isa.sass.cubin import Kernel
from warploom.isa.sass.integers import LOCAL_WINDOW, SHARED_WINDOW

GLOBALS_BASE, BUFFERS_BASE, BUFFER_UNIT = 0x0800_0000, 0x1000_0000, 1 << 16
BLOCK, GRID, SHARED_BASE, LOCAL_BASE, STACK = 0x00, 0x0C, 0x18, 0x20, 0x28  # offsets in bank 0
CONSTANTS_BASE, CONSTANTS_BASE_90 = 0x50, 0xD0  # up to sm_89, and since sm_90
STACK_ARGUMENT = "stack"  # the argument that says how large a thread's stack is
SHARED = "shared"  # the argument that says how many bytes of dynamic shared memory a block has
_MANGLED = re.compile(r"_Z(\d+)")


class Argument(NamedTuple):
    """A parameter. element: the type of what it points to, of a pointer; dtype: its own; "" where that is not known."""

    name: str
    offset: int
    size: int
    dtype: str = ""
    element: str = ""
    pointer: bool = False


class Placed(NamedTuple):
    """The buffers as regions, and the parameters' bytes; values: what each is, by name."""

    given: tuple[Given, ...]
    regions: tuple[Region, ...]
    parameters: tuple[Parameter, ...]
    values: Mapping[str, Any]
    data: bytes


def short_name(name: str) -> str:
    """A function's own name, of one that C++ has mangled."""
    found = _MANGLED.match(name)
    return name[found.end() : found.end() + int(found[1])] if found and int(found[1]) < 200 else name


def arguments_of(kernel: Kernel, sources: Sequence[Source]) -> list[Argument]:
    """The parameters of a kernel, with names and types where a source has the function's head."""
    told = kernel.attributes.parameters
    named = next(filter(None, (declared_in(source.text, short_name(kernel.name), len(told)) for source in sources)), None)
    found = []
    for number, one in enumerate(told):
        said = named[number] if named is not None else Declared("", "", 0)
        base = NUMPY_NAMES.get(said.type, "")
        pointer = said.pointers > 0 and one.size == 8
        fits = base and not said.pointers and np.dtype(base).itemsize == one.size
        found.append(Argument(said.name or f"p{number}", one.offset, one.size, base if fits else "", base if pointer else "", pointer))
    return found


def placed(path: str, kernel: Kernel, arguments: Sequence[Argument], buffers: Mapping[str, Any], values: Mapping[str, Any]) -> Placed:
    """Where buffers lie, and the bytes of the parameters. Raises BufferError."""
    name = short_name(kernel.name)
    known = [one.name for one in arguments]
    for key in values:
        if key not in known and key not in (SHARED, STACK_ARGUMENT):
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise BufferError(f"{path}: the kernel {name!r} has no parameter {key!r}{nearest(key, known)}; {there}")
    given, regions = _buffers(path, buffers, {one.name: one.element for one in arguments})
    bases = {region.name: region.base for region in regions}
    data = bytearray(kernel.attributes.size)
    parameters, found = [], {}
    for one in arguments:
        value = values.get(one.name, one.name if one.name in bases else None)
        if value is None:
            also = "" if one.pointer else f" --arg {one.name}=VALUE"
            buffer = f" --buffer {one.name}=FILE" if one.size == 8 and not one.dtype else ""
            what = " or".join(part for part in (buffer, also) if part)
            raise BufferError(f"{path}: the parameter {one.name!r} of the kernel {name!r} has no value ({one.size} bytes): add{what}")
        data[one.offset : one.offset + one.size] = _bytes(path, one, value, bases)
        parameters.append(Parameter(one.name, one.offset, POINTER if isinstance(value, str) else one.dtype or _dtype(one, value)))
        found[one.name] = value
    return Placed(given, regions, tuple(parameters), found, bytes(data))


def _buffers(path: str, buffers: Mapping[str, Any], elements: Mapping[str, str]) -> tuple[tuple[Given, ...], tuple[Region, ...]]:
    given, regions = [], []
    for text, contents in buffers.items():
        match = PLACED.fullmatch(text)
        name, address = (match["name"], int(match["address"], 0)) if match else (text, None)
        element = elements.get(name, "") or of_own_type(contents)
        data = bytes_of(name, contents, name, element)
        data = data if len(data) else np.zeros(4, np.uint8)
        if address is not None and (address % 4 or address + len(data) > 1 << 32):
            raise BufferError(f"{path}: the buffer {text!r} begins at a multiple of 4, and ends below 2^32")
        given.append(Given(name, address, data, shape_of(contents, element)))
    taken = [(one.address, one.address + len(one.data)) for one in given if one.address is not None]
    for one in given:
        base = free_place(len(one.data), taken, BUFFERS_BASE, BUFFER_UNIT) if one.address is None else one.address
        if one.address is None:
            taken.append((base, base + len(one.data)))
        regions.append(Region(one.name, base, len(one.data), data=one.data))
    return tuple(given), tuple(regions)


def _dtype(one: Argument, value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"float{8 * one.size}" if one.size in (2, 4, 8) else "float32"
    return f"uint{8 * one.size}" if one.size in (1, 2, 4, 8) else "uint8"


def _bytes(path: str, one: Argument, value: Any, bases: Mapping[str, int]) -> bytes:
    """A value as the bytes of a parameter. Raises BufferError."""
    if isinstance(value, str):
        if one.size != 8 or value not in bases:
            there = ", ".join(sorted(bases)) or "none"
            what = f"there is no such buffer; there are {there}" if one.size == 8 else f"it is a number of {one.size} bytes"
            raise BufferError(f"{path}: {one.name} = {value!r}: {what}")
        return struct.pack("<Q", bases[value])
    if isinstance(value, bytes) and len(value) == one.size:
        return value
    if isinstance(value, list | tuple | np.ndarray):
        return _several(path, one, list(np.asarray(value).ravel().tolist()))
    if not is_number(value) or one.size not in (1, 2, 4, 8):
        raise BufferError(
            f"{path}: {one.name} = {value!r}: it is {one.dtype or f'{one.size} bytes'}; give numbers with commas between them"
        )
    floats = one.dtype.startswith("float") or (not one.dtype and isinstance(value, float | np.floating))
    if floats:
        if one.size == 1:
            raise BufferError(f"{path}: {one.name} = {value!r}: it is a byte")
        with np.errstate(over="ignore"):
            return np.array([value], f"<f{one.size}").tobytes()
    if not isinstance(value, int | np.integer) or not -(1 << 8 * one.size - 1) <= value < 1 << 8 * one.size:
        raise BufferError(f"{path}: {one.name} = {value!r}: it is {one.dtype or f'a whole number of {one.size} bytes'}")
    return (int(value) % (1 << 8 * one.size)).to_bytes(one.size, "little")


def _several(path: str, one: Argument, values: list[Any]) -> bytes:
    """Numbers that share the bytes of a structure equally."""
    size, rest = divmod(one.size, max(len(values), 1))
    if rest or size not in (1, 2, 4, 8):
        raise BufferError(f"{path}: {one.name}: it is {one.size} bytes, which {len(values)} numbers do not share equally")
    return b"".join(_bytes(path, one._replace(size=size, dtype=""), value, {}) for value in values)


def bank_of(kernel: Kernel, launch: Launch, data: bytes, architecture: int, constants: int = 0) -> bytes:
    """Constant bank 0 of a launch. data: the parameters. constants: where `__constant__` variables lie for pointers to them."""
    bank = bytearray(kernel.constants)
    told = kernel.attributes
    first = told.base or (0x210 if architecture >= 90 else 0x160)
    bank = bytearray(bytes(bank).ljust(max(first + len(data), CONSTANTS_BASE_90 + 8), b"\0"))
    struct.pack_into("<3I", bank, BLOCK, *launch.block_dims)
    struct.pack_into("<3I", bank, GRID, *launch.grid_dims)
    struct.pack_into("<2I", bank, SHARED_BASE, 0, SHARED_WINDOW)
    struct.pack_into("<2I", bank, LOCAL_BASE, 0, LOCAL_WINDOW)
    struct.pack_into("<2I", bank, CONSTANTS_BASE_90 if architecture >= 90 else CONSTANTS_BASE, constants, 0)
    struct.pack_into("<I", bank, STACK, launch.local_bytes)
    bank[first : first + len(data)] = data
    return bytes(bank)
