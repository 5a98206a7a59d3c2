"""Diagnosis: what slows a run down (`diagnosis.py`), rule by rule."""
