"""`warploom draw --shader`, `--vertex-shader`: shaders of the user's own, and the machine that runs them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warploom.cli.common import UserError

if TYPE_CHECKING:
    from warploom.graphics import Scene

GPU = "vortex-2024"  # that draws, unless another one is named
DIVERGENCE = "core.divergence"


def used(scene: Scene, options: dict[str, Any]) -> Scene:
    """The scene with the shaders that the command line names, compiled; options say the machine then. Raises UserError, GraphicsError."""
    from warploom.graphics.own_shader import pixel_shader, vertex_shader

    for field, read, name in (("fragment", pixel_shader, options["shader"]), ("vertex", vertex_shader, options["vertex_shader"])):
        if name:
            shader = read(name)
            for mesh in scene.meshes:
                mesh.pipeline = replace(mesh.pipeline, **{field: shader})  # type: ignore[arg-type]
    if (options["software"] or options["units"]) and options["how"] == "raster":
        from warploom.graphics.machine.software import RASTER, shader_for

        for mesh in scene.meshes:
            mesh.pipeline = replace(mesh.pipeline, fragment=shader_for(mesh.pipeline.fragment, RASTER))
    given = _uniforms(options["uniforms"])
    for mesh in scene.meshes:
        own, vertex = mesh.pipeline.fragment, mesh.pipeline.vertex
        if own is not None or vertex is not None:
            own, vertex = own and pixel_shader(own), vertex and vertex_shader(vertex)
            mesh.pipeline = replace(mesh.pipeline, fragment=own, vertex=vertex, uniforms={**mesh.pipeline.uniforms, **given})
    pixels, places = (any(getattr(mesh.pipeline, field) is not None for mesh in scene.meshes) for field in ("fragment", "vertex"))
    options["own_shader"] = pixels
    if places and options["how"] != "raster":
        raise UserError(f"--{options['how']} takes meshes as they are: leave it or the vertex shader out")
    if pixels:
        if options["how"] != "raster":
            raise UserError(f"--{options['how']} shades with the shader that lights and textures: leave it or the pixel shader out")
        options["gpu"] = options["gpu"] or GPU
    elif given and not places:
        raise UserError("--arg gives numbers to a shader of your own: add --shader FILE or --vertex-shader FILE")
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
