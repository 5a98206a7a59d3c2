"""What debug information says of a function: its parameters, its variables with where they are, its arrays in shared memory.

A variable is described by pieces: a whole one has one, of a struct that the compiler has split each member is one of its own (`p.x`).

Source: DWARF Debugging Information Format, version 4, sections 2.5 (expressions), 2.6 (locations) and 4.1 (variables); registers of PTX
are the characters of their names, as LLVM's back end for it writes them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError
from elftools.construct import ConstructError
from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.dwarf.locationlists import LocationEntry, LocationExpr, LocationParser

from warploom.isa.views import ViewShape
from warploom.ptx.debug.said import Described, Held, Piece, SharedArray
from warploom.ptx.debug.sections import Sections

UNREADABLE = (DWARFError, ELFError, ConstructError, ValueError, LookupError, AttributeError, TypeError, AssertionError, struct.error)
SCOPES = ("DW_TAG_lexical_block", "DW_TAG_inlined_subroutine")
NAMED = ("DW_TAG_variable", "DW_TAG_formal_parameter")
THROUGH = ("DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_typedef", "DW_TAG_restrict_type")
KINDS = {2: "b", 4: "f", 5: "i", 6: "i", 7: "u", 8: "u"}  # encodings of base types
LINKAGE = ("DW_AT_MIPS_linkage_name", "DW_AT_linkage_name", "DW_AT_name")
MOST_MEMBERS = 64  # of a struct that is looked into


class Reader:
    """Reads what is said of a text's functions. What cannot be read says nothing."""

    def __init__(self, text: str) -> None:
        self._functions: dict[str, Any] = {}
        with suppress(*UNREADABLE):
            self._sections = Sections(text)
            dwarf = self._sections.dwarf()
            self._lists = LocationParser(dwarf.location_lists())
            for unit in dwarf.iter_CUs():
                for one in unit.get_top_DIE().iter_children():
                    if one.tag == "DW_TAG_subprogram" and "DW_AT_low_pc" in one.attributes:
                        self._functions[next(filter(None, (_text(one, name) for name in LINKAGE)), "")] = one

    def of(self, function: str) -> Described:
        """What is said of a function, by its name in the text."""
        with suppress(*UNREADABLE):
            return self._described(self._functions[function])
        return Described()

    def _described(self, function: Any) -> Described:
        pieces: list[Piece] = []
        arrays: list[SharedArray] = []
        parameters = tuple(_text(one, "DW_AT_name") for one in function.iter_children() if one.tag == "DW_TAG_formal_parameter")
        for one, prefix in _variables(function, ""):
            name = prefix + _text(one, "DW_AT_name")
            if name == prefix or "DW_AT_location" not in one.attributes:
                continue
            where = self._where(one)
            if (symbol := self._symbol(where)) is not None:
                arrays += [SharedArray(symbol, name, shape) for shape in [_shape(_type(one))] if shape is not None]
            else:
                pieces += self._pieces(name, _type(one), where)
        return Described(parameters, tuple(pieces), tuple(arrays))

    def _where(self, one: Any) -> list[tuple[int, int, list[Any]]]:
        """(first line, line after the last, operations) of all places of a variable; one of the first line 0 holds everywhere."""
        attribute, unit = one.attributes["DW_AT_location"], one.cu
        found = self._lists.parse_from_attribute(attribute, unit["version"], one)
        parser = DWARFExprParser(unit.structs)
        if isinstance(found, LocationExpr):
            return [(0, 1 << 31, parser.parse_expr(found.loc_expr))]
        entries = [entry for entry in found if isinstance(entry, LocationEntry)]
        return [(entry.begin_offset, entry.end_offset, parser.parse_expr(entry.loc_expr)) for entry in entries]

    def _symbol(self, where: list[tuple[int, int, list[Any]]]) -> str | None:
        """The variable of the text that something is, where it lies in memory."""
        if len(where) == 1 and len(where[0][2]) == 1 and where[0][2][0].op_name == "DW_OP_addr":
            return self._sections.symbols.get(where[0][2][0].args[0])
        return None

    def _pieces(self, name: str, type: Any, where: list[tuple[int, int, list[Any]]]) -> Iterator[Piece]:
        members = list(_members(name, type, 0))
        places = [(first, stop, *part) for first, stop, operations in where for part in _parts(operations, _bytes(type))]
        for offset, size, member, kind in members:
            held = tuple(
                Held(first, stop, register, number)
                for first, stop, begin, length, register, number in places
                if begin == offset and length >= size and (length == size or len(members) == 1)
            )
            if held:
                yield Piece(member, kind, size, held, len(held) == 1 and held[0].first == 0)


def _variables(scope: Any, prefix: str) -> Iterator[tuple[Any, str]]:
    """All variables in a function, and what stands in front of their names: of an inlined function's, that one's name."""
    for one in scope.iter_children():
        if one.tag in NAMED:
            yield one, prefix
        elif one.tag in SCOPES:
            inner = f"{_text(one, 'DW_AT_name')}." if one.tag == "DW_TAG_inlined_subroutine" else prefix
            yield from _variables(one, inner)


