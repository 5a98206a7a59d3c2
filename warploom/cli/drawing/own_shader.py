"""`warploom draw --shader`: a pixel shader of the user's own, and the machine that runs it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warploom.cli.common import UserError

if TYPE_CHECKING:
    from warploom.graphics import Scene

GPU = "vortex-2024"  # that draws, unless another one is named
DIVERGENCE = "core.divergence"


def used(scene: Scene, options: dict[str, Any]) -> Scene:
    """The scene with the shader that the command line names, compiled; options say the machine then. Raises UserError, GraphicsError."""
    from warploom.graphics.pixel_shader import pixel_shader

    if options["shader"]:
        shader = pixel_shader(options["shader"])
        for mesh in scene.meshes:
            mesh.pipeline = replace(mesh.pipeline, fragment=shader)
    for mesh in scene.meshes:
        if mesh.pipeline.fragment is not None:
            mesh.pipeline = replace(mesh.pipeline, fragment=pixel_shader(mesh.pipeline.fragment))
            mesh.pipeline = replace(mesh.pipeline, uniforms={**mesh.pipeline.uniforms, **_uniforms(options["uniforms"])})
    options["own_shader"] = any(mesh.pipeline.fragment is not None for mesh in scene.meshes)
    if options["own_shader"]:
        if options["how"] != "raster":
            raise UserError(f"--{options['how']} shades with the shader that lights and textures: leave it or the pixel shader out")
        options["gpu"] = options["gpu"] or GPU
    elif options["uniforms"]:
        raise UserError("--arg gives numbers to a pixel shader: add --shader FILE")
    return scene


def _uniforms(given: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE or NAME=VALUE,VALUE, as the command line has them. Raises UserError."""
    found: dict[str, Any] = {}
    for text in given:
        name, equals, values = text.partition("=")
        try:
            numbers = tuple(float(one) for one in values.split(","))
        except ValueError:
            numbers = ()
        if not (equals and numbers):
            raise UserError(f"--arg {text}: a uniform is NAME=VALUE, or NAME=VALUE,VALUE with up to four numbers")
        found[name] = numbers if len(numbers) > 1 else numbers[0]
    return found


def settings(changes: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """The machine's settings. What a compiler makes of `if` splits no lanes, so the machine finds itself where they meet again."""
    return {DIVERGENCE: "stack", **changes} if options.get("own_shader") else changes
