"""Kernels of a C program, and what their parameters are called: read from the debugging information that the compiler leaves.

A kernel's arguments lie in a block in memory, which the runtime (`runtime/kernel.c`) hands on in registers: whole numbers and addresses in
one row, floats in the other, since the calling convention has registers of their own for each.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from warploom.isa.c.debug_types import Member, bare_type, base_type, kind_of, members_of
from warploom.isa.launch import Parameter
from warploom.isa.launching import POINTER, BufferError

BEGIN, END = "__kernels_begin", "__kernels_end"  # the linker's: where kernels lie
MOST = 8  # of whole numbers and addresses, and of floats
CALL, DIMENSION, GRID, BLOCK, WHOLE, FLOATS, HAS_FLOATS = 0, 4, 8, 20, 32, 64, 96  # offsets in the block
BLOCK_BYTES = 100


class CKernel(NamedTuple):
    """A kernel: where it is, and its parameters' names with `pointer`, `int32`, `uint32` or `float32`.

    elements: by name, what a parameter points to, as NumPy calls it; of numbers only. members: by name, what is in a vector or a structure.
    """

    name: str
    address: int
    parameters: tuple[tuple[str, str], ...]
    elements: Mapping[str, str] = MappingProxyType({})
    members: Mapping[str, tuple[Member, ...]] = MappingProxyType({})


def kernels_of(data: bytes, symbols: Mapping[str, int]) -> list[CKernel]:
    """The kernels in an ELF file, by address. None where it has no debugging information, or was built without warploom's linker script."""
    begin, end = symbols.get(BEGIN, 0), symbols.get(END, 0)
    return [one for one in functions_of(data) if begin <= one.address < end] if begin < end else []


def functions_of(data: bytes) -> list[CKernel]:
    """The functions in an ELF file that is relocated, by address, as its debugging information describes them; none where it has none."""
    from elftools.elf.elffile import ELFFile

    found = []
    try:
        elf = ELFFile(io.BytesIO(data))
        units = list(elf.get_dwarf_info(relocate_dwarf_sections=False).iter_CUs()) if elf.has_dwarf_info() else []
        for unit in units:
            for die in unit.get_top_DIE().iter_children():
                low = die.attributes.get("DW_AT_low_pc")
                if die.tag == "DW_TAG_subprogram" and low is not None:
                    found.append(CKernel(_name(die), int(low.value), tuple(_parameters(die)), _elements(die), _members(die)))
    except Exception:  # pyelftools raises what its parsers raise: such a file has no kernels that can be called by name
        return []
    return sorted(found, key=lambda one: one.address)


def _name(die: Any) -> str:
    if "DW_AT_name" in die.attributes:
        return str(die.attributes["DW_AT_name"].value.decode("utf-8", "replace"))
    whose = "DW_AT_specification" if "DW_AT_specification" in die.attributes else "DW_AT_abstract_origin"
    return _name(die.get_DIE_from_attribute(whose))


def _parameters(die: Any) -> list[tuple[str, str]]:
    return [(_name(child), kind_of(child)) for child in die.iter_children() if child.tag == "DW_TAG_formal_parameter"]


def _elements(die: Any) -> dict[str, str]:
    """What the parameters that are pointers to numbers point to, by name."""
    found = {}
    for child in die.iter_children():
        if child.tag == "DW_TAG_formal_parameter":
            pointer = bare_type(child)
            pointed = bare_type(pointer) if pointer is not None and pointer.tag == "DW_TAG_pointer_type" else None
            if pointed is not None and pointed.tag == "DW_TAG_base_type":
                found[_name(child)] = base_type(pointed)
    return found


def _members(die: Any) -> dict[str, tuple[Member, ...]]:
    found = {_name(child): members_of(child) for child in die.iter_children() if child.tag == "DW_TAG_formal_parameter"}
    return {name: members for name, members in found.items() if members}


def layout(kernel: CKernel, path: str) -> tuple[Parameter, ...]:
    """Where each parameter lies in the block. Raises BufferError for what cannot be handed over."""
    found = []
    counts = {WHOLE: 0, FLOATS: 0}
    for name, kind in kernel.parameters:
        if kind not in (POINTER, "float32", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32))):
            raise BufferError(f"{path}: the parameter {name!r} of the kernel {kernel.name!r} is of type {kind}: a kernel takes pointers, "
                              "whole numbers of at most 32 bits, and float")  # fmt: skip
        row = FLOATS if kind == "float32" else WHOLE
        if counts[row] == MOST:
            raise BufferError(f"{path}: the kernel {kernel.name!r} has more than {MOST} parameters that are "
                              f"{'floats' if row == FLOATS else 'whole numbers and pointers'}")  # fmt: skip
        dtype = kind if kind in (POINTER, "float32") else "int32" if kind.startswith("int") else "uint32"
        found.append(Parameter(name, row + 4 * counts[row], dtype))
        counts[row] += 1
    return tuple(found)


def chosen(kernels: Sequence[CKernel], name: str | None, path: str) -> CKernel:
    """The kernel of a name or a number, from 0 in the order of their addresses, or the only one. Raises BufferError."""
    names = [kernel.name for kernel in kernels]
    if name is not None and name.isdecimal() and int(name) < len(kernels):
        return kernels[int(name)]
    if name is not None and name in names:
        return kernels[names.index(name)]
    if name is None and len(kernels) == 1:
        return kernels[0]
    said = f"there is no kernel {name!r}" if name is not None else f"it has {len(kernels)} kernels"
    raise BufferError(f"{path}: {said}; say which one: --launch {names[0]}{''.join(f', or {other}' for other in names[1:])}")
