"""What a launch's pointers point to, as arrays with the names that the kernel gives them: `a[37]` in place of an address.

Names and types of parameters are read from the kernel's own text, since PTX has neither: `__global__ void f(const float *a, int n)`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from warploom.cuda_cpp.allocations import Allocations
from warploom.isa.c.buffers import views_of
from warploom.isa.program import Program
from warploom.isa.views import ViewShape
from warploom.ptx.module import Parameter

POINTER = struct.Struct("<Q")
LOW = 0xFFFF_FFFF  # an address of the device among all addresses
ITEMS = MappingProxyType({
    **dict.fromkeys(("float",), ViewShape((), 4, floats=True)),
    **dict.fromkeys(("double",), ViewShape((), 8, floats=True)),
    **dict.fromkeys(("half", "__half"), ViewShape((), 2, floats=True)),
    **dict.fromkeys(("char", "signed char", "int8_t"), ViewShape((), 1, whole=True, signed=True)),
    **dict.fromkeys(("unsigned char", "uint8_t", "uchar", "bool"), ViewShape((), 1, whole=True)),
    **dict.fromkeys(("short", "int16_t"), ViewShape((), 2, whole=True, signed=True)),
    **dict.fromkeys(("unsigned short", "uint16_t", "ushort"), ViewShape((), 2, whole=True)),
    **dict.fromkeys(("int", "int32_t", "signed", "signed int"), ViewShape((), 4, whole=True, signed=True)),
    **dict.fromkeys(("unsigned", "unsigned int", "uint32_t", "uint"), ViewShape((), 4, whole=True)),
    **dict.fromkeys(("long", "long int", "long long", "long long int", "int64_t", "ssize_t"), ViewShape((), 8, whole=True, signed=True)),
    **dict.fromkeys(
        ("unsigned long", "unsigned long int", "unsigned long long", "unsigned long long int", "uint64_t", "size_t", "ulong"),
        ViewShape((), 8, whole=True),
    ),
})  # fmt: skip
QUALIFIERS = re.compile(r"\b(?:const|volatile|__restrict__|__restrict|restrict|struct|__grid_constant__)\b|\bstd::|&")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
OPENING, CLOSING = "(<[{", ")>]}"


class Declared(NamedTuple):
    """A parameter of a kernel, as its text declares it. item: what it points to, "" for what does not point."""

    name: str
    item: str


class _Array(NamedTuple):
    """What a pointer of a launch points to: from where on, and how many bytes from there to the end of its allocation."""

    name: str
    base: int
    bytes: int


def arrays_of(program: Program, parameters: Sequence[Parameter], values: bytes, allocations: Allocations) -> dict[str, Any]:
    """`views`, `view_names` and `view_shapes` of a launch's Program, whose name is the kernel's.

    parameters: of the kernel's PTX; values: their bytes. A parameter without a name in the text has that of its allocation. What lies in
    no allocation is left out.
    """
    texts = (declared_in(source.text, program.name, len(parameters)) for source in program.sources)
    said = next(filter(None, texts), [Declared("", "")] * len(parameters))
    arrays: list[_Array] = []
    shapes: dict[str, ViewShape | None] = {}
    for number, (parameter, declared) in enumerate(zip(parameters, said, strict=True)):
        if parameter.size != POINTER.size or not (declared.item or parameter.pointer):
            continue
        address = POINTER.unpack_from(values, parameter.offset)[0] & LOW
        one = allocations.around(address)
        name = declared.name or (one.name if one is not None else "") or f"argument {number + 1}"
        if one is not None and address < one.address + one.size and name not in shapes:
            arrays.append(_Array(name, address, one.address + one.size - address))
            item = ITEMS.get(declared.item)
            shapes[name] = item._replace(shape=(arrays[-1].bytes // item.item_bytes,)) if item is not None else None
    return views_of(arrays, shapes)


def declared_in(text: str, name: str, count: int) -> list[Declared] | None:
    """A kernel's parameters as a text declares them; None where the text has no such kernel."""
    text = COMMENTS.sub(lambda found: " " * len(found[0]), text)
    for found in re.finditer(rf"\b{re.escape(name)}\s*\(", text):
        before = text[: found.start()]
        if "__global__" not in re.split(r"[;{}]", before)[-1]:
            continue
        parts = _parts(text, found.end())
        if parts is not None and len(parts) == count:
            return [_declared(part) for part in parts]
    return None


def _parts(text: str, start: int) -> list[str] | None:
    """What stands between commas from a place on, up to the bracket that ends it; None where none does."""
    depth, first, found = 0, start, []
    for place in range(start, len(text)):
        letter = text[place]
        if letter in OPENING:
            depth += 1
        elif letter in CLOSING:
            if not depth:
                found.append(text[first:place])
                return [part for part in found if part.strip() not in ("", "void")]
            depth -= 1
        elif letter == "," and not depth:
            found.append(text[first:place])
            first = place + 1
    return None


def _declared(text: str) -> Declared:
    """`const float *__restrict__ a` is a, which points to float."""
    text = QUALIFIERS.sub(" ", text.partition("=")[0])
    name = re.search(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$", text)
    stars = text.count("*") + text.count("[")
    before = text[: name.start()] if name else text
    item = " ".join(before.replace("*", " ").split())
    return Declared(name[1] if name else "", item if stars == 1 else "void" if stars else "")
