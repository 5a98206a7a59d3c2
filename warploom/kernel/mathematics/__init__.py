"""Mathematical functions written in the dialect of kernels itself, translated in place where a kernel calls them.

`libm.py` has the functions of 64-bit floats, `complex_library.py` those of complex numbers. They import nothing of the compiler, so that
plain Python can run and test them.
"""