def _text(one: Any, attribute: str) -> str:
    """A name, which may stand with what something was made of, or with its declaration."""
    while one is not None:
        if attribute in one.attributes:
            return str(one.attributes[attribute].value.decode(errors="replace"))
        one = _origin(one)
    return ""


def _origin(one: Any) -> Any:
    link = next((name for name in ("DW_AT_abstract_origin", "DW_AT_specification") if name in one.attributes), None)
    return one.get_DIE_from_attribute(link) if link else None


def _type(one: Any) -> Any:
    """The type of something, without names and qualifiers; None for void."""
    while one is not None and "DW_AT_type" not in one.attributes:
        one = _origin(one)
    if one is None:
        return None
    found = one.get_DIE_from_attribute("DW_AT_type")
    return _type(found) if found.tag in THROUGH else found


def _bytes(type: Any) -> int:
    if type is None:
        return 0
    if type.tag in ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"):
        return 8
    if type.tag == "DW_TAG_array_type":
        count = 1
        for extent in _extents(type):
            count *= extent
        return count * _bytes(_type(type))
    return int(type.attributes["DW_AT_byte_size"].value) if "DW_AT_byte_size" in type.attributes else 0


def _extents(type: Any) -> tuple[int, ...]:
    return tuple(_extent(one.attributes) for one in type.iter_children() if one.tag == "DW_TAG_subrange_type")


def _extent(said: Any) -> int:
    if "DW_AT_count" in said:
        return int(said["DW_AT_count"].value)
    return int(said["DW_AT_upper_bound"].value) + 1 if "DW_AT_upper_bound" in said else 0


def _kind(type: Any) -> str:
    """How a person reads a number of a type; "" for anything but a number."""
    if type is None:
        return ""
    if type.tag == "DW_TAG_base_type":
        return KINDS.get(int(type.attributes["DW_AT_encoding"].value), "")
    if type.tag == "DW_TAG_enumeration_type":
        return "i"
    return "u" if _bytes(type) == 8 and type.tag.endswith(("pointer_type", "reference_type")) else ""


def _members(name: str, type: Any, offset: int) -> Iterator[tuple[int, int, str, str]]:
    """(first byte, bytes, name, kind) of all numbers in a variable."""
    if kind := _kind(type):
        yield offset, _bytes(type), name, kind
    elif type is not None and type.tag in ("DW_TAG_structure_type", "DW_TAG_class_type"):
        for one in type.iter_children():
            if one.tag == "DW_TAG_member" and "DW_AT_data_member_location" in one.attributes:
                at = one.attributes["DW_AT_data_member_location"].value
                at = at[-1] if isinstance(at, list) else at
                yield from _members(f"{name}.{_text(one, 'DW_AT_name')}", _type(one), offset + int(at))
    elif type is not None and type.tag == "DW_TAG_array_type" and len(_extents(type)) == 1:
        size = _bytes(_type(type))
        for index in range(min(_extents(type)[0], MOST_MEMBERS)):
            yield from _members(f"{name}[{index}]", _type(type), offset + index * size)


def _shape(type: Any) -> ViewShape | None:
    """What an array holds, where that is numbers."""
    if type is None or type.tag != "DW_TAG_array_type" or not (extents := _extents(type)) or 0 in extents:
        return None
    kind = _kind(_type(type))
    return ViewShape(extents, _bytes(_type(type)), kind == "f", kind in ("i", "u", "b"), kind == "i") if kind else None


def _parts(operations: list[Any], size: int) -> Iterator[tuple[int, int, str, int | None]]:
    """(first byte, bytes, register, number) of the pieces that an expression is made of."""
    begin = 0
    simple: list[Any] = []
    pieces = False
    for one in operations:
        if one.op_name == "DW_OP_piece":
            yield begin, one.args[0], *_simple(simple)
            begin, simple, pieces = begin + one.args[0], [], True
        else:
            simple.append(one)
    if not pieces:
        yield 0, size, *_simple(simple)


def _simple(operations: list[Any]) -> tuple[str, int | None]:
    """The register, or the number, that operations give; neither for anything that is computed."""
    kept = [one for one in operations if one.op_name != "DW_OP_stack_value"]
    if len(kept) != 1:
        return "", None
    name, arguments = kept[0].op_name, kept[0].args
    if name == "DW_OP_regx":
        return register_name(arguments[0]), None
    if name.startswith("DW_OP_lit"):
        return "", int(name.removeprefix("DW_OP_lit"))
    if name.startswith("DW_OP_const"):
        return "", int(arguments[0])
    if name == "DW_OP_implicit_value":
        return "", int.from_bytes(bytes(arguments[0]), "little")
    return "", None


def register_name(number: int) -> str:
    """A register's name, of which DWARF's number is the characters."""
    return number.to_bytes(8, "big").lstrip(b"\0").decode("ascii", errors="replace")
