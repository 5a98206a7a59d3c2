"""A code object's metadata: its target, its kernels, and where each argument lies in the segment of arguments.

It is a note in the file. From version 3 on it is MessagePack, read by msgspec; in version 2 it is YAML. Both become the same rows.
Source: LLVM, "User Guide for AMDGPU Backend", section "Code Object Metadata".
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from warploom.isa.c.debug_types import Member, component
from warploom.isa.elf.file import NOTE, File
from warploom.isa.gcn.kernels.plain_yaml import read_yaml
from warploom.isa.launching import POINTER

HIDDEN = "hidden_"
GLOBAL, LOCAL, VALUE = "global_buffer", "dynamic_shared_pointer", "by_value"
_NOTE = struct.Struct("<III")
_NOTE_PIECE = 4  # kind of a program header
_METADATA, _OLD_METADATA, _OLD_TARGET, _OLD_NAME = ("AMDGPU", 32), ("AMD", 10), ("AMD", 3), ("AMD", 11)
_OPENCL = {
    "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32", "long": "int64",
    "ulong": "uint64", "float": "float32", "double": "float64", "half": "float16", "size_t": "uint64", "bool": "uint8",
    "unsigned char": "uint8", "unsigned short": "uint16", "unsigned int": "uint32", "unsigned long": "uint64",
}  # fmt: skip


VECTOR = re.compile(r"([a-z ]+)(2|3|4|8|16)")


class Argument(NamedTuple):
    """A kernel's argument.

    name: "" where the file does not say. offset, size: bytes in the segment of arguments. kind: in the words of the metadata, such as
    `by_value`, `global_buffer`, `dynamic_shared_pointer`, `hidden_group_size_x`. dtype: "pointer", a NumPy name such as "float32", or ""
    where the file does not say. element: of a pointer the NumPy name of what it points to, or "". members: of a vector or a structure the
    numbers in it, where that is known.
    """

    name: str
    offset: int
    size: int
    kind: str
    dtype: str = ""
    element: str = ""
    members: tuple[Member, ...] = ()

    @property
    def hidden(self) -> bool:
        """Whether the source does not name it: the launch fills it in."""
        return self.kind.startswith(HIDDEN)


class Described(NamedTuple):
    """What the metadata say about a kernel. symbol: of its descriptor. group: threads a group must have, in three dimensions, or none."""

    name: str
    symbol: str
    arguments: tuple[Argument, ...]
    kernarg_bytes: int
    group: tuple[int, ...]
    most_threads: int


class Metadata(NamedTuple):
    """target: the processor's name, such as "gfx900", or "" where it is not said. kernels: by name."""

    target: str = ""
    kernels: Mapping[str, Described] = {}


class _Row(msgspec.Struct, rename=lambda name: f".{name}"):
    """An argument of version 3 on."""

    offset: int
    size: int
    value_kind: str
    name: str = ""
    type_name: str = ""


class _Kernel(msgspec.Struct, rename=lambda name: f".{name}"):
    """A kernel of version 3 on."""

    name: str
    symbol: str
    args: list[_Row] = []
    kernarg_segment_size: int = 0
    reqd_workgroup_size: list[int] = []
    max_flat_workgroup_size: int = 1024


class _Metadata(msgspec.Struct, rename=lambda name: f"amdhsa.{name}"):
    """Metadata of version 3 on."""

    kernels: list[_Kernel] = []
    target: str = ""


