"""AMD's GCN, from its assembly text and from code objects: waves of 64 lanes, a scalar unit, and the mask of lanes in a register, EXEC."""

from warploom.isa.gcn.front_end import load
from warploom.isa.gcn.table import INSTRUCTIONS, meanings
from warploom.isa.gcn.words import CODE

__all__ = ["CODE", "INSTRUCTIONS", "load", "meanings"]
