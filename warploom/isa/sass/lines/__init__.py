"""Lines of source, and of PTX, by address: what a compiler leaves with `-lineinfo`."""
