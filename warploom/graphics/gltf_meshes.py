"""Meshes of a glTF file: triangles of each primitive of each node of the scene, with base colour, texture and vertex colours.

Source: glTF 2.0 Specification, Khronos, chapters 3.7 to 3.9; KHR_texture_transform, KHR_materials_unlit, KHR_mesh_quantization.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from warploom.graphics.draw_call import Shading
from warploom.graphics.geometry.assembly import TOPOLOGIES, assembled
from warploom.graphics.gltf import TRIANGLES, nodes_of
from warploom.graphics.gltf_data import Gltf
from warploom.graphics.scene import Mesh, is_mirror
from warploom.graphics.state import ALPHA_BLENDING, Depth, GraphicsError, Pipeline
from warploom.graphics.texture import Texture

NEAREST_TEXELS, NEAREST_LEVELS, NO_LEVELS = (9728,), (9984, 9985), (9728, 9729)
WRAPS = {33071: "clamp-to-edge", 33648: "mirror-repeat", 10497: "repeat"}
TRANSFORM, UNLIT = "KHR_texture_transform", "KHR_materials_unlit"


def meshes_of(file: Gltf) -> Iterator[Mesh]:
    """What is drawn, in the order of the nodes. Raises GraphicsError, and KeyError, TypeError ... where the header lacks something."""
    pictures: dict[int, Texture | None] = {}
    for node, matrix in nodes_of(file.header):
        if "mesh" not in node:
            continue
        mesh = file.entry("meshes", node["mesh"])
        name = mesh.get("name") or node.get("name") or f"mesh {node['mesh']}"
        primitives = mesh.get("primitives", [])
        for number, primitive in enumerate(primitives):
            if primitive.get("mode", TRIANGLES) >= TRIANGLES and "POSITION" in primitive.get("attributes", {}):
                own = f"{name}, part {number}" if len(primitives) > 1 else name
                yield _mesh(file, primitive, matrix, own, pictures)


def _mesh(file: Gltf, primitive: Any, matrix: np.ndarray, name: str, pictures: dict[int, Texture | None]) -> Mesh:
    attributes = primitive["attributes"]
    positions = file.elements(attributes["POSITION"])
    order = file.elements(primitive["indices"])[:, 0] if "indices" in primitive else np.arange(len(positions), dtype=np.int64)
    shading, pipeline, coordinates, moved = _look(file, primitive.get("material"), name, pictures)
    if is_mirror(matrix):  # a mirror turns the winding of every triangle round
        pipeline = replace(pipeline, front_face="cw")
    uv = file.elements(attributes[coordinates]) if coordinates in attributes and shading.texture is not None else None
    if shading.texture is not None and uv is None:
        shading = replace(shading, texture=None)
    colors = np.clip(file.elements(attributes["COLOR_0"]).astype(np.float64), 0, 1) if "COLOR_0" in attributes else None
    normals = file.elements(attributes["NORMAL"]) if "NORMAL" in attributes else None
    if uv is not None:
        uv = np.concatenate([uv, np.ones((len(uv), 1))], axis=1) @ moved.T
    triangles = _triangles(order, primitive.get("mode", TRIANGLES), name)
    return Mesh(positions, triangles, uv, colors, normals, shading, pipeline, matrix, name)


def _triangles(order: np.ndarray, mode: int, name: str) -> np.ndarray:
    """int64[n, 3]: the corners of each triangle, of a list, a strip or a fan."""
    if not TRIANGLES <= mode < TRIANGLES + len(TOPOLOGIES):
        raise GraphicsError(f"{name}: there is no primitive mode {mode}; 0 to 6 are known")
    return assembled(order, TOPOLOGIES[mode - TRIANGLES])


def _look(file: Gltf, number: int | None, name: str, pictures: dict[int, Texture | None]) -> tuple[Shading, Pipeline, str, np.ndarray]:
    """How a primitive is shaded, the state that it is drawn in, which coordinates its texture has, and how these are moved: [2, 3]."""
    material = {} if number is None else file.entry("materials", number)
    surface = material.get("pbrMetallicRoughness", {})
    red, green, blue, alpha = (float(part) for part in surface.get("baseColorFactor", (1, 1, 1, 1)))
    mode, two_sided = material.get("alphaMode", "OPAQUE"), bool(material.get("doubleSided", number is None))
    cutoff = float(material.get("alphaCutoff", 0.5)) if mode == "MASK" else 0.0
    texture, coordinates, moved = None, "", np.eye(3)[:2]
    if "baseColorTexture" in surface:
        given = surface["baseColorTexture"]
        transform = given.get("extensions", {}).get(TRANSFORM, {})
        texture = _texture(file, given["index"], name, pictures)
        coordinates, moved = f"TEXCOORD_{transform.get('texCoord', given.get('texCoord', 0))}", _moved(transform)
    lit = UNLIT not in material.get("extensions", {})
    shading = Shading((red, green, blue, alpha), texture, lit=lit, two_sided=two_sided, cutoff=cutoff)
    pipeline = Pipeline(cull_mode="none" if two_sided else "back")
    if mode == "BLEND":
        pipeline = Pipeline(Depth("less", write=False), blend=ALPHA_BLENDING, cull_mode=pipeline.cull_mode)
    return shading, pipeline, coordinates, moved


def _moved(transform: Any) -> np.ndarray:
    """Offset, rotation and scale of texture coordinates as a matrix [2, 3]."""
    (u, v), (wide, tall) = transform.get("offset", (0, 0)), transform.get("scale", (1, 1))
    sine, cosine = np.sin(transform.get("rotation", 0)), np.cos(transform.get("rotation", 0))
    return np.array([[cosine * wide, sine * tall, u], [-sine * wide, cosine * tall, v]], np.float64)


def _texture(file: Gltf, number: int, name: str, pictures: dict[int, Texture | None]) -> Texture | None:
    if number not in pictures:
        given = file.entry("textures", number)
        pixels = file.picture(given["source"]) if "source" in given else None
        pictures[number] = None
        if pixels is not None:
            sampler = file.entry("samplers", given["sampler"]) if "sampler" in given else {}
            smaller = sampler.get("minFilter", 9987)
            pictures[number] = Texture(
                pixels,
                "nearest" if sampler.get("magFilter", 9729) in NEAREST_TEXELS else "linear",
                "nearest" if smaller in NEAREST_LEVELS else "linear",
                WRAPS.get(sampler.get("wrapS", 10497), "repeat"),
                WRAPS.get(sampler.get("wrapT", 10497), "repeat"),
                mipmaps=smaller not in NO_LEVELS,
                name=f"the texture of {name}",
            )
    return pictures[number]
