"""Rays: boxes and triangles that they hit, and the walk through a tree of boxes."""
