"""Raster engine and merger in software, in the shader, against the units."""

import ctypes
import importlib.util
import random
import sys

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.graphics import ALPHA_BLENDING, Blend, BlendPart, Camera, Depth, GraphicsError, Mesh, Pipeline, Scene, StencilFace
from warploom.graphics.machine.calls import merger_registers
from warploom.graphics.machine.drawing import draw_on
from warploom.graphics.state import merger_of
from warploom.isa.c.compiler import RUNTIME, run_compiler
from warploom.machine.engine.unit import mirror
from warploom.machine.merger.fragment import merge
from warploom.machine.merger.registers import BLEND_MODES, COMPARES, FACTORS, LOGIC_OPERATIONS, STENCIL_OPERATIONS

pytestmark = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="the package ziglang is not installed")
SIZE = 8
HOST = """#include <warploom_software.h>
void run(unsigned *color, unsigned *depth, const unsigned *om, int count, const unsigned *given) {
  warploom_units_t s = {0, 0, 0, 0, 0, 0, 0, 0, color, depth, 1, {0}};
  for (int k = 0; k < 18; ++k) s.om[k] = om[k];
  for (int n = 0; n < count; ++n) warploom_merge(&s, 0, 0, given[3 * n], given[3 * n + 1], given[3 * n + 2]);
}
"""


@pytest.fixture(scope="module")
def merger(tmp_path_factory):
    """The merger in software, as a library of the host."""
    folder = tmp_path_factory.mktemp("merger")
    (folder / "merger.c").write_text(HOST)
    flags = ["-O1", "-shared", "-nostdlib", "-fPIC", "-I", str(RUNTIME / "include")]
    made = str(folder / "merger.so")
    run_compiler([sys.executable, "-P", "-m", "ziglang", "cc", *flags, str(folder / "merger.c"), "-o", made], "merger.c", str(folder))
    return ctypes.CDLL(made).run


def state(numbers):
    """A random pipeline: each of its functions comes up."""

    def face():
        pick = [numbers.choice(STENCIL_OPERATIONS) for _ in range(3)]
        return StencilFace(numbers.choice(COMPARES), *pick, *(numbers.choice([0, 255, numbers.randrange(256)]) for _ in range(3)))

    def part():
        return BlendPart(
            numbers.choice(["add", "subtract", "reverse-subtract", "min", "max"]), numbers.choice(FACTORS), numbers.choice(FACTORS)
        )

    logic = numbers.choice(["", "", numbers.choice(LOGIC_OPERATIONS)])
    blend = numbers.choice([Blend(), Blend(part(), part(), tuple(numbers.randrange(256) for _ in range(4)), logic)])
    depth = numbers.choice([None, Depth(numbers.choice(COMPARES), numbers.random() < 0.7)])
    faces = numbers.choice([(None, None), (face(), face()), (face(), None)])
    return Pipeline(depth, *faces, blend, "".join(numbers.sample("rgba", numbers.randrange(5))))


def test_the_merger_in_software_does_what_the_unit_does(merger):
    numbers = random.Random(3)
    assert set(BLEND_MODES) >= {"add", "subtract", "reverse-subtract", "min", "max", "logic"}
    for _ in range(400):
        pipeline = state(numbers)
        registers = np.array(merger_registers(pipeline, 0, 0, 1), np.uint32)
        given = np.array([[numbers.randrange(2), numbers.choice([0, 2**32 - 1, numbers.randrange(1 << 32)]), numbers.randrange(4) << 22]
                          for _ in range(6)], np.uint32)  # fmt: skip
        color, depth = (np.array([numbers.randrange(1 << 32)], np.uint32) for _ in range(2))
        right, right_depth = color.copy(), depth.copy()
        merger(*(one.ctypes.data_as(ctypes.c_void_p) for one in (color, depth, registers)), 6, given.ctypes.data_as(ctypes.c_void_p))
        unit = mirror(merger_of(pipeline))[0]
        for face, source, far in given.tolist():
            merge(unit, right, right_depth, 0, face, source, far)
        assert (color[0], depth[0]) == (right[0], right_depth[0]), pipeline


def scene():
    """Translucent triangles across each other, one of which shares an edge through pixel centres."""
    corners = [[-1, 1, 0], [-1, -1, 0], [1, -1, 0], [1, 1, 0], [-0.9, -0.7, 0.3], [0.8, -0.3, -0.4], [0.1, 0.9, 0.2]]
    colors = [[1, 0, 0, 0.5], [0, 1, 0, 0.75], [0, 0, 1, 0.25], [1, 1, 0, 0.5], [0, 1, 1, 0.8], [1, 0, 1, 0.3], [1, 1, 1, 0.6]]
    pipeline = Pipeline(Depth("less-equal"), StencilFace("always", "increment-clamp"), blend=ALPHA_BLENDING)
    return Scene(Mesh(corners, [[0, 1, 2], [0, 2, 3], [4, 5, 6]], colors=colors, pipeline=pipeline), Camera((0, 0, 1.2), fov=80))


@pytest.mark.parametrize(
    ("software", "rule", "size"),
    [
        pytest.param("raster", "top-left", SIZE, marks=pytest.mark.slow),
        pytest.param("all", "inclusive", SIZE, marks=pytest.mark.slow),
        ("all", "top-left", 2),
    ],
)
def test_pictures_are_those_of_the_units(software, rule, size):
    gpu = GPU("vortex-2024", engine="python", set={"core.divergence": "stack", "raster.rule": rule, "raster.tile": 8})
    units, made = (draw_on(gpu, scene(), size, size, software=one, fragment="lit") for one in ("units", software))
    assert (made.target.color == units.target.color).all() and (made.target.depth_stencil == units.target.depth_stencil).all()
    assert made.counted("quads") == 0 and (made.counted("fragments") == 0) == (software == "all")
    assert made.counted("instructions") > units.counted("instructions")


def test_shaders_in_python_are_refused():
    with pytest.raises(GraphicsError, match="software in shaders in C alone: this one is in Python"):
        draw_on(GPU("vortex-2024", engine="python"), scene(), SIZE, SIZE, software="all", fragment=lambda f, u: f.color)
