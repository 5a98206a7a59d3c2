"""Instructions on general registers, flags and single floats: once a warp, whatever its masks say.

`scalar_rows.py` is their table, `scalars.py` and `shifts.py` say what they do, with the values and flags of `values.py`. `scalar_floats.py`
has floats in lane 0 of a vector register, `flow.py` jumps and calls.
"""
