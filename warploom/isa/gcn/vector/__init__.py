"""The vector unit: one value a lane, 64 lanes a wave.

`vector_rows.py`, `float_rows.py` and `compare.py` are the tables of VOP1, VOP2, VOP3, VOP3P and VOPC; the other files say what the rows do,
one file a kind of value: whole numbers, carries, bytes, halves, floats, wide floats. `lane_moves.py` has DPP, `register_index.py` registers
that are found by a number.
"""
