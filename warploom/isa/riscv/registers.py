"""Registers of a RISC-V thread, as lane registers of the machine.

x0 to x31 are the lane registers 0 to 31, f0 to f31 the next 32. x0 is never written: what an instruction writes to it goes where
nobody looks. After them come the rounding mode and the flags of floats, what a load-reserved remembers, which no instruction names, and
of a program that draws a quad.
Source: RISC-V Unprivileged Specification 20240411; names: RISC-V ABIs Specification, "Register Convention".
"""

from __future__ import annotations

from warploom.isa.uop import HIDDEN, QUAD_REGISTERS, RAY_REGISTERS, SCALAR

INTEGER_NAMES = (
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", *(f"a{n}" for n in range(8)),
    *(f"s{n}" for n in range(2, 12)), *(f"t{n}" for n in range(3, 7)),
)  # fmt: skip
FLOAT_NAMES = (
    *(f"ft{n}" for n in range(8)), "fs0", "fs1", *(f"fa{n}" for n in range(8)),
    *(f"fs{n}" for n in range(2, 12)), *(f"ft{n}" for n in range(8, 12)),
)  # fmt: skip
FLOATS = 32  # the lane register of f0
ROUNDING_MODE, FLAGS, RESERVED_ADDRESS, RESERVED_VALUE = range(64, 68)
REGISTERS = 68
QUAD = REGISTERS  # from here on, of Vortex: the quad that the raster engine has handed out last
RAY = QUAD + QUAD_REGISTERS  # ... and what the ray unit has answered last
REGISTER_NAMES = (*INTEGER_NAMES, *FLOAT_NAMES, "frm", "fflags", "", "", *[""] * (QUAD_REGISTERS + RAY_REGISTERS))

INTEGER_NUMBER = {name: number for number, name in enumerate(INTEGER_NAMES)} | {f"x{n}": n for n in range(32)} | {"fp": 8}
FLOAT_NUMBER = {name: number for number, name in enumerate(FLOAT_NAMES)} | {f"f{n}": n for n in range(32)}

WARP_ROUNDING_MODE, WARP_FLAGS = SCALAR + 4, SCALAR + 5  # where they belong to a warp; below are pairs for use inside an instruction

RA, SP, A0 = 1, 2, 10
TEMPORARY = HIDDEN  # hidden registers from here on, inside an instruction
SINK = HIDDEN + 32  # takes what an instruction writes to x0


def written(number: int) -> int:
    """The lane register that a write to x`number` goes to."""
    return number or SINK
