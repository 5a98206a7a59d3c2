"""A kernel's arguments: buffers, values, and what the source does not name, in the segment that `s[4:5]` usually points to.

With metadata an argument has a name, a place and a kind. Without, arguments follow one another in the order in which they are given: 8
bytes for the address of a buffer, 4 for a number. A buffer is a region of its own, from the address that its name ends with (`x@0x10000`)
or from the next free one on; a pointer without a value is the buffer of its name. A buffer called `argument` is the whole segment, but for
hidden arguments after its end.

Source: LLVM, "User Guide for AMDGPU Backend", sections "Code Object Metadata" and "Kernarg Segment".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.c.buffers import PLACED, Given, free_place, shapes_of, unused, views_of
from warploom.isa.c.contents import bytes_of, shape_of
from warploom.isa.diagnostics import Diagnostic, nearest
from warploom.isa.frontend import Options
from warploom.isa.gcn.kernels.launch import hidden
from warploom.isa.gcn.kernels.metadata import LOCAL, Argument
from warploom.isa.gcn.kernels.values import SEGMENT, address_of, described, is_many, is_pointer, number, parts_of, type_of, values_of
from warploom.isa.launch import Launch, Parameter
from warploom.isa.launching import POINTER, BufferError

BUFFERS_BASE, BUFFER_UNIT = 0x1000_0000, 1 << 16
LEAST_BYTES = 256
ALIGNMENT = 16  # of what a pointer to LDS points to


class Buffer(NamedTuple):
    """A piece of memory that a user gives. given: as it was given."""

    name: str
    base: int
    data: np.ndarray
    given: Given

    @property
    def bytes(self) -> int:
        """How long it is."""
        return len(self.data)


class Placed(NamedTuple):
    """The segment of arguments, and the buffers. parameters, values: those that a user names, with their places in the segment."""

    segment: bytes
    buffers: tuple[Buffer, ...]
    parameters: tuple[Parameter, ...] = ()
    values: Mapping[str, Any] = {}
    names_none: bool = False  # the segment is given as a whole, with addresses in it

    def views(self) -> dict[str, Any]:
        """The buffers as fields of a Program: each is words that can be written."""
        return views_of(self.buffers, shapes_of(one.given for one in self.buffers))

    def warnings(self, kernel: str) -> list[Diagnostic]:
        """About buffers that no argument names. kernel: that is called."""
        return [] if self.names_none else unused([one.given for one in self.buffers], self.buffers, self.values, self.parameters, kernel)


def placed(
    path: str,
    name: str,
    arguments: Sequence[Argument] | None,
    size: int,
    launch: Launch,
    options: Options,
    local: Mapping[str, int] | None = None,
) -> Placed:
    """Where the buffers of a kernel's launch lie, and its segment of `size` bytes or more. Raises BufferError.

    local: places in LDS, as `dynamic_shared` gives them.
    """
    elements = {argument_name: argument.element for argument_name, argument in named(arguments)}
    buffers, whole = _buffers(path, options.buffers, elements)
    addresses = {buffer.name: buffer.base for buffer in buffers}
    if whole is not None:
        if options.arguments:
            raise BufferError(f"{path}: the buffer {SEGMENT!r} is all of the arguments: leave --arg {next(iter(options.arguments))} out")
        begun = bytearray(whole.ljust(size, b"\0"))
        _hide(begun, [one for one in arguments or () if one.offset >= len(whole)], launch)
        return Placed(bytes(begun.ljust(LEAST_BYTES, b"\0")), buffers, names_none=True)
    if arguments is None:
        segment, parameters, values = _in_order(path, options.arguments, addresses)
    else:
        segment, parameters, values = _by_place(path, name, arguments, size, launch, options.arguments, addresses, local or {})
    return Placed(segment.ljust(max(size, LEAST_BYTES), b"\0"), buffers, parameters, values)


def _buffers(path: str, given: Mapping[str, Any], elements: Mapping[str, str]) -> tuple[tuple[Buffer, ...], bytes | None]:
    """The buffers, those without an address after the others; and the contents of the segment of arguments, if that is given.

    elements: by name, the type of what an argument points to.
    """
    found: list[Buffer] = []
    waiting: list[Given] = []
    whole = None
    for text, contents in given.items():
        match = PLACED.fullmatch(text)
        name = match["name"] if match else text
        data = bytes_of(name, contents, name, elements.get(name, ""))
        data = data if len(data) else np.zeros(4, np.uint8)
        address = int(match["address"], 0) if match else None
        one = Given(name, address, data, shape_of(contents, elements.get(name, "")))
        if name == SEGMENT:
            whole = data.tobytes()
        elif address is None:
            waiting.append(one)
        elif address % 4 or address + len(data) > 1 << 32:
            raise BufferError(f"{path}: the buffer {text!r} begins at a multiple of 4, and ends below 2^32")
        else:
            found.append(Buffer(name, address, data, one))
    for one in waiting:
        spans = [(other.base, other.base + other.bytes) for other in found]
        found.append(Buffer(one.name, free_place(len(one.data), spans, BUFFERS_BASE, BUFFER_UNIT), one.data, one))
    return tuple(found), whole


def named(arguments: Sequence[Argument] | None) -> list[tuple[str, Argument]]:
    """The arguments that a user gives, by name; one that the file gives no name is `arg` and its place."""
    shown = [one for one in arguments or () if not one.hidden]
    return [(one.name or f"arg{place}", one) for place, one in enumerate(shown)]


def dynamic_shared(path: str, arguments: Sequence[Argument] | None, given: Mapping[str, Any], shared: int) -> tuple[Mapping[str, int], int]:
    """(places in LDS by argument, LDS of a block in all): of pointers to LDS the value is how many bytes there are. Raises BufferError."""
    places, end = {}, shared
    for name, argument in named(arguments):
        if argument.kind == LOCAL:
            wanted = given.get(name, 0)
            if not isinstance(wanted, int | np.integer) or wanted < 0:
                raise BufferError(f"{path}: {name} = {wanted!r}: it points to LDS; give the number of bytes that it points to")
            places[name] = -(-end // ALIGNMENT) * ALIGNMENT
            end = places[name] + int(wanted)
    return places, end


Filled = tuple[bytes, tuple[Parameter, ...], Mapping[str, Any]]


def _in_order(path: str, values: Mapping[str, Any], addresses: Mapping[str, int]) -> Filled:
    segment = b""
    parameters, found = [], dict[str, Any]()
    for name, value in values.items():
        if isinstance(value, str):
            segment = segment.ljust(-(-len(segment) // 8) * 8, b"\0")
            parameters.append(Parameter(name, len(segment), POINTER))
            found[name] = value
            segment += address_of(path, name, value, addresses).to_bytes(8, "little")
            continue
        for index, one in enumerate(values_of(value)):
            called = f"{name}[{index}]" if is_many(value) else name
            parameters.append(Parameter(called, len(segment), type_of(one, 4)))
            found[called] = one
            segment += number(path, called, one, 4, "")
    return segment, tuple(parameters), found


def _by_place(
    path: str,
    kernel: str,
    arguments: Sequence[Argument],
    size: int,
    launch: Launch,
    given: Mapping[str, Any],
    addresses: Mapping[str, int],
    local: Mapping[str, int],
) -> Filled:
    segment = bytearray(size)
    taken = {name: [name, *(name + one.path for one in argument.members)] for name, argument in named(arguments)}
    known = [name for names in taken.values() for name in names]
    parameters, values = [], {}
    for name in given:
        if name not in known:
            there = f"it has {', '.join(taken)}" if taken else "it has none"
            raise BufferError(f"{path}: the kernel {kernel!r} has no argument {name!r}{nearest(name, known)}; {there}")
    for name, argument in named(arguments):
        own = {called: given[called] for called in taken[name] if called in given}
        if argument.kind == LOCAL:
            own = {name: local[name]}
        elif not own and is_pointer(argument) and name in addresses:
            own = {name: name}
        if not own:
            several = ",..." if len(argument.members) > 1 else ""
            what = f"--buffer {name}=FILE" if is_pointer(argument) else f"--arg {name}=VALUE{several}"
            holds = f" ({described(argument.members)})" if argument.members else ""
            raise BufferError(f"{path}: the argument {name!r} of the kernel {kernel!r} has no value: add {what}{holds}")
        for part in parts_of(path, name, argument, own, addresses):
            place = part.parameter.offset
            segment[place : place + len(part.data)] = part.data
            values[part.parameter.name] = part.value
            parameters.append(part.parameter)
    _hide(segment, arguments, launch)
    return bytes(segment), tuple(parameters), values


def _hide(segment: bytearray, arguments: Iterable[Argument], launch: Launch) -> None:
    """Write what the hidden ones among some arguments are."""
    for argument in arguments:
        if argument.hidden and argument.size <= 8:
            word = (hidden(argument.kind, launch) % (1 << 8 * argument.size)).to_bytes(argument.size, "little")
            segment[argument.offset : argument.offset + argument.size] = word
