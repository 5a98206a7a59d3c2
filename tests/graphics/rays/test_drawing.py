"""A scene drawn by rays is the picture that the raster engine draws; only at silhouettes it may differ, by the snapping of corners."""

import runpy

import numpy as np
import pytest

from tests.graphics.rays.meshes import sphere
from tests.graphics.scenes import checkers, garden
from tests.places import EXAMPLES
from warploom.gpu import GPU
from warploom.graphics import ALPHA_BLENDING, Camera, Depth, GraphicsError, Light, Mesh, Pipeline, Scene, Shading, draw
from warploom.graphics.camera import clip_matrix
from warploom.graphics.rays.drawing import draw_by_rays
from warploom.graphics.rays.on_machine import MachineTracer

SNAPPING = 0.75 / 256  # pixels: half a step in x and in y


def apart(raster, rays):
    """Pixels that only one of two pictures covers, and the largest difference of a channel elsewhere."""
    shape = (raster.target.height, raster.target.width)
    edge = rays.covered != (raster.target.shaded.reshape(shape) > 0)
    difference = np.abs(raster.target.pixels().astype(int) - rays.target.pixels()).max(axis=2)
    return edge, difference


def distance_to_edges(scene, camera, width, height, x, y):
    """Of a pixel's centre, to the nearest edge of any triangle as it is seen; pixels."""
    matrix, best = clip_matrix(scene, camera, width, height), np.inf
    for mesh in scene.meshes:
        clip = np.concatenate([mesh.world(), np.ones((len(mesh.positions), 1))], axis=1) @ matrix.T
        seen = (clip[:, :2] / clip[:, 3:] * [1, -1] + 1) * [width / 2, height / 2]
        for first in range(3):
            a, b = seen[mesh.triangles[:, first]], seen[mesh.triangles[:, (first + 1) % 3]]
            along, to = b - a, np.array([x + 0.5, y + 0.5]) - a
            share = np.clip((along * to).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-30), 0, 1)
            best = min(best, np.sqrt(((to - along * share[:, None]) ** 2).sum(axis=1)).min())
    return best


@pytest.mark.parametrize("seed", range(3))
def test_silhouettes_differ_only_where_a_centre_lies_within_the_snapping_of_an_edge(seed):
    numbers = np.random.default_rng(seed)
    points = numbers.uniform(-1, 1, (90, 3))
    points[::2] = np.round(points[::2] * 8) / 8
    scene = Scene(Mesh(points, numbers.integers(90, size=(60, 3)), colors=numbers.uniform(0, 1, (90, 3))), Camera((0, 0, 8), fov=30))
    width, height = 96, 64
    raster, rays = draw(scene, width, height), draw_by_rays(scene, width, height, engine="native")
    edge, difference = apart(raster, rays)
    for y, x in np.argwhere(edge).tolist():
        assert distance_to_edges(scene, scene.camera, width, height, x, y) < SNAPPING
    assert (difference > 0).mean() < 0.2 and 500 < rays.covered.sum() < width * height


def test_textures_light_layers_and_depth_are_those_of_the_raster_engine():
    glass = Pipeline(Depth("less", write=False), blend=ALPHA_BLENDING, cull_mode="back")
    ball = sphere(8, 0.8, (1.5, 1, 1.5)).reshape(-1, 3)
    hole = checkers(8, 2)
    hole.pixels[..., 3] = hole.pixels[..., 0]
    fence = Mesh([[0, 0, 2.5], [3, 0, 2.5], [3, 2, 2.5], [0, 2, 2.5]], [[0, 1, 2], [0, 2, 3]], [[0, 1], [1, 1], [1, 0], [0, 0]],
                 shading=Shading(texture=hole, cutoff=0.5))  # fmt: skip
    scene = Scene(
        [garden(), fence, Mesh(ball, pipeline=glass, shading=Shading((0.3, 0.6, 1, 0.5), lit=True))], Camera((1, 2, 7)), srgb=True
    )
    raster, rays = draw(scene, 61, 47), draw_by_rays(scene, 61, 47, engine="native")
    edge, difference = apart(raster, rays)
    assert edge.sum() <= 2 and (difference > 6).sum() <= 6
    depths = [drawn.target.depth_stencil.astype(np.int64) & 0xFFFFFF for drawn in (raster, rays)]
    assert (np.abs(depths[0] - depths[1]) > 20_000).sum() <= 6
    assert rays.counts["rays"] > 61 * 47  # some go on, behind the glass and through the fence


