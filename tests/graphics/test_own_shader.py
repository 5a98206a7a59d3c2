"""Pixel shaders of a user's own, in C and in Python: what they are given, what they give back, and what is said of bad ones."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.graphics import Camera, Depth, GraphicsError, Light, Mesh, Pipeline, Scene, Shading, Texture, draw
from warploom.graphics.color import to_bytes
from warploom.graphics.machine import python_shader
from warploom.graphics.machine.drawing import draw_on
from warploom.graphics.own_shader import pixel_shader
from warploom.graphics.pixel import DISCARD, light_on, texture
from warploom.isa.diagnostics import SourceError
from warploom.kernel.launch.compile import build

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


def picture(tmp_path, shader, drawn=None):
    """What a shader draws: the body of one in C, or a function."""
    fragment = shader
    if isinstance(shader, str):
        fragment = str(tmp_path / "shader.c")
        (tmp_path / "shader.c").write_text(BODY.format(shader))
    gpu = GPU("vortex-2024", engine="python", set={"core.divergence": "stack"})
    return draw_on(gpu, drawn or scene(), SIZE, SIZE, fragment=fragment, depth=None).target.pixels()


def where(f, u):
    return f.x / 8, f.uv.u, f.position.x * 0.5 + 0.5, f.y / 8


def lit_texture(f, u):
    return texture(u, f.uv).red, light_on(f, u), f.color.red, 1.0


def checks(f, u):
    if f.x & 1:
        if f.y & 1:
            return DISCARD
        return 2.0, -1.0, 0.5, 1.0
    return 0.0, 1.0, 0.0, 1.0


def faces(f, u):
    return (1.0, 0.0, 0.0) if f.front else (0.0, 0.0, 1.0)


def ramps(f, u):
    return f.x * 0.0011 + f.y * 0.12, texture(u, f.uv).red, 0.002, 0.5


def own(f, u):
    return u.own.share * f.color.red, u.own.tint[0], u.own.tint[1], 1.0


def one(f):
    return f.color


def in_both(in_c, in_python):
    """The same shader in C and in Python."""
    return pytest.mark.parametrize("shader", [pytest.param(in_c, marks=IN_C, id="c"), pytest.param(in_python, id="python")])


@in_both("return (vec4){f->x / 8.0f, f->uv.x, f->position.x * 0.5f + 0.5f, f->y / 8.0f};", where)
def test_what_a_shader_is_given_is_at_its_pixel(tmp_path, shader):
    """Red: where the pixel is; green: its u, which is the same; blue: x in the world, from -1 to 1."""
    found = picture(tmp_path, shader).astype(int)
    column, row = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
    wanted = np.stack([column / 8, (column + 0.5) / 8, (column + 0.5) / 8, row / 8], axis=-1) * 255
    assert np.abs(found - wanted).max() <= 1


@in_both("vec4 t = texture(u, f->uv); return (vec4){t.r, light_on(f, u), f->color.r, 1};", lit_texture)
def test_texture_light_and_colour(tmp_path, shader):
    found = picture(tmp_path, shader, scene(lit=True)).astype(int)
    assert (found[1::2, 1::2, 0] == TEXELS[..., 0]).all()
    assert np.abs(found[..., 1] - 191).max() <= 1  # 0.25 + 0.5
    assert np.abs(found[..., 2] - (7.5 - np.arange(SIZE)) / 8 * 255).max() <= 1


@in_both("if (f->x & 1) { if (f->y & 1) return DISCARD; return (vec4){2, -1, 0.5f, 1}; } return (vec4){0, 1, 0, 1};", checks)
def test_lanes_that_disagree_pixels_that_are_dropped_and_colours_out_of_range(tmp_path, shader):
    found = picture(tmp_path, shader)
    assert (found[:, ::2] == (0, 255, 0, 255)).all()
    assert (found[::2, 1::2] == (255, 0, 128, 255)).all()
    assert (found[1::2, 1::2] == scene().background).all()


@in_both("return f->front ? (vec4){1, 0, 0, 1} : (vec4){0, 0, 1, 1};", faces)
def test_backs_are_seen_as_backs(tmp_path, shader):
    found = picture(tmp_path, shader, scene(triangles=((0, 1, 2), (0, 3, 2))))
    assert found[6, 1].tolist() == [255, 0, 0, 255] and found[1, 6].tolist() == [0, 0, 255, 255]


@in_both("return (vec4){f->x * 0.0011f + f->y * 0.12f, texture(u, f->uv).r, 0.002f, 0.5f};", ramps)
def test_light_becomes_bytes_of_a_picture(tmp_path, shader):
    drawn = scene()
    drawn.srgb = True
    found = picture(tmp_path, shader, drawn)
    column, row = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
    light = np.repeat((column * 0.0011 + row * 0.12)[..., None], 4, axis=-1)
    assert (found[..., 0] == to_bytes(light, True)[..., 0]).all()
    assert (found[..., 2] == 7).all() and (found[..., 3] == 128).all()
    assert (found[1::2, 1::2, 1] == TEXELS[..., 0]).all()  # decoded and encoded


@IN_C
@pytest.mark.parametrize("turns", [0.7, 2.3, 9.0])
def test_levels_of_a_texture_that_is_too_fine(tmp_path, turns):
    """As the host chooses and weighs them, but that the texture unit weighs texels in 256ths."""
    pixels = np.random.default_rng(3).integers(0, 256, (8, 16, 4), np.uint8)
    drawn = scene()
    drawn.meshes[0].uv = drawn.meshes[0].uv * turns
    drawn.meshes[0].colors = None
    drawn.meshes[0].shading = Shading(texture=Texture(pixels, "linear"))
    found = picture(tmp_path, "return texture_lod(u, f->uv, f->lod);", drawn)
    right = draw(drawn, SIZE, SIZE, engine="python", depth=None).target.pixels()
    assert np.abs(found.astype(int) - right).max() <= 4


@IN_C
def test_the_shader_that_lights_each_pixel_draws_what_the_host_draws():
    pixels = np.random.default_rng(4).integers(100, 256, (16, 16, 4), np.uint8)
    corners, normals = np.array(SQUARE) * [1, 1, 2], [[-0.9, 0.2, 0.4], [-0.5, -0.8, 0.3], [0.9, -0.2, 0.3], [0.6, 0.7, 0.4]]
    mesh = Mesh(
        corners, [[0, 1, 2], [0, 2, 3]], [[0, 0], [0, 2], [2, 2], [2, 0]], [[1, 0.2, 0.3], [0.1, 1, 0], [0.2, 0.3, 1], [1, 1, 1]], normals,
        Shading((1, 0.8, 0.6, 1), Texture(pixels, "linear"), lit=True),
    )  # fmt: skip
    drawn = Scene(mesh, Camera((0, 0, 1), fov=90), Light((0.3, 0.5, 0.8), 0.8, 0.2), srgb=True)
    gpu = GPU("vortex-2024", engine="python", set={"core.divergence": "stack"})
    found = draw_on(gpu, drawn, SIZE, SIZE, fragment="lit").target.pixels().astype(int)
    right = draw(drawn, SIZE, SIZE, engine="python").target.pixels()
    assert np.abs(found - right).max() <= 4


@pytest.mark.parametrize("mode", ["clamp-to-edge", "repeat", "mirror-repeat"])
def test_filters_and_what_lies_outside_of_a_texture_in_python(tmp_path, mode):
    pixels = np.random.default_rng(3).integers(0, 256, (3, 5, 4), np.uint8)
    drawn = scene()
    drawn.meshes[0].uv = drawn.meshes[0].uv * 1.7 - 0.6
    drawn.meshes[0].colors = None
    drawn.meshes[0].shading = Shading(texture=Texture(pixels, "linear", address_mode_u=mode, address_mode_v=mode, mipmaps=False))
    found = picture(tmp_path, lambda f, u: texture(u, f.uv), drawn)
    right = draw(drawn, SIZE, SIZE, engine="python", depth=None).target.pixels()
    assert np.abs(found.astype(int) - right).max() <= 2


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


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return f.colour", "a Fragment has no 'colour', did you mean 'color'"),
        ("return 1.0", r"what pixel\(\) gives is not a colour: a float64 has no length"),
        ("if f.x > 3: return f.color", r"pixel\(\) gives None on some paths"),
        ("return open('x'), 1, 2", "a kernel cannot call open"),
    ],
)
def test_mistakes_in_a_function(tmp_path, body, said):
    path = tmp_path / "shader.py"
    path.write_text(f"def pixel(f, u):\n    {body}\n")
    with pytest.raises(SourceError, match=said) as found:
        draw_on(GPU("vortex-2024", engine="python"), scene(), SIZE, SIZE, fragment=str(path))
    assert str(found.value).startswith(str(path))


@in_both("return (vec4){u->own[0] * f->color.r, u->own[1], u->own[2], 1};", own)
def test_numbers_of_ones_own(tmp_path, shader):
    drawn = scene()
    (mesh,) = drawn.meshes
    mesh.pipeline = replace(mesh.pipeline, uniforms={"share": np.float32(0.5), "tint": (0.25, 1)})
    pixels = picture(tmp_path, shader, drawn).astype(int)
    assert (abs(pixels[..., 1] - 64) <= 1).all() and (pixels[..., 2] == 255).all()
    assert pixels[0, 0, 0] < 128 and 2 * pixels[0, 0, 0] > 200


def test_a_number_that_is_not_given_is_asked_for(tmp_path):
    (tmp_path / "pixel.py").write_text("def pixel(f, u):\n    return u.own.tnit, u.own.share, 1.0, 1.0\n")
    for uniforms, said in (({}, "u.own has no 'tnit'"), ({"tint": 1}, "u.own has no 'tnit', did you mean 'tint'?")):
        drawn = scene()
        (mesh,) = drawn.meshes
        mesh.pipeline = replace(mesh.pipeline, uniforms=uniforms)
        with pytest.raises(SourceError) as found:
            draw_on(GPU("vortex-2024", engine="python"), drawn, SIZE, SIZE, fragment=str(tmp_path / "pixel.py"))
        assert said in str(found.value) and "--arg tnit=1" in str(found.value)


@pytest.mark.parametrize(
    ("uniforms", "said"),
    [
        ({"a b": 1}, "a uniform's name is a word as of a variable, and 'a b' is none"),
        ({"tint": "red"}, "the uniform tint is 'red': a uniform is a number of 32 bits, or one to four of them"),
        ({"tint": (1, 2, 3, 4, 5)}, "the uniform tint is (1, 2, 3, 4, 5): a uniform is a number of 32 bits, or one to four of them"),
        ({"far": float("inf")}, "the uniform far is inf: a uniform is a number of 32 bits, or one to four of them"),
        ({"far": 1e39}, "the uniform far is 1e+39: a uniform is a number of 32 bits, or one to four of them"),
        ({f"u{number}": (0, 0, 0) for number in range(6)}, "the uniforms are 18 numbers; there is room for 16"),
    ],
)
def test_uniforms_that_no_shader_can_be_given(uniforms, said):
    with pytest.raises(GraphicsError) as found:
        Pipeline(uniforms=uniforms)
    assert str(found.value) == said


def test_a_file_is_read_and_compiled_once_for_all_meshes(tmp_path, capsys, monkeypatch):
    built = []
    monkeypatch.setattr(python_shader, "build", lambda *given: built.append(given[1]) or build(*given))
    path = tmp_path / "shader.PY"
    path.write_text("print('read')\ndef pixel(f, u):\n    return f.color\n")
    drawn = scene(triangles=((0, 1, 2),))
    drawn.meshes.append(drawn.meshes[0])
    gpu = GPU("vortex-2024", engine="python", set={"core.divergence": "stack"})
    found = draw_on(gpu, drawn, SIZE, SIZE, fragment=str(path))
    assert [result.status for _, result in found.results] == ["done", "done"]
    assert capsys.readouterr().out == "read\n"
    assert len(built) == 1


@pytest.mark.parametrize("fragment", [None, where])
def test_a_lamp_without_a_direction_is_refused(fragment):
    drawn = scene()
    drawn.light = Light((0, 0, 0))
    with pytest.raises(GraphicsError, match=r"the light's direction is \(0, 0, 0\): it is three finite numbers, not all 0"):
        draw_on(GPU("vortex-2024", engine="python"), drawn, SIZE, SIZE, fragment=fragment)


def test_what_is_not_a_shader(tmp_path):
    with pytest.raises(GraphicsError, match=r"there is no pixel shader 'gone.py': `warploom new gone.py --kind shader` writes one"):
        pixel_shader("gone.py")
    with pytest.raises(GraphicsError, match=r"'shader.glsl' is not a file in C or in Python"):
        pixel_shader("shader.glsl")
    with pytest.raises(GraphicsError, match="fragment is a int"):
        pixel_shader(3)
    with pytest.raises(GraphicsError, match=r"one\(f\): a pixel shader takes a fragment and uniforms, def pixel\(f, u\)"):
        pixel_shader(one)
    (tmp_path / "none.py").write_text("pixel = 3\n")
    with pytest.raises(GraphicsError, match="it makes no function `pixel`"):
        pixel_shader(str(tmp_path / "none.py"))


def test_the_host_does_not_run_it():
    mesh = Mesh(SQUARE[:3], pipeline=Pipeline(Depth(), fragment="toon.c"))
    with pytest.raises(GraphicsError, match="runs on a machine: draw with"):
        draw(Scene(mesh), SIZE, SIZE, engine="python")
