"""Traces for GTKWave and Surfer (VCD)."""
