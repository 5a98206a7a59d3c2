"""What programs use beside their own kernels: random numbers, reductions, `vectorize` and `guvectorize`.

Each makes a kernel and launches it, through `launch/` as a user would. `stubs.py` has what the names of `cuda` are outside of a kernel.
"""
