"""From Python's syntax tree to SSA: what each statement and expression means.

`tree.py` reads a function's source; `translator.py` is what all parts share; `statements.py`, `loops.py`, `expressions.py`, `calls.py`,
`attributes.py` and `memory.py` fill its tables by the class of the node; `merging.py` and `carried.py` join variables where paths meet.
`known_names.py` is the table of names that kernels know, and `names/` has its rows.
"""
