"""The GPU that a Python program uses, and its memory.

`context.py` holds the GPU, its settings and what was run on it; `arrays.py` has arrays in its memory, which live from launch to launch,
with the names of numba.cuda. Nothing here compiles.
"""
