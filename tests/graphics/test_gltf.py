"""glTF as authors write it: accessors of every kind, primitives, textures, nodes; what cannot be drawn is a sentence."""

import base64
import io
import json
import struct

import numpy as np
import pytest
from PIL import Image

from warploom.graphics.files import load_scene
from warploom.graphics.state import GraphicsError

TRIANGLE = np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], "<f4")
SQUARE = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], "<f4")
UV = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float64)
INDICES = np.array([0, 1, 2, 0, 2, 3])
KINDS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
WIDTHS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}


def uri(data, kind="application/octet-stream"):
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def picture(color):
    out = io.BytesIO()
    Image.new("RGBA", (4, 4), color).save(out, "PNG")
    return out.getvalue()


class File:
    """A file that is put together: `add` places an array in a buffer of its own and gives the number of its accessor."""

    def __init__(self):
        self.buffers, self.views, self.accessors = [], [], []

    def view(self, data, **more):
        self.buffers.append({"byteLength": len(data), "uri": uri(data)})
        self.views.append({"buffer": len(self.buffers) - 1, "byteLength": len(data)} | more)
        return len(self.views) - 1

    def accessor(self, kind, width, count, **more):
        self.accessors.append({"componentType": KINDS[kind], "type": WIDTHS[width], "count": count} | more)
        return len(self.accessors) - 1

    def add(self, values, kind="f4", **more):
        values = np.asarray(values).reshape(len(values), -1)
        return self.accessor(kind, values.shape[1], len(values), bufferView=self.view(values.astype(f"<{kind}").tobytes()), **more)

    def text(self, primitive, **more):
        return json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [primitive]}], "buffers": self.buffers, "bufferViews": self.views, "accessors": self.accessors,
        } | more)  # fmt: skip


@pytest.fixture
def scene(tmp_path):
    def loaded(text):
        path = tmp_path / "model.gltf"
        path.write_text(text, encoding="utf-8")
        return load_scene(str(path))

    return loaded


@pytest.mark.parametrize("kind", ["u1", "u2", "u4"])
def test_indices_of_every_width(scene, kind):
    file = File()
    mesh = scene(file.text({"attributes": {"POSITION": file.add(SQUARE)}, "indices": file.add(INDICES, kind)})).meshes[0]
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert mesh.normals is None


@pytest.mark.parametrize(
    ("mode", "order", "triangles"), [(5, [0, 1, 3, 2], [[0, 1, 3], [1, 2, 3]]), (6, [0, 1, 2, 3], [[1, 2, 0], [2, 3, 0]])]
)
def test_strips_and_fans_turn_all_of_their_triangles_one_way(scene, mode, order, triangles):
    file = File()
    primitive = {"attributes": {"POSITION": file.add(SQUARE)}, "indices": file.add(order, "u2"), "mode": mode}
    mesh = scene(file.text(primitive)).meshes[0]
    assert mesh.triangles.tolist() == triangles
    a, b, c = (mesh.positions[mesh.triangles[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0).all()


def test_interleaved_attributes_and_a_sampler(scene):
    file = File()
    rows = np.concatenate([SQUARE, np.tile([0, 0, 1], (4, 1)), UV], axis=1).astype("<f4")
    view = file.view(rows.tobytes(), byteStride=32)
    places = {"POSITION": (3, 0), "NORMAL": (3, 12), "TEXCOORD_1": (2, 24)}
    attributes = {name: file.accessor("f4", width, 4, bufferView=view, byteOffset=offset) for name, (width, offset) in places.items()}
    look = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "texCoord": 1}}, "alphaMode": "MASK", "alphaCutoff": 0.25}
    text = file.text(
        {"attributes": attributes, "indices": file.add(INDICES, "u1"), "material": 0}, materials=[look],
        textures=[{"source": 0, "sampler": 0}], images=[{"uri": uri(picture((0, 255, 0, 255)), "image/png")}],
        samplers=[{"magFilter": 9728, "minFilter": 9984, "wrapS": 33071, "wrapT": 33648}],
    )  # fmt: skip
    mesh = scene(text).meshes[0]
    assert (mesh.positions == SQUARE).all() and (mesh.uv == UV).all() and (mesh.normals[:, 2] == 1).all()
    texture = mesh.shading.texture
    assert (texture.pixels == (0, 255, 0, 255)).all()
    assert (texture.mag_filter, texture.mipmap_filter, texture.mipmaps) == ("nearest", "nearest", True)
    assert (texture.address_mode_u, texture.address_mode_v) == ("clamp-to-edge", "mirror-repeat")
    assert (mesh.shading.cutoff, mesh.pipeline.cull_mode) == (0.25, "back")


