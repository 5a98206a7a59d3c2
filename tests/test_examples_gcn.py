"""The examples, as they are given and beside NumPy."""

import numpy as np
import pytest

from tests.places import EXAMPLES
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import load_with_warnings
from warploom.isa.launching import read_buffer

LANES = np.arange(64)


def run(name, engine="python", **options):
    program, warnings = load_with_warnings(EXAMPLES / "gcn" / f"{name}.gcn", None, Options(f"{name}.gcn", **options))
    assert warnings == []
    result = GPU("gcn", engine=engine).run(program)
    assert result.status == "done", str(result)
    return lambda buffer: read_buffer(program, result.memory, buffer)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_branches_and_loops(engine):
    x = np.arange(128)
    assert run("if", engine)("out").tolist() == np.where(x & 1, x + 100, x).tolist()
    assert run("loop", engine)("out").tolist() == [sum(range(lane & 15, 16)) for lane in range(64)]
    assert run("if_else", engine)("out").tolist() == (np.where(LANES < 16, LANES + 100, LANES - 7) & 0xFFFFFFFF).tolist()
    out = run("fork_join", engine)("out")
    assert out[:64].tolist() == np.select([LANES < 8, LANES < 24], [LANES + 100, LANES * 16], LANES + 7).tolist()
    assert out[64:].tolist() == np.select([LANES < 8, LANES < 24], [1, 2], 3).tolist()  # the smaller side first


def test_saxpy_leaves_out_what_is_behind_the_last_element():
    random = np.random.default_rng(1)
    x, y = (random.integers(-50, 50, 256).astype(np.float32) for _ in range(2))
    found = run("saxpy", buffers={"x": x, "y": y}, arguments={"a": 3.0, "n": 77})("y").view(np.float32)
    assert found.tolist() == np.where(np.arange(256) < 77, 3 * x + y, y).tolist()


def test_a_sum_of_four_waves():
    assert run("reduction")("out").tolist() == [sum(range(256))]


def test_a_product_in_tiles():
    random = np.random.default_rng(2)
    a, b = (random.integers(-9, 9, (24, 24)).astype(np.float32) for _ in range(2))
    c = np.zeros(24 * 24, np.float32)
    buffers = {"a": a.ravel(), "b": b.ravel(), "c": c}
    found = run("tiled_product", buffers=buffers, arguments={"n": 24}, grid=(3, 3), block=(8, 8))("c").view(np.float32)
    assert found.tolist() == (a @ b).ravel().tolist()


def test_mandelbrot():
    expected = []
    for y in range(16):
        for x in range(16):
            cx, cy = np.float32(x) * np.float32(0.1875) - np.float32(2), np.float32(y) * np.float32(0.1875) - np.float32(1.5)
            zx = zy = np.float32(0)
            count = 0
            while count < 32 and zx * zx + zy * zy < 4:
                zx, zy = zx * zx - zy * zy + cx, np.float32(np.float64(zx * zy) * 2 + np.float64(cy))
                count += 1
            expected.append(count)
    assert run("mandelbrot")("out").tolist() == expected
