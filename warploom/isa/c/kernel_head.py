"""Kernels of CUDA C++ as their text declares them: names and types of parameters, which neither PTX nor machine code has."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import NamedTuple

NUMPY_NAMES = MappingProxyType({  # of a type of CUDA C++, on a host with longs of 64 bits
    "float": "float32", "double": "float64", "half": "float16", "__half": "float16", "bool": "uint8",
    "char": "int8", "signed char": "int8", "int8_t": "int8", "unsigned char": "uint8", "uchar": "uint8", "uint8_t": "uint8",
    "short": "int16", "int16_t": "int16", "unsigned short": "uint16", "ushort": "uint16", "uint16_t": "uint16",
    "int": "int32", "signed": "int32", "signed int": "int32", "int32_t": "int32",
    "unsigned": "uint32", "unsigned int": "uint32", "uint": "uint32", "uint32_t": "uint32",
    "long": "int64", "long int": "int64", "long long": "int64", "long long int": "int64", "int64_t": "int64", "ssize_t": "int64",
    "unsigned long": "uint64", "unsigned long int": "uint64", "unsigned long long": "uint64", "unsigned long long int": "uint64",
    "ulong": "uint64", "uint64_t": "uint64", "size_t": "uint64",
})  # fmt: skip
QUALIFIERS = re.compile(r"\b(?:const|volatile|__restrict__|__restrict|restrict|struct|__grid_constant__)\b|\bstd::|&")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
OPENING, CLOSING = "(<[{", ")>]}"


class Declared(NamedTuple):
    """A parameter: its name, "" for none; its type without qualifiers, and how many pointers stand before what it says."""

    name: str
    type: str
    pointers: int


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
    """`const float *__restrict__ a` is a, one pointer to float."""
    text = QUALIFIERS.sub(" ", text.partition("=")[0])
    name = re.search(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$", text)
    before = text[: name.start()] if name else text
    return Declared(name[1] if name else "", " ".join(before.replace("*", " ").split()), text.count("*") + text.count("["))
