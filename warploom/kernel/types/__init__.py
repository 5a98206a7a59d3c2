"""What an expression of a kernel can be while it is compiled.

`types.py` has Numba's types and its rules for what an operation of two types gives; `values.py` has numbers, arrays, records, tuples and
things of the host, as the translator passes them on. Nothing here emits code.
"""
