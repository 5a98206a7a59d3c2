"""numba-cuda's own tests, run on warploom in the place of its simulator: `python -m tests.numba_suite`.

The tests are those of the installed package `numba-cuda` (0.30); nothing of them is kept here.
"""
