"""Scenes that nobody means well with: files of every format that `draw` reads, glTF whose values are changed, registers of the units."""

from __future__ import annotations

import base64
import io
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.machine.device.drawing import shader
from warploom import GPU
from warploom.graphics.drawing import calls_of, draw
from warploom.graphics.files import load_scene
from warploom.graphics.machine.calls import machine_call
from warploom.graphics.target import Target
from warploom.isa import load
from warploom.isa.frontend import Options

SIZE, CYCLES = 6, 400
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2, 3, 5, 6, 255, 1 << 31, 1 << 63, 10**30, -(10**400), 1e308, 0.5, "x", "VEC3", "VEC4", "SCALAR", "MASK", "BLEND",
    [], [0], [1e39, 0, 0], [0, 0, 0, 0], {}, {"index": 0}, {"index": 9}, [[]], 5120, 5121, 5123, 5125, 5126, 9728, 33071, "data:,",
    "data:;base64,AAAA", "../../../../etc/passwd", "/dev/zero", "http://www.w3.org/y",
)  # fmt: skip
NAMES = (
    "byteOffset", "byteStride", "count", "sparse", "normalized", "mode", "matrix", "scale", "rotation", "children", "camera", "extensions",
    "alphaMode", "alphaCutoff", "doubleSided", "material", "indices", "uri", "sampler", "texCoord", "min", "max", "extensionsRequired",
)  # fmt: skip


def model() -> dict[str, Any]:
    """A square with texture, colours, normals, a material of every kind, a camera and a lamp."""
    picture = io.BytesIO()
    Image.new("RGBA", (2, 2), (200, 100, 50, 128)).save(picture, "PNG")
    parts = [
        np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], "<f4"), np.array([[0, 1], [1, 1], [1, 0], [0, 0]], "<f4"),
        np.full((4, 4), 128, np.uint8), np.array([[0, 0, 1]] * 4, "<f4"), np.array([0, 1, 2, 0, 2, 3], "<u2"),
    ]  # fmt: skip
    data = b"".join(part.tobytes() for part in parts)
    starts = np.cumsum([0, *(part.nbytes for part in parts)]).tolist()
    kinds = [(5126, "VEC3", 4), (5126, "VEC2", 4), (5121, "VEC4", 4), (5126, "VEC3", 4), (5123, "SCALAR", 6)]
    image = "data:image/png;base64," + base64.b64encode(picture.getvalue()).decode()
    material = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "texCoord": 0}, "baseColorFactor": [1, 0.5, 1, 0.5]},
                "alphaMode": "MASK", "alphaCutoff": 0.3, "doubleSided": True}  # fmt: skip
    attributes = {"POSITION": 0, "TEXCOORD_0": 1, "COLOR_0": 2, "NORMAL": 3}
    return {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1, 2]}],
        "nodes": [{"mesh": 0, "rotation": [0, 0.1, 0, 0.995], "scale": [1, 2, 1]}, {"camera": 0, "translation": [0, 0, 3]},
                  {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, -1, 1],
                   "extensions": {"KHR_lights_punctual": {"light": 0}}}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": 4, "material": 0}]}], "materials": [material],
        "textures": [{"source": 0, "sampler": 0}], "images": [{"uri": image}], "samplers": [{"magFilter": 9728, "wrapS": 33648}],
        "extensionsUsed": ["KHR_lights_punctual"], "extensions": {"KHR_lights_punctual": {"lights": [{"type": "directional"}]}},
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteOffset": starts[k], "byteLength": part.nbytes} for k, part in enumerate(parts)],
        "accessors": [{"bufferView": k, "componentType": row[0], "type": row[1], "count": row[2]} for k, row in enumerate(kinds)],
    }  # fmt: skip


def gltf() -> list[bytes]:
    return [json.dumps(model()).encode()]


def glb() -> list[bytes]:
    header = model()
    data = base64.b64decode(header["buffers"][0].pop("uri").partition(",")[2])
    data += bytes(-len(data) % 4)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return [struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body]


OTHERS: dict[str, str] = {
    ".obj": "mtllib a.mtl\nv -1 -1 0\nv 1 -1 0\nv 0 1 0 1 0 0\nvt 0 0\nvn 0 0 1\no part\nusemtl x\nf 1/1/1 2/1/1 3/1/1\nf -1 -2 -3\n",
    ".ply": "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    ".stl": "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n",
    ".off": "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
}


def seeds_of(ending: str) -> Callable[[], list[bytes]]:
    return lambda: [OTHERS[ending].encode()]


def take(_data: bytes, path: Path) -> None:
    """Read a scene, draw it, and set it up for a machine."""
    scene = load_scene(str(path))
    camera = draw(scene, SIZE, SIZE, engine="python").camera
    target = Target(SIZE, SIZE)
    for _, call in calls_of(scene, camera, SIZE, SIZE, {}):
        machine_call(call, SIZE, SIZE, target.color, target.depth_stencil, 5, scene.srgb)


def take_values(data: bytes, path: Path) -> None:
    """A file of glTF in which some values stand that do not belong there."""
    chance, header = random.Random(data), model()
    for _ in range(chance.randint(1, 3)):
        _change(header, chance)
    path.write_text(json.dumps(header))
    take(b"", path)


def _change(tree: Any, chance: random.Random) -> None:
    places: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        for key in one if isinstance(one, dict) else range(len(one)):
            places.append((one, key))
            if isinstance(one[key], dict | list):
                waiting.append(one[key])
    holder, key = chance.choice(places)
    kind = chance.randrange(5)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[chance.choice(NAMES)] = chance.choice(VALUES)
    elif kind == 2:
        other, where = chance.choice(places)
        holder[key] = json.loads(json.dumps(other[where])) if other is not holder else 0
    else:
        holder[key] = chance.choice(VALUES)


def take_registers(data: bytes, _path: Path) -> None:
    """Registers of raster engine and merger that nobody would write, and the beginning of a run with them."""
    chance = random.Random(data)
    numbers = (0, 1, 2, 15, 36, 120, 0xFFFF, 0x10000, 0x400, 1 << 26, 0xFFFFFFFF, 0x00060006)
    dcr = [word for k in range(0x1C, 0x34) for word in (k, chance.choice(numbers) if chance.random() < 0.7 else chance.getrandbits(32))]
    contents = np.frombuffer(chance.randbytes(256), np.uint32)
    buffers = {"out": np.zeros(16, np.uint32), "a@0x0": contents, "b@0x10000": contents, "dcr": dcr}
    program = load(shader().encode(), "vortex-2024", options=Options(path="a.vx", buffers=buffers, arguments={"out": "out"}))
    result = GPU("vortex-2024", engine="python").run(program, max_cycles=CYCLES)
    str(result), result.summary()
