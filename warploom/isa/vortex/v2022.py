"""Vortex of 2022: see `generation.py`."""

from warploom.isa.vortex.front_end import loader_of
from warploom.isa.vortex.table import meanings
from warploom.isa.vortex.words import code_of_generation

__all__ = ["CODE", "load", "meanings"]
CODE = code_of_generation(2022)
load = loader_of(2022)
