"""Packages that need a GPU, or that write kernels for one: what is said where a program imports one that is not installed."""

from __future__ import annotations

import re
import traceback

from warploom.isa.diagnostics import Diagnostics, Source, SourceError
from warploom.isa.program import Position

KERNELS = "write the kernel in the dialect of numba.cuda (`from numba import cuda`), which runs here; `warploom new kernel.py` shows how"
ARRAYS = "use NumPy for the arrays and `from numba import cuda` for the kernels, which run here"
# By the package's name: what it is, and what works instead.
FOREIGN = {
    "cupy": ("arrays on a real GPU", ARRAYS),
    "cupyx": ("arrays on a real GPU", ARRAYS),
    "cudf": ("tables on a real GPU", ARRAYS),
    "torch": ("PyTorch, whose kernels are compiled for a real GPU", ARRAYS),
    "jax": ("JAX, whose kernels are compiled for a real GPU", ARRAYS),
    "tensorflow": ("TensorFlow, whose kernels are compiled for a real GPU", ARRAYS),
    "triton": ("Triton, whose kernels are compiled for a real GPU", KERNELS),
    "pycuda": ("CUDA C++ from Python, for a real GPU", "put the kernels and their host code into a file: `warploom run program.cu`"),
    "cuda": ("NVIDIA's bindings to its driver", KERNELS),
    "pyopencl": ("OpenCL on a real device", "write the kernel to a file: `warploom run kernel.cl` (for AMD's GCN)"),
    "taichi": ("Taichi, whose kernels are compiled for a real GPU", KERNELS),
    "warp": ("NVIDIA Warp, whose kernels are compiled for a real GPU", KERNELS),
    "cutlass": ("NVIDIA's CUTLASS", KERNELS),
    "moderngl": ("OpenGL on a real GPU", KERNELS),
    "wgpu": ("WebGPU on a real GPU", KERNELS),
    "numba_cuda": ("numba-cuda by its distribution's name", "write `from numba import cuda`, which is warploom's here"),
}


def foreign_import(error: Exception) -> SourceError | None:
    """The mistake with its place, where a program has imported one of these and it is not there; None for any other exception."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None or error.name.partition(".")[0] not in FOREIGN:
        return None
    name = error.name.partition(".")[0]
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    last = frames[-1] if frames else None
    if last is None or (number := last.lineno) is None:
        return None
    try:
        with open(last.filename, encoding="utf-8") as file:
            source = Source(file.read(), last.filename)
    except (OSError, UnicodeDecodeError):
        return None
    text = source.lines[number - 1] if number <= len(source.lines) else ""
    found = re.search(rf"\b{re.escape(name)}\b", text)
    column = found.start() + 1 if found else 1
    what, instead = FOREIGN[name]
    said = Diagnostics(source)
    said.error(Position(number, column), f"{name} is not installed: it is {what}", len(name), instead)
    return SourceError(said.items, said.source)
