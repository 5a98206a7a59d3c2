"""A core with warps. `cycle.py` is its cycle; the rooms are its units, in the order in which an instruction reaches them:

`fetch`, `warps` (warp table, scoreboard, barriers), `scheduling`, then here `issue.py`, then `load_store`, `texture` or
`control.py` with `divergence`.
"""
