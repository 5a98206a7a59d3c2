"""Loads the files that fill the tables of statements, expressions and names."""

from warploom.kernel import (
    atomics,
    builtin_names,
    calls,
    complex_numbers,
    cuda_names,
    expressions,
    half_names,
    loops,
    math_names,
    statements,
    vectors,
    warp_names,
)

TABLES = (
    atomics, builtin_names, calls, complex_numbers, cuda_names, expressions, half_names, loops, math_names, statements, vectors,
    warp_names,
)  # fmt: skip
