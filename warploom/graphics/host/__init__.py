"""Shaders of a user's own on the host: functions in Python compiled by Numba, C compiled as a library."""
