"""Scenes from files: glTF (.gltf, .glb) and Wavefront OBJ by the package trimesh, and Python files that make one.

What is drawn of a glTF file: triangles, node transforms, base colour and its texture, vertex colours, alpha modes, two-sidedness, the
first perspective camera. What else a file has, as animations, skins or lamps, is left out, and named in a warning.
"""

from __future__ import annotations

import json
import logging
import struct
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from warploom.graphics.color import LIGHT_OF_BYTE
from warploom.graphics.draw_call import Shading
from warploom.graphics.scene import Camera, Mesh, Scene
from warploom.graphics.state import ALPHA_BLENDING, Depth, GraphicsError, Pipeline
from warploom.graphics.texture import Texture
from warploom.observe.text.needs import needed

MESHES = (".gltf", ".glb", ".obj", ".ply", ".stl", ".off")
PYTHON = ".py"
GLB_MAGIC, GLB_HEADER, JSON_CHUNK = b"glTF", 12, 0x4E4F534A
LEFT_OUT = {"animations": "animations", "skins": "skins"}  # of glTF's top level
TEXTURES_LEFT_OUT = ("normalTexture", "occlusionTexture", "emissiveTexture")
MOST_BYTES = 512 << 20


def load_scene(path: str) -> Scene:
    """The scene in a file. Raises GraphicsError for one that cannot be read or drawn, MissingPackage without trimesh."""
    suffix = Path(path).suffix.lower()
    if suffix not in MESHES:
        raise GraphicsError(f"{path!r} is not a scene: there are {', '.join(MESHES)}, and Python files")
    try:
        size = Path(path).stat().st_size
    except FileNotFoundError:
        raise GraphicsError(f"there is no file {path!r}") from None
    if size > MOST_BYTES:
        raise GraphicsError(f"{path!r} has {size} bytes: at most {MOST_BYTES} are read")
    if not Path(path).is_file():
        raise GraphicsError(f"{path!r} is not a file")
    trimesh = needed("trimesh", "reading scenes", "graphics")
    said = _missing(path, suffix)
    quiet = logging.getLogger("trimesh")
    quiet.disabled = True  # what it says is about its own code, and what matters is found here
    try:
        with warnings.catch_warnings(action="ignore"):
            loaded = trimesh.load_scene(path, process=False)
    except Exception as error:  # a file of many formats is read by code that raises whatever it meets
        reason = str(error).strip() or type(error).__name__
        raise GraphicsError(f"{path!r} cannot be read: {reason.splitlines()[0]}") from None
    finally:
        quiet.disabled = False
    meshes = list(_meshes(loaded, suffix))
    if not meshes:
        raise GraphicsError(f"{path!r} has no triangles")
    meshes.sort(key=lambda mesh: mesh.pipeline.blend == ALPHA_BLENDING)  # what one can see through comes last
    return Scene(meshes, _camera(loaded), srgb=True, warnings=said)


def _meshes(loaded: Any, suffix: str) -> Iterable[Mesh]:
    for node in loaded.graph.nodes_geometry:
        matrix, name = loaded.graph[node]
        geometry = loaded.geometry[name]
        faces = getattr(geometry, "faces", None)
        if faces is None or len(faces) == 0:
            continue
        shading, pipeline = _look(geometry, suffix, name)
        uv = getattr(geometry.visual, "uv", None)
        if uv is not None and len(uv) == len(geometry.vertices):
            uv = np.stack([uv[:, 0], 1 - uv[:, 1]], axis=1)  # trimesh has v = 0 at the lower edge
        else:
            uv, shading = None, _without_texture(shading)
        normals = geometry.vertex_normals if "vertex_normals" in geometry._cache.cache else None
        with np.errstate(all="ignore"):
            yield Mesh(np.asarray(geometry.vertices), np.asarray(faces, np.int64), uv, _vertex_colors(geometry), normals, shading, pipeline,
                       np.asarray(matrix), f"mesh {name!r}")  # fmt: skip


def _without_texture(shading: Shading) -> Shading:
    return Shading(shading.color, None, shading.lit, shading.two_sided, shading.cutoff)


def _vertex_colors(geometry: Any) -> np.ndarray | None:
    """Colours of vertices, 0 to 1, as light: glTF says that they are, of other formats they are bytes of a picture."""
    visual = geometry.visual
    colors = visual.vertex_colors if visual.kind == "vertex" else getattr(visual, "vertex_attributes", {}).get("color")
    if colors is None or len(colors) != len(geometry.vertices):
        return None
    values = np.asarray(colors)
    if values.dtype.kind == "f":
        return values[:, :4].astype(np.float64)
    light = LIGHT_OF_BYTE[values.astype(np.uint8)].astype(np.float64)
    if light.shape[1] == 4:
        light[:, 3] = values[:, 3] / 255
    return light


