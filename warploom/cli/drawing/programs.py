"""A scene as a program: any command that runs one takes the file of a scene, and runs the draw call of one of its meshes.

The machine is one with a raster engine. `--launch N` is the mesh, by its number or its name; those before it are drawn first, so that the
program begins with their picture. `--arg size=64x48` is the size of the picture.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warploom.cli.common import UserError

if TYPE_CHECKING:
    from warploom.graphics.scene import Scene
    from warploom.isa.diagnostics import Diagnostic
    from warploom.isa.program import Program
    from warploom.machine.config.schema import Config

ISA = "vortex-2024"
PYTHON, NAME = ".py", "scene"
CUDA = "cuda"  # what programs with kernels import, of Numba or of warploom
MODELS = (".gltf", ".glb", ".obj", ".ply", ".stl", ".off")
SIZE = "128x128"


def is_scene(file: str, isa: str | None) -> bool:
    """Whether a file is a scene: a model, or a Python file that calls something `scene`, has no kernels of its own (which may trace rays
    through a scene), and is not asked to be read as a program."""
    suffix = Path(file).suffix.lower()
    if isa is not None or suffix in MODELS:
        return isa is None
    return suffix == PYTHON and Path(file).is_file() and _makes_scene(Path(file))


def _makes_scene(path: Path) -> bool:
    try:
        text = path.read_text(encoding="utf-8")
        body = ast.parse(text).body if "warploom.graphics" in text else []
    except (OSError, SyntaxError, ValueError):
        return False
    if any(isinstance(one, ast.ImportFrom | ast.Import) and any(CUDA in alias.name.split(".") for alias in one.names) for one in body):
        return False
    named = [target for one in body if isinstance(one, ast.Assign) for target in one.targets]
    named += [one.target for one in body if isinstance(one, ast.AnnAssign)]
    return any(isinstance(one, ast.Name) and one.id == NAME for one in named) or any(
        isinstance(one, ast.FunctionDef) and one.name == NAME for one in body
    )


def scene_program(file: str, options: dict[str, Any], config: Config) -> tuple[Program, list[Diagnostic]]:
    """The draw call of a mesh of a scene, and what of its file is not drawn. Raises GraphicsError, LaunchError, UserError."""
    from warploom.gpu import GPU
    from warploom.graphics.machine.drawing import program_before
    from warploom.isa.diagnostics import Diagnostic, Severity

    for name, said in (("buffers", "--buffer"), ("threads", "--threads"), ("block", "--block"), ("grid", "--grid")):
        if options.get(name):
            raise UserError(f"{said} has no effect on {file}: it is a scene, whose draw call says what runs")
    for section, said in (("raster", "a raster engine"), ("merger", "an output merger")):
        if config[f"{section}.cores"] == 0:
            raise UserError(f"drawing needs {said}, which {config.name} does not have; use --gpu vortex-2024")
    width, height = _size(options.get("arguments") or ())
    scene = _scene(file)
    number = _mesh(scene, options.get("launch"))
    program: Program = program_before(GPU(config, engine=options["engine"]), scene, number, width, height)
    return program, [Diagnostic(Severity.WARNING, sentence) for sentence in scene.warnings]


def _scene(file: str) -> Scene:
    from warploom.graphics.files import load_scene
    from warploom.graphics.script import scene_of

    return scene_of(file) if file.lower().endswith(PYTHON) else load_scene(file)


def _size(arguments: tuple[str, ...]) -> tuple[int, int]:
    given = dict(text.partition("=")[::2] for text in arguments)
    if other := next((name for name in given if name != "size"), ""):
        raise UserError(f"--arg {other}: a scene takes --arg size=WxH alone, the pixels of its picture")
    parts = given.get("size", SIZE).lower().split("x")
    if len(parts) > 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise UserError(f"--arg size={given['size']}: pixels as 64x48, or one number for both")
    return int(parts[0]), int(parts[-1])


def _mesh(scene: Scene, asked: str | None) -> int:
    """The mesh that --launch names. Raises UserError."""
    names = [mesh.name for mesh in scene.meshes if len(mesh.triangles)]
    if asked is None:
        return 0
    if asked in names:
        return names.index(asked)
    if asked.isascii() and asked.isdigit() and int(asked) < len(names):
        return int(asked)
    there = ", ".join(f"{number} {name}" for number, name in enumerate(names[:8])) + (", ..." if len(names) > 8 else "")
    raise UserError(f"--launch {asked}: the scene has {len(names)} mesh{'es' if len(names) != 1 else ''} with triangles: {there}")
