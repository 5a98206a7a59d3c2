"""Pixel shaders of a user's own, files in C: `Pipeline(fragment="toon.c")`, `warploom draw scene.glb --shader toon.c`.

A machine with a raster engine runs them. What they are given and give back: `isa/c/runtime/include/warploom_pixel.h` and its page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from warploom.graphics.state import GraphicsError
from warploom.isa.reading import error, read_text

C = ".c"
ISA = "vortex-2024"
NAMES = (C,)
FUNCTION = "vec4 pixel(const fragment_t *f, const uniforms_t *u)"
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class PixelShader:
    """source: the path of a C file."""

    source: str

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
    if not isinstance(given, str | Path):
        raise GraphicsError(f"fragment is a {type(given).__name__}: it is the name of a file in C, as 'toon.c'")
    path = Path(given)
    if path.suffix.lower() not in NAMES:
        raise GraphicsError(f"the pixel shader {str(given)!r} is not a file in C: its name ends in {C}")
    if not path.is_file():
        raise GraphicsError(f"there is no pixel shader {str(given)!r}: `warploom new {path.stem}.c --kind pixel` writes one to begin with")
    return PixelShader(str(given))
