"""`warploom draw`."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.isa.pictures import png, read_picture

SCENE = """from warploom.graphics import Mesh
scene = Mesh([[0, 1, 0], [-1, -1, 0], [1, -1, 0]], colors=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
"""
OBJ = """mtllib look.mtl
v -1 -1 0
v 1 -1 0
v 1 1 0
v -1 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl cloth
f 1/1 2/2 3/3
f 1/1 3/3 4/4
"""


def draw(*words):
    return CliRunner().invoke(main, ["draw", *map(str, words), "--engine", "python"])


def gltf(**more):
    """A red triangle, moved by its node, as glTF with its buffer in the text."""
    import base64

    data = np.array([[0, 1, 0], [-1, -1, 0], [1, -1, 0]], np.float32).tobytes() + np.array([0, 1, 2], np.uint16).tobytes()
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps(
        {
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "translation": [2, 0, 0]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
            "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}, "doubleSided": True}],
            "buffers": [{"byteLength": len(data), "uri": uri}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]},
                          {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}],
        } | more
    )  # fmt: skip


def test_a_python_scene_becomes_a_picture(tmp_path):
    path, out = tmp_path / "scene.py", tmp_path / "out.png"
    path.write_text(SCENE)
    done = draw(path, "-o", out, "--size", "40x30")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "triangles  1, 1 of them in the picture; tiles that they touch: 2"
    assert "is written" in done.stderr
    pixels = read_picture(out)
    assert pixels.shape == (30, 40, 4)
    assert pixels[4, 20, 0] > 180
    assert pixels[26, 9, 1] > 180


@pytest.mark.parametrize("kind", ["--depth", "--overdraw", "--quads"])
def test_other_pictures_of_the_same_scene(tmp_path, kind):
    path, out = tmp_path / "scene.py", tmp_path / "out.png"
    path.write_text(SCENE)
    facts = json.loads(draw(path, "-o", out, "--size", "24", kind, "--json").stdout)
    assert (facts["width"], facts["triangles"], facts["early"]) == (24, 1, 0)
    assert facts["fragments"] == facts["written"] == facts["shaded"]
    assert len(np.unique(read_picture(out).reshape(-1, 4), axis=0)) > 1


def test_an_obj_with_its_texture(tmp_path):
    pytest.importorskip("trimesh")
    texture = np.zeros((16, 16, 4), np.uint8)
    texture[..., 3] = 255
    texture[:8, :, 0] = 255  # the upper half is red
    texture[8:, :, 2] = 255
    (tmp_path / "cloth.png").write_bytes(png(texture))
    (tmp_path / "look.mtl").write_text("newmtl cloth\nKd 1 1 1\nmap_Kd cloth.png\n")
    (tmp_path / "cloth.obj").write_text(OBJ)
    done = draw(tmp_path / "cloth.obj", "-o", tmp_path / "out.png", "--size", "40")
    assert done.exit_code == 0, done.output
    assert "warning" not in done.stderr
    pixels = read_picture(tmp_path / "out.png").astype(int)
    assert pixels[6, 20, 0] > 4 * pixels[6, 20, 2]
    assert pixels[33, 20, 2] > 4 * pixels[33, 20, 0]


def test_missing_textures_are_named_and_the_rest_is_drawn(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "look.mtl").write_text("newmtl cloth\nKd 1 1 1\nmap_Kd gone.png\n")
    (tmp_path / "cloth.obj").write_text(OBJ)
    done = draw(tmp_path / "cloth.obj", "-o", tmp_path / "out.png", "--size", "16")
    assert done.exit_code == 0, done.output
    assert "warning: the texture 'gone.png' is missing: what it covers is drawn without it" in done.stderr


def test_gltf_with_a_transform_and_what_is_left_out(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "model.gltf").write_text(
        gltf(animations=[{"channels": [], "samplers": []}], extensionsUsed=["KHR_materials_clearcoat", "KHR_texture_transform"])
    )
    done = draw(tmp_path / "model.gltf", "-o", tmp_path / "out.png", "--size", "30", "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["warnings"] == ["not drawn: animations, KHR_materials_clearcoat"]
    assert 1.9 < facts["eye"][0] < 2.1  # in front of the moved triangle
    assert read_picture(tmp_path / "out.png")[20, 15, 0] > 150


def test_camera_lamp_and_mirrors_of_gltf_are_those_of_the_file(tmp_path):
    """A camera in a moved and turned node, without an aspect ratio; a lamp from the left; a triangle that is mirrored."""
    pytest.importorskip("trimesh")
    from warploom.graphics.files import load_scene

    half = 2**-0.5
    nodes = [
        {"mesh": 0, "scale": [-1, 1, 1]},
        {"translation": [3, 0, 0], "children": [2]},
        {"camera": 0, "translation": [0, 1, 0], "rotation": [0, half, 0, half]},
        {"rotation": [0, -half, 0, half], "extensions": {"KHR_lights_punctual": {"light": 0}}},
    ]
    more = {
        "nodes": nodes, "scenes": [{"nodes": [0, 1, 3]}], "extensionsUsed": ["KHR_lights_punctual"],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "directional"}]}},
    }  # fmt: skip
    (tmp_path / "model.gltf").write_text(gltf(**more))
    scene = load_scene(str(tmp_path / "model.gltf"))
    assert scene.camera.eye == (3, 1, 0)
    assert np.allclose(scene.camera.target, (2, 1, 0))
    assert abs(scene.camera.fov - 57.2957795) < 1e-6
    assert np.allclose(scene.light.direction, (-1, 0, 0))
    assert scene.meshes[0].pipeline.front_face == "cw"
    assert scene.warnings == []


def test_the_scene_may_be_a_function_or_a_list(tmp_path):
    for text in (SCENE.replace("scene =", "made =") + "def scene():\n    return [made]\n", SCENE + "scene = [scene, scene]\n"):
        (tmp_path / "scene.py").write_text(text)
        assert draw(tmp_path / "scene.py", "-o", tmp_path / "out.png", "--size", "9").exit_code == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("scene.py", "x = 1\n", "{path}: it makes no `scene`: call a `Scene` of warploom's graphics so"),
        ("scene.py", "scene = 3\n", "{path}: `scene` is a int: it is a Scene of warploom's graphics, or a list of Mesh objects"),
        ("scene.py", "\nscene = 1 / 0\n", "{path}:2: ZeroDivisionError: division by zero"),
        ("scene.py", "scene = (\n", "{path}:1: '(' was never closed"),
        ("scene.py", "from warploom.graphics import Mesh\nscene = Mesh([[1, 2]])\n",
         "{path}:2: positions of mesh are [n, 3], and these are [1, 2]"),
        ("model.txt", "", "{path!r} is not a scene: there are .gltf, .glb, .obj, .ply, .stl, .off, and Python files"),
        ("empty.obj", "", "{path!r} has no triangles"),
        ("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
         "positions of mesh 'nan.obj': vertex 0 has [0.0, 0.0, nan], which is not finite"),
        ("point.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n", "all vertices of the scene are at one point: there is nothing to see"),
        ("broken.glb", "no glTF", "{path!r} cannot be read: "),
    ],
)  # fmt: skip
def test_bad_scenes_end_in_a_sentence(tmp_path, name, text, said):
    if not name.endswith(".py"):
        pytest.importorskip("trimesh")
    path = str(tmp_path / name)
    (tmp_path / name).write_text(text)
    done = draw(path, "-o", tmp_path / "out.png", "--size", "8")
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("error: " + said.format(path=path)), done.stderr
    assert not (tmp_path / "out.png").exists()


def test_bad_options_end_in_a_sentence(tmp_path):
    (tmp_path / "scene.py").write_text(SCENE)
    for words, said in (
        (["-o", "out.jpg"], "the picture is a PNG file: -o out.jpg ends otherwise"),
        (["--size", "big"], "--size big: pixels as 640x480, or one number for both"),
        (["--size", "0"], "a target of 0 x 0 pixels: each side is 1 to 8192"),
        (["--from", "1,2"], "--from 1,2: three numbers, as 0,1,3"),
        (["--from", "0,0,0"], "--from 0,0,0: the camera needs a direction"),
    ):
        done = draw(tmp_path / "scene.py", *([] if "-o" in words else ["-o", tmp_path / "out.png"]), *words)
        assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, f"error: {said}")


def test_a_scene_that_is_not_in_the_picture_has_a_warning(tmp_path):
    (tmp_path / "scene.py").write_text(
        SCENE.replace("import Mesh", "import Camera, Mesh, Scene") + "scene = Scene(scene, Camera((0, 0, 3), (0, 0, 9)))\n"
    )
    done = draw(tmp_path / "scene.py", "-o", tmp_path / "out.png", "--size", "9")
    assert done.exit_code == 0
    assert done.stderr.startswith("warning: none of the 1 triangles is in the picture: each is culled, outside of it, or smaller")


def test_a_shader_of_ones_own_is_drawn_by_a_machine(tmp_path):
    pytest.importorskip("ziglang")
    scene, shader = tmp_path / "scene.py", tmp_path / "flat.c"
    scene.write_text(SCENE)
    shader.write_text(
        "#include <warploom_pixel.h>\nvec4 pixel(const fragment_t *f, const uniforms_t *u) {\n"
        "  if (f->x < 4) return (vec4){1, 0, 0, 1};\n  return (vec4){0, 0, 1, 1};\n}\n"
    )
    done = draw(scene, "-o", tmp_path / "out.png", "--size", "8", "--shader", shader)
    assert done.exit_code == 0, done.output
    assert f"shader     {shader}; core.divergence is stack" in done.stdout
    pixels = read_picture(tmp_path / "out.png")
    assert pixels[6, 2].tolist() == [255, 0, 0, 255] and pixels[6, 5].tolist() == [0, 0, 255, 255]


def test_numbers_for_a_shader(tmp_path):
    scene, shader = tmp_path / "scene.py", tmp_path / "flat.py"
    scene.write_text(SCENE)
    shader.write_text("def pixel(f, u):\n    return u.own.red, u.own.rest[0], u.own.rest[1]\n")
    done = draw(scene, "-o", tmp_path / "out.png", "--size", "8", "--shader", shader, "--arg", "red=1", "--arg", "rest=0.5,0")
    assert done.exit_code == 0, done.output
    assert [255, 128, 0, 255] in read_picture(tmp_path / "out.png").reshape(-1, 4).tolist()
    for words, said in (
        (("--shader", shader, "--arg", "red"), "error: --arg red: a uniform is NAME=VALUE, or NAME=VALUE,VALUE with up to four numbers\n"),
        (("--arg", "red=1"), "error: --arg gives numbers to a shader of your own: add --shader FILE or --vertex-shader FILE\n"),
    ):
        assert draw(scene, *words).stderr == said


def test_a_shader_and_rays_do_not_go_together(tmp_path):
    scene, shader = tmp_path / "scene.py", tmp_path / "flat.c"
    scene.write_text(SCENE)
    shader.write_text("#include <warploom_pixel.h>\n")
    done = draw(scene, "--rays", "--shader", shader)
    assert done.exit_code == 2
    assert done.stderr == "error: --rays shades with the shader that lights and textures: leave it or the pixel shader out\n"
    assert "error: there is no pixel shader 'gone.c'" in draw(scene, "--shader", "gone.c").stderr


def test_a_cache_of_vertices_is_counted_where_one_asks(tmp_path):
    (tmp_path / "scene.py").write_text(
        "from warploom.graphics import Mesh\n"
        "scene = Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 2, 0]], [[0, 1, 2], [0, 2, 3], [0, 1, 4]])\n"
    )
    words = tmp_path / "scene.py", "--size", 8, "-o", tmp_path / "out.png"
    done = draw(*words, "--vertex-cache", 32)
    assert "vertices   5 shaded, 1.67 a triangle; 44.4 % of 9 found in 32 entries\n" in done.stdout
    found = json.loads(draw(*words, "--vertex-cache", 3, "--json").stdout)
    assert [found[name] for name in ("vertex_cache", "vertices_fetched", "vertices_shaded", "vertices")] == [3, 9, 7, 5]
    assert "vertices" not in draw(*words).stdout
    done = draw(*words, "--vertex-cache", 32, "--rays")
    assert (done.exit_code, "leave --rays and --both out" in done.stderr) == (2, True)