def notes(file: File) -> Iterator[tuple[str, int, bytes]]:
    """(owner, type, contents) of a file's notes. Raises SourceError where the file ends before them."""
    places = [(one.offset, file.contents(one)) for one in file.sections if one.kind == NOTE]
    places += [(one.offset, file.data[one.offset : one.offset + one.in_file]) for one in file.pieces if one.kind == _NOTE_PIECE]
    for data in dict(places).values():
        place = 0
        while place + _NOTE.size <= len(data):
            owner_bytes, size, kind = _NOTE.unpack_from(data, place)
            start = place + _NOTE.size
            place = start + -(-owner_bytes // 4) * 4
            yield data[start : start + owner_bytes].rstrip(b"\0").decode("ascii", "replace"), kind, data[place : place + size]
            place += -(-size // 4) * 4


def read_metadata(file: File) -> Metadata:
    """A file's metadata; empty where it has none. Raises ValueError and SourceError where they are damaged."""
    found = Metadata()
    for owner, kind, data in notes(file):
        if (owner, kind) == _METADATA:
            read = msgspec.msgpack.decode(data, type=_Metadata)
            found = Metadata(read.target.partition(":")[0].rpartition("-")[2], {one.name: _described(one) for one in read.kernels})
        elif (owner, kind) == _OLD_METADATA:
            found = found._replace(kernels=_old(read_yaml(data.decode("utf-8", "replace"))))
        elif (owner, kind) == _OLD_TARGET and len(data) >= 16:
            found = found._replace(target="gfx{}{}{:x}".format(*struct.unpack_from("<III", data, 4)))
        elif (owner, kind) == _OLD_NAME and not found.target:
            triple = data.rstrip(b"\0").decode("ascii", "replace").partition("+")[0]
            found = found._replace(target=triple.rpartition("-")[2])
    return found


def _described(one: _Kernel) -> Described:
    arguments = tuple(
        Argument(row.name, row.offset, row.size, row.value_kind, *_types(row.value_kind, row.type_name, row.size)) for row in one.args
    )
    return Described(one.name, one.symbol, arguments, one.kernarg_segment_size, tuple(one.reqd_workgroup_size), one.max_flat_workgroup_size)


def _old(read: Any) -> dict[str, Described]:
    """The kernels of version 2: other keys, other words for kinds, and arguments without their places."""
    found = {}
    for one in _rows(read, "Kernels"):
        arguments, offset = [], 0
        for row in _rows(one, "Args"):
            size, align, kind = _whole(row, "Size"), max(_whole(row, "Align"), 1), _words(str(row.get("ValueKind", "")))
            offset = -(-offset // align) * align
            type_name = str(row.get("TypeName", ""))
            arguments.append(Argument(str(row.get("Name", "")), offset, size, kind, *_types(kind, type_name, size)))
            offset += size
        name, attributes, properties = str(one.get("Name", "")), one.get("Attrs") or {}, one.get("CodeProps") or {}
        group = tuple(number for number in attributes.get("ReqdWorkGroupSize") or () if isinstance(number, int))
        size = _whole(properties, "KernargSegmentSize") or offset
        most = _whole(properties, "MaxFlatWorkGroupSize") or 1024
        found[name] = Described(name, str(one.get("SymbolName", f"{name}@kd")), tuple(arguments), size, group, most)
    return found


def _rows(table: Any, key: str) -> list[dict[str, Any]]:
    rows = table.get(key) if isinstance(table, dict) else None
    if rows is not None and not (isinstance(rows, list) and all(isinstance(row, dict) for row in rows)):
        raise ValueError(f"{key} is not a list of mappings")
    return rows or []


def _whole(row: Any, key: str) -> int:
    value = row.get(key, 0) if isinstance(row, dict) else 0
    if not isinstance(value, int):
        raise ValueError(f"{key} is {value!r}, no number")
    return value


def _words(kind: str) -> str:
    """HiddenGlobalOffsetX as hidden_global_offset_x."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()


def _types(kind: str, type_name: str, size: int) -> tuple[str, str, tuple[Member, ...]]:
    """(dtype, element, members) of an argument whose type is called so in OpenCL."""
    if kind == GLOBAL:
        return POINTER, _element(type_name), ()
    if kind != VALUE:
        return "", _element(type_name), ()
    bare = type_name.removeprefix("const ")
    vector = VECTOR.fullmatch(bare)
    if vector and vector[1] in _OPENCL:
        dtype, count = _OPENCL[vector[1]], int(vector[2])
        each = size // (4 if count == 3 else count)
        return "", "", tuple(Member(f".{component(index, count)}", index * each, dtype) for index in range(count))
    return _OPENCL.get(bare, ""), "", ()


def _element(type_name: str) -> str:
    """What a pointer points to, as NumPy calls it; of a vector its element."""
    found = re.fullmatch(r"(\D+?)(?:2|3|4|8|16)?\s*\*", type_name.strip())
    return _OPENCL.get(found[1].strip(), "") if found else ""
