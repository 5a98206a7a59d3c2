"""Scenes from files: glTF (.gltf, .glb), Wavefront OBJ and others by the package trimesh, and Python files that make one.

What is drawn of a glTF file: triangles, node transforms, base colour and its texture, vertex colours, alpha modes, two-sidedness, the
first perspective camera, one lamp. What else a file has, as animations or skins, is left out, and named in a warning.
"""

from __future__ import annotations

import logging
import struct
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from warploom.graphics.color import LIGHT_OF_BYTE
from warploom.graphics.draw_call import Light, Shading
from warploom.graphics.gltf import camera_of, left_out, light_of, undrawable
from warploom.graphics.gltf_data import Gltf
from warploom.graphics.gltf_meshes import meshes_of
from warploom.graphics.scene import Camera, Mesh, Scene, is_mirror
from warploom.graphics.state import ALPHA_BLENDING, Depth, GraphicsError, Pipeline
from warploom.graphics.texture import Texture
from warploom.observe.text.needs import needed

GLTF = (".gltf", ".glb")
MESHES = (*GLTF, ".obj", ".ply", ".stl", ".off")
PYTHON = ".py"
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
    if suffix in GLTF:
        return _load_gltf(path)
    trimesh = needed("trimesh", "reading scenes", "graphics")
    said = _missing_of_obj(path) if suffix == ".obj" else []
    quiet = logging.getLogger("trimesh")
    before = quiet.level
    quiet.setLevel(logging.CRITICAL + 1)  # of all its parts: what it says is about its own code, and what matters is found here
    try:
        with warnings.catch_warnings(action="ignore"):
            loaded = trimesh.load_scene(path, process=False)
    except Exception as error:  # a file of many formats is read by code that raises whatever it meets
        reason = str(error).strip() or type(error).__name__
        raise GraphicsError(f"{path!r} cannot be read: {reason.splitlines()[0]}") from None
    finally:
        quiet.setLevel(before)
    return _sorted(path, list(_meshes(loaded)), None, Light(), said)


def _meshes(loaded: Any) -> Iterable[Mesh]:
    for node in loaded.graph.nodes_geometry:
        matrix, name = loaded.graph[node]
        geometry = loaded.geometry[name]
        faces = getattr(geometry, "faces", None)
        if faces is None or len(faces) == 0:
            continue
        shading, pipeline = _look(geometry, name)
        if is_mirror(matrix):  # a mirror turns the winding of every triangle round
            pipeline = replace(pipeline, front_face="cw")
        uv = getattr(geometry.visual, "uv", None)
        if uv is not None and np.ndim(uv) == 2 and len(uv) == len(geometry.vertices) and uv.shape[1] > 1:
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
    """Colours of vertices, 0 to 1, as light, of bytes of a picture."""
    visual = geometry.visual
    colors = visual.vertex_colors if visual.kind == "vertex" else getattr(visual, "vertex_attributes", {}).get("color")
    if colors is None or len(colors) != len(geometry.vertices):
        return None
    values = np.asarray(colors)
    if values.dtype.kind == "f":
        return np.clip(np.nan_to_num(values[:, :4].astype(np.float64)), 0, 1)
    light = LIGHT_OF_BYTE[values.astype(np.uint8)].astype(np.float64)
    if light.shape[1] == 4:
        light[:, 3] = values[:, 3] / 255
    return light


def _look(geometry: Any, name: str) -> tuple[Shading, Pipeline]:
    """How a mesh is shaded, and the state that it is drawn in."""
    material = getattr(geometry.visual, "material", None)
    image, given = getattr(material, "image", None), getattr(material, "diffuse", None)
    color = (1.0, 1.0, 1.0, 1.0) if image is not None or given is None else _four(given)
    texture = None
    if image is not None:
        pixels = np.asarray(image.convert("RGBA"), np.uint8)
        texture = Texture(pixels, name=f"the texture of mesh {name!r}")
    pipeline = Pipeline(cull_mode="none")
    if color[3] < 1:
        pipeline = Pipeline(Depth("less", write=False), blend=ALPHA_BLENDING, cull_mode="none")
    return Shading(color, texture, lit=True, two_sided=True), pipeline


def _four(given: Any) -> tuple[float, float, float, float]:
    """A colour of a picture as red, green, blue, alpha, of light."""
    values = np.asarray(given)
    bytes_given = values.dtype.kind in "ui"
    floats = values.astype(np.float64) / 255 if bytes_given else values.astype(np.float64)
    red, green, blue, alpha = [*floats[:3], floats[3] if len(floats) > 3 else 1.0]
    red, green, blue = (LIGHT_OF_BYTE[int(np.clip(part, 0, 1) * 255 + 0.5)] for part in (red, green, blue))
    return float(red), float(green), float(blue), float(alpha)


# ---------------------------------------------------------------------------------------------------------
# glTF


def _load_gltf(path: str) -> Scene:
    """Raises GraphicsError where its parts do not fit together."""
    try:
        file = Gltf(path)
        if needs := undrawable(file.header):
            raise GraphicsError(f"{path!r} cannot be read: it needs the extension {needs}, which is not read; export it without")
        camera, light, said = camera_of(file.header), light_of(file.header) or Light(), left_out(path, file.header)
        meshes = list(meshes_of(file))
    except (AttributeError, IndexError, KeyError, OSError, TypeError, struct.error, OverflowError) as error:
        raise GraphicsError(f"{path!r} cannot be read: its parts do not fit together ({type(error).__name__}: {error})") from None
    except ValueError as error:
        if isinstance(error, GraphicsError):
            raise
        raise GraphicsError(f"{path!r} cannot be read: its parts do not fit together ({error})") from None
    return _sorted(path, meshes, camera, light, said)


def _sorted(path: str, meshes: list[Mesh], camera: Camera | None, light: Light, said: list[str]) -> Scene:
    if not any(len(mesh.triangles) for mesh in meshes):
        raise GraphicsError(f"{path!r} has no triangles")
    meshes.sort(key=lambda mesh: mesh.pipeline.blend == ALPHA_BLENDING)  # what one can see through comes last
    return Scene(meshes, camera, light, srgb=True, warnings=said)


def _missing_of_obj(path: str) -> list[str]:
    said, folder = [], Path(path).parent
    for line in Path(path).read_text("utf-8", "replace").splitlines():
        if not line.startswith("mtllib ") or not line[7:].strip():
            continue
        name = line.split(maxsplit=1)[1].strip()
        if not _is_file(folder / name):
            said.append(f"the materials {name!r} are missing: what they cover is drawn without them")
            continue
        for row in (folder / name).read_text("utf-8", "replace").splitlines():
            words = row.split()
            if len(words) > 1 and words[0].lower() == "map_kd" and not _is_file(folder / words[-1]):
                said.append(f"the texture {words[-1]!r} is missing: what it covers is drawn without it")
    return said


def _is_file(path: Path) -> bool:
    """Whether there is a file of a name that a user's file has: any bytes."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
