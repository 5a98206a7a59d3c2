"""A scene drawn by rays: one through the centre of each pixel, and on behind what can be seen through.

The camera, the shader and the output merger are those of `draw`. What a ray meets is sorted by distance, the layers are shaded and merged
from the last to the first, so the order in which meshes are drawn has no meaning here, and neither has a pipeline without a depth test.
The level of detail of a texture comes, as there, from the four pixels of a quad: their rays cross the plane of the triangle that was hit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from warploom.graphics.camera import depth_range, fitting_camera, view_matrix
from warploom.graphics.draw_call import Progress, lamp_of, material_of
from warploom.graphics.drawing import placed_light
from warploom.graphics.rays.on_machine import MachineTracer
from warploom.graphics.rays.scene import RayScene, called
from warploom.graphics.rays.shading import KINDS, merge_hits, shade_hits
from warploom.graphics.rays.tracing import W_AGAIN, W_BOXES, W_LEAVES, W_NODES, W_RESTARTS, W_TRIANGLES, WORK
from warploom.graphics.scene import Camera, Scene
from warploom.graphics.shading import ATTRIBUTES, NO_TEXTURE, Quad
from warploom.graphics.state import OPAQUE, GraphicsError, merger_of
from warploom.graphics.target import Target
from warploom.graphics.texture import in_memory
from warploom.machine.engine.unit import zeros
from warploom.machine.merger.depth_stencil import FARTHEST

MOST_LAYERS = 64
STEP = 1 << 15  # rays between two calls of `progress`
ALL, NEAREST_FIRST = "rgba", ("less", "less-equal")


@dataclass(frozen=True)
class RayDrawn:
    """target: the picture. camera: with which it was taken. scene: the tree. nodes: int64[height, width], visited for each pixel.

    covered: bool[height, width], where a ray met something. counts: of all rays.
    """

    target: Target
    camera: Camera
    scene: RayScene
    nodes: np.ndarray
    covered: np.ndarray
    counts: dict[str, int]
    warnings: tuple[str, ...]


class _Parts(NamedTuple):
    """The scene as one list of triangles: mesh of each, attributes of corners, what weights of corners come from."""

    mesh: np.ndarray
    attributes: np.ndarray
    planes: np.ndarray  # float64[n, 3, 3]: a ray's direction times these gives the weights


def draw_by_rays(
    scene: Scene, width: int = 512, height: int = 512, *, engine: str = "auto", branches: int = 4, stack: int = 16,
    progress: Progress | None = None, tracer: MachineTracer | None = None, **pipeline: object,
) -> RayDrawn:  # fmt: skip
    """Draw a scene by rays. branches: children of a node, 2, 4 or 6. stack: entries of the short stack. progress: told how many rays are
    done, and of how many. tracer: a machine that traces them, with its own stack; None: the host does. pipeline: as `draw`; what only a
    raster engine has changes nothing. Raises GraphicsError.
    """
    target = Target(width, height, srgb=scene.srgb)
    target.clear(scene.background)
    camera = scene.camera or fitting_camera(scene, width, height)
    near, far = depth_range(scene, camera)
    scale = 2.0 ** -np.ceil(np.log2(far))
    parts, corners = _parts(scene, view_matrix(camera), scale)
    tree = RayScene(corners, branches)
    states = [_changed(mesh.pipeline, pipeline) for mesh in scene.meshes]
    textures = [mesh.shading.texture for mesh in scene.meshes if mesh.shading.texture is not None]
    materials = _records([material_of(mesh.shading) for mesh in scene.meshes])
    materials["texture"][materials["texture"] != NO_TEXTURE] = np.arange(len(textures), dtype=np.int64)
    lamp = lamp_of(placed_light(scene.light, camera), target)
    given = [zeros(1, Quad), lamp, materials, *in_memory(textures, target.srgb)]
    mergers = _records([merger_of(state) for state in states])
    faces = np.array([[state.front_face == "cw", state.cull_mode == "back", state.cull_mode == "front"] for state in states], bool)
    clear = np.array([state.blend != OPAQUE or state.depth is None or not state.depth.write or set(state.write_mask) != set(ALL)
                      for state in states], bool)  # fmt: skip
    nodes, covered, work = np.zeros(width * height, np.int64), np.zeros(width * height, bool), np.zeros(WORK, np.int64)
    rays = layers = 0
    for first in range(0, width * height, STEP):
        pixels = np.arange(first, min(first + STEP, width * height), dtype=np.int64)
        found: list[np.ndarray] = []
        start = np.full(len(pixels), near * scale, np.float32)
        for _ in range(MOST_LAYERS):
            if len(pixels) == 0:
                break
            directions = _directions(pixels % width, pixels // width, camera, width, height)
            if tracer is None:
                hits = tree.trace(np.zeros(3), directions, start, far * scale, stack=stack, engine=engine)
            else:
                hits = tracer.trace(tree, directions, start, far * scale)
            rays += len(pixels)
            nodes[pixels] += hits.work[:, W_NODES]
            work += hits.work.sum(axis=0)
            met, mesh = np.flatnonzero(hits.hit), parts.mesh[hits.triangle]
            back = hits.back ^ faces[mesh, 0]
            culled = (faces[mesh, 1] & back) | (faces[mesh, 2] & ~back)
            seen = met[~culled[met]]
            fragments = _shaded(given, parts, hits, seen, pixels[seen], back[seen], camera, (width, height), engine)
            z = far / (far - near) * (1 - near * scale / hits.t[seen].astype(np.float64))
            fragments[:, 4] = np.clip(np.floor(z * FARTHEST + 0.5), 0, FARTHEST)
            kept = fragments[:, 3] >= 0
            covered[pixels[seen]] = True
            found.append(fragments[kept])
            layers += int(kept.sum())
            on = hits.hit & (culled | clear[mesh])
            on[seen[~kept]] = True
            pixels, start = pixels[on], hits.t[on]
        for fragments in reversed(found):
            called(merge_hits, [mergers, target.color, target.depth_stencil, np.ascontiguousarray(fragments)], engine, len(fragments))
        if progress is not None:
            progress(min(first + STEP, width * height), width * height)
    counts = {
        "rays": rays, "fragments": layers, "covered": int(covered.sum()), "nodes": int(work[W_NODES]), "boxes": int(work[W_BOXES]),
        "leaves": int(work[W_LEAVES]), "tested": int(work[W_TRIANGLES]), "restarts": int(work[W_RESTARTS]), "again": int(work[W_AGAIN]),
        "tree_bytes": 4 * len(tree.words), "tree_depth": tree.depth, "triangles": len(corners),
    }  # fmt: skip
    if tracer is not None:
        counts |= {"cycles": tracer.cycles, "dram_bytes": tracer.counted("dram_bytes")}
    shape = (height, width)
    return RayDrawn(target, camera, tree, nodes.reshape(shape), covered.reshape(shape), counts, tuple(_unlike(scene, states)))


def _unlike(scene: Scene, states: list[Any]) -> list[str]:
    """What of a scene rays do not do."""
    found = []
    for mesh, state in zip(scene.meshes, states, strict=True):
        if len(mesh.triangles) == 0:
            continue
        if state.depth is None or state.depth.compare not in NEAREST_FIRST:
            found.append(f"by rays the nearest is seen; {mesh.name} is drawn in its own order by the raster engine")
        if state.stencil_front is not None or state.stencil_back is not None:
            found.append(f"the stencil test of {mesh.name} depends on the order of drawing, which rays do not have")
    return found


def _changed(state: Any, changes: dict[str, object]) -> Any:
    try:
        return replace(state, **changes)
    except TypeError as error:
        raise GraphicsError(f"a pipeline has no such field: {error}") from None


def _records(parts: list[np.ndarray]) -> np.ndarray:
    """Arrays of one record each as one array of the same records. (NumPy's own way of joining them lays the fields out anew.)"""
    made = zeros(len(parts), parts[0].dtype)
    for row, one in enumerate(parts):
        made[row] = one[0]
    return made


def _parts(scene: Scene, view: np.ndarray, scale: float) -> tuple[_Parts, np.ndarray]:
    """All triangles, and their corners as the camera sees them: float32[n, 3, 3]; z is negative in front of it."""
    corners, attributes, numbers = [], [], []
    for number, mesh in enumerate(scene.meshes):
        placed = (mesh.world() @ view[:3, :3].T + view[:3, 3]) * scale
        corners.append(placed[mesh.triangles].astype(np.float32))
        attributes.append(mesh.corner_attributes())
        numbers.append(np.full(len(mesh.triangles), number, np.int64))
    whole = np.concatenate(corners)
    a, b, c = whole.astype(np.float64).transpose(1, 0, 2)
    planes = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
    return _Parts(np.concatenate(numbers), np.concatenate(attributes), planes), whole


def _directions(x: np.ndarray, y: np.ndarray, camera: Camera, width: int, height: int) -> np.ndarray:
    """From the eye through the centres of pixels, one step forward: float64[n, 3], as the camera sees it."""
    slope = np.tan(np.radians(camera.fov) / 2)
    across, down = (2 * x + 1) / width - 1, 1 - (2 * y + 1) / height
    return np.stack([across * slope * width / height, down * slope, np.full(len(x), -1.0, np.float64)], axis=1)


def _shaded(
    given: list[Any], parts: _Parts, hits: Any, seen: np.ndarray, pixels: np.ndarray, back: np.ndarray, camera: Camera,
    size: tuple[int, int], engine: str,
) -> np.ndarray:  # fmt: skip
    """Fragments of hits: int64[n, 5], mesh, pixel, face, colour or -1, and room for a depth."""
    triangles, width = hits.triangle[seen], size[0]
    x, y = pixels % width, pixels // width
    values = np.zeros((len(seen), 4, ATTRIBUTES), np.float32)
    for place in range(4):
        directions = _directions(x - (x & 1) + (place & 1), y - (y & 1) + (place >> 1), camera, *size)
        weights = np.einsum("nkc,nc->nk", parts.planes[triangles], directions)
        total = weights.sum(axis=1, keepdims=True)
        weights = np.divide(weights, total, out=np.zeros_like(weights), where=total != 0)
        values[:, place] = np.einsum("nk,nka->na", weights, parts.attributes[triangles])
    kinds = np.zeros((len(seen), KINDS), np.int64)
    kinds[:, 0], kinds[:, 1], kinds[:, 2] = parts.mesh[triangles], back, (x & 1) | (y & 1) << 1
    colors = np.zeros(len(seen), np.int64)
    called(shade_hits, [*given, values, kinds, colors], engine, len(seen))
    return np.stack([parts.mesh[triangles], pixels, back, colors, np.zeros_like(colors)], axis=1).astype(np.int64)
