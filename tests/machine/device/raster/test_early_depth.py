"""Early depth test: the same picture with fewer fragments, and where it must not be."""

import numpy as np
import pytest

from tests.machine.device.drawing import draw, triangles_of
from warploom.gpu import GPU
from warploom.graphics import ALPHA_BLENDING, Camera, Depth, Mesh, Pipeline, Scene, StencilFace
from warploom.graphics.machine.drawing import draw_on
from warploom.machine.config.presets import load_config
from warploom.machine.engine.sizes import ConfigError

SIZE = 6


def scene(**pipeline):
    """Two triangles, then two that lie behind them, or through."""
    rng = np.random.default_rng(2)
    corners = rng.uniform(-1.2, 1.2, (2, 2, 3, 3))
    corners[0, ..., 2] *= 0.2
    corners[1, ..., 2] -= 0.7
    state = Pipeline(**pipeline)
    meshes = [Mesh(c.reshape(-1, 3), np.arange(6).reshape(2, 3), colors=rng.uniform(0, 1, (6, 4)), pipeline=state) for c in corners]
    return Scene(meshes, Camera((0, 0, 3), fov=50))


def drawn(one, **settings):
    changes = {name.replace("__", "."): value for name, value in settings.items()}
    return draw_on(GPU("vortex-2024", set=changes, engine="python"), one, SIZE, SIZE)


@pytest.mark.parametrize(
    ("compare", "write", "settings"),
    [
        ("less", True, {}),
        ("less-equal", True, {"gpu__cores": 2}),
        ("greater", True, {"raster__depth_bytes": 0}),
        ("greater-equal", False, {"raster__quads": 2, "raster__ports": 4}),
    ],
)
def test_the_picture_is_that_of_a_late_test(compare, write, settings):
    one = scene(depth=Depth(compare, write=write), blend=ALPHA_BLENDING)
    late, early = (drawn(one, raster__interlock=64, **more) for more in ({}, {"raster__early_depth": True} | settings))
    assert (late.target.color == early.target.color).all()
    assert (late.target.depth_stencil == early.target.depth_stencil).all()
    killed = early.counted("fragments_killed_early")
    assert early.counted("covered_pixels") - killed == early.counted("fragments")
    assert late.counted("fragments_killed_late") == killed + early.counted("fragments_killed_late")
    assert killed > 0
    hits, misses = early.counted("early_depth_cache_hits"), early.counted("early_depth_cache_misses")
    assert hits + misses == early.counted("covered_pixels")
    assert hits == 0 if settings.get("raster__depth_bytes") == 0 else hits > 0


def test_where_a_late_test_would_write_a_stencil_or_might_turn_around_nothing_is_dropped():
    for state in ({"depth": Depth("not-equal")}, {"depth": Depth("less"), "stencil_front": StencilFace(depth_fail_op="invert")}):
        late, early = drawn(scene(**state)), drawn(scene(**state), raster__early_depth=True)
        assert early.counted("fragments_killed_early") == early.counted("early_depth_cache_misses") == 0
        assert (late.target.depth_stencil == early.target.depth_stencil).all()


def test_a_program_whose_host_does_not_allow_it_is_not_tested_early():
    made = draw(triangles_of(np.random.default_rng(3), 4, SIZE), SIZE, merger={5: 2, 6: 1}, raster__early_depth=True)
    assert made.result.counters["fragments_killed_early"] == 0 < made.result.counters["fragments_killed_late"]


def test_a_cache_of_depths_is_lines_and_ways():
    with pytest.raises(ConfigError, match="depth_bytes = 100: not a multiple of"):
        load_config("vortex-2024", {"raster.early_depth": True, "raster.depth_bytes": 100})
