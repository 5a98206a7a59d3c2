"""AVX-512: x86's vectors of 16 lanes and their opmasks, with the general registers around them. A warp is a thread of a CPU."""

from warploom.isa.avx512.front_end import load
from warploom.isa.avx512.table import INSTRUCTIONS, meanings
from warploom.isa.avx512.words import CODE

__all__ = ["CODE", "INSTRUCTIONS", "load", "meanings"]
