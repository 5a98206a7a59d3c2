"""Vertex shaders: the same numbers from the host and from a machine, in Python and in C, and what is said of bad ones."""

import importlib.util

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.graphics import Camera, GraphicsError, Mesh, Pipeline, Scene, draw
from warploom.graphics.drawing import calls_of
from warploom.graphics.host import vertices
from warploom.graphics.host.vertices import on_host
from warploom.graphics.machine.vertices import Launches
from warploom.graphics.own_shader import vertex_shader
from warploom.graphics.pixel import Color
from warploom.graphics.vertex import Place, Shaded, at, to_clip, to_world, turned
from warploom.isa.diagnostics import SourceError

IN_C = pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="the package ziglang is not installed")
BODY = "#include <warploom_vertex.h>\nshaded_t vertex(const vertex_t *v, const uniforms_t *u) {{ {} }}\n"
TURNED = np.array([[0, 0.6, 0.1, 0.2], [-0.8, 0, 0.2, 0.1], [0.3, 0.1, 1.2, -0.4], [0, 0, 0, 1]])
IN_PLACE = (
    "vec3 w = to_world(u, v->position); if (w.y > 0.1f) w.y += u->own[0] * w.x * w.z; shaded_t s = at(v, u, w); s.color.r = u->own[1];"
)


def bent(v, u):
    w = to_world(u, v.position)
    y = w.y
    if w.y > np.float32(0.1):
        y = w.y + u.own.height * w.x * w.z
    place = Place(w.x, y, w.z)
    color = Color(u.own.red, v.color.green, v.color.blue, v.color.alpha)
    return Shaded(to_clip(u, place), place, turned(u, v.normal), v.uv, color)


def scene(**more):
    numbers = np.random.default_rng(5)
    given = numbers.uniform(-1, 1, (5, 3)), np.array([[0, 1, 2], [2, 3, 4]])
    normals = more.pop("normals", numbers.uniform(-1, 1, (5, 3)))
    mesh = Mesh(*given, numbers.uniform(0, 1, (5, 2)), numbers.uniform(0, 1, (5, 4)), normals, transform=more.pop("transform", TURNED))
    return Scene(mesh, Camera((0.5, 1, 3)))


def made(drawn, shader, runs, **own):
    """Corners and attributes of a draw call with a vertex shader."""
    ((_, call),) = calls_of(drawn, drawn.camera, 8, 8, {"vertex": shader, "uniforms": own}, runs)
    return call.corners, call.attributes, call.positions


def machine():
    return Launches(GPU("vortex-2024", engine="python"))


@pytest.fixture
def interpreted(monkeypatch):
    """Shaders in Python run in plain Python, which takes less time than to compile them."""
    monkeypatch.setattr(vertices, "compiled", lambda function: function)


def equal(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@IN_C
def test_host_and_machine_python_and_c_agree_in_every_bit(tmp_path, interpreted):
    path = tmp_path / "bent.c"
    path.write_text(BODY.format(IN_PLACE + " return s;"))
    launches = machine()
    found = [
        made(scene(), shader, runs, height=0.3, red=0.25) for shader in (bent, str(path)) for runs in (on_host, launches.vertices)
    ]  # fmt: skip
    assert all(equal(found[0], one) for one in found[1:])
    assert (found[0][1][..., 2] == 0.25).all()
    assert [name for name, _ in launches.results] == ["mesh, vertices"] * 2
    assert all(result.cycles > 100 for _, result in launches.results)


@pytest.mark.slow
def test_what_numba_compiles_is_what_plain_python_computes(interpreted, monkeypatch):
    plain = made(scene(), vertex_shader(bent), on_host, height=0.3, red=0.25)
    monkeypatch.undo()
    assert equal(plain, made(scene(), vertex_shader(bent), on_host, height=0.3, red=0.25))


def unchanged(v, u):
    return at(v, u, to_world(u, v.position))


@pytest.mark.parametrize("normals", ["given", None])
def test_a_shader_that_changes_nothing_is_no_shader(normals, interpreted):
    """But for the roundings of 32 bits. Normals are of any length."""
    drawn = scene() if normals else scene(normals=None)
    ((_, plain),) = calls_of(drawn, drawn.camera, 8, 8, {})
    corners, attributes, positions = made(drawn, unchanged, on_host)
    assert np.abs(corners - plain.corners).max() < 1e-6 and np.abs(positions - plain.positions).max() < 1e-6
    length = np.sqrt((attributes[..., 6:].astype(float) ** 2).sum(axis=-1, keepdims=True))
    assert np.abs(attributes[..., 6:] / length - plain.attributes[..., 6:]).max() < 1e-5
    assert np.abs(attributes[..., :6] - plain.attributes[..., :6]).max() < 1e-6


def moved(v, u):
    w = to_world(u, v.position)
    return at(v, u, Place(w.x + 1, w.y, w.z))


def test_the_picture_shows_it(interpreted):
    square = Mesh([[-2, -2, 0], [0, -2, 0], [0, 2, 0], [-2, 2, 0]], [[0, 1, 2], [0, 2, 3]], pipeline=Pipeline(vertex=moved))
    found = draw(Scene(square, Camera((0, 0, 1), fov=90)), 8, 8, engine="python").target.shaded.reshape(8, 8)
    assert (found == 1).all()  # without the shader it is the left half


def infinite(v, u):
    return at(v, u, Place(v.position.x / np.float32(0), v.position.y, v.position.z))


def test_mistakes(tmp_path, interpreted):
    with (
        pytest.raises(GraphicsError, match=r"mesh: the vertex shader makes \[.*\] of vertex 0, which is not finite"),
        np.errstate(all="ignore"),
    ):
        made(scene(), infinite, on_host)
    with pytest.raises(GraphicsError, match=r"there is no vertex shader 'gone.py': `warploom new gone.py --kind vertex_shader` writes one"):
        made(scene(), "gone.py", on_host)
    with pytest.raises(GraphicsError, match=r"<lambda>\(v\): a vertex shader takes a vertex and uniforms, def vertex\(v, u\)"):
        made(scene(), lambda v: v, on_host)
    path = tmp_path / "none.c"
    path.write_text("int x;\n")
    with pytest.raises(SourceError, match=r"it does not include <warploom_vertex.h>, which makes a program of a vertex shader"):
        made(scene(), str(path), on_host)


@IN_C
def test_mistakes_in_c(tmp_path):
    path = tmp_path / "bad.c"
    path.write_text(BODY.format("return u->x;"))
    for runs in (on_host, machine().vertices):
        with pytest.raises(SourceError, match="no member named 'x'"):
            made(scene(), str(path), runs)
