"""Experiments: many runs, one question. A study reads results and changes nothing in the machine."""
