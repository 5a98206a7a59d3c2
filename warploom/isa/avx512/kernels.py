"""Kernels in C for AVX-512: the registers in which a kernel finds its parameters.

A kernel begins with the mask of the lanes that there are and the numbers of their threads (`mask active, vint thread` of <lanes.h>): by
the calling convention they are in edi and zmm0. Whole numbers and pointers follow in esi, edx, ecx, r8 and r9, floats in xmm1 to xmm7. Each
lies as a word in the launch's arguments, in the order of the parameters, and is loaded before the kernel begins.
Source: System V ABI, AMD64 supplement, "Parameter Passing".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from warploom.isa.avx512.registers import RDX, RSI
from warploom.isa.c.parameters import CKernel
from warploom.isa.launch import Parameter
from warploom.isa.launching import POINTER, BufferError

LEADING = ("uint16", "array_type")  # how debugging information calls a mask and a vector
WHOLE, FLOATS = (RSI, RDX, 1, 8, 9), (1, 2, 3, 4, 5, 6, 7)
_KINDS = (POINTER, "float32", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32)))


class Place(NamedTuple):
    """Where a parameter is when the kernel begins: a general register, or a vector register for a float."""

    parameter: Parameter
    register: int
    is_float: bool


def places_of(kernel: CKernel, path: str) -> tuple[Place, ...]:
    """Where a kernel finds its parameters. Raises BufferError for what cannot be handed over."""
    if tuple(kind for _, kind in kernel.parameters[:2]) != LEADING:
        written = f"kernel void {kernel.name}(mask active, vint thread, ...)"
        raise BufferError(f"{path}: the kernel {kernel.name!r} begins with the mask and the numbers of its threads: {written}")
    found: list[Place] = []
    left: dict[bool, Sequence[int]] = {False: WHOLE, True: FLOATS}
    for name, kind in kernel.parameters[2:]:
        if kind not in _KINDS:
            raise BufferError(f"{path}: the parameter {name!r} of the kernel {kernel.name!r} is of type {kind}: after its first two "
                              "parameters a kernel takes pointers, whole numbers of at most 32 bits, and float")  # fmt: skip
        is_float = kind == "float32"
        if not left[is_float]:
            what = f"{len(FLOATS)} floats" if is_float else f"{len(WHOLE)} whole numbers and pointers"
            raise BufferError(f"{path}: the kernel {kernel.name!r} has more than {what} after its first two parameters")
        dtype = kind if kind in (POINTER, "float32") else "int32" if kind.startswith("int") else "uint32"
        found.append(Place(Parameter(name, 4 * len(found), dtype), left[is_float][0], is_float))
        left[is_float] = left[is_float][1:]
    return tuple(found)
