"""Fragments of one pixel are ordered by the output merger, and its writes are writes: who reads a pixel beside it reads too early."""

import numpy as np
import pytest

from tests.machine.device import drawing
from warploom.checks.check import run_checked
from warploom.graphics.original.setup import tile_buffer
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.machine.config.presets import load_config

SIZE = 8
HANDED = "vx_om t4, s5, s6"


def checked(text):
    rng = np.random.default_rng(3)
    primitives = drawing.triangles_of(rng, 40, SIZE)
    tiles, _ = tile_buffer(primitives.boxes, 5)
    buffers = {
        f"colors@{drawing.COLORS:#x}": np.full(SIZE * SIZE, 0xFF000000, np.uint32),
        f"depths@{drawing.DEPTHS:#x}": np.full(SIZE * SIZE, 0xFFFFFFFF, np.uint32),
        f"tiles@{drawing.TILES:#x}": tiles,
        f"primitives@{drawing.PRIMITIVES:#x}": drawing.primitive_buffer(primitives).astype(np.int64).astype(np.uint32),
        "dcr": drawing.registers_of(primitives, SIZE),
    }
    program = load(text.encode(), "vortex-2024", options=Options(path="a.vx", buffers=buffers))
    return run_checked(load_config("vortex-2024"), program, engine="python", schedule=False)


def test_fragments_of_one_pixel_are_no_race():
    report = checked(drawing.shader())
    assert report.result.counters["fragments"] > SIZE * SIZE  # some of one pixel
    assert report.clean, report.findings


@pytest.mark.parametrize("access", ["lw s5, 0(s9)", "sw s5, 0(s9)"])
def test_an_access_of_a_pixel_beside_the_merger_is_one(access):
    every_pixel = f"{HANDED}\nli s9, {drawing.COLORS + 4 * (SIZE * SIZE // 2 + SIZE // 2)}\n{access}"
    report = checked(drawing.shader().replace(HANDED, every_pixel))
    assert not report.clean
    assert "race" in {one.kind for one in report.findings}
