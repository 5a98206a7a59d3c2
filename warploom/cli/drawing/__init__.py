"""Drawing scenes: as the units do it, and on a machine, in cycles."""
