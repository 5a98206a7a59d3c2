"""Scenes made by a Python file: it is run, and what it calls `scene` is drawn."""

from __future__ import annotations

import runpy
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

from warploom.graphics.scene import Mesh, Scene
from warploom.graphics.state import GraphicsError, Pipeline

NAME = "scene"


def scene_of(path: str) -> Scene:
    """Run a Python file and take its `scene`: a Scene, a Mesh, a list of these, or a function that makes one. Raises GraphicsError."""
    made = made_by(path, NAME, "call a `Scene` of warploom's graphics so", calls=True)
    if isinstance(made, Mesh | list | tuple):
        made = Scene(made)  # type: ignore[arg-type]
    if not isinstance(made, Scene):
        raise GraphicsError(f"{path}: `{NAME}` is a {type(made).__name__}: it is a Scene of warploom's graphics, or a list of Mesh objects")
    for mesh in made.meshes:
        mesh.pipeline = _beside(mesh.pipeline, Path(path).parent)
    return made


def made_by(path: str, name: str, fix: str, calls: bool = False) -> Any:
    """Run a Python file and take what it calls `name`; calls: or what that gives, where it is a function. Raises GraphicsError."""
    if not Path(path).is_file():
        raise GraphicsError(f"there is no file {path!r}")
    folder, before = str(Path(path).resolve().parent), list(sys.path)
    sys.path.insert(0, folder)
    try:
        names = runpy.run_path(path, run_name="__scene__")
        if name not in names:
            raise GraphicsError(f"{path}: it makes no `{name}`: {fix}")
        return names[name]() if calls and callable(names[name]) else names[name]
    except SystemExit as error:
        raise GraphicsError(f"{path}: it ends with exit status {error.code} before its {name} is drawn") from None
    except SyntaxError as error:
        raise GraphicsError(f"{error.filename}:{error.lineno}: {error.msg}") from None
    except Exception as error:
        raise GraphicsError(f"{_place(path, error)}{_said(error)}") from None
    finally:
        sys.path[:] = before


def _beside(pipeline: Pipeline, folder: Path) -> Pipeline:
    """A pipeline whose shaders are found beside the scene, where they are not in the present folder."""
    for field in ("fragment", "vertex"):
        name = getattr(pipeline, field)
        if isinstance(name, str) and not Path(name).is_file() and (folder / name).is_file():
            pipeline = replace(pipeline, **{field: str(folder / name)})  # type: ignore[arg-type]
    return pipeline


def _place(path: str, error: Exception) -> str:
    """The line of the file that the error came from, as "file:line: "; "" where the sentence has it, or none is known."""
    if isinstance(error, GraphicsError) and str(error).startswith(path):
        return ""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return f"{path}:{lines[-1]}: " if lines else f"{path}: "


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, GraphicsError) else f"{type(error).__name__}: {error}"
