"""Vortex of 2021: see `generation.py`."""

from warploom.isa.vortex.front_end import loader_of
from warploom.isa.vortex.table import meanings
from warploom.isa.vortex.words import code_of_generation

__all__ = ["CODE", "load", "meanings"]
CODE = code_of_generation(2021)
load = loader_of(2021)
