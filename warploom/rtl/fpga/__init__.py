"""A GPU for an FPGA: the tile's pins and protocol with memories in block RAM, and the way to a bitstream."""
