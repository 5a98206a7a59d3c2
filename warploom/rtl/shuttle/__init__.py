"""A GPU for a shuttle: a tile with 24 pins and memories of its own, and the folder that Tiny Tapeout takes."""
