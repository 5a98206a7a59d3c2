"""Drawing triangles: scenes, pipelines, draw calls, targets.

    from warploom.graphics import Camera, Mesh, Scene, draw

    scene = Scene(Mesh([[0, 1, 0], [-1, -1, 0], [1, -1, 0]], colors=[[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    draw(scene, 256, 256).target.pixels()

What is drawn goes through the same units as in a machine: setup, raster engine, shader on quads, output merger. Names are those of WebGPU.
"""

from warploom.graphics.draw_call import DrawCall, Light, Shading, draw_call
from warploom.graphics.drawing import Drawn, draw
from warploom.graphics.scene import Camera, Mesh, Scene
from warploom.graphics.state import ALPHA_BLENDING, OPAQUE, Blend, BlendPart, Depth, GraphicsError, Pipeline, StencilFace
from warploom.graphics.target import Target
from warploom.graphics.texture import Texture

__all__ = [
    "ALPHA_BLENDING", "OPAQUE", "Blend", "BlendPart", "Camera", "Depth", "DrawCall", "Drawn", "GraphicsError", "Light", "Mesh",
    "Pipeline", "Scene", "Shading", "StencilFace", "Target", "Texture", "draw", "draw_call",
]  # fmt: skip
