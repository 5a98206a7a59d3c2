"""The raster engine: from the edges of a triangle to the pixels that it covers."""