@pytest.mark.parametrize("with_base", [True, False])
def test_sparse_accessors_replace_elements(scene, with_base):
    file = File()
    base = np.array([TRIANGLE[0], [9, 9, 9], [9, 9, 9]], "<f4")
    places = [1, 2] if with_base else [0, 1, 2]
    where = {"bufferView": file.view(np.array(places, "<u2").tobytes()), "componentType": KINDS["u2"]}
    sparse = {"count": len(places), "indices": where, "values": {"bufferView": file.view(TRIANGLE[places].tobytes())}}
    own = {"bufferView": file.view(base.tobytes())} if with_base else {}
    assert (
        scene(file.text({"attributes": {"POSITION": file.accessor("f4", 3, 3, sparse=sparse, **own)}})).meshes[0].positions == TRIANGLE
    ).all()


def test_normalized_numbers_are_shares_and_quantized_positions_are_whole(scene):
    file = File()
    attributes = {
        "POSITION": file.add(100 * SQUARE, "i2"),
        "COLOR_0": file.add([[255, 0, 0, 255], [0, 51, 0, 255], [0, 0, 0, 0], [1, 1, 1, 1]], "u1", normalized=True),
        "TEXCOORD_0": file.add(65535 * UV, "u2", normalized=True),
        "NORMAL": file.add([[0, 0, 127]] * 4, "i1", normalized=True),
    }
    look = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "extensions": {"KHR_materials_unlit": {}}}
    text = file.text(
        {"attributes": attributes, "indices": file.add(INDICES, "u1"), "material": 0}, materials=[look],
        textures=[{"source": 0}], images=[{"bufferView": file.view(picture((9, 9, 9, 255))), "mimeType": "image/png"}],
        extensionsUsed=["KHR_mesh_quantization", "KHR_materials_unlit"], extensionsRequired=["KHR_mesh_quantization"],
    )  # fmt: skip
    found = scene(text)
    mesh = found.meshes[0]
    assert found.warnings == []
    assert (mesh.positions == 100 * SQUARE).all() and np.allclose(mesh.uv, UV) and (mesh.normals == [0, 0, 1]).all()
    assert mesh.colors[:2].tolist() == [[1, 0, 0, 1], [0, 0.2, 0, 1]]
    assert not mesh.shading.lit


def test_texture_coordinates_are_scaled_turned_and_moved(scene):
    file = File()
    moved = {"scale": [2, 4], "rotation": np.pi / 2, "offset": [0.5, 0.25]}
    look = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "extensions": {"KHR_texture_transform": moved}}}}
    text = file.text(
        {"attributes": {"POSITION": file.add(SQUARE), "TEXCOORD_0": file.add(UV)}, "indices": file.add(INDICES, "u1"), "material": 0},
        materials=[look], textures=[{"source": 0}], images=[{"uri": uri(picture((9, 9, 9, 255)), "image/png")}],
    )  # fmt: skip
    assert np.allclose(scene(text).meshes[0].uv, [[0.5 + 4 * v, 0.25 - 2 * u] for u, v in UV])


def test_nested_transforms_and_a_mesh_that_two_nodes_share(scene):
    file = File()
    half = 2**-0.5
    nodes = [
        {"children": [1], "scale": [2, 1, 1]},
        {"children": [2, 3], "rotation": [0, 0, half, half]},
        {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1]},
        {"mesh": 0},
    ]
    found = scene(file.text({"attributes": {"POSITION": file.add(TRIANGLE)}}, nodes=nodes))
    assert len(found.meshes) == 2
    assert np.allclose(found.meshes[0].world(), [[-2 * y, x + 1, 0] for x, y, _ in TRIANGLE])
    assert np.allclose(found.meshes[1].world(), [[-2 * y, x, 0] for x, y, _ in TRIANGLE])


