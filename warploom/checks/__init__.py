"""Checks: what a kernel does that no order of its threads makes right. One file a checker, and a hook by which the machine asks them.

`watch.py` is the hook, called before each micro-op that a check is about; the checkers (`races.py`, `barriers.py`, `bounds.py`,
`initialised.py`, `registers.py`, `warps.py`) write rows into shadow memory (`shadow.py`, `runs.py`), and `report/` puts those into words.
`check.py` runs a kernel so. Nothing is loaded here, and no run without checks loads them.
"""
