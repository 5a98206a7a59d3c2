"""Kernels of PTX on a small machine, as the tests of `ptx` run them."""

from tests.ptx.conftest import bench

__all__ = ["bench"]
