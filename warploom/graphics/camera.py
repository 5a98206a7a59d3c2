"""Cameras: matrices from the world to clip space, and a camera that sees a whole scene."""

from __future__ import annotations

import numpy as np

from warploom.graphics.scene import Camera, Scene
from warploom.graphics.state import GraphicsError

FRONT = (0.45, 0.35, 1.0)  # where a camera that nobody has placed stands, seen from the scene's middle
MARGIN = 1.04
LEAST_DISTANCE = 1e-40  # of the far plane, where all is behind the eye
NEAREST_SHARE = 1e-4  # near plane, of the distance to the far one, at least: depth has 24 bits


def view_matrix(camera: Camera) -> np.ndarray:
    """From the world to the camera: it stands at 0 and looks along -z. Raises GraphicsError."""
    eye, target, up = (np.array(part, np.float64) for part in (camera.eye, camera.target, camera.up))
    if not all(part.shape == (3,) and np.isfinite(part).all() for part in (eye, target, up)):
        raise GraphicsError(f"eye, target and up of the camera are three finite numbers each: {camera}")
    back = eye - target
    length = np.sqrt((back**2).sum())
    if length == 0:
        raise GraphicsError("the camera's eye and target are the same point, so it looks nowhere")
    back /= length
    side = np.cross(up, back)
    if np.sqrt((side**2).sum()) < 1e-9 * max(np.sqrt((up**2).sum()), 1e-300):
        raise GraphicsError("the camera looks along its own `up`: turn one of them")
    side /= np.sqrt((side**2).sum())
    made = np.eye(4)
    made[:3, :3] = side, np.cross(back, side), back
    made[:3, 3] = -made[:3, :3] @ eye
    return made


def projection_matrix(fov: float, aspect: float, near: float, far: float) -> np.ndarray:
    """A perspective: -near to z = 0, -far to z = w. fov: degrees, from bottom to top; aspect: width / height."""
    scale = 1 / np.tan(np.radians(fov) / 2)
    made = np.zeros((4, 4))
    made[0, 0], made[1, 1] = scale / aspect, scale
    made[2, 2], made[2, 3] = far / (near - far), near * far / (near - far)
    made[3, 2] = -1
    return made


def fitting_camera(scene: Scene, width: int, height: int, front: tuple[float, float, float] | None = None) -> Camera:
    """A camera from which every vertex of a scene is in the picture, and which is as near as that allows. Raises GraphicsError."""
    points = np.concatenate([mesh.world()[np.unique(mesh.triangles)] for mesh in scene.meshes if len(mesh.triangles)])
    low, high = points.min(axis=0), points.max(axis=0)
    middle, extent = (low + high) / 2, float((high - low).max())
    if not extent > 0 or not np.isfinite(extent):
        raise GraphicsError("all vertices of the scene are at one point: there is nothing to see" if extent == 0
                            else "the scene is too large to be measured in floats")  # fmt: skip
    if front is None:
        front = (0.0, 0.0, 1.0) if high[2] - low[2] < 1e-6 * extent else FRONT
    direction = np.array(front) / np.sqrt((np.array(front) ** 2).sum())
    start = Camera(tuple(middle + extent * direction), tuple(middle))
    axes = view_matrix(start)[:3, :3]
    rotated = (points - middle) @ axes.T
    slope = np.tan(np.radians(start.fov) / 2) / MARGIN
    # At a distance d a vertex is in the picture if |x - centre| <= slope * (d - z): two sides, each with a vertex that reaches furthest.
    distance, centre = float(rotated[:, 2].max()) + 1e-3 * extent, middle
    for axis, reach in enumerate((slope * width / height, slope)):
        most = float((rotated[:, axis] + reach * rotated[:, 2]).max())
        least = float((rotated[:, axis] - reach * rotated[:, 2]).min())
        distance = max(distance, (most - least) / (2 * reach))
        centre = centre + axes[axis] * (most + least) / 2
    return Camera(tuple(centre + distance * direction), tuple(centre))


def clip_matrix(scene: Scene, camera: Camera, width: int, height: int) -> np.ndarray:
    """From the world to clip space. Raises GraphicsError."""
    if not 0 < camera.fov < 180:
        raise GraphicsError(f"the camera's fov is {camera.fov}: it is more than 0 and less than 180 degrees")
    near, far = depth_range(scene, camera)
    return np.asarray(projection_matrix(camera.fov, width / height, near, far) @ view_matrix(camera) * _scale(far))


def clip_planes(scene: Scene, camera: Camera) -> tuple[float, float]:
    """w in clip space at the near and at the far plane. Raises GraphicsError."""
    near, far = depth_range(scene, camera)
    return near * _scale(far), far * _scale(far)


def _scale(far: float) -> float:
    """What clip space is multiplied by: it changes no place, and keeps w near 1 in scenes of any size."""
    return float(2.0 ** -np.ceil(np.log2(far)))


def depth_range(scene: Scene, camera: Camera) -> tuple[float, float]:
    """The near and the far plane: the camera's own, or around all that is in front of it. Raises GraphicsError."""
    view, near, far = view_matrix(camera), camera.near, camera.far
    if near is None or far is None:
        depths = np.concatenate([-(mesh.world() @ view[2, :3] + view[2, 3]) for mesh in scene.meshes if len(mesh.triangles)])
        most = max(float(depths.max()), LEAST_DISTANCE) * 1.01
        far = most if far is None else far
        near = max(float(depths.min()) * 0.99, NEAREST_SHARE * far) if near is None else near
    if not 0 < near < far:
        raise GraphicsError(f"near is {near} and far {far}: 0 < near < far")
    return near, far
