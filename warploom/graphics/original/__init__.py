"""Vortex of 2024 bit for bit: its setup, binning and the fragment shader of its own drawing test."""
