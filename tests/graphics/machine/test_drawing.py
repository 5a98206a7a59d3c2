"""A scene on a machine, against its fragments merged one after the other by the original's formulas."""

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.graphics import ALPHA_BLENDING, Camera, Depth, Light, Mesh, Pipeline, Scene, Shading, StencilFace, Target, Texture, draw
from warploom.graphics.drawing import calls_of
from warploom.graphics.machine.calls import machine_call
from warploom.graphics.machine.drawing import draw_on
from warploom.graphics.original.shader import fragments_of, interpolated, shaded, stamps_of
from warploom.graphics.state import GraphicsError, merger_of
from warploom.machine.engine.unit import mirror
from warploom.machine.merger.fragment import merge

SIZE = 10
CHECKS = Texture((np.indices((4, 4)).sum(axis=0)[..., None] % 2 * 200 + np.array([20, 40, 55, 255])).astype(np.uint8), mag_filter="nearest")
CORNERS = [[-1, -1, 0], [1, -1, 0.3], [0.2, 1, -0.4]]
COLORS = [[1, 0, 0, 1], [0, 1, 0, 0.5], [0, 0, 1, 0.25]]


def scene(texture=None, **pipeline):
    """Two triangles that lie across each other."""
    corners = np.array(CORNERS, float)
    uv = np.array([[0, 0], [1.5, 0], [0.5, 1]])
    shading = Shading(texture=texture)
    state = Pipeline(**pipeline)
    meshes = [
        Mesh(corners * sign, np.array([[0, 1, 2]]), uv, colors=np.array(COLORS, float), shading=shading, pipeline=state) for sign in (1, -1)
    ]
    return Scene(meshes, camera=Camera((0, 0, 3.5)))


def wanted(drawn):
    """The picture that serial work on the same draw calls gives."""
    target = Target(SIZE, SIZE)
    target.clear(drawn.background)
    for _, call in calls_of(drawn, drawn.camera, SIZE, SIZE, {}):
        made = machine_call(call, SIZE, SIZE, target.color, target.depth_stencil, 5, False)
        texture = call.shading.texture
        fragments = fragments_of(made.primitives, stamps_of(made.primitives, SIZE, SIZE))
        values = interpolated(made.primitives, fragments)
        words = next((data for name, data in made.buffers.items() if name.startswith("texels")), None)

        def sample(u, v, words=words):
            """The nearest texel of 4 x 4, repeated: u and v have 23 bits of fraction."""
            return words[(v >> 21 & 3) * 4 + (u >> 21 & 3)]

        colors = shaded(values, sample if texture else None, True)
        state = mirror(merger_of(call.pipeline))[0]
        for x, y, color, z in zip(fragments.x, fragments.y, colors, values[:, 0], strict=True):
            merge(state, target.color, target.depth_stencil, y * SIZE + x, 0, int(color), int(z) & 0xFFFFFF)
    return target


@pytest.mark.parametrize(
    "state",
    [{}, {"depth": Depth("less"), "blend": ALPHA_BLENDING}, {"write_mask": "rb", "cull_mode": "back"}, {"texture": CHECKS}],
    ids=["plain", "blended", "culled", "textured"],
)
def test_the_machine_draws_what_the_formulas_say(state):
    one = scene(**state)
    made = draw_on(GPU("vortex-2024", engine="python"), one, SIZE, SIZE)
    right = wanted(one)
    assert (made.target.color == right.color).all()
    assert (made.target.depth_stencil == right.depth_stencil).all()
    assert made.cycles == sum(result.cycles for _, result in made.results) > 1000
    assert made.counted("fragments") > 20


def test_a_limit_on_cycles_is_said():
    with pytest.raises(GraphicsError, match="the draw call has not ended after 100 cycles; give it more"):
        draw_on(GPU("vortex-2024", engine="python"), scene(), SIZE, SIZE, max_cycles=100)


CAMERA = Camera((0, 0, 1), fov=90, near=0.1, far=10)
SQUARE, HALVES = [[-1, 1, 0], [-1, -1, 0], [1, -1, 0], [1, 1, 0]], [[0, 1, 2], [0, 2, 3]]


def square(scale=1.0, z=0.0, **more):
    return Mesh(np.array(SQUARE) * [scale, scale, 1] + [0, 0, z], HALVES, [[0, 0], [0, 1], [1, 1], [1, 0]], **more)


def ground():
    """A large ground of two triangles, and a wall that stands on it."""
    corners = [[-9, -0.8, 0.5], [9, -0.8, 0.5], [9, -0.8, -9], [-9, -0.8, -9]]
    return [Mesh(corners, HALVES, shading=Shading((0, 1, 0, 1))), square(2, -2, shading=Shading((1, 0, 0, 1)))]


def holes():
    pixels = np.full((2, 2, 4), 255, np.uint8)
    pixels[::2, ::2, 3] = 100
    return [square(shading=Shading((0.9, 0.5, 0.2, 1), Texture(pixels, mag_filter="nearest"), cutoff=0.5))]


SCENES = {
    "a large ground": ground,
    "holes": holes,
    "thin": lambda: [square(shading=Shading((1, 0, 0, 0.4), cutoff=0.5)), square(0.5, shading=Shading((0, 1, 0, 1), cutoff=1.0))],
    "lit from behind": lambda: [square(shading=Shading((1, 1, 1, 1), lit=True, two_sided=True))],
    "nothing in it": lambda: [Mesh([[0, 1, 3], [-1, -1, 3], [1, -1, 3]]), square(0.3)],
    "no area": lambda: [Mesh([[0, 0, 0], [1, 1, 0], [0.5, 0.5, 0]]), square(0.3)],
    "at the far plane": lambda: [square(30, -9.001, shading=Shading((0, 0, 1, 1))), square(0.5)],
    "through the near plane": lambda: [Mesh([[0, -0.3, -3], [-2, -0.5, 3], [2, -0.5, 3]], colors=np.eye(3))],
}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", SCENES)
def test_the_machine_sees_what_the_host_sees(name):
    drawn = Scene(SCENES[name](), CAMERA, Light((0.3, 0, -1), 0.8, 0.2))
    host = draw(drawn, SIZE, SIZE, engine="python", fill_rule="inclusive").target.pixels().astype(int)
    machine = draw_on(GPU("vortex-2024", engine="python"), drawn, SIZE, SIZE).target.pixels()
    assert np.abs(host - machine).max() <= 2


def test_stencils_of_backs_are_those_of_backs():
    state = Pipeline(
        depth=None, stencil_front=StencilFace(pass_op="replace", reference=3), stencil_back=StencilFace(pass_op="replace", reference=7)
    )
    drawn = Scene(Mesh(SQUARE, [[0, 1, 2], [0, 3, 2]], pipeline=state), CAMERA)
    found = draw_on(GPU("vortex-2024", engine="python"), drawn, SIZE, SIZE).target.stencil()
    assert (found[7, 1], found[1, 7]) == (3, 7)
