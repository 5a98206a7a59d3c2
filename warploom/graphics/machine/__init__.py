"""A scene on a machine: buffers and registers of Vortex of 2024, a pixel shader in its instructions, and a run for each draw call."""
