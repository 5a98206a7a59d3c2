"""Pixel shaders of a user's own, in C or in Python: `Pipeline(fragment="toon.c")`, `warploom draw scene.glb --shader toon.c`.

A machine with a raster engine runs them. What they are given and give back: `isa/c/runtime/include/warploom_pixel.h` and its page.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from warploom.graphics.script import made_by
from warploom.graphics.state import GraphicsError
from warploom.isa.reading import error, read_text

C = ".c"
ISA = "vortex-2024"
PYTHON = ".py"
NAMES = (C, PYTHON)
SHADERS, SHIPPED = Path(__file__).parent / "shaders", ("lit",)  # by their names
NAME, CALL = "pixel", "def pixel(f, u)"
FUNCTION = "vec4 pixel(const fragment_t *f, const uniforms_t *u)"
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class PixelShader:
    """source: the path of its file. function: of a shader in Python. built: what it was compiled to, by the kinds of its arguments."""

    source: str
    function: Callable[..., Any] | None = None
    built: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def code(self) -> bytes:
        """The program of a machine with Vortex's instructions of 2024, an ELF file. Raises GraphicsError, SourceError."""
        from warploom.isa.c.compiler import compile_c

        _check_text(self.source)
        return compile_c([self.source], ISA)


def _check_text(path: str) -> None:
    """Raise SourceError where a file does not have what makes it a pixel shader."""
    text = COMMENTS.sub(" ", read_text(path))
    if "warploom_pixel.h" not in text:
        raise error(
            path, "it does not include <warploom_pixel.h>, which makes a program of a pixel shader", f"add it, and write {FUNCTION}"
        )
    if not re.search(r"\bpixel\s*\(", text):
        raise error(path, "it has no function `pixel`, which is called for each pixel", f"write {FUNCTION}")


def pixel_shader(given: Any) -> PixelShader:
    """What a pipeline's `fragment` means. Raises GraphicsError."""
    if isinstance(given, PixelShader):
        return given
    if inspect.isfunction(given):
        return PixelShader(given.__code__.co_filename, _two_arguments(given))
    if not isinstance(given, str | Path):
        raise GraphicsError(f"fragment is a {type(given).__name__}: it is the name of a file, as 'toon.c', or a function")
    if str(given) in SHIPPED:
        return PixelShader(str(SHADERS / f"{given}{C}"))
    path, ending = Path(given), ending_of(given)
    if ending not in NAMES:
        raise GraphicsError(f"the pixel shader {str(given)!r} is not a file in C or in Python: its name ends in {C} or {PYTHON}")
    if not path.is_file():
        kind = "pixel" if ending == C else "shader"
        raise GraphicsError(f"there is no pixel shader {str(given)!r}: `warploom new {path.name} --kind {kind}` writes one to begin with")
    return PixelShader(str(given)) if ending == C else pixel_shader(function_of(str(given)))


def _two_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        raise GraphicsError(
            f"{function.__name__}{inspect.signature(function)}: a pixel shader takes a fragment and uniforms, {CALL}"
        ) from None
    return function


def function_of(path: str) -> Callable[..., Any]:
    """Run a Python file and take its function `pixel`. Raises GraphicsError."""
    found = made_by(path, NAME, f"write {CALL}")
    if not inspect.isfunction(found):
        raise GraphicsError(f"{path}: it makes no function `{NAME}`: write {CALL}")
    return found


def ending_of(name: Any) -> str:
    """How a file's name ends, in small letters."""
    return Path(str(name)).suffix.lower()


def in_python(fragment: Any) -> bool:
    """Whether a pipeline's `fragment` is a function, or the name of a Python file."""
    if isinstance(fragment, PixelShader):
        return fragment.function is not None
    return inspect.isfunction(fragment) or ending_of(fragment) == PYTHON
