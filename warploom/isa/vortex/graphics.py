"""The raster unit and the output merger, which Vortex of 2024 has when it is built with graphics, and which is not modelled.

In hardware: the raster unit walks the triangles of a draw and hands out 2x2 pixels; the output merger tests depth and blends colours into
the frame. Their instructions are known here, so that a program with them is refused by what it lacks.
Source: github.com/vortexgpgpu/vortex, hw/rtl/VX_decode.sv and kernel/include/vx_intrinsics.h, 2024-08.
"""

from __future__ import annotations

from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import Instruction, Lowering, Operands, Refusal
from warploom.isa.uop import Uop
from warploom.isa.vortex.generation import Generation


def _refused(unit: str) -> Lowering:
    def lower(_: Operands) -> list[Uop]:
        raise Refusal(f"it needs {unit}, a unit of Vortex for graphics, which is not modelled")

    return lower


def rows(generation: Generation) -> tuple[Instruction, ...]:
    """The instructions of a generation that has these units."""
    if generation.number != 2024:
        return ()
    raster, merger = "the raster unit", "the output merger"
    return (
        Instruction(
            "vx_rast", "graphics", Encoding("0000001 00000 00000 000 rd 0001011"), "rd",
            f"rd = the next four pixels of {raster}; refused", _refused(raster),
        ),
        Instruction(
            "vx_om", "graphics", Encoding("rs3 00 rs2 rs1 001 00000 0101011"), "rs1, rs2, rs3",
            f"{merger} writes color rs2 and depth rs3 at the place rs1; refused", _refused(merger),
        ),
    )  # fmt: skip
