"""AMD's GCN, from its assembly text and from code objects: waves of 64 lanes, a scalar unit, and the mask of lanes in a register, EXEC."""
