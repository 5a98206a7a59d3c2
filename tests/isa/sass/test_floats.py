"""Double precision rounded up, down and towards zero, against exact fractions."""

import math
from fractions import Fraction

import numpy as np

from tests.isa.sass.places import GOLDEN
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer

LANES = 32


def _rounded(exact, way):
    near = float(exact)
    if way == "up" and near < exact:
        return math.nextafter(near, math.inf)
    if way == "down" and near > exact:
        return math.nextafter(near, -math.inf)
    if way == "zero" and abs(Fraction(near)) > abs(exact):
        return math.nextafter(near, 0.0)
    return near


def test_doubles_are_rounded_in_every_direction():
    random = np.random.default_rng(3)
    scale = 10.0 ** random.integers(-20, 20, (2, LANES))
    a, b = (random.random((2, LANES)) - 0.5) * scale
    c = np.where(np.arange(LANES, dtype=np.int64) % 3 == 0, random.random(LANES), -(a * b) * (1 + random.random(LANES) * 1e-15))
    buffers = {f"p{number}": values.view(np.uint32) for number, values in enumerate((a, b, c))} | {"p3": np.zeros(14 * LANES, np.uint32)}
    path = str(GOLDEN / "rounding_sm_80.cubin")
    program, warnings = open_source(path, None, Options(path, grid=1, block=LANES, arguments={"p4": LANES}, buffers=buffers))
    assert list(warnings) == []
    result = GPU("sm", engine="python").run(program)
    found = read_buffer(program, result.memory, "p3").view(np.float64).reshape(7, LANES)
    ways = [("up", "mul"), ("down", "mul"), ("zero", "mul"), ("up", "add"), ("down", "add"), ("up", "fma"), ("zero", "fma")]
    for row, (way, name) in zip(found.tolist(), ways, strict=True):
        for lane in range(LANES):
            x, y, z = (Fraction(float(values[lane])) for values in (a, b, c))
            exact = {"mul": x * y, "add": x + y, "fma": x * y + z}[name]
            assert row[lane] == _rounded(exact, way), (way, name, lane)
