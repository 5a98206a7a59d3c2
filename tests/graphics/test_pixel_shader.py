"""Pixel shaders of a user's own, in C: what they are given, what they give back, and what is said of bad ones."""

import importlib.util

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.graphics import Camera, Depth, GraphicsError, Light, Mesh, Pipeline, Scene, Shading, Texture, draw
from warploom.graphics.color import to_bytes
from warploom.graphics.machine.drawing import draw_on
from warploom.graphics.pixel_shader import pixel_shader
from warploom.isa.diagnostics import SourceError

SIZE = 8
TEXELS = np.zeros((4, 4, 4), np.uint8)
TEXELS[..., 0], TEXELS[..., 3] = np.arange(16).reshape(4, 4) * 16, 255
SQUARE = [[-1, 1, 0], [-1, -1, 0], [1, -1, 0], [1, 1, 0]]
IN_C = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="the package ziglang is not installed")
BODY = "#include <warploom_pixel.h>\nvec4 pixel(const fragment_t *f, const uniforms_t *u) {{ {} }}\n"


def scene(triangles=((0, 1, 2), (0, 2, 3)), **more):
    """A square that fills the picture, red at the left, texture and normals on it."""
    uv = [[0, 0], [0, 1], [1, 1], [1, 0]]
    colors = [[1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]
    normals = [[0, 0, 1]] * 4
    shading = Shading((1, 1, 1, 1), Texture(TEXELS, mag_filter="nearest"), **more)
    return Scene(Mesh(SQUARE, np.array(triangles), uv, colors, normals, shading), Camera((0, 0, 1), fov=90), Light((0, 0, 1), 0.5, 0.25))


def picture(tmp_path, body, drawn=None, **settings):
    path = tmp_path / "shader.c"
    path.write_text(BODY.format(body))
    gpu = GPU("vortex-2024", engine="python", set={"core.divergence": "stack", **settings})
    return draw_on(gpu, drawn or scene(), SIZE, SIZE, fragment=str(path), depth=None).target.pixels()


@IN_C
def test_what_a_shader_is_given_is_at_its_pixel(tmp_path):
    """Red: where the pixel is; green: its u, which is the same; blue: x in the world, from -1 to 1."""
    found = picture(tmp_path, "return (vec4){f->x / 8.0f, f->uv.x, f->position.x * 0.5f + 0.5f, f->y / 8.0f};").astype(int)
    column, row = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
    wanted = np.stack([column / 8, (column + 0.5) / 8, (column + 0.5) / 8, row / 8], axis=-1) * 255
    assert np.abs(found - wanted).max() <= 1


@IN_C
def test_texture_light_and_colour(tmp_path):
    lit = scene(lit=True)
    found = picture(tmp_path, "vec4 t = texture(u, f->uv); return (vec4){t.r, light_on(f, u), f->color.r, 1};", lit).astype(int)
    assert (found[1::2, 1::2, 0] == TEXELS[..., 0]).all()
    assert np.abs(found[..., 1] - 191).max() <= 1  # 0.25 + 0.5
    assert np.abs(found[..., 2] - (7.5 - np.arange(SIZE)) / 8 * 255).max() <= 1


@IN_C
def test_lanes_that_disagree_pixels_that_are_dropped_and_colours_out_of_range(tmp_path):
    body = "if (f->x & 1) { if (f->y & 1) return DISCARD; return (vec4){2, -1, 0.5f, 1}; } return (vec4){0, 1, 0, 1};"
    found = picture(tmp_path, body)
    assert (found[:, ::2] == (0, 255, 0, 255)).all()
    assert (found[::2, 1::2] == (255, 0, 128, 255)).all()
    assert (found[1::2, 1::2] == scene().background).all()


@IN_C
def test_backs_are_seen_as_backs(tmp_path):
    both = scene(triangles=((0, 1, 2), (0, 3, 2)))
    found = picture(tmp_path, "return f->front ? (vec4){1, 0, 0, 1} : (vec4){0, 0, 1, 1};", both)
    assert found[6, 1].tolist() == [255, 0, 0, 255] and found[1, 6].tolist() == [0, 0, 255, 255]


@IN_C
def test_light_becomes_bytes_of_a_picture(tmp_path):
    drawn = scene()
    drawn.srgb = True
    found = picture(tmp_path, "return (vec4){f->x * 0.0011f + f->y * 0.12f, texture(u, f->uv).r, 0.002f, 0.5f};", drawn)
    column, row = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
    light = np.repeat((column * 0.0011 + row * 0.12)[..., None], 4, axis=-1)
    assert (found[..., 0] == to_bytes(light, True)[..., 0]).all()
    assert (found[..., 2] == 7).all() and (found[..., 3] == 128).all()
    assert (found[1::2, 1::2, 1] == TEXELS[..., 0]).all()  # decoded and encoded


@IN_C
def test_depths_are_those_of_the_other_shader(tmp_path):
    path = tmp_path / "shader.c"
    path.write_text(BODY.format("return f->color;"))
    tilted = Scene(Mesh([[-1, -1, 0], [1, -1, -3], [0.2, 1, 1]]), Camera((0, 0, 3)))
    gpu = GPU("vortex-2024", engine="python", set={"core.divergence": "stack"})
    one, other = (draw_on(gpu, tilted, SIZE, SIZE, **more).target for more in ({}, {"fragment": str(path)}))
    assert (one.depth_stencil == other.depth_stencil).all() and len(np.unique(one.depth_stencil)) > 8


@IN_C
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int x;\n", "it does not include <warploom_pixel.h>"),
        ("#include <warploom_pixel.h>\n/* pixel(f, u) */\n", "it has no function `pixel`"),
        (BODY.format("return f->colour;"), "no member named 'colour'"),
    ],
)
def test_mistakes_in_a_shader(tmp_path, text, said):
    path = tmp_path / "shader.c"
    path.write_text(text)
    with pytest.raises(SourceError, match=said):
        pixel_shader(str(path)).code  # noqa: B018


def test_what_is_not_a_shader(tmp_path):
    with pytest.raises(GraphicsError, match=r"there is no pixel shader 'gone.c': `warploom new gone.c --kind pixel` writes one"):
        pixel_shader("gone.c")
    with pytest.raises(GraphicsError, match=r"'shader.glsl' is not a file in C"):
        pixel_shader("shader.glsl")
    with pytest.raises(GraphicsError, match="fragment is a int"):
        pixel_shader(3)


def test_the_host_does_not_run_it():
    mesh = Mesh(SQUARE[:3], pipeline=Pipeline(Depth(), fragment="toon.c"))
    with pytest.raises(GraphicsError, match="runs on a machine: draw with"):
        draw(Scene(mesh), SIZE, SIZE, engine="python")
