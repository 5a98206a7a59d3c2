"""NVIDIA's own compilers, as packages from PyPI (extra `nvidia`): from CUDA C++ or PTX to a cubin, without a GPU."""
