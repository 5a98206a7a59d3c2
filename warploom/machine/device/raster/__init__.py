"""The raster engine in a device: what it fetches, the quads that wait, and whom they go to."""