def _look(geometry: Any, suffix: str, name: str) -> tuple[Shading, Pipeline]:
    """How a mesh is shaded, and the state that it is drawn in."""
    material = getattr(geometry.visual, "material", None)
    color, image, mode, cutoff, two_sided = (1.0, 1.0, 1.0, 1.0), None, "OPAQUE", 0.5, True
    if material is not None and hasattr(material, "baseColorFactor"):
        given = material.baseColorFactor
        color = (1.0, 1.0, 1.0, 1.0) if given is None else _four(given, light=True)
        image, mode = material.baseColorTexture, material.alphaMode or "OPAQUE"
        cutoff, two_sided = 0.5 if material.alphaCutoff is None else float(material.alphaCutoff), bool(material.doubleSided)
    elif material is not None:
        image = getattr(material, "image", None)
        given = getattr(material, "diffuse", None)
        color = (1.0, 1.0, 1.0, 1.0) if image is not None or given is None else _four(given, light=False)
        mode = "BLEND" if color[3] < 1 else "OPAQUE"
    blended = mode == "BLEND"
    texture = None
    if image is not None:
        pixels = np.asarray(image.convert("RGBA"), np.uint8)
        texture = Texture(pixels, name=f"the texture of mesh {name!r}")
    shading = Shading(color, texture, lit=True, two_sided=two_sided, cutoff=cutoff if mode == "MASK" else 0.0)
    pipeline = Pipeline(cull_mode="none" if two_sided else "back")
    if blended:
        pipeline = Pipeline(Depth("less", write=False), blend=ALPHA_BLENDING, cull_mode=pipeline.cull_mode)
    return shading, pipeline


def _four(given: Any, light: bool) -> tuple[float, float, float, float]:
    """A base colour as red, green, blue, alpha, of light. light: bytes are amounts of light times 255, else bytes of a picture."""
    values = np.asarray(given)
    bytes_given = values.dtype.kind in "ui"
    floats = values.astype(np.float64) / 255 if bytes_given else values.astype(np.float64)
    red, green, blue, alpha = [*floats[:3], floats[3] if len(floats) > 3 else 1.0]
    if not light:
        red, green, blue = (LIGHT_OF_BYTE[int(np.clip(part, 0, 1) * 255 + 0.5)] for part in (red, green, blue))
    return float(red), float(green), float(blue), float(alpha)


def _camera(loaded: Any) -> Camera | None:
    """The file's own camera, if it has one."""
    if not loaded.has_camera:
        return None
    matrix = np.asarray(loaded.camera_transform, np.float64)
    eye, back, up = matrix[:3, 3], matrix[:3, 2], matrix[:3, 1]
    return Camera(tuple(eye), tuple(eye - back), tuple(up), float(loaded.camera.fov[1]))


# ---------------------------------------------------------------------------------------------------------
# What a file names and is not drawn


def _missing(path: str, suffix: str) -> list[str]:
    """Sentences about files that are not there, and about what is not drawn."""
    try:
        if suffix in (".gltf", ".glb"):
            return _missing_of_gltf(path, _header(path, suffix))
        if suffix == ".obj":
            return _missing_of_obj(path)
    except (OSError, ValueError, AttributeError, TypeError, struct.error):
        pass  # the reader itself says what is wrong with the file
    return []


def _header(path: str, suffix: str) -> Any:
    data = Path(path).read_bytes()
    if suffix == ".glb":
        if data[:4] != GLB_MAGIC:
            return {}
        size, kind = struct.unpack_from("<II", data, GLB_HEADER)
        data = data[GLB_HEADER + 8 : GLB_HEADER + 8 + size] if kind == JSON_CHUNK else b"{}"
    return json.loads(data)


def _missing_of_gltf(path: str, header: Any) -> list[str]:
    said = []
    for image in header.get("images", []):
        uri = image.get("uri", "")
        if uri and not uri.startswith("data:") and not (Path(path).parent / uri).is_file():
            said.append(f"the texture {uri!r} is missing: what it covers is drawn without it")
    left = [name for key, name in LEFT_OUT.items() if header.get(key)]
    if any(primitive.get("targets") for mesh in header.get("meshes", []) for primitive in mesh.get("primitives", [])):
        left.append("morph targets")
    if any(primitive.get("mode", 4) < 4 for mesh in header.get("meshes", []) for primitive in mesh.get("primitives", [])):
        left.append("points and lines")
    materials = header.get("materials", [])
    left += [name for name in TEXTURES_LEFT_OUT if any(material.get(name) for material in materials)]
    cameras = header.get("cameras", [])
    if len(cameras) > 1:
        left.append("cameras but the first")
    if any(camera.get("type") == "orthographic" for camera in cameras):
        left.append("orthographic cameras")
    left += header.get("extensionsUsed", [])
    return [*said, *([f"not drawn: {', '.join(left)}"] if left else [])]


def _missing_of_obj(path: str) -> list[str]:
    said, folder = [], Path(path).parent
    for line in Path(path).read_text("utf-8", "replace").splitlines():
        if not line.startswith("mtllib "):
            continue
        name = line.split(maxsplit=1)[1].strip()
        if not (folder / name).is_file():
            said.append(f"the materials {name!r} are missing: what they cover is drawn without them")
            continue
        for row in (folder / name).read_text("utf-8", "replace").splitlines():
            words = row.split()
            if len(words) > 1 and words[0].lower() == "map_kd" and not (folder / words[-1]).is_file():
                said.append(f"the texture {words[-1]!r} is missing: what it covers is drawn without it")
    return said
