"""Shaders of a user's own, in C or in Python: `Pipeline(fragment="toon.c", vertex="wave.py")`, `warploom draw scene.glb --shader toon.c`.

A pixel shader runs on a machine with a raster engine, a vertex shader on the host or on a machine. What they are given and give back:
`isa/c/runtime/include/warploom_pixel.h` and `warploom_vertex.h`, `pixel.py` and `vertex.py`, and the page of pixel shaders.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from warploom.graphics.script import made_by
from warploom.graphics.state import GraphicsError
from warploom.isa.reading import error, read_text

C = ".c"
ISA = "vortex-2024"
PYTHON = ".py"
NAMES = (C, PYTHON)
SHADERS, SHIPPED = Path(__file__).parent / "shaders", ("lit",)  # by their names
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class Stage(NamedTuple):
    """What shaders of a stage are called, in a pipeline and in their files. taken: what they take; kinds: of `warploom new`,
    C's first."""

    field: str
    name: str
    header: str
    call: str
    function: str
    taken: str
    kinds: tuple[str, str]


PIXEL = Stage(
    "fragment", "pixel", "warploom_pixel.h", "def pixel(f, u)", "vec4 pixel(const fragment_t *f, const uniforms_t *u)", "a fragment",
    ("pixel", "shader"),
)  # fmt: skip
VERTEX = Stage(
    "vertex", "vertex", "warploom_vertex.h", "def vertex(v, u)", "shaded_t vertex(const vertex_t *v, const uniforms_t *u)", "a vertex",
    ("vertex", "vertex_shader"),
)  # fmt: skip


@dataclass(frozen=True)
class Shader:
    """source: the path of its file. function: of a shader in Python. built: what it was compiled to, by the kinds of its arguments."""

    source: str
    function: Callable[..., Any] | None = None
    built: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    stage: Stage = PIXEL

    @cached_property
    def code(self) -> bytes:
        """The program of a machine with Vortex's instructions of 2024, an ELF file. Raises GraphicsError, SourceError."""
        from warploom.isa.c.compiler import compile_c

        self.check()
        return compile_c([self.source], ISA)

    def check(self) -> None:
        """Raise SourceError where a file in C does not have what makes it a shader of its stage."""
        text, stage = COMMENTS.sub(" ", read_text(self.source)), self.stage
        if stage.header not in text:
            raise error(
                self.source,
                f"it does not include <{stage.header}>, which makes a program of a {stage.name} shader",
                f"add it, and write {stage.function}",
            )
        if not re.search(rf"\b{stage.name}\s*\(", text):
            said = f"it has no function `{stage.name}`, which is called for each {stage.name}"
            raise error(self.source, said, f"write {stage.function}")


def pixel_shader(given: Any) -> Shader:
    """What a pipeline's `fragment` means. Raises GraphicsError."""
    return _shader(given, PIXEL)


def vertex_shader(given: Any) -> Shader:
    """What a pipeline's `vertex` means. Raises GraphicsError."""
    return _shader(given, VERTEX)


def _shader(given: Any, stage: Stage) -> Shader:
    if isinstance(given, Shader):
        return given
    if inspect.isfunction(given):
        return Shader(given.__code__.co_filename, _two_arguments(given, stage), stage=stage)
    if not isinstance(given, str | Path):
        raise GraphicsError(f"{stage.field} is a {type(given).__name__}: it is the name of a file, as 'toon.c', or a function")
    if stage is PIXEL and str(given) in SHIPPED:
        return Shader(str(SHADERS / f"{given}{C}"))
    path, ending = Path(given), ending_of(given)
    if ending not in NAMES:
        raise GraphicsError(f"the {stage.name} shader {str(given)!r} is not a file in C or in Python: its name ends in {C} or {PYTHON}")
    if not path.is_file():
        begin = f"`warploom new {path.name} --kind {stage.kinds[ending != C]}` writes one to begin with"
        raise GraphicsError(f"there is no {stage.name} shader {str(given)!r}: {begin}")
    return Shader(str(given), stage=stage) if ending == C else _shader(function_of(str(given), stage), stage)


def _two_arguments(function: Callable[..., Any], stage: Stage) -> Callable[..., Any]:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        raise GraphicsError(
            f"{function.__name__}{inspect.signature(function)}: a {stage.name} shader takes {stage.taken} and uniforms, {stage.call}"
        ) from None
    return function


def function_of(path: str, stage: Stage = PIXEL) -> Callable[..., Any]:
    """Run a Python file and take its function of a stage, as `pixel`. Raises GraphicsError."""
    found = made_by(path, stage.name, f"write {stage.call}")
    if not inspect.isfunction(found):
        raise GraphicsError(f"{path}: it makes no function `{stage.name}`: write {stage.call}")
    return found


def ending_of(name: Any) -> str:
    """How a file's name ends, in small letters."""
    return Path(str(name)).suffix.lower()


def in_python(fragment: Any) -> bool:
    """Whether a pipeline's `fragment` is a function, or the name of a Python file."""
    if isinstance(fragment, Shader):
        return fragment.function is not None
    return inspect.isfunction(fragment) or ending_of(fragment) == PYTHON
