"""Commands of many runs: ladder, compare, study, probe, grade, unit.

`ladder_script.py` and `ladder_table.py` belong to ladder. What they run is in `warploom/study` and `warploom/grade`.
"""
