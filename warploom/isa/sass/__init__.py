"""NVIDIA's machine code: cubins of sm_70 to sm_90, read, listed and executed.

`front_end.py` loads one; `table.py` is the instruction set.
"""
