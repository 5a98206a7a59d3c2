"""What a glTF file says beside its meshes: its camera, its lamp, what it names and is not drawn.

Source: glTF 2.0 Specification, Khronos, and its extension KHR_lights_punctual.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from warploom.graphics.draw_call import Light
from warploom.graphics.scene import Camera

LAMPS = "KHR_lights_punctual"
DRAWN = (LAMPS, "KHR_materials_unlit", "KHR_mesh_quantization", "KHR_texture_transform")  # extensions that are
LEFT_OUT = ("animations", "skins")  # of the top level
TEXTURES_LEFT_OUT = ("normalTexture", "occlusionTexture", "emissiveTexture")
TRIANGLES = 4  # the first primitive mode that is triangles


def nodes_of(header: Any) -> Iterator[tuple[Any, np.ndarray]]:
    """The nodes of the scene that is shown, each with its matrix to the world."""
    nodes = header.get("nodes", [])
    scenes = header.get("scenes", [])
    below = {child for node in nodes for child in node.get("children", [])}
    everything = [number for number in range(len(nodes)) if number not in below]
    roots = scenes[header.get("scene", 0)].get("nodes", []) if scenes else everything
    waiting = [(number, np.eye(4)) for number in reversed(list(roots))]
    seen: set[int] = set()
    while waiting:
        number, above = waiting.pop()
        if number in seen:
            raise ValueError(f"node {number} is below itself, or below two others")
        seen.add(number)
        node = nodes[number]
        matrix = above @ matrix_of(node)
        yield node, matrix
        waiting += [(child, matrix) for child in reversed(node.get("children", []))]


def matrix_of(node: Mapping[str, Any]) -> np.ndarray:
    """A node's own matrix, 4 x 4: given as such, by columns, or as translation, rotation (a quaternion x, y, z, w) and scale."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    made = np.eye(4)
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    made[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    made[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), np.float64)
    made[:3, 3] = node.get("translation", (0, 0, 0))
    return made


def camera_of(header: Any) -> Camera | None:
    """The first perspective camera of the scene."""
    for node, matrix in nodes_of(header):
        if "camera" not in node:
            continue
        found = header["cameras"][node["camera"]]
        if found.get("type") != "perspective":
            continue
        x, y, z = matrix[:3, 3].tolist()
        back, up = matrix[:3, 2].tolist(), matrix[:3, 1].tolist()
        fov = float(np.degrees(found["perspective"]["yfov"]))
        return Camera((x, y, z), (x - back[0], y - back[1], z - back[2]), (up[0], up[1], up[2]), fov)
    return None


def light_of(header: Any) -> Light | None:
    """The first lamp that is infinitely far away; it shines along its node's -z."""
    lamps = header.get("extensions", {}).get(LAMPS, {}).get("lights", [])
    for node, matrix in nodes_of(header):
        number = node.get("extensions", {}).get(LAMPS, {}).get("light")
        if number is not None and lamps[number].get("type") == "directional":
            x, y, z = matrix[:3, 2].tolist()
            return Light((x, y, z))
    return None


def undrawable(header: Any) -> str:
    """The extension that a file cannot be drawn without, and that is not read; "" where there is none."""
    return next((name for name in header.get("extensionsRequired", []) if name not in DRAWN), "")


def left_out(path: str, header: Any) -> list[str]:
    """Sentences about pictures that are not there, and about what is not drawn."""
    said = []
    for image in header.get("images", []):
        uri = image.get("uri", "")
        if uri and not uri.startswith("data:") and not (Path(path).parent / uri).is_file():
            said.append(f"the texture {uri!r} is missing: what it covers is drawn without it")
    left = [name for name in LEFT_OUT if header.get(name)]
    primitives = [primitive for mesh in header.get("meshes", []) for primitive in mesh.get("primitives", [])]
    if any(primitive.get("targets") for primitive in primitives):
        left.append("morph targets")
    if any(primitive.get("mode", TRIANGLES) < TRIANGLES for primitive in primitives):
        left.append("points and lines")
    left += [name for name in TEXTURES_LEFT_OUT if any(material.get(name) for material in header.get("materials", []))]
    cameras = [header["cameras"][node["camera"]].get("type") for node, _ in nodes_of(header) if "camera" in node]
    if len(cameras) > 1:
        left.append("all cameras but one")
    if "orthographic" in cameras:
        left.append("orthographic cameras")
    lamps = [lamp.get("type") for lamp in header.get("extensions", {}).get(LAMPS, {}).get("lights", [])]
    if len(lamps) > 1 or any(kind != "directional" for kind in lamps):
        left.append("all lamps but one that is far away")
    left += [name for name in header.get("extensionsUsed", []) if name not in DRAWN]
    return [*said, *([f"not drawn: {', '.join(left)}"] if left else [])]
