"""Instructions on vector registers and opmasks: sixteen lanes of 32 bits.

One file a kind: `integers.py`, `floats.py`, `masks.py`, and `crossing.py` for what moves between lanes, memory and general registers. Each
has its rows of the table and their lowering.
"""
