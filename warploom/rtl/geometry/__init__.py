"""Geometry as hardware: where the tessellator places points."""
