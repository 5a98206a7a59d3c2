"""Vortex, the RISC-V GPGPU: RV32 with instructions that switch lanes, split them, and start warps. Two generations of it."""

from warploom.isa.vortex.front_end import load
from warploom.isa.vortex.table import meanings
from warploom.isa.vortex.words import code_in

__all__ = ["CODE", "load", "meanings"]
CODE = code_in