def test_without_a_scene_all_nodes_are_drawn_and_the_first_of_two_cameras_is_taken(scene):
    file = File()
    cameras = [{"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}}] * 2
    nodes = [{"mesh": 0}, {"camera": 0, "translation": [0, 0, 3]}, {"camera": 1, "translation": [0, 0, 9]}]
    text = json.loads(file.text({"attributes": {"POSITION": file.add(TRIANGLE)}}, nodes=nodes, cameras=cameras))
    del text["scene"], text["scenes"]
    found = scene(json.dumps(text))
    assert found.camera.eye == (0, 0, 3)
    assert found.warnings == ["not drawn: all cameras but one"]


def test_a_binary_file_has_its_data_and_its_picture_inside(tmp_path):
    data = SQUARE.tobytes() + UV.astype("<f4").tobytes() + INDICES.astype("u1").tobytes() + b"\0\0"
    body = data + picture((1, 2, 3, 255))
    body += b"\0" * (-len(body) % 4)
    views = [(0, 48), (48, 32), (80, 6), (len(data), len(body) - len(data))]
    header = {
        "asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}], "textures": [{"source": 0}],
        "images": [{"bufferView": 3}], "buffers": [{"byteLength": len(body)}],
        "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views],
        "accessors": [{"bufferView": view, "componentType": KINDS[kind], "type": WIDTHS[width], "count": count}
                      for view, kind, width, count in ((0, "f4", 3, 4), (1, "f4", 2, 4), (2, "u1", 1, 6))],
    }  # fmt: skip
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(body), 0x004E4942) + body
    path = tmp_path / "model.glb"
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    mesh = load_scene(str(path)).meshes[0]
    assert len(mesh.triangles) == 2 and (mesh.shading.texture.pixels == (1, 2, 3, 255)).all()
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(GraphicsError, match="cannot be read: it is not JSON"):
        load_scene(str(path))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"asset": {"version": "1.0"}}, "its version is '1.0', and 2.0 is read"),
        ({"buffers": [{"byteLength": 36, "uri": "no.bin"}]}, "buffer 0 is missing: there is no file 'no.bin'"),
        ({"buffers": [{"byteLength": 36, "uri": "file://b.bin"}]}, "buffer 0 is at 'file://b.bin'"),
        ({"bufferViews": [{"buffer": 0, "byteLength": 99}]}, "its buffer view ends at byte 99 of a buffer that has 36"),
        ({"bufferViews": [{"buffer": 3, "byteLength": 36}]}, "there is no buffers[3]"),
        ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "it needs the extension KHR_draco_mesh_compression"),
        ({"nodes": [{"mesh": 0, "children": [0]}]}, "node 0 is below itself, or below two others"),
        ({"nodes": [{"mesh": 4}]}, "there is no meshes[4]"),
        ({"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 3}]}]}, "has no triangles"),
        ({"meshes": [{"primitives": [{"attributes": {"POSITION": 7}}]}]}, "there is no accessors[7]"),
        ({"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4}]}, "accessor 0 reads beyond its buffer view"),
        ({"accessors": [{"bufferView": 0, "componentType": 1, "type": "VEC3", "count": 3}]}, "3 elements of type VEC3, component 1"),
        ({"nodes": "x"}, "its parts do not fit together"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_a_sentence(scene, more, said):
    file = File()
    with pytest.raises(GraphicsError) as error:
        scene(file.text({"attributes": {"POSITION": file.add(TRIANGLE)}}, **more))
    assert said in str(error.value)


def test_a_file_with_bad_normals_is_drawn_and_nothing_is_said_of_the_reader(tmp_path, caplog):
    pytest.importorskip("trimesh")
    corners = "".join(f"vertex {x} {y} 0\n" for x, y in ((0, 0), (1, 0), (0, 1)))
    (tmp_path / "a.stl").write_text(f"solid a\nfacet normal 0 0 x\nouter loop\n{corners}endloop\nendfacet\nendsolid a\n")
    assert len(load_scene(str(tmp_path / "a.stl")).meshes[0].triangles) == 1
    assert caplog.records == []
