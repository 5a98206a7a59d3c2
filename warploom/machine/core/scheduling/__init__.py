"""Warp schedulers (`scheduler.py`) and their policies (`policies.py`)."""
