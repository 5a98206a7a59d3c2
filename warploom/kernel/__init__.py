"""Kernels in Python, in the dialect of numba.cuda: `from warploom import cuda`."""
