"""Loads the files that fill the tables of statements, expressions and names."""

from warploom.kernel.names import (
    atomics,
    builtin_names,
    complex_numbers,
    cuda_names,
    graphics_names,
    half_names,
    libdevice_directed,
    libdevice_names,
    math_names,
    ray_names,
    vectors,
    warp_names,
)
from warploom.kernel.syntax import calls, expressions, loops, statements

TABLES = (
    atomics, builtin_names, calls, complex_numbers, cuda_names, expressions, graphics_names, half_names, libdevice_directed,
    libdevice_names, loops, math_names, ray_names, statements, vectors, warp_names,
)  # fmt: skip
