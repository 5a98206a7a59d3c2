"""numba-cuda's own tests, run on warploom in the place of its simulator: `python -m tests.numba_suite`.

The tests are those of the installed package `numba-cuda`; nothing of them is kept here. Where it is not installed they are those of
the copy inside of Numba, which has other ones: of the copy in Numba 0.68.1 512 tests launch a kernel, of numba-cuda 0.30.4 548.
So the first line printed says whose tests they are, and counts of the two do not compare.
"""
