"""Shaders in C, compiled for the host: a library that is loaded into this process."""

from __future__ import annotations

import ctypes
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

from warploom.graphics.own_shader import Shader
from warploom.isa.c.compiler import RUNTIME, check_compiler, run_compiler
from warploom.isa.host.children import ISOLATED
from warploom.isa.reading import read_bytes


def library(shader: Shader) -> ctypes.CDLL:
    """The library of a shader in C. Raises SourceError."""
    shader.check()
    check_compiler(shader.source)
    return _loaded(shader.source, read_bytes(shader.source))


@lru_cache(32)
def _loaded(source: str, text: bytes) -> ctypes.CDLL:
    """text: by which a file that has changed is known."""
    flags = [
        "-O2",
        "-Wall",
        "-std=gnu17",
        "-shared",
        "-nostdlib",
        "-fPIC",
        "-fvisibility=hidden",
        "-fno-math-errno",
        "-fno-sanitize=undefined",
    ]
    command = [sys.executable, *ISOLATED, "-m", "ziglang", "cc", *flags, "-DWARPLOOM_HOST", "-I", str(RUNTIME / "include")]
    with tempfile.TemporaryDirectory(prefix="warploom-shader-") as folder:
        made = Path(folder) / "shader.so"
        run_compiler([*command, str(Path(source).resolve()), "-o", str(made)], source, folder)
        return ctypes.CDLL(str(made))
