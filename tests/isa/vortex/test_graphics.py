"""Raster engine and output merger as programs see them: the header for C."""

import re
from pathlib import Path

from warploom.isa.c import compiler
from warploom.isa.vortex import graphics
from warploom.machine.merger.registers import BLEND_MODES, COMPARES, FACTORS, LOGIC_OPERATIONS, STENCIL_OPERATIONS


def test_the_header_in_c_has_the_numbers_of_the_tables():
    """Registers in their order, and each enumeration beginning with 0."""
    text = (Path(compiler.__file__).parent / "runtime" / "include" / "vx_graphics.h").read_text()
    registers = [int(number, 16) for number in re.findall(r"#define VX_DCR_\w+ (0x\w+)", text)]
    assert registers == list(range(graphics.FIRST_DCR, graphics.FIRST_DCR + graphics.REGISTERS))
    tables = {"COMPARE": COMPARES, "STENCIL": STENCIL_OPERATIONS, "BLEND": BLEND_MODES, "FACTOR": FACTORS, "LOGIC": LOGIC_OPERATIONS}
    for name, table in tables.items():
        listed = re.findall(rf"VX_OM_{name}_(\w+)", text)
        assert listed == [one.upper().replace("-", "_") for one in table]
