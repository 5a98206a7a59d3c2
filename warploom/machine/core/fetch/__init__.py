"""Instruction fetch: buffers and the instruction cache of a core, and the one that cores share."""
