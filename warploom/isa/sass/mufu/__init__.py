"""The approximate functions of NVIDIA's special function unit, MUFU, bit by bit as an H100 was recorded to compute them.

The bits are not published, so the recording is not part of warploom: `recording.py` makes a data file of one, `tables.py` reads that file,
and `exact.py` writes the micro-ops that look a function up. Without a file `floats.py` computes within the published errors.
"""
