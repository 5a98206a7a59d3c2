"""Memory: what a wave loads and stores, one file a path.

`scalar_memory.py` is SMEM, through the scalar cache; `vector_memory.py` FLAT, GLOBAL, SCRATCH and MUBUF, lane by lane; `lds.py` DS, the
block's local data share. Each file has its rows of the table and their lowering.
"""
