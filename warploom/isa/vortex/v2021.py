"""Vortex of 2021: see `generation.py`."""

from warploom.isa.vortex.front_end import loader_of
from warploom.isa.vortex.table import meanings

__all__ = ["load", "meanings"]
load = loader_of(2021)
