"""Types of C as debugging information describes them: what a parameter is, and which numbers lie in a vector, an array or a structure.

Source: DWARF 5, section 5, "Type Entries".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from warploom.isa.launching import POINTER

MOST_MEMBERS = 256  # of a parameter; one with more is given as bytes
WRAPPERS = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type")
FLOAT, SIGNED = 4, (5, 6)  # DW_ATE_float; DW_ATE_signed and _signed_char


class Member(NamedTuple):
    """A number or a pointer inside a parameter. path: after the parameter's name, as ".x" or ".corner[2].y". offset: in bytes."""

    path: str
    offset: int
    dtype: str


class _Opaque(Exception):
    """Parts of it share their bytes, or bytes are shared by parts: it has no list of numbers."""


def kind_of(die: Any) -> str:
    """What a parameter is: `pointer`, a number's NumPy name, `void`, or the word of the debugging information."""
    bare = bare_type(die)
    if bare is None:
        return "void"
    if bare.tag == "DW_TAG_pointer_type":
        return POINTER
    return base_type(bare) if bare.tag in ("DW_TAG_base_type", "DW_TAG_enumeration_type") else str(bare.tag.removeprefix("DW_TAG_"))


def bare_type(die: Any) -> Any:
    """The type of a parameter, or of what a pointer points to, without the names and qualifiers around it; None for void."""
    while True:
        if "DW_AT_type" in die.attributes:
            die = die.get_DIE_from_attribute("DW_AT_type")
        elif "DW_AT_abstract_origin" in die.attributes:
            die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
            continue
        else:
            return None
        if die.tag not in WRAPPERS:
            return die


def base_type(die: Any) -> str:
    """The NumPy name of a number's type, or of an enumeration's."""
    size = die.attributes["DW_AT_byte_size"].value
    if die.tag == "DW_TAG_enumeration_type":
        below = bare_type(die)
        return base_type(below) if below is not None and below.tag == "DW_TAG_base_type" else f"uint{8 * size}"
    encoding = die.attributes["DW_AT_encoding"].value
    if encoding == FLOAT:
        return f"float{8 * size}"
    return ("int" if encoding in SIGNED else "uint") + str(8 * size)


def members_of(die: Any) -> tuple[Member, ...]:
    """The numbers in a parameter that is a vector or a structure, as they lie in memory; () of any other, and where parts overlap."""
    bare = bare_type(die)
    if bare is None or bare.tag not in ("DW_TAG_array_type", "DW_TAG_structure_type", "DW_TAG_class_type"):
        return ()
    found = []
    try:
        for one in _walk(bare, "", 0):
            found.append(one)
            if len(found) > MOST_MEMBERS:
                return ()
    except _Opaque:
        return ()
    return tuple(found)


def component(index: int, count: int) -> str:
    """The name of a vector's component: x to w, or s0 to sf where there are more than four."""
    return "xyzw"[index] if count <= 4 else f"s{index:x}"


def _walk(die: Any, path: str, start: int) -> Iterator[Member]:
    if die is None:
        raise _Opaque
    if die.tag == "DW_TAG_pointer_type":
        yield Member(path, start, POINTER)
    elif die.tag in ("DW_TAG_base_type", "DW_TAG_enumeration_type"):
        yield Member(path, start, base_type(die))
    elif die.tag in ("DW_TAG_structure_type", "DW_TAG_class_type"):
        for child in die.iter_children():
            if child.tag == "DW_TAG_inheritance" or "DW_AT_data_bit_offset" in child.attributes or "DW_AT_bit_size" in child.attributes:
                raise _Opaque
            if child.tag == "DW_TAG_member" and "DW_AT_data_member_location" in child.attributes:
                name = child.attributes["DW_AT_name"].value.decode("utf-8", "replace") if "DW_AT_name" in child.attributes else ""
                place = start + int(child.attributes["DW_AT_data_member_location"].value)
                yield from _walk(bare_type(child), f"{path}.{name}" if name else path, place)
    elif die.tag == "DW_TAG_array_type":
        element, counts = bare_type(die), [_count(one) for one in die.iter_children() if one.tag == "DW_TAG_subrange_type"]
        yield from _elements(element, counts, path, start, is_vector="DW_AT_GNU_vector" in die.attributes)
    else:
        raise _Opaque


def _elements(element: Any, counts: list[int], path: str, start: int, *, is_vector: bool) -> Iterator[Member]:
    if not counts:
        yield from _walk(element, path, start)
        return
    step = _size(element)
    for count in counts[1:]:
        step *= count
    for index in range(counts[0]):
        name = f"{path}.{component(index, counts[0])}" if is_vector else f"{path}[{index}]"
        yield from _elements(element, counts[1:], name, start + index * step, is_vector=is_vector)


def _count(subrange: Any) -> int:
    attributes = subrange.attributes
    count = attributes["DW_AT_count"].value if "DW_AT_count" in attributes else None
    if count is None and "DW_AT_upper_bound" in attributes:
        count = attributes["DW_AT_upper_bound"].value + 1
    if not isinstance(count, int) or count < 0:
        raise _Opaque
    return count


def _size(die: Any) -> int:
    """How many bytes a type takes. A vector of three has the size of one of four."""
    if die is None:
        raise _Opaque
    if "DW_AT_byte_size" in die.attributes:
        return int(die.attributes["DW_AT_byte_size"].value)
    if die.tag == "DW_TAG_pointer_type":
        return int(die.cu["address_size"])
    if die.tag != "DW_TAG_array_type":
        raise _Opaque
    size = _size(bare_type(die))
    for one in die.iter_children():
        if one.tag == "DW_TAG_subrange_type":
            count = _count(one)
            size *= 4 if count == 3 and "DW_AT_GNU_vector" in die.attributes else count
    return size
