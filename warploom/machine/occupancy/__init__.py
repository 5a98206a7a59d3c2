"""Occupancy: how many blocks a core holds, and which resource limits it."""
