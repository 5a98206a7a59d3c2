"""Raster engine and output merger, which Vortex of 2024 has when it is built with graphics: their instructions and their registers.

In hardware: `vx_rast` takes a quad of a triangle for each lane, and fills thirteen control registers of that lane; `vx_om` hands a fragment
of each lane to the output merger. What is drawn, where to, and by which rules, the host has written into device configuration registers
before the start: here the buffer `dcr`, pairs of a number and a value.
Source: github.com/vortexgpgpu/skybox d06a998 (2024-08), hw/rtl/VX_types.vh and VX_decode.sv, kernel/include/vx_intrinsics.h.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from warploom.isa.riscv.csr import Csr, Reads
from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import Instruction, Operands
from warploom.isa.riscv.registers import QUAD
from warploom.isa.uop import QUAD_REGISTERS, Uop
from warploom.isa.vortex.generation import Generation

FIRST_CSR = 0x7C0
FIRST_DCR, REGISTERS = 0x1C, 25  # six of the raster engine, eighteen of the output merger, and whether an early depth test is allowed
PIXELS = 4


def _rast(o: Operands) -> list[Uop]:
    return [Uop("take_quad", dst=QUAD), Uop("mov", dst=o.rd, a=QUAD)]


def _om(o: Operands) -> list[Uop]:
    return [Uop("merge", a=o.rs1, b=o.rs2, c=o["rs3"])]


def rows(generation: Generation) -> tuple[Instruction, ...]:
    """The instructions of a generation that has these units."""
    if generation.number != 2024:
        return ()
    return (
        Instruction(
            "vx_rast", "graphics", Encoding("0000001 00000 00000 000 rd 0001011"), "rd",
            "rd = triangle << 1 | 1 of the next quad, which the raster engine puts into registers raster_...; 0: there is none", _rast,
        ),
        Instruction(
            "vx_om", "graphics", Encoding("rs3 00 rs2 rs1 001 00000 0101011"), "rs1, rs2, rs3",
            "the output merger takes a fragment at rs1 = y << 16 | x << 1 | face, of colour rs2 and depth rs3", _om,
        ),
    )  # fmt: skip


def csrs(generation: Generation) -> list[Csr]:
    """The control registers that hold a lane's quad."""
    if generation.number != 2024:
        return []
    found = [Csr(FIRST_CSR, "raster_pos_mask", "row << 18 | column << 4 | covered pixels of the quad", _of_quad(1), of_value=True)]
    for edge, name in enumerate("xyz"):
        for pixel in range(PIXELS):
            place = 1 + PIXELS * edge + pixel
            meaning = f"value of edge {edge} at pixel {pixel} of the quad"
            found.append(Csr(FIRST_CSR + place, f"raster_bcoord_{name}{pixel}", meaning, _of_quad(1 + place), of_value=True))
    assert len(found) == QUAD_REGISTERS - 1
    return found


def _of_quad(place: int) -> Reads:
    return lambda to: [Uop("mov", dst=to, a=QUAD + place)]


def is_register(number: int) -> bool:
    """Whether a device configuration register is one of these units'."""
    return FIRST_DCR <= number < FIRST_DCR + REGISTERS


def registers(dcr: Sequence[int] | np.ndarray) -> tuple[int, ...]:
    """The units' registers, all of 32 bits, from what a host writes: numbers and values, in turn. () where it writes none of them."""
    found: dict[int, int] = {}
    given = np.asarray(dcr).ravel().astype(np.int64)
    for number, value in given[: len(given) // 2 * 2].reshape(-1, 2).tolist():
        if is_register(number):
            found[number - FIRST_DCR] = value & 0xFFFFFFFF
    return tuple(found.get(place, 0) for place in range(REGISTERS)) if found else ()
