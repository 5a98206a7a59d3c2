"""The bytes of one argument: a number, an address, or the numbers of a vector or a structure.

What a vector or structure holds is known from its type's name or from debugging information. Each of its numbers is a parameter of its own,
called as in C (`size.x`, `part.corner[1]`), so that a launch shows and changes it like any other. Where nothing says what is in it, as many
numbers as are given share its bytes equally.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.c.debug_types import Member
from warploom.isa.gcn.kernels.metadata import GLOBAL, Argument
from warploom.isa.launch import Parameter
from warploom.isa.launching import POINTER, BufferError, is_number

POINTERS = (GLOBAL, "pipe", "queue", "image", "sampler")
SEGMENT = "argument"
MOST_LISTED = 8


class Part(NamedTuple):
    """A piece of an argument. parameter: its name, its place in the segment of arguments, its type. value: as a launch has it."""

    parameter: Parameter
    value: Any
    data: bytes


def is_pointer(argument: Argument) -> bool:
    """Whether an argument is the address of a buffer."""
    return argument.dtype == POINTER or argument.kind in POINTERS


def parts_of(path: str, name: str, argument: Argument, given: Mapping[str, Any], addresses: Mapping[str, int]) -> list[Part]:
    """The pieces of an argument that has its value, or values of its members, among those given. Raises BufferError.

    addresses: of buffers, by name.
    """
    if is_pointer(argument):
        address = address_of(path, name, given[name], addresses)
        word = address.to_bytes(8, "little")[: argument.size]
        return [Part(Parameter(name, argument.offset, POINTER), given[name], word)]
    if argument.members:
        return [_member(path, name, argument, member, value, addresses) for member, value in _by_member(path, name, argument, given)]
    value = given[name]
    if is_many(value):
        return _equal_parts(path, name, argument, values_of(value))
    dtype = argument.dtype or type_of(value, argument.size)
    return [Part(Parameter(name, argument.offset, dtype), value, number(path, name, value, argument.size, argument.dtype))]


def described(members: Sequence[Member]) -> str:
    """The numbers in an argument, for a message: `2 numbers, x int32, y int32`."""
    listed = [f"{one.path.removeprefix('.')} {one.dtype}" for one in members[:MOST_LISTED]]
    more = [] if len(members) <= MOST_LISTED else [f"and {len(members) - MOST_LISTED} more"]
    return f"{len(members)} number{'s' * (len(members) != 1)}, {', '.join([*listed, *more])}"


def _by_member(path: str, name: str, argument: Argument, given: Mapping[str, Any]) -> Iterator[tuple[Member, Any]]:
    members = argument.members
    alone = {one.path: given[name + one.path] for one in members if name + one.path in given}
    if name not in given:
        if absent := [name + one.path for one in members if one.path not in alone]:
            raise BufferError(f"{path}: {absent[0]} has no value: add --arg {absent[0]}=VALUE, or give all of {name}: {described(members)}")
        yield from ((one, alone[one.path]) for one in members)
        return
    if alone:
        twice = name + next(iter(alone))
        raise BufferError(f"{path}: {twice} is given twice, by itself and in {name}: leave one of them out")
    value = given[name]
    if isinstance(value, bytes | np.void):
        data = bytes(value) if isinstance(value, bytes) else value.tobytes()
        if len(data) != argument.size:
            raise BufferError(f"{path}: {name} is {argument.size} bytes, and is given {len(data)}")
        for one in members:
            dtype = np.dtype("uint64" if one.dtype == POINTER else one.dtype).newbyteorder("<")
            yield one, np.frombuffer(data, dtype, 1, one.offset)[0].item()
        return
    values = values_of(value)
    if len(values) != len(members):
        shown = ",".join(map(str, values[:MOST_LISTED])) + ",..." * (len(values) > MOST_LISTED)
        raise BufferError(f"{path}: {name} = {shown}: it is {described(members)}")
    yield from zip(members, values, strict=True)


def _member(path: str, name: str, argument: Argument, member: Member, value: Any, addresses: Mapping[str, int]) -> Part:
    called = name + member.path
    parameter = Parameter(called, argument.offset + member.offset, member.dtype)
    if member.dtype == POINTER:
        return Part(parameter, value, address_of(path, called, value, addresses).to_bytes(8, "little"))
    return Part(parameter, value, number(path, called, value, np.dtype(member.dtype).itemsize, member.dtype))


def _equal_parts(path: str, name: str, argument: Argument, values: list[Any]) -> list[Part]:
    """Numbers that share the bytes of an argument of which nothing is known but its size."""
    size, rest = divmod(argument.size, max(len(values), 1))
    if argument.dtype or rest or size not in (1, 2, 4, 8):
        shares = f"{argument.size} bytes, which {len(values)} numbers do not share equally"
        what = f"one number, {argument.dtype}" if argument.dtype else shares
        raise BufferError(f"{path}: {name} = {','.join(map(str, values[:MOST_LISTED]))}: it is {what}")
    return [
        Part(Parameter(called, argument.offset + index * size, type_of(one, size)), one, number(path, called, one, size, ""))
        for index, one in enumerate(values)
        for called in [f"{name}[{index}]"]
    ]


def is_many(value: Any) -> bool:
    """Whether it is several numbers, as for a vector or a structure."""
    return isinstance(value, list | tuple | bytes | np.void) or (isinstance(value, np.ndarray) and value.ndim > 0)


def values_of(value: Any) -> list[Any]:
    """The numbers of a list, an array of any shape, or of bytes; a number itself."""
    if not is_many(value):
        return [value]
    if isinstance(value, bytes | np.void):
        return list(bytes(value) if isinstance(value, bytes) else value.tobytes())
    if isinstance(value, np.ndarray):
        return list(value.ravel().tolist())
    return [number for one in value for number in values_of(one)]


def address_of(path: str, name: str, value: Any, addresses: Mapping[str, int]) -> int:
    """The address that an argument is given, as a number or as the name of a buffer. Raises BufferError."""
    if isinstance(value, str):
        if value not in addresses:
            raise BufferError(f"{path}: {name} = {value!r}: there is no such buffer; there are {', '.join(sorted(addresses)) or 'none'}")
        return addresses[value]
    if isinstance(value, int | np.integer) and 0 <= value < 1 << 64:
        return int(value)
    raise BufferError(f"{path}: {name} = {value!r}: it is the name of a buffer, or an address")


def type_of(value: Any, size: int) -> str:
    """The type of a number whose size alone is known."""
    if isinstance(value, float | np.floating):
        return f"float{8 * size}"
    return f"{'' if is_number(value) and value < 0 else 'u'}int{8 * size}"


def number(path: str, name: str, value: Any, size: int, dtype: str) -> bytes:
    """The bytes of a number; without a type, a float where one is written with a point. Raises BufferError."""
    if not is_number(value) or size not in (1, 2, 4, 8):
        what = f"it is {dtype or f'a value of {size} bytes'}"
        if size > 8:
            what += f"; give its numbers with commas between them, as {name}=1,2, or all arguments as the buffer {SEGMENT!r}"
        raise BufferError(f"{path}: {name} = {value!r}: {what}")
    is_float = dtype.startswith("float") or (not dtype and isinstance(value, float | np.floating) and size >= 2)
    if is_float:
        with np.errstate(over="ignore"):
            return np.array([value], f"<f{size}").tobytes()
    if not isinstance(value, int | np.integer) or not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
        raise BufferError(f"{path}: {name} = {value!r}: it is {dtype or f'a whole number of {size} bytes'}")
    return (int(value) % (1 << 8 * size)).to_bytes(size, "little")
