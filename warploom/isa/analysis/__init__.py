"""Analyses of a Program, whatever its instruction set: control flow, dominators, successors, if-conversion."""
