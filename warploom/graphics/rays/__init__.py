"""Rays on the host: trees of boxes are built, and scenes are traced, by the arithmetic of the ray unit."""

from warploom.graphics.rays.scene import Hits, Instance, RayScene

__all__ = ["Hits", "Instance", "RayScene"]