def test_engines_branches_and_stacks_draw_the_same_picture():
    other = Mesh([[0, 0, 1], [2, 0, 1], [1, 2, 1]], colors=[[1, 0, 0]] * 3, pipeline=Pipeline(blend=ALPHA_BLENDING))
    scene = Scene([garden(3), other])
    pictures = {
        draw_by_rays(scene, 12, 9, engine=engine, branches=branches, stack=stack).target.color.tobytes()
        for engine, branches, stack in (("python", 4, 16), ("native", 4, 16), ("native", 2, 1), ("native", 6, 2))
    }
    assert len(pictures) == 1


def test_the_size_of_a_scene_changes_nothing():
    pictures = set()
    for exponent in (-90, 0, 90):
        mesh = garden(3)
        mesh.positions = mesh.positions * 2.0**exponent
        pictures.add(draw_by_rays(Scene(mesh), 12, 12, engine="native").target.color.tobytes())
    assert len(pictures) == 1


def test_what_rays_do_not_do_is_said():
    mesh = garden(2)
    mesh.pipeline = Pipeline(depth=None)
    warned = draw_by_rays(Scene(mesh), 4, 4, engine="python").warnings
    assert warned == ("by rays the nearest is seen; hills is drawn in its own order by the raster engine",)
    with pytest.raises(GraphicsError, match="a pipeline has no such field"):
        draw_by_rays(Scene(mesh), 4, 4, engine="python", colour=3)


def test_the_example_of_shadows_darkens_what_the_lamp_does_not_reach():
    """A roof over a floor, the lamp straight above: the middle of the floor is dark, its border is not, and the roof neither."""
    names = runpy.run_path(str(EXAMPLES / "graphics" / "shadows.py"), run_name="shadows")
    lit = Shading(lit=True, two_sided=True)

    def square(size, height):
        corners = [[-size, height, -size], [-size, height, size], [size, height, size], [size, height, -size]]
        return Mesh(corners, [[0, 1, 2], [0, 2, 3]], normals=[[0, 1, 0]] * 4, shading=lit)

    scene = Scene([square(4, 0), square(1, 1)], Camera((0, 3, 12), fov=40), Light((0, 1, 0), 0.8, 0.2))
    pixels, count = names["with_shadows"](scene, 40, 40)
    shades = set(pixels[draw(scene, 40, 40).target.depth() < 1][:, 0].tolist())
    assert shades == {51, 255} and 10 < count == (pixels[..., 0] == 51).sum() < 200


def test_a_machine_traces_what_the_host_traces():
    """Clear triangles, culled ones, and several layers too."""
    glass = Pipeline(blend=ALPHA_BLENDING, cull_mode="back")
    ball = Mesh(sphere(4, middle=(0, 2, 0)).reshape(-1, 3), pipeline=glass, shading=Shading((0.3, 0.6, 1, 0.5)))
    scene, tracer = Scene([garden(), ball], Camera((1, 2, 7))), MachineTracer(GPU("sm", set={"rays.cores": 1}))
    host = draw_by_rays(scene, 20, 16)
    machine = draw_by_rays(scene, 20, 16, tracer=tracer)
    assert (host.target.color == machine.target.color).all() and (host.covered == machine.covered).all()
    assert {name: machine.counts[name] for name in ("rays", "fragments", "nodes", "boxes", "tested")} == {
        name: host.counts[name] for name in ("rays", "fragments", "nodes", "boxes", "tested")
    }
    assert tracer.cycles == machine.counts["cycles"] > 0
    with pytest.raises(GraphicsError, match="rays need a ray unit, which sm does not have; use --gpu vortex-2026"):
        MachineTracer(GPU("sm"))
