"""The text of the shader: it has no instruction that the machine lacks, and asks for no register twice."""

import re

from warploom.graphics.machine.shader import shader
from warploom.isa import load
from warploom.isa.frontend import Options


def test_it_assembles_and_shades_four_pixels():
    program = load(shader().encode(), "vortex-2024", options=Options(path="shader.vx"))
    assert sum(text.startswith("vx_om") for text in program.text) == 4
    assert sum(text.startswith("vx_rast") for text in program.text) == 1
    assert not program.refused
    assert len(set(re.findall(r"raster_bcoord_\w\d", shader()))) == 12
