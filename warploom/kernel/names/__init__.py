"""The names that kernels know, one file a kind: Python's own, `math` and NumPy, `numba.cuda`, warps, atomics, 16-bit floats, vectors.

A name is a function below `function("path", "arguments", "meaning")` of `syntax/known_names.py`; what it does with the Translator is its
translation, and the reference is made from the same row. `everything.py` loads all files, so that the table is full.
"""
